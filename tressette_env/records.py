"""Game records: one episode per line of JSON (JSONL), and their replay, which fails loudly at what does not fit."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tressette_env.engine.entry import observe_one
from tressette_env.engine.game import Game
from tressette_env.engine.recording import (
    FORMAT,
    STATUSES,
    canonical,
    check_record,
    checksum,
    deal_entry,
    seed_deal_text,
    shown,
)
from tressette_env.errors import NotationError, TressetteError
from tressette_env.notation import parse_action, parse_deal
from tressette_env.observation import layout
from tressette_env.rules import Rules

__all__ = ["FORMAT", "check_record", "checksum", "format_record", "observations", "parse_record", "read_records"]
__all__ += ["replay", "replay_file", "replay_steps", "write_records"]


# ---------------------------------------------------------------- lines and files
def format_record(record: Mapping[str, Any]) -> str:
    """Return a record as one line of JSON, without the line end.

    >>> game = Game("gamelake", seed=1)
    >>> parse_record(format_record(game.record())) == game.record()
    True
    """
    return json.dumps(record, ensure_ascii=False, separators=(", ", ": "))


def parse_record(line: str) -> dict[str, Any]:
    """Return the record in one line of JSON.

    Raises ``NotationError`` for what is not JSON, not a record (see ``check_record``) or has another checksum.
    """
    record = _loaded(line)
    check_record(record)
    _check_checksum(record)
    return record


def write_records(path: str | Path, records: Iterable[Mapping[str, Any]]) -> None:
    """Write records to a file, one line each."""
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(format_record(record) + "\n" for record in records)


def read_records(path: str | Path) -> Iterator[dict[str, Any]]:
    """Yield the records of a file. Raises ``NotationError`` that names the first line that is not a record."""
    for number, line in _lines(path):
        try:
            yield parse_record(line)
        except NotationError as error:
            raise NotationError(f"{path}, line {number}: {error}") from None


def replay_file(path: str | Path) -> Iterator[Game]:
    """Yield the replayed game of every record of a file. Raises ``NotationError`` that names the first wrong line."""
    for number, line in _lines(path):
        try:
            yield replay(_loaded(line))
        except NotationError as error:
            raise NotationError(f"{path}, line {number}: {error}") from None


def _loaded(line: str) -> dict[str, Any]:
    """Return the JSON object in a line, once it is known to be one."""
    try:
        record = json.loads(line, object_pairs_hook=_without_repeats)
    except NotationError:
        raise
    except (ValueError, TypeError, RecursionError) as error:
        raise NotationError(f"the record is not JSON ({error}): one object per line") from None
    return record  # type: ignore[no-any-return]  # check_record refuses all but a mapping


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for key in keys if keys.count(key) > 1)
        raise NotationError(f"the record has the key {shown(repeated)} twice in one object: each key once")
    return values


def _lines(path: str | Path) -> Iterator[tuple[int, str]]:
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            try:
                text = line.decode("utf-8")
            except UnicodeDecodeError as error:
                raise NotationError(f"{path}, line {number}: the record is not UTF-8 text ({error})") from None
            if text.strip():
                yield number, text


# ---------------------------------------------------------------- replay
def replay(record: Mapping[str, Any]) -> Game:
    """Return the game that a record describes, played to its end, equal in every byte to the recorded one.

    Raises ``NotationError`` at the first key, deal, action or result that does not fit.

    >>> game = Game("gamelake", seed=1)
    >>> bool((replay(game.record()).get_state() == game.get_state()).all())
    True
    """
    *_, game = replay_steps(record)
    return game


def replay_steps(record: Mapping[str, Any]) -> Iterator[Game]:
    """Yield the game of a record after its first deal and after every action: one object, played on between yields.

    What any seat knew there is ``game.view(seat)`` or ``game.information_state_string(seat)``.
    Raises ``NotationError`` at the first key, deal, action or result that does not fit.
    """
    rules = check_record(record)
    deals = record["deals"]
    game = _first_deal(record, rules)
    _check_deal(game, deals)
    yield game
    for place, (seat, text) in enumerate(record["actions"]):
        what = f"action {place} of the record, {shown(text)}"
        if game.to_act < 0:
            raise NotationError(f"{what}, comes after the end: play is over there")
        if seat != game.to_act:
            raise NotationError(f"{what}, is by seat {seat}, but seat {game.to_act} is to act")
        try:
            game.step(parse_action(text, rules))
        except TressetteError as error:
            raise NotationError(f"{what}: {error}") from None
        _check_deal(game, deals)
        yield game
    if record["illegal_seat"] is not None:
        if record["illegal_seat"] != game.to_act:
            raise NotationError(f"the record's illegal_seat is {record['illegal_seat']}, but {game.to_act} is to act")
        game.forfeit()
        yield game
    _check_end(game, record)


def observations(record: Mapping[str, Any]) -> Iterator[tuple[int, np.ndarray, np.ndarray, int]]:
    """Yield (seat, observation, action mask, action) of every decision of a record, in order.

    observation float32 (F,) and mask int8 (A,) are fresh arrays, bit-equal to what the environment showed the seat.
    An illegal action that ended the episode is not part of a record. Raises as ``replay_steps`` does, at the latest
    after the last decision.

    >>> game = Game("gamelake", seed=1)
    >>> game.step(game.legal_actions()[0])
    >>> [(seat, mask[action]) for seat, _, mask, action in observations(game.record())] == [(game.actions[0][0], 1)]
    True
    """
    played = iter(record["actions"] if isinstance(record, Mapping) and "actions" in record else ())
    for game in replay_steps(record):
        for seat, text in played:
            observation = np.empty(layout(game.rules).size, np.float32)
            observe_one(game.states, game.table, game.words, seat, observation)
            yield seat, observation, game.mask.copy(), parse_action(text, game.rules)
            break


def _first_deal(record: Mapping[str, Any], rules: Rules) -> Game:
    """Return the game of a record with its first deal laid."""
    deals = []
    for place, entry in enumerate(record["deals"]):
        try:
            deals.append(parse_deal(entry["deal"], rules))
        except TressetteError as error:
            raise NotationError(f"deal {place} of the record: {error}") from None
    first = record["deals"][0]
    try:
        game = Game(rules, episode=record["episode"], reward=record["reward"])
        game.start_from(record["seed"], first["k"], deals, first["dealer"])
    except TressetteError as error:
        raise NotationError(f"the record cannot be played: {error}") from None
    return game


def _check_deal(game: Game, deals: list[dict[str, Any]]) -> None:
    """Check that the current deal is the record's, and the seed's unless the record says that it was given."""
    place = game.num_deals - 1
    if place >= len(deals):
        raise NotationError(f"the record has {len(deals)} deals, but its actions lead to one more")
    wanted, found = deals[place], deal_entry(game, place)
    for key in ("k", "dealer"):
        if wanted[key] != found[key]:
            raise NotationError(f"deal {place} of the record has {key} {wanted[key]}, but play leads to {found[key]}")
    if found["given"] and not wanted["given"]:
        text = seed_deal_text(game, found["k"], found["dealer"])
        raise NotationError(
            f"deal {place} of the record is {wanted['deal']!r}, but the seed {game.seed} deals {text!r}"
        )
    for key in ("deal", "given"):
        if wanted[key] != found[key]:
            raise NotationError(f"deal {place} of the record has {key} {wanted[key]!r}, which must be {found[key]!r}")


def _check_end(game: Game, record: Mapping[str, Any]) -> None:
    if game.num_deals != len(record["deals"]):
        raise NotationError(f"the record has {len(record['deals'])} deals, but its actions reach only {game.num_deals}")
    for place, (found, wanted) in enumerate(zip(game.results, record["results"], strict=False)):
        if canonical(found) != canonical(wanted):
            raise NotationError(f"result {place} of the record is {wanted}, but play gives {found}")
    if len(game.results) != len(record["results"]):
        raise NotationError(f"the record has {len(record['results'])} results, but play gives {len(game.results)}")
    if STATUSES[game.status] != record["status"]:
        raise NotationError(f"the record's status is {record['status']!r}, but play ends {STATUSES[game.status]!r}")
    _check_checksum(record)


def _check_checksum(record: Mapping[str, Any]) -> None:
    """Check what play alone cannot: names, fields and signals that this episode did not depend on."""
    found = checksum(record)
    if record["checksum"] != found:
        raise NotationError(
            f"the record's checksum is {shown(record['checksum'])}, but its content has {found!r}: it was edited or "
            "damaged; a record made by hand is closed with records.checksum(record)"
        )
