"""The four suit emblems, drawn by code: a cup, a coin, a sword and a club."""

from collections.abc import Callable
from functools import lru_cache

from PIL import Image

from tressette_env.pictures.pen import Colour, Pen, curve, round_about

INK: Colour = (44, 36, 32)
GOLD: Colour = (232, 176, 42)
PALE_GOLD: Colour = (250, 220, 122)
RED: Colour = (190, 38, 40)
DARK_RED: Colour = (128, 20, 30)
STEEL: Colour = (188, 210, 232)
BLUE: Colour = (38, 84, 152)
GREEN: Colour = (58, 124, 62)
LEAF: Colour = (138, 182, 88)
BROWN: Colour = (128, 82, 42)

SUIT_COLOURS: tuple[Colour, ...] = (RED, (178, 122, 8), BLUE, (40, 104, 48))  # of text in a suit: c d s b
_LINE = 0.022
_FINE = 0.012  # of details


def _cup(pen: Pen) -> None:
    middle = pen.aspect / 2
    pen.mirrored(curve((middle - 0.045, 0.62), (middle - 0.04, 0.84), (0.14, 0.86), (0.11, 0.965)), GOLD)
    pen.ellipse((middle, 0.70), 0.095, RED, 0.62)
    pen.mirrored(curve((0.055, 0.13), (0.06, 0.42), (0.16, 0.60), (middle - 0.05, 0.635)), RED)
    band = [*curve((0.068, 0.27), (0.2, 0.36), (0.6, 0.36), (pen.aspect - 0.068, 0.27))]
    lower = [*curve((0.092, 0.40), (0.2, 0.49), (0.6, 0.49), (pen.aspect - 0.092, 0.40))]
    pen.polygon([*band, *reversed(lower)], GOLD)
    for x, y in ((0.2, 0.375), (middle, 0.395), (pen.aspect - 0.2, 0.375)):
        pen.ellipse((x, y), 0.03, DARK_RED)
    pen.ellipse((middle, 0.13), middle - 0.045, GOLD, 0.28)
    pen.ellipse((middle, 0.135), middle - 0.105, DARK_RED, 0.22)


def _coin(pen: Pen) -> None:
    centre = (0.5, 0.5)
    pen.ellipse(centre, 0.485, GOLD)
    pen.ellipse(centre, 0.37, PALE_GOLD)
    for spot in round_about(centre, 0.428, 16):
        pen.ellipse(spot, 0.018, INK)
    rays = zip(round_about(centre, 0.34, 8), round_about(centre, 0.17, 8, 1 / 16), strict=True)
    pen.polygon([point for pair in rays for point in pair], RED)
    pen.ellipse(centre, 0.155, GOLD)
    pen.ellipse(centre, 0.075, RED)


def _sword(pen: Pen) -> None:
    middle = pen.aspect / 2
    pen.mirrored([(middle, 0.012), (middle - 0.062, 0.12), (middle - 0.07, 0.69)], STEEL)
    pen.stroke([(middle, 0.1), (middle, 0.65)], 0.034, BLUE)
    pen.mirrored([(middle - 0.035, 0.74), (middle - 0.045, 0.90)], RED)
    for y in (0.785, 0.83):
        pen.stroke([(middle - 0.035, y), (middle + 0.035, y)], 0.018, GOLD)
    pen.mirrored(
        [(middle, 0.672), *curve((middle - 0.04, 0.69), (middle - 0.1, 0.69), (0.03, 0.71), (0.035, 0.655)),
         *curve((0.012, 0.69), (0.01, 0.74), (0.06, 0.765), (middle - 0.03, 0.757))],
        GOLD,
    )  # fmt: skip
    pen.ellipse((middle, 0.925), 0.062, GOLD)
    pen.ellipse((middle, 0.925), 0.022, RED)


def _club(pen: Pen) -> None:
    middle = pen.aspect / 2
    left = curve(
        (middle - 0.055, 0.975), (middle - 0.06, 0.80), (middle - 0.075, 0.72), (middle - 0.078, 0.62),
        (middle - 0.14, 0.59), (middle - 0.13, 0.52), (middle - 0.085, 0.50),
        (middle - 0.09, 0.42), (middle - 0.10, 0.36), (middle - 0.11, 0.28),
        (middle - 0.145, 0.20), (middle - 0.15, 0.04), (middle, 0.02),
    )  # fmt: skip
    right = curve(
        (middle, 0.02), (middle + 0.15, 0.04), (middle + 0.145, 0.16), (middle + 0.105, 0.24),
        (middle + 0.16, 0.27), (middle + 0.15, 0.36), (middle + 0.10, 0.38),
        (middle + 0.09, 0.5), (middle + 0.085, 0.6), (middle + 0.075, 0.68),
        (middle + 0.125, 0.71), (middle + 0.11, 0.78), (middle + 0.066, 0.79),
        (middle + 0.06, 0.85), (middle + 0.058, 0.92), (middle + 0.055, 0.975),
    )  # fmt: skip
    pen.polygon([*left, *right], GREEN)
    pen.stroke(
        curve((middle - 0.09, 0.16), (middle - 0.1, 0.3), (middle - 0.04, 0.5), (middle - 0.03, 0.86)), 0.03, LEAF
    )
    pen.line = _FINE
    pen.ellipse((middle, 0.955), 0.052, BROWN, 0.45)
    for x, y, radius in ((0.03, 0.12, 0.034), (0.095, 0.31, 0.03), (-0.075, 0.55, 0.026), (0.07, 0.735, 0.024)):
        pen.ellipse((middle + x, y), radius, BROWN, 0.8)


_DRAWN: tuple[tuple[Callable[[Pen], None], float], ...] = ((_cup, 0.8), (_coin, 1.0), (_sword, 0.34), (_club, 0.34))
ASPECTS = tuple(aspect for _, aspect in _DRAWN)  # width by height of each suit's emblem


@lru_cache(maxsize=256)
def emblem(suit: int, height: int) -> Image.Image:
    """Return the emblem of a suit (0..3 for c d s b), RGBA on nothing, ``height`` pixels high; do not draw on it."""
    draw, aspect = _DRAWN[suit]
    pen = Pen(height, aspect, INK, _LINE)
    draw(pen)
    return pen.picture()
