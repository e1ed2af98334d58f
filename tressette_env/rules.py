"""The rules object: every variant is one row of these fields, checked once, given to the kernels as ints."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from tressette_env.cards import NUM_CARDS, RANK_SIXTHS, format_hand, parse_cards, to_bits
from tressette_env.errors import NotationError, RulesError, nearest

MAX_SEATS = 5
SIGNALS = ("busso", "volo", "striscio", "striscio_corto", "striscio_lungo")
BUSSO, VOLO, STRISCIO, STRISCIO_CORTO, STRISCIO_LUNGO = range(5)
EPISODES = ("deal", "match")
REWARDS = ("deal", "trick", "match")

# Allowed values of the fields that are one word; the kernels see the position in the row.
DOMAINS: dict[str, tuple[str, ...]] = {
    "follow": ("always", "free_while_stock"),
    "trump": ("none", "last_dealt"),
    "declare": ("off", "voluntary", "automatic"),
    "declare_when": ("before_first_lead", "own_first_turn", "end_first_trick"),
    "signal_seat": ("leader", "any"),
    "signal_mode": ("off", "truthful", "free"),
    "signal_heard_by": ("all", "partner"),
    "signal_noise_kind": ("drop", "replace"),
    "remainder": ("floor_each", "last_trick_takes_rest", "exact"),
    "objective": ("max", "min"),
    "cappotto": ("none", "double", "plus_one", "shoot", "ends_match"),
    "annul": ("off", "below_one_point"),
    "auction": ("none", "calabresella", "chiamata"),
    "revoke": ("masked", "take_all", "flat_11"),
}
CAPPOTTO_OF = {"max": ("none", "double", "plus_one"), "min": ("none", "shoot", "ends_match")}
BIDS_OF = {"none": (), "calabresella": ("chiamo", "solo", "solissimo"), "chiamata": ("chiamo", "solo")}
INT_RANGES = {
    "num_seats": (2, MAX_SEATS),
    "hand_size": (1, NUM_CARDS // 2),
    "stock": (0, NUM_CARDS),
    "monte": (0, NUM_CARDS),
    "busso_min_rest": (1, 9),
    "striscio_min_rest": (1, 9),
    "striscio_corto_min_rest": (1, 9),
    "striscio_lungo_min_rest": (1, 9),
    "signal_noise": (0, 100),
    "target": (1, 1000),
}

# What the kernels read. One record per (rules, episode, reward); every member is a plain integer.
RULES_DTYPE = np.dtype(
    [(name, "i8") for name in DOMAINS]
    + [(name, "i8") for name in INT_RANGES]
    + [("side_of", "i8", MAX_SEATS), ("signal_kind", "i8", len(SIGNALS))]
    + [
        (name, "i8")
        for name in (
            "num_sides",
            "num_competitors",
            "num_signals",
            "num_tricks",
            "deck",
            "draw_shown",
            "signal_sides",
            "signals_clear",
            "signals_bind",
            "striscio_no_honours",
            "bonus_sixths",
            "exchange_cards",
            "whole_total_sixths",
            "first_declaration",
            "first_annul",
            "first_bid",
            "first_call",
            "first_give",
            "first_discard",
            "num_actions",
            "match_episode",
            "reward_mode",
        )
    ]
)


@dataclass(frozen=True)
class Blocks:
    """Where each block of action ids starts; an absent block has length 0."""

    plays: range
    declarations: range
    annul: range
    bids: range
    call: range
    give: range
    discard: range

    @property
    def num_actions(self) -> int:
        """Total number of action ids."""
        return self.discard.stop


@dataclass(frozen=True)
class Rules:
    """One variant of the family. Fields, domains and defaults: docs/rules, "The rules object".

    Raises ``RulesError`` (naming field, value and what would be accepted) when the fields do not fit together.

    >>> Rules().hand_size
    10
    """

    name: str = "custom"
    num_seats: int = 4
    sides: tuple[int, ...] | str = (0, 1, 0, 1)
    deck: tuple[int, ...] = tuple(range(NUM_CARDS))
    hand_size: int = 10
    stock: int = 0
    monte: int = 0
    follow: str = "always"
    draw_shown: bool = False
    trump: str = "none"
    declare: str = "voluntary"
    declare_when: str = "before_first_lead"
    signals: tuple[str, ...] = ("busso", "volo", "striscio")
    signal_seat: str = "leader"
    signal_mode: str = "truthful"
    signal_sides: tuple[int, ...] | str = "all"
    signal_heard_by: str = "all"
    signal_noise: int = 0
    signal_noise_kind: str = "drop"
    busso_min_rest: int = 1
    striscio_min_rest: int = 2
    striscio_no_honours: bool = True
    striscio_corto_min_rest: int = 3
    striscio_lungo_min_rest: int = 5
    last_trick_bonus: float = 1
    remainder: str = "floor_each"
    objective: str = "max"
    cappotto: str = "none"
    annul: str = "off"
    auction: str = "none"
    exchange_cards: int = 0
    revoke: str = "masked"
    target: int = 21

    def __post_init__(self) -> None:
        check(self)

    # ---- derived ----
    @property
    def num_sides(self) -> int:
        """Number of sides."""
        return 2 if isinstance(self.sides, str) else max(self.sides) + 1

    @property
    def num_competitors(self) -> int:
        """Number of totals in a match: one per side, in auction games one per seat."""
        return self.num_seats if self.sides == "auction" else self.num_sides

    @property
    def num_tricks(self) -> int:
        """Tricks in one deal."""
        return self.hand_size + self.stock // self.num_seats

    @property
    def offered_signals(self) -> tuple[str, ...]:
        """The signals that have action ids: none when the mode is off."""
        return () if self.signal_mode == "off" else self.signals

    @property
    def bonus_sixths(self) -> int:
        """The last-trick bonus in sixths of a point."""
        return round(self.last_trick_bonus * 6)

    @property
    def whole_total(self) -> int:
        """The deal's whole total in points: floor(all card points of the deck + bonus); 11 in the full game."""
        return (sum(RANK_SIXTHS[card % 10] for card in self.deck) + self.bonus_sixths) // 6

    @cached_property
    def blocks(self) -> Blocks:
        """The action ids of these rules, in consecutive blocks.

        >>> Rules().blocks.num_actions
        168
        """
        sizes = (
            NUM_CARDS * (1 + len(self.offered_signals)),
            8 if self.declare == "voluntary" else 0,
            2 if self.annul != "off" else 0,
            1 + len(BIDS_OF[self.auction]) if self.auction != "none" else 0,
            NUM_CARDS if self.auction != "none" else 0,
            NUM_CARDS if self.auction == "calabresella" else 0,
            NUM_CARDS if self.exchange_cards else 0,
        )
        starts = [sum(sizes[:i]) for i in range(len(sizes))]
        return Blocks(*(range(start, start + size) for start, size in zip(starts, sizes, strict=True)))

    def table(self, episode: str = "deal", reward: str = "deal") -> np.ndarray:
        """Return the kernels' form: array of shape (1,) and dtype ``RULES_DTYPE``."""
        table = np.zeros(1, RULES_DTYPE)
        row = table[0]
        for name, domain in DOMAINS.items():
            row[name] = domain.index(getattr(self, name))
        for name in INT_RANGES:
            row[name] = getattr(self, name)
        sides = (1,) * self.num_seats if isinstance(self.sides, str) else self.sides
        row["side_of"][: self.num_seats] = sides
        row["signal_kind"][: len(self.offered_signals)] = [SIGNALS.index(name) for name in self.offered_signals]
        may_signal = range(self.num_sides) if isinstance(self.signal_sides, str) else self.signal_sides
        blocks = self.blocks
        row["num_sides"] = self.num_sides
        row["num_competitors"] = self.num_competitors
        row["num_signals"] = len(self.offered_signals)
        row["num_tricks"] = self.num_tricks
        row["deck"] = to_bits(self.deck)
        row["draw_shown"] = self.draw_shown
        row["signal_sides"] = to_bits(may_signal)
        row["signals_clear"] = self.signal_noise == 0 and self.signal_heard_by == "all"
        misheard = self.signal_noise > 0 and self.signal_noise_kind == "replace"
        row["signals_bind"] = self.signal_mode == "truthful" and not misheard
        row["striscio_no_honours"] = self.striscio_no_honours
        row["bonus_sixths"] = self.bonus_sixths
        row["exchange_cards"] = self.exchange_cards
        row["whole_total_sixths"] = 6 * self.whole_total
        row["first_declaration"] = blocks.declarations.start
        row["first_annul"] = blocks.annul.start
        row["first_bid"] = blocks.bids.start
        row["first_call"] = blocks.call.start
        row["first_give"] = blocks.give.start
        row["first_discard"] = blocks.discard.start
        row["num_actions"] = blocks.num_actions
        row["match_episode"] = EPISODES.index(episode)
        row["reward_mode"] = REWARDS.index(reward)
        return table

    # ---- text ----
    def to_dict(self) -> dict[str, Any]:
        """Return the full values as plain data (for YAML and JSON); ``from_dict`` reads it back."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        values["deck"] = 40 if len(self.deck) == NUM_CARDS else format_hand(self.deck)
        return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Rules":
        """Return rules from plain data; a field left out has its default. Raises ``RulesError``."""
        known = [f.name for f in fields(cls)]
        plain: dict[str, Any] = {}
        for key, value in values.items():
            if key not in known:
                raise RulesError(
                    f"unknown rules field {key!r}{nearest(str(key), known)}: the fields are {', '.join(known)}"
                )
            plain[key] = _normalised(key, value)
        return cls(**plain)


def _normalised(key: str, value: Any) -> Any:
    """Return a field's value as the dataclass holds it: YAML lists as tuples, YAML's off and no as words."""
    if key == "deck":
        return _deck(value)
    if key in DOMAINS and value is False:  # YAML reads a bare `off` as False
        return "off"
    if key in ("sides", "signals", "signal_sides") and value is None:
        return ()
    return tuple(value) if isinstance(value, list) else value


def _deck(value: Any) -> tuple[int, ...]:
    if value == NUM_CARDS:
        return tuple(range(NUM_CARDS))
    if isinstance(value, (list, tuple)) and all(isinstance(card, int) for card in value):
        return tuple(value)
    try:
        return tuple(sorted(parse_cards(value if isinstance(value, str) else "".join(value))))
    except (TypeError, NotationError) as error:
        raise RulesError(f"deck = {value!r} is not 40 or a text of cards such as '4cKcAc3c': {error}") from None


def check(rules: Rules) -> None:
    """Raise ``RulesError`` at the first field that is out of its domain or does not fit the others."""
    _check_domains(rules)
    _check_sides(rules)
    _check_cards(rules)
    _check_signals(rules)
    _check_together(rules)
    _check_auction(rules)


def _check_domains(rules: Rules) -> None:
    if not isinstance(rules.name, str) or not rules.name.strip() or not rules.name.isprintable():
        raise RulesError(f"name = {rules.name!r} is not a name: give a short text such as 'my rules'")
    for name, domain in DOMAINS.items():
        value = getattr(rules, name)
        if value not in domain:
            raise RulesError(f"{name} = {value!r} is not one of {', '.join(domain)}")
    for name, (low, high) in INT_RANGES.items():
        value = getattr(rules, name)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise RulesError(f"{name} = {value!r} is out of range: a whole number from {low} to {high}")
    for name in ("draw_shown", "striscio_no_honours"):
        if not isinstance(getattr(rules, name), bool):
            raise RulesError(f"{name} = {getattr(rules, name)!r} is not true or false")
    if isinstance(rules.last_trick_bonus, bool) or rules.last_trick_bonus not in (0, 0.5, 1):
        raise RulesError(f"last_trick_bonus = {rules.last_trick_bonus!r} is not one of 0, 0.5, 1")
    if isinstance(rules.exchange_cards, bool) or rules.exchange_cards not in (0, 2, 4):
        raise RulesError(f"exchange_cards = {rules.exchange_cards!r} is not one of 0, 2, 4")


def _check_sides(rules: Rules) -> None:
    sides = rules.sides
    if sides == "auction":
        if rules.auction == "none":
            raise RulesError("sides = 'auction' needs an auction: set auction, or give the side of each seat")
        return
    if not isinstance(sides, tuple) or not all(type(side) is int for side in sides) or len(sides) != rules.num_seats:
        raise RulesError(f"sides = {sides!r} does not name one side for each of num_seats = {rules.num_seats} seats")
    used = sorted(set(sides))
    if len(used) < 2 or used != list(range(len(used))):
        raise RulesError(f"sides = {sides!r} must use the numbers 0, 1, ... without gaps, at least two of them")
    if rules.auction != "none":
        raise RulesError(f"auction = {rules.auction!r} decides the sides: sides must be 'auction', not {sides!r}")


def _check_auction(rules: Rules) -> None:
    if rules.exchange_cards and rules.auction != "calabresella":
        raise RulesError(
            f"exchange_cards = {rules.exchange_cards} does not go with auction = {rules.auction!r}: "
            "only the declarer of a calabresella exchanges cards, so set exchange_cards = 0"
        )
    if rules.exchange_cards > rules.monte:
        raise RulesError(f"exchange_cards = {rules.exchange_cards} is more than monte = {rules.monte}")
    if rules.auction != "none" and rules.objective == "min":
        raise RulesError(
            f"auction = {rules.auction!r} does not go with objective = 'min': its payoffs are won, use max"
        )
    if rules.auction == "chiamata" and rules.num_seats < 4:
        raise RulesError(
            f"auction = 'chiamata' does not go with num_seats = {rules.num_seats}: "
            "it takes a declarer, a partner and at least two opponents, so 4 or 5"
        )


def _check_cards(rules: Rules) -> None:
    deck = rules.deck
    known = isinstance(deck, tuple) and all(type(card) is int and 0 <= card < NUM_CARDS for card in deck)
    if not known or len(set(deck)) != len(deck):
        raise RulesError(f"deck = {deck!r} must hold distinct card ids from 0 to {NUM_CARDS - 1}")
    dealt = rules.num_seats * rules.hand_size + rules.stock + rules.monte
    if dealt != len(deck):
        raise RulesError(
            f"hand_size = {rules.hand_size} for {rules.num_seats} seats with stock = {rules.stock} and "
            f"monte = {rules.monte} takes {dealt} cards, but the deck has {len(deck)}"
        )
    if rules.stock % rules.num_seats:
        raise RulesError(f"stock = {rules.stock} does not divide among num_seats = {rules.num_seats}")


def _check_signals(rules: Rules) -> None:
    if (
        not isinstance(rules.signals, tuple)
        or not all(isinstance(name, str) for name in rules.signals)
        or len(set(rules.signals)) != len(rules.signals)
    ):
        raise RulesError(f"signals = {rules.signals!r} must be a list of different signals from {', '.join(SIGNALS)}")
    for signal in rules.signals:
        if signal not in SIGNALS:
            raise RulesError(
                f"signals names {signal!r}{nearest(str(signal), list(SIGNALS))}: choose from {', '.join(SIGNALS)}"
            )
    allowed = rules.signal_sides
    if allowed != "all" and not (
        isinstance(allowed, tuple) and all(isinstance(s, int) and 0 <= s < rules.num_sides for s in allowed)
    ):
        raise RulesError(f"signal_sides = {allowed!r} is not 'all' or a list of sides 0..{rules.num_sides - 1}")
    if rules.striscio_corto_min_rest >= rules.striscio_lungo_min_rest:
        raise RulesError(
            f"striscio_corto_min_rest = {rules.striscio_corto_min_rest} must be below "
            f"striscio_lungo_min_rest = {rules.striscio_lungo_min_rest}"
        )


def _check_together(rules: Rules) -> None:
    if rules.declare != "off":
        if rules.objective == "min":
            raise RulesError(f"declare = {rules.declare!r} does not go with objective = 'min': set declare = 'off'")
        if rules.auction != "none" or rules.stock:
            other = f"auction = {rules.auction!r}" if rules.auction != "none" else f"stock = {rules.stock}"
            raise RulesError(f"declare = {rules.declare!r} does not go with {other}: set declare = 'off'")
    if rules.declare == "automatic" and rules.declare_when != "before_first_lead":
        raise RulesError(
            f"declare = 'automatic' does not go with declare_when = {rules.declare_when!r}: use 'before_first_lead'"
        )
    if rules.offered_signals and rules.auction != "none":
        raise RulesError(f"signals = {rules.signals!r} do not go with auction = {rules.auction!r}: set signals = ()")
    for name, plain in (("signal_heard_by", "all"), ("signal_noise", 0)):
        value = getattr(rules, name)
        if value != plain and rules.offered_signals and rules.stock:
            raise RulesError(f"{name} = {value!r} does not go with stock = {rules.stock}: set {name} = {plain!r}")
    if rules.trump != "none" and rules.stock:
        raise RulesError(f"trump = {rules.trump!r} does not go with stock = {rules.stock}")
    if rules.revoke != "masked" and rules.objective == "max":
        raise RulesError(f"revoke = {rules.revoke!r} does not go with objective = 'max': use 'masked'")
    if rules.cappotto not in CAPPOTTO_OF[rules.objective]:
        raise RulesError(
            f"cappotto = {rules.cappotto!r} does not go with objective = {rules.objective!r}: "
            f"use one of {', '.join(CAPPOTTO_OF[rules.objective])}"
        )
