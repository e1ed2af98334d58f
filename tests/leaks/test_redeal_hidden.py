"""Exchange what a seat cannot see: all that it is shown stays the same byte for byte, the full state does not."""

import random

import pytest
from engine_support import choose_text
from family import NAMES, OVERRIDES, family_rules, partnership_rules, rules_of
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import World, exchange, random_past, twin_of

from tressette_env.presets import make_rules

MORE = {
    **OVERRIDES,
    "end_first_trick_annul": {"declare_when": "end_first_trick", "annul": "below_one_point"},
    "graded_automatic": {"declare": "automatic", "signals": ("striscio_corto", "striscio_lungo"), "signal_seat": "any"},
}


def compare(rules, seed, attempts):
    """Look for twins of a random past, as one seat sees it; return how many were compared."""
    rng = random.Random(seed)
    past = random_past(rules, seed, rng, rng.randrange(rules.num_seats * rules.num_tricks + 6), choose_text)
    game = past.reference()
    seat = rng.randrange(rules.num_seats)
    world = World(past)
    truth = world.shown(seat)
    compared = 0
    for attempt in range(attempts):
        twin = twin_of(past, game, seat, exchange(past, game, seat, rng, (2, 2, 3, 5, 30)[attempt % 5]))
        if twin is None:
            continue
        compared += 1
        other = World(twin)
        found = other.shown(seat)
        for name, value in truth.items():
            assert found[name] == value, f"{name} of seat {seat} tells {past} from {twin}"
        if other.state["to_act"] == world.state["to_act"] and other.places() != world.places():
            assert other.everything() != world.everything(), f"the full state does not tell {past} from {twin}"
    return compared


@pytest.mark.parametrize("name", NAMES)
def test_twins_of_named_rules(name):
    rules = rules_of(name)
    compared = sum(compare(rules, seed, 6) for seed in range(40))
    if rules.num_seats == 2 and not rules.stock and not rules.monte:
        assert compared == 0  # all cards are dealt to two: each knows everything
    else:
        assert compared > 20  # enough other worlds were possible


@pytest.mark.parametrize("name", MORE)
def test_twins_of_options(name):
    rules = make_rules({"preset": "tressette"} | MORE[name])
    compared = sum(compare(rules, seed, 6) for seed in range(40))
    assert compared > (3 if rules.signal_noise else 15)  # noise is of the deal: few others garble the same signals


@settings(max_examples=150)
@given(st.one_of(family_rules(), family_rules(20), partnership_rules()), st.integers(0, 10**6))
def test_twins_of_any_rules(rules, seed):
    compare(rules, seed, 5)


@pytest.mark.slow
@settings(max_examples=1500)
@given(st.one_of(family_rules(), family_rules(20), partnership_rules()), st.integers(10**6, 10**9))
def test_twins_of_many_rules(rules, seed):
    compare(rules, seed, 8)
