"""Prints what `evaluate.py --signals` found, from what it wrote: `signals.json` and `signals_heuristic.json`."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from docs.markdown import table

FOLDER = Path(__file__).resolve().parent
FILES = ("signals_heuristic.json", "signals.json")


def _arms() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the name and the data of every arm; the bot's is called by its name."""
    for file in FILES:
        for arm in json.loads((FOLDER / file).read_text(encoding="utf-8"))["signals"]["arms"]:
            players = list(arm["players"])
            yield (f"`{players[0]}`" if len(players) == 1 else arm["label"].removeprefix("tressette, ")), arm


def _between(arm: dict[str, Any], value: Callable[[dict[str, Any]], Any], digits: int) -> str:
    """Return the least and the greatest value over an arm's players, one number where they are the same."""
    found = [value(row) for row in arm["spoken"].values()]
    if any(number is None for number in found):
        return "inf"
    low, high = f"{min(found):.{digits}f}", f"{max(found):.{digits}f}"
    return low if low == high else f"{low} to {high}"


def told_table() -> str:
    """Return what each arm's players say and whom it moves: the least and the greatest of them."""
    rows = []
    for name, arm in _arms():
        if not arm["spoken"]:
            continue
        rows.append(
            (
                name,
                _between(arm, lambda row: 100 * (1 - row["rates"]["silence"]), 0),
                _between(arm, lambda row: row["told"]["onlooker"]["rest"]["bits"], 2),
                _between(arm, lambda row: row["told"]["partner"]["rest"]["bits"], 2),
                _between(arm, lambda row: row["told"]["opponents"]["rest"]["bits"], 2),
                _between(arm, lambda row: row["probe"]["rest"][0], 2),
                _between(arm, lambda row: 100 * row["influence"]["total_variation"][0], 1),
                _between(arm, lambda row: row["influence"]["kl"][0], 3),
                _between(arm, lambda row: row["influence"]["causal"][0], 4),
                _between(arm, lambda row: row["effect"]["points"][0], 2),
            )
        )
    heads = ("", "signals in 100 chances", "bits told: onlooker", "partner", "opponents", "probe")
    return table((*heads, "variation, %", "KL, bits", "causal bits", "points, as said minus otherwise"), rows)


def _estimate(row: dict[str, Any] | None) -> str:
    return f"{row['mean']:+.2f} [{row['low']:+.2f}, {row['high']:+.2f}]" if row else ""


def worth_table() -> str:
    """Return what the channel is worth to each arm, points per deal with 95 % intervals."""
    rows = []
    for name, arm in _arms():
        if arm["ablated"]:
            against = next(iter(arm["retrained"].values()), None)
            rows.append((name, *(_estimate(row) for row in arm["ablated"].values()), _estimate(against)))
    return table(("", "mute", "deaf", "misled", "forbidden", "over players trained without"), rows)


def agreement_table() -> str:
    """Return whose conventions agree, points per deal with 95 % intervals."""
    rows = []
    for name, arm in _arms():
        cross, renamed = arm["cross_play"], arm["cross_play_renamed"]
        rows.append(
            (
                name,
                _estimate(cross["own"]) if cross else "",
                _estimate(cross["gap"]) if cross else "",
                _estimate(renamed["gap"]) if renamed else "",
                _estimate(arm["ad_hoc_held_out"]),
                _estimate(arm["ad_hoc_others"]),
            )
        )
    heads = ("", "own", "own - cross", "own - cross, renamed", "strangers held out", "other strangers")
    return table(heads, rows)
