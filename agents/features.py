"""What the networks read: observations, masks and central states of the seats to act, suits in canonical order.

With `canonical` the suits of each row are renamed by the acting seat's hand as dealt (longest first), so that the 24
relabellings of one position are one input; actions are mapped both ways here and nowhere else.
"""

import numba as nb
import numpy as np

from tressette_env.encoding import SCRATCH_WORDS, encode
from tressette_env.engine.batch import write_mask
from tressette_env.engine.kernels import NUM_WORDS, legal
from tressette_env.engine.symmetry import canonical_perm, permute_action, permute_record
from tressette_env.engine.view import redact


@nb.njit(cache=True, nogil=True)
def actor_features(states, rows, rules, canonical, obs, masks):
    """Write the acting seats' observations float32 (R, F) and masks int8 (R, A) of states[rows]."""
    words = np.empty(SCRATCH_WORDS, np.int64)
    legal_words = np.empty(NUM_WORDS, np.int64)
    scratch = states[:1].copy()
    perm = np.empty(4, np.int64)
    inverse = np.empty(4, np.int64)
    for j in range(rows.shape[0]):
        scratch[0] = states[rows[j]]
        seat = scratch[0]["to_act"]
        redact(scratch[0], rules[0], seat)
        if canonical:
            canonical_perm(scratch[0]["dealt"][seat], perm, inverse)
            permute_record(scratch[0], rules[0], perm)
        encode(scratch[0], rules[0], seat, False, words, obs[j])
        legal(scratch[0], rules[0], legal_words)
        write_mask(legal_words, rules[0], masks[j])


@nb.njit(cache=True, nogil=True)
def critic_features(states, rows, rules, canonical, full, augment, perms, out):
    """Write the critic's input float32 (R, F) of states[rows], in the frame of the seat to act.

    `full`: the central state, else the seat's own observation. `augment` int64 (R,): index into perms int64 (P, 4)
    of an extra relabelling for each row, or -1 for none.
    """
    words = np.empty(SCRATCH_WORDS, np.int64)
    scratch = states[:1].copy()
    perm = np.empty(4, np.int64)
    inverse = np.empty(4, np.int64)
    for j in range(rows.shape[0]):
        scratch[0] = states[rows[j]]
        seat = scratch[0]["to_act"]
        if not full:
            redact(scratch[0], rules[0], seat)
        if canonical:
            canonical_perm(scratch[0]["dealt"][seat], perm, inverse)
            permute_record(scratch[0], rules[0], perm)
        if augment[j] >= 0:
            permute_record(scratch[0], rules[0], perms[augment[j]])
        encode(scratch[0], rules[0], seat, full, words, out[j])


@nb.njit(cache=True, nogil=True)
def to_engine_actions(states, rows, rules, canonical, chosen, out):
    """Write the engine's ids of actions that were chosen in the networks' suit order, int64 (R,)."""
    perm = np.empty(4, np.int64)
    inverse = np.empty(4, np.int64)
    for j in range(rows.shape[0]):
        out[j] = chosen[j]
        if canonical:
            state = states[rows[j]]
            canonical_perm(state["dealt"][state["to_act"]], perm, inverse)
            out[j] = permute_action(chosen[j], rules[0], inverse)


@nb.njit(cache=True, nogil=True)
def to_engine_columns(states, rules, canonical, chosen, out):
    """Write numbers per action of the networks' suit order, float64 (R, A), to the places of the engine's ids."""
    perm = np.empty(4, np.int64)
    inverse = np.empty(4, np.int64)
    for j in range(chosen.shape[0]):
        if canonical:
            canonical_perm(states[j]["dealt"][states[j]["to_act"]], perm, inverse)
        for action in range(chosen.shape[1]):
            there = permute_action(action, rules[0], inverse) if canonical else action
            out[j, there] = chosen[j, action]


@nb.njit(cache=True, nogil=True)
def list_legal(masks, ids, places):
    """List the legal action ids of each row of masks int8 (R, A): ids int64 (R, K) rising, 0 past the end.

    ``places`` bool (R, K) is true where an id is listed. Returns the largest number in a row; when that is more than
    K, the caller makes wider arrays and calls again.
    """
    most = 0
    for i in range(masks.shape[0]):
        found = 0
        for action in range(masks.shape[1]):
            if masks[i, action]:
                if found < ids.shape[1]:
                    ids[i, found] = action
                    places[i, found] = True
                found += 1
        for k in range(found, ids.shape[1]):
            ids[i, k] = 0
            places[i, k] = False
        most = max(most, found)
    return most


def legal_ids(masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the legal action ids of each row, int64 (R, K), and where they are valid, bool (R, K); K as needed."""
    width = 8
    while True:
        ids, places = np.empty((len(masks), width), np.int64), np.empty((len(masks), width), np.bool_)
        most = list_legal(masks, ids, places)
        if most <= width:
            return ids[:, :most], places[:, :most]
        width = most
