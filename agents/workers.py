"""Processes that play an evaluation's deals side by side: each makes the players itself and answers task by task."""

import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Any, Protocol

from agents.entries import resolve
from agents.playing import Table
from agents.regret import Judge
from tressette_env.errors import TressetteError
from tressette_env.rules import Rules

MAX_WORKERS = 512


class WorkerError(TressetteError):
    """A process that could not do its part."""


class Player(Protocol):
    """What answers tasks in a process. A task is a named tuple, and equal tasks are the same one."""

    def play(self, task: Any) -> Any:
        """Return what a task comes to."""


class Maker(Protocol):
    """All that another process needs to make what answers its tasks; it travels there pickled."""

    def table(self) -> Player:
        """Return what answers tasks. Raises ``TressetteError``."""


@dataclass(frozen=True)
class Lineup:
    """All that another process needs to play the same games; ``hashes`` are the checkpoints', None for bots.

    regret_deals: the first deals of a pair that are judged, 0 for none. record: whether records are wanted.
    """

    entries: tuple[str, ...]
    names: tuple[str, ...]
    hashes: tuple[str | None, ...]
    rules: Rules
    seed: int
    device: str = "cpu"
    greedy: bool = True
    regret_deals: int = 0
    record: bool = False

    def table(self) -> Table:
        """Return the players at a table. Raises ``TressetteError`` for an entry that is not what it was any more."""
        players = [resolve(entry, self.rules, self.device, greedy=self.greedy) for entry in self.entries]
        for entry, player, wanted in zip(self.entries, players, self.hashes, strict=True):
            if getattr(player, "hash", None) != wanted:
                raise WorkerError(f"the checkpoint {entry!r} changed meanwhile: name a file that is not written to")
        judge = Judge(self.rules, self.regret_deals) if self.regret_deals else None
        return Table(players, self.names, self.rules, self.seed, judge=judge, record=self.record)


class _Worker:
    """One process and this end of its pipe; ``task`` is what it is at."""

    def __init__(self, lineup: Maker) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process: BaseProcess = context.Process(target=_serve, args=(theirs, lineup), daemon=True)
        self.process.start()
        theirs.close()
        self.task: Any = None

    def give(self, task: Any) -> None:
        """Set it to a task. Raises ``WorkerError`` where it is gone."""
        self.task = task
        try:
            self.pipe.send(task)
        except OSError:
            raise self.lost() from None

    def answer(self) -> tuple[Any, Any]:
        """Return its task and what it came to. Raises ``WorkerError``."""
        try:
            good, answer = self.pipe.recv()
        except (EOFError, OSError):
            raise self.lost() from None
        if not good:
            raise WorkerError(answer)
        done, self.task = self.task, None
        return done, answer

    def lost(self) -> WorkerError:
        """Return the error for a process that is gone."""
        self.process.join(5.0)
        return WorkerError(
            f"a worker ended before its answer (exit code {self.process.exitcode}): was it killed, or is the memory "
            "too small for so many --workers?"
        )


class Workers:
    """``number`` processes for the tasks of a lineup; leaving the context ends them, also in the middle of a task."""

    def __init__(self, number: int, lineup: Maker) -> None:
        self.ahead = 2 * number  # tasks under way or waiting, so that nobody is idle
        self._number, self._lineup = number, lineup
        self._workers: list[_Worker] = []
        self._tasks: deque[Any] = deque()
        self._found: dict[Any, Any] = {}

    def __enter__(self) -> "Workers":
        """Start the processes."""
        try:
            with _ctrl_c_waits():
                for _ in range(self._number):
                    self._workers.append(_Worker(self._lineup))
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """End the processes."""
        self._end()

    def _end(self) -> None:
        for worker in self._workers:
            worker.process.terminate()
        for worker in self._workers:
            worker.process.join()
            worker.pipe.close()

    def start(self, task: Any) -> Callable[[], Any]:
        """Set a task going; return what waits for its answer. That raises ``WorkerError`` when a process fails."""
        self._tasks.append(task)
        self._give_out()
        return partial(self._wait_for, task)

    def _give_out(self) -> None:
        for worker in self._workers:
            if worker.task is None and self._tasks:
                worker.give(self._tasks.popleft())

    def _wait_for(self, task: Any) -> Any:
        while task not in self._found:
            busy: dict[object, _Worker] = {worker.pipe: worker for worker in self._workers if worker.task is not None}
            for pipe in wait(list(busy)):
                done, found = busy[pipe].answer()
                self._found[done] = found
            self._give_out()
        return self._found.pop(task)


def _serve(pipe: Connection, lineup: Maker) -> None:
    """Answer tasks until the other end is closed: what they come to, or a sentence about what went wrong."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    table: Player | None = None
    with suppress(EOFError, OSError):
        while True:
            task = pipe.recv()
            try:
                table = table or lineup.table()
                answer: tuple[bool, Any] = (True, table.play(task))
            except TressetteError as error:
                answer = (False, str(error))
            except Exception as error:
                reason = f"a worker failed ({type(error).__name__}: {error}): without --workers you see where"
                answer = (False, reason)
            pipe.send(answer)


@contextmanager
def _ctrl_c_waits() -> Iterator[None]:
    """Hold Ctrl-C back: processes started meanwhile never hear it, and this one hears it at the end."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # starting it later would lift the mask
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
