"""The observation by name: its sections (SECTIONS of `layout`), views into it, and decoding back (`decoding`)."""

import sys
from dataclasses import dataclass
from typing import Any

from tressette_env.cards import NUM_CARDS
from tressette_env.decoding import AuctionView, Declaration, Play, SeatView, decode
from tressette_env.layout import Layout, globals_, layout, planes
from tressette_env.presets import make_rules

__all__ = [
    "AuctionView",
    "Declaration",
    "Layout",
    "Play",
    "SeatView",
    "Section",
    "decode",
    "describe",
    "globals_",
    "layout",
    "planes",
    "table_text",
]


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


def main(names: list[str]) -> int:
    """Print the table of each named preset (default: ``tressette``) for the docs."""
    print("\n\n".join(table_text(name) for name in names or ["tressette"]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
