"""A torch data set over Parquet files of decisions that need not fit into memory."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import IterableDataset, get_worker_info

from agents.decisions.parquet import DataError, Decisions, check_columns

COLUMNS = ("observation", "action_mask", "action", "return")


class DecisionStream(IterableDataset[dict[str, Tensor]]):
    """Yields minibatches as tensors by column, each row once a pass; holds one row group of each worker in memory.

    path: a file or a folder of parts. seed: row groups, and rows in them, are shuffled, anew in each pass and the same
    for the same seed and ``epoch``; None keeps the order. A row group's last minibatch may be smaller. For a
    ``DataLoader`` with ``batch_size=None``; its workers share out the row groups. Raises ``DataError``.
    """

    def __init__(
        self, path: str | Path, batch_size: int, seed: int | None = None, columns: Sequence[str] = COLUMNS
    ) -> None:
        super().__init__()
        if batch_size < 1:
            raise DataError(f"batch_size = {batch_size} must be at least 1")
        check_columns(columns)
        if "player" in columns:
            raise DataError("the column 'player' is text, which no tensor holds: leave it out of columns")
        self.decisions = Decisions(path)
        self.batch_size, self.seed, self.columns = batch_size, seed, tuple(columns)
        self.epoch = 0
        """Passes made so far; set it to go on from there."""

    def __iter__(self) -> Iterator[dict[str, Tensor]]:
        places = np.arange(len(self.decisions.groups))
        if self.seed is not None:
            places = np.random.default_rng([self.seed, self.epoch]).permutation(places)
        worker = get_worker_info()
        mine = places[worker.id :: worker.num_workers] if worker is not None else places
        for place in mine.tolist():
            group = self.decisions.group(place, self.columns)
            order = np.arange(len(group[self.columns[0]]))
            if self.seed is not None:
                order = np.random.default_rng([self.seed, self.epoch, place]).permutation(order)
            for start in range(0, len(order), self.batch_size):
                rows = order[start : start + self.batch_size]
                yield {name: torch.from_numpy(group[name][rows]) for name in self.columns}
        self.epoch += 1
