"""Records as pandas frames: one row per finished deal and competitor, or one per action; and their statistics.

python -m agents.record_frames games.jsonl
python -m agents.record_frames games.jsonl --plays --parquet plays.parquet
"""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import tyro
from pandas.api.types import union_categoricals
from rich.console import Console

from agents.decisions.deal_frame import DEAL_COLUMNS, deal_frame
from agents.decisions.games import CHUNK, record_games
from agents.decisions.play_frame import PLAY_COLUMNS, play_frame
from agents.decisions.statistics import Statistics, shown
from agents.decisions.tabular import Columns, CSVFile, ParquetFile, empty
from agents.flags import UsageError, parse_flags
from tressette_env.errors import TressetteError

__all__ = ["DEAL_COLUMNS", "PLAY_COLUMNS", "deal_frames", "deals_frame", "play_frames", "plays_frame"]

PROG = "python -m agents.record_frames"


# ---------------------------------------------------------------- frames
def deals_frame(source: Any) -> pd.DataFrame:
    """Return one row per finished deal and competitor of some records: columns ``DEAL_COLUMNS``.

    source: the path of a JSONL file, or records as mappings. A competitor is a side, or a seat where an auction makes
    the sides. Every record is played again: raises ``NotationError`` that names the first one that does not fit.
    """
    return _joined(list(deal_frames(source)), DEAL_COLUMNS)


def plays_frame(source: Any) -> pd.DataFrame:
    """Return one row per action of some records: columns ``PLAY_COLUMNS``; see ``deals_frame``."""
    return _joined(list(play_frames(source)), PLAY_COLUMNS)


def deal_frames(source: Any, decisions: int = CHUNK) -> Iterator[pd.DataFrame]:
    """Yield ``deals_frame`` in pieces of about so many decisions, whole episodes, so that memory stays bounded."""
    return (deal_frame(games) for games in record_games(source, decisions))


def play_frames(source: Any, decisions: int = CHUNK) -> Iterator[pd.DataFrame]:
    """Yield ``plays_frame`` in pieces of about so many decisions, whole episodes, so that memory stays bounded."""
    return (play_frame(games) for games in record_games(source, decisions))


def _joined(frames: list[pd.DataFrame], columns: Columns) -> pd.DataFrame:
    """Return frames one below the other; categories that differ from frame to frame are put together."""
    if not frames:
        return empty(columns)
    whole = {}
    for name, (kind, _) in columns.items():
        parts = [frame[name] for frame in frames]
        categories = kind == "category" and any(part.dtype != parts[0].dtype for part in parts)
        whole[name] = union_categoricals(parts) if categories else pd.concat(parts, ignore_index=True)
    return pd.DataFrame(whole)


# ---------------------------------------------------------------- the command
@dataclass(frozen=True)
class Options:
    """Say what recorded games come to, and write them as tables."""

    records: Annotated[Path, tyro.conf.Positional]
    """File of records, one JSON object a line."""
    plays: bool = False
    """Write one row per action; otherwise one per finished deal and side (in auction games seat)."""
    csv: Path | None = None
    """File to write the rows to as text."""
    parquet: Path | None = None
    """File to write the rows to as Parquet."""
    json: bool = False
    """Print the statistics as JSON."""


def main(args: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code: 0 done, 1 failed, 2 bad usage, 130 stopped by Ctrl-C."""
    try:
        options = parse_flags(Options, args, PROG)
        _check(options)
    except (TressetteError, OSError) as error:
        return _fail(error, 2)
    try:
        _print(_run(options), options.json)
        written = [str(path) for path in (options.csv, options.parquet) if path is not None]
        if written:
            print(f"wrote {', '.join(written)}", file=sys.stderr)
    except (TressetteError, OSError) as error:
        return _fail(error, 1)
    except KeyboardInterrupt:
        return _fail("stopped: nothing was written", 130)
    return 0


def _print(found: Statistics, as_json: bool) -> None:
    if as_json:
        print(json.dumps(found.to_dict(), indent=2, allow_nan=False))
        return
    out = Console(width=None if sys.stdout.isatty() else 120, highlight=False)
    for part in shown(found):
        out.print(part)


def _fail(error: object, code: int) -> int:
    print(f"agents.record_frames: {error}", file=sys.stderr)
    return code


def _check(options: Options) -> None:
    if not options.records.is_file():
        raise UsageError(f"there is no file of records {str(options.records)!r}")
    if options.plays and options.csv is None and options.parquet is None:
        raise UsageError("--plays says which rows are written: add --csv FILE or --parquet FILE")
    for flag, path in (("--csv", options.csv), ("--parquet", options.parquet)):
        if path is not None and (path.is_dir() or not path.parent.is_dir()):
            problem = "is a folder" if path.is_dir() else f"is in {str(path.parent)!r}, which is no folder"
            raise UsageError(f"{flag} {str(path)!r} {problem}: name a file in a folder that is there")


def _run(options: Options) -> Statistics:
    """Read the records once; write what is asked for and return the statistics."""
    found = Statistics()
    columns = PLAY_COLUMNS if options.plays else DEAL_COLUMNS
    with ExitStack() as stack:
        outs: list[CSVFile | ParquetFile] = []
        if options.csv is not None:
            outs.append(stack.enter_context(CSVFile(options.csv)))
        if options.parquet is not None:
            outs.append(stack.enter_context(ParquetFile(options.parquet, columns)))
        with Console(stderr=True).status("reading records") as status:
            for games in record_games(options.records):
                deals, plays = deal_frame(games), play_frame(games)
                found.add(games, deals, plays)
                for out in outs:
                    out.write(plays if options.plays else deals)
                status.update(f"{int(games.episode[-1]) + 1:,} records read")
    if not found.groups:
        raise TressetteError(f"{str(options.records)!r} holds no record: there is nothing to say")
    return found


if __name__ == "__main__":
    sys.exit(main())
