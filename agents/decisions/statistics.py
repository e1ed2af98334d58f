"""What recorded games come to: points per side and player with intervals, signals, declarations, length."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from rich.table import Table

from agents.decisions.games import ABANDONED, PLAYED, Games
from agents.results import interval

SAMPLES = dict[str, list[np.ndarray]]


@dataclass
class Group:
    """The games of one set of rules, sixteen bytes a deal and competitor.

    points, net: by competitor or player, per deal. The other numbers are counts over all games.
    """

    rules: str
    offered: tuple[str, ...]
    episodes: int = 0
    deals: int = 0
    abandoned: int = 0
    unfinished: int = 0
    decisions: int = 0
    cards: int = 0
    leads: int = 0
    declared: float = 0.0
    points: SAMPLES = field(default_factory=lambda: defaultdict(list))
    net: SAMPLES = field(default_factory=lambda: defaultdict(list))
    player_net: SAMPLES = field(default_factory=lambda: defaultdict(list))
    signals: Counter[str] = field(default_factory=Counter)
    declarations: Counter[str] = field(default_factory=Counter)

    def add(self, games: Games, deals: pd.DataFrame, plays: pd.DataFrame) -> None:
        """Count some more games, given with their frames."""
        self.episodes += len(np.unique(games.episode))
        self.deals += int((games.outcome == PLAYED).sum())
        self.abandoned += int((games.outcome == ABANDONED).sum())
        self.unfinished += int((games.outcome != PLAYED).sum() - (games.outcome == ABANDONED).sum())
        self.decisions += len(plays)
        self.cards += int((plays["kind"] == "play").sum())
        self.leads += int(plays["led"].sum())
        self.declared += float(deals.drop_duplicates(["episode", "deal", "side"])["declared"].sum())
        name = "seat" if games.rules.auction != "none" else "side"
        for competitor, own in deals.groupby("competitor"):
            self.points[f"{name} {competitor}"].append(own["points"].to_numpy())
            self.net[f"{name} {competitor}"].append(own["net"].to_numpy())
        for player, own in deals.groupby("player", observed=True):
            self.player_net[str(player)].append(own["net"].to_numpy())
        for column, counts in (("signal", self.signals), ("combination", self.declarations)):
            counts.update(plays[column].value_counts().loc[lambda times: times > 0].to_dict())

    def to_dict(self) -> dict[str, Any]:
        """Return the statistics as plain data; a mean without values, and an interval of one, is null."""
        done = max(1, self.deals)
        whole = max(1, self.deals + self.abandoned + self.unfinished)
        signals = {
            kind: {
                "count": self.signals[kind],
                "per_100_leads": 100 * self.signals[kind] / max(1, self.leads),
                "per_100_cards": 100 * self.signals[kind] / max(1, self.cards),
            }
            for kind in self.offered
        }
        return {
            "rules": self.rules,
            "episodes": self.episodes,
            "deals": self.deals,
            "abandoned": self.abandoned,
            "unfinished": self.unfinished,
            "decisions_per_deal": self.decisions / whole,
            "cards_per_deal": self.cards / whole,
            "places": [
                {"place": place, "points": _mean(self.points[place]), "net": _mean(self.net[place])}
                for place in sorted(self.points)
            ],
            "players": [{"player": name, "net": _mean(self.player_net[name])} for name in sorted(self.player_net)],
            "leads": self.leads,
            "cards": self.cards,
            "signals": signals,
            "declarations": dict(sorted(self.declarations.items())),
            "declared_points_per_deal": self.declared / done,
        }


class Statistics:
    """Adds up games, apart by rules."""

    def __init__(self) -> None:
        self.groups: dict[Any, Group] = {}

    def add(self, games: Games, deals: pd.DataFrame, plays: pd.DataFrame) -> None:
        """Count some games of the same rules, given with their frames."""
        rules = games.rules
        self.groups.setdefault(rules, Group(rules.name, rules.offered_signals)).add(games, deals, plays)

    def to_dict(self) -> dict[str, Any]:
        """Return the statistics as plain data, one entry per rules."""
        return {"rules": [group.to_dict() for group in self.groups.values()]}


def _mean(parts: list[np.ndarray]) -> dict[str, Any]:
    values = np.concatenate(parts)
    bounds = list(interval(values)) if len(values) > 1 else None
    return {"mean": float(values.mean()), "ci95": bounds, "n": len(values)}


# ---------------------------------------------------------------- tables
def shown(found: Statistics) -> Iterator[Table | str]:
    """Yield for each set of rules what its games come to, as tables for people, and a note at the end."""
    for group in found.to_dict()["rules"]:
        yield _points_table(group)
        yield _counts_table(group)
    yield (
        "means per deal with 95 % intervals, deals taken as independent; net: own points less the mean of the others', "
        "in auction games the payoff"
    )


def _points_table(group: dict[str, Any]) -> Table:
    table = Table(title=f"{group['rules']}: {group['episodes']:,} games, {group['deals']:,} deals played out")
    for header in ("", "points", "net", "deals"):
        table.add_column(header, justify="left" if not header else "right")
    for row in group["places"]:
        points, net = _with_interval(row["points"], ""), _with_interval(row["net"], "+")
        table.add_row(row["place"], points, net, f"{row['net']['n']:,}")
    for row in group["players"]:
        table.add_row(row["player"], "", _with_interval(row["net"], "+"), f"{row['net']['n']:,}")
    return table


def _with_interval(mean: dict[str, Any], sign: str) -> str:
    half = "" if mean["ci95"] is None else f" ± {(mean['ci95'][1] - mean['ci95'][0]) / 2:.2f}"
    return f"{mean['mean']:{sign}.2f}{half}"


def _counts_table(group: dict[str, Any]) -> Table:
    table = Table(title=f"{group['rules']}: what was done")
    for header in ("", "times", "per 100 leads", "per 100 cards"):
        table.add_column(header, justify="left" if not header else "right")
    for kind, row in group["signals"].items():
        table.add_row(kind, f"{row['count']:,}", f"{row['per_100_leads']:.1f}", f"{row['per_100_cards']:.1f}")
    for combination, times in group["declarations"].items():
        table.add_row(f"declare {combination}", f"{times:,}")
    table.add_row("decisions per deal", f"{group['decisions_per_deal']:.1f}")
    table.add_row("cards per deal", f"{group['cards_per_deal']:.1f}")
    table.add_row("points declared per deal", f"{group['declared_points_per_deal']:.2f}")
    for what in ("abandoned", "unfinished"):
        if group[what]:
            table.add_row(f"deals {what}", f"{group[what]:,}")
    return table
