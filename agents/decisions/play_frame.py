"""Actions as a pandas frame, a row each."""

from functools import lru_cache

import numpy as np
import pandas as pd

from agents.decisions.games import PLAYED, Games
from agents.decisions.rows import player_of
from agents.decisions.tabular import Columns, coded, framed, named, with_missing
from tressette_env.actions import KINDS, decode
from tressette_env.cards import CARD_TEXTS, RANKS, SUITS
from tressette_env.engine.state import PHASES
from tressette_env.notation import COMBINATION_TEXTS
from tressette_env.rules import BIDS_OF, SIGNALS, Rules

BIDS = ("pass", *dict.fromkeys(bid for bids in BIDS_OF.values() for bid in bids))
_PARTS = {"card": CARD_TEXTS, "signal": SIGNALS, "combination": COMBINATION_TEXTS, "bid": BIDS}

# docs/records.md prints this table
PLAY_COLUMNS: Columns = {
    "episode": ("int64", "number of the record in its file, from 0"),
    "deal": ("int16", "number of the deal in its episode, from 0, abandoned ones counted"),
    "rules": ("category", "name of the rules"),
    "ply": ("int16", "actions of the same deal before this one"),
    "trick": ("int8", "trick under way, from 1"),
    "seat": ("int8", "who acted"),
    "side": ("Int8", "the seat's side as it turned out; missing where an auction left it open"),
    "player": ("category", "name of the player; missing where nobody knows"),
    "phase": ("category", "what was due: annul, bid, call, give, discard, declare, play"),
    "legal": ("int16", "number of legal actions"),
    "action": ("int16", "id of the action"),
    "kind": ("category", "play, declare, done, monte, play_on, bid, call, give or discard"),
    "card": ("category", "card of a play, call, give or discard, such as 3c"),
    "suit": ("category", "its suit: c, d, s, b"),
    "rank": ("category", "its rank, ordered: 4 5 6 7 J C K A 2 3"),
    "signal": ("category", "signal of a play; missing when silent"),
    "combination": ("category", "what was declared"),
    "bid": ("category", "what was bid, pass inside"),
    "led": ("bool", "the card led to a trick"),
    "won": ("boolean", "the card took its trick; missing for other actions, and where the record stops before"),
    "return": (
        "float64",
        "points the deal paid the seat from there on, own less the others' mean; NaN without an end",
    ),
}


@lru_cache(maxsize=16)
def _codes(rules: Rules) -> dict[str, np.ndarray]:
    """Return what every action id is: places in KINDS and in the parts, -1 for none; int64 (A,) each."""
    actions = [decode(action, rules) for action in range(rules.blocks.num_actions)]
    codes = {"kind": np.array([KINDS.index(action.kind) for action in actions])}
    codes["card"] = np.array([action.card for action in actions])
    for part in ("signal", "combination", "bid"):
        names = _PARTS[part]
        told = [getattr(action, part) for action in actions]
        codes[part] = np.array([names.index(text) if text else -1 for text in told])
    return codes


def play_frame(games: Games) -> pd.DataFrame:
    """Return one row per action: columns ``PLAY_COLUMNS``."""
    rules, states, deal = games.rules, games.states, games.deal_of
    codes = {part: of_id[games.actions] for part, of_id in _codes(rules).items()}
    plays = codes["kind"] == KINDS.index("play")
    trick = states["num_played"] // rules.num_seats
    winner = _winners(games)[deal, np.minimum(trick, rules.num_tricks - 1)]
    side = games.sides[deal, games.seats]
    card = codes["card"]
    return framed(
        {
            "episode": games.episode[deal],
            "deal": games.number[deal],
            "rules": coded(np.zeros(len(deal)), [rules.name]),
            "ply": games.plies,
            "trick": trick + 1,
            "seat": games.seats,
            "side": with_missing(side, side < 0, "Int8"),
            "player": named(player_of(games).tolist()),
            "phase": coded(states["phase"], PHASES),
            "legal": games.masks().sum(1),
            "action": games.actions,
            "kind": coded(codes["kind"], KINDS),
            **{part: coded(codes[part], names) for part, names in _PARTS.items()},
            "suit": coded(np.where(card < 0, -1, card // 10), SUITS),
            "rank": coded(np.where(card < 0, -1, card % 10), RANKS, ordered=True),
            "led": plays & (states["best_card"] < 0),
            "won": with_missing(winner == games.seats, ~plays | (winner < 0), "boolean"),
            "return": games.returns,
        },
        PLAY_COLUMNS,
    )


def _winners(games: Games) -> np.ndarray:
    """Return who took every trick of every deal, int64 (D, tricks), -1 where the record does not say."""
    rules = games.rules
    winners = np.full((len(games.outcome), rules.num_tricks), -1, np.int64)
    done = games.states["num_played"] // rules.num_seats
    after = np.flatnonzero(done > 0)  # who leads now took the trick before
    winners[games.deal_of[after], done[after] - 1] = games.states["leader"][after]
    whole = np.flatnonzero((games.outcome == PLAYED) & (games.ends["last_trick_seat"] >= 0))
    winners[whole, -1] = games.ends["last_trick_seat"][whole]
    return winners
