"""Decisions as columns: which ones are kept, and the arrays of a Parquet file."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from agents.decisions.games import PLAYED, UNFINISHED, Games
from tressette_env.errors import TressetteError
from tressette_env.observation import layout
from tressette_env.rules import Rules

# name -> (type but for the two lists, meaning); docs/records.md prints this table
COLUMNS: dict[str, tuple[pa.DataType | None, str]] = {
    "observation": (None, "what the deciding seat was shown: the environment's floats, to the bit"),
    "action_mask": (None, "1 where an action was legal, the environment's"),
    "action": (pa.int16(), "id of the action taken"),
    "return": (pa.float32(), "points the deal paid the seat from there on, less the mean of the others'"),
    "seat": (pa.int8(), "who decided"),
    "side": (pa.int8(), "the seat's side as it turned out, -1 where an auction left it open"),
    "player": (pa.string(), "name of the player, null where nobody knows"),
    "episode": (pa.int64(), "number of the record in its file, or of the deal that bots played"),
    "deal": (pa.int32(), "number of the deal in its episode, abandoned ones counted"),
    "ply": (pa.int16(), "decisions of the same deal before this one"),
}


def schema(rules: Rules) -> pa.Schema:
    """Return the columns of a file of decisions under some rules."""
    lists = {
        "observation": pa.list_(pa.float32(), layout(rules).size),
        "action_mask": pa.list_(pa.int8(), rules.blocks.num_actions),
    }
    return pa.schema([(name, kind or lists[name]) for name, (kind, _) in COLUMNS.items()])


class FilterError(TressetteError):
    """A choice of decisions that cannot be made."""


@dataclass(frozen=True)
class Filter:
    """Which decisions are kept; those of deals without an end never are, as nobody knows what they led to."""

    seats: tuple[int, ...] = ()
    sides: tuple[int, ...] = ()
    players: tuple[str, ...] = ()
    winners_only: bool = False
    choices_only: bool = False

    def check(self, rules: Rules) -> None:
        """Raise ``FilterError`` for a seat or side that the rules do not have."""
        for what, numbers, count in (("seat", self.seats, rules.num_seats), ("side", self.sides, rules.num_sides)):
            for number in numbers:
                if not 0 <= number < count:
                    raise FilterError(f"{what} {number} is not one of {rules.name!r}: they are 0 to {count - 1}")

    def rows(self, games: Games) -> np.ndarray:
        """Return which decisions are kept, int64 (R,), rising."""
        deal, seat = games.deal_of, games.seats
        kept = games.outcome[deal] != UNFINISHED
        if self.seats:
            kept &= np.isin(seat, self.seats)
        if self.sides:
            kept &= np.isin(games.sides[deal, seat], self.sides)
        if self.players:
            kept &= np.isin(player_of(games).astype(str), self.players)
        if self.winners_only:
            kept &= (games.outcome[deal] == PLAYED) & (games.payoffs[deal, seat] > 0)
        rows = np.flatnonzero(kept)
        return rows[games.masks(rows).sum(1) > 1] if self.choices_only else rows

    def to_dict(self) -> dict[str, Any]:
        """Return the filter as plain data."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in vars(self).items()}


def player_of(games: Games) -> np.ndarray:
    """Return the name of the player of each decision, object (N,), None where nobody knows."""
    seats = games.rules.num_seats
    by_deal = np.array([names or (None,) * seats for names in games.players], object).reshape(-1, seats)
    return by_deal[games.deal_of, games.seats]


def table_of(games: Games, rows: np.ndarray) -> pa.Table:
    """Return some decisions as a table with the columns of ``schema``."""
    columns = schema(games.rules)
    shown, masks = games.observations(rows)
    deal, seat = games.deal_of[rows], games.seats[rows]
    arrays: dict[str, Any] = {
        "action": games.actions[rows].astype(np.int16),
        "return": games.returns[rows].astype(np.float32),
        "seat": seat,
        "side": games.sides[deal, seat],
        "player": player_of(games)[rows],
        "episode": games.episode[deal],
        "deal": games.number[deal].astype(np.int32),
        "ply": games.plies[rows].astype(np.int16),
    }
    for name, lists in (("observation", shown), ("action_mask", masks)):
        arrays[name] = pa.FixedSizeListArray.from_arrays(lists.reshape(-1), lists.shape[1])
    return pa.table([arrays[name] for name in columns.names], schema=columns)
