"""Where things stand: seats apart from each other, every card of every hand inside its box and with its corner free."""

from itertools import combinations

import pytest

from tressette_env.pictures.cards import ASPECT
from tressette_env.pictures.places import Box, centre, hand_spots, seat_boxes, split, trick_spots

SIZES = [(400, 400), (800, 600), (800, 800), (500, 900), (2000, 1000)]


def overlap(one, two):
    across = min(one.x + one.width, two.x + two.width) - max(one.x, two.x)
    down = min(one.y + one.height, two.y + two.height) - max(one.y, two.y)
    return across > 0.01 and down > 0.01


@pytest.mark.parametrize("size", SIZES)
def test_table_and_panel_share_the_picture(size):
    table, panel = split(*size)
    assert not overlap(table, panel)
    assert table.width * table.height + panel.width * panel.height == size[0] * size[1]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("num_seats", [2, 3, 4, 5])
def test_seats_and_trick_lie_apart_on_the_table(num_seats, size):
    table, _ = split(*size)
    middle = centre(table, num_seats)
    height, spots = trick_spots(middle, num_seats, 1e9)
    cards = [Box(x - height * ASPECT / 2, y - height / 2, height * ASPECT, height) for x, y in spots]
    boxes = [*seat_boxes(table, num_seats), *cards]
    assert not any(overlap(one, two) for one, two in combinations(boxes, 2))
    for box in boxes:
        assert table.x <= box.x and box.x + box.width <= table.x + table.width
        assert table.y <= box.y and box.y + box.height <= table.y + table.height


@pytest.mark.parametrize("num_seats", [2, 3, 4, 5])
def test_the_next_seat_sits_to_the_right(num_seats):
    table, _ = split(800, 800)
    boxes = seat_boxes(table, num_seats)
    _, spots = trick_spots(centre(table, num_seats), num_seats, 100)
    assert boxes[0].y == max(box.y for box in boxes)
    for places in ([box.middle for box in boxes], spots):
        if num_seats > 2:
            assert places[1][0] > places[0][0] > places[-1][0]


@pytest.mark.parametrize("count", range(1, 21))
@pytest.mark.parametrize("box", [Box(5, 7, 500, 120), Box(0, 0, 130, 260), Box(0, 0, 90, 60)])
def test_hands_stay_in_their_box(box, count):
    height, spots = hand_spots(box, count, 1e9, 0.34, 1.0)
    assert len(set(spots)) == count
    for x, y in spots:
        assert box.x - 0.01 <= x and x + height * ASPECT <= box.x + box.width + 1
        assert box.y - 0.01 <= y and y + height <= box.y + box.height + 1
    steps = [right - left for (left, y), (right, z) in zip(spots, spots[1:], strict=False) if y == z]
    assert all(step > 0.33 * height * ASPECT for step in steps)


def test_no_cards_take_no_room():
    assert hand_spots(Box(0, 0, 100, 100), 0, 50, 0.3, 0.5) == (0, [])
