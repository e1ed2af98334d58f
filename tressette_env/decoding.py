"""What a seat knows, read back from its observation."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from tressette_env.cards import NUM_CARDS
from tressette_env.encoding import POINTS_SCALE
from tressette_env.engine.state import NUM_COMBINATIONS, PHASES
from tressette_env.errors import TressetteError
from tressette_env.layout import globals_, layout, planes
from tressette_env.presets import make_rules
from tressette_env.rules import BIDS_OF, Rules


@dataclass(frozen=True)
class Play:
    """One card put down: seat counted from the own one, card id, signal name or None, number of the trick from 0."""

    seat: int
    card: int
    signal: str | None
    trick: int


@dataclass(frozen=True)
class Declaration:
    """One declaration: seat counted from the own one, index in the action block, missing suit (0..3) or None."""

    seat: int
    combination: int
    missing_suit: int | None


@dataclass(frozen=True)
class AuctionView:
    """What a seat knows of the auction and of what came of it. Seats count from the own one."""

    bids: tuple[str | None, ...]  # "pass" or a bid by seat, None before it is asked
    declarer: int | None  # highest bidder so far
    partner: int | None  # where the own seat knows it
    called: int | None  # card
    called_from: int | None  # seat that handed it over
    given: int | None  # card
    monte: tuple[int, ...]  # cards of it that the own seat has seen
    discarded: tuple[int, ...]  # own cards
    discards_due: int
    extra: bool  # the match was level at its target: extra deals decide it


@dataclass(frozen=True)
class SeatView:
    """What a seat knows, read back from an observation. Seats and sides count from the own one; points in sixths."""

    hand: tuple[int, ...]
    dealt: tuple[int, ...]
    plays: tuple[Play, ...]
    declarations: tuple[Declaration, ...]
    phase: str | None  # own decision due, "over", or None while another seat acts
    eldest: int
    leader: int
    table: tuple[int, ...]  # cards of the trick under way, in order
    may_hold: tuple[tuple[int, ...], ...]  # of each next seat
    voids: tuple[tuple[int, ...], ...]  # suits, of each next seat
    own_done: bool
    own_play_on: bool
    trump_card: int | None
    contenders: tuple[int, ...] | None  # sides; None where all always are
    captured: tuple[int, ...]
    totals: tuple[int, ...]
    redeals: int
    known: tuple[tuple[int, ...], ...] | None  # held for certain by each next seat; None without a stock or monte
    undealt: tuple[int, ...]  # cards in no known place: in a hand, the stock, the monte or the discards
    drawn: tuple[tuple[int, int], ...]  # (place in stock and monte from 0, card) of what the seat saw of them
    auction: AuctionView | None


def decode(obs: np.ndarray, rules: Any = "tressette") -> SeatView:
    """Return what the seat knows from its observation, float32 (F,), under some rules (anything ``make_rules`` takes).

    Raises ``TressetteError`` when the length is not that of the rules' observation.

    >>> decode(np.zeros(layout(make_rules("gamelake")).size, np.float32), "gamelake").hand
    ()
    """
    resolved = make_rules(rules)
    shown = layout(resolved)
    obs = np.asarray(obs)
    if obs.shape != (shown.size,):
        raise TressetteError(
            f"an observation of shape {obs.shape} cannot be read: {resolved.name!r} has shape ({shown.size},)"
        )
    cards = dict(zip(shown.planes, planes(obs).reshape(NUM_CARDS, -1).T, strict=True))
    parts = shown.parts(globals_(obs))
    n = resolved.num_seats
    plays = _plays(cards, resolved)
    leader = _hot(parts["leader"])
    on_table = _hot(parts["cards_on_table"])
    phase = _ones(parts["phase"])
    return SeatView(
        hand=_ones(cards["hand"]),
        dealt=_ones(cards["dealt"] if "dealt" in cards else cards["hand"] + cards["played_0"]),
        plays=plays,
        declarations=_declarations(parts, resolved),
        phase=PHASES[phase[0]] if phase else None,
        eldest=_hot(parts["eldest"]),
        leader=leader,
        table=tuple(play.card for play in plays[len(plays) - on_table :]),
        may_hold=tuple(_ones(cards[f"may_hold_{r}"]) for r in range(1, n)),
        voids=tuple(_ones(suits) for suits in parts["void"].reshape(n - 1, 4)),
        own_done=bool(parts["own_done"][0]) if "own_done" in parts else False,
        own_play_on=bool(parts["own_play_on"][0]) if "own_play_on" in parts else False,
        trump_card=10 * _hot(parts["trump_suit"]) + _hot(parts["trump_rank"]) if "trump_suit" in parts else None,
        contenders=_ones(parts["contenders"]) if "contenders" in parts else None,
        captured=_whole(parts["captured"] * POINTS_SCALE),
        totals=_whole(parts["totals"] * 6.0 * resolved.target),
        redeals=_whole(parts["redeals"] * n)[0],
        known=tuple(_ones(cards[f"known_{r}"]) for r in range(1, n)) if "undealt" in cards else None,
        undealt=_ones(cards["undealt"]) if "undealt" in cards else (),
        drawn=_places(cards.get("place", np.zeros(0)), resolved.stock + resolved.monte),
        auction=_auction(cards, parts, resolved) if resolved.auction != "none" else None,
    )


def _ones(values: np.ndarray) -> tuple[int, ...]:
    return tuple(int(i) for i in np.flatnonzero(values))


def _in_order(values: np.ndarray) -> tuple[int, ...]:
    """Return the places of the values that are not zero, by rising value."""
    return tuple(sorted(_ones(values), key=lambda place: float(values[place])))


def _hot(values: np.ndarray) -> int:
    return int(np.argmax(values))


def _whole(values: np.ndarray) -> tuple[int, ...]:
    return tuple(round(float(value)) for value in values)


def _auction(cards: dict[str, np.ndarray], parts: dict[str, np.ndarray], rules: Rules) -> AuctionView:
    names = ("pass", *BIDS_OF[rules.auction])
    bids = (_only(row) for row in parts["bids"].reshape(rules.num_seats, len(names)))
    nothing = np.zeros(0)
    return AuctionView(
        bids=tuple(None if bid is None else names[bid] for bid in bids),
        declarer=_only(parts["declarer"]),
        partner=_only(parts["partner"]),
        called=_only(cards["called"]),
        called_from=_only(parts.get("called_from", nothing)),
        given=_only(cards.get("given", nothing)),
        monte=_ones(cards.get("monte", nothing)),
        discarded=_in_order(cards.get("discarded", nothing)),
        discards_due=_whole(parts["discards_due"] * rules.exchange_cards)[0] if "discards_due" in parts else 0,
        extra=bool(parts["extra"][0]),
    )


def _places(values: np.ndarray, size: int) -> tuple[tuple[int, int], ...]:
    return tuple((round(float(values[card]) * size) - 1, card) for card in _in_order(values))


def _only(values: np.ndarray) -> int | None:
    """Return the place of the one value that is not zero, None where all are."""
    places = _ones(values)
    return places[0] if places else None


def _plays(cards: dict[str, np.ndarray], rules: Rules) -> tuple[Play, ...]:
    """Return the plays in order: by trick, and inside a trick from the seat that led."""
    n = rules.num_seats
    found = []
    for seat in range(n):
        for card in _ones(cards[f"played_{seat}"]):
            trick = round(float(cards["trick"][card]) * rules.num_tricks) - 1
            signal = next((name for name in rules.offered_signals if cards[f"signal_{name}"][card]), None)
            found.append(Play(seat, card, signal, trick))
    leaders = {play.trick: play.seat for play in found if cards["led"][play.card]}
    return tuple(sorted(found, key=lambda play: (play.trick, (play.seat - leaders[play.trick]) % n)))


def _declarations(parts: dict[str, np.ndarray], rules: Rules) -> tuple[Declaration, ...]:
    """Return the declarations in order: seats speak from the eldest, each in its own sequence."""
    if "declared" not in parts:
        return ()
    n = rules.num_seats
    places = parts["declared"].reshape(n, NUM_COMBINATIONS)
    missing = parts["missing_suit"].reshape(n, 3, 4)
    eldest = _hot(parts["eldest"])
    found = []
    for i in range(n):
        seat = (eldest + i) % n
        for combination in sorted(_ones(places[seat]), key=lambda c: -places[seat, c]):
            suits = _ones(missing[seat, combination - 4]) if combination >= 4 else ()
            found.append(Declaration(seat, combination, suits[0] if suits else None))
    return tuple(found)
