"""How the printed documents write things: tables, field values, small numbers as words."""

from collections.abc import Iterable
from typing import Any

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def table(heads: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """Return a Markdown table."""
    lines = [list(heads)]
    lines += [["---"] * len(lines[0])]
    lines += [[str(cell) for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def yaml_text(held: Any) -> str:
    """Return a field's value as one writes it in YAML."""
    if isinstance(held, tuple):
        return "40" if held == tuple(range(40)) else f"[{', '.join(str(item) for item in held)}]"
    return str(held).lower() if isinstance(held, bool) else str(held)


def count(number: int, thing: str) -> str:
    """Return a number with its noun: `one card`, `four cards`, `12 cards`."""
    shown = NUMBERS[number] if number < len(NUMBERS) else str(number)
    return f"{shown} {thing}{'' if number == 1 else 's'}"


def listed(words: Iterable[str], last: str = "and") -> str:
    """Return words as a sentence lists them: `a, b and c`."""
    *front, end = words
    return f"{', '.join(front)} {last} {end}" if front else end


def span(block: range) -> str:
    """Return a block of ids as `first..last`, empty for an absent one."""
    return f"{block.start}..{block.stop - 1}" if block else ""
