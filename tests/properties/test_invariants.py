"""What holds in every game: conservation, sums, masks, symmetries, batches equal to single games."""

import itertools
import random

import numpy as np
import pytest
from engine_support import OVERRIDES, dealt_record, legal_ids, partnership_rules, random_position, view_of
from hypothesis import given, settings
from hypothesis import strategies as st

from tressette_env.cards import RANK_SIXTHS, from_bits, to_bits
from tressette_env.encoding import SCRATCH_WORDS, encode
from tressette_env.engine import batch, bits, dealing, kernels
from tressette_env.engine.state import OVER, PLAY, STATE_DTYPE
from tressette_env.observation import describe, globals_, layout, planes
from tressette_env.presets import make_rules, playable

SPECS = [*playable(), *({"preset": "tressette"} | values for values in OVERRIDES.values())]


def finished(rules, seed, reward="deal"):
    """Record (1,) of a random deal played to its end (an abandoned deal is dealt again)."""
    table = rules.table("deal", reward)
    rng = random.Random(seed)
    for k in itertools.count():
        states = dealt_record(rules, seed, k, -1, table)
        while states[0]["phase"] != OVER:
            kernels.apply(states[0], table[0], int(rng.choice(list(legal_ids(states[0], table)))))
        if not states[0]["abandoned"]:
            return states


# ---------------------------------------------------------------- conservation
@settings(max_examples=60)
@given(partnership_rules(), st.integers(0, 10**6), st.integers(0, 60))
def test_each_card_is_in_one_place(rules, seed, plies):
    state = random_position(rules, seed, plies)[0]
    places = [*state["hands"][:4], *state["played"][:4]]
    assert sum(int(cards) for cards in places) == to_bits(rules.deck)
    assert sorted(itertools.chain(*(from_bits(cards) for cards in places))) == sorted(rules.deck)
    order = [int(card) for card in state["order"] if card >= 0]
    assert len(order) == state["num_played"] and to_bits(order) == sum(int(c) for c in state["played"])
    for seat in range(4):
        assert state["dealt"][seat] == state["hands"][seat] | state["played"][seat]
        assert not state["denied"][seat] & state["hands"][seat]
        assert not state["exposed"][seat] & ~state["dealt"][seat]


@settings(max_examples=60)
@given(partnership_rules(), st.integers(0, 10**6))
def test_captured_cards_add_up(rules, seed):
    state = finished(rules, seed)[0]
    assert int(state["captured"].sum()) == sum(RANK_SIXTHS[card % 10] for card in rules.deck)
    assert rules.sides[int(state["last_trick_seat"])] in (0, 1)


@pytest.mark.parametrize("name", [name for name in playable() if not name.startswith("mini")])
def test_thirds_are_35_and_whole_points_11(name):
    rules = make_rules(name)
    for seed in range(50):
        state = finished(rules, seed)[0]
        assert (int(state["captured"].sum()) + rules.bonus_sixths) // 2 == 35
        declared = int(state["declared_sixths"].sum())
        assert int(state["points"].sum()) - declared == 66
        assert all(int(points) % 6 == 0 for points in state["points"])


@pytest.mark.parametrize("reward", ["deal", "trick"])
@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_rewards_are_zero_sum_and_add_up_to_the_difference(spec, reward):
    rules = make_rules(spec)
    table = rules.table("deal", reward)
    rng = random.Random(7)
    for seed in range(5):
        state = dealt_record(rules, seed, 0, -1, table)[0]
        sums = np.zeros(4)
        while state["phase"] != OVER:
            kernels.apply(state, table[0], int(rng.choice(list(legal_ids(state, table)))))
            step = [kernels.seat_reward(state, table[0], seat) for seat in range(4)]
            assert abs(sum(step)) < 1e-9
            sums += step
        if not state["abandoned"]:
            margin = (int(state["points"][0]) - int(state["points"][1])) / 6
            assert sums == pytest.approx([margin, -margin, margin, -margin])


# ---------------------------------------------------------------- masks
@settings(max_examples=80)
@given(partnership_rules(), st.integers(0, 10**6), st.integers(0, 60))
def test_every_form_of_the_mask_agrees(rules, seed, plies):
    table = rules.table()
    states = random_position(rules, seed, plies)
    words = np.zeros(kernels.NUM_WORDS, np.int64)
    kernels.legal(states[0], table[0], words)
    mask = np.zeros((1, rules.blocks.num_actions), np.int8)
    batch.masks_all(states, table, mask)
    ids = list(np.flatnonzero(mask[0]))
    assert [a for a in range(-3, rules.blocks.num_actions + 3) if kernels.is_legal(words, table[0], a)] == ids
    assert batch.count_legal(words) == len(ids)
    assert [batch.nth_legal(words, table[0], i) for i in range(len(ids))] == ids
    assert batch.nth_legal(words, table[0], len(ids)) == -1
    assert batch.count_legal(words) == len(ids)
    assert bool(ids) == (states[0]["phase"] != OVER)
    if states[0]["phase"] == PLAY:
        hand = from_bits(states[0]["hands"][states[0]["to_act"]])
        plays = [a for a in ids if a in rules.blocks.plays]
        assert {a % 40 for a in plays} <= set(hand) and any(a < 40 for a in plays)
        if len(hand) == 1:
            assert all(a < 40 for a in plays)  # C15: nothing is said with the last card


