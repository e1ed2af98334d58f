"""The command line of evaluate.py: checks everything before playing, progress to stderr, results to stdout."""

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from agents.arena import MAX_DEALS
from agents.cfr.measure import Exploit, Exploiter
from agents.cfr.tree import TreeError
from agents.config import rules_spec
from agents.entries import DeviceError, check_device, checkpoint_path, resolve
from agents.flags import UsageError, parse_flags
from agents.regret import Regrets
from agents.report import exploit_table, list_table, tables
from agents.results import PairResult
from agents.search.regret import SolverError
from agents.tournament import Evaluation, evaluate, labels
from tressette_env.bots import BotError, Policy
from tressette_env.errors import RulesError, TressetteError
from tressette_env.presets import make_rules
from tressette_env.rules import Rules

EXIT_OK, EXIT_FAILED, EXIT_USAGE, EXIT_STOPPED = 0, 1, 2, 130
DEFAULT_RULES = "tressette"


@dataclass(frozen=True)
class Options:
    """Compare players on duplicate deals: the same cards again with the places swapped."""

    entries: Annotated[tuple[str, ...], tyro.conf.Positional] = ()
    """Two or more bots, run folders or checkpoint files."""
    deals: int = 2000
    """Deals per pair of players, each in two rooms, or in two per place where more than two compete."""
    rules: str | None = None
    """A preset, a YAML file or '{preset: tressette, target: 31}'; else the checkpoints' own, else tressette."""
    seed: int = 0
    """Seed of the deals and of the players' choices."""
    json: Path | None = None
    """File to write the results to."""
    device: str = "cpu"
    """Where networks run."""
    mixed: bool = False
    """Networks draw their actions from their probabilities; otherwise they play the most likely one."""
    regret: bool = False
    """Also show the points that each player's cards lost against exact open-hand play, trick by trick."""
    regret_deals: int = 100
    """Deals per pair that --regret judges, the first ones: a full game takes about 0.2 seconds."""
    exploit: bool = False
    """Toys only: also show, exactly, what best responses gain against each player (one player is enough then)."""
    list: bool = False
    """Show the bots and presets, and stop."""


