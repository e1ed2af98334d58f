"""Games played for the measures: who could have spoken when, what was said, and deals played on from any position."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numba as nb
import numpy as np

from agents.arena import asked, first_deals
from agents.signals.hearing import could_speak, message_with
from tressette_env.bots.base import Policy
from tressette_env.engine.batch import RUNNING, Batch, views_acting
from tressette_env.engine.randomness import key_of
from tressette_env.engine.state import STATE_DTYPE
from tressette_env.errors import TressetteError
from tressette_env.rules import Rules

BLOCK = 2048  # deals in lock step
_STREAM = 40  # of the keys of players here, apart from those of the arena


class SignalError(TressetteError):
    """Something that the signal laboratory cannot measure."""


def check_rules(rules: Rules) -> None:
    """Raise ``SignalError`` for rules in which there is nothing to measure."""
    if not rules.offered_signals:
        raise SignalError(f"the rules {rules.name!r} have no signals: choose some that have, such as tressette")
    if rules.num_seats != 4 or rules.sides not in ((0, 1, 0, 1), (1, 0, 1, 0)):
        raise SignalError(f"the rules {rules.name!r} have no partners face to face: signals are measured in two pairs")
    if rules.hand_size < 2:
        raise SignalError(f"the rules {rules.name!r} deal one card a hand, and nothing is said with the last card")
    if rules.stock or rules.monte or rules.auction != "none":
        raise SignalError(f"the rules {rules.name!r} have cards in no hand or an auction, which is not measured")


@dataclass(frozen=True)
class Chances:
    """Decisions in which the seat could have signalled, were its hand the right one; N rows in order of play."""

    rules: Rules
    states: np.ndarray  # STATE_DTYPE (N,), whole records before the decision
    actions: np.ndarray  # int64 (N,), what was done
    deals: np.ndarray  # int64 (N,), number of the deal

    def __len__(self) -> int:
        return len(self.states)

    @property
    def cards(self) -> np.ndarray:
        """The card played, int64 (N,)."""
        return self.actions % 40

    @property
    def messages(self) -> np.ndarray:
        """What was said with it, int64 (N,): 0 silence, 1 + the place of a signal in the rules."""
        return self.actions // 40

    @property
    def senders(self) -> np.ndarray:
        """The seat that played, int64 (N,)."""
        return self.states["to_act"].astype(np.int64)

    def some(self, rows: np.ndarray) -> "Chances":
        """Return some of the decisions, by number or as a mask."""
        return Chances(self.rules, self.states[rows], self.actions[rows], self.deals[rows])


@dataclass(frozen=True)
class Answers:
    """Decisions of partners in the same trick, after the leader's card; rows as ``Chances``."""

    rules: Rules
    states: np.ndarray  # STATE_DTYPE (N,), the partner to act
    cards: np.ndarray  # int64 (N,), the card that the partner's partner played
    before: np.ndarray  # STATE_DTYPE (N,), when it was to be played
    deals: np.ndarray  # int64 (N,)

    def __len__(self) -> int:
        return len(self.states)


@nb.njit(cache=True)
def _keys(seed, deals, ply, out):
    for i in range(deals.shape[0]):
        out[i] = key_of(np.int64(key_of(seed, deals[i], _STREAM) >> np.uint64(1)), ply, _STREAM)


def play_on(
    policy: Policy, batch: Batch, deals: np.ndarray, seed: int, first_ply: int = 0, watch: Any = None
) -> np.ndarray:
    """Let one policy play all seats to the end of every game; return what each seat was paid, float64 (B, 5).

    ``watch(states, actions, running)`` is called before every step. A seat's randomness depends on seed, deal and ply.
    """
    paid = np.zeros((batch.num_games, 5))
    views = np.empty_like(batch.states)
    keys = np.empty(batch.num_games, np.uint64)
    ply = first_ply
    while (batch.status == RUNNING).any():
        running = batch.status == RUNNING
        views_acting(batch.states, batch.table, views)
        _keys(seed, deals, ply, keys)
        actions = np.zeros(batch.num_games, np.int64)
        actions[running] = asked(policy, views[running], batch.table, keys[running])
        if watch is not None:
            watch(batch.states, actions, running)
        paid += batch.step(actions)
        ply += 1
    return paid


