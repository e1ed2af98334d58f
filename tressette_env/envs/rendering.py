"""How the environments are shown: the render modes, and the window that follows a game."""

from typing import TYPE_CHECKING, Any

import numpy as np

from tressette_env.engine.entry import view_one
from tressette_env.engine.game import Game
from tressette_env.errors import RulesError
from tressette_env.render import render_text
from tressette_env.rules import Rules
from tressette_env.scene import Scene, scene_of, scene_of_end, scene_of_game

if TYPE_CHECKING:  # pictures are imported when a mode asks for them: they need the extra `render`
    from PIL import Image

    from tressette_env.pictures.human import Window

RENDER_MODES = ("human", "ansi", "rgb_array")
RENDER_FPS = 2  # cards a second that a person can follow
RENDER_SIZE = (800, 800)  # pixels: width, height


class Renderer:
    """What an environment's ``render()`` gives in a mode: None, ``human``, ``ansi`` or ``rgb_array``.

    Raises ``RulesError`` for an unknown mode, ``TressetteError`` for a size out of range, and ``MissingExtraError``
    when the mode needs a package that cannot be imported.
    """

    def __init__(self, mode: Any, size: Any) -> None:
        if mode is not None and mode not in RENDER_MODES:
            raise RulesError(f"render_mode = {mode!r} is not one of {', '.join(RENDER_MODES)} or None")
        self.mode = mode
        self.size: tuple[int, int] = RENDER_SIZE
        self._window: Window | None = None
        self._finished = 0  # deals whose end the window has shown
        if mode in ("human", "rgb_array"):
            from tressette_env.pictures.table import checked_size

            self.size = checked_size(size, "render_size")
        if mode == "human":
            from tressette_env.pictures import human

            self._window = human.Window(self.size, RENDER_FPS, "tressette")

    def render(self, game: Game, seat: int | None, colour: bool = False) -> str | np.ndarray | None:
        """Return the table for one seat, or for all (None): a text, uint8 (H, W, 3), or None when a window shows it."""
        if self.mode is None:
            return None
        if self.mode == "ansi":
            return render_text(game, seat, colour)
        image = self._image(scene_of_game(game, seat))
        if self._window is None:
            return np.array(image)
        self._window.show(image)
        return None

    def pixels(self, states: np.ndarray, table: np.ndarray, rules: Rules, seat: int) -> np.ndarray:
        """Return the table of the game ``states``, STATE_DTYPE (1,), as a seat sees it: uint8 (H, W, 3)."""
        view = np.empty_like(states)
        view_one(states, table, seat, view)
        return np.array(self._image(scene_of(view[0], rules, seat)))

    def follow(self, game: Game, seat: int | None) -> None:
        """Show the game in the window, the end of a deal before the next one; nothing in the other modes."""
        if self._window is None:
            return
        finished = len(game.finished)
        if finished > self._finished and game.to_act >= 0:
            self._window.show(self._image(scene_of_end(game, seat, game.num_deals - 1)))
        self._finished = finished
        self._window.show(self._image(scene_of_game(game, seat)))

    def close(self) -> None:
        """Close the window."""
        if self._window is not None:
            self._window.close()

    def _image(self, scene: Scene) -> "Image.Image":
        from tressette_env.pictures.table import scene_image

        return scene_image(scene, self.size)
