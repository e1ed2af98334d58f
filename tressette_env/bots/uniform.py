"""The `random` bot: a uniformly random legal action."""

# mypy: allow-untyped-defs, allow-incomplete-defs

import numba as nb
import numpy as np

from tressette_env.engine.batch import count_legal, nth_legal
from tressette_env.engine.kernels import LEGAL_DECLARATIONS, NUM_WORDS, legal
from tressette_env.engine.randomness import draw


@nb.njit(cache=True)
def random_action(view, rules, words, key, signals):
    """Return a uniformly random legal action of the seat to act (silent plays only unless `signals`)."""
    legal(view, rules, words)
    if not signals:
        for k in range(1, LEGAL_DECLARATIONS):
            words[k] = 0
    return nth_legal(words, rules, draw(key, 0, count_legal(words)))


@nb.njit(cache=True)
def random_rows(views, table, keys, signals, out):
    """Write a random legal action for every row, int64 (B,)."""
    words = np.empty(NUM_WORDS, np.int64)
    for i in range(views.shape[0]):
        out[i] = random_action(views[i], table[0], words, keys[i], signals)
