"""What the web pages are made of: their files, the pictures of the cards, and the words of every language."""

import base64
import json
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from string import Template
from typing import Any

from agents.play.words import WORDS
from tressette_env.cards import NUM_CARDS

ASSETS = Path(__file__).resolve().parent.parent / "web_assets"
CARD_HEIGHT = 300  # pixels: twice what is shown, for sharp screens
_COLOURS = 96  # in the palette of a card's picture


def asset(name: str) -> str:
    """Return the text of one of the pages' files."""
    return (ASSETS / name).read_text(encoding="utf-8")


def fill(name: str, **parts: str) -> str:
    """Return a page with its ``$parts`` filled in."""
    return Template(asset(name)).substitute(parts)


def data_text(value: Any) -> str:
    """Return plain data as JSON that can stand inside a script element: no ``<`` in it ends the element early."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).replace("<", "\\u003c")


def words_data() -> dict[str, Any]:
    """Return what the pages' scripts say, by language: messages by key, and the names of the cards by id."""
    return {language: words.texts | {"cards": list(words.cards)} for language, words in WORDS.items()}


@lru_cache(maxsize=NUM_CARDS + 1)
def card_png(card: int | None) -> bytes:
    """Return the picture of a card id, or of the back, as a small PNG.

    Raises ``MissingExtraError`` where Pillow cannot be imported.
    """
    from tressette_env.pictures.cards import card_image

    data = BytesIO()
    card_image(card, CARD_HEIGHT).quantize(_COLOURS).save(data, "PNG", optimize=True)
    return data.getvalue()


def card_uri(card: int | None) -> str:
    """Return the picture of a card id, or of the back, as a data URI."""
    return "data:image/png;base64," + base64.b64encode(card_png(card)).decode()
