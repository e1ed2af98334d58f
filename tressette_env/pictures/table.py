"""A drawn picture of the table, as one seat sees it or with every card."""

import numpy as np
from PIL import Image

from tressette_env.errors import TressetteError
from tressette_env.pictures.canvas import CREAM, DARK, LIT, PANEL, TEAM_COLOURS, Canvas
from tressette_env.pictures.cards import card_width
from tressette_env.pictures.panel import draw_panel
from tressette_env.pictures.places import Box, centre, hand_spots, seat_boxes, split, trick_spots
from tressette_env.pictures.text import fitting_size, measure, wrapped
from tressette_env.rules import Rules
from tressette_env.scene import Place, Scene, scene_of

MIN_SIDE, MAX_SIDE = 200, 4000  # pixels
DEFAULT_SIZE = (800, 800)
_SEEN, _SEEN_BACK = 0.34, 0.12  # of a card's width: its corner, and enough of a back to count by


def table_image(
    row: np.void,
    rules: Rules,
    seat: int | None = None,
    size: tuple[int, int] = DEFAULT_SIZE,
    deal_number: int | None = 1,
) -> Image.Image:
    """Return the table of a record, RGB of ``size`` (width, height): of a seat's view, or of the full record.

    The looking seat (seat 0 with ``seat=None``, when every hand is open) sits below, the next in order of play to its
    right. A finished trick lies on the table until the next lead. Raises ``TressetteError`` for a size out of range.
    """
    return scene_image(scene_of(row, rules, seat, deal_number), size)


def checked_size(size: object, name: str = "size") -> tuple[int, int]:
    """Return a picture's (width, height) as ints. Raises ``TressetteError`` for anything but two of 200..4000."""
    if isinstance(size, (tuple, list)) and len(size) == 2:
        width, height = size
        if all(isinstance(side, (int, np.integer)) and MIN_SIDE <= side <= MAX_SIDE for side in size):
            return int(width), int(height)
    raise TressetteError(
        f"{name} = {size!r} is not the size of a picture: give width and height from {MIN_SIDE} to {MAX_SIDE} pixels, "
        "such as (800, 600)"
    )


def scene_image(scene: Scene, size: tuple[int, int]) -> Image.Image:
    """Return a scene as a picture, RGB of ``size`` (width, height)."""
    width, height = checked_size(size)
    table, panel = split(width, height)
    text_size = max(7, round(min(width, 1.2 * height) / 45))
    canvas = Canvas(width, height, PANEL)
    canvas.felt((round(table.x), round(table.y), round(table.width), round(table.height)))
    for i, (place, box) in enumerate(zip(scene.places, seat_boxes(table, len(scene.places)), strict=True)):
        _draw_seat(canvas, place, box, text_size, below=i > 0)
    middle = centre(table, len(scene.places))
    if scene.result:
        _draw_result(canvas, scene, middle, text_size)
    elif scene.trick is not None:
        _draw_trick(canvas, scene, middle, text_size)
    elif scene.monte:
        _draw_monte(canvas, scene, middle, text_size)
    draw_panel(canvas, panel, scene, text_size)
    return canvas.image.convert("RGB")


# ---------------------------------------------------------------- seats
def _draw_seat(canvas: Canvas, place: Place, box: Box, size: int, below: bool) -> None:
    """Draw a hand with the plate of its seat above or below it."""
    lines = _plate_lines(place, box, size)
    high = (0.5 + 1.25 * len(lines)) * size
    plate = Box(box.x, box.y + box.height - high if below else box.y, box.width, high)
    hand = Box(box.x, box.y if below else box.y + high, box.width, box.height - high).inset(0.3 * size)
    cards: list[int | None] = [*place.cards, *[None] * (place.count - len(place.cards))]
    most = (6.2 if below else 9) * size
    height, spots = hand_spots(hand, len(cards), most, _SEEN if place.cards else _SEEN_BACK, float(below))
    for card, (x, y) in zip(cards, spots, strict=True):
        canvas.card(card, x, y, height)
    _draw_plate(canvas, place, plate, lines, size)


