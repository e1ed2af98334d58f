"""Text in pictures: the one font, which Pillow itself ships, its measures, and lines that fit."""

from collections.abc import Sequence
from functools import lru_cache

from PIL import ImageFont

MIN_SIZE = 6  # pixels; below it letters are specks


@lru_cache(maxsize=64)
def font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Return Pillow's own font at a size in pixels, at least ``MIN_SIZE``."""
    return ImageFont.load_default(max(MIN_SIZE, size))


def measure(text: str, size: int) -> float:
    """Return the width of a text in pixels."""
    return float(font(size).getlength(text))


def fitting_size(text: str, size: int, width: float) -> int:
    """Return the largest size, at most ``size``, at which a text is no wider than ``width``."""
    while size > MIN_SIZE and measure(text, size) > width:
        size -= 1
    return size


def wrapped(parts: Sequence[str], joint: str, size: int, width: float) -> list[str]:
    """Return parts joined to as few lines as fit a width; a part that is too wide stands alone."""
    lines: list[str] = []
    for part in parts:
        longer = f"{lines[-1]}{joint}{part}" if lines else part
        if lines and measure(longer, size) <= width:
            lines[-1] = longer
        else:
            lines.append(part)
    return lines
