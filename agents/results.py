"""What a duplicate match leaves behind: margins with their intervals, and what each player did."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import stats

from agents.rooms import deal_means, num_rooms
from tressette_env.rules import Rules

CONFIDENCE = 0.95


@dataclass
class Usage:
    """What one player did over its games: decisions, seconds in its calls, cards played and led, signals by kind."""

    decisions: int = 0
    seconds: float = 0.0
    plays: int = 0
    leads: int = 0
    signals: dict[str, int] = field(default_factory=dict)

    def add(self, other: "Usage") -> None:
        """Add another player's counts to these."""
        self.decisions += other.decisions
        self.seconds += other.seconds
        self.plays += other.plays
        self.leads += other.leads
        for kind, times in other.signals.items():
            self.signals[kind] = self.signals.get(kind, 0) + times

    def to_dict(self) -> dict[str, Any]:
        """Return the counts and the rates per 100 cards led and per 100 cards played as plain data."""
        return {
            "decisions": self.decisions,
            "decisions_per_second": self.decisions / self.seconds if self.seconds else None,
            "plays": self.plays,
            "leads": self.leads,
            "signals_per_100_leads": {k: 100 * n / max(1, self.leads) for k, n in self.signals.items()},
            "signals_per_100_plays": {k: 100 * n / max(1, self.plays) for k, n in self.signals.items()},
        }


def interval(values: np.ndarray) -> tuple[float, float]:
    """Return the 95 % interval of a mean from independent values, float (N,), by Student's t.

    >>> interval(np.array([1.0, 1.0]))
    (1.0, 1.0)
    """
    mean = float(values.mean())
    if len(values) < 2:
        return float("-inf"), float("inf")
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, len(values) - 1) * values.std(ddof=1) / len(values) ** 0.5)
    return mean - half, mean + half


@dataclass
class PairResult:
    """Player a against player b over n duplicate deals; everything is counted for a, in points.

    margins float64 (N,): result of a deal as the rules pay it, mean of its rooms (0 if cut after too many redeals).
    trick_margins float64 (N,): card points and last trick alone, unrounded: much the same strength with less noise.
    Deals that cards alone do not settle (payoffs of auction games, a revoke) count as the rules pay them here too.
    room_margins float64 (N, R): the deal's result in each room: a alone at each place, then b alone; see ``rooms``.
    first: number of the first deal; the others follow it.
    """

    a: str
    b: str
    rules: Rules
    seed: int
    margins: np.ndarray
    trick_margins: np.ndarray
    room_margins: np.ndarray
    usage_a: Usage
    usage_b: Usage
    first: int = 0

    @property
    def n(self) -> int:
        """Number of duplicate deals."""
        return len(self.margins)

    @property
    def mean(self) -> float:
        """Mean margin in points per deal."""
        return float(self.margins.mean())

    @property
    def ci95(self) -> tuple[float, float]:
        """Paired 95 % interval of the mean margin: deals are the units, not games."""
        return interval(self.margins)

    @property
    def trick_mean(self) -> float:
        """Mean unrounded trick margin in points per deal."""
        return float(self.trick_margins.mean())

    @property
    def trick_ci95(self) -> tuple[float, float]:
        """Paired 95 % interval of the trick margin."""
        return interval(self.trick_margins)

    @property
    def win_rate(self) -> float:
        """Share of the games, over all rooms, with a margin above zero for a; level games count half."""
        return float(((self.room_margins > 0) + 0.5 * (self.room_margins == 0)).mean())

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data for JSON (an interval of one deal is null)."""
        return {
            "a": self.a,
            "b": self.b,
            "mean": self.mean,
            "ci95": _finite(self.ci95),
            "n": self.n,
            "trick_mean": self.trick_mean,
            "trick_ci95": _finite(self.trick_ci95),
            "win_rate": self.win_rate,
            "deal_seed": self.seed,
            "deals": [self.first, self.first + self.n],
        }


@dataclass(frozen=True)
class Block:
    """What some deals in a row came to, counted for player a, and what a and b did in them.

    room_margins float64 (N, R) and trick_margins float64 (N,): see ``PairResult``. seconds: how long it took.
    """

    first: int
    room_margins: np.ndarray
    trick_margins: np.ndarray
    usage: tuple[Usage, Usage]
    seconds: float = 0.0


class Tally:
    """Adds up a match, block by block in the order of its deals."""

    def __init__(self, a: str, b: str, rules: Rules, seed: int, deals: range) -> None:
        self._about = (a, b, rules, seed)
        self._first = deals.start
        self._rooms = np.empty((len(deals), num_rooms(rules)))
        self._tricks = np.empty(len(deals))
        self._usage = (Usage(), Usage())
        self._done = 0

    def add(self, block: Block) -> None:
        """Add the deals that come next."""
        end = self._done + len(block.room_margins)
        self._rooms[self._done : end] = block.room_margins
        self._tricks[self._done : end] = block.trick_margins
        for own, more in zip(self._usage, block.usage, strict=True):
            own.add(more)
        self._done = end

    def result(self) -> PairResult:
        """Return the result of the deals so far."""
        rooms, tricks = self._rooms[: self._done].copy(), self._tricks[: self._done].copy()
        return PairResult(*self._about, deal_means(rooms), tricks, rooms, *self._usage, first=self._first)


def _finite(bounds: tuple[float, float]) -> list[float] | None:
    return list(bounds) if np.isfinite(bounds).all() else None