def test_no_signal_on_the_last_card_in_any_mode():
    """C15."""
    for override in ("free", "free_any", "graded", "thresholds"):
        rules = make_rules({"preset": "tressette"} | OVERRIDES[override])
        table = rules.table()
        for seed in range(20):
            state = dealt_record(rules, seed, 0, -1)[0]
            rng = random.Random(seed)
            while state["phase"] != OVER:
                ids = list(legal_ids(state, table))
                if state["num_played"] >= 36:
                    assert all(action < 40 for action in ids)
                kernels.apply(state, table[0], int(rng.choice(ids)))


# ---------------------------------------------------------------- batch = single
@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_a_row_is_a_single_game(spec):
    rules = make_rules(spec)
    games = 6
    env = batch.Batch(rules, games, seeds=40, episode="match", reward="trick")
    singles = [dealt_record(rules, 40 + i, 0, -1, env.table) for i in range(games)]
    ks = [0] * games
    rng = random.Random(3)
    masks = np.zeros((games, rules.blocks.num_actions), np.int8)
    while (env.status == batch.RUNNING).any():
        assert env.states.tobytes() == b"".join(single.tobytes() for single in singles)
        env.masks(masks)
        actions = np.array([rng.choice(list(np.flatnonzero(row))) if row.any() else 0 for row in masks])
        running = env.status == batch.RUNNING
        rewards = env.step(actions)
        for i, single in enumerate(singles):
            if not running[i]:
                assert not rewards[i].any()
                continue
            kernels.apply(single[0], env.table[0], int(actions[i]))
            assert list(rewards[i][:4]) == [kernels.seat_reward(single[0], env.table[0], s) for s in range(4)]
            assert env.status[i] == kernels.episode_over(single[0], env.table[0])
            if single[0]["phase"] == OVER and not env.status[i]:
                ks[i] += 1
                dealing.pass_deal(single[0], env.table[0])
                dealing.deal(single[0], env.table[0], 40 + i, ks[i])


def test_a_row_does_not_depend_on_the_batch():
    rules = make_rules("tressette")
    small, large = batch.Batch(rules, 3, seeds=5), batch.Batch(rules, 50, seeds=0)
    assert small.states.tobytes() == large.states[5:8].tobytes()


