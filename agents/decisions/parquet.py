"""Parquet files of decisions: a folder of parts, each written whole, which say by themselves what they hold.

Plain columns and fixed-size lists, so any reader of Parquet will do (pandas, polars, Hugging Face `datasets`).
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from agents.decisions.games import Games
from agents.decisions.rows import COLUMNS, Filter, schema, table_of
from tressette_env.errors import RulesError, TressetteError, nearest
from tressette_env.files import open_whole
from tressette_env.notation import action_texts
from tressette_env.observation import describe
from tressette_env.rules import Rules

FORMAT = "tressette-decisions-1"
KEY = b"tressette"  # of a file's metadata: one JSON object
ALL = tuple(COLUMNS)
GROUP = 8192  # most rows of a row group, the least that is decoded at once


class DataError(TressetteError):
    """Files of decisions that are missing, damaged, or not what is asked for."""


def part_paths(folder: Path) -> list[Path]:
    """Return the parts in a folder, in order."""
    return sorted(folder.glob("part-*.parquet"))


# ---------------------------------------------------------------- writing
class Writer:
    """Writes games into a folder, part after part, whole episodes in each; parts that are there stay as they are.

    ``source``: plain data on where the games come from, kept in every part. A part ends with the first episode that
    fills ``rows_per_file``. Leaving the ``with`` block by an exception drops the part under way.
    """

    def __init__(self, folder: Path, rules: Rules, kept: Filter, source: dict[str, Any], rows_per_file: int) -> None:
        self.folder, self.kept, self.rows_per_file = folder, kept, rows_per_file
        self.schema = schema(rules).with_metadata({KEY: _about(rules, kept, source)})
        self.files: list[Path] = []
        self.rows = 0
        self._first = len(part_paths(folder))
        self._open: tuple[ExitStack, pq.ParquetWriter] | None = None
        self._filled = 0

    def __enter__(self) -> "Writer":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._end_part()
        elif self._open is not None:
            self._open[0].__exit__(kind, error, trace)

    def add(self, games: Games) -> None:
        """Take in games: whole episodes that follow those before."""
        rows = self.kept.rows(games)
        episodes = games.episode[games.deal_of[rows]]
        while len(rows) >= (room := self.rows_per_file - self._filled):
            cut = int(np.searchsorted(episodes, episodes[room - 1], side="right"))
            self._take(games, rows[:cut])
            self._end_part()
            rows, episodes = rows[cut:], episodes[cut:]
        self._take(games, rows)

    def _take(self, games: Games, rows: np.ndarray) -> None:
        for start in range(0, len(rows), GROUP):
            table = table_of(games, rows[start : start + GROUP])
            self._part().write_table(table.replace_schema_metadata(self.schema.metadata))
        self._filled += len(rows)

    def _part(self) -> pq.ParquetWriter:
        """Return the part under way, begun where there is none."""
        if self._open is None:
            stack = ExitStack()
            path = self.folder / f"part-{self._first + len(self.files):05d}.parquet"
            file = stack.enter_context(open_whole(path))
            # Dictionaries hold the few values that a float takes: a tenth of the size, and quicker to read.
            writer = pq.ParquetWriter(file, self.schema, compression="zstd", compression_level=3)
            self._open = (stack, stack.enter_context(writer))
            self.files.append(path)
        return self._open[1]

    def _end_part(self) -> None:
        if self._open is not None:
            self._open[0].close()
            self.rows += self._filled
            self._open, self._filled = None, 0


def _about(rules: Rules, kept: Filter, source: dict[str, Any]) -> bytes:
    """Return what every part says of itself, JSON: format, rules, every float and action by name, filter, source."""
    sections = [
        {"name": part.name, "where": part.where_text, "shape": list(part.shape), "meaning": part.meaning}
        for part in describe(rules)
    ]
    told = {"format": FORMAT, "rules": rules.to_dict(), "kept": kept.to_dict(), "source": source}
    return json.dumps(told | {"observation": sections, "actions": list(action_texts(rules))}).encode()


# ---------------------------------------------------------------- reading
class Decisions:
    """The decisions in a file or in the parts of a folder; rows are read when they are asked for, from mapped memory.

    about: what the first part says of itself. Raises ``DataError`` where there are none, and where a part is damaged or
    of other rules than the first.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.files = [self.path] if self.path.is_file() else part_paths(self.path)
        if not self.files:
            raise DataError(
                f"no decisions in {str(path)!r}: make some with python -m agents.export --play heuristic --out {path}"
            )
        metadata = [_metadata(file) for file in self.files]
        told = [_told(file, found) for file, found in zip(self.files, metadata, strict=True)]
        self.about = told[0]
        self.rules = _rules(self.files[0], told[0])
        for file, about, found in zip(self.files, told, metadata, strict=True):
            if about.get("rules") != told[0]["rules"]:
                raise DataError(
                    f"{str(file)!r} is of other rules than {self.files[0].name!r}: keep them in two folders"
                )
            if not found.schema.to_arrow_schema().equals(schema(self.rules)):
                raise DataError(f"{str(file)!r} has other columns than {', '.join(COLUMNS)}: export it anew")
        self._metadata = metadata

    def __len__(self) -> int:
        return sum(found.num_rows for found in self._metadata)

    @cached_property
    def groups(self) -> list[tuple[int, int]]:
        """The row groups, in order: place of the file, place in it."""
        return [(i, j) for i, found in enumerate(self._metadata) for j in range(found.num_row_groups)]

    @property
    def last_episode(self) -> int:
        """The largest number of an episode, -1 without rows."""
        column = list(COLUMNS).index("episode")  # each column has one leaf
        chunks = (self._metadata[i].row_group(j).column(column) for i, j in self.groups)
        return max((int(chunk.statistics.max) for chunk in chunks), default=-1)

    def group(self, place: int, columns: Sequence[str] = ALL) -> dict[str, np.ndarray]:
        """Return the rows of one of ``groups`` as arrays by column, as ``read`` does."""
        check_columns(columns)
        file, index = self.groups[place]
        try:
            with pq.ParquetFile(self.files[file], memory_map=True, metadata=self._metadata[file]) as opened:
                table = opened.read_row_group(index, columns=list(columns), use_threads=False)
        except (OSError, pa.ArrowException) as error:
            raise _damaged(self.files[file], error) from None
        return {name: _array(table.column(name)) for name in columns}

    def batches(self, columns: Sequence[str] = ALL) -> Iterator[dict[str, np.ndarray]]:
        """Yield all rows in order, a row group at a time."""
        for place in range(len(self.groups)):
            yield self.group(place, columns)


