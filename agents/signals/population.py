"""Scripted convention bots: the card play of a bot with its own way to speak and to listen; half of them held out.

The population serves ad-hoc teamwork: a player that learned with the first half is measured with the second, which it
never met. Cards are chosen by `heuristic` or `simple`; a convention decides what is said with the card and what is
made of what is heard.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numba as nb
import numpy as np

from agents.signals.players import Altered, Mute, Renamed, deaf
from agents.signals.worth import without_channel
from tressette_env.bots import Policy, make
from tressette_env.engine.batch import masks_all
from tressette_env.engine.kernels import truthful_cards
from tressette_env.rules import Rules


class Generous(Altered):
    """Gives a true signal with every card that allows one: the last of the rules' signals that is true."""

    def __init__(self, inside: Policy) -> None:
        super().__init__(inside, f"generous {inside.name}")

    def done(self, chosen: np.ndarray, views: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Return the cards chosen with a true signal each, where one may be given."""
        return _say(chosen, views, table, True)


class Liar(Altered):
    """Gives a false signal with every card that allows one: the first of the rules' signals that is not true."""

    def __init__(self, inside: Policy) -> None:
        super().__init__(inside, f"liar {inside.name}")

    def done(self, chosen: np.ndarray, views: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Return the cards chosen with a false signal each, where one may be given."""
        return _say(chosen, views, table, False)


def _say(chosen: np.ndarray, views: np.ndarray, table: np.ndarray, truth: bool) -> np.ndarray:
    masks = np.empty((len(views), int(table[0]["num_actions"])), np.int8)
    masks_all(views, table, masks)
    out = np.empty_like(chosen)
    _said(chosen, views, table, masks, truth, out)
    return out


@nb.njit(cache=True)
def _said(chosen, views, rules, masks, truth, out):  # type: ignore[no-untyped-def]
    signals = rules[0]["num_signals"]
    for i in range(chosen.shape[0]):
        out[i] = chosen[i]
        if chosen[i] >= 40 * (1 + signals):
            continue
        card = chosen[i] % 40
        out[i] = card
        hand = views[i]["hands"][views[i]["to_act"]]
        for k in range(signals):
            place = k if truth else signals - 1 - k
            kind = rules[0]["signal_kind"][place]
            true = (truthful_cards(hand, np.int64(1) << card, kind, rules[0]) >> card) & 1
            if masks[i, 40 * (1 + place) + card] and true == truth:
                out[i] = 40 * (1 + place) + card


@dataclass(frozen=True)
class Convention:
    """One bot of the population. ``held_out``: nobody learns with it. ``lies``: only where any signal may be given."""

    name: str
    summary: str
    make: Callable[[Rules], Policy]
    held_out: bool
    lies: bool = False


def _renamed(*names: int) -> Callable[[Rules], Policy]:
    return lambda rules: Renamed(make("heuristic"), (0, *names))


CONVENTIONS = (
    Convention(
        "strict", "Chitarrella's: signals what is true and of use, obeys", lambda rules: make("heuristic"), False
    ),
    Convention("generous", "every true signal it can give", lambda rules: Generous(make("heuristic")), True),
    Convention("mute", "says nothing, obeys", lambda rules: Mute(make("heuristic")), True),
    Convention("deaf", "signals, obeys nothing", lambda rules: deaf(make("heuristic"), rules), False),
    Convention("silent", "neither says nor hears", lambda rules: without_channel(make("heuristic"), rules), True),
    Convention("beginner", "plays like `simple`: neither says nor hears", lambda rules: make("simple"), False),
    Convention(
        "talker", "plays like `simple`, every true signal it can give", lambda rules: Generous(make("simple")), True
    ),
    Convention("liar", "a false signal whenever it can", lambda rules: Liar(make("heuristic")), True, True),
    Convention("code 2 3 1", "strict, signals renamed in a ring", _renamed(2, 3, 1), False, True),
    Convention("code 3 1 2", "strict, signals renamed in the other ring", _renamed(3, 1, 2), True, True),
    Convention("code 2 1 3", "strict, the first two signals swapped", _renamed(2, 1, 3), False, True),
    Convention("code 1 3 2", "strict, the last two signals swapped", _renamed(1, 3, 2), True, True),
    Convention("code 3 2 1", "strict, first and last signal swapped", _renamed(3, 2, 1), False, True),
)


def population(rules: Rules, *, held_out: bool) -> list[tuple[str, Policy]]:
    """Return the bots that fit some rules, with their names: the held-out half or the other.

    Codes and lies need ``signal_mode: free``, and codes the usual three signals.
    """
    free = rules.signal_mode == "free"
    usual = len(rules.offered_signals) == 3
    return [
        (row.name, row.make(rules))
        for row in CONVENTIONS
        if row.held_out == held_out and (not row.lies or (free and (usual or row.name == "liar")))
    ]
