"""What pictures of the table are painted with: cloth, cards, plates with smooth corners, bubbles and text."""

from functools import lru_cache

from PIL import Image, ImageDraw

from tressette_env.pictures.cards import card_width, kept_card
from tressette_env.pictures.pen import OVERSAMPLING, Colour
from tressette_env.pictures.text import font, measure

CREAM: Colour = (250, 244, 226)
DARK: Colour = (22, 32, 28)
FAINT: Colour = (176, 196, 184)
LIT: Colour = (255, 209, 71)
FELT: Colour = (30, 104, 70)
FELT_EDGE: Colour = (17, 72, 48)
PANEL: Colour = (20, 44, 36)
# Of sides, by number; seats alone are sides of their own.
TEAM_COLOURS: tuple[Colour, ...] = ((240, 178, 60), (96, 170, 232), (232, 110, 110), (128, 208, 132), (196, 148, 232))


class Canvas:
    """A picture under way, RGBA. Sizes and places are pixels, text is as high as its size."""

    def __init__(self, width: int, height: int, colour: Colour) -> None:
        self.image = Image.new("RGBA", (width, height), colour)
        self._draw = ImageDraw.Draw(self.image)

    def felt(self, box: tuple[int, int, int, int]) -> None:
        """Cover a box (left, top, right, bottom) with green cloth, lighter in the middle."""
        self.image.paste(_felt(box[2] - box[0], box[3] - box[1]), box[:2])

    def plate(
        self, box: tuple[float, float, float, float], radius: float, fill: Colour, alpha: int = 255, edge: bool = False
    ) -> None:
        """Draw a plate (left, top, width, height) with round corners, with a dark edge if asked for."""
        x, y, width, height = (round(value) for value in box)
        self._put(_plate(max(2, width), max(2, height), round(radius), fill, alpha, edge), x, y)

    def disc(self, x: float, y: float, radius: float, fill: Colour) -> None:
        """Draw a disc about a point."""
        self.plate((x - radius, y - radius, 2 * radius, 2 * radius), radius, fill)

    def text(self, x: float, y: float, text: str, size: int, colour: Colour, anchor: str = "lm") -> None:
        """Write a text; ``anchor`` as in Pillow: l, m or r and a (top), m or s (base line)."""
        self._draw.text((x, y), text, colour, font(size), anchor)

    def card(self, card: int | None, x: float, y: float, height: int, lit: bool = False) -> None:
        """Put a card (None: face down) with its top left corner at a point; ``lit`` puts a bright rim about it."""
        if lit:
            rim = max(2, round(0.035 * height))
            self.plate((x - rim, y - rim, card_width(height) + 2 * rim, height + 2 * rim), 0.05 * height + rim, LIT)
        self._put(kept_card(card, height), round(x), round(y))

    def bubble(self, x: float, y: float, text: str, size: int) -> None:
        """Put a speech bubble with its middle at a point and its tip upwards."""
        width, height = measure(text, size) + 1.1 * size, 1.6 * size
        tip = [(x - 0.55 * size, y - 0.6 * size), (x - 0.2 * size, y - 1.35 * size), (x + 0.25 * size, y - 0.6 * size)]
        self.plate((x - width / 2, y - height / 2, width, height), 0.45 * height, CREAM, edge=True)
        self._draw.polygon(tip, fill=CREAM)
        self._draw.line(tip, fill=DARK, width=max(1, size // 12), joint="curve")
        self.text(x, y, text, size, DARK, "mm")

    def _put(self, picture: Image.Image, x: int, y: int) -> None:
        """Composite a picture; what lies outside the canvas is cut off."""
        left, top = max(0, -x), max(0, -y)
        right, bottom = min(picture.width, self.image.width - x), min(picture.height, self.image.height - y)
        if left < right and top < bottom:
            self.image.alpha_composite(picture, (x + left, y + top), (left, top, right, bottom))


@lru_cache(maxsize=256)
def _plate(width: int, height: int, radius: int, fill: Colour, alpha: int, edge: bool) -> Image.Image:
    """Return a plate, drawn large and averaged."""
    large = (width * OVERSAMPLING, height * OVERSAMPLING)
    picture = Image.new("RGBA", large)
    line = OVERSAMPLING * max(1, min(width, height) // 24)
    ImageDraw.Draw(picture).rounded_rectangle(
        (0, 0, large[0] - 1, large[1] - 1), radius * OVERSAMPLING, (*fill, alpha), DARK if edge else None, line
    )
    return picture.resize((width, height), Image.Resampling.BOX)


@lru_cache(maxsize=8)
def _felt(width: int, height: int) -> Image.Image:
    shade = Image.radial_gradient("L").resize((width, height))
    return Image.composite(Image.new("RGB", shade.size, FELT_EDGE), Image.new("RGB", shade.size, FELT), shade)
