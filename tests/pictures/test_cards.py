"""Pictures of cards: all different, of one size, kept, and refused for what is no card."""

import numpy as np
import pytest

from tressette_env.cards import NUM_CARDS
from tressette_env.errors import TressetteError
from tressette_env.pictures import card_image
from tressette_env.pictures.cards import card_width

ALL = [*range(NUM_CARDS), None]


@pytest.mark.parametrize("height", [24, 60, 240])
def test_all_cards_differ_and_have_one_size(height):
    images = [card_image(card, height) for card in ALL]
    assert {(image.mode, image.size) for image in images} == {("RGBA", (card_width(height), height))}
    assert len({image.tobytes() for image in images}) == len(ALL) == 41


def test_corners_are_transparent_and_the_rest_is_not():
    for card in ALL:
        image = card_image(card, 240)
        width, height = image.size
        assert all(image.getpixel((x, y))[3] == 0 for x in (0, width - 1) for y in (0, height - 1))
        assert image.crop((8, 8, width - 8, height - 8)).getextrema()[3] == (255, 255)


@pytest.mark.parametrize("card", [0, 4, 27, 39])
def test_the_index_stands_in_both_corners(card):
    """Turned upside down the corners of a card stay the same, the upper right and lower left ones are free of it."""
    image = card_image(card, 240)
    width, height = image.size
    box = (6, 6, 22, 36)
    turned = image.rotate(180)
    assert _ink(image.crop(box)) > 100
    assert abs(_ink(image.crop(box)) - _ink(turned.crop(box))) < 20


def _ink(image):
    """Pixels that are not the card's paper."""
    return int((np.asarray(image)[..., :3] != (253, 249, 237)).any(axis=2).sum())


def test_drawing_on_a_card_does_not_change_the_next_one():
    image = card_image(3, 100)
    before = image.tobytes()
    image.paste((0, 0, 0, 255), (0, 0, 50, 50))
    assert card_image(3, 100).tobytes() == before


@pytest.mark.parametrize("card", [-1, 40, True, "3c", 1.0])
def test_what_is_no_card_is_refused(card):
    with pytest.raises(TressetteError, match=r"is not a card: give an id from 0 to 39, or None for the back"):
        card_image(card)


@pytest.mark.parametrize("height", [15, 2001])
def test_heights_out_of_range_are_refused(height):
    with pytest.raises(TressetteError, match=rf"height = {height} is out of range: give pixels from 16 to 2000"):
        card_image(0, height)