def main(args: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 0 done, 1 failed, 2 bad usage, 130 stopped early by Ctrl-C."""
    out = Console(width=None if sys.stdout.isatty() else 160, highlight=False)
    try:
        options = parse_flags(Options, args, "evaluate.py")
        if options.list:
            for table in list_table():
                out.print(table)
            return EXIT_OK
        rules, players = _ready(options)
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
        if exploiter and not interrupted:
            measured: list[Exploit] = []
            try:
                for name, player in zip(labels(players), players, strict=True):
                    measured.append(exploiter.measure(player, name=name))
            except KeyboardInterrupt:
                interrupted = True
            out.print(exploit_table(rules, measured))
            data["exploit"] = [row.to_dict() for row in measured]
        if options.json:
            _write(options.json, data)
    except (UsageError, BotError, RulesError, DeviceError, SolverError, TreeError) as error:
        return _fail(error, EXIT_USAGE)
    except (TressetteError, OSError) as error:
        return _fail(error, EXIT_FAILED)
    except KeyboardInterrupt:
        return _fail("stopped", EXIT_STOPPED)
    return EXIT_STOPPED if interrupted else EXIT_OK


def _fail(error: object, code: int) -> int:
    print(f"evaluate.py: {error}", file=sys.stderr)
    return code


def _ready(options: Options) -> tuple[Rules, list[Policy]]:
    """Return rules and players. Raises ``TressetteError`` for what cannot be played."""
    least = 1 if options.exploit else 2
    if len(options.entries) < least:
        raise UsageError(
            f"name at least {'one player' if least == 1 else 'two players'}, not {len(options.entries)}: "
            "such as 'evaluate.py random heuristic'"
        )
    if options.deals < 2:
        raise UsageError(f"--deals {options.deals} is too few for an interval: give at least 2, better 2000")
    if options.deals > MAX_DEALS:
        raise UsageError(f"--deals {options.deals} is too many: give at most {MAX_DEALS}")
    if not 0 <= options.seed < 2**63:
        raise UsageError(f"--seed {options.seed} is out of range: a whole number from 0 to 2**63 - 1")
    if options.json:
        _check_writable(options.json)
    if options.device != "cpu":
        check_device(options.device)
    for entry in options.entries:
        path = checkpoint_path(entry)
        if path is not None and not path.exists():
            raise UsageError(f"there is no {entry!r}: name a bot, a run folder such as runs/NAME or a checkpoint file")
    if options.regret_deals < 1:
        raise UsageError(f"--regret-deals {options.regret_deals} is too few: judge at least 1")
    rules = _rules(options)
    return rules, [resolve(entry, rules, options.device, greedy=not options.mixed) for entry in options.entries]


def _run(options: Options, rules: Rules, players: Sequence[Policy]) -> Evaluation:
    """Play the round robin with a progress bar."""
    regrets = Regrets(rules, min(options.regret_deals, options.deals)) if options.regret else None
    pairs = len(players) * (len(players) - 1) // 2
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("deals", total=pairs * options.deals)
        done = 0

        def report(pair: PairResult) -> None:
            nonlocal done
            progress.update(task, description=f"{pair.a} - {pair.b} {pair.mean:+.2f}", completed=done + pair.n)
            done += pair.n if pair.n == options.deals else 0

        return evaluate(players, rules, options.deals, options.seed, on_progress=report, regrets=regrets)


def _rules(options: Options) -> Rules:
    """Return the rules to play: those named, else those all checkpoints were trained with, else the default."""
    if options.rules is not None:
        return make_rules(_spec(options.rules))
    default = make_rules(DEFAULT_RULES)
    trained = {entry: rules for entry in options.entries if (rules := _trained_rules(entry)) is not None}
    if not trained or default in trained.values():
        return default
    first = next(iter(trained.values()))
    if any(rules != first for rules in trained.values()):
        each = ", ".join(f"{entry} for {rules.name!r}" for entry, rules in trained.items())
        raise UsageError(f"the checkpoints were trained for different rules ({each}): give --rules")
    return make_rules(first)


def _spec(text: str) -> Any:
    """Return what ``make_rules`` takes from the text of --rules."""
    try:
        return rules_spec(text)
    except (ValueError, RecursionError):  # YAML that does not parse, dates out of range, brackets beyond count
        raise UsageError(f"--rules {text!r} is not a mapping: write '{{preset: tressette, target: 31}}'") from None


def _trained_rules(entry: str) -> Rules | None:
    """Return the rules of a checkpoint's training; None for a bot, and for what ``resolve`` will refuse."""
    path = checkpoint_path(entry)
    if path is None:
        return None
    from agents.checkpoint import POLICY_FORMATS, latest, load_tensors

    meta = load_tensors(latest(path) if path.is_dir() else path, *POLICY_FORMATS)[1]
    return Rules.from_dict(meta["rules"]) if "rules" in meta else None


def _check_writable(path: Path) -> None:
    """Raise ``UsageError`` if the file could not be written once the games are played."""
    folder = path.parent
    if path.is_dir():
        raise UsageError(f"--json {str(path)!r} is a folder: name a file")
    if path.is_symlink() or (path.exists() and not path.is_file()):
        # The result is renamed into place, which would put a file where the link, pipe or device was.
        raise UsageError(f"--json {str(path)!r} is a link, pipe or device: name a plain file")
    if not folder.is_dir():
        raise UsageError(f"--json {str(path)!r} cannot be written: there is no folder {str(folder)!r}")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise UsageError(f"--json {str(path)!r} cannot be written: no permission")


def _write(path: Path, data: dict[str, Any]) -> None:
    """Write JSON whole or not at all. Raises ``TressetteError``."""
    partial = path.with_name(f".{path.name}.part")
    try:
        partial.write_text(json.dumps(data, indent=2, allow_nan=False) + "\n", encoding="utf-8")
        os.replace(partial, path)
    except OSError as error:
        raise TressetteError(f"cannot write {str(path)!r}: {error.strerror}") from None
    finally:
        partial.unlink(missing_ok=True)
