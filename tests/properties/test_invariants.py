"""What holds in every game: conservation, knowledge that is true, sums, masks, batches equal to single games."""

import itertools
import random

import numpy as np
import pytest
from engine_support import all_texts, choose_text, dealt_record, legal_ids, random_position
from family import NAMES, OVERRIDES, family_rules, partnership_rules, rules_of
from hypothesis import given, settings
from hypothesis import strategies as st

from tressette_env.cards import RANK_SIXTHS, from_bits, to_bits
from tressette_env.engine import batch, bits, dealing, kernels
from tressette_env.engine.state import OVER, PLAY
from tressette_env.presets import make_rules, preset

SPECS = [*NAMES, *OVERRIDES]
UNEQUAL = {"two_against_three", "three_draw_shown_monte"}  # sides of different sizes: rewards need not sum to zero
ANY_RULES = st.one_of(partnership_rules(), family_rules(), family_rules(16))


def rules_named(spec):
    return make_rules({"preset": "tressette"} | OVERRIDES[spec]) if spec in OVERRIDES else rules_of(spec)


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


def deck_sixths(rules):
    return sum(RANK_SIXTHS[card % 10] for card in rules.deck)


# ---------------------------------------------------------------- conservation
def places_of(state, rules):
    """The card sets that together are the deck: hands, cards played, and what lies undealt or put away."""
    n, stock = rules.num_seats, rules.stock
    undealt = state["undealt"][: stock + rules.monte].tolist()
    lying = undealt[int(state["num_drawn"]) : stock] + undealt[stock + int(state["exchanged"]) :]
    away = [card for card in state["discards"].tolist() if card >= 0]
    sets = [int(cards) for cards in (*state["hands"][:n], *state["played"][:n])]
    return [*sets, to_bits(lying), to_bits(away)]


@settings(max_examples=150)
@given(ANY_RULES, st.integers(0, 10**6), st.integers(0, 60))
def test_each_card_is_in_one_place(rules, seed, plies):
    state = random_position(rules, seed, plies)[0]
    n = rules.num_seats
    assert sorted(itertools.chain(*(from_bits(cards) for cards in places_of(state, rules)))) == sorted(rules.deck)
    order = [int(card) for card in state["order"] if card >= 0]
    assert len(order) == state["num_played"]
    assert to_bits(order) == sum(int(cards) for cards in state["played"][:n])
    assert not state["hands"][n:].any() and not state["played"][n:].any()
    if not rules.stock and rules.auction == "none":
        for seat in range(n):
            assert state["dealt"][seat] == state["hands"][seat] | state["played"][seat]


def check_public_knowledge(rules, seed):
    """At every ply `exposed` cards are held until played, `denied` ones are not held, draws and exchanges inside."""
    table = rules.table()
    names = all_texts(rules)
    rng = random.Random(seed)
    state = dealt_record(rules, seed, 0, -1, table)[0]
    while state["phase"] != OVER:
        for seat in range(rules.num_seats):
            assert not state["denied"][seat] & state["hands"][seat]
            assert not state["exposed"][seat] & ~(state["hands"][seat] | state["played"][seat])
        text = choose_text([names[action] for action in legal_ids(state, table)], rng)
        kernels.apply(state, table[0], names.index(text))


@settings(max_examples=150)
@given(ANY_RULES, st.integers(0, 10**6))
def test_what_everybody_knows_is_true_at_every_ply(rules, seed):
    check_public_knowledge(rules, seed)


@pytest.mark.parametrize("name", NAMES)
def test_what_everybody_knows_is_true_in_many_deals(name):
    """Enough deals that a called card comes out of the monte, unseen, into the declarer's hand."""
    for seed in range(60):
        check_public_knowledge(rules_of(name), seed)


def test_a_called_trump_card_leaves_its_dealer():
    """Everybody went on taking the dealer to hold the exposed card after it was handed over."""
    toy = {"deck": "4c3c4d3d4s3s", "num_seats": 3, "hand_size": 2, "sides": "auction", "auction": "calabresella"}
    rules = make_rules({"declare": "off", "signals": (), "trump": "last_dealt"} | toy)
    for seed in range(60):
        check_public_knowledge(rules, seed)