def read(path: str | Path, columns: Sequence[str] = ALL) -> dict[str, np.ndarray]:
    """Return the rows of a file or folder as arrays by column, of the columns' own types.

    observation float32 (N, F), action_mask int8 (N, A), player objects (N,), the others (N,). Raises ``DataError``.
    """
    parts = list(Decisions(path).batches(columns))
    return {name: np.concatenate([part[name] for part in parts]) for name in columns}


def _array(column: pa.ChunkedArray) -> np.ndarray:
    whole = column.combine_chunks()
    if pa.types.is_fixed_size_list(column.type):
        return whole.flatten().to_numpy().reshape(len(whole), -1)
    return whole.to_numpy(zero_copy_only=False)


def check_columns(columns: Sequence[str]) -> None:
    """Raise ``DataError`` for a column that no file has."""
    for name in columns:
        if name not in COLUMNS:
            raise DataError(f"no column {name!r}{nearest(name, list(COLUMNS))}: there are {', '.join(COLUMNS)}")


def _metadata(file: Path) -> pq.FileMetaData:
    try:
        return pq.read_metadata(file)
    except (OSError, pa.ArrowException) as error:
        raise _damaged(file, error) from None


def _damaged(file: Path, error: Exception) -> DataError:
    return DataError(f"{str(file)!r} cannot be read ({' '.join(str(error).split())}): export it anew")


def _told(file: Path, metadata: pq.FileMetaData) -> dict[str, Any]:
    """Return what a part says of itself."""
    try:
        told: dict[str, Any] = json.loads((metadata.metadata or {})[KEY])
        if told["format"] == FORMAT:
            return told
    except (KeyError, TypeError, ValueError):
        pass
    raise DataError(f"{str(file)!r} is no file of decisions ({FORMAT}): make one with python -m agents.export")


def _rules(file: Path, told: dict[str, Any]) -> Rules:
    try:
        return Rules.from_dict(told["rules"])
    except (KeyError, AttributeError, TypeError, RulesError) as error:
        raise DataError(f"the rules in {str(file)!r} cannot be used ({error}): export it anew") from None
