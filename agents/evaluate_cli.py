"""The command line of evaluate.py: checks everything before playing, progress to stderr, results to stdout."""

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from agents.cfr.measure import Exploit, Exploiter
from agents.cfr.tree import TreeError
from agents.entries import DeviceError, checkpoint_path
from agents.evaluate_options import Options, check_merge, ready, ready_signals
from agents.flags import UsageError, parse_flags
from agents.game_log import RecordFiles
from agents.policies import ShippedError
from agents.regret import Regrets
from agents.report import exploit_table, list_table, tables
from agents.results import PairResult
from agents.search.regret import SolverError
from agents.shards import ShardError, merge, parse_shard, part_of
from agents.tournament import Evaluation, evaluate, hashes_of, labels
from agents.workers import Lineup, Workers
from tressette_env.bots import BotError, Policy
from tressette_env.errors import RulesError, TressetteError
from tressette_env.rules import Rules

EXIT_OK, EXIT_FAILED, EXIT_USAGE, EXIT_STOPPED = 0, 1, 2, 130


def main(args: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 0 done, 1 failed, 2 bad usage, 130 stopped early by Ctrl-C."""
    out = Console(width=None if sys.stdout.isatty() else 160, highlight=False)
    try:
        options = parse_flags(Options, args, "evaluate.py")
        if options.list:
            for table in list_table():
                out.print(table)
            return EXIT_OK
        if options.merge:
            return _merge(options, out)
        return _signals(options, out) if options.signals else _compare(options, out)
    except (UsageError, BotError, RulesError, DeviceError, SolverError, TreeError, ShardError, ShippedError) as error:
        return _fail(error, EXIT_USAGE)
    except (TressetteError, OSError) as error:
        return _fail(error, EXIT_FAILED)
    except KeyboardInterrupt:
        return _fail("stopped", EXIT_STOPPED)


def _fail(error: object, code: int) -> int:
    print(f"evaluate.py: {error}", file=sys.stderr)
    return code


def _compare(options: Options, out: Console) -> int:
    """Play what the options ask for, show it and write it; return the exit code."""
    rules, players = ready(options)
    exploiter = Exploiter(rules) if options.exploit else None
    data: dict[str, Any] = {"rules": rules.name}
    interrupted = False
    if len(players) > 1:
        found = _run(options, rules, players)
        if not found.pairs:
            return _fail("stopped before the first deals were played out: there is no result to show", EXIT_STOPPED)
        for table in tables(found):
            out.print(table)
        data, interrupted = found.to_dict(), found.interrupted
        if options.shard:
            data = part_of(found, parse_shard(options.shard, options.deals), mixed=options.mixed)
    if exploiter and not interrupted:
        measured, interrupted = _exploit(exploiter, players)
        out.print(exploit_table(rules, measured))
        data["exploit"] = [row.to_dict() for row in measured]
    if options.json:
        _write(options.json, data)
    return EXIT_STOPPED if interrupted else EXIT_OK


def _merge(options: Options, out: Console) -> int:
    """Put parts together, show the whole and write it; return the exit code."""
    check_merge(options)
    found, warnings = merge(options.merge)
    for warning in warnings:
        print(f"evaluate.py: warning: {warning}", file=sys.stderr)
    for table in tables(found):
        out.print(table)
    if options.json:
        _write(options.json, found.to_dict())
    return EXIT_OK


def _signals(options: Options, out: Console) -> int:
    """Measure the players' signals, show and draw what was found and write it; return the exit code."""
    from agents.signals.command import measure, picture, prepare, show

    rules = ready_signals(options)
    pinned = [_pinned(entry) for entry in options.entries]
    lab = prepare(options.entries, pinned, rules, options.deals, options.seed, options.device, not options.mixed)
    report = measure(lab, options.workers)
    show(report, out)
    if options.json:
        _write(options.json, report.to_dict())
    picture(report, out, options.plots)
    return EXIT_OK


def _exploit(exploiter: Exploiter, players: Sequence[Policy]) -> tuple[list[Exploit], bool]:
    """Return what best responses gain against each player, and whether Ctrl-C ended that early."""
    measured: list[Exploit] = []
    try:
        for name, player in zip(labels(players), players, strict=True):
            measured.append(exploiter.measure(player, name=name))
    except KeyboardInterrupt:
        return measured, True
    return measured, False


def _run(options: Options, rules: Rules, players: Sequence[Policy]) -> Evaluation:
    """Play the round robin with a progress bar."""
    regrets = Regrets(rules, min(options.regret_deals, options.deals)) if options.regret else None
    share = parse_shard(options.shard, options.deals).deals(options.deals) if options.shard else None
    pairs = len(players) * (len(players) - 1) // 2
    with ExitStack() as stack:
        files = stack.enter_context(RecordFiles(options.record)) if options.record else None
        workers = None
        if options.workers > 1:
            workers = stack.enter_context(Workers(options.workers, _lineup(options, rules, players, regrets)))
        return evaluate(
            players,
            rules,
            options.deals,
            options.seed,
            on_progress=stack.enter_context(_progress(pairs * (len(share) if share else options.deals))),
            regrets=regrets,
            share=share,
            on_lines=files.write if files else None,
            workers=workers,
        )


def _lineup(options: Options, rules: Rules, players: Sequence[Policy], regrets: Regrets | None) -> Lineup:
    """Return what other processes need to make the same players."""
    names = labels(players)
    return Lineup(
        entries=tuple(_pinned(entry) for entry in options.entries),
        names=tuple(names),
        hashes=tuple(hashes_of(names, players).values()),
        rules=rules,
        seed=options.seed,
        device=options.device,
        greedy=not options.mixed,
        regret_deals=regrets.deals if regrets else 0,
        record=options.record is not None,
    )


def _pinned(entry: str) -> str:
    """Return an entry that means the same later: for a run folder, its newest checkpoint of now."""
    path = checkpoint_path(entry)
    if path is None or not path.is_dir():
        return entry
    from agents.checkpoint import latest

    return str(latest(path))


@contextmanager
def _progress(total: int) -> Iterator[Callable[[PairResult], None]]:
    """Show a progress bar of ``total`` deals; yield what gets the pair under way."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    done: dict[tuple[str, str], int] = {}
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("deals", total=total)

        def report(pair: PairResult) -> None:
            done[pair.a, pair.b] = pair.n
            description = f"{pair.a} - {pair.b} {pair.mean:+.2f}"
            progress.update(task, description=description, completed=sum(done.values()))

        yield report


def _write(path: Path, data: dict[str, Any]) -> None:
    """Write JSON whole or not at all, a part on one line. Raises ``TressetteError``."""
    partial = path.with_name(f".{path.name}.part")
    try:
        indent = None if "shard" in data else 2
        partial.write_text(json.dumps(data, indent=indent, allow_nan=False) + "\n", encoding="utf-8")
        os.replace(partial, path)
    except OSError as error:
        raise TressetteError(f"cannot write {str(path)!r}: {error.strerror}") from None
    finally:
        partial.unlink(missing_ok=True)
