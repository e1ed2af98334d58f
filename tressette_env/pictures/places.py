"""Where things stand in a picture of the table: boxes for the seats, spots for the trick, cards within a hand."""

from typing import NamedTuple

from tressette_env.pictures.cards import ASPECT


class Box(NamedTuple):
    """A rectangle in pixels."""

    x: float
    y: float
    width: float
    height: float

    def part(self, x: float, y: float, width: float, height: float) -> "Box":
        """Return the part of the box that four fractions of it name."""
        return Box(self.x + x * self.width, self.y + y * self.height, width * self.width, height * self.height)

    def inset(self, margin: float) -> "Box":
        """Return the box without a margin on every side."""
        return Box(self.x + margin, self.y + margin, self.width - 2 * margin, self.height - 2 * margin)

    @property
    def middle(self) -> tuple[float, float]:
        """The point halfway."""
        return self.x + self.width / 2, self.y + self.height / 2


_ROW_SEEN = 0.36  # of a card's height, at least, in the rows that others cover

# The box of each seat from the looking one on, as fractions of the table: play goes round to the right.
_BOTTOM = (0.03, 0.76, 0.94, 0.23)
_SEATS: dict[int, tuple[tuple[float, float, float, float], ...]] = {
    2: (_BOTTOM, (0.03, 0.01, 0.94, 0.23)),
    3: (_BOTTOM, (0.52, 0.01, 0.46, 0.25), (0.02, 0.01, 0.46, 0.25)),
    4: (_BOTTOM, (0.755, 0.13, 0.235, 0.54), (0.25, 0.01, 0.5, 0.19), (0.01, 0.13, 0.235, 0.54)),
    5: (
        _BOTTOM,
        (0.755, 0.24, 0.235, 0.45),
        (0.52, 0.01, 0.46, 0.2),
        (0.02, 0.01, 0.46, 0.2),
        (0.01, 0.24, 0.235, 0.45),
    ),
}
# What is left for the trick, and where its cards stand about the middle of that, in widths and heights of a card.
_CENTRES = {
    2: (0.1, 0.25, 0.8, 0.5),
    3: (0.1, 0.27, 0.8, 0.48),
    4: (0.25, 0.215, 0.5, 0.525),
    5: (0.25, 0.22, 0.5, 0.53),
}
_SPOTS: dict[int, tuple[tuple[float, float], ...]] = {
    2: ((-0.6, 0.06), (0.6, -0.06)),
    3: ((0.0, 0.56), (0.62, -0.5), (-0.62, -0.5)),
    4: ((0.0, 0.55), (1.12, 0.0), (0.0, -0.55), (-1.12, 0.0)),
    5: ((0.0, 0.57), (1.15, 0.44), (0.58, -0.62), (-0.58, -0.62), (-1.15, 0.44)),
}


def split(width: int, height: int) -> tuple[Box, Box]:
    """Return the table and the panel beside it: at the right of a broad picture, below any other."""
    if width >= 1.2 * height:
        beside = round(0.26 * width)
        return Box(0, 0, width - beside, height), Box(width - beside, 0, beside, height)
    below = round(0.21 * height)
    return Box(0, 0, width, height - below), Box(0, height - below, width, below)


def seat_boxes(table: Box, num_seats: int) -> list[Box]:
    """Return the box of each seat, from the looking one on in order of play."""
    return [table.part(*fractions) for fractions in _SEATS[num_seats]]


def centre(table: Box, num_seats: int) -> Box:
    """Return the box that the seats leave in the middle."""
    return table.part(*_CENTRES[num_seats])


def trick_spots(box: Box, num_seats: int, most: float) -> tuple[int, list[tuple[float, float]]]:
    """Return the height of the trick's cards, at most ``most``, and the middle of each seat's card."""
    spots = _SPOTS[num_seats]
    wide = max(x for x, _ in spots) - min(x for x, _ in spots) + 1
    high = max(y for _, y in spots) - min(y for _, y in spots) + 1
    height = max(16, int(min(most, box.width / (wide * ASPECT), box.height / high)))
    top = min(y for _, y in spots) - 0.5  # the cards as a whole stand in the middle of the box
    x, y = box.x + box.width / 2, box.y + (box.height - high * height) / 2 - top * height
    return height, [(x + dx * height * ASPECT, y + dy * height) for dx, dy in spots]


def hand_spots(box: Box, count: int, most: float, seen: float, low: float) -> tuple[int, list[tuple[float, float]]]:
    """Return the height of a hand's cards, at most ``most``, and the top left corner of each of ``count`` cards.

    They overlap in as few rows as make them largest; ``seen`` of a card's width, and of its height in the rows
    behind, stays uncovered. Where they leave room, ``low`` of it (0 to 1) is above them.
    """
    if not count:
        return 0, []
    heights = [min(most, _height(box, -(-count // rows), rows, seen)) for rows in range(1, count + 1)]
    height, rows = max(16, int(max(heights))), heights.index(max(heights)) + 1
    width, columns = height * ASPECT, -(-count // rows)
    step = min(1.05 * width, (box.width - width) / max(1, columns - 1))
    down = min(_ROW_SEEN * 1.25 * height, (box.height - height) / max(1, rows - 1))
    top = box.y + (box.height - height - down * (rows - 1)) * low
    spots = []
    for row in range(rows):
        in_row = min(columns, count - row * columns)
        left = box.x + (box.width - width - step * (in_row - 1)) / 2
        spots += [(left + step * i, top + down * row) for i in range(in_row)]
    return height, spots


def _height(box: Box, columns: int, rows: int, seen: float) -> float:
    """Return how high cards can be in so many columns and rows."""
    return min(box.width / (ASPECT * (1 + (columns - 1) * seen)), box.height / (1 + (rows - 1) * _ROW_SEEN))
