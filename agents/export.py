"""Decisions as Parquet: ``python -m agents.export games.jsonl --out data/games``, or of bots that play at once.

python -m agents.export --play heuristic --deals 50000 --rules tressette --seed 1 --out data/heuristic
"""

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from agents.decisions.games import Games, record_games
from agents.decisions.parquet import Decisions, Writer, part_paths
from agents.decisions.rows import Filter
from agents.decisions.selfplay import DEALS, play_games
from agents.entries import resolve
from agents.flags import UsageError, parse_flags, rules_flag
from tressette_env.bots.base import Policy
from tressette_env.errors import RulesError, TressetteError
from tressette_env.presets import make_rules
from tressette_env.rules import Rules

PROG = "python -m agents.export"
MOST_DEALS, MOST_ROWS = 2**31, 10_000_000


@dataclass(frozen=True)
class Options:
    """Write the decisions of recorded games, or of bots that play, as a folder of Parquet files."""

    records: Annotated[Path | None, tyro.conf.Positional] = None
    """File of records, one JSON object a line; or leave it out and name --play."""
    out: Path | None = None
    """Folder for the files part-00000.parquet, ..."""
    play: tuple[str, ...] = ()
    """Bots, run folders or checkpoint files that play deals; several meet each other and themselves."""
    deals: int = 10_000
    """Deals to play (--play)."""
    rules: str = "tressette"
    """A preset, a YAML file or '{preset: tressette, target: 31}' (--play)."""
    seed: int = 1
    """Seed of the deals, of who sits where and of the players' choices (--play)."""
    mixed: bool = False
    """Networks draw their actions from their probabilities; otherwise they play the most likely one (--play)."""
    label_of: tuple[str, ...] = ()
    """Keep the decisions of these players only, by their names."""
    seat: tuple[int, ...] = ()
    """Keep the decisions of these seats only."""
    side: tuple[int, ...] = ()
    """Keep the decisions of these sides only (in auction games 0 is the declarer's)."""
    winners_only: bool = False
    """Keep the decisions of seats that their deal paid, points less the mean of the others' above 0."""
    choices_only: bool = False
    """Leave out decisions with one legal action."""
    rows_per_file: int = 500_000
    """Decisions of a file, about: a file ends with an episode."""
    resume: bool = False
    """Go on after the last whole file of the same command (which may name more deals)."""


