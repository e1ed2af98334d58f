"""Every legal action of a decision played out to the end of the deal, the hidden cards as they lie.

The deal that a decision comes from was played by the policy itself, so its hidden cards are drawn from exactly what the
seat should believe. Whoever plays on reads only what each seat knows. Actions of one decision meet the same cards, so
that their differences are much surer than their values (the "vine" of Schulman et al. 2015, trust region policy
optimisation, with common random numbers).
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Sequence

import numba as nb
import numpy as np
import torch
from torch import nn

from agents.search.rollouts import AUTO, PAID, PLAYOUTS, deal_value, play_out
from agents.vine.players import Players
from tressette_env.bots.base import Policy
from tressette_env.bots.heuristic import weights_of
from tressette_env.cards import NUM_CARDS
from tressette_env.engine.batch import count_legal, nth_legal
from tressette_env.engine.kernels import NUM_WORDS, apply, competitor_of, legal
from tressette_env.engine.state import OVER, PLAY
from tressette_env.rules import Rules

ROWS = 2048  # most rows that the network is asked at once: more fall out of the cache
MAX_TRICKS = NUM_CARDS  # more than any deal has


@nb.njit(cache=True, nogil=True)
def _worth(end, rules, root):
    """Return what a finished deal is worth to the seat to act in the record that it was played on from, in points."""
    seat = root["to_act"]
    total = root["totals"][competitor_of(root, rules, seat)]
    return deal_value(end, rules, seat, total, AUTO if root["phase"] == PLAY else PAID)


@nb.njit(cache=True, nogil=True)
def play_out_by_bot(states, table, actions, valid, playouts, values):
    """Write what each action comes to when a bot plays on, float32 (N, K) points for the seat to act; 0 past the end.

    states: STATE_DTYPE (N,) before the decisions; actions: int64 (N, K) engine ids, valid: bool (N, K). ``playouts``:
    the bot, one of ``rollouts.PLAYOUTS`` by number.
    """
    rules = table[0]
    words = np.empty(NUM_WORDS, np.int64)
    weights = weights_of(rules)
    scratch = states[:1].copy()
    for row in range(actions.shape[0]):
        for k in range(actions.shape[1]):
            values[row, k] = 0.0
            if valid[row, k]:
                scratch[0] = states[row]
                apply(scratch[0], rules, actions[row, k])
                play_out(scratch[0], rules, words, weights, playouts, np.uint64(row))
                values[row, k] = _worth(scratch[0], rules, states[row])


@nb.njit(cache=True)
def _settle(state, rules, words):
    """Play on while there is only one legal action."""
    while state["phase"] != OVER:
        legal(state, rules, words)
        if count_legal(words) > 1:
            return
        apply(state, rules, nth_legal(words, rules, 0))


@nb.njit(cache=True, nogil=True)
def branch(states, table, actions, valid, tricks, out, ends):
    """Write a record for each valid action, STATE_DTYPE (M,), in which it and what is forced after it were played.

    ends: int64 (M,) the number of cards played, of all, when so many tricks after that of the action are over.
    """
    words = np.empty(NUM_WORDS, np.int64)
    seats = table[0]["num_seats"]
    found = 0
    for row in range(actions.shape[0]):
        for k in range(actions.shape[1]):
            if valid[row, k]:
                out[found] = states[row]
                ends[found] = (states[row]["num_played"] // seats + 1 + tricks) * seats
                apply(out[found], table[0], actions[row, k])
                _settle(out[found], table[0], words)
                found += 1


@nb.njit(cache=True, nogil=True)
def _waiting(states, rows, ends, out):
    """Move the rows of unfinished deals in which fewer than ends[row] cards were played to out, int64; count them."""
    left = 0
    for row in rows:
        if states[row]["phase"] != OVER and states[row]["num_played"] < ends[row]:
            out[left] = row
            left += 1
    return left


@nb.njit(cache=True, nogil=True)
def _play_on(states, rows, table, chosen):
    """Play chosen[j] and what is forced after it in states[rows[j]]."""
    words = np.empty(NUM_WORDS, np.int64)
    for j in range(rows.shape[0]):
        apply(states[rows[j]], table[0], chosen[j])
        _settle(states[rows[j]], table[0], words)


@nb.njit(cache=True, nogil=True)
def _finish(states, table, playouts):
    """Play every deal to its end by a bot, one of ``rollouts.PLAYOUTS`` by number."""
    words = np.empty(NUM_WORDS, np.int64)
    weights = weights_of(table[0])
    for row in range(states.shape[0]):
        play_out(states[row], table[0], words, weights, playouts, np.uint64(row))


@nb.njit(cache=True, nogil=True)
def collect_worth(ends, states, table, valid, values):
    """Write what the branches came to, float32 (N, K); see ``play_out_by_bot``."""
    found = 0
    for row in range(valid.shape[0]):
        for k in range(valid.shape[1]):
            values[row, k] = 0.0
            if valid[row, k]:
                values[row, k] = _worth(ends[found], table[0], states[row])
                found += 1


class NetworkPlayouts:
    """Plays positions on by a network's likeliest action for every seat: to the end, or for some tricks.

    With a bot, one of ``rollouts.PLAYOUTS``, the network plays the trick under way and so many ``tricks`` more, the bot
    the rest. ``opponents`` play the seats that ``play_out`` is told of; ``chunk``: see ``Players``.
    """

    def __init__(
        self, rules: Rules, *, canonical: bool, device: torch.device, bf16: bool, bot: str = "", tricks: int = 0,
        opponents: Sequence[Policy] = (), chunk: int = 0,
    ) -> None:  # fmt: skip
        self.players = Players(rules, opponents, canonical=canonical, device=device, bf16=bf16, chunk=chunk)
        self.bot = PLAYOUTS.index(bot) if bot else -1
        self.tricks = tricks if bot else MAX_TRICKS
        self._table = rules.table()

    def play_out(
        self, actor: nn.Module, states: np.ndarray, actions: np.ndarray, valid: np.ndarray,
        seats: np.ndarray | None = None,
    ) -> np.ndarray:  # fmt: skip
        """Return what each action comes to, float32 (N, K); see ``play_out_by_bot``.

        seats: who plays on in each deal, int64 (N, S) as in ``players.seat_players``; None: the network everywhere.
        """
        table = self._table
        played, ends = np.empty(int(valid.sum()), states.dtype), np.empty(int(valid.sum()), np.int64)
        branch(states, table, actions, valid, self.tricks, played, ends)
        who = None if seats is None else np.repeat(seats, valid.sum(1), axis=0)
        live = np.arange(len(played))
        while True:
            rows = np.empty_like(live)
            live = rows[: _waiting(played, live, ends, rows)]
            if not len(live):
                break
            for first in range(0, len(live), ROWS):
                rows = live[first : first + ROWS]
                _play_on(played, rows, table, self.players.choose(actor, played, rows, who))
        if self.bot >= 0:
            _finish(played, table, self.bot)
        values = np.empty(actions.shape, np.float32)
        collect_worth(played, states, table, valid, values)
        return values
