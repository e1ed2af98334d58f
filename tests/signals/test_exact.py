"""Information on the toy, exactly: against answers worked out by hand and by a count in plain Python."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from scripted import Scripted, even_cards, rest_of, telling

from agents.signals.beliefs import LISTENERS, told
from agents.signals.exact import every_deal, exact_information
from agents.signals.games import Chances, SignalError, chances
from agents.signals.information import entropy
from agents.signals.speaking import speaker_of
from tressette_env.bots import make
from tressette_env.presets import make_rules, preset

TOY = preset("mini_4p")
BUSSO, VOLO = 1 + TOY.offered_signals.index("busso"), 1 + TOY.offered_signals.index("volo")
REVEALING = telling(lambda view, card: BUSSO if rest_of(view, card) else VOLO)
TALKATIVE = telling(lambda view, card: VOLO)  # says volo wherever it is true, else nothing: the same information


def test_every_deal_of_the_toy():
    states, weights = every_deal(TOY)
    assert len(states) == 2520 and weights.sum() == pytest.approx(1)
    assert len({row.tobytes() for row in states}) == 2520 and set(states["to_act"]) == {0}


@pytest.mark.parametrize("listener", LISTENERS)
@pytest.mark.parametrize("name", ["heuristic:signals=off", "simple"])
def test_a_constant_tells_nothing(name, listener):
    found = exact_information(speaker_of(make(name)), TOY, listener)
    assert found.entropy == 0 and set(found.bits.values()) == {0.0}


@pytest.mark.parametrize("speaker", [REVEALING, TALKATIVE])
def test_a_truthful_reveal_tells_the_known_value(speaker):
    # Eight cards, two suits of four; the leader's other card is of the suit led with probability 3/7.
    found = exact_information(speaker, TOY, "onlooker")
    assert found.bits["rest"] == pytest.approx(float(entropy([3, 4]))) == pytest.approx(0.98522814)
    assert found.per_deal == pytest.approx(1)


def counted(listener):
    """The same reveal counted in plain Python: mean over (what the listener knows, card) of H(rest)."""
    deck = sorted(TOY.deck)
    groups = Counter()
    for hand in combinations(deck, 2):
        left = [card for card in deck if card not in hand]
        for own in combinations(left, 2):
            for card in hand:
                rest = sum(other != card and other // 10 == card // 10 for other in hand)
                groups[(own, card), rest] += 1
    total = sum(groups.values())
    known = {key for key, _ in groups}
    return sum(
        (groups[key, 0] + groups[key, 1]) / total * float(entropy([groups[key, 0], groups[key, 1]])) for key in known
    )


@pytest.mark.parametrize("listener", ["partner", "opponents"])
def test_a_listener_with_a_hand_knows_some_of_it_already(listener):
    found = exact_information(REVEALING, TOY, listener)
    assert found.bits["rest"] == pytest.approx(counted(listener))
    assert found.bits["rest"] < 0.985


def test_opponents_of_whispering_partners_learn_nothing():
    rules = make_rules({"preset": "mini_4p", "signal_heard_by": "partner"})
    assert exact_information(REVEALING, rules, "opponents").bits["rest"] == 0
    assert exact_information(REVEALING, rules, "partner").bits["rest"] == pytest.approx(counted("partner"))


def test_lost_signals_tell_as_much_as_a_channel_with_erasures():
    # Of two messages: an erasure channel. Of volo, and silence where it is not true: a Z channel.
    rules = make_rules({"preset": "mini_4p", "signal_noise": 30})
    found = exact_information(REVEALING, rules, "onlooker").bits["rest"]
    assert found == pytest.approx(0.7 * float(entropy([3, 4])))
    joint = np.array([[4 * 0.7, 4 * 0.3], [0, 3]])
    expected = float(entropy(joint.sum(0)) + entropy(joint.sum(1)) - entropy(joint.reshape(-1)))
    assert exact_information(TALKATIVE, rules, "onlooker").bits["rest"] == pytest.approx(expected)


def test_free_talk_by_chance_tells_nothing():
    rules = make_rules({"preset": "mini_4p", "signal_mode": "free"})

    def babble(view, legal):
        return {action: 1 / len(legal) for action in legal}

    found = exact_information(Scripted("babble", babble), rules, "onlooker")
    assert max(found.bits.values()) == pytest.approx(0, abs=1e-9) and found.entropy > 1


def test_a_hidden_honour_shown_tells_its_entropy():
    rules = make_rules({"preset": "mini_4p", "signal_mode": "free"})

    def ace(view, card):
        return 1 if any(o != card and o // 10 == card // 10 and o % 10 == 7 for o in from_hand(view)) else 0

    def from_hand(view):
        from scripted import hand_of

        return hand_of(view)

    found = exact_information(telling(ace), rules, "onlooker").bits
    # A card that is no ace is led with 3 in 4 (four cards a suit); the other card is then its ace with 1 in 7.
    assert found["ace"] == pytest.approx(0.75 * float(entropy([1, 6])))


@pytest.mark.parametrize("listener", LISTENERS)
@pytest.mark.parametrize("name", ["heuristic", "random"])
def test_sampled_beliefs_find_the_same(name, listener):
    speaker, (states, _) = speaker_of(make(name)), every_deal(TOY)
    exact = exact_information(speaker, TOY, listener)
    rng = np.random.default_rng(0)
    rows = np.repeat(np.arange(len(states)), 2)  # of two neighbours one asks the one opponent, one the other
    cards = speaker.probabilities(states, TOY.table())[:, :160].reshape(-1, 4, 40).sum(1)
    played = np.array([rng.choice(40, p=cards[row]) for row in rows])
    found = told(speaker, Chances(TOY, states[rows], played, rows), listener, worlds=256)
    assert found.skipped == 0
    for name, bits in exact.bits.items():
        assert found.bits[name].raw == pytest.approx(bits, abs=0.03), name


def test_even_cards_are_even():
    states, _ = every_deal(TOY)
    assert even_cards(states[0], [0, 40, 41, 1]) == {0: 0.5, 1: 0.5}


def test_too_large_games_are_refused():
    with pytest.raises(SignalError, match="deals"):
        exact_information(speaker_of(make("heuristic")), preset("tressette"), "partner")


def test_games_without_partners_or_signals_are_refused():
    refused = {
        "no_signals": "no signals",
        "due": "no signals",
        "traversone": "no signals",
        "side by side": "no partners face to face",
        "one card": "one card a hand",
    }
    specs = {
        "side by side": {"preset": "tressette", "sides": [0, 0, 1, 1]},
        "one card": {"preset": "mini_4p", "hand_size": 1, "deck": "4cKcAc3c"},
    }
    for name, why in refused.items():
        with pytest.raises(SignalError, match=why):
            chances(make("heuristic"), make_rules(specs.get(name, name)), 2, 0)


def test_nobody_may_speak():
    rules = make_rules({"preset": "mini_4p", "signal_sides": []})
    with pytest.raises(SignalError, match="nobody"):
        exact_information(speaker_of(make("heuristic")), rules, "partner")
