"""A pen for shapes given in fractions of a picture's height: drawn large, then averaged."""

from collections.abc import Iterable, Sequence
from math import cos, pi, sin

from PIL import Image, ImageDraw

Point = tuple[float, float]
Colour = tuple[int, int, int]

OVERSAMPLING = 4  # Pillow draws hard edges: shapes are drawn this much larger and averaged
_CURVE_STEPS = 14


class Pen:
    """Draws on a transparent picture whose height is 1 and whose width is ``aspect``, y downwards.

    ``ink`` outlines every filled shape with a line of the width ``line``; a line of 0 leaves it out.
    """

    def __init__(self, height: int, aspect: float, ink: Colour, line: float) -> None:
        self.height = height
        self.aspect = aspect
        self.ink = ink
        self.line = line
        self._scale = height * OVERSAMPLING
        self._large = Image.new("RGBA", (max(1, round(self._scale * aspect)), self._scale))
        self._draw = ImageDraw.Draw(self._large)

    def polygon(self, points: Iterable[Point], fill: Colour) -> None:
        """Draw a filled polygon with its outline."""
        corners = [self._at(point) for point in points]
        self._draw.polygon(corners, fill=fill)
        if self.line:
            self._draw.line([*corners, corners[0], corners[1]], fill=self.ink, width=self._width(), joint="curve")

    def mirrored(self, points: Sequence[Point], fill: Colour) -> None:
        """Draw the polygon that points and their mirror images about the middle make; they run down the left side."""
        self.polygon([*points, *((self.aspect - x, y) for x, y in reversed(points))], fill)

    def ellipse(self, centre: Point, radius: float, fill: Colour, flat: float = 1.0) -> None:
        """Draw a filled ellipse, ``flat`` times as high as it is wide, with its outline."""
        (x, y), high = centre, radius * flat
        box = (*self._at((x - radius, y - high)), *self._at((x + radius, y + high)))
        if self.line:
            self._draw.ellipse(box, fill=fill, outline=self.ink, width=self._width())
        else:
            self._draw.ellipse(box, fill=fill)

    def stroke(self, points: Iterable[Point], width: float, colour: Colour | None = None) -> None:
        """Draw a line with round ends."""
        corners = [self._at(point) for point in points]
        broad = max(1, round(width * self._scale))
        colour = self.ink if colour is None else colour
        self._draw.line(corners, fill=colour, width=broad, joint="curve")
        for x, y in (corners[0], corners[-1]):
            half = broad / 2
            self._draw.ellipse((x - half, y - half, x + half, y + half), fill=colour)

    def picture(self) -> Image.Image:
        """Return what was drawn, RGBA, ``height`` high."""
        return self._large.resize((max(1, round(self.height * self.aspect)), self.height), Image.Resampling.LANCZOS)

    def _width(self) -> int:
        return max(1, round(self.line * self._scale))

    def _at(self, point: Point) -> Point:
        return point[0] * self._scale, point[1] * self._scale


def curve(*through: Point) -> list[Point]:
    """Return points on the Bezier curve of a first point and any number of (control, control, end) triples.

    >>> curve((0, 0), (0, 1), (1, 1), (1, 0))[-1]
    (1.0, 0.0)
    """
    points = [through[0]]
    for i in range(0, len(through) - 1, 3):
        start, one, two, end = through[i : i + 4]
        for step in range(1, _CURVE_STEPS + 1):
            t = step / _CURVE_STEPS
            weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3)
            four = list(zip(weights, (start, one, two, end), strict=True))
            points.append((sum(w * p[0] for w, p in four), sum(w * p[1] for w, p in four)))
    return points


def round_about(centre: Point, radius: float, count: int, turn: float = 0.0) -> list[Point]:
    """Return ``count`` points on a circle, evenly, the first one ``turn`` of a full turn clockwise from the top."""
    angles = [2 * pi * (i / count + turn) for i in range(count)]
    return [(centre[0] + radius * sin(angle), centre[1] - radius * cos(angle)) for angle in angles]
