"""The bots that search, by name: one row each. ``agents.entries`` makes them beside the bots of the package."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from agents.search.ismcts import make_ismcts
from agents.search.mc import make_cheat, make_worlds
from agents.search.rollouts import PLAYOUTS, VALUES
from tressette_env.bots import BotError, Policy
from tressette_env.bots.base import parse_options
from tressette_env.errors import nearest


@dataclass(frozen=True)
class Option:
    """One option of a bot: its default, and either the words it takes or the least and greatest number."""

    default: Any
    words: tuple[str, ...] = ()
    least: int = 0
    greatest: int = 0


@dataclass(frozen=True)
class SearchRow:
    """One bot: what it is, ``factory(name, options)`` and its options."""

    summary: str
    factory: Callable[[str, dict[str, Any]], Policy]
    options: dict[str, Option]


WORLDS = Option(100, least=1, greatest=100_000)
TIME_MS = Option(0, least=0, greatest=3_600_000)  # 0: no limit

TRUST = Option(0, least=0, greatest=99)  # per cent that a card off the bot's choice takes from a world's weight
PLAYED_OUT = Option("heuristic", words=PLAYOUTS)
WORTH = Option("auto", VALUES)

SEARCH_BOTS = {
    "mc": SearchRow(
        "flat Monte Carlo: every action played out in the same sampled worlds",
        make_worlds,
        {"worlds": WORLDS, "playouts": PLAYED_OUT, "value": WORTH, "trust": TRUST, "ms": TIME_MS},
    ),
    "pimc": SearchRow(
        "perfect-information Monte Carlo: worlds solved from `exact` tricks left on, played out before",
        make_worlds,
        {"worlds": Option(20, least=1, greatest=100_000), "exact": Option(6, least=0, greatest=20),
         "playouts": PLAYED_OUT, "value": WORTH, "trust": TRUST, "ms": TIME_MS},
    ),
    "ismcts": SearchRow(
        "information set Monte Carlo tree search: `worlds` iterations on one tree, UCB with the constant `c`",
        make_ismcts,
        {"worlds": Option(500, least=1, greatest=1_000_000), "c": Option(0.7, least=0, greatest=100),
         "playouts": PLAYED_OUT, "value": WORTH, "ms": TIME_MS},
    ),
    "cheat": SearchRow(
        "sees all hands: a yardstick for evaluate.py, not a player",
        make_cheat,
        {"exact": Option(7, least=0, greatest=20), "playouts": PLAYED_OUT, "value": WORTH},
    ),
}  # fmt: skip


def available() -> dict[str, str]:
    """Return the searching bots' names with one line on each and their options.

    >>> "mc" in available()
    True
    """
    return {name: f"{row.summary} ({_listed(row)})" for name, row in SEARCH_BOTS.items()}


def _listed(row: SearchRow) -> str:
    return ", ".join(
        f"{key}={'|'.join((option.default, *(w for w in option.words if w != option.default)))}"
        if option.words
        else f"{key}={option.default}"
        for key, option in row.options.items()
    )


def make_search(text: str) -> Policy:
    """Return the bot that a text ``name`` or ``name:option=value,...`` names.

    Raises ``BotError`` for an unknown name or option and for a value out of range.

    >>> make_search("mc:worlds=20").name
    'mc:worlds=20'
    """
    name, _, given = text.strip().partition(":")
    if name not in SEARCH_BOTS:
        raise BotError(f"unknown bot {name!r}{nearest(name, list(SEARCH_BOTS))}: those that search are {_names()}")
    row = SEARCH_BOTS[name]
    what = f"the bot {name!r}"
    values = parse_options(given, {key: option.default for key, option in row.options.items()}, what)
    for key, option in row.options.items():
        _check(key, values[key], option, what)
    return row.factory(text.strip(), values)


def _names() -> str:
    return ", ".join(SEARCH_BOTS)


def _check(key: str, value: Any, option: Option, what: str) -> None:
    if option.words:
        if value not in option.words:
            hint = nearest(value, list(option.words))
            raise BotError(f"the option {key} = {value!r} of {what} is not known{hint}: {' or '.join(option.words)}")
    elif not option.least <= value <= option.greatest:
        raise BotError(
            f"the option {key} = {value} of {what} is out of range: from {option.least} to {option.greatest}"
        )
