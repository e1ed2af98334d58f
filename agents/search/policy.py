"""A policy made of a compiled loop over rows that searches: options as numbers, counts of what went wrong."""

from collections.abc import Callable
from typing import Any

import numpy as np

ROWS_A_CALL = 32  # most rows between two chances for Ctrl-C
WORLDS_A_CALL = 20_000  # and about so many worlds


class SearchPolicy:
    """A policy whose batch call is ``kernel(views, table, keys, options, counts, out)``, a few rows at a time.

    options: int64 (K,), the worlds of a decision, then what the kernel makes of them. counts: int64 (2,), added to by
    the kernel: worlds that the sampler did not find, and decisions left to the ``heuristic`` bot because it found none.
    """

    def __init__(self, name: str, kernel: Callable[..., Any], options: tuple[int, ...]) -> None:
        self.name = name
        self.counts = np.zeros(2, np.int64)
        self._kernel = kernel
        self._options = np.array(options, np.int64)

    def __repr__(self) -> str:
        """Return the text that ``registry.make_search`` would read."""
        return f"make_search({self.name!r})"

    @property
    def options(self) -> np.ndarray:
        """The options as numbers, int64 (K,), as the kernels read them."""
        return self._options

    @property
    def worlds_missed(self) -> int:
        """Worlds that the sampler did not find within its limit, so far."""
        return int(self.counts[0])

    @property
    def fallbacks(self) -> int:
        """Decisions left to the ``heuristic`` bot because no world was found, so far."""
        return int(self.counts[1])

    def actions(self, views: np.ndarray, table: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """Return one legal action id per row, int64 (B,); see ``bots.Policy.actions``."""
        keys = np.asarray(keys, np.uint64)
        out = np.empty(len(views), np.int64)
        step = max(1, min(ROWS_A_CALL, WORLDS_A_CALL // int(self._options[0])))
        for at in range(0, len(views), step):
            rows = slice(at, at + step)
            self._kernel(views[rows], table, keys[rows], self._options, self.counts, out[rows])
        return out

    def act(self, view: np.ndarray, table: np.ndarray, key: int) -> int:
        """Return the action id for one view, STATE_DTYPE (1,)."""
        return int(self.actions(view, table, np.array([key], np.uint64))[0])
