"""Interleaved timing: every round runs each case once, so that a slow minute of the machine slows all of them alike."""

import gc
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Case = Callable[[], tuple[int, float]]  # runs one chunk; returns (units of work, seconds they took)
clock = time.process_time  # CPU seconds: the machine is shared


@dataclass(frozen=True)
class Speeds:
    """Rates in units per second: one per case and round."""

    rates: dict[str, list[float]]

    def median(self, name: str) -> float:
        """Return the median rate of a case."""
        return statistics.median(self.rates[name])

    def ratio(self, name: str, peer: str) -> tuple[float, float, float]:
        """Return the median, lowest and highest ratio of two cases, each taken within one round."""
        ratios = [a / b for a, b in zip(self.rates[name], self.rates[peer], strict=True)]
        return statistics.median(ratios), min(ratios), max(ratios)


def interleave(cases: Mapping[str, Case], rounds: int, what: str) -> Speeds:
    """Run every case once to warm it up, then ``rounds`` times in turn; return the rates."""
    rates: dict[str, list[float]] = {name: [] for name in cases}
    for case in cases.values():
        case()
    for done in range(rounds):
        print(f"{what}: round {done + 1} of {rounds}", file=sys.stderr)
        for name, case in cases.items():
            gc.collect()
            units, seconds = case()
            rates[name].append(units / seconds)
    return Speeds(rates)


def timed(work: Callable[[], int]) -> Case:
    """Return a case that times the whole of ``work``, which returns its units."""

    def case() -> tuple[int, float]:
        start = clock()
        units = work()
        return units, clock() - start

    return case


def rate_text(row: Mapping[str, Any]) -> str:
    """Return a row's rate with its unit."""
    forms = {
        "seconds": "{rate:.2f} s",
        "ms": "{rate:.2f} ms, p95 {p95:.2f} ms, {nodes:,.0f} nodes",
        "share": "{rate:.1%}",
    }
    return forms.get(row["unit"], "{rate:,.0f} {unit}/s").format(**row)