def _plate_lines(place: Place, box: Box, size: int) -> list[str]:
    """Return the text of a seat's plate, in as many lines as the box asks for; a disc tells its side."""
    told = [f"seat {place.seat}", place.role or place.bid]
    told.append(place.count_text if len(place.cards) < place.count else "")
    told.append(f"to {place.due}" if place.due else "")
    return wrapped([part for part in told if part], ", ", size, box.width - sum(_plate_margins(place, size)))


def _plate_margins(place: Place, size: int) -> tuple[float, float]:
    """Return how much room a plate has at the left and at the right of its text, for the discs."""
    return (1.5 if place.team >= 0 else 0.5) * size, (1.5 if place.deals else 0.5) * size


def _draw_plate(canvas: Canvas, place: Place, box: Box, lines: list[str], size: int) -> None:
    """Draw the plate in the middle of a box, bright when the seat is to act; a D marks the dealer."""
    left, right = _plate_margins(place, size)
    sizes = [fitting_size(line, size, box.width - left - right) for line in lines]
    text = max(measure(line, small) for line, small in zip(lines, sizes, strict=True))
    wide = left + text + right
    x, middle = box.middle[0] - wide / 2, box.middle[1]
    back, front = (LIT, DARK) if place.due else (PANEL, CREAM)
    canvas.plate((x, box.y + 0.1 * size, wide, box.height - 0.2 * size), 0.5 * size, back)
    for i, (line, small) in enumerate(zip(lines, sizes, strict=True)):
        canvas.text(x + left + text / 2, box.y + (0.9 + 1.25 * i) * size, line, small, front, "mm")
    if place.team >= 0:
        canvas.disc(x + 0.85 * size, middle, 0.42 * size, TEAM_COLOURS[place.team])
    if place.deals:
        canvas.disc(x + wide - 0.8 * size, middle, 0.58 * size, front)
        canvas.text(x + wide - 0.8 * size, middle, "D", round(0.9 * size), back, "mm")


# ---------------------------------------------------------------- the middle
def _draw_trick(canvas: Canvas, scene: Scene, box: Box, size: int) -> None:
    """Draw each card of the trick in front of its player, the best one with a rim, signals as speech bubbles."""
    assert scene.trick is not None
    height, spots = trick_spots(box, len(scene.places), 9.5 * size)
    spot_of = dict(zip((place.seat for place in scene.places), spots, strict=True))
    for i, play in enumerate(scene.trick.plays):
        x, y = spot_of[play.seat]
        canvas.card(play.card, x - card_width(height) / 2, y - height / 2, height, lit=i == scene.trick.best)
    for play in scene.trick.plays:
        if play.signal:
            x, y = spot_of[play.seat]
            canvas.bubble(x, y + 0.42 * height, play.signal.replace("_", " "), size)


def _draw_monte(canvas: Canvas, scene: Scene, box: Box, size: int) -> None:
    """Draw the monte before play, in a row."""
    row = box.part(0.1, 0.3, 0.8, 0.4)
    height, spots = hand_spots(row, len(scene.monte), 7 * size, _SEEN, 0.5)
    for card, (x, y) in zip(scene.monte, spots, strict=True):
        canvas.card(card if card >= 0 else None, x, y, height)
    canvas.text(row.middle[0], spots[0][1] - size, "monte", size, CREAM, "mm")


def _draw_result(canvas: Canvas, scene: Scene, box: Box, size: int) -> None:
    """Draw how the deal ended."""
    heading = "the deal is over"
    room = box.width - 2 * size
    sizes = [fitting_size(line, size, room) for line in (heading, *scene.result)]
    wide = max(measure(line, small) for line, small in zip((heading, *scene.result), sizes, strict=True)) + 3 * size
    high = (1.2 + 1.4 * len(sizes)) * size
    x, y = box.middle
    canvas.plate((x - wide / 2, y - high / 2, wide, high), 0.6 * size, PANEL, 235)
    for i, (line, small) in enumerate(zip((heading, *scene.result), sizes, strict=True)):
        canvas.text(x, y - high / 2 + (1.3 + 1.4 * i) * size, line, small, LIT if not i else CREAM, "mm")
