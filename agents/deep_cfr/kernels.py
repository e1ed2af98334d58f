"""Loops over the scalar kernels that sampled walks need: on to the next choice, one action, all actions, payoffs.

Shape letters: B games, R rows of them, A actions, F features, C children.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

import numba as nb
import numpy as np

from tressette_env.encoding import SCRATCH_WORDS, encode
from tressette_env.engine.batch import count_legal, nth_legal
from tressette_env.engine.kernels import NUM_WORDS, apply, deal_payoff, legal
from tressette_env.engine.state import OVER
from tressette_env.engine.symmetry import canonical_perm, permute_action, permute_record


@nb.njit(cache=True, nogil=True)
def to_choices(states, table, choosing):
    """Play forced moves in place; write the rows that have come to a choice to `choosing`, int64 (B,).

    Returns (rows at a choice, forced moves played); rows that are over stay as they are.
    """
    words = np.empty(NUM_WORDS, np.int64)
    found = 0
    forced = 0
    for i in range(states.shape[0]):
        state = states[i]
        while state["phase"] != OVER:
            legal(state, table[0], words)
            if count_legal(words) > 1:
                choosing[found] = i
                found += 1
                break
            apply(state, table[0], nth_legal(words, table[0], 0))
            forced += 1
    return found, forced


@nb.njit(cache=True, nogil=True)
def play_rows(states, table, rows, actions):
    """Apply actions[j], int64 (R,), to states[rows[j]] in place."""
    for j in range(rows.shape[0]):
        apply(states[rows[j]], table[0], actions[j])


@nb.njit(cache=True, nogil=True)
def draw_rows(probabilities, chances, out):
    """Write an action for every row of probabilities float32 (R, A), by chances float64 (R,) in [0, 1), to out (R,)."""
    for j in range(probabilities.shape[0]):
        total = 0.0
        for action in range(probabilities.shape[1]):
            total += probabilities[j, action]
        left = chances[j] * total
        for action in range(probabilities.shape[1]):
            if probabilities[j, action] > 0.0:
                out[j] = action
                left -= probabilities[j, action]
                if left < 0.0:
                    break


@nb.njit(cache=True, nogil=True)
def branch(states, table, rows, tried, parents, actions, after):
    """Write what follows every action that is tried, float32 (R, A) above 0, in states[rows[j]].

    parents int64 (C,): j; actions int64 (C,); after STATE_DTYPE (C,). C is how many entries of `tried` are above 0.
    """
    child = 0
    for j in range(rows.shape[0]):
        for action in range(tried.shape[1]):
            if tried[j, action] > 0.0:
                parents[child] = j
                actions[child] = action
                after[child] = states[rows[j]]
                apply(after[child], table[0], action)
                child += 1


@nb.njit(cache=True, nogil=True)
def payoffs(states, table, seats, out):
    """Write what the deals that are over paid seats[i], points float64 (B,); 0 where a deal goes on."""
    for i in range(states.shape[0]):
        out[i] = deal_payoff(states[i], table[0], seats[i]) if states[i]["phase"] == OVER else 0.0


@nb.njit(cache=True, nogil=True)
def rename(states, rows, table, canonical, to_engine, masks, values, out):
    """Write values float32 (R, A) of actions in the networks' suit order in the engine's, or the other way, to `out`.

    masks float32 (R, A), in the networks' order: what is not legal gets 0.
    """
    perm = np.empty(4, np.int64)
    inverse = np.empty(4, np.int64)
    for j in range(rows.shape[0]):
        if canonical:
            state = states[rows[j]]
            canonical_perm(state["dealt"][state["to_act"]], perm, inverse)
        for action in range(masks.shape[1]):
            out[j, action] = 0.0
        for action in range(masks.shape[1]):
            if masks[j, action] > 0.0:
                place = permute_action(action, table[0], inverse) if canonical else np.int64(action)
                if to_engine:
                    out[j, place] = values[j, action]
                else:
                    out[j, action] = values[j, place]


@nb.njit(cache=True, nogil=True)
def central_features(states, table, seats, canonical, out):
    """Write the full states (all hands) in the frame of seats[i], who need not be to act, float32 (B, F)."""
    words = np.empty(SCRATCH_WORDS, np.int64)
    scratch = states[:1].copy()
    perm = np.empty(4, np.int64)
    inverse = np.empty(4, np.int64)
    for i in range(states.shape[0]):
        scratch[0] = states[i]
        seat = seats[i]
        if canonical:
            canonical_perm(scratch[0]["dealt"][seat], perm, inverse)
            permute_record(scratch[0], table[0], perm)
        encode(scratch[0], table[0], seat, True, words, out[i])
