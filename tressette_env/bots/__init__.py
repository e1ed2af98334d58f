"""Torch-free opponents: each sees only the acting seat's view. ``make`` builds one by name."""

from dataclasses import dataclass
from typing import Any

from tressette_env.bots.base import BotError, KernelPolicy, Policy, parse_options
from tressette_env.bots.heuristic import heuristic_rows
from tressette_env.bots.simple import simple_rows
from tressette_env.bots.uniform import random_rows
from tressette_env.errors import nearest

__all__ = ["BOTS", "BotError", "KernelPolicy", "Policy", "available", "make"]


@dataclass(frozen=True)
class BotRow:
    """One bot: what it is, its compiled loop and its options with their defaults."""

    summary: str
    kernel: Any
    options: dict[str, Any]


BOTS = {
    "random": BotRow("a uniformly random legal action", random_rows, {"signals": True}),
    "simple": BotRow("a beginner: cheapest winner, longest suit, never signals (frozen yardstick)", simple_rows, {}),
    "heuristic": BotRow(
        "a club player: counts cards, feeds a winning partner, signals and obeys", heuristic_rows, {"signals": True}
    ),
}


def available() -> dict[str, str]:
    """Return the bots' names with one line on each.

    >>> sorted(available())
    ['heuristic', 'random', 'simple']
    """
    return {name: row.summary for name, row in BOTS.items()}


def make(text: str) -> KernelPolicy:
    """Return the bot that a text ``name`` or ``name:option=value,...`` names.

    Raises ``BotError`` for an unknown name or option.

    >>> make("heuristic:signals=off").name
    'heuristic:signals=off'
    """
    name, _, options = text.strip().partition(":")
    if name not in BOTS:
        raise BotError(f"unknown bot {name!r}{nearest(name, list(BOTS))}: the bots are {', '.join(BOTS)}")
    row = BOTS[name]
    values = parse_options(options, row.options, f"the bot {name!r}")
    return KernelPolicy(text.strip(), row.kernel, int(values.get("signals", True)))
