"""`evaluate.py --signals`: the laboratory's tasks with a progress bar, its tables, pictures and JSON."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from agents.entries import resolve
from agents.signals.findings import Report, put_together
from agents.signals.games import SignalError, check_rules
from agents.signals.laboratory import Laboratory, Task, arms_of
from agents.signals.plots import draw
from agents.signals.speaking import speaker_of
from agents.signals.tables import report_tables
from agents.tournament import labels
from agents.workers import Workers
from tressette_env.rules import Rules


def prepare(
    entries: Sequence[str],
    pinned: Sequence[str],
    rules: Sequence[Rules],
    deals: int,
    seed: int,
    device: str = "cpu",
    greedy: bool = True,
) -> Laboratory:
    """Return the laboratory for some players, each under its own rules, in the order given.

    pinned: entries that mean the same players later, when processes read them: checkpoint files for run folders.

    Raises ``SignalError`` for rules without signals or partners, ``BotError`` for a player that searches, and what
    ``resolve`` raises.
    """
    for row in rules:
        check_rules(row)
    players = [resolve(entry, row, device, greedy=greedy) for entry, row in zip(entries, rules, strict=True)]
    for player in players:
        speaker_of(player)
    _no_twins(entries, players, rules)
    return Laboratory(arms_of(pinned, players, labels(players), rules), deals, seed, device, greedy)


def _no_twins(entries: Sequence[str], players: Sequence[Any], rules: Sequence[Rules]) -> None:
    """Raise ``SignalError`` for a player that stands twice under the same rules: it would pass for two seeds."""
    seen: dict[Any, str] = {}
    for entry, player, row in zip(entries, players, rules, strict=True):
        key = (getattr(player, "hash", "") or player.name, row)
        if key in seen:
            raise SignalError(f"{entry!r} is the same player as {seen[key]!r}, which counts as one seed: name it once")
        seen[key] = entry


def measure(lab: Laboratory, workers: int = 1) -> Report:
    """Return what a laboratory finds, with a progress bar on a terminal."""
    tasks = lab.tasks()
    found: dict[Task, Any] = {}
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with ExitStack() as stack:
        progress = stack.enter_context(
            Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
        )
        bar = progress.add_task("measures", total=len(tasks))
        if workers > 1:
            pool = stack.enter_context(Workers(workers, lab))
            waiting = [(task, pool.start(task)) for task in tasks]
        else:
            bench = lab.table()
            waiting = [(task, lambda task=task: bench.play(task)) for task in tasks]  # type: ignore[misc]
        for task, answer in waiting:
            progress.update(bar, description=f"{task.what}: {lab.arms[task.arm].names[task.player]}")
            found[task] = answer()
            progress.advance(bar)
    return put_together(lab, found)


def show(report: Report, out: Console) -> None:
    """Print a report's tables."""
    for table in report_tables(report):
        out.print(table)


def picture(report: Report, out: Console, plots: Path) -> None:
    """Write a report's pictures and say where they are."""
    paths = draw(report, plots)
    if paths:
        out.print(f"pictures: {', '.join(str(path) for path in paths)}")
