"""A game as text for a terminal: the table as one seat sees it, or with every card."""

import re
from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

import numpy as np

from tressette_env.cards import CARD_TEXTS, RANKS, SUITS, format_cards, format_hand
from tressette_env.engine.game import Game
from tressette_env.rules import Rules
from tressette_env.scene import Place, Scene, Trick, fraction_text, scene_of

_SIDE_WIDTH = 24  # columns beside the table: a hand of ten cards fits
_SUIT_CODES = dict(zip(SUITS, ("31", "33", "34", "32"), strict=True))  # terminal colours: red, yellow, blue, green
_CARDS = re.compile(rf"\b(?:[{RANKS}][{SUITS}])+\b")
_FRAME_WIDTH = 26
_COLUMN_WIDTH = 40
_TWO_COLUMNS_FROM = 6  # tricks


def render_text(game: Game, seat: int | None = None, colour: bool = False) -> str:
    """Return the table as text: for one seat (built from its view alone), or with all hands (``seat=None``).

    The looking seat sits at the bottom, the next in order of play to its right. With ``colour`` the cards carry the
    colours of their suits, as ANSI escape codes.

    >>> print(render_text(Game("gamelake", seed=1), seat=0).splitlines()[0])
    gamelake, deal 1, dealer 2, totals 0 - 0 of 21
    """
    row = (game.states[:1].copy() if seat is None else game.view(seat))[0]
    return table_text(row, game.rules, seat, deal_number=game.num_deals, colour=colour)


def table_text(
    row: np.void, rules: Rules, seat: int | None, deal_number: int | None = None, colour: bool = False
) -> str:
    """Return the table of a record: of a seat's view, or of the full record with ``seat=None``."""
    scene = scene_of(row, rules, seat, deal_number)
    lines = [_head(scene), *_table(scene), *_notes(scene)]
    text = "\n".join(line.rstrip() for line in lines)
    return _CARDS.sub(_coloured, text) if colour else text


def _coloured(match: re.Match[str]) -> str:
    """Return the cards of a match, each in the colour of its suit."""
    cards = re.findall("..", match[0])
    return "".join(f"\x1b[{_SUIT_CODES[card[1]]}m{card}\x1b[0m" for card in cards)


def _head(scene: Scene) -> str:
    totals = " - ".join(fraction_text(share.sixths) for share in scene.totals)
    trump = f", trump {CARD_TEXTS[scene.trump_card]}" if scene.trump_card >= 0 else ""
    return f"{scene.title}, dealer {scene.dealer}, totals {totals} of {scene.rules.target}{trump}"