def main(args: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code: 0 done, 1 failed, 2 bad usage, 130 stopped by Ctrl-C."""
    try:
        options = parse_flags(Options, args, PROG)
        job = _Job(options)
    except (TressetteError, OSError) as error:
        return _fail(error, 2)
    try:
        print(job.run())
    except (TressetteError, OSError) as error:
        return _fail(error, 1)
    except KeyboardInterrupt:
        whole = len(part_paths(job.out))
        return _fail(f"stopped: {whole} whole files are in {str(job.out)!r}, add --resume to go on after them", 130)
    return 0


def _fail(error: object, code: int) -> int:
    print(f"agents.export: {error}", file=sys.stderr)
    return code


class _Job:
    """What the flags ask for, everything checked. Raises ``TressetteError`` for bad usage."""

    def __init__(self, options: Options) -> None:
        self.options = options
        _check(options)
        assert options.out is not None
        self.out = options.out
        self.kept = Filter(options.seat, options.side, options.label_of, options.winners_only, options.choices_only)
        self.players: list[Policy] = []
        if options.play:
            self.rules = make_rules(rules_flag(options.rules))
            self.players = [resolve(text, self.rules, greedy=not options.mixed) for text in options.play]
            _check_labels(options.label_of, [player.name for player in self.players])
        else:
            assert options.records is not None
            self.rules = _rules_of(options.records)
        self.kept.check(self.rules)
        self.first = self._first()

    @property
    def source(self) -> dict[str, Any]:
        """Where the games come from, as every file tells it."""
        options = self.options
        if options.records is not None:
            return {"records": options.records.name}
        hashes = [getattr(player, "hash", "") for player in self.players]
        return {"play": [player.name for player in self.players], "hashes": hashes} | {
            name: getattr(options, name) for name in ("seed", "mixed")
        }

    def _first(self) -> int:
        """Return the first episode that is not in the folder yet."""
        there = part_paths(self.out)
        if not there:
            return 0
        if not self.options.resume:
            raise UsageError(
                f"--out {str(self.out)!r} holds {there[-1].name} already: choose another folder, or add --resume to go "
                "on after its last whole file"
            )
        found = Decisions(self.out)
        for what, own in (("source", self.source), ("kept", self.kept.to_dict()), ("rules", self.rules.to_dict())):
            if found.about.get(what) != own:
                raise UsageError(
                    f"--out {str(self.out)!r} holds decisions of another command ({what} {found.about.get(what)}, not "
                    f"{own}): choose another folder"
                )
        return found.last_episode + 1

    def run(self) -> str:
        """Write the files; return what was written, in a sentence."""
        began = time.perf_counter()
        self.out.mkdir(parents=True, exist_ok=True)
        for partial in self.out.glob(".part-*.parquet.*"):  # what a kill left
            partial.unlink()
        seen = 0
        with Writer(self.out, self.rules, self.kept, self.source, self.options.rows_per_file) as writer:
            for games in self._games():
                if games.rules != self.rules:
                    raise TressetteError(
                        f"record {int(games.episode[0]) + 1} is of the rules {games.rules.name!r}, those before of "
                        f"{self.rules.name!r}: give each rules a file of records and a folder"
                    )
                writer.add(games)
                seen += len(games.actions)
        if seen and not part_paths(self.out):
            raise TressetteError(f"none of the {seen:,} decisions was kept: choose other seats, sides or players")
        files = len(writer.files)
        size = sum(path.stat().st_size for path in writer.files) / 1e6
        rate = seen / (time.perf_counter() - began)
        return (
            f"{writer.rows:,} of {seen:,} decisions in {files} file{'' if files == 1 else 's'}, {size:,.1f} MB, in "
            f"{self.out} ({rate:,.0f} decisions/s)"
        )

    def _games(self) -> Iterator[Games]:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        console = Console(stderr=True)
        with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
            if self.options.records is not None:
                task = progress.add_task("records", total=None)
                for games in record_games(self.options.records, first=self.first):
                    yield games
                    progress.update(task, completed=int(games.episode[-1]) + 1)
                return
            task = progress.add_task("deals", total=self.options.deals, completed=self.first)
            for first in range(self.first, self.options.deals, DEALS):
                end = min(first + DEALS, self.options.deals)
                yield play_games(self.players, self.rules, self.options.seed, first, end)
                progress.update(task, completed=end)


def _check(options: Options) -> None:
    """Raise ``UsageError`` for what no rules could make good."""
    if options.out is None:
        raise UsageError("--out is missing: name the folder for the files, such as --out data/games")
    if (options.records is None) == (not options.play):
        raise UsageError("name either a file of records or --play with bots, such as --play heuristic")
    if options.records is not None and not options.records.is_file():
        raise UsageError(f"there is no file of records {str(options.records)!r}")
    if options.out.exists() and not options.out.is_dir():
        raise UsageError(f"--out {str(options.out)!r} is a file: name a folder")
    for name, most in (("deals", MOST_DEALS), ("rows_per_file", MOST_ROWS)):
        if not 1 <= getattr(options, name) <= most:
            flag = "--" + name.replace("_", "-")
            raise UsageError(f"{flag} {getattr(options, name)} is out of range: a whole number from 1 to {most}")
    if not 0 <= options.seed < 2**30:
        raise UsageError(f"--seed {options.seed} is out of range: a whole number from 0 to {2**30 - 1}")


def _check_labels(wanted: Sequence[str], names: Sequence[str]) -> None:
    for name in wanted:
        if name not in names:
            raise UsageError(f"--label-of {name!r} is none of the players: they are {', '.join(names)}")


def _rules_of(path: Path) -> Rules:
    """Return the rules of the first record. Raises ``TressetteError`` where there is none."""
    first = next(record_games(path, decisions=1), None)
    if first is None:
        raise RulesError(f"{str(path)!r} holds no record: there is nothing to export")
    return first.rules


if __name__ == "__main__":
    sys.exit(main())
