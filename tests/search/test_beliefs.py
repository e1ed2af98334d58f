"""Sampled worlds: each could be true, as far as the seat knows, and all that could be are equally likely."""

import os
import random
from collections import Counter
from itertools import combinations, permutations

import numba as nb
import numpy as np
import pytest
from engine_support import all_texts, choose_text, dealt_record, legal_ids, record_of, view_of
from family import NAMES, OVERRIDES, family_rules, rules_of
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from agents.search.beliefs import new_belief, prepare, sample
from agents.search.worlds import BeliefError, sample_worlds
from tressette_env.cards import from_bits
from tressette_env.engine import kernels
from tressette_env.engine.game import Game
from tressette_env.engine.state import ANNUL, DECLARE, DISCARD, OVER, PLAY, STATE_DTYPE
from tressette_env.errors import TressetteError
from tressette_env.presets import PRESETS, make_rules

WORLDS = int(os.environ.get("TRESSETTE_WORLDS", "100000"))
BELIEF = new_belief()


@nb.njit
def draw_worlds(views, table, belief, seed, out):
    """Write a world to every row of out; return how many were not found."""
    missed = 0
    prepare(views[0], table[0], belief)
    for i in range(out.shape[0]):
        out[i] = views[0]
        if not sample(views[0], table[0], belief, np.uint64(seed + i) * np.uint64(0x9E3779B97F4A7C15), out[i]):
            missed += 1
    return missed


def worlds_of(view, table, number, seed=0):
    out = np.zeros(number, STATE_DTYPE)
    assert draw_worlds(view, table, BELIEF, seed, out) == 0
    return out


def silent(rules, phase):
    """The action that the table does not see, in a phase where seats are asked in private."""
    return all_texts(rules).index("done" if phase == DECLARE else "play on")


def replay(rules, table, world, log, seat, phase_now):
    """The engine's record after the public log over a world's deal: what it hides is answered in silence."""
    hands = [from_bits(int(hand)) for hand in world["dealt"][: rules.num_seats]]
    undealt = world["undealt"][: rules.stock + rules.monte].tolist()
    assert sorted([card for hand in hands for card in hand] + undealt) == sorted(rules.deck)
    assert all(len(hand) == rules.hand_size for hand in hands)
    trump_card = int(world["trump_card"])
    states = record_of(rules, hands, int(world["dealer"]), trump_card=trump_card, stock=undealt, table=table)
    state = states[0]
    discarded = 0
    left = list(log)
    while left or (state["to_act"], state["phase"]) != (seat, phase_now):
        due = (int(state["to_act"]), int(state["phase"]))
        if due[1] in (ANNUL, DECLARE) and (not left or left[0][0] != due):
            action = silent(rules, due[1])
        else:
            assert left and left[0][0] == due
            action = left.pop(0)[1]
            if due[1] == DISCARD:
                action = rules.blocks.discard.start + int(world["discards"][discarded])
                discarded += 1
        assert action in legal_ids(state, table), all_texts(rules)[action]
        kernels.apply(state, table[0], action)
    return states


def check_world(rules, table, view, world, log):
    seat = int(view[0]["to_act"])
    states = replay(rules, table, world, log, seat, view[0]["phase"])
    assert view_of(states[0], table, seat).tobytes() == view.tobytes()
    states[0]["gain"] = world["gain"]  # of the last action, that nobody is told
    by_hearing = () if table[0]["signals_clear"] else ("denied",)  # noted in views, where not all hear the same
    different = [n for n in STATE_DTYPE.names if n not in by_hearing and (states[0][n] != world[n]).any()]
    assert different == []


def decisions(rules, seed, rng, choose=choose_text):
    """Yield (view, public log) before every decision of a random deal."""
    table = rules.table()
    states = dealt_record(rules, seed, 0, rng.randrange(rules.num_seats), table)
    state = states[0]
    log = []
    texts = all_texts(rules)
    while state["phase"] != OVER:
        yield view_of(state, table, int(state["to_act"])), list(log)
        legal = {texts[action]: action for action in legal_ids(state, table)}
        text = choose(sorted(legal), rng)
        if text not in ("done", "play on"):
            log.append(((int(state["to_act"]), int(state["phase"])), legal[text]))
        kernels.apply(state, table[0], legal[text])


def as_heard(rules, seat, speaker, phase, action):
    """An action without a signal that was meant for the other side."""
    meant_for_all = rules.signal_heard_by == "all" or rules.sides[seat] == rules.sides[speaker]
    return action if meant_for_all or phase != PLAY or action not in rules.blocks.plays else action % 40


def check_rules(rules, seeds, number, wanted=None):
    """Sample worlds at the decisions of random deals; return how many were looked at."""
    table = rules.table()
    looked = 0
    if rules.signal_noise and rules.offered_signals:
        return (
            looked  # worlds keep what was heard: whether the noise of each would have made it of what was said is open
        )
    for seed in seeds:
        rng = random.Random(seed)
        for view, told in decisions(rules, seed, rng):
            log = [(due, as_heard(rules, int(view[0]["to_act"]), *due, action)) for due, action in told]
            for world in worlds_of(view, table, number, looked):
                check_world(rules, table, view, world, log)
                looked += 1
            if wanted and looked >= wanted:
                return looked
    return looked


