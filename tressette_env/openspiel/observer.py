"""What OpenSpiel is shown of a state: the package's observation as a tensor, the information state as text."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pyspiel  # type: ignore[import-untyped, import-not-found, unused-ignore]

from tressette_env.cards import NUM_CARDS, format_hand, from_bits
from tressette_env.engine.entry import WORDS, observe_one, view_one
from tressette_env.engine.state import STATE_DTYPE
from tressette_env.engine.text import information_state
from tressette_env.errors import TressetteError
from tressette_env.layout import layout
from tressette_env.render import table_text

if TYPE_CHECKING:
    from tressette_env.openspiel.game import TressetteGame
    from tressette_env.openspiel.state import TressetteState


def view_of(state: "TressetteState", game: "TressetteGame", seat: int) -> np.ndarray:
    """Return what a seat knows of a state whose cards are dealt, STATE_DTYPE (1,)."""
    out = np.empty(1, STATE_DTYPE)
    view_one(state.record, game.table, seat, out)
    return out


def information_text(state: "TressetteState", game: "TressetteGame", seat: int) -> str:
    """Return all that a seat knows, with perfect recall; while the cards are dealt nobody has looked at them yet."""
    if state.record is None:
        return f"rules {game.rules.name}; seat {seat}; dealer {game.dealer}; dealing"
    return information_state(view_of(state, game, seat)[0], game.rules, seat)


class TressetteObserver:
    """What one seat knows, for OpenSpiel's ``make_observation``; the package's observation has perfect recall anyway.

    Attributes: ``tensor``, float32 (F,), is the observation of docs/observation.md, zeros while the cards are dealt;
    ``dict`` has its sections as views: ``planes`` (4, 10, planes), then the global sections by name.
    """

    def __init__(self, game: "TressetteGame") -> None:
        self._game = game
        shown = layout(game.rules)
        self.tensor = np.zeros(shown.size, np.float32)
        cards = NUM_CARDS * shown.num_planes
        self.dict = {"planes": self.tensor[:cards].reshape(4, 10, shown.num_planes)}
        self.dict |= shown.parts(self.tensor[cards:])
        padding = self.tensor[cards + sum(width for _, width in shown.bits + shown.scalars) :]
        if padding.size:
            self.dict["padding"] = padding
        self._states = np.empty(2, STATE_DTYPE)  # the state, and a spare record for the view
        self._words = np.zeros(WORDS, np.int64)

    def set_from(self, state: "TressetteState", player: int) -> None:
        """Write what a seat knows of a state into ``tensor``."""
        game = self._game
        checked_seat(player, game)
        if state.record is None:
            self.tensor.fill(0)
            return
        self._states[:1].view(np.int64)[:] = state.record.view(np.int64)  # a copy field by field is slow
        observe_one(self._states, game.table, self._words, player, self.tensor)

    def string_from(self, state: "TressetteState", player: int) -> str:
        """Return the information state of a seat as text."""
        return information_text(state, self._game, checked_seat(player, self._game))


class PublicObserver:
    """What all seats know, as a picture of the table. There is no tensor of it."""

    def __init__(self, game: "TressetteGame") -> None:
        self._game = game
        self.tensor = None
        self.dict: dict[str, np.ndarray] = {}

    def set_from(self, state: "TressetteState", player: int) -> None:
        """Do nothing: there is no tensor."""

    def string_from(self, state: "TressetteState", player: int) -> str:
        """Return the table as text, the same for every seat: what is hidden from any seat is left out."""
        game = self._game
        if state.record is None:
            return f"rules {game.rules.name}; dealer {game.dealer}; dealing"
        view = state.record
        for seat in range(game.rules.num_seats):
            hidden, view = view, np.empty(1, STATE_DTYPE)
            view_one(hidden, game.table, seat, view)
        view[0]["to_act"] = -1  # who is asked to declare or to annul is not public
        return table_text(view[0], game.rules, None, deal_number=1)


class PrivateObserver(PublicObserver):
    """What only one seat knows, its cards, as text. There is no tensor of it."""

    def string_from(self, state: "TressetteState", player: int) -> str:
        """Return the cards that a seat was dealt and those that it holds."""
        seat = checked_seat(player, self._game)
        if state.record is None:
            return ""
        row = state.record[0]
        dealt, held = (format_hand(from_bits(int(row[name][seat]))) for name in ("dealt", "hands"))
        return f"dealt {dealt}; hand {held}"


def checked_seat(player: int, game: "TressetteGame") -> int:
    """Return the seat; the kernels would read beyond their arrays. Raises ``TressetteError`` for another number."""
    if not 0 <= player < game.rules.num_seats:
        raise TressetteError(f"player {player} is no seat: give a number from 0 to {game.rules.num_seats - 1}")
    return player


def make_observer(game: "TressetteGame", kind: Any, params: Any) -> TressetteObserver | PublicObserver:
    """Return the observer of a kind, a ``pyspiel.IIGObservationType`` or None.

    Raises ``TressetteError`` for all hands open, and for parameters: there are none.
    """
    if params:
        raise TressetteError(f"the observer takes no parameters, not {params!r}")
    if kind is None:
        return TressetteObserver(game)
    private = kind.private_info
    if private == pyspiel.PrivateInfoType.ALL_PLAYERS:
        raise TressetteError("private_info = ALL_PLAYERS would show all hands: use SINGLE_PLAYER or NONE")
    if private == pyspiel.PrivateInfoType.NONE:
        return PublicObserver(game)
    return TressetteObserver(game) if kind.public_info else PrivateObserver(game)