@settings(max_examples=150)
@given(ANY_RULES, st.integers(0, 10**6))
def test_captured_cards_and_points_add_up(rules, seed):
    state = finished(rules, seed)[0]
    captured = int(state["captured"].sum())
    if state["last_trick_seat"] < 0:  # a revoke
        assert rules.revoke != "masked" and captured <= deck_sixths(rules)
        return
    assert captured == deck_sixths(rules)
    points = int(state["points"][: rules.num_sides].sum()) - int(state["declared_sixths"].sum())
    if rules.cappotto != "none" and state["cappotto"]:
        return
    whole = 6 * rules.whole_total
    if rules.remainder == "exact":
        assert points == captured + rules.bonus_sixths
    elif rules.remainder == "last_trick_takes_rest":
        assert points == whole
    else:
        assert points % 6 == 0 and whole - 6 * (rules.num_sides - 1) <= points <= whole


@pytest.mark.parametrize("name", [name for name in NAMES if len(rules_of(name).deck) >= 39])
def test_thirds_are_35_and_two_sides_share_11(name):
    rules = rules_of(name)
    for seed in range(30):
        state = finished(rules, seed)[0]
        if state["last_trick_seat"] < 0:
            continue
        assert (int(state["captured"].sum()) + rules.bonus_sixths) // 2 == 35
        won = int(state["points"].sum()) - int(state["declared_sixths"].sum())
        if rules.cappotto != "none" and state["cappotto"]:
            continue
        if rules.remainder == "exact":
            assert won == 70
        elif rules.num_sides == 2 or rules.remainder == "last_trick_takes_rest":
            assert won == 66
        else:
            assert won in (66 - 6 * short for short in range(rules.num_sides - 1))  # four solo sides: 9, 10 or 11


# ---------------------------------------------------------------- rewards
def utilities(state, rules):
    """What the finished deal is worth to each seat, from its points alone (RULES, section 7)."""
    if rules.auction != "none":
        return [int(total) / 6 for total in state["totals"][: rules.num_seats]]
    sign = -1 if rules.objective == "min" else 1
    won = [sign * int(points) / 6 for points in state["points"][: rules.num_sides]]
    rest = len(won) - 1
    return [won[side] - (sum(won) - won[side]) / rest for side in rules.sides]


def equal_sides(rules):
    sides = rules.sides
    return rules.auction != "none" or len({sides.count(side) for side in sides}) == 1


def check_rewards(rules, seed, reward):
    table = rules.table("deal", reward)
    n = rules.num_seats
    rng = random.Random(seed)
    state = dealt_record(rules, seed, 0, -1, table)[0]
    sums = np.zeros(n)
    while state["phase"] != OVER:
        kernels.apply(state, table[0], int(rng.choice(list(legal_ids(state, table)))))
        step = [kernels.seat_reward(state, table[0], seat) for seat in range(n)]
        assert not equal_sides(rules) or abs(sum(step)) < 1e-9
        if rules.auction == "none":  # one seat of each side: zero-sum however many seats a side has
            assert abs(sum({rules.sides[seat]: step[seat] for seat in range(n)}.values())) < 1e-9
        if state["phase"] != OVER and (reward == "deal" or rules.auction != "none"):
            assert not any(step)
        sums += step
    assert sums == pytest.approx([0] * n if state["abandoned"] else utilities(state, rules))


@pytest.mark.parametrize("reward", ["deal", "trick"])
@pytest.mark.parametrize("spec", SPECS)
def test_rewards_add_up_to_the_points_and_sum_to_zero(spec, reward):
    assert equal_sides(rules_named(spec)) == (spec not in UNEQUAL)
    for seed in range(5):
        check_rewards(rules_named(spec), seed, reward)


