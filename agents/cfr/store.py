"""Numbers per information set of a game too large for a tree: an open-addressing table by 64-bit key."""

# mypy: allow-untyped-defs, allow-incomplete-defs

import numba as nb
import numpy as np

from agents.cfr.tree import GameTree
from tressette_env.engine.randomness import mix

USED, FILLED, LACKING = range(3)  # places of the counters: sets, places of the pools, and whether room was lacking
FREE = np.uint64(0)
_FIRST_SLOTS = 1 << 17
_ROOM = 1 << 15  # sets and places that one traversal may add


@nb.njit(cache=True, nogil=True)
def slot_of(keys, key):
    """Return where a key stands, or the free slot where it would stand; `keys`: uint64, a power of two of them."""
    last = np.uint64(keys.shape[0] - 1)
    slot = mix(key) & last
    while keys[slot] != key and keys[slot] != FREE:
        slot = (slot + np.uint64(1)) & last
    return np.int64(slot)


@nb.njit(cache=True, nogil=True)
def find_or_add(keys, first, counters, room, key, size):
    """Return the first place in the pools of an information set with `size` actions; -1 where there is no room."""
    slot = slot_of(keys, key)
    if keys[slot] == FREE:
        if 4 * counters[USED] > 3 * keys.shape[0] or counters[FILLED] + size > room:
            counters[LACKING] = 1
            return np.int64(-1)
        keys[slot] = key
        first[slot] = counters[FILLED]
        counters[USED] += 1
        counters[FILLED] += size
    return first[slot]


@nb.njit(cache=True)
def _rehash(old_keys, old_first, keys, first):
    for i in range(old_keys.shape[0]):
        if old_keys[i] != FREE:
            slot = slot_of(keys, old_keys[i])
            keys[slot] = old_keys[i]
            first[slot] = old_first[i]


@nb.njit(cache=True)
def _places(keys, first, wanted, out):
    for i in range(wanted.shape[0]):
        slot = slot_of(keys, wanted[i])
        out[i] = first[slot] if keys[slot] != FREE else -1


class Store:
    """Regrets and average strategy, float64, of the information sets met so far; each set's places lie side by side."""

    def __init__(self) -> None:
        self.keys = np.zeros(_FIRST_SLOTS, np.uint64)
        self.first = np.zeros(_FIRST_SLOTS, np.int64)
        self.counters = np.zeros(3, np.int64)
        self.regrets = np.zeros(_FIRST_SLOTS)
        self.average = np.zeros(_FIRST_SLOTS)

    @property
    def num_sets(self) -> int:
        """Information sets met, those with one legal action aside."""
        return int(self.counters[USED])

    def make_room(self) -> None:
        """Grow until another traversal's sets fit."""
        while self.counters[FILLED] + 4 * _ROOM > len(self.regrets):
            self.regrets = np.concatenate([self.regrets, np.zeros_like(self.regrets)])
            self.average = np.concatenate([self.average, np.zeros_like(self.average)])
        if 2 * (self.counters[USED] + _ROOM) > len(self.keys):
            keys, first = np.zeros(2 * len(self.keys), np.uint64), np.zeros(2 * len(self.keys), np.int64)
            _rehash(self.keys, self.first, keys, first)
            self.keys, self.first = keys, first

    def arrays(self) -> tuple[np.ndarray, ...]:
        """Return what kernels take: keys, first places, counters, regrets, average."""
        return self.keys, self.first, self.counters, self.regrets, self.average

    def places(self, keys: np.ndarray) -> np.ndarray:
        """Return the first place of each key, int64, -1 for one that was never met."""
        out = np.empty(len(keys), np.int64)
        _places(self.keys, self.first, keys.astype(np.uint64), out)
        return out

    def listed(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the keys met, rising, with the first place and the number of places of each."""
        here = np.flatnonzero(self.keys)
        keys, first = self.keys[here], self.first[here]
        by_place = np.argsort(first)
        sizes = np.empty(len(first), np.int64)
        sizes[by_place] = np.diff(np.append(first[by_place], self.counters[FILLED]))
        order = np.argsort(keys)
        return keys[order], first[order], sizes[order]

    def on_tree(self, tree: GameTree) -> np.ndarray:
        """Return the average strategy on a tree of the same rules, float64 (K,): uniform where none was met."""
        out = tree.uniform()
        sizes = np.diff(tree.start)
        firsts = self.places(tree.labels)
        for i in np.flatnonzero((firsts >= 0) & (sizes > 1)):
            weights = self.average[firsts[i] : firsts[i] + sizes[i]]
            if weights.sum() > 0:
                out[tree.start[i] : tree.start[i + 1]] = weights / weights.sum()
        return out

    def state(self) -> dict[str, np.ndarray]:
        """Return all of it as arrays by name, without the empty slots."""
        keys, first, _ = self.listed()
        filled = int(self.counters[FILLED])
        return {
            "keys": keys.view(np.int64),
            "first": first,
            "regrets": self.regrets[:filled].copy(),
            "average": self.average[:filled].copy(),
        }

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Take up what ``state`` returned."""
        keys, filled = state["keys"].view(np.uint64), len(state["regrets"])
        slots = _FIRST_SLOTS
        while slots < 2 * (len(keys) + _ROOM):
            slots *= 2
        self.keys, self.first = np.zeros(slots, np.uint64), np.zeros(slots, np.int64)
        _rehash(keys, state["first"].copy(), self.keys, self.first)
        self.counters[:] = (len(keys), filled, 0)
        self.regrets, self.average = state["regrets"].copy(), state["average"].copy()
        size = max(_FIRST_SLOTS, 1 << int(filled - 1).bit_length() if filled else 0)
        self.regrets.resize(size, refcheck=False)
        self.average.resize(size, refcheck=False)