# ---------------------------------------------------------------- symmetries
def permuted(state, perm):
    """Record (1,) with suit s renamed perm[s], field by field."""

    def cards(bit_set):
        return to_bits(10 * perm[card // 10] + card % 10 for card in from_bits(bit_set))

    def card_id(card):
        return 10 * perm[card // 10] + card % 10 if card >= 0 else card

    out = np.zeros(1, STATE_DTYPE)
    out[0] = state
    for name in ("hands", "dealt", "played", "exposed", "denied", "signalled"):
        out[0][name] = [cards(value) for value in state[name]]
    for name in ("led", "table"):
        out[0][name] = cards(state[name])
    for name in ("best_card", "trump_card"):
        out[0][name] = card_id(int(state[name]))
    out[0]["order"] = [card_id(int(card)) for card in state["order"]]
    out[0]["trump"] = perm[state["trump"]] if state["trump"] >= 0 else -1
    declared = state["declared"].reshape(5, 7)
    moved = declared.copy()
    for suit in range(4):
        moved[:, perm[suit]] = declared[:, suit]
    out[0]["declared"] = moved.ravel()
    return out


def permuted_action(rules, action, perm):
    if action in rules.blocks.plays:
        return action - action % 40 + 10 * perm[action % 40 // 10] + action % 10
    first = rules.blocks.declarations.start
    return first + perm[action - first] if action in rules.blocks.declarations[:4] else action


def observe(state, rules, table, seat, full=False):
    out = np.zeros(layout(rules).size, np.float32)
    view = view_of(state, table, seat)[0] if not full else state
    encode(view, table[0], seat, full, np.zeros(SCRATCH_WORDS, np.int64), out)
    return out


def permuted_observation(obs, rules, perm):
    out = obs.copy()
    for suit in range(4):
        planes(out)[perm[suit]] = planes(obs)[suit]
    for s in describe(rules):
        if s.part == "globals":
            old, new = globals_(obs)[s.where], globals_(out)[s.where]
            if s.name in ("led_suit", "void", "missing_suit", "trump_suit"):
                new.reshape(-1, 4)[:, list(perm)] = old.reshape(-1, 4)
            elif s.name == "declared":
                new.reshape(-1, 7)[:, list(perm)] = old.reshape(-1, 7)[:, :4]
    return out


LATE = {"declare_when": "end_first_trick", "signal_mode": "free"}
SYMMETRIC = ["tressette", "treseta", "bolognese", "briscola", LATE]


@pytest.mark.parametrize("spec", SYMMETRIC, ids=str)
def test_suit_permutations_commute_with_step_and_encode(spec):
    rules = make_rules(spec)
    table = rules.table("deal", "trick")
    for number, perm in enumerate(itertools.permutations(range(4))):
        rng = random.Random(number)
        state = dealt_record(rules, number, 0, -1, table)[0]
        other = permuted(state, perm)[0]
        while True:
            assert permuted(state, perm).tobytes() == other.tobytes()
            ids = {permuted_action(rules, int(a), perm): int(a) for a in legal_ids(state, table)}
            assert sorted(ids) == list(legal_ids(other, table))
            for seat in range(4):
                obs = permuted_observation(observe(state, rules, table, seat), rules, perm)
                assert np.array_equal(obs, observe(other, rules, table, seat))
            if not ids:
                break
            action = rng.choice(sorted(ids))
            kernels.apply(state, table[0], ids[action])
            kernels.apply(other, table[0], action)


def rotated(state, rules, turn):
    """Record (1,) with every seat moved `turn` places on; an odd turn exchanges the two sides."""
    out = np.zeros(1, STATE_DTYPE)
    out[0] = state
    new = [(seat + turn) % 4 for seat in range(4)]
    for name in ("hands", "dealt", "played", "exposed", "denied", "captured", "declared_sixths"):
        out[0][name][new] = state[name][:4]
    out[0]["declared"].reshape(5, 7)[new] = state["declared"].reshape(5, 7)[:4]
    for name in ("points", "totals", "gain", "paid"):
        out[0][name][[(side + turn) % 2 for side in range(2)]] = state[name][:2]
    for name in ("to_act", "dealer", "leader", "turn", "best_seat", "last_trick_seat"):
        out[0][name] = (state[name] + turn) % 4 if state[name] >= 0 else -1
    for name in ("closed", "played_on"):
        out[0][name] = to_bits((seat + turn) % 4 for seat in from_bits(state[name]))
    out[0]["cappotto"] = to_bits((side + turn) % 2 for side in from_bits(state["cappotto"]))
    if state["match_winner"] >= 0:
        out[0]["match_winner"] = (state["match_winner"] + turn) % 2
    return out


@pytest.mark.parametrize("spec", SYMMETRIC, ids=str)
def test_seat_rotations_commute_with_step_and_encode(spec):
    rules = make_rules(spec)
    table = rules.table("match", "trick")
    for number, turn in itertools.product(range(4), (1, 2, 3)):
        rng = random.Random(number)
        state = dealt_record(rules, number, 0, -1, table)[0]
        other = rotated(state, rules, turn)[0]
        while True:
            assert rotated(state, rules, turn).tobytes() == other.tobytes()
            ids = list(legal_ids(state, table))
            assert ids == list(legal_ids(other, table))
            for seat in range(4):
                for full in (False, True):
                    obs = observe(state, rules, table, seat, full)
                    assert np.array_equal(obs, observe(other, rules, table, (seat + turn) % 4, full))
            if not ids:
                break
            action = int(rng.choice(ids))
            kernels.apply(state, table[0], action)
            kernels.apply(other, table[0], action)


# ---------------------------------------------------------------- bit helpers, dealing
@settings(max_examples=200)
@given(st.integers(0, (1 << 40) - 1))
def test_bit_helpers(cards):
    ids = from_bits(cards)
    assert bits.count(cards) == len(ids)
    assert bits.lowest(cards) == (ids[0] if ids else -1)
    assert bits.sum_sixths(cards) == sum(RANK_SIXTHS[card % 10] for card in ids)
    for suit in range(4):
        own = [card for card in ids if card // 10 == suit]
        assert bits.count_suit(cards, suit) == len(own)
        assert bits.highest_of_suit(cards, suit) == (own[-1] if own else -1)


def test_cards_and_seats_are_uniform():
    """Chi-square of (card, seat) and of the first leader over 100,000 deals."""
    rules = make_rules("gamelake")
    deals = 100_000
    env = batch.Batch(rules, deals, seeds=0)
    hands = env.states["hands"][:, :4]
    counts = np.array([((hands >> card) & 1).sum(axis=0) for card in range(40)])
    leaders = np.bincount(env.states["leader"], minlength=4)
    chi_cards = ((counts - deals / 4) ** 2 / (deals / 4)).sum()
    chi_leader = ((leaders - deals / 4) ** 2 / (deals / 4)).sum()
    assert chi_cards < 160  # 117 degrees of freedom, mean 90 to 117 for fixed hand sizes: beyond p = 0.005
    assert chi_leader < 14.2  # 3 degrees of freedom, p = 0.003
    assert (hands[:, 0] | hands[:, 1] | hands[:, 2] | hands[:, 3] == (1 << 40) - 1).all()


def test_the_deal_depends_on_seed_and_number_alone():
    rules = make_rules("tressette")
    first = [dealt_record(rules, 9, k, 0)[0]["dealt"].tobytes() for k in range(20)]
    np.random.seed(1)
    random.seed(1)
    again = [dealt_record(rules, 9, k, 3)[0]["dealt"].tobytes() for k in range(20)]
    assert first == again and len(set(first)) == 20