def _blocks(deals: int) -> Sequence[np.ndarray]:
    return [np.arange(first, min(first + BLOCK, deals)) for first in range(0, deals, BLOCK)]


def _start(rules: Rules, seed: int, numbers: np.ndarray) -> Batch:
    batch = Batch(rules, len(numbers), seeds=np.full(len(numbers), seed), reward="deal")
    ks, dealers = first_deals(rules, numbers)
    batch.start(ks=ks, dealers=dealers)
    return batch


def chances(policy: Policy, rules: Rules, deals: int, seed: int) -> Chances:
    """Return the decisions with a chance to signal in ``deals`` deals that a policy plays at all four seats.

    Raises ``SignalError`` for rules without signals or without partners.
    """
    check_rules(rules)
    found: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []

    def play(numbers: np.ndarray) -> None:
        batch = _start(rules, seed, numbers)

        def watch(states: np.ndarray, actions: np.ndarray, running: np.ndarray) -> None:
            able = np.empty(len(states), np.bool_)
            could_speak(states, batch.table, able)
            able &= running & (actions < 40 * (1 + len(rules.offered_signals)))
            found.append((states[able].copy(), actions[able], numbers[able]))

        play_on(policy, batch, numbers, seed, watch=watch)

    for numbers in _blocks(deals):
        play(numbers)
    states, actions, where = (np.concatenate(column) for column in zip(*found, strict=True))
    return Chances(rules, states, actions, where)


def answers(policy: Policy, rules: Rules, deals: int, seed: int) -> Answers:
    """Return the decisions of leaders' partners, in the trick that was led, in deals that a policy plays alone.

    Only tricks in which the leader could have signalled count, and only partners with a choice of cards.
    """
    check_rules(rules)
    found: list[tuple[np.ndarray, ...]] = []

    def play(numbers: np.ndarray) -> None:
        batch = _start(rules, seed, numbers)
        led = batch.states.copy()
        lead_card = np.full(len(numbers), -1, np.int64)

        def watch(states: np.ndarray, actions: np.ndarray, running: np.ndarray) -> None:
            able = np.empty(len(states), np.bool_)
            could_speak(states, batch.table, able)
            plays = running & (actions < 40 * (1 + len(rules.offered_signals)))
            leads = plays & (states["best_card"] < 0)
            partner = plays & ~leads & (lead_card >= 0)
            partner &= states["to_act"] == (states["leader"] + 2) % 4
            partner[partner] = batch.masks()[partner][:, :40].sum(1) > 1
            found.append((states[partner].copy(), lead_card[partner], led[partner].copy(), numbers[partner]))
            led[leads & able] = states[leads & able]
            lead_card[leads] = np.where(able[leads], actions[leads] % 40, -1)

        play_on(policy, batch, numbers, seed, watch=watch)

    for numbers in _blocks(deals):
        play(numbers)
    states, cards, before, where = (np.concatenate(column) for column in zip(*found, strict=True))
    return Answers(rules, states, cards, before, where)


@nb.njit(cache=True)
def messages_with(states, rules, cards, out):
    """Write the message that came with each card that was played, int64 (N,)."""
    for i in range(states.shape[0]):
        out[i] = message_with(states[i], rules[0], cards[i])


def batch_from(rules: Rules, states: np.ndarray) -> Batch:
    """Return games that go on from some records of unfinished deals, STATE_DTYPE (B,)."""
    batch = Batch(rules, len(states), reward="deal")
    batch.states = states.astype(STATE_DTYPE, copy=True)
    return batch
