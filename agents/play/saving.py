"""The file that a person's games are saved in: one line more for each game, nothing that stood there is touched."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tressette_env.errors import TressetteError
from tressette_env.files import write_whole
from tressette_env.records import format_record


class SaveError(TressetteError):
    """A file that games cannot be saved in."""


class RecordFile:
    """Saves records to a JSONL file, in the order of their games; a game saved again takes its own line's place.

    Raises ``SaveError`` for a path that cannot be written.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._last = b""  # the line written last, and the game it holds
        self._game: tuple[Any, ...] | None = None
        if self.path.is_dir():
            raise SaveError(f"{str(path)!r} is a folder: name a file such as games.jsonl")
        if not self.path.parent.is_dir():
            raise SaveError(f"{str(path)!r} cannot be written: there is no folder {str(self.path.parent)!r}")
        if self.path.exists() and not self.path.is_file():
            raise SaveError(f"{str(path)!r} is a pipe or a device: name a plain file")

    def save(self, record: Mapping[str, Any]) -> None:
        """Write a record behind what the file holds, whole or not at all. Raises ``TressetteError``."""
        line = format_record(record).encode() + b"\n"
        game = (record["seed"], record["deals"][0]["k"])
        before = self._read()
        if game == self._game and before.endswith(self._last):
            before = before.removesuffix(self._last)
        if before and not before.endswith(b"\n"):
            before += b"\n"
        write_whole(self.path.resolve(), before + line)  # resolved, so that a link stays a link
        self._last, self._game = line, game

    def _read(self) -> bytes:
        try:
            return self.path.read_bytes() if self.path.exists() else b""
        except OSError as error:
            raise SaveError(f"cannot read {str(self.path)!r} ({error.strerror}): name another file") from None
