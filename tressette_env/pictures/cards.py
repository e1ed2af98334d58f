"""Pictures of the forty cards and of their back: our own drawing of an Italian pack."""

from functools import lru_cache

from PIL import Image, ImageDraw

from tressette_env.cards import NUM_CARDS, NUM_RANKS, RANKS
from tressette_env.errors import TressetteError
from tressette_env.pictures import figures
from tressette_env.pictures.emblems import ASPECTS, GOLD, INK, SUIT_COLOURS, emblem
from tressette_env.pictures.pen import OVERSAMPLING, Colour, Pen, Point
from tressette_env.pictures.text import font

ASPECT = 0.62  # width by height
MIN_HEIGHT, MAX_HEIGHT = 16, 2000
PAPER: Colour = (253, 249, 237)
_BACK: Colour = (120, 26, 38)
_BACK_PATCH: Colour = (152, 44, 52)
_BACK_LINE: Colour = (236, 206, 150)
_INDEX = 0.075  # of the corner letters' middle
_CORNER = (0.16, 0.3)
_SMALL = 140  # pixels
_MIDDLE = ASPECT / 2
_COLUMNS = (0.217, ASPECT - 0.217)
_FIGURES = {"J": figures.draw_fante, "C": figures.draw_cavallo, "K": figures.draw_re}

# Centres of the pips and their height, by rank. Cups and coins are about as wide as high, swords and clubs slender.
_ROUND: dict[str, tuple[tuple[Point, ...], float]] = {
    "A": (((_MIDDLE, 0.5),), 0.42),
    "2": (((_MIDDLE, 0.29), (_MIDDLE, 0.71)), 0.30),
    "3": (((_MIDDLE, 0.21), (_MIDDLE, 0.5), (_MIDDLE, 0.79)), 0.25),
    "4": (tuple((x, y) for y in (0.29, 0.71) for x in _COLUMNS), 0.175),
    "5": ((*((x, y) for y in (0.24, 0.76) for x in _COLUMNS), (_MIDDLE, 0.5)), 0.175),
    "6": (tuple((x, y) for y in (0.2, 0.5, 0.8) for x in _COLUMNS), 0.175),
    "7": ((*((x, y) for y in (0.165, 0.5, 0.835) for x in _COLUMNS), (_MIDDLE, 0.333)), 0.17),
}
_SLENDER_COLUMNS = (0.175, _MIDDLE, ASPECT - 0.175)
_SLENDER: dict[str, tuple[tuple[Point, ...], float]] = {
    "A": (((_MIDDLE, 0.5),), 0.78),
    "2": (((0.2, 0.5), (ASPECT - 0.2, 0.5)), 0.56),
    "3": (((0.215, 0.28), (ASPECT - 0.215, 0.28), (_MIDDLE, 0.72)), 0.40),
    "4": (tuple((x, y) for y in (0.28, 0.72) for x in (0.215, ASPECT - 0.215)), 0.40),
    "5": ((*((x, y) for y in (0.27, 0.73) for x in _SLENDER_COLUMNS[::2]), (_MIDDLE, 0.5)), 0.38),
    "6": (tuple((x, y) for y in (0.28, 0.72) for x in _SLENDER_COLUMNS), 0.38),
    "7": (
        (*((x, y) for y in (0.205, 0.795) for x in _SLENDER_COLUMNS), (_MIDDLE, 0.5)),
        0.275,
    ),
}


def card_image(card: int | None, height: int = 240) -> Image.Image:
    """Return the picture of a card id (None: the back), RGBA with round corners, ``height`` pixels high.

    The width is ``card_width(height)``. Pictures are kept, so that a second call is cheap; each call returns a copy.
    Raises ``TressetteError`` for what is no card id and for a height outside 16..2000.
    """
    known = card is None or (isinstance(card, int) and not isinstance(card, bool) and 0 <= card < NUM_CARDS)
    if not known:
        raise TressetteError(
            f"card = {card!r} is not a card: give an id from 0 to {NUM_CARDS - 1}, or None for the back"
        )
    if not MIN_HEIGHT <= height <= MAX_HEIGHT:
        raise TressetteError(f"height = {height!r} is out of range: give pixels from {MIN_HEIGHT} to {MAX_HEIGHT}")
    return kept_card(card, height).copy()


