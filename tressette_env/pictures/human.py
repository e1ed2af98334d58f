"""A window that shows one picture after another, for people who watch a game."""

import os
from typing import Any

from PIL import Image

from tressette_env.errors import MissingExtraError, TressetteError

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # nothing of it on standard output
try:
    import pygame
except ImportError as error:
    raise MissingExtraError("windows", "pygame-ce", "render") from error


class Window:
    """A window of the size (width, height), opened with the first picture; ``fps`` is the most it shows in a second.

    Whoever closes it with the mouse sees nothing more, but the game goes on; ``close()`` lets the next picture open it
    anew. Copies and pickles come without the open window.
    """

    def __init__(self, size: tuple[int, int], fps: float, title: str) -> None:
        self.size = size
        self.fps = fps
        self.title = title
        self._surface: pygame.Surface | None = None
        self._clock: pygame.time.Clock | None = None
        self._dismissed = False

    @property
    def is_open(self) -> bool:
        """Whether the window is on the screen."""
        return self._surface is not None

    def show(self, image: Image.Image) -> None:
        """Show a picture, RGB of the window's size, and take note of a click on the closing button.

        Raises ``TressetteError`` when there is no screen.
        """
        if self._dismissed:
            return
        surface = self._opened()
        surface.blit(pygame.image.frombytes(image.tobytes(), image.size, "RGB"), (0, 0))
        pygame.display.flip()
        if pygame.event.get(pygame.QUIT):  # other events stay in the queue, for whoever reads them
            self.close()
            self._dismissed = True
        elif self._clock is not None:
            self._clock.tick(self.fps)

    def close(self) -> None:
        """Close the window, if it is open."""
        if self._surface is not None:
            pygame.display.quit()
        self._surface = self._clock = None
        self._dismissed = False

    def _opened(self) -> pygame.Surface:
        """Return the window's surface, opened anew where it is not open: SDL has one, and another game may take it."""
        shown = pygame.display.get_surface() if pygame.display.get_init() else None
        if self._surface is None or shown is not self._surface or shown.get_size() != self.size:
            try:
                pygame.display.init()
                self._surface = pygame.display.set_mode(self.size)
            except pygame.error as error:
                raise TressetteError(
                    f"no window can be opened ({error}): use render_mode='rgb_array', or set SDL_VIDEODRIVER=dummy"
                ) from None
            pygame.display.set_caption(self.title)
            self._clock = pygame.time.Clock()
        return self._surface

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_surface": None, "_clock": None}
