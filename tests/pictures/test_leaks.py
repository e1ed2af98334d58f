"""Exchange what a seat cannot see: its text and its picture stay the same byte for byte, the full ones do not."""

import random

import pytest
from engine_support import choose_text, view_of
from family import NAMES, rules_of
from twins import World, exchange, random_past, twin_of

from tressette_env.pictures import table_image
from tressette_env.render import table_text

SIZE = (320, 240)


def shown(world, seat):
    """Text and picture of a world for a seat, or with every card."""
    row = world.state if seat is None else view_of(world.state, world.table, seat)[0]
    return table_text(row, world.rules, seat), table_image(row, world.rules, seat, SIZE).tobytes()


@pytest.mark.parametrize("name", NAMES)
def test_twins_look_the_same_to_the_seat_and_differ_with_every_card(name):
    rules = rules_of(name)
    compared = 0
    for seed in range(12):
        rng = random.Random(seed)
        past = random_past(rules, seed, rng, rng.randrange(rules.num_seats * rules.num_tricks), choose_text)
        game, seat = past.reference(), rng.randrange(rules.num_seats)
        twins = (twin_of(past, game, seat, exchange(past, game, seat, rng, count)) for count in (2, 2, 3, 5))
        for twin in filter(None, twins):
            compared += 1
            one, two = World(past), World(twin)
            assert shown(one, seat) == shown(two, seat)
            if (one.state["hands"] != two.state["hands"]).any():
                assert all(left != right for left, right in zip(shown(one, None), shown(two, None), strict=True))
    everything_known = rules.num_seats == 2 and not rules.stock and not rules.monte
    assert compared == 0 if everything_known else compared > 4
