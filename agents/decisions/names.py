"""Who sat where in the games of a file of records: told beside it, as the records themselves have no room for names.

Beside ``games.jsonl`` stands ``games.players.jsonl``, as ``evaluate.py --record`` writes it: for each record a line, a
JSON object that holds at least ``players``, the names by seat, and may hold the record's ``checksum``.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tressette_env.errors import NotationError

Names = tuple[str, ...] | None  # by seat, None where nobody knows


def players_path(path: Path) -> Path:
    """Return the file that says who sat where in the games of a file of records.

    >>> players_path(Path("games.jsonl")).name
    'games.players.jsonl'
    """
    return path.with_name(f"{path.stem}.players.jsonl")


def with_names(records: Iterable[Mapping[str, Any]], path: Path) -> Iterator[tuple[Mapping[str, Any], Names]]:
    """Yield the records of a file, each with its players' names where the file beside it tells them.

    Raises ``NotationError`` for a line that does not fit its record, and where there is none.
    """
    beside = players_path(path)
    if not beside.is_file():
        yield from ((record, None) for record in records)
        return
    with beside.open("rb") as file:
        for number, record in enumerate(records, 1):
            line = file.readline()
            if not line:
                raise NotationError(f"{beside} ends before record {number} of {path}: write a line for each, or none")
            yield record, _names(line, record, f"{beside}, line {number}")


def _names(line: bytes, record: Mapping[str, Any], where: str) -> tuple[str, ...]:
    try:
        told = json.loads(line)
        names = told["players"]
    except (ValueError, KeyError, TypeError, RecursionError):
        told, names = {}, None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise NotationError(f'{where} tells no names: write {{"players": ["ann", "bob"]}}, a name for each seat')
    if told.get("checksum", record["checksum"]) != record["checksum"]:
        raise NotationError(f"{where} is of another record, whose checksum is {told['checksum']!r}: keep both in order")
    if len(names) != record["rules"]["num_seats"]:
        raise NotationError(f"{where} names {len(names)} players for {record['rules']['num_seats']} seats: name each")
    return tuple(names)
