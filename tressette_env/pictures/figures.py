"""The court cards: fante (a soldier), cavallo (a horse) and re (a king), in the colours of a suit."""

from tressette_env.pictures.emblems import BLUE, BROWN, DARK_RED, GOLD, GREEN, PALE_GOLD, RED
from tressette_env.pictures.pen import Colour, Pen, curve

SKIN: Colour = (242, 204, 170)
HAIR: Colour = (110, 70, 40)
GREY: Colour = (214, 208, 198)
ERMINE: Colour = (250, 246, 238)
HORSE: Colour = (236, 226, 208)

# The main and the second colour of the clothes, by suit.
_CLOTHES: tuple[tuple[Colour, Colour], ...] = ((RED, BLUE), ((206, 146, 20), RED), (BLUE, RED), (GREEN, DARK_RED))
MIDDLE = 0.31  # of a card's width, which is 0.62 of its height
HELD = {"J": (0.47, 0.40), "C": (0.515, 0.155), "K": (0.47, 0.40)}  # centre of the emblem of a figure


def _face(pen: Pen, y: float, radius: float) -> None:
    """Draw a head seen from the front."""
    pen.ellipse((MIDDLE, y), radius, SKIN, 1.15)
    for side in (-1, 1):
        pen.ellipse((MIDDLE + side * radius * 0.4, y - radius * 0.05), radius * 0.1, pen.ink)
    pen.stroke([(MIDDLE, y), (MIDDLE + radius * 0.1, y + radius * 0.35), (MIDDLE, y + radius * 0.4)], 0.006)
    pen.stroke([(MIDDLE - radius * 0.25, y + radius * 0.65), (MIDDLE + radius * 0.25, y + radius * 0.65)], 0.008, RED)


def _arms(pen: Pen, shoulder: float, sleeve: Colour, cuff: Colour) -> None:
    """Draw the left arm down to a hand at the belt and the right one up to the emblem's place."""
    pen.polygon(
        curve((0.225, shoulder), (0.14, shoulder + 0.03), (0.13, 0.50), (0.16, 0.57)) + [(0.2, 0.55), (0.24, 0.47)],
        sleeve,
    )
    pen.ellipse((0.182, 0.575), 0.024, SKIN)
    pen.polygon([(0.155, 0.575), (0.2, 0.555), (0.193, 0.53), (0.148, 0.548)], cuff)
    pen.polygon(
        curve((0.395, shoulder), (0.47, shoulder + 0.06), (0.46, 0.53), (0.44, 0.53)) + [(0.40, 0.53), (0.37, 0.46)],
        sleeve,
    )
    pen.polygon([(0.40, 0.535), (0.452, 0.535), (0.458, 0.505), (0.404, 0.505)], cuff)


def draw_fante(pen: Pen, suit: int) -> None:
    """Draw the soldier."""
    main, second = _CLOTHES[suit]
    for side, colour in ((-1, second), (1, main)):  # legs, shoes
        x = MIDDLE + side * 0.05
        pen.polygon([(x - 0.036, 0.62), (x + 0.036, 0.62), (x + 0.026, 0.85), (x - 0.026, 0.85)], colour)
        toe = side * 0.05
        pen.polygon(
            curve(
                (x - side * 0.03, 0.885),
                (x, 0.9),
                (x + toe, 0.9),
                (x + toe + side * 0.02, 0.885),
                (x + toe, 0.86),
                (x + side * 0.03, 0.85),
                (x + side * 0.024, 0.835),
            )
            + [(x - side * 0.03, 0.835)],
            BROWN,
        )
    pen.mirrored([(0.262, 0.345), (0.215, 0.36), (0.225, 0.52), (0.178, 0.665), (MIDDLE, 0.69)], main)  # tunic
    pen.polygon([(0.275, 0.345), (0.345, 0.345), (0.345, 0.685), (0.275, 0.685)], second)
    for y in (0.40, 0.44, 0.48):
        pen.ellipse((MIDDLE, y), 0.011, GOLD)
    pen.mirrored([(0.222, 0.52), (0.215, 0.552), (MIDDLE, 0.56)], GOLD)
    _arms(pen, 0.36, main, second)
    pen.ellipse((MIDDLE, 0.25), 0.078, HAIR, 1.1)
    _face(pen, 0.265, 0.056)
    pen.mirrored([(MIDDLE - 0.07, 0.352), (MIDDLE - 0.04, 0.325), (MIDDLE, 0.335)], ERMINE)  # collar
    pen.polygon(
        curve((0.222, 0.215), (0.23, 0.12), (0.37, 0.11), (0.40, 0.2), (0.36, 0.225), (0.26, 0.235), (0.222, 0.215)),
        main,
    )
    pen.polygon(
        curve((0.205, 0.222), (0.26, 0.245), (0.36, 0.235), (0.412, 0.205), (0.41, 0.18), (0.26, 0.21), (0.215, 0.195)),
        second,
    )
    pen.polygon(
        curve((0.385, 0.19), (0.42, 0.15), (0.43, 0.09), (0.36, 0.075), (0.39, 0.11), (0.38, 0.15), (0.365, 0.185)),
        ERMINE,
    )


