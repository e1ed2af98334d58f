"""A trained probe finds what is told, and nothing where nothing is."""

import numpy as np
import pytest
from scripted import hand_of, telling

from agents.signals.beliefs import told
from agents.signals.games import SignalError, chances
from agents.signals.probe import probe
from tressette_env.bots import make
from tressette_env.presets import make_rules, preset

TRUTHFUL = preset("tressette")
FREE = make_rules({"preset": "tressette", "signal_mode": "free", "declare": "off"})


@pytest.mark.slow
def test_a_constant_helps_nobody():
    found = probe(chances(make("heuristic:signals=off"), TRUTHFUL, 1500, 3))
    for name, (mean, low, high) in found.gain.items():
        assert abs(mean) < 0.02 and low < 0.01 and high > -0.01, name


@pytest.mark.slow
def test_babble_helps_nobody():
    own = chances(make("heuristic:signals=off"), FREE, 1500, 3)
    rng = np.random.default_rng(1)
    babbled = type(own)(own.rules, own.states, own.cards + 40 * rng.integers(4, size=len(own)), own.deals)
    for name, (mean, _, _) in probe(babbled).gain.items():
        assert abs(mean) < 0.02, name


@pytest.mark.slow
def test_a_plain_answer_is_worth_what_beliefs_say():
    """Who plays cards at random and says whether it still holds the three of the suit: no habits to learn, so the
    probe can find what sampled beliefs find and no more."""
    teller = telling(holds_three)
    own = chances(teller, FREE, 500, 3)
    expected = told(teller, own.some(np.arange(0, len(own), 5)), "partner", worlds=128).bits["three"].raw
    assert expected > 0.2
    assert 0.75 * expected < probe(own).gain["three"][0] < 1.1 * expected


def holds_three(view, card):
    return any(c % 10 == 9 and c // 10 == card // 10 and c != card for c in hand_of(view))


@pytest.mark.slow
def test_what_is_not_heard_helps_nobody():
    for fields, listener in (({"signal_noise": 100}, "partner"), ({"signal_heard_by": "partner"}, "opponents")):
        rules = make_rules({"preset": "tressette"} | fields)
        gain = probe(chances(make("heuristic"), rules, 800, 3), listener).gain["rest"]
        assert abs(gain[0]) < 0.02, fields


def test_too_few_deals_are_refused():
    with pytest.raises(SignalError, match="too few"):
        probe(chances(make("heuristic"), TRUTHFUL, 10, 1))
    with pytest.raises(SignalError, match="no hand"):
        probe(chances(make("heuristic"), TRUTHFUL, 60, 1), "onlooker")


def test_the_same_seed_finds_the_same():
    own = chances(telling(lambda view, card: 2), FREE, 60, 1)
    first, second = probe(own, epochs=2, seed=4), probe(own, epochs=2, seed=4)
    assert first == second
