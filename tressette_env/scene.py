"""The facts of a table as people read them, taken from one record: what the text and the drawn pictures show."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tressette_env.cards import NUM_RANKS, from_bits
from tressette_env.engine.entry import view_one
from tressette_env.engine.game import Game
from tressette_env.engine.state import BID, BY_PASSES, GIVE, OVER, PHASES
from tressette_env.engine.text import auction, declarations
from tressette_env.rules import BIDS_OF, Rules

_DUE = {phase: phase for phase in PHASES} | {"annul": "say monte or not", "over": ""}  # what the seat to act is to do


class Share(NamedTuple):
    """A count of points and whose it is."""

    name: str
    team: int  # as of ``Place``
    sixths: int


@dataclass(frozen=True)
class Play:
    """A card put down."""

    seat: int
    card: int  # card id
    signal: str  # empty when silent


@dataclass(frozen=True)
class Trick:
    """Plays in order, the leader's first; ``best`` is the place of the card that takes it, or would as it stands."""

    plays: tuple[Play, ...]
    best: int
    finished: bool

    @property
    def taker(self) -> int:
        """Seat of the best card."""
        return self.plays[self.best].seat


@dataclass(frozen=True)
class Place:
    """One seat: what it holds as far as the viewer knows, and what it is."""

    seat: int
    team: int  # its side, -1 while an auction has not settled it
    alone: bool  # the side has no other seats
    cards: tuple[int, ...]  # known to be in the hand: by suit, strongest first
    count: int  # cards in the hand
    due: str  # what it is to do, empty when not to act
    deals: bool
    role: str  # "declarer", "partner" or empty
    bid: str  # while bids are made, else empty
    declared: tuple[str, ...]

    @property
    def count_text(self) -> str:
        """How many cards it holds, in words."""
        return "1 card" if self.count == 1 else f"{self.count} cards"

    @property
    def name(self) -> str:
        """The seat's name, with its side where that has other seats."""
        return f"seat {self.seat}" if self.team < 0 or self.alone else f"seat {self.seat} (side {self.team})"


@dataclass(frozen=True)
class Scene:
    """A table, all of it or what one seat, the viewer, knows.

    ``places`` are in order of play from the viewer on, from seat 0 where there is none.
    """

    rules: Rules
    deal_number: int | None
    dealer: int
    places: tuple[Place, ...]
    tricks: tuple[Trick, ...]  # finished ones, in order
    trick: Trick | None  # on the table: under way, or finished and not yet followed by a lead
    taken: tuple[Share, ...]  # captured, by side, or by seat where sides are not settled
    totals: tuple[Share, ...]  # of the match
    auction: tuple[str, ...]  # phrases, in order
    trump_card: int  # -1 without
    called: int  # card that the declarer named, -1 without
    stock: int  # cards left to draw
    monte: tuple[int, ...]  # as it lies before play: card ids, -1 for a card unseen
    result: tuple[str, ...]  # phrases once the deal is over, else empty

    @property
    def title(self) -> str:
        """Rules and number of the deal."""
        return self.rules.name + (f", deal {self.deal_number}" if self.deal_number is not None else "")


def scene_of(row: np.void, rules: Rules, seat: int | None, deal_number: int | None = None) -> Scene:
    """Return the scene of a record: of a seat's view, or of the full record with ``seat=None``."""
    finished, trick = _tricks(row, rules)
    first = seat or 0
    return Scene(
        rules=rules,
        deal_number=deal_number,
        dealer=int(row["dealer"]),
        places=tuple(_place(row, rules, (first + i) % rules.num_seats) for i in range(rules.num_seats)),
        tricks=finished,
        trick=trick,
        taken=_taken(row, rules),
        totals=_totals(row, rules),
        auction=tuple(auction(row, rules)) if rules.auction != "none" else (),
        trump_card=int(row["trump_card"]),
        called=int(row["called"]),
        stock=rules.stock - int(row["num_drawn"]),
        monte=_monte(row, rules),
        result=_result(row, rules),
    )


def scene_of_game(game: Game, seat: int | None = None) -> Scene:
    """Return the scene of a game where it stands: from a seat's view alone, or with all cards (``seat=None``)."""
    row = game.states[0] if seat is None else game.view(seat)[0]
    return scene_of(row, game.rules, seat, game.num_deals)


def scene_of_end(game: Game, seat: int | None = None, deal_number: int | None = None) -> Scene:
    """Return the scene at the end of the game's last deal with a result, as ``scene_of_game`` does."""
    states = game.finished[-1]
    if seat is not None:
        view_one(states.copy(), game.table, seat, states)
    return scene_of(states[0], game.rules, seat, deal_number)


def fraction_text(sixths: int) -> str:
    """Return sixths of a point as a mixed fraction.

    >>> [fraction_text(sixths) for sixths in (0, 2, 22, -3)]
    ['0', '1/3', '3 2/3', '-1/2']
    """
    whole, rest = divmod(abs(sixths), 6)
    parts = ("", "1/6", "1/3", "1/2", "2/3", "5/6")[rest]
    text = " ".join(part for part in (str(whole) if whole or not rest else "", parts) if part)
    return f"-{text}" if sixths < 0 else text