def draw_re(pen: Pen, suit: int) -> None:
    """Draw the king."""
    main, second = _CLOTHES[suit]
    pen.mirrored(curve((0.25, 0.345), (0.13, 0.37), (0.12, 0.60), (0.085, 0.90)), main)  # cloak
    pen.mirrored([(0.262, 0.345), (0.235, 0.55), (0.2, 0.90)], second)
    pen.polygon([(0.268, 0.345), (0.352, 0.345), (0.362, 0.90), (0.258, 0.90)], ERMINE)
    for y, x in ((0.44, -0.018), (0.49, 0.02), (0.62, -0.018), (0.69, 0.02), (0.76, -0.018), (0.83, 0.02)):
        pen.stroke([(MIDDLE + x, y), (MIDDLE + x, y + 0.018)], 0.012)
    pen.mirrored([(0.232, 0.545), (0.226, 0.578), (MIDDLE, 0.585)], GOLD)
    pen.ellipse((MIDDLE, 0.565), 0.02, second)
    pen.mirrored([(0.085, 0.90), (0.088, 0.87), (MIDDLE, 0.872)], GOLD)
    _arms(pen, 0.37, main, GOLD)
    pen.mirrored(
        curve((0.25, 0.335), (0.2, 0.34), (0.19, 0.37), (0.2, 0.40), (0.26, 0.415), (0.30, 0.41), (MIDDLE, 0.41)),
        ERMINE,
    )
    pen.mirrored(curve((MIDDLE - 0.07, 0.22), (0.22, 0.30), (0.235, 0.39), (MIDDLE, 0.43)), GREY)  # beard and hair
    _face(pen, 0.262, 0.056)
    pen.mirrored(
        curve((MIDDLE, 0.285), (0.28, 0.275), (0.265, 0.29), (0.258, 0.30), (0.28, 0.315), (0.30, 0.31), (MIDDLE, 0.3)),
        GREY,
    )
    pen.mirrored([(0.232, 0.225), (0.218, 0.115), (0.262, 0.165), (MIDDLE - 0.004, 0.10)], GOLD)
    pen.polygon([(0.232, 0.2), (0.388, 0.2), (0.386, 0.232), (0.234, 0.232)], second)
    for x, y in ((0.218, 0.112), (MIDDLE, 0.098), (0.402, 0.112)):
        pen.ellipse((x, y), 0.014, RED)


def draw_cavallo(pen: Pen, suit: int) -> None:
    """Draw the horse."""
    main, second = _CLOTHES[suit]
    mane = curve(
        (0.33, 0.14), (0.44, 0.16), (0.50, 0.28), (0.49, 0.40), (0.52, 0.42), (0.50, 0.48), (0.50, 0.50),
        (0.53, 0.56), (0.50, 0.60), (0.51, 0.64), (0.54, 0.72), (0.50, 0.78), (0.52, 0.86), (0.46, 0.86),
        (0.40, 0.84), (0.34, 0.80),
    )  # fmt: skip
    pen.polygon(mane, HAIR)
    body = curve(
        (0.335, 0.125), (0.42, 0.17), (0.46, 0.30), (0.455, 0.44), (0.45, 0.62), (0.48, 0.74), (0.49, 0.89),
    )  # fmt: skip
    front = curve(
        (0.13, 0.89), (0.135, 0.74), (0.25, 0.66), (0.275, 0.53), (0.24, 0.535), (0.21, 0.53), (0.185, 0.53),
        (0.16, 0.575), (0.10, 0.58), (0.092, 0.53), (0.075, 0.49), (0.09, 0.45), (0.115, 0.42),
        (0.155, 0.36), (0.17, 0.30), (0.215, 0.225), (0.225, 0.19), (0.235, 0.15), (0.225, 0.10),
        (0.255, 0.11), (0.275, 0.14), (0.285, 0.165), (0.30, 0.15), (0.32, 0.14), (0.335, 0.125),
    )  # fmt: skip
    pen.polygon([*body, *front], HORSE)
    pen.polygon([(0.13, 0.89), *curve((0.135, 0.80), (0.22, 0.72), (0.38, 0.72), (0.472, 0.78)), (0.49, 0.89)], main)
    pen.polygon(
        [
            (0.128, 0.83),
            *curve((0.145, 0.775), (0.22, 0.69), (0.38, 0.69), (0.468, 0.745)),
            *curve((0.475, 0.79), (0.38, 0.735), (0.22, 0.735), (0.128, 0.83)),
        ],
        GOLD,
    )
    for x, y in ((0.2, 0.84), (MIDDLE, 0.815), (0.42, 0.84)):
        pen.ellipse((x, y), 0.022, PALE_GOLD)
    pen.stroke(curve((0.215, 0.225), (0.26, 0.28), (0.31, 0.34), (0.31, 0.44)), 0.022, second)  # bridle
    pen.stroke(curve((0.125, 0.405), (0.17, 0.42), (0.2, 0.46), (0.205, 0.525)), 0.022, second)
    pen.stroke([(0.19, 0.455), (0.30, 0.405)], 0.022, second)
    pen.stroke(curve((0.2, 0.50), (0.3, 0.62), (0.38, 0.62), (0.45, 0.56)), 0.016, second)
    for spot in ((0.19, 0.455), (0.303, 0.405), (0.2, 0.505)):
        pen.ellipse(spot, 0.018, GOLD)
    pen.ellipse((0.222, 0.315), 0.02, ERMINE, 0.75)
    pen.ellipse((0.22, 0.316), 0.009, pen.ink)
    pen.ellipse((0.105, 0.475), 0.008, pen.ink)
    pen.stroke(curve((0.10, 0.53), (0.12, 0.525), (0.135, 0.52), (0.15, 0.51)), 0.008)
    pen.stroke([(0.252, 0.15), (0.268, 0.18)], 0.008)
