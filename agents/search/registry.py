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
    meaning: str
    words: tuple[str, ...] = ()
    least: int = 0
    greatest: int = 0


@dataclass(frozen=True)
class SearchRow:
    """One bot: what it is, ``factory(name, options)`` and its options."""

    summary: str
    factory: Callable[[str, dict[str, Any]], Policy]
    options: dict[str, Option]


def _worlds(default: int, greatest: int = 100_000) -> Option:
    return Option(default, "worlds sampled for a decision", least=1, greatest=greatest)


def _exact(default: int) -> Option:
    return Option(default, "worlds are solved once a hand holds so few cards", least=0, greatest=20)


PLAYED_OUT = Option("heuristic", "the bot that plays a world out", words=PLAYOUTS)
WORTH = Option(
    "auto",
    "what a deal played out is worth: as it is paid, exact trick points, or exact where no cappotto is paid",
    words=VALUES,
)
TRUST = Option(
    0, "per cent that each card the heuristic would not have played takes from a world's weight", least=0, greatest=99
)
TIME_MS = Option(
    0, "milliseconds after which a decision stops early, not repeatable; 0: no limit", least=0, greatest=3_600_000
)

SEARCH_BOTS = {
    "mc": SearchRow(
        "flat Monte Carlo: every action played out in the same sampled worlds",
        make_worlds,
        {"worlds": _worlds(100), "playouts": PLAYED_OUT, "value": WORTH, "trust": TRUST, "ms": TIME_MS},
    ),
    "pimc": SearchRow(
        "perfect-information Monte Carlo: worlds solved near the end, played out before",
        make_worlds,
        {
            "worlds": _worlds(20),
            "exact": _exact(6),
            "playouts": PLAYED_OUT,
            "value": WORTH,
            "trust": TRUST,
            "ms": TIME_MS,
        },
    ),
    "ismcts": SearchRow(
        "information set Monte Carlo tree search: one tree, another world in every iteration",
        make_ismcts,
        {
            "worlds": _worlds(1000, 1_000_000),
            "c": Option(0.8, "how much UCB explores, of the range of values met", least=0, greatest=100),
            "playouts": PLAYED_OUT,
            "value": WORTH,
            "ms": TIME_MS,
        },
    ),
    "cheat": SearchRow(
        "sees all hands: a yardstick for evaluate.py, not a player",
        make_cheat,
        {"exact": _exact(7), "playouts": PLAYED_OUT, "value": WORTH},
    ),
}


# A network that searches: `netsearch.player` makes it, since it takes another entry as an option.
NETSEARCH = "netsearch"
NETSEARCH_OPTIONS = {
    "policy": Option("", "run folder, checkpoint file or name of a shipped policy; must be given"),
    "worlds": _worlds(32, 10_000),
    "floor": Option(2, "per cent: actions that the network finds less likely are not tried", least=0, greatest=99),
    "prior": Option(
        30, "hundredths of a point that a nat of the network's log-probability counts", least=0, greatest=10_000
    ),
    "tricks": Option(
        -1, "tricks after this one that the network plays on before the heuristic does; -1: all", least=-1, greatest=40
    ),
    "trust": Option(
        0, "per cent: worlds weigh what the network plays in them what was played, to this power", least=0, greatest=100
    ),
    "bf16": Option(1, "1: bfloat16 in the worlds, faster on CPUs with AVX-512 BF16 or AMX", least=0, greatest=1),
}
_DESCRIBED = {name: (row.summary, row.options) for name, row in SEARCH_BOTS.items()} | {
    NETSEARCH: ("a network's likely actions, played out by itself in sampled worlds", NETSEARCH_OPTIONS)
}


def described() -> dict[str, tuple[str, dict[str, Option]]]:
    """Return the summary and the options of every bot that searches, by name."""
    return dict(_DESCRIBED)


def available() -> dict[str, str]:
    """Return the searching bots' names with one line on each and their options.

    >>> "mc" in available()
    True
    """
    return {name: f"{summary} ({_listed(options)})" for name, (summary, options) in described().items()}


def _listed(options: dict[str, Option]) -> str:
    return ", ".join(
        f"{key}={'|'.join((option.default, *(w for w in option.words if w != option.default)))}"
        if option.words
        else f"{key}={option.default}"
        for key, option in options.items()
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
    return row.factory(text.strip(), read_options(given, row.options, f"the bot {name!r}"))


def read_options(given: str, options: dict[str, Option], what: str) -> dict[str, Any]:
    """Return the values of ``key=value,...``, defaults for the others. Raises ``BotError`` for what is out of range."""
    values = parse_options(given, {key: option.default for key, option in options.items()}, what)
    for key, option in options.items():
        _check(key, values[key], option, what)
    return values


def _names() -> str:
    return ", ".join(SEARCH_BOTS)


def _check(key: str, value: Any, option: Option, what: str) -> None:
    if option.words:
        if value not in option.words:
            hint = nearest(value, list(option.words))
            raise BotError(f"the option {key} = {value!r} of {what} is not known{hint}: {' or '.join(option.words)}")
    elif not isinstance(value, str) and not option.least <= value <= option.greatest:
        raise BotError(
            f"the option {key} = {value} of {what} is out of range: from {option.least} to {option.greatest}"
        )
