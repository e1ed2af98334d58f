"""The panel beside a table: points, the last trick, what lies apart, declarations and the auction."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tressette_env.pictures.canvas import CREAM, FAINT, LIT, TEAM_COLOURS, Canvas
from tressette_env.pictures.cards import card_width
from tressette_env.pictures.places import Box
from tressette_env.pictures.text import MIN_SIZE, fitting_size, wrapped
from tressette_env.scene import Scene, Share, fraction_text

_LEADING = 1.3  # line height by text size
_CARD, _CAPTION = 4.0, 2.0  # height of cards, and of what is about them, by text size
_GAP, _GUTTER = 0.7, 1.5  # between sections and between columns, by text size
_NUMBERS = 11  # where counts of points end, by text size
_COLUMNS = (3, 4, 5)  # of a panel that is broader than high


@dataclass(frozen=True)
class _Section:
    """A heading, then lines, counts of points, or small cards with a caption each."""

    heading: str
    lines: Sequence[str] = ()
    shares: Sequence[Share] = ()
    cards: Sequence[tuple[int | None, str, bool]] = ()  # card, caption, whether it is lit

    def height(self, width: float, size: int) -> float:
        """Return how high the section is in a column."""
        lines = 1 + sum(len(wrapped(line.split(), " ", size, width)) for line in self.lines) + len(self.shares)
        return (lines * _LEADING + (_CARD + _CAPTION if self.cards else 0)) * size

    def draw(self, canvas: Canvas, x: float, y: float, width: float, size: int) -> None:
        """Draw the section with its top left corner at a point."""
        step = _LEADING * size
        y += step / 2
        canvas.text(x, y, self.heading, fitting_size(self.heading, size, width), LIT)
        for line in [part for whole in self.lines for part in wrapped(whole.split(), " ", size, width)]:
            y += step
            canvas.text(x, y, line, fitting_size(line, size, width), CREAM)
        for share in self.shares:
            y += step
            if share.team >= 0:
                canvas.disc(x + 0.35 * size, y, 0.3 * size, TEAM_COLOURS[share.team])
            canvas.text(x + size, y, share.name, size, CREAM)
            canvas.text(x + min(width, _NUMBERS * size), y, fraction_text(share.sixths), size, CREAM, "rm")
        self._draw_cards(canvas, x, y + step * 0.7, width, size)

    def _draw_cards(self, canvas: Canvas, x: float, y: float, width: float, size: int) -> None:
        height = max(16, round(_CARD * size))
        pace = min(1.35 * card_width(height), (width - card_width(height)) / max(1, len(self.cards) - 1))
        for card, caption, lit in self.cards:
            canvas.card(card, x, y, height, lit)
            canvas.text(
                x + card_width(height) / 2, y + height + 0.75 * size, caption, max(MIN_SIZE, size * 4 // 5), FAINT, "mm"
            )
            x += pace


_Placed = tuple[_Section, float, float]  # a section, its left and its top in the panel


def draw_panel(canvas: Canvas, box: Box, scene: Scene, size: int) -> None:
    """Draw the panel of a scene, its text at most ``size`` high and small enough for all of it to fit."""
    inner = box.inset(0.7 * size)
    text_size, width, placed = _fitted(list(_sections(scene)), inner, size)
    for section, x, y in placed:
        section.draw(canvas, inner.x + x, inner.y + y, width, text_size)


def _fitted(sections: Sequence[_Section], box: Box, size: int) -> tuple[int, float, list[_Placed]]:
    """Return the largest text size at which all sections fit, the width of a column, and the sections' places.

    Where even the smallest text is too large, the last sections are left out.
    """
    counts = (1,) if box.height > box.width else _COLUMNS
    for text_size in range(max(size, MIN_SIZE), MIN_SIZE - 1, -1):
        for columns in counts:
            gap = _GUTTER * text_size
            width = (box.width - (columns - 1) * gap) / columns
            placed = _packed(sections, columns, width, box.height, text_size)
            if len(placed) == len(sections):
                return text_size, width, placed
    return MIN_SIZE, width, placed


def _packed(sections: Sequence[_Section], columns: int, width: float, height: float, size: int) -> list[_Placed]:
    """Return the sections that fit, each with its place: one below the other, then in the next column."""
    placed: list[_Placed] = []
    column, y = 0, 0.0
    for section in sections:
        high = section.height(width, size)
        if y and y + high > height:
            column, y = column + 1, 0.0
        if column == columns or high > height:
            break
        placed.append((section, column * (width + _GUTTER * size), y))
        y += high + _GAP * size
    return placed


def _sections(scene: Scene) -> Iterator[_Section]:
    """Yield what the panel tells, the more important first."""
    trick, number = scene.trick, len(scene.tricks)
    lines = [f"deal {scene.deal_number}"] if scene.deal_number is not None else []
    if trick is None:
        lines.append("before the first trick")
    elif trick.finished:
        lines.append(f"trick {number} of {scene.rules.num_tricks} to seat {trick.taker}")
    else:
        lines += [f"trick {number + 1} of {scene.rules.num_tricks}", f"led by seat {trick.plays[0].seat}"]
    yield _Section(scene.rules.name, lines)
    yield _Section("taken", shares=scene.taken)
    yield _Section(f"match, to {scene.rules.target}", shares=scene.totals)
    if scene.auction:
        yield _Section("auction", scene.auction)
    said = [f"seat {place.seat}: {', '.join(place.declared)}" for place in scene.places if place.declared]
    if said:
        yield _Section("declared", sorted(said))
    apart = [*_apart(scene)]
    if apart:
        yield _Section("apart", cards=apart)
    if scene.tricks:
        last = scene.tricks[-1]
        cards = [(play.card, f"{play.seat}", i == last.best) for i, play in enumerate(last.plays)]
        yield _Section(f"last trick, seat {last.taker}", cards=cards)


def _apart(scene: Scene) -> Iterator[tuple[int | None, str, bool]]:
    """Yield the piles beside the hands with their captions."""
    if scene.stock:
        yield None, f"stock {scene.stock}", False
    if scene.trump_card >= 0:
        yield scene.trump_card, "trump", False
    if scene.called >= 0:
        yield scene.called, "called", False
    if scene.monte and scene.trick is not None:
        yield None, f"monte {len(scene.monte)}", False
