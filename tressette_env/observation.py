"""The observation: its layout (SECTIONS by name), views into it, and decoding back. Kernels: `encoding`."""

import sys
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from tressette_env.cards import NUM_CARDS
from tressette_env.encoding import POINTS_SCALE
from tressette_env.engine.state import NUM_COMBINATIONS, PHASES
from tressette_env.errors import TressetteError
from tressette_env.presets import make_rules
from tressette_env.rules import BIDS_OF, Rules


@dataclass(frozen=True)
class Layout:
    """Where everything stands in the observation of some rules: ``planes`` per card, ``bits``, then ``scalars``."""

    planes: tuple[str, ...]  # one per card feature, in order
    bits: tuple[tuple[str, int], ...]  # (name, width) of the one-bit global sections
    scalars: tuple[tuple[str, int], ...]  # (name, width) of the fractional global sections

    @property
    def num_planes(self) -> int:
        """F of the card part (4, 10, F)."""
        return len(self.planes)

    @property
    def size(self) -> int:
        """Length of the observation; it leaves the remainder ``num_planes`` modulo 32, so the length tells F."""
        used = NUM_CARDS * self.num_planes + sum(width for _, width in self.bits + self.scalars)
        return used + (self.num_planes - used) % 32


@lru_cache(maxsize=64)
def layout(rules: Rules) -> Layout:
    """Return the layout of the observation under some rules; sections that the rules have no use for are absent."""
    n = rules.num_seats
    others = range(1, n)
    planes = (
        "hand",
        *(f"played_{r}" for r in range(n)),
        "led",
        "table",
        *(f"may_hold_{r}" for r in others),
        *(f"signal_{name}" for name in rules.offered_signals),
        "master",
        "beats",
        *(("dealt",) if rules.stock or rules.blocks.give else ()),
        *((*(f"known_{r}" for r in others), "undealt") if rules.stock or rules.monte else ()),
        *(("called",) if rules.blocks.call else ()),
        *(("given",) if rules.blocks.give else ()),
        *(("monte", "discarded") if rules.blocks.discard else ()),
        *(("place",) if rules.stock or rules.exchange_cards else ()),
        "trick",
    )
    bits = [("phase", 8), ("eldest", n), ("leader", n), ("cards_on_table", n), ("led_suit", 4), ("winning", n)]
    bits += [("trick_number", rules.num_tricks), ("void", 4 * (n - 1))]
    scalars = []
    if rules.declare != "off":
        bits.append(("missing_suit", 12 * n))
        scalars.append(("declared", NUM_COMBINATIONS * n))
    if rules.declare == "voluntary":
        bits.append(("own_done", 1))
    if rules.annul != "off":
        bits.append(("own_play_on", 1))
    if rules.trump != "none":
        bits += [("trump_suit", 4), ("trump_rank", 10)]
    if rules.objective == "min":
        bits.append(("contenders", rules.num_sides))
    if rules.auction != "none":
        bits += [("bids", n * len(rules.blocks.bids)), ("declarer", n), ("partner", n)]
        bits += [("called_from", n)] if rules.blocks.give else []
        bits.append(("extra", 1))
    competitors = rules.num_competitors
    scalars += [("captured", competitors), ("totals", competitors), ("table_points", 1), ("redeals", 1)]
    if rules.exchange_cards:
        scalars.append(("discards_due", 1))
    return Layout(planes, tuple(bits), tuple(scalars))


def planes(obs: np.ndarray) -> np.ndarray:
    """Return the card part of observations (..., F) as a view (..., 4 suits, 10 ranks, planes), no copy."""
    count = (obs.shape[-1] - 1) % 32 + 1
    return obs[..., : NUM_CARDS * count].reshape(*obs.shape[:-1], 4, 10, count)


def globals_(obs: np.ndarray) -> np.ndarray:
    """Return the global part of observations (..., F) as a view (..., G)."""
    return obs[..., NUM_CARDS * ((obs.shape[-1] - 1) % 32 + 1) :]


@dataclass(frozen=True)
class Section:
    """One named part of the observation: where it stands, its shape, what it means and what values it takes."""

    name: str
    part: str  # "planes": index along the last axis of `planes(obs)`; "globals": a slice of `globals_(obs)`
    where: int | slice
    shape: tuple[int, ...]
    meaning: str
    values: str

    @property
    def where_text(self) -> str:
        """The place as text, such as ``planes[..., 3]`` or ``globals[8:12]``."""
        if isinstance(self.where, slice):
            return f"globals[{self.where.start}:{self.where.stop}]"
        return f"planes[..., {self.where}]"


