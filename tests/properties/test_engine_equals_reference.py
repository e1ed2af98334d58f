"""The kernels and the slow reference, played side by side with the same random legal actions, never differ."""

import random
from fractions import Fraction

import pytest
from engine_support import OVERRIDES, EngineMatch, partnership_rules, reference_deal, reference_rules
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import ReferenceMatch

from tressette_env.presets import PRESETS, make_rules, playable
from tressette_env.rules import Rules

REWARDS = ("deal", "trick", "match")


def play_both(rules, seed, episode, reward, eager=0.5):
    """Play one episode on both; assert that they agree at every step. Return the number of decisions."""
    rng = random.Random(seed)
    engine = EngineMatch(rules, seed, episode, reward)
    slow = ReferenceMatch(
        reference_rules(rules), lambda k: reference_deal(rules, seed, k), engine.dealer, episode=episode, reward=reward
    )
    decisions = 0
    while not slow.finished:
        ids = engine.legal()
        assert set(ids) == slow.legal()
        assert engine.to_act == slow.to_act
        spoken = [text for text in sorted(ids) if " " in text]
        text = rng.choice(spoken if spoken and rng.random() < eager else sorted(ids))
        due = slow.step(text)
        got = engine.step(ids[text])
        assert got == pytest.approx([float(r) for r in due], abs=1e-9), text
        assert engine.results == slow.results
        assert engine.status == (2 if slow.truncated else int(slow.finished))
        assert [Fraction(int(t), 6) for t in engine.state["totals"][: rules.num_competitors]] == slow.totals
        decisions += 1
    assert engine.to_act == -1 and not engine.legal()
    if episode == "match" and not slow.truncated:
        assert engine.state["match_winner"] == slow.winner
    return decisions


@pytest.mark.parametrize("name", playable())
def test_presets(name):
    for seed, reward in enumerate(REWARDS):
        play_both(make_rules(name), seed, "match", reward)
    for seed in range(4):
        play_both(make_rules(name), 100 + seed, "deal", REWARDS[seed % 2])


@pytest.mark.parametrize("override", OVERRIDES)
@pytest.mark.parametrize("name", ["tressette", "mini_4p_12"])
def test_option_overrides(name, override):
    rules = make_rules({"preset": name, "target": 11} | OVERRIDES[override])
    for seed, reward in enumerate(REWARDS):
        play_both(rules, seed, "match", reward)


@settings(max_examples=150, deadline=None)
@given(partnership_rules(), st.integers(0, 10**6), st.sampled_from(["deal", "match"]), st.sampled_from(REWARDS))
def test_any_partnership_rules(rules, seed, episode, reward):
    if episode == "deal" and reward == "match":
        reward = "trick"
    if episode == "match" and rules.whole_total == 0:
        episode, reward = "deal", "deal"  # a match without points in the pack need not end
    play_both(rules, seed, episode, reward)


def test_ties_and_redeals_are_reached():
    """The corpus above is worth something only if matches tie, go on, and redeals happen and cut episodes."""
    ties = redeals = cut = 0
    tied = make_rules({"preset": "gamelake", "target": 11})
    for seed in range(40):
        engine = EngineMatch(tied, seed, "match")
        rng = random.Random(seed)
        while engine.status == 0:
            engine.step(rng.choice(list(engine.legal().values())))
        totals = [result["totals"] for result in engine.results]
        ties += any(a == b and a >= 11 for a, b in totals)
        play_both(tied, seed, "match", "match")
    poor = Rules(
        deck=tuple(range(4)) + tuple(range(10, 14)) + tuple(range(20, 24)) + tuple(range(30, 34)),
        hand_size=4, annul="below_one_point", declare="off",
    )  # fmt: skip
    for seed in range(40):
        rng = random.Random(seed)
        engine = EngineMatch(poor, seed, "deal")
        while engine.status == 0:
            engine.step(rng.choice(list(engine.legal().values())))
            redeals += int(engine.state["redeals"]) > 0
        cut += engine.status == 2
        play_both(poor, seed, "deal", "deal")
    assert ties and redeals and cut


NO_4B = {"deck": tuple(c for c in range(40) if c != 30), "hand_size": 13}
SOLO_3 = {"num_seats": 3, "sides": (0, 1, 2)} | NO_4B
FIVE = {"num_seats": 5, "hand_size": 8}
LATE = {"trump": "last_dealt", "annul": "below_one_point", "declare_when": "end_first_trick", "cappotto": "plus_one"}
MIN = {"objective": "min", "declare": "off", "target": 15}
UNBUILT = [
    {"num_seats": 2, "sides": (0, 1), "deck": tuple(c for c in range(40) if c % 2)},
    SOLO_3 | {"signal_seat": "any"},
    SOLO_3 | LATE,
    FIVE | {"sides": (0, 1, 2, 3, 4), "signal_mode": "free", "declare_when": "own_first_turn"},
    FIVE | {"sides": (0, 1, 0, 1, 1), "remainder": "last_trick_takes_rest"},
    {"sides": (0, 1, 2, 3), "cappotto": "double", "remainder": "exact", "target": 6},
    *(
        MIN | {"sides": sides, "cappotto": cappotto, "revoke": revoke, "remainder": remainder}
        for sides in ((0, 1, 2, 3), (0, 1, 0, 1))
        for cappotto, revoke, remainder in (
            ("none", "masked", "floor_each"),
            ("shoot", "take_all", "last_trick_takes_rest"),
            ("ends_match", "flat_11", "exact"),
            ("shoot", "masked", "exact"),
        )
    ),
]


@pytest.mark.parametrize("index", range(len(UNBUILT)))
def test_kernels_beyond_the_playable_presets(index):
    """Seats, sides, objective and revokes that no playable preset uses yet: the kernels already follow the rules."""
    rules = Rules(**UNBUILT[index])
    for seed, reward in enumerate(REWARDS * 2):
        play_both(rules, seed, "match", reward, eager=0.2)


@pytest.mark.parametrize("name", ["traversone", "traversone_italian", "ciapa_no", "traversone_pairs", "traversone_3p"])
def test_penalty_presets_already_follow_the_reference(name):
    rules = Rules.from_dict({"name": name} | PRESETS[name][1])
    for seed, reward in enumerate(REWARDS):
        play_both(rules, seed, "match", reward)
