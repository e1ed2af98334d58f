"""Finished deals as a pandas frame, a row per competitor."""

import numpy as np
import pandas as pd

from agents.decisions.games import PLAYED, Games
from agents.decisions.tabular import Columns, coded, framed, named, with_missing
from agents.rooms import competitors
from tressette_env.rules import BIDS_OF

# docs/records.md prints this table
DEAL_COLUMNS: Columns = {
    "episode": ("int64", "number of the record in its file, from 0"),
    "deal": ("int16", "number of the deal in its episode, from 0, abandoned ones counted"),
    "rules": ("category", "name of the rules"),
    "seed": ("int64", "seed of the episode"),
    "k": ("int64", "number of the deal under that seed"),
    "dealer": ("int8", "seat that dealt"),
    "redeals": ("int8", "deals abandoned in a row before this one"),
    "competitor": ("int8", "side; where an auction makes the sides, seat"),
    "side": ("int8", "its side; after an auction 0 is the declarer's"),
    "player": ("category", "who played there, names joined by + where partners differ; missing where nobody knows"),
    "points": ("float64", "points of its side in the deal, declarations inside"),
    "captured_sixths": ("int16", "card points its side took, in sixths, exact; without the last-trick bonus"),
    "captured": ("float64", "the same in points"),
    "declared": ("float64", "points its side declared"),
    "last_trick": ("boolean", "its side took the last trick; missing after a revoke"),
    "cappotto": ("bool", "its side took nothing, or where fewest points win everything"),
    "net": ("float64", "what the deal paid, points: its own less the mean of the others', or an auction's payoff"),
    "total": ("float64", "its points of the match after the deal"),
    "bid": ("category", "highest bid; missing without an auction"),
    "declarer": ("boolean", "it is the declarer; missing without an auction"),
    "decisions": ("int16", "decisions of the deal, all seats'"),
    "cards": ("int8", "cards played in the deal"),
}


def deal_frame(games: Games) -> pd.DataFrame:
    """Return one row per deal that was played out and competitor: columns ``DEAL_COLUMNS``."""
    rules = games.rules
    count = rules.num_competitors
    deals = np.repeat(np.flatnonzero(games.outcome == PLAYED), count)
    ends = games.ends[deals]
    competitor = np.tile(np.arange(count), len(deals) // count)
    seat = np.unique(competitors(rules), return_index=True)[1][competitor]  # a seat of it
    side = games.sides[deals, seat]
    own = games.sides[deals] == side[:, None]
    last = ends["last_trick_seat"]
    captured = np.where(own, ends["captured"][:, : rules.num_seats], 0).sum(1)
    declared = np.where(own, ends["declared_sixths"][:, : rules.num_seats], 0).sum(1)
    bids = BIDS_OF[rules.auction]
    rows = np.arange(len(deals))
    return framed(
        {
            "episode": games.episode[deals],
            "deal": games.number[deals],
            "rules": coded(np.zeros(len(deals)), [rules.name]),
            "seed": games.seed[deals],
            "k": games.k[deals],
            "dealer": ends["dealer"],
            "redeals": ends["redeals"],
            "competitor": competitor,
            "side": side,
            "player": _players(games, deals, competitor),
            "points": ends["points"][rows, side] / 6.0,
            "captured_sixths": captured,
            "captured": captured / 6.0,
            "declared": declared / 6.0,
            "last_trick": with_missing(own[rows, last], last < 0, "boolean"),
            "cappotto": ends["cappotto"] >> side & 1 == 1,
            "net": games.payoffs[deals, seat],
            "total": ends["totals"][rows, competitor] / 6.0,
            "bid": coded(ends["bid"] - 1, bids),
            "declarer": with_missing(ends["declarer"] == seat, ends["declarer"] < 0, "boolean"),
            "decisions": games.counts[deals],
            "cards": ends["num_played"],
        },
        DEAL_COLUMNS,
    )


def _players(games: Games, deals: np.ndarray, competitor: np.ndarray) -> pd.Categorical:
    """Return the names at each competitor's seats."""
    of_seat = competitors(games.rules)
    names: list[str | None] = []
    for deal, own in zip(deals.tolist(), competitor.tolist(), strict=True):
        known = games.players[deal]
        sitting = [] if known is None else [known[seat] for seat in np.flatnonzero(of_seat == own)]
        names.append(" + ".join(dict.fromkeys(sitting)) or None)
    return named(names)
