"""Information of signals on toys, exactly: every deal, every line of play, every chance of the speaker counted out.

The same quantities as ``beliefs`` without sampling, and with all that earlier plays tell: a listener weighs each deal
by how likely the players would have come to where they are.
"""

from dataclasses import dataclass

import numpy as np

from agents.cfr.tree import dealt_states
from agents.signals.beliefs import FEATURES, feature, hidden_rows, listener_seats, received_as
from agents.signals.games import SignalError, check_rules
from agents.signals.hearing import could_speak
from agents.signals.information import entropy, mutual_information
from agents.signals.speaking import Speaker
from tressette_env.deals import Dealing
from tressette_env.engine.batch import Batch, views_acting
from tressette_env.engine.state import OVER
from tressette_env.engine.view import redact
from tressette_env.rules import Rules

MOST_DEALS = 20_000
MOST_LINES = 2_000_000


@dataclass(frozen=True)
class Exact:
    """Bits per message by feature, the entropy of messages, and the chance of speaking decisions per deal."""

    bits: dict[str, float]
    entropy: float
    per_deal: float


def exact_information(speaker: Speaker, rules: Rules, listener: str) -> Exact:
    """Return what one player at all seats tells a kind of listener by its messages, in bits per speaking decision.

    Earlier messages are known to all, as in ``beliefs.told``; the card that comes with a message is known first.

    >>> from agents.signals.speaking import speaker_of
    >>> from tressette_env.bots import make
    >>> from tressette_env.presets import preset
    >>> exact_information(speaker_of(make("heuristic:signals=off")), preset("mini_4p"), "partner").bits["rest"]
    0.0

    Raises ``SignalError`` for rules with more than ``MOST_DEALS`` deals or ``MOST_LINES`` lines of play.
    """
    check_rules(rules)
    states, weights = every_deal(rules)
    total = dict.fromkeys(FEATURES, 0.0)
    spoken = said = 0.0
    table = rules.table()
    while len(states):
        views = np.empty_like(states)
        views_acting(states, table, views)
        chances = speaker.probabilities(views, table)
        able = np.empty(len(states), np.bool_)
        could_speak(states, table, able)
        if able.any():
            found, chance, bits_said = _tell(rules, listener, states[able], weights[able], chances[able])
            for name in FEATURES:
                total[name] += found[name]
            spoken += chance
            said += bits_said
        states, weights = _step(rules, states, weights, chances)
    if not spoken:
        raise SignalError(f"nobody can signal under the rules {rules.name!r}: allow a side to")
    return Exact({name: value / spoken for name, value in total.items()}, said / spoken, spoken)


def every_deal(rules: Rules) -> tuple[np.ndarray, np.ndarray]:
    """Return all deals of some rules with eldest hand at seat 0, STATE_DTYPE (N,), and their chances, float64 (N,).

    Raises ``SignalError`` where there are more than ``MOST_DEALS``.
    """
    count = Dealing(rules, rules.num_seats - 1).count
    if count > MOST_DEALS:
        raise SignalError(
            f"{rules.name} has {count:,} deals, more than the {MOST_DEALS:,} that are counted out: "
            "measure it by sampled beliefs"
        )
    return dealt_states(rules), np.full(count, 1.0 / count)


def _step(rules: Rules, states: np.ndarray, weights: np.ndarray, chances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return what follows from all actions that are possible, with their chances; finished deals are dropped."""
    rows, actions = np.nonzero(chances)
    if len(rows) > MOST_LINES:
        raise SignalError(f"{rules.name} has more than {MOST_LINES:,} lines of play: measure it by sampled beliefs")
    batch = Batch(rules, len(rows), reward="deal")
    batch.states = states[rows]
    batch.step(actions)
    going = batch.states["phase"] != OVER
    return batch.states[going], (weights[rows] * chances[rows, actions])[going]


def _tell(
    rules: Rules, listener: str, states: np.ndarray, weights: np.ndarray, chances: np.ndarray
) -> tuple[dict[str, float], float, float]:
    """Return information by feature times its chance, the chance of all this, and the entropy of messages times it."""
    messages = 1 + len(rules.offered_signals)
    plays = chances[:, : 40 * messages].reshape(len(states), messages, 40).transpose(0, 2, 1)  # by card and message
    rows, cards = np.nonzero(plays.sum(-1))
    joint = plays[rows, cards] * weights[rows, None]
    leads = states["best_card"][rows] < 0
    values = np.empty((len(rows), 2), np.int64)
    hidden_rows(states[rows], cards, values)
    found = dict.fromkeys(FEATURES, 0.0)
    every = np.zeros(messages)
    sides = [1, 3] if listener == "opponents" else [0]
    for side in sides:
        known = _known(rules, states, listener, side)[rows]
        groups = np.unique(np.stack([known, cards.astype(np.int64)], 1), axis=0, return_inverse=True)[1].reshape(-1)
        for way in np.unique(leads):
            here = leads == way
            heard = joint[here] @ received_as(rules, listener, bool(way))
            every += heard.sum(0) / len(sides)
            for name, size in FEATURES.items():
                by_group = np.zeros((groups.max() + 1, size, messages))
                np.add.at(by_group, (groups[here], feature(name, values[here])), heard)
                bits = mutual_information(by_group)
                found[name] += float((bits * by_group.sum((-1, -2))).sum()) / len(sides)
    return found, float(joint.sum()), float(entropy(every) * every.sum())


def _known(rules: Rules, states: np.ndarray, listener: str, side: int) -> np.ndarray:
    """Return a number for what the listener knows at each record, int64 (N,): equal where it cannot tell them apart."""
    table = rules.table()
    table["signals_clear"] = 1
    seen = states.copy()
    for i, seat in enumerate(listener_seats(states["to_act"], listener, side)):
        redact(seen[i], table[0], max(seat, 0))
        if seat < 0:
            seen[i]["hands"][:] = 0
            seen[i]["dealt"][:] = 0
        seen[i]["to_act"] = states[i]["to_act"]
    rows = np.ascontiguousarray(seen).view(np.uint8).reshape(len(seen), -1)
    numbers: np.ndarray = np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)
    return numbers
