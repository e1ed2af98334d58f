"""Players made of others: mute, deaf, misled, with other names for signals or suits, and teams of two.

Each sees through the same views as the player inside it; nothing is added to what a seat knows.
"""

from collections.abc import Sequence
from typing import Any

import numba as nb
import numpy as np

from agents.arena import asked
from agents.signals.beliefs import received_as
from agents.signals.games import Chances
from agents.signals.hearing import rename_tokens, unhear
from tressette_env.bots.base import Policy
from tressette_env.engine.batch import masks_all
from tressette_env.engine.randomness import draw
from tressette_env.engine.symmetry import permute_action, permute_record
from tressette_env.rules import Rules


class Altered:
    """A player that changes what another one sees and does. Subclasses say how."""

    def __init__(self, inside: Policy, name: str) -> None:
        self.inside: Any = inside
        self.name = name
        self.hash = ""

    def actions(self, views: np.ndarray, table: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """Return one legal action id per view, int64 (B,); see ``Policy.actions``."""
        chosen = asked(self.inside, self.seen(views, table), self.rules_for(table), keys)
        return self.done(chosen, views, table)

    def act(self, view: np.ndarray, table: np.ndarray, key: int) -> int:
        """Return the action id for one view, STATE_DTYPE (1,)."""
        return int(self.actions(view, table, np.array([key], np.uint64))[0])

    def seen(self, views: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Return what the player inside sees, STATE_DTYPE (B,)."""
        return views

    def rules_for(self, table: np.ndarray) -> np.ndarray:
        """Return the rules that the player inside believes in, RULES_DTYPE (1,)."""
        return table

    def done(self, chosen: np.ndarray, views: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Return what is done about the actions that the player inside chose, int64 (B,)."""
        return chosen


class Mute(Altered):
    """Plays the cards that it would have played, and says nothing with them."""

    def __init__(self, inside: Policy) -> None:
        super().__init__(inside, f"mute {inside.name}")

    def done(self, chosen: np.ndarray, views: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Return the actions without signals."""
        return np.where(chosen < 40 * (1 + int(table[0]["num_signals"])), chosen % 40, chosen)


class Forbidden(Altered):
    """Never signals: to the player inside, its side has no permission.

    A network chooses a card and a message as one action. Without permission it chooses among the silent ones, and that
    may be another card than the one that it would have played: it loses more than its voice, see ``Mute``. A table
    knows its actions with permission alone, and draws among the silent ones in their proportions there.
    """

    def __init__(self, inside: Policy) -> None:
        super().__init__(inside, f"forbidden {inside.name}")

    def actions(self, views: np.ndarray, table: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """Return one legal action id per view, int64 (B,), none of them with a signal."""
        if not hasattr(self.inside, "probabilities") or hasattr(self.inside, "log_probs"):
            return super().actions(views, table, keys)
        masks = np.empty((len(views), int(table[0]["num_actions"])), np.int8)
        masks_all(views, self.rules_for(table), masks)
        chances = self.inside.probabilities(views, table) * masks
        chances = np.where(chances.sum(1, keepdims=True) > 0, chances, masks)
        cumulated = np.cumsum(chances, 1)
        drawn = np.array([draw(key, 0, 2**31) for key in keys]) / 2.0**31 * cumulated[:, -1]
        chosen: np.ndarray = (cumulated <= drawn[:, None]).sum(1)
        return chosen

    def rules_for(self, table: np.ndarray) -> np.ndarray:
        """Return the rules without permission to signal."""
        quiet = table.copy()
        quiet["signal_sides"] = 0
        return quiet


class Hearing(Altered):
    """Hears other messages than were given: drawn from shares, float64 (2, 1 + K), of messages by who follows or leads.

    ``partner_only``: only the partner's messages are changed.
    """

    def __init__(self, inside: Policy, name: str, shares: np.ndarray, partner_only: bool = True) -> None:
        super().__init__(inside, name)
        self._cumulated = np.cumsum(shares, 1)
        self._cumulated[:, -1] = 1.0
        self._partner_only = partner_only

    def seen(self, views: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Return the views with other messages."""
        out = np.empty_like(views)
        unhear(views, table, self._partner_only, self._cumulated, out)
        return out


def deaf(inside: Policy, rules: Rules, *, partner_only: bool = True) -> Hearing:
    """Return a player that hears silence from its partner, or from everybody."""
    shares = np.zeros((2, 1 + len(rules.offered_signals)))
    shares[:, 0] = 1.0
    return Hearing(inside, f"deaf {inside.name}", shares, partner_only)


def misled(inside: Policy, usual: Chances) -> Hearing:
    """Return a player whose partner's messages carry nothing: drawn at random, as often as it heard each in ``usual``.

    It takes them as the rules say: where only true signals are legal, it believes them.
    """
    shares = shares_of(usual)
    heard = [shares[leads] @ received_as(usual.rules, "partner", bool(leads)) for leads in (0, 1)]
    return Hearing(inside, f"misled {inside.name}", np.array(heard))


def shares_of(usual: Chances) -> np.ndarray:
    """Return how often each message comes with a card that follows (row 0) or leads (row 1), float64 (2, 1 + K)."""
    size = 1 + len(usual.rules.offered_signals)
    shares = np.zeros((2, size))
    leads = (usual.states["best_card"] < 0).astype(np.int64)
    np.add.at(shares, (leads, usual.messages), 1.0)
    shares[shares.sum(1) == 0, 0] = 1.0
    shares /= shares.sum(1, keepdims=True)
    return shares


class Renamed(Altered):
    """Speaks the same language with the signals renamed: what it would call m it calls names[m].

    names: for every message its name, int64 (1 + K,), 0 (silence) stays 0. Where the rules do not let it say the name,
    it is silent, so this makes sense with ``signal_mode: free`` only.
    """

    def __init__(self, inside: Policy, names: Sequence[int]) -> None:
        super().__init__(inside, f"{inside.name} renamed {''.join(map(str, names[1:]))}")
        self._names = np.array(names, np.int64)
        self._back = np.argsort(self._names)

    def seen(self, views: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Return the views in the language of the player inside."""
        out = np.empty_like(views)
        rename_tokens(views, table, self._back, out)
        return out

    def done(self, chosen: np.ndarray, views: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Return the actions with their signals renamed."""
        plays = chosen < 40 * len(self._names)
        said = np.where(plays, 40 * self._names[np.where(plays, chosen // 40, 0)] + chosen % 40, chosen)
        masks = np.empty((len(views), int(table[0]["num_actions"])), np.int8)
        masks_all(views, table, masks)
        return np.where(masks[np.arange(len(said)), said] == 1, said, chosen % 40)


class Resuited(Altered):
    """Plays as if the suits had other names: suit s is shown to the player inside as perm[s]."""

    def __init__(self, inside: Policy, perm: Sequence[int]) -> None:
        super().__init__(inside, f"{inside.name} suits {''.join(map(str, perm))}")
        self._perm = np.array(perm, np.int64)
        self._back = np.argsort(self._perm)

    def seen(self, views: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Return the views with the suits renamed."""
        out = views.copy()
        _rename_suits(out, table, self._perm)
        return out

    def done(self, chosen: np.ndarray, views: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Return the actions with the suits' own names."""
        out = np.empty_like(chosen)
        _rename_back(chosen, table, self._back, out)
        return out


@nb.njit(cache=True)
def _rename_suits(views, rules, perm):  # type: ignore[no-untyped-def]
    for i in range(views.shape[0]):
        permute_record(views[i], rules[0], perm)


@nb.njit(cache=True)
def _rename_back(actions, rules, perm, out):  # type: ignore[no-untyped-def]
    for i in range(actions.shape[0]):
        out[i] = permute_action(actions[i], rules[0], perm)


class Team:
    """Two players side by side: the first at seats 0 and 1, the second at seats 2 and 3, whichever pair they are."""

    def __init__(self, first: Policy, second: Policy) -> None:
        self.members = (first, second)
        self.name = f"{first.name} + {second.name}"
        self.hash = ""

    def actions(self, views: np.ndarray, table: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """Return one legal action id per view, int64 (B,); see ``Policy.actions``."""
        out = np.empty(len(views), np.int64)
        for place, member in enumerate(self.members):
            rows = np.flatnonzero(views["to_act"] // 2 == place)
            if len(rows):
                out[rows] = asked(member, views[rows], table, keys[rows])
        return out

    def act(self, view: np.ndarray, table: np.ndarray, key: int) -> int:
        """Return the action id for one view, STATE_DTYPE (1,)."""
        return int(self.actions(view, table, np.array([key], np.uint64))[0])
