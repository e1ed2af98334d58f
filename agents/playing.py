"""One block of a round robin, played: its margins, what its cards lost, its records. The same in every process."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from time import perf_counter

from agents.arena import Log, play_block, warm_up
from agents.game_log import Lines, lines_of
from agents.regret import Judge, Losses
from agents.results import Block
from agents.rooms import seating
from agents.schedule import Task
from tressette_env.bots.base import Policy
from tressette_env.rules import Rules


@dataclass(frozen=True)
class Played:
    """What a task came to. ``seconds``: it took, judging and recording inside."""

    block: Block
    losses: Losses | None
    lines: Lines | None
    seconds: float


class Table:
    """Players at hand, every pair of them by number as ``itertools.combinations`` counts: plays any deals of a pair.

    What a task comes to depends on nothing played before it. ``judge`` and ``record``: what is to be kept of the games
    besides their results.
    """

    def __init__(
        self,
        entries: Sequence[Policy],
        names: Sequence[str],
        rules: Rules,
        seed: int,
        *,
        judge: Judge | None = None,
        record: bool = False,
    ) -> None:
        self._entries, self._names = list(entries), list(names)
        self._pairs = list(combinations(range(len(entries)), 2))
        self._rules, self._seed = rules, seed
        self._judge, self._record = judge, record
        self._warm: set[int] = set()

    def play(self, task: Task) -> Played:
        """Return what the deals of a task come to."""
        pair = self._pairs[task.pair]
        seats = seating(self._rules, task.first, task.end)
        log: Log | None = [] if self._record else None
        with one_thread():
            self._warm_up(pair)
            start = perf_counter()
            players = (self._entries[pair[0]], self._entries[pair[1]])
            block, states = play_block(players, self._rules, seats, self._seed, log=log)
        losses = self._judge.losses(seats, states) if self._judge else None
        names = (self._names[pair[0]], self._names[pair[1]])
        lines = lines_of(self._rules, names, seats, self._seed, log) if log is not None else None
        return Played(block, losses, lines, perf_counter() - start)

    def _warm_up(self, pair: tuple[int, int]) -> None:
        cold = [player for player in pair if player not in self._warm]
        warm_up([self._entries[player] for player in cold], self._rules, self._seed)
        self._warm.update(cold)


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch compute on one thread: how rows are shared out among threads decides the last bits of an answer."""
    torch = sys.modules.get("torch")
    if torch is None:
        yield
        return
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
