"""A table of probabilities per information set as a player, saved and loaded like any checkpoint."""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numba as nb
import numpy as np
import torch

from agents.cfr.keys import view_key
from agents.cfr.store import FREE, Store, slot_of
from agents.cfr.tree import GameTree
from agents.checkpoint import TABLE_FORMAT, CheckpointError, content_hash, load_tensors, rules_hint, save_tensors
from agents.policies import game_of
from tressette_env.engine.batch import count_legal, nth_legal
from tressette_env.engine.kernels import NUM_WORDS, legal
from tressette_env.engine.randomness import mix, unit
from tressette_env.rules import Rules


@nb.njit(cache=True, nogil=True)
def _fill(views, table, slots, first, strategy, out):
    """Write every row's probabilities of its legal actions, float64 (B, A); return the rows that the table lacks."""
    rules = table[0]
    words = np.empty(NUM_WORDS, np.int64)
    missed = 0
    for row in range(views.shape[0]):
        legal(views[row], rules, words)
        found = count_legal(words)
        at = np.int64(-1)
        if found > 1:
            slot = slot_of(slots, view_key(views[row], rules, np.int64(views[row]["to_act"])))
            if slots[slot] != FREE:
                at = first[slot]
            else:
                missed += 1
        for k in range(found):
            out[row, nth_legal(words, rules, k)] = strategy[at + k] if at >= 0 else 1.0 / found
    return missed


@nb.njit(cache=True, nogil=True)
def _draw(probabilities, keys, out):
    """Write an action drawn from every row, int64 (B,)."""
    for row in range(out.shape[0]):
        left = unit(mix(np.uint64(keys[row])))
        for action in range(probabilities.shape[1]):
            if probabilities[row, action] > 0.0:
                out[row] = action
                left -= probabilities[row, action]
                if left < 0.0:
                    break


class TablePolicy:
    """Plays a table's probabilities: mixed, since a fixed choice could be read. Uniform where the table has nothing.

    keys: uint64 (I,); first: int64 (I,), where the probabilities of a set begin in `strategy`, float64 (K,), in the
    order of the legal action ids. ``missed`` counts the decisions that were not in the table.
    """

    def __init__(
        self, rules: Rules, keys: np.ndarray, first: np.ndarray, strategy: np.ndarray, name: str = "table"
    ) -> None:
        self.rules = rules
        self.name = name
        self.hash = ""
        self.missed = 0
        self.keys, self.first, self.strategy = keys, first, strategy
        slots = 2
        while slots < 2 * len(keys):
            slots *= 2
        self._slots, self._first = np.zeros(slots, np.uint64), np.zeros(slots, np.int64)
        _enter(keys, first, self._slots, self._first)

    def probabilities(self, views: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Return the probability of every action id for views, STATE_DTYPE (B,): float64 (B, A)."""
        out = np.zeros((len(views), self.rules.blocks.num_actions))
        self.missed += _fill(views, table, self._slots, self._first, self.strategy, out)
        return out

    def actions(self, views: np.ndarray, table: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """Return one legal action id per view, int64 (B,), drawn by the players' keys, uint64 (B,)."""
        out = np.empty(len(views), np.int64)
        _draw(self.probabilities(views, table), np.asarray(keys, np.uint64), out)
        return out

    def act(self, view: np.ndarray, table: np.ndarray, key: int) -> int:
        """Return the action id for one view, STATE_DTYPE (1,)."""
        return int(self.actions(view, table, np.array([key], np.uint64))[0])


@nb.njit(cache=True)
def _enter(keys, first, slots, out):
    for i in range(keys.shape[0]):
        slot = slot_of(slots, keys[i])
        slots[slot] = keys[i]
        out[slot] = first[i]


def policy_of_tree(tree: GameTree, strategy: np.ndarray, rules: Rules, name: str = "table") -> TablePolicy:
    """Return a strategy on the tree of some rules as a player."""
    sizes = np.diff(tree.start)
    chosen = np.flatnonzero(sizes > 1)
    places = np.concatenate([np.arange(tree.start[i], tree.start[i + 1]) for i in chosen] or [np.empty(0, np.int64)])
    first = np.cumsum(sizes[chosen]) - sizes[chosen]
    return TablePolicy(rules, tree.labels[chosen].astype(np.uint64), first, strategy[places.astype(np.int64)], name)


def policy_of_store(store: Store, rules: Rules, name: str = "table") -> TablePolicy:
    """Return the average strategy of a store as a player."""
    keys, first, sizes = store.listed()
    strategy = store.average[: first.max() + sizes[first.argmax()] if len(first) else 0].copy()
    for at, size in zip(first, sizes, strict=True):
        total = strategy[at : at + size].sum()
        strategy[at : at + size] = strategy[at : at + size] / total if total > 0 else 1.0 / size
    return TablePolicy(rules, keys, first, strategy, name)


def save_table(path: Path, policy: TablePolicy, meta: Mapping[str, Any]) -> None:
    """Save a table, atomically; ``meta`` holds rules, method, iterations, commit."""
    tensors = {
        "keys": torch.from_numpy(policy.keys.view(np.int64).copy()),
        "first": torch.from_numpy(policy.first.astype(np.int64)),
        "strategy": torch.from_numpy(policy.strategy.astype(np.float64)),
    }
    save_tensors(path, tensors, TABLE_FORMAT, meta)


def load_table(file: Path, rules: Rules, name: str) -> TablePolicy:
    """Return the player of a table that ``save_table`` wrote. Raises ``CheckpointError`` where it does not fit."""
    tensors, meta = load_tensors(file, TABLE_FORMAT)
    missing = [key for key in ("keys", "first", "strategy") if key not in tensors]
    if missing or "rules" not in meta:
        raise CheckpointError(f"the table {str(file)!r} lacks {(missing or ['rules'])[0]!r}: use an earlier one")
    trained = Rules.from_dict(meta["rules"])
    if game_of(trained) != game_of(rules):
        raise CheckpointError(
            f"the table {str(file)!r} was made for the rules {trained.name!r} and says nothing about {rules.name!r}: "
            f"evaluate it with {rules_hint(trained)}"
        )
    keys, first, strategy = (tensors[key].numpy() for key in ("keys", "first", "strategy"))
    if len(keys) != len(first) or (len(first) and not 0 <= first.min() <= first.max() < len(strategy)):
        raise CheckpointError(f"the table {str(file)!r} does not fit its own index: use an earlier one")
    policy = TablePolicy(rules, keys.view(np.uint64), first, strategy, name)
    policy.hash = content_hash(tensors, meta)
    return policy
