"""Recorded choices in memory, packed: features that are 0 or 1 as bits, fractions as float16.

A decision of `tressette` takes 291 bytes, a tenth of what its floats do.
"""

import zlib
from typing import NamedTuple

import numpy as np
import torch
from rich.console import Console
from rich.progress import track
from torch import Tensor

from agents.decisions.parquet import DataError, Decisions
from agents.decisions.suits import canonical, same_suits
from agents.deep_cfr.memory import fractional_columns
from tressette_env.observation import layout
from tressette_env.rules import Rules


class Batch(NamedTuple):
    """Decisions as tensors: observations float32 (R, F), masks bool (R, A), actions int64 (R,)."""

    observations: Tensor
    masks: Tensor
    actions: Tensor


class Samples:
    """The decisions with a choice in a data set, suits in the networks' order. Raises ``DataError``.

    episodes: int64 (N,). What is left out: decisions with one legal action, of which nothing is learned.
    """

    def __init__(self, data: Decisions, *, canonical_suits: bool) -> None:
        self.rules = data.rules
        self._fractions = np.flatnonzero(fractional_columns(self.rules))
        size, self._actions = layout(self.rules).size, self.rules.blocks.num_actions
        self._size = size
        self.rows = np.empty(len(data), np.dtype([
            ("bits", "u1", (size + 7) // 8), ("fractions", "f2", len(self._fractions)),
            ("mask", "u1", (self._actions + 7) // 8), ("action", "i2"),
        ]))  # fmt: skip
        self.episodes = np.empty(len(data), np.int64)
        filled = 0
        groups, console = range(len(data.groups)), Console(stderr=True)
        for place in track(
            groups, "reading decisions", console=console, transient=True, disable=not console.is_terminal
        ):
            group = data.group(place, ("observation", "action_mask", "action", "episode"))
            rows = np.flatnonzero(group["action_mask"].sum(1) > 1)
            shown, masks, actions = (group[name][rows] for name in ("observation", "action_mask", "action"))
            _check(data, masks, actions)
            if canonical_suits:
                shown, masks, actions = canonical(shown, masks, actions, self.rules)
            own = slice(filled, filled + len(rows))
            self._pack(self.rows[own], shown, masks, actions)
            self.episodes[own] = group["episode"][rows]
            filled = own.stop
        self.rows, self.episodes = self.rows[:filled], self.episodes[:filled]
        if not filled:
            raise DataError(f"the decisions in {str(data.path)!r} have one legal action each: nothing to learn from")

    def __len__(self) -> int:
        return len(self.rows)

    def _pack(self, rows: np.ndarray, shown: np.ndarray, masks: np.ndarray, actions: np.ndarray) -> None:
        rows["bits"] = np.packbits(shown > 0.5, axis=1)
        rows["fractions"] = shown[:, self._fractions]
        rows["mask"] = np.packbits(masks > 0, axis=1)
        rows["action"] = actions

    def batch(self, places: np.ndarray) -> Batch:
        """Return some decisions, int64 (R,); fractions such as k / 10 are rounded to float16."""
        found = self.rows[places]
        shown = np.unpackbits(found["bits"], axis=1, count=self._size).astype(np.float32)
        shown[:, self._fractions] = found["fractions"]
        masks = np.unpackbits(found["mask"], axis=1, count=self._actions).view(np.bool_)
        return Batch(*(torch.from_numpy(a) for a in (shown, masks, found["action"].astype(np.int64))))

    @property
    def checksum(self) -> int:
        """CRC-32 of all rows and episodes: equal numbers, equal data, to all intents."""
        return zlib.crc32(memoryview(self.episodes), zlib.crc32(memoryview(self.rows.view(np.uint8))))


def _check(data: Decisions, masks: np.ndarray, actions: np.ndarray) -> None:
    """Raise ``DataError`` where a recorded action was not legal."""
    inside = (actions >= 0) & (actions < masks.shape[1])
    if not inside.all() or not (masks[np.arange(len(actions)), actions] == 1).all():
        raise DataError(f"an action in {str(data.path)!r} is not legal under its mask: export the data anew")


def split(episodes: np.ndarray, fraction: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the places of training and validation decisions, rising, int64: an episode is in one of both as a whole.

    At least one episode is in each. Raises ``DataError`` for a single episode.
    """
    distinct = np.unique(episodes)
    if len(distinct) < 2:
        raise DataError("the data hold one episode: two are needed, one to learn from and one to measure on")
    count = min(max(1, round(fraction * len(distinct))), len(distinct) - 1)
    chosen = np.random.default_rng([seed, 1]).permutation(distinct)[:count]
    measured = np.isin(episodes, chosen)
    return np.flatnonzero(~measured), np.flatnonzero(measured)


def check_data(data: Decisions, rules: Rules, *, canonical_suits: bool) -> None:
    """Raise ``DataError`` where data are not of some rules, or suits of their deck cannot be renamed."""
    if data.rules != rules:
        raise DataError(
            f"the data in {str(data.path)!r} are of the rules {data.rules.name!r}, not {rules.name!r}: "
            "set env.rules to theirs, or data to others"
        )
    if canonical_suits and not same_suits(rules):
        raise DataError(
            f"canonical_suits = True does not go with the deck of {rules.name!r}, whose suits differ: "
            "add --no-canonical-suits"
        )
