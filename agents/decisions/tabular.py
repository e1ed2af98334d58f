"""What frames have in common: columns by type, and files that frames are written to piece by piece."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from tressette_env.files import open_whole

Columns = dict[str, tuple[str, str]]  # name -> (pandas dtype, meaning)
_ARROW = {
    "category": pa.dictionary(pa.int32(), pa.string()), "bool": pa.bool_(), "boolean": pa.bool_(),
    "float64": pa.float64(), "int8": pa.int8(), "int16": pa.int16(), "int64": pa.int64(), "Int8": pa.int8(),
}  # fmt: skip


def coded(codes: np.ndarray, names: Sequence[str], *, ordered: bool = False) -> pd.Categorical:
    """Return names by their places, -1 for none; the categories are all of the names."""
    return pd.Categorical.from_codes(
        codes.astype(np.int64), categories=pd.Index(list(names), dtype=str), ordered=ordered
    )


def named(texts: Sequence[str | None]) -> pd.Categorical:
    """Return texts as a categorical, None missing; the categories are the texts in the order of the alphabet."""
    known = sorted({text for text in texts if text is not None})
    places = {text: place for place, text in enumerate(known)}
    return coded(np.array([-1 if text is None else places[text] for text in texts], np.int64), known)


def with_missing(values: np.ndarray, missing: np.ndarray, kind: str) -> pd.Series:
    """Return values of a pandas dtype that knows missing ones, such as ``boolean`` or ``Int8``."""
    return pd.Series(values).astype(kind).mask(missing)


def framed(found: dict[str, Any], columns: Columns) -> pd.DataFrame:
    """Return a frame with exactly some columns, each of its type."""
    frame = pd.DataFrame({name: found[name] for name in columns})
    return frame.astype({name: kind for name, (kind, _) in columns.items()})


def empty(columns: Columns) -> pd.DataFrame:
    """Return a frame without rows."""
    return framed({name: named(()) if kind == "category" else () for name, (kind, _) in columns.items()}, columns)


class CSVFile:
    """A text file of frames, whole or not at all."""

    def __init__(self, path: Path) -> None:
        self._stack = ExitStack()
        self._path = path
        self._begun = False

    def __enter__(self) -> "CSVFile":
        self._file = self._stack.enter_context(open_whole(self._path))
        return self

    def __exit__(self, *error: Any) -> None:
        self._stack.__exit__(*error)

    def write(self, frame: pd.DataFrame) -> None:
        """Append a frame; the first one brings the names of the columns."""
        frame.to_csv(self._file, index=False, header=not self._begun)
        self._begun = True


class ParquetFile:
    """A Parquet file of frames, whole or not at all."""

    def __init__(self, path: Path, columns: Columns) -> None:
        self._stack = ExitStack()
        self._path = path
        plain = pa.schema([(name, _ARROW[kind]) for name, (kind, _) in columns.items()])
        self._schema = plain.with_metadata(pa.Schema.from_pandas(empty(columns), preserve_index=False).metadata)

    def __enter__(self) -> "ParquetFile":
        file = self._stack.enter_context(open_whole(self._path))
        self._writer = self._stack.enter_context(pq.ParquetWriter(file, self._schema, compression="zstd"))
        return self

    def __exit__(self, *error: Any) -> None:
        self._stack.__exit__(*error)

    def write(self, frame: pd.DataFrame) -> None:
        """Append a frame."""
        table = pa.Table.from_pandas(frame, preserve_index=False)
        self._writer.write_table(table.cast(self._schema).replace_schema_metadata(self._schema.metadata))