# ---------------------------------------------------------------- the table
class _Sheet:
    """Lines of text that are written on at any place."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def put(self, x: int, y: int, texts: Sequence[str], align: float = 0.0) -> None:
        """Write lines from line y down; ``align`` of each lies left of column x: 0 none, 0.5 half, 1 all of it."""
        for i, text in enumerate(texts, y):
            self.lines += [""] * (i + 1 - len(self.lines))
            start = max(0, x - int(len(text) * align))
            line = self.lines[i].ljust(start)
            self.lines[i] = line[:start] + text + line[start + len(text) :]


class _Seating(NamedTuple):
    """Who sits where; play goes round to the right."""

    bottom: Place
    across: list[Place]  # one or two, left to right
    left: Place | None
    right: Place | None


def _seating(places: Sequence[Place]) -> _Seating:
    bottom, *others = places
    if len(others) < 3:
        return _Seating(bottom, others[::-1], None, None)
    return _Seating(bottom, others[-2:0:-1], others[-1], others[0])


def _table(scene: Scene) -> list[str]:
    """Return the seats round the frame with the trick in it."""
    seats = _seating(scene.places)
    frame = _frame(scene, seats)
    across = [_lines(place) for place in seats.across]
    beside = {1.0: seats.left, 0.0: seats.right}
    blocks = {align: _lines(place, apart=True) for align, place in beside.items() if place is not None}
    side = max([_SIDE_WIDTH] + [len(line) for block in blocks.values() for line in block]) + 1 if blocks else 0
    widest = max(len(line) for block in across for line in block)
    width = max(len(frame[0]) + 2 * side, len(across) * (widest + 2), *map(len, _lines(seats.bottom)))
    sheet = _Sheet()
    for i, block in enumerate(across):
        sheet.put(width * (2 * i + 1) // (2 * len(across)), 0, block, 0.5)
    start = (width - len(frame[0])) // 2
    sheet.put(start, 2, frame)
    for align, block in blocks.items():
        sheet.put(start - 1 if align else start + len(frame[0]) + 1, 4, block, align)
    sheet.put(width // 2, 2 + len(frame), _lines(seats.bottom), 0.5)
    return sheet.lines


def _lines(place: Place, apart: bool = False) -> list[str]:
    """Return the lines of a seat: name and hand; what it is to do stands ``apart`` on a line or behind the name."""
    marks = ["dealer"] if place.deals else []
    name = ", ".join([place.name, *marks, *([place.role] if place.role else [])])
    due = f"<- to {place.due}" if place.due else ""
    return [name, _hand(place), due] if apart else [f"{name} {due}".rstrip(), _hand(place)]


def _hand(place: Place) -> str:
    """Return the hand, or how many cards it has and what is known of them."""
    if len(place.cards) == place.count:
        return format_hand(place.cards) or "no cards"
    return f"{place.count_text}: {format_hand(place.cards)}" if place.cards else place.count_text


def _frame(scene: Scene, seats: _Seating) -> list[str]:
    """Return the frame with each card of the trick in front of its player; ``*`` marks the best one."""
    inner = max(_FRAME_WIDTH, 2 * max((len(signal) + 5 for signal in scene.rules.offered_signals), default=0))
    trick = scene.trick
    shown = {play.seat: text for play, text in zip(trick.plays, _play_texts(trick), strict=True)} if trick else {}
    sheet = _Sheet()
    for i, place in enumerate(seats.across):
        sheet.put(inner * (2 * i + 1) // (2 * len(seats.across)), 0, [shown.get(place.seat, "")], 0.5)
    if seats.left is not None and seats.right is not None:
        sheet.put(1, 2, [shown.get(seats.left.seat, "")])
        sheet.put(inner - 1, 2, [shown.get(seats.right.seat, "")], 1.0)
    last = len(sheet.lines) + 1
    sheet.put(inner // 2, last, [shown.get(seats.bottom.seat, "")], 0.5)
    top, below = _edge_texts(scene)
    return [
        f"┌{top.ljust(inner, chr(0x2500))}┐",
        *(f"│{line.ljust(inner)}│" for line in sheet.lines),
        f"└{below.ljust(inner, chr(0x2500))}┘",
    ]


def _edge_texts(scene: Scene) -> tuple[str, str]:
    """Return what stands in the upper and the lower edge of the frame."""
    trick, number = scene.trick, len(scene.tricks)
    top = ""
    if trick is not None and trick.finished:
        top = f" trick {number} to seat {trick.taker} "
    elif trick is not None:
        top = f" trick {number + 1} led by seat {trick.plays[0].seat} "
    below = f" stock {scene.stock} " if scene.stock else ""
    below += f" monte {len(scene.monte)} " if scene.monte else ""
    return f"─{top}" if top else "", f"─{below}" if below else ""


def _play_texts(trick: Trick) -> list[str]:
    """Return each play of a trick with its signal, the best one with a star."""
    texts = [" ".join(text for text in (CARD_TEXTS[play.card], play.signal) if text) for play in trick.plays]
    return [text + "*" * (i == trick.best) for i, text in enumerate(texts)]


# ---------------------------------------------------------------- what stands below
def _notes(scene: Scene) -> list[str]:
    """Return the lines below the table, each with its word in front."""
    notes = [("taken", [", ".join(f"{share.name} {fraction_text(share.sixths)}" for share in scene.taken)])]
    said = [f"seat {place.seat} {', '.join(place.declared)}" for place in scene.places if place.declared]
    notes.append(("declared", ["; ".join(sorted(said))] if said else []))
    notes.append(("auction", ["; ".join(scene.auction)] if scene.auction else []))
    known = scene.monte and min(scene.monte) >= 0
    notes.append(("monte", [format_cards(scene.monte)] if known else []))
    notes.append(("over", ["; ".join(scene.result)] if scene.result else []))
    tricks = scene.tricks[:-1] if scene.trick is not None and scene.trick.finished else scene.tricks
    notes.append(("tricks", _history(tricks)))
    return [f"{word if not i else '':9}{line}" for word, lines in notes for i, line in enumerate(lines)]


def _history(tricks: Sequence[Trick]) -> list[str]:
    """Return finished tricks in one column, many in two: number, leader, cards in order, ``*`` behind the best."""
    entries = [
        f"{i:2} seat {trick.plays[0].seat}: {'  '.join(_play_texts(trick))}" for i, trick in enumerate(tricks, 1)
    ]
    wide = max((len(entry) for entry in entries), default=0) + 4
    if len(entries) < _TWO_COLUMNS_FROM or wide > _COLUMN_WIDTH:
        return entries
    half = (len(entries) + 1) // 2
    return [left.ljust(wide) + right for left, right in zip_longest(entries[:half], entries[half:], fillvalue="")]
