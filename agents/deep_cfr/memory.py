"""Memories: rows of a fixed size that a reservoir keeps as a uniform sample of all that ever came (Vitter 1985).

A row holds the 0-or-1 features as bits, the fractional ones as float16, and a float16 vector of what is learned with
its mask as bits. In `due` that is 360 bytes a row (589 features, 40 actions), a seventh of the same in float32.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from tressette_env.cards import NUM_CARDS
from tressette_env.errors import TressetteError
from tressette_env.observation import layout
from tressette_env.rules import Rules

FRACTIONAL_PLANES = ("trick", "place", "discarded")


class MemoryMismatchError(TressetteError):
    """Saved rows that do not fit a memory."""


class Samples(NamedTuple):
    """What walks bring home. features float32 (N, F); masks bool (N, W); targets float32 (N, W)."""

    features: np.ndarray
    masks: np.ndarray
    targets: np.ndarray


def joined(parts: list[Samples], size: int, width: int) -> Samples:
    """Return parts one below the other; without any, no rows of `size` features and `width` targets."""
    none = Samples(np.empty((0, size), np.float32), np.empty((0, width), np.bool_), np.empty((0, width), np.float32))
    columns = zip(*(parts or [none]), strict=True)
    return Samples(*(np.concatenate(column) for column in columns))


@lru_cache(maxsize=16)
def fractional_columns(rules: Rules) -> np.ndarray:
    """Return which features are not just 0 or 1, bool (F,): fractional planes, scalars and the padding behind them."""
    shown = layout(rules)
    out = np.zeros(shown.size, np.bool_)
    planes = np.isin(shown.planes, FRACTIONAL_PLANES)
    out[: NUM_CARDS * shown.num_planes] = np.tile(planes, NUM_CARDS)  # card by card
    out[NUM_CARDS * shown.num_planes + sum(width for _, width in shown.bits) :] = True
    return out


@dataclass
class Batch:
    """Rows as tensors. features float32 (R, F), masks bool (R, W), targets float32 (R, W), weights float32 (R,)."""

    features: Tensor
    masks: Tensor
    targets: Tensor
    weights: Tensor


class Reservoir:
    """Keeps a uniform sample of all rows that were added, with the iteration that each came from.

    `recent` keeps the last rows instead, in a ring.
    """

    def __init__(self, rules: Rules, width: int, capacity: int, *, recent: bool = False) -> None:
        fractions = fractional_columns(rules)
        self.capacity = capacity
        self.width = width
        self.recent = recent
        self.seen = 0
        self._bits, self._fractions = np.flatnonzero(~fractions), np.flatnonzero(fractions)
        self._size = len(fractions)
        self.rows = np.empty(0, np.dtype([
            ("bits", "u1", (len(self._bits) + 7) // 8), ("fractions", "f2", len(self._fractions)),
            ("mask", "u1", (width + 7) // 8), ("targets", "f2", width), ("iteration", "i4"),
        ]))  # fmt: skip

    def __len__(self) -> int:
        return min(self.seen, self.capacity)

    def add(self, samples: Samples, iteration: int, rng: np.random.Generator) -> None:
        """Take in rows of an iteration (from 1); beyond the capacity the n-th row stays with chance capacity / n."""
        count = len(samples.features)
        order = self.seen + np.arange(count)
        places = order % self.capacity if self.recent else np.floor(rng.random(count) * (order + 1)).astype(np.int64)
        places = np.where(order < self.capacity, order, places)
        kept = places < self.capacity
        self.seen += count
        if len(self) > len(self.rows):  # grows by doubling, up to the capacity
            self.rows = np.resize(self.rows, min(self.capacity, max(len(self), 2 * len(self.rows))))
        new = np.empty(int(kept.sum()), self.rows.dtype)
        new["bits"] = np.packbits(samples.features[kept][:, self._bits] > 0.5, axis=1)
        new["fractions"] = samples.features[kept][:, self._fractions]
        new["mask"] = np.packbits(samples.masks[kept], axis=1)
        new["targets"] = samples.targets[kept]
        new["iteration"] = iteration
        self.rows[places[kept]] = new  # a place that comes twice: the later row stays

    def batch(self, rows: np.ndarray) -> Batch:
        """Return some rows, int64 (R,), as tensors; weights are iterations over their mean in the memory."""
        found = self.rows[rows]
        features = np.empty((len(rows), self._size), np.float32)
        features[:, self._bits] = np.unpackbits(found["bits"], axis=1, count=len(self._bits))
        features[:, self._fractions] = found["fractions"]
        masks = np.unpackbits(found["mask"], axis=1, count=self.width).astype(np.bool_)
        weights = found["iteration"].astype(np.float32) / self.mean_iteration()
        return Batch(*(torch.from_numpy(a) for a in (features, masks, found["targets"].astype(np.float32), weights)))

    def mean_iteration(self) -> np.float32:
        """Return the mean iteration that the rows came from."""
        return np.float32(self.rows["iteration"][: len(self)].mean())

    def spread(self) -> float:
        """Return the root mean square of the targets where the mask allows them, at least 1e-6."""
        part = self.rows[: min(len(self), 50_000)]
        masks = np.unpackbits(part["mask"], axis=1, count=self.width).astype(np.bool_)
        return max(float(np.sqrt(np.square(part["targets"][masks].astype(np.float64)).mean())), 1e-6)

    # ---- saving ----
    def state(self) -> Tensor:
        """Return the rows as bytes, uint8 (rows, bytes a row): to save, with ``seen``, and for ``restore``."""
        used = np.ascontiguousarray(self.rows[: len(self)])
        return torch.from_numpy(used.view(np.uint8).reshape(len(self), self.rows.dtype.itemsize))

    def restore(self, data: Tensor, seen: int) -> None:
        """Take up what ``state`` returned. Raises ``MemoryMismatchError`` where it is of another size."""
        if data.ndim != 2 or data.shape != (min(seen, self.capacity), self.rows.dtype.itemsize):
            raise MemoryMismatchError(
                f"a memory of {tuple(data.shape)} bytes for {seen} rows is not one of at most {self.capacity} rows of "
                f"{self.rows.dtype.itemsize} bytes"
            )
        self.rows = data.numpy().copy().view(self.rows.dtype).reshape(-1)
        self.seen = seen
