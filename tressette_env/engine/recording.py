"""The record of a game, plain data for one line of JSON closed by a checksum: how it is written, and its shape."""

import json
import reprlib
import zlib
from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from tressette_env.engine.dealing import deal
from tressette_env.engine.entry import deal_of_record
from tressette_env.engine.state import STATE_DTYPE
from tressette_env.errors import NotationError, TressetteError, nearest
from tressette_env.notation import action_texts, format_deal
from tressette_env.rules import EPISODES, REWARDS, Rules

if TYPE_CHECKING:
    from tressette_env.engine.game import Game

FORMAT = 2
STATUSES = ("running", "finished", "truncated")  # by `Game.status`
RECORD_KEYS = (
    *("format", "rules", "episode", "reward", "seed", "deals", "actions", "illegal_seat", "status", "results"),
    "checksum",
)
DEAL_KEYS = ("k", "dealer", "deal", "given")
RESULT_KEYS = ("captured_sixths", "declaration_points", "points", "totals", "last_trick_seat", "cappotto")

_MAX_SEED = 2**63 - 1
_MAX_K = 2**62
_REPR = reprlib.Repr()
_REPR.maxstring = _REPR.maxother = 80


# ---------------------------------------------------------------- writing
def canonical(value: Any) -> str:
    """Return plain data as JSON with sorted keys and no blanks, ASCII only: equal texts, equal data and types.

    >>> canonical({"b": [1, True], "a": "x"})
    '{"a":"x","b":[1,true]}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def checksum(record: Mapping[str, Any]) -> str:
    """Return the CRC-32, eight hex digits, of the canonical JSON of a record without its ``checksum``.

    >>> checksum({"seed": 1, "checksum": "anything"}) == checksum({"seed": 1})
    True
    """
    rest = {key: value for key, value in record.items() if key != "checksum"}
    return f"{zlib.crc32(canonical(rest).encode('ascii')):08x}"


def seed_deal_text(game: "Game", k: int, dealer: int) -> str:
    """Return the k-th deal of the game's seed as text (the dealer matters where his last card is the trump)."""
    states = np.zeros(1, STATE_DTYPE)
    states[0]["dealer"] = dealer
    deal(states[0], game.table[0], game.seed, k)
    return format_deal(deal_of_record(states[0], game.rules))


def deal_entry(game: "Game", place: int) -> dict[str, Any]:
    """Return the record's entry of one laid deal; ``given``: its cards are not those that the seed deals there."""
    k, row = game._laid[place]
    dealer = int(row[0]["dealer"])
    text = format_deal(deal_of_record(row[0], game.rules))
    return {"k": k, "dealer": dealer, "deal": text, "given": text != seed_deal_text(game, k, dealer)}


def record_of(game: "Game") -> dict[str, Any]:
    """Return the episode so far as plain data, with the keys ``RECORD_KEYS``."""
    texts = action_texts(game.rules)
    record = {
        "format": FORMAT,
        "rules": game.rules.to_dict(),
        "episode": game.episode,
        "reward": game.reward,
        "seed": game.seed,
        "deals": [deal_entry(game, place) for place in range(game.num_deals)],
        "actions": [[seat, texts[action]] for seat, action in game.actions],
        "illegal_seat": game.illegal_seat if game.illegal_seat >= 0 else None,
        "status": STATUSES[game.status],
        "results": game.results,
    }
    return record | {"checksum": checksum(record)}


# ---------------------------------------------------------------- the shape of a record
def check_record(record: Any) -> Rules:
    """Return the rules of a record, once every key, type and range in it is checked (nothing is played).

    Raises ``NotationError`` that names the first key that is wrong, its value and what would be accepted.
    """
    if not isinstance(record, Mapping) or record.get("format") != FORMAT or type(record["format"]) is not int:
        found = record.get("format") if isinstance(record, Mapping) else type(record).__name__
        if isinstance(record, Mapping) and "players" in record and found is None:
            raise NotationError(
                "the line says who sat where in a game and is no record of it: "
                "give the file of records beside this one, games.jsonl for games.players.jsonl"
            )
        raise NotationError(f"the record has format {shown(found)}: this version reads format {FORMAT}")
    _check_keys(record, RECORD_KEYS, "the record")
    rules = _read_rules(record["rules"])
    _check_one_of(record["episode"], EPISODES, "episode")
    _check_one_of(record["reward"], REWARDS, "reward")
    _check_one_of(record["status"], STATUSES, "status")
    _check_int(record["seed"], _MAX_SEED, "seed")
    if record["illegal_seat"] is not None:
        _check_int(record["illegal_seat"], rules.num_seats - 1, "illegal_seat", "null or ")
    _expect(isinstance(record["checksum"], str), "checksum", record["checksum"], "a text of eight hex digits")
    _check_deals(record["deals"], rules)
    _check_list(record["actions"], "actions")
    for place, entry in enumerate(record["actions"]):
        good = isinstance(entry, list) and len(entry) == 2 and isinstance(entry[1], str)
        _expect(good, f"actions[{place}]", entry, "a list of a seat and the text of an action, such as [0, '3c']")
        _check_int(entry[0], rules.num_seats - 1, f"actions[{place}][0]")
    _check_list(record["results"], "results")
    for place, entry in enumerate(record["results"]):
        _check_result(entry, rules, f"results[{place}]")
    return rules


