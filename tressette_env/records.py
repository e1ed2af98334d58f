"""Game records: one episode per line of JSON (JSONL), and their replay, which fails loudly at what does not fit."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tressette_env.engine.game import Game
from tressette_env.errors import GameOverError, NotationError, TressetteError
from tressette_env.notation import parse_action, parse_deal
from tressette_env.rules import Rules

FORMAT = 1
_KEYS = ("format", "rules", "episode", "reward", "seed", "deals", "actions", "illegal_seat", "results")


def format_record(record: Mapping[str, Any]) -> str:
    """Return a record as one line of JSON, without the line end.

    >>> game = Game("gamelake", seed=1)
    >>> parse_record(format_record(game.record())) == game.record()
    True
    """
    return json.dumps(record, ensure_ascii=False, separators=(", ", ": "))


def parse_record(line: str) -> dict[str, Any]:
    """Return the record in one line of JSON. Raises ``NotationError`` for anything else or for another format."""
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise NotationError(f"the record is not JSON ({error}): one object per line") from None
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        found = record.get("format") if isinstance(record, dict) else type(record).__name__
        raise NotationError(f"the record has format {found!r}: this version reads format {FORMAT}")
    missing = [key for key in _KEYS if key not in record]
    if missing:
        raise NotationError(f"the record lacks {', '.join(missing)}: it must hold {', '.join(_KEYS)}")
    return record


def write_records(path: str | Path, records: Iterable[Mapping[str, Any]]) -> None:
    """Write records to a file, one line each."""
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(format_record(record) + "\n" for record in records)


def read_records(path: str | Path) -> Iterator[dict[str, Any]]:
    """Yield the records of a file. Raises ``NotationError`` that names the first line that cannot be read."""
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                try:
                    yield parse_record(line)
                except NotationError as error:
                    raise NotationError(f"{path}, line {number}: {error}") from None


def replay_file(path: str | Path) -> Iterator[Game]:
    """Yield the replayed game of every record of a file. Raises ``NotationError`` that names the first wrong line."""
    for number, record in enumerate(read_records(path), 1):
        try:
            yield replay(record)
        except TressetteError as error:
            raise NotationError(f"{path}, record {number}: {error}") from None


def replay(record: Mapping[str, Any]) -> Game:
    """Return the game that a record describes, played to its end, equal in every byte to the recorded one.

    Raises ``TressetteError`` at the first deal, action or result that does not fit.

    >>> game = Game("gamelake", seed=1)
    >>> bool((replay(game.record()).get_state() == game.get_state()).all())
    True
    """
    *_, game = replay_steps(record)
    return game


def replay_steps(record: Mapping[str, Any]) -> Iterator[Game]:
    """Yield the game of a record after its first deal and after every action: one object, played on between yields.

    Raises ``TressetteError`` at the first deal, action or result that does not fit.
    """
    deals = record["deals"]
    if not deals:
        raise NotationError("the record has no deals: it must hold at least the first")
    game = Game(Rules.from_dict(record["rules"]), episode=record["episode"], reward=record["reward"])
    given = [parse_deal(entry["deal"], game.rules) for entry in deals]
    game.start_from(record["seed"], deals[0]["k"], given, deals[0]["dealer"])
    _check_deal(game, deals)
    yield game
    for place, (seat, text) in enumerate(record["actions"]):
        if seat != game.to_act:
            raise NotationError(f"action {place} of the record, {text!r}, is by seat {seat}, not seat {game.to_act}")
        try:
            game.step(parse_action(text, game.rules))
        except (TressetteError, GameOverError) as error:
            raise NotationError(f"action {place} of the record, {text!r}: {error}") from None
        _check_deal(game, deals)
        yield game
    if record["illegal_seat"] is not None:
        if record["illegal_seat"] != game.to_act:
            raise NotationError(f"the record's illegal_seat is {record['illegal_seat']}, but {game.to_act} is to act")
        game.forfeit()
        yield game
    _check_end(game, record)


def _check_deal(game: Game, deals: list[dict[str, Any]]) -> None:
    """Check that the current deal is the record's."""
    place = game.num_deals - 1
    if place >= len(deals):
        raise NotationError(f"the record has {len(deals)} deals, but its actions lead to one more")
    found = {"k": game.k, "dealer": game.dealer}
    wanted = {key: deals[place][key] for key in found}
    if found != wanted:
        raise NotationError(f"deal {place} of the record says {wanted}, but play leads to {found}")


def _check_end(game: Game, record: Mapping[str, Any]) -> None:
    if game.num_deals != len(record["deals"]):
        raise NotationError(f"the record has {len(record['deals'])} deals, but its actions reach only {game.num_deals}")
    for place, (found, wanted) in enumerate(zip(game.results, record["results"], strict=False)):
        if found != wanted:
            raise NotationError(f"result {place} of the record is {wanted}, but play gives {found}")
    if len(game.results) != len(record["results"]):
        raise NotationError(f"the record has {len(record['results'])} results, but play gives {len(game.results)}")