@pytest.mark.parametrize("name", NAMES)
def test_worlds_replay(name):
    assert check_rules(rules_of(name), range(4), 2) > 10


@pytest.mark.parametrize("name", OVERRIDES)
def test_worlds_replay_with_options(name):
    check_rules(make_rules({"preset": "tressette"} | OVERRIDES[name]), range(3), 2)


@settings(max_examples=200)
@given(family_rules(), st.integers(0, 10**6))
def test_worlds_replay_under_any_rules(rules, seed):
    check_rules(rules, [seed], 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", PRESETS)
def test_many_worlds_replay(name):
    """The presets together: TRESSETTE_WORLDS worlds, 100,000 unless told otherwise."""
    wanted = WORLDS // len(PRESETS) + 1
    assert check_rules(make_rules(name), range(10**6), 8, wanted) >= wanted


# ---------------------------------------------------------------- all equally likely
TOYS = {
    "signals": {"preset": "mini_4p"},
    "signals by all": {"preset": "mini_4p", "deck": "3c2c4c5c6c7c3d2d4d5d6d7d", "hand_size": 3, "signal_seat": "any"},
    "monte": {"preset": "mini_2p"},
    "hidden draws": {"preset": "mini_due"},
    "hidden draws, free": {"preset": "mini_due", "deck": "3cAcKc4c5c3dAdKd4d5d", "hand_size": 3, "stock": 4,
                           "follow": "free_while_stock"},
    "hidden draws, follow": {"preset": "mini_due", "deck": "3cAcKc4c5c3dAdKd4d5d", "hand_size": 3, "stock": 4},
    "shown draws": {"preset": "mini_due", "deck": "3cAcKc4c5c3dAdKd4d5d", "hand_size": 2, "stock": 2, "monte": 4,
                    "draw_shown": True},
    "told at once": {"preset": "tressette", "deck": "3c2cAc3d2dAd3s4s5s4b5b6b", "hand_size": 3, "declare": "automatic"},
    "trump": {"preset": "briscola", "deck": "3c2cAc4c3d2d4d5d", "hand_size": 2},
    "exchange of all": {"preset": "calabresella", "deck": "3c2cAc4c5c3d2dAd4d5d", "hand_size": 2, "monte": 4},
    "exchange of two": {"preset": "calabresella_two", "deck": "3c2cAc4c5c3d2dAd4d5d", "hand_size": 2, "monte": 4},
    "secret partner": {"preset": "chiamata", "deck": "3c2cAc4c5c3d2dAd4d5d", "hand_size": 2},
}  # fmt: skip


def deals(rules, own, seat):
    """All deals (hands, undealt) as bit sets and lists in which a seat holds its own cards."""
    rest = [card for card in rules.deck if not own >> card & 1]

    def hands(place, left):
        if place == rules.num_seats:
            for undealt in permutations(left):
                yield [], list(undealt)
        elif place == seat:
            for others, undealt in hands(place + 1, left):
                yield [own, *others], undealt
        else:
            for hand in combinations(left, rules.hand_size):
                kept = [card for card in left if card not in hand]
                for others, undealt in hands(place + 1, kept):
                    yield [sum(1 << card for card in hand), *others], undealt

    return hands(0, rest)


def key_of_world(world, rules):
    """What tells worlds apart. The order within an exchange does not: each has as many."""
    taken = int(world["exchanged"])
    undealt = world["undealt"][: rules.stock + rules.monte].tolist()
    discards = world["discards"].tolist()
    if taken:
        undealt = sorted(undealt[:taken]) + sorted(undealt[taken:])
        discards = sorted(discards)
    return str((world["dealt"].tolist(), undealt, discards))


def all_worlds(rules, table, view, log):
    """The keys of all worlds over which the public log leads to the view."""
    seat = int(view[0]["to_act"])
    found = set()
    known = view[0]["undealt"]
    taken = int(view[0]["exchanged"])
    unseen_discards = taken and view[0]["declarer"] != seat
    for hands, undealt in deals(rules, int(view[0]["dealt"][seat]), seat):
        if any(known[i] >= 0 and known[i] != card for i, card in enumerate(undealt)):
            continue
        if taken and (
            undealt[taken:] != sorted(undealt[taken:])
            or (known[0] < 0 and undealt != sorted(undealt[:taken]) + undealt[taken:])
        ):
            continue
        if not rules.stock and not taken and any(int(view[0]["played"][i]) & ~hand for i, hand in enumerate(hands)):
            continue
        world = view.copy()[0]
        world["dealt"][: rules.num_seats] = hands
        world["undealt"][: len(undealt)] = undealt
        choices = [view[0]["discards"].tolist()]
        if unseen_discards:
            called, given = (1 << int(view[0][name]) if view[0][name] >= 0 else 0 for name in ("called", "given"))
            could = hands[view[0]["declarer"]] | called | sum(1 << card for card in undealt[:taken])
            choices = combinations(from_bits(could & ~given), taken)
        for discards in choices:
            world["discards"][: len(discards)] = discards
            if fits(rules, table, view, world, log, seat):
                found.add(key_of_world(world, rules))
    return found


def fits(rules, table, view, world, log, seat):
    if rules.trump != "none" and not int(world["dealt"][world["dealer"]]) >> int(world["trump_card"]) & 1:
        return False  # it was the last card dealt to the dealer
    try:
        states = replay(rules, table, world, log, seat, view[0]["phase"])
    except AssertionError:
        return False
    return view_of(states[0], table, seat).tobytes() == view.tobytes()


SLOW_TOYS = ("exchange of all", "exchange of two", "secret partner")


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.slow) if n in SLOW_TOYS else n for n in TOYS])
def test_worlds_are_equally_likely(name):
    rules = make_rules(TOYS[name])
    table = rules.table()
    rng = random.Random(name)
    compared = 0
    enough = 5 if rules.exchange_cards else 12
    seen = set()
    for seed in range(60):
        for view, told in decisions(rules, seed, rng):
            log = [(due, as_heard(rules, int(view[0]["to_act"]), *due, action)) for due, action in told]
            if len(log) < 2 or rng.random() < 0.5 or compared >= enough:
                continue
            if rules.exchange_cards and not view[0]["exchanged"]:
                continue  # too many worlds
            kind = (int(view[0]["phase"]), int(view[0]["num_played"]))
            if kind in seen and rng.random() < 0.8:
                continue
            every = all_worlds(rules, table, view, log)
            if not 2 <= len(every) <= 600:
                continue
            seen.add(kind)
            drawn = Counter(key_of_world(world, rules) for world in worlds_of(view, table, 40 * len(every), seed))
            assert set(drawn) <= every
            expected = 40.0
            statistic = sum((drawn[key] - expected) ** 2 / expected for key in every)
            assert stats.chi2.sf(statistic, len(every) - 1) > 1e-5, (seed, len(log), len(every), statistic)
            compared += 1
    assert compared == enough