def card_width(height: int) -> int:
    """Return the width in pixels of a card that is ``height`` pixels high."""
    return max(1, round(height * ASPECT))


@lru_cache(maxsize=512)
def kept_card(card: int | None, height: int) -> Image.Image:
    """Return the kept picture behind ``card_image``, to paste from; do not draw on it."""
    picture = _blank(height).copy()
    if card is None:
        picture.alpha_composite(_back(height))
        return picture
    suit, rank = card // NUM_RANKS, RANKS[card % NUM_RANKS]
    if rank in _FIGURES:
        pen = Pen(height, ASPECT, INK, 0.0055)
        _FIGURES[rank](pen, suit)
        picture.alpha_composite(pen.picture())
        _stamp(picture, suit, figures.HELD[rank], 0.22 if ASPECTS[suit] < 0.5 else 0.17)
    else:
        centres, high = (_SLENDER if ASPECTS[suit] < 0.5 else _ROUND)[rank]
        for centre in centres:
            _stamp(picture, suit, centre, high)
    _index(picture, suit, rank)
    return picture


def _stamp(picture: Image.Image, suit: int, centre: Point, high: float, unit: float | None = None) -> None:
    """Put the emblem of a suit on a picture; its centre and height are in units, which are the picture's height."""
    unit = picture.height if unit is None else unit
    pip = emblem(suit, max(4, round(high * unit)))
    picture.alpha_composite(pip, (round(centre[0] * unit - pip.width / 2), round(centre[1] * unit - pip.height / 2)))


def _index(picture: Image.Image, suit: int, rank: str) -> None:
    """Write rank and suit into the top left corner, and upside down into the opposite one."""
    growth = max(1.0, 1.4 - 0.4 * picture.height / _SMALL)  # small cards are read by their corners
    unit = picture.height * growth
    size = (round(_CORNER[0] * unit), round(_CORNER[1] * unit))
    corner = Image.new("RGBA", (size[0] * OVERSAMPLING, size[1] * OVERSAMPLING))
    unit *= OVERSAMPLING
    draw, place, letters = ImageDraw.Draw(corner), (_INDEX * unit, 0.03 * unit), font(round(0.15 * unit))
    colour, bold = SUIT_COLOURS[suit], round(0.006 * unit)
    draw.text(place, rank, PAPER, letters, "ma", stroke_width=3 * bold)  # clear of the figure
    draw.text(place, rank, colour, letters, "ma", stroke_width=bold, stroke_fill=colour)
    _stamp(corner, suit, (_INDEX, 0.225), 0.11 if ASPECTS[suit] < 0.5 else 0.08, unit)
    corner = corner.resize(size, Image.Resampling.LANCZOS)
    picture.alpha_composite(corner)
    picture.alpha_composite(corner.rotate(180), (picture.width - size[0], picture.height - size[1]))


@lru_cache(maxsize=32)
def _blank(height: int) -> Image.Image:
    large = height * OVERSAMPLING
    width = card_width(height) * OVERSAMPLING
    picture = Image.new("RGBA", (width, large))
    edge = max(OVERSAMPLING, round(0.006 * large))
    ImageDraw.Draw(picture).rounded_rectangle(
        (0, 0, width - 1, large - 1), radius=round(0.05 * large), fill=PAPER, outline=(120, 108, 88), width=edge
    )
    return picture.resize((card_width(height), height), Image.Resampling.LANCZOS)


def _back(height: int) -> Image.Image:
    """Return the printed part of the back: a lattice of lozenges in a frame."""
    pen = Pen(height, ASPECT, _BACK_LINE, 0.009)
    pen.polygon(_frame(0.045), _BACK)
    pen.line = 0.005
    columns, rows = 4, 7
    wide, high = (ASPECT - 0.13) / columns, (1 - 0.13) / rows
    for row in range(rows):
        for column in range(columns):
            x, y = 0.065 + wide * (column + 0.5), 0.065 + high * (row + 0.5)
            pen.polygon([(x, y - high / 2), (x + wide / 2, y), (x, y + high / 2), (x - wide / 2, y)], _BACK_PATCH)
            pen.ellipse((x, y), 0.015, GOLD)
    return pen.picture()


def _frame(margin: float) -> list[Point]:
    """Return the corners of a rectangle inside the card."""
    return [(margin, margin), (ASPECT - margin, margin), (ASPECT - margin, 1 - margin), (margin, 1 - margin)]