# Meaning and values by section name; a name that ends in a digit or names a signal is looked up by its stem.
_BIT = "0 or 1"
_ONE_HOT = "one-hot"
_MEANING: dict[str, tuple[str, str]] = {
    "hand": ("cards in the own hand", _BIT),
    "played": ("cards played by the seat this many places after the own one", _BIT),
    "led": ("cards led to a trick", _BIT),
    "table": ("cards in the trick under way", _BIT),
    "dealt": ("own cards as dealt", _BIT),
    "known": ("cards that the seat this many places on is known by all to hold", _BIT),
    "undealt": ("cards not seen and not known to be in a hand: some lie in the stock, the monte or the discards", _BIT),
    "called": ("the card that the declarer called", _BIT),
    "given": ("the card given back, face up, for the called one", _BIT),
    "monte": ("cards of the monte that the own seat has seen", _BIT),
    "discarded": ("own discards, the first 1 / cards exchanged, the last 1", "k / cards exchanged"),
    "place": ("where a card that the own seat drew, took or saw taken lay in stock and monte: first 1 / cards there, "
              "last 1; 0 = not known", "k / (stock + monte)"),
    "may_hold": ("cards that the seat this many places on may still hold, by what all have seen", _BIT),
    "signal": ("cards played with this signal", _BIT),
    "master": ("the strongest card still out in each suit, own hand inside", _BIT),
    "beats": ("own cards that beat the best card of the trick under way", _BIT),
    "trick": ("trick in which the card was played, first = 1 / tricks, last = 1; 0 = not played", "k / tricks"),
    "phase": ("own decision due: annul, bid, call, give, discard, declare, play; or over; none while others act",
              "one-hot or zeros"),
    "eldest": ("seat that leads the first trick, own seat first", _ONE_HOT),
    "leader": ("seat that leads the trick under way, own seat first", _ONE_HOT),
    "cards_on_table": ("number of cards in the trick under way", _ONE_HOT),
    "led_suit": ("suit led to the trick under way: c d s b", "one-hot or zeros"),
    "winning": ("seat that is winning the trick under way, own seat first", "one-hot or zeros"),
    "trick_number": ("number of the trick under way", "one-hot, zeros when over"),
    "void": ("suits c d s b that each next seat is known not to hold", _BIT),
    "missing_suit": ("per seat (own first) and rank A 2 3: the suit that a declared three of a kind lacks", _BIT),
    "declared": ("per seat (own first): napoletana c d s b, A, 2, 3; first declared 1, second 6/7, ...; 0 = not",
                 "0 or (8 - place) / 7"),
    "own_done": ("the own seat has said done", _BIT),
    "own_play_on": ("the own seat has said play on", _BIT),
    "trump_suit": ("suit of the exposed trump card: c d s b", _ONE_HOT),
    "trump_rank": ("rank of the exposed trump card: 4 5 6 7 J C K A 2 3", _ONE_HOT),
    "contenders": ("sides that can still win the match, own side first", _BIT),
    "bids": ("per seat (own first): its bid, pass first, then in rising order; zeros before it is asked",
             "one-hot or zeros"),
    "declarer": ("seat of the highest bid, own seat first", "one-hot or zeros"),
    "partner": ("the declarer's partner where the own seat knows it, own seat first", "one-hot or zeros"),
    "called_from": ("seat that handed the called card over, own seat first", "one-hot or zeros"),
    "extra": ("the match was level at its target: extra deals decide it", _BIT),
    "captured": ("sixths of a point taken in tricks, own side (in auction games own seat) first, without the "
                 "last-trick bonus; at the end monte and discards inside", "sixths / 72"),
    "totals": ("match totals, own side (in auction games own seat) first, this deal inside once it is over",
               "points / target"),
    "discards_due": ("cards that the declarer has still to discard", "count / cards exchanged"),
    "table_points": ("sixths of a point in the trick under way", "sixths / 72"),
    "redeals": ("abandoned deals in a row before this one", "count / seats"),
}  # fmt: skip


def describe(rules: Any = "tressette") -> list[Section]:
    """Return the named sections of the observation under some rules (anything ``make_rules`` takes), in order.

    >>> [section.where_text for section in describe("gamelake") if section.name in ("hand", "eldest")]
    ['planes[..., 0]', 'globals[8:12]']
    """
    resolved = make_rules(rules)
    shown = layout(resolved)
    sections = []
    for index, name in enumerate(shown.planes):
        meaning, values = _MEANING["may_hold" if name.startswith("may_hold") else name.split("_")[0]]
        sections.append(Section(name, "planes", index, (4, 10), meaning, values))
    at = 0
    for name, width in shown.bits + shown.scalars:
        meaning, values = _MEANING[name]
        sections.append(Section(name, "globals", slice(at, at + width), (width,), meaning, values))
        at += width
    padding = shown.size - NUM_CARDS * shown.num_planes - at
    if padding:
        meaning = "unused; makes the length tell the number of planes"
        sections.append(Section("padding", "globals", slice(at, at + padding), (padding,), meaning, "0"))
    return sections


def table_text(rules: Any = "tressette") -> str:
    """Return the sections as a Markdown table.

    >>> print(table_text("gamelake").splitlines()[4])
    | hand | `planes[..., 0]` | 4 x 10 | cards in the own hand | 0 or 1 |
    """
    resolved = make_rules(rules)
    shown = layout(resolved)
    lines = [
        f"Observation of `{resolved.name}`: {shown.size} floats: planes (4, 10, {shown.num_planes}), then globals.",
        "",
        "| section | where | shape | meaning | values |",
        "|---|---|---|---|---|",
    ]
    for s in describe(resolved):
        shape = " x ".join(str(side) for side in s.shape)
        lines.append(f"| {s.name} | `{s.where_text}` | {shape} | {s.meaning} | {s.values} |")
    return "\n".join(lines)


# ---------------------------------------------------------------- decoding
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
    parts = {s.name: globals_(obs)[s.where] for s in describe(resolved) if s.part == "globals"}
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


def main(names: list[str]) -> int:
    """Print the table of each named preset (default: ``tressette``) for the docs."""
    print("\n\n".join(table_text(name) for name in names or ["tressette"]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
