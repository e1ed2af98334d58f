"""Which deals are played next, and in blocks of what size: short enough to watch, long enough to be fast."""

from collections import deque
from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol, TypeVar

FIRST_BLOCK = 4  # deals before the speed of a pair is known


class Task(NamedTuple):
    """The deals first..end-1 of a pair, by the pair's number."""

    pair: int
    first: int
    end: int


class Timed(Protocol):
    """What a task comes to; ``seconds`` is how long it took."""

    @property
    def seconds(self) -> float:
        """Return the seconds."""


T = TypeVar("T", bound=Timed)


class Pace:
    """The sizes of blocks: always ``most`` deals, or with ``pace_s`` what takes a pair about so many seconds.

    Then the first blocks of a pair have ``FIRST_BLOCK`` deals, and none has more than ``most``.
    """

    def __init__(self, most: int, pace_s: float | None = None) -> None:
        self.most = most
        self.pace_s = pace_s
        self._size: dict[int, int] = {}

    def size(self, pair: int) -> int:
        """Return how many deals the next block of a pair has."""
        if self.pace_s is None:
            return self.most
        return self._size.get(pair, min(self.most, FIRST_BLOCK))

    def note(self, task: Task, seconds: float) -> None:
        """Take note of how long a task took."""
        if self.pace_s is not None:
            deals = task.end - task.first
            self._size[task.pair] = max(1, min(self.most, int(deals * self.pace_s / max(seconds, 1e-9))))


def in_order(
    pairs: int, deals: range, pace: Pace, start: Callable[[Task], Callable[[], T]], ahead: int = 1
) -> Iterator[tuple[Task, T]]:
    """Yield every task and what it came to: the deals of pair 0 from the first to the last, then of pair 1, and so on.

    ``start`` sets a task going and returns what waits for it; ``ahead`` tasks are under way at a time.
    """
    waiting: deque[tuple[Task, Callable[[], T]]] = deque()
    tasks = _tasks(pairs, deals, pace)
    while True:
        while len(waiting) < ahead and (task := next(tasks, None)) is not None:
            waiting.append((task, start(task)))
        if not waiting:
            return
        task, wait = waiting.popleft()
        found = wait()
        pace.note(task, found.seconds)
        yield task, found


def _tasks(pairs: int, deals: range, pace: Pace) -> Iterator[Task]:
    for pair in range(pairs):
        first = deals.start
        while first < deals.stop:
            end = min(first + pace.size(pair), deals.stop)
            yield Task(pair, first, end)
            first = end