# ---------------------------------------------------------------- nothing but view and key
@pytest.mark.parametrize("name", ["tressette", "due", "calabresella", "chiamata", "a_tre"])
def test_a_world_depends_on_view_and_key_alone(name):
    rules = make_rules(name)
    for view, _ in list(decisions(rules, 3, random.Random(3)))[::5]:
        worlds = worlds_of(view, rules.table(), 20, seed=4)
        assert worlds.tobytes() == worlds_of(view, rules.table(), 20, seed=4).tobytes()
        poisoned = worlds[7:8].copy()  # another world is what hidden fields could hold
        for field in ("hands", "dealt"):
            poisoned[field][0, int(view[0]["to_act"])] = view[0][field][int(view[0]["to_act"])]
        redacted = view_of(poisoned[0], rules.table(), int(view[0]["to_act"]))
        assert redacted.tobytes() == view.tobytes()
        assert worlds_of(redacted, rules.table(), 20, seed=4).tobytes() == worlds.tobytes()
        if (worlds["hands"] != worlds["hands"][0]).any():
            assert worlds_of(view, rules.table(), 20, seed=5).tobytes() != worlds.tobytes()


def test_a_view_that_cannot_be_has_no_world():
    rules = make_rules("tressette")
    view, _ = next(iter(decisions(rules, 1, random.Random(1))))
    view["denied"][:] = (1 << 40) - 1
    assert draw_worlds(view, rules.table(), BELIEF, 0, np.zeros(3, STATE_DTYPE)) == 3


# ---------------------------------------------------------------- for people
def test_worlds_of_a_game():
    game = Game("calabresella", seed=3)
    while game.states[0]["num_played"] < 5:
        game.step(game.legal_actions()[-1])
    worlds = sample_worlds(game, 50, seed=8)
    assert worlds.dtype == STATE_DTYPE and worlds.shape == (50,)
    seat = game.to_act
    assert (worlds["hands"][:, seat] == game.states[0]["hands"][seat]).all()
    sizes = [[bin(hand).count("1") for hand in world[:3]] for world in worlds["hands"].tolist()]
    assert all(found == [bin(hand).count("1") for hand in game.states[0]["hands"][:3].tolist()] for found in sizes)
    assert len({world.tobytes() for world in worlds}) > 40
    np.testing.assert_array_equal(worlds, sample_worlds(game, 50, seed=8))
    assert (worlds != sample_worlds(game, 50, seed=9)).any()


@pytest.mark.parametrize(
    ("number", "seed", "said"),
    [
        (0, 0, "number = 0 is not a whole number of worlds"),
        (2.5, 0, "number = 2.5"),
        (True, 0, "number = True"),
        (3, -1, "seed"),
    ],
)
def test_worlds_of_a_game_need_sane_numbers(number, seed, said):
    with pytest.raises(TressetteError, match=said):
        sample_worlds(Game("mini_4p", seed=1), number, seed)


def test_no_worlds_of_a_game_that_is_over():
    game = Game("mini_4p", seed=1)
    while game.to_act >= 0:
        game.step(game.legal_actions()[0])
    with pytest.raises(BeliefError, match="the game is over"):
        sample_worlds(game, 3)