def by_suit(cards: Sequence[int]) -> tuple[int, ...]:
    """Return card ids in the order of a hand: suits c d s b, strongest first within each.

    >>> by_suit([13, 7, 9])
    (9, 7, 13)
    """
    return tuple(sorted(cards, key=lambda card: (card // NUM_RANKS, -card)))


# ---------------------------------------------------------------- parts
def _tricks(row: np.void, rules: Rules) -> tuple[tuple[Trick, ...], Trick | None]:
    """Return the finished tricks and the one on the table."""
    n = rules.num_seats
    played = row["played"][:n].tolist()
    signalled = row["signalled"][: len(rules.offered_signals)].tolist()
    plays = []
    for card in row["order"][: row["num_played"]].tolist():
        said = [name for name, bits in zip(rules.offered_signals, signalled, strict=True) if bits >> card & 1]
        plays.append(Play(next(s for s in range(n) if played[s] >> card & 1), card, "".join(said)))
    groups = [tuple(plays[i : i + n]) for i in range(0, len(plays), n)]
    best_card = int(row["best_card"])  # -1 once a trick is finished; a revoke leaves it
    finished = groups if best_card < 0 else groups[:-1]
    leaders = [group[0].seat for group in groups[1:]] + [int(row["leader"])]
    tricks = tuple(
        Trick(group, next(i for i, play in enumerate(group) if play.seat == taker), True)
        for group, taker in zip(finished, leaders, strict=False)
    )
    if best_card < 0:
        return tricks, tricks[-1] if tricks else None
    best = next(i for i, play in enumerate(groups[-1]) if play.card == best_card)
    return tricks, Trick(groups[-1], best, False)


def _place(row: np.void, rules: Rules, seat: int) -> Place:
    known = from_bits(int(row["hands"][seat]))
    count = cards_held(row, rules, seat)
    if len(known) < count:  # a hidden hand: what all have seen of it
        known = from_bits(int(row["exposed"][seat] & ~row["played"][seat]))
    bids = ("", "pass", *BIDS_OF[rules.auction])
    settled = _settled(row, rules)
    roles = {int(row["partner"]): "partner", int(row["declarer"]): "declarer"} if settled else {}
    return Place(
        seat=seat,
        team=_team(row, rules, seat),
        alone=rules.num_sides == rules.num_seats,
        cards=by_suit(known),
        count=count,
        due=_DUE[PHASES[row["phase"]]] if row["to_act"] == seat else "",
        deals=seat == row["dealer"],
        role=roles.get(seat, ""),
        bid="" if settled else bids[row["bids"][seat]],
        declared=tuple(text for other, text in declarations(row, rules) if other == seat),
    )


def cards_held(row: np.void, rules: Rules, seat: int) -> int:
    """Return how many cards a seat holds, from what all have seen."""
    count = rules.hand_size - int(row["played"][seat]).bit_count() + int(row["num_drawn"]) // rules.num_seats
    if seat == row["declarer"]:
        count += int(row["discards_due"]) + (row["phase"] == GIVE)
    elif seat == row["called_from"]:
        count -= row["phase"] == GIVE
    return int(count)


def _team(row: np.void, rules: Rules, seat: int) -> int:
    return int(row["side_of"][seat]) if _settled(row, rules) else -1


def _settled(row: np.void, rules: Rules) -> bool:
    """Return whether the sides are known, but for a secret partner: while bids are made the declarer may change."""
    return rules.sides != "auction" or (row["declarer"] >= 0 and row["phase"] != BID)


def _side_name(rules: Rules, side: int) -> str:
    """Return the name of a side: its seat where each seat is for itself."""
    alone = rules.num_sides == rules.num_seats and not isinstance(rules.sides, str)
    return f"seat {list(rules.sides).index(side)}" if alone else f"side {side}"


def _totals(row: np.void, rules: Rules) -> tuple[Share, ...]:
    totals = row["totals"][: rules.num_competitors].tolist()
    if rules.sides == "auction":
        return tuple(Share(f"seat {seat}", _team(row, rules, seat), total) for seat, total in enumerate(totals))
    return tuple(Share(_side_name(rules, side), side, total) for side, total in enumerate(totals))


def _taken(row: np.void, rules: Rules) -> tuple[Share, ...]:
    """Return what was captured by side; by seat in an auction whose sides are not settled for the viewer."""
    captured = row["captured"][: rules.num_seats].tolist()
    teams = [_team(row, rules, seat) for seat in range(rules.num_seats)]
    secret = rules.auction == "chiamata" and row["called"] >= 0 and row["partner"] < 0
    if not _settled(row, rules) or secret:
        return tuple(Share(f"seat {seat}", teams[seat], sixths) for seat, sixths in enumerate(captured))
    sums = [0] * rules.num_sides
    for team, sixths in zip(teams, captured, strict=True):
        sums[team] += sixths
    return tuple(Share(_side_name(rules, side), side, sixths) for side, sixths in enumerate(sums))


def _monte(row: np.void, rules: Rules) -> tuple[int, ...]:
    """Return the monte as it lies: -1 for what is unseen, nothing of what the declarer has taken up."""
    cards = row["undealt"][rules.stock : rules.stock + rules.monte].tolist()
    return tuple(cards[int(row["exchanged"]) :])


def _result(row: np.void, rules: Rules) -> tuple[str, ...]:
    """Return how the deal ended, in phrases."""
    if row["phase"] != OVER:
        return ()
    if row["abandoned"]:
        return ("no result", "all passed" if row["abandoned"] == BY_PASSES else "monte was called")
    if row["last_trick_seat"] < 0 and not row["points"].any():  # a revoke leaves points, whatever it pays
        return ("no result", "ended by an illegal action")
    names = [_side_name(rules, side) for side in range(rules.num_sides)]
    phrases = [", ".join(f"{name}: {fraction_text(int(row['points'][side]))}" for side, name in enumerate(names))]
    if row["last_trick_seat"] >= 0:
        phrases.append(f"last trick: seat {row['last_trick_seat']}")
    phrases += [f"cappotto: {name}" for side, name in enumerate(names) if row["cappotto"] >> side & 1]
    if row["match_winner"] >= 0:
        phrases.append(f"match won by {_totals(row, rules)[int(row['match_winner'])].name}")
    return tuple(phrases)