@settings(max_examples=100)
@given(ANY_RULES, st.integers(0, 10**6), st.sampled_from(["deal", "trick"]))
def test_rewards_add_up_under_any_rules(rules, seed, reward):
    check_rewards(rules, seed, reward)


# ---------------------------------------------------------------- masks
@settings(max_examples=150)
@given(ANY_RULES, st.integers(0, 10**6), st.integers(0, 60))
def test_every_form_of_the_mask_agrees(rules, seed, plies):
    table = rules.table()
    states = random_position(rules, seed, plies)
    state = states[0]
    words = np.zeros(kernels.NUM_WORDS, np.int64)
    kernels.legal(state, table[0], words)
    mask = np.zeros((1, rules.blocks.num_actions), np.int8)
    batch.masks_all(states, table, mask)
    ids = list(np.flatnonzero(mask[0]))
    every = range(-3, rules.blocks.num_actions + 3)
    assert [a for a in every if kernels.is_legal(words, table[0], a)] == ids
    assert [a for a in every if kernels.accepts(state, table[0], a)] == ids
    assert batch.count_legal(words) == len(ids)
    assert [batch.nth_legal(words, table[0], i) for i in range(len(ids))] == ids
    assert batch.nth_legal(words, table[0], len(ids)) == -1
    assert bool(ids) == (state["phase"] != OVER)
    if state["phase"] == PLAY:
        hand = from_bits(state["hands"][state["to_act"]])
        plays = [a for a in ids if a in rules.blocks.plays]
        assert {a % 40 for a in plays} <= set(hand) and any(a < 40 for a in plays)
        if len(hand) == 1:
            assert all(a < 40 for a in plays)  # C15: nothing is said with the last card


def test_no_signal_on_the_last_card_in_any_mode():
    """C15."""
    for override in ("free", "free_any", "graded", "thresholds"):
        rules = rules_named(override)
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
def check_batch(rules, games, seed, limit):
    """Step a batch and its rows one by one, through whole matches or `limit` steps: the same bytes."""
    n = rules.num_seats
    env = batch.Batch(rules, games, seeds=seed, episode="match", reward="trick")
    singles = [dealt_record(rules, seed + i, 0, -1, env.table) for i in range(games)]
    ks = [0] * games
    rng = random.Random(3)
    masks = np.zeros((games, rules.blocks.num_actions), np.int8)
    for _ in range(limit):
        assert env.states.tobytes() == b"".join(single.tobytes() for single in singles)
        if (env.status != batch.RUNNING).all():
            return
        env.masks(masks)
        actions = np.array([rng.choice(list(np.flatnonzero(row))) if row.any() else 0 for row in masks])
        running = env.status == batch.RUNNING
        rewards = env.step(actions)
        for i, single in enumerate(singles):
            if not running[i]:
                assert not rewards[i].any()
                continue
            kernels.apply(single[0], env.table[0], int(actions[i]))
            assert list(rewards[i][:n]) == [kernels.seat_reward(single[0], env.table[0], s) for s in range(n)]
            assert env.status[i] == kernels.episode_over(single[0], env.table[0])
            if single[0]["phase"] == OVER and not env.status[i]:
                ks[i] += 1
                dealing.pass_deal(single[0], env.table[0])
                dealing.deal(single[0], env.table[0], seed + i, ks[i])


@pytest.mark.parametrize("spec", SPECS)
def test_a_row_is_a_single_game(spec):
    check_batch(rules_named(spec), 6, 40, 500)


@settings(max_examples=40)
@given(ANY_RULES, st.integers(0, 10**6))
def test_a_row_is_a_single_game_under_any_rules(rules, seed):
    check_batch(rules, 3, seed, 80)


def test_a_row_does_not_depend_on_the_batch():
    rules = preset("tressette")
    small, large = batch.Batch(rules, 3, seeds=5), batch.Batch(rules, 50, seeds=0)
    assert small.states.tobytes() == large.states[5:8].tobytes()


# ---------------------------------------------------------------- bit helpers
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