def shown(value: Any) -> str:
    """Return a value for a message: its repr, cut where it is long."""
    return _REPR.repr(value)


def _expect(good: bool, what: str, value: Any, wanted: str) -> None:
    if not good:
        raise NotationError(f"{what} of the record is {shown(value)}: it must be {wanted}")


def _check_keys(value: Any, keys: tuple[str, ...], what: str) -> None:
    """Check that a value is an object with exactly these keys."""
    if not isinstance(value, Mapping):
        raise NotationError(f"{what} is {shown(value)}: it must be an object with the keys {', '.join(keys)}")
    missing = [key for key in keys if key not in value]
    if missing:
        raise NotationError(f"{what} lacks {', '.join(missing)}: it must hold {', '.join(keys)}")
    for key in value:
        if key not in keys:
            hint = nearest(str(key), list(keys))
            raise NotationError(f"{what} has the unknown key {shown(key)}{hint}: it holds {', '.join(keys)}")


def _check_int(value: Any, high: int, what: str, also: str = "") -> None:
    _expect(type(value) is int and 0 <= value <= high, what, value, f"{also}a whole number from 0 to {high}")


def _check_list(value: Any, what: str) -> None:
    _expect(isinstance(value, list), what, value, "a list")


def _check_one_of(value: Any, known: tuple[str, ...], what: str) -> None:
    _expect(isinstance(value, str) and value in known, what, value, f"one of {', '.join(known)}")


def _read_rules(values: Any) -> Rules:
    """Return the rules written in a record: every field once, as ``Rules.to_dict`` writes it."""
    _check_keys(values, tuple(field.name for field in fields(Rules)), "rules of the record")
    _expect(isinstance(values["name"], str), "rules.name", values["name"], "a text")
    try:
        rules = Rules.from_dict(values)
    except TressetteError as error:
        raise NotationError(f"rules of the record: {error}") from None
    for key, value in rules.to_dict().items():
        _expect(canonical(values[key]) == canonical(value), f"rules.{key}", values[key], f"written {value!r}")
    return rules


def _check_deals(deals: Any, rules: Rules) -> None:
    _check_list(deals, "deals")
    _expect(bool(deals), "deals", deals, "a list with at least the first deal")
    for place, entry in enumerate(deals):
        what = f"deals[{place}]"
        _check_keys(entry, DEAL_KEYS, f"{what} of the record")
        _check_int(entry["k"], _MAX_K, f"{what}.k")
        _check_int(entry["dealer"], rules.num_seats - 1, f"{what}.dealer")
        _expect(isinstance(entry["deal"], str), f"{what}.deal", entry["deal"], "a text")
        _expect(isinstance(entry["given"], bool), f"{what}.given", entry["given"], "true or false")


def _check_result(entry: Any, rules: Rules, what: str) -> None:
    _check_keys(entry, RESULT_KEYS, f"{what} of the record")
    last = entry["last_trick_seat"]
    if last is not None:
        _check_int(last, rules.num_seats - 1, f"{what}.last_trick_seat", "null or ")
    whole, points, flags = (int,), (int, float), (bool,)
    sides = {"captured_sixths": whole, "declaration_points": points, "points": points, "cappotto": flags}
    for key, kinds in (sides | {"totals": points}).items():
        size = rules.num_sides if key in sides else rules.num_competitors
        values = entry[key]
        good = isinstance(values, list) and len(values) == size and all(type(value) in kinds for value in values)
        _expect(good, f"{what}.{key}", values, f"a list of {size}, each {' or '.join(kind.__name__ for kind in kinds)}")
