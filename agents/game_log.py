"""The games of an evaluation as records, one line of JSON each, and beside them who sat where."""

import json
import os
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, NamedTuple

import numpy as np

from agents.arena import Log, first_deals
from agents.rooms import Seating
from tressette_env.engine.game import Game
from tressette_env.errors import TressetteError
from tressette_env.records import format_record
from tressette_env.rules import Rules


class Lines(NamedTuple):
    """Whole lines: the records of some games, and who sat where in each."""

    records: bytes
    players: bytes


def lines_of(rules: Rules, names: tuple[str, str], seats: Seating, seed: int, log: Log) -> Lines:
    """Return the records of games that ``arena.play_block`` played between two players, and who sat where.

    The actions of ``log`` are played again on single games, which keep what a record says.
    """
    game = Game(rules, seed=seed)
    steps = np.stack(log)
    starts, dealers = first_deals(rules, seats.deals)
    owners = seats.owners
    records, players = [], []
    for row in range(len(seats.deals)):
        game.start_from(seed, int(starts[row]), [], int(dealers[row]))
        for action in steps[steps[:, row] >= 0, row].tolist():
            game.step(action)
        record = game.record()
        records.append(format_record(record))
        about = {
            "checksum": record["checksum"],
            "pair": list(names),
            "deal": int(seats.deals[row]),
            "room": int(seats.rooms[row]),
            "players": [names[owner] for owner in owners[row]],
        }
        players.append(json.dumps(about))
    return Lines(*("".join(f"{line}\n" for line in lines).encode() for lines in (records, players)))


def players_path(path: Path) -> Path:
    """Return the file that says who sat where in the games of a file of records.

    >>> str(players_path(Path("games.jsonl")))
    'games.players.jsonl'
    """
    return path.with_name(f"{path.stem}.players.jsonl")


class RecordFiles:
    """Two new files, records and who sat where, written as games are played; line i of both is the same game.

    However the writing ends, they hold whole lines for the same games; where no game was written, they are removed.
    Raises ``TressetteError`` where one of them is there already or cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self._paths = (path, players_path(path))
        self._files: list[BinaryIO] = []
        self._sizes = [0, 0]

    def __enter__(self) -> "RecordFiles":
        """Make the files."""
        try:
            for path in self._paths:
                self._files.append(open(path, "xb", buffering=0))
        except OSError as error:
            self._close()
            raise _cannot(path, error) from None
        return self

    def write(self, lines: Lines) -> None:
        """Write further games. Raises ``TressetteError`` when the disk is full."""
        for path, file, data in zip(self._paths, self._files, lines, strict=True):
            try:
                _write_all(file, data)
            except OSError as error:
                raise _cannot(path, error) from None
        self._sizes = [size + len(data) for size, data in zip(self._sizes, lines, strict=True)]

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close the files after the last game that stands in both."""
        self._close()

    def _close(self) -> None:
        for path, file, size in zip(self._paths, self._files, self._sizes, strict=False):
            file.truncate(size)
            file.close()
            if not size:
                path.unlink(missing_ok=True)


def _write_all(file: BinaryIO, data: bytes) -> None:
    """Write all of it: an unbuffered write may take a part."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(file.fileno(), rest) :]


def _cannot(path: Path, error: OSError) -> TressetteError:
    return TressetteError(f"--record cannot write {str(path)!r}: {error.strerror}")
