"""Renaming the suits and moving every seat on are exact symmetries of legal actions, play, score and observation."""

import itertools
import random
from dataclasses import replace

import numpy as np
import pytest
from engine_support import dealt_record, legal_ids, view_of
from family import NAMES, family_rules, partnership_rules, rules_of
from hypothesis import given, settings
from hypothesis import strategies as st

from tressette_env.cards import from_bits, to_bits
from tressette_env.encoding import SCRATCH_WORDS, encode
from tressette_env.engine import kernels
from tressette_env.engine.state import STATE_DTYPE
from tressette_env.engine.symmetry import permute_action, permute_record
from tressette_env.observation import describe, globals_, layout, planes
from tressette_env.presets import PRESETS, make_rules
from tressette_env.rules import MAX_SEATS

PERMS = list(itertools.permutations(range(4)))
SEATS = ("to_act", "dealer", "leader", "turn", "best_seat", "last_trick_seat", "declarer", "partner", "called_from")
LATE = {"declare_when": "end_first_trick", "signal_mode": "free"}


def observe(state, rules, table, seat, full=False):
    out = np.zeros(layout(rules).size, np.float32)
    view = view_of(state, table, seat)[0] if not full else state
    encode(view, table[0], seat, full, np.zeros(SCRATCH_WORDS, np.int64), out)
    return out


# ---------------------------------------------------------------- suits
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
    for name in ("best_card", "trump_card", "called", "given"):
        out[0][name] = card_id(int(state[name]))
    for name in ("order", "undealt", "discards"):
        out[0][name] = [card_id(int(card)) for card in state[name]]
    out[0]["trump"] = perm[state["trump"]] if state["trump"] >= 0 else -1
    declared = state["declared"].reshape(MAX_SEATS, 7)
    moved = declared.copy()
    for suit in range(4):
        moved[:, perm[suit]] = declared[:, suit]
    out[0]["declared"] = moved.ravel()
    return out


def permuted_rules(rules, perm):
    return replace(rules, deck=tuple(sorted(10 * perm[card // 10] + card % 10 for card in rules.deck)))


def permuted_action(rules, action, perm):
    blocks = rules.blocks
    if action in blocks.declarations:
        index = action - blocks.declarations.start
        return blocks.declarations.start + perm[index] if index < 4 else action
    for block in (blocks.plays, blocks.call, blocks.give, blocks.discard):
        if action in block:
            kind, card = divmod(action - block.start, 40)
            return block.start + 40 * kind + 10 * perm[card // 10] + card % 10
    return action


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


def check_suits(rules, seed, perm):
    """Play a deal and the same deal with the suits renamed: nothing tells them apart but the names."""
    other_rules = permuted_rules(rules, perm)
    table, other_table = rules.table("deal", "trick"), other_rules.table("deal", "trick")
    word = np.array(perm, np.int64)
    rng = random.Random(seed)
    state = dealt_record(rules, seed, 0, -1, table)[0]
    other = permuted(state, perm)[0]
    while True:
        assert permuted(state, perm).tobytes() == other.tobytes()
        own = np.zeros(1, STATE_DTYPE)
        own[0] = state
        permute_record(own[0], table[0], word)
        assert own.tobytes() == other.tobytes()  # the engine's own renaming
        ids = {permuted_action(rules, int(a), perm): int(a) for a in legal_ids(state, table)}
        assert sorted(ids) == list(legal_ids(other, other_table))
        assert all(permute_action(action, table[0], word) == renamed for renamed, action in ids.items())
        for seat, full in itertools.product(range(rules.num_seats), (False, True)):
            obs = permuted_observation(observe(state, rules, table, seat, full), rules, perm)
            assert np.array_equal(obs, observe(other, other_rules, other_table, seat, full))
        if not ids:
            return
        action = rng.choice(sorted(ids))
        kernels.apply(state, table[0], ids[action])
        kernels.apply(other, other_table[0], action)


@pytest.mark.parametrize("spec", ["tressette", "treseta", "bolognese", "briscola", LATE], ids=str)
def test_every_renaming_of_the_suits_commutes_with_step_and_encode(spec):
    for number, perm in enumerate(PERMS):
        check_suits(make_rules(spec), number, perm)


@pytest.mark.parametrize("name", NAMES)
def test_renaming_the_suits_commutes_in_the_whole_family(name):
    rules = rules_of(name)
    for number, perm in enumerate(PERMS[1::6]):
        check_suits(rules, number, perm)


@settings(max_examples=60)
@given(st.one_of(partnership_rules(), family_rules(24)), st.integers(0, 10**6), st.sampled_from(PERMS))
def test_renaming_the_suits_commutes_under_any_rules(rules, seed, perm):
    check_suits(rules, seed, perm)


# ---------------------------------------------------------------- seats
def rotated_rules(rules, turn):
    """The same rules with every seat moved `turn` places on; sides are renamed so that a preset stays what it is."""
    if isinstance(rules.sides, str):
        return rules
    n, sides = rules.num_seats, rules.num_sides
    moved = tuple((rules.sides[(seat - turn) % n] + turn) % sides for seat in range(n))
    allowed = rules.signal_sides
    if allowed != "all":
        allowed = tuple(sorted((side + turn) % sides for side in allowed))
    return replace(rules, sides=moved, signal_sides=allowed)


def rotated(state, rules, turn):
    """Record (1,) with every seat moved `turn` places on, field by field."""
    n, by_auction = rules.num_seats, isinstance(rules.sides, str)
    seats = [(seat + turn) % n for seat in range(n)]
    sides = [side if by_auction else (side + turn) % rules.num_sides for side in range(rules.num_sides)]
    competitors = seats if by_auction else sides
    out = np.zeros(1, STATE_DTYPE)
    out[0] = state

    def bits(word, moved):
        return to_bits(moved[i] for i in from_bits(int(word)))

    for name in ("hands", "dealt", "played", "exposed", "denied", "captured", "declared_sixths", "bids"):
        out[0][name][seats] = state[name][:n]
    out[0]["declared"].reshape(MAX_SEATS, 7)[seats] = state["declared"].reshape(MAX_SEATS, 7)[:n]
    out[0]["side_of"][seats] = [sides[side] for side in state["side_of"][:n]]
    out[0]["points"][sides] = state["points"][: len(sides)]
    for name in ("totals", "gain", "paid"):
        out[0][name][competitors] = state[name][: len(competitors)]
    for name in (
        "to_act",
        "dealer",
        "leader",
        "turn",
        "best_seat",
        "last_trick_seat",
        "declarer",
        "partner",
        "called_from",
    ):
        out[0][name] = seats[state[name]] if state[name] >= 0 else -1
    for name in ("closed", "played_on"):
        out[0][name] = bits(state[name], seats)
    out[0]["cappotto"] = bits(state["cappotto"], sides)
    out[0]["contenders"] = bits(state["contenders"], competitors)
    if state["match_winner"] >= 0:
        out[0]["match_winner"] = competitors[state["match_winner"]]
    return out


def check_seats(rules, seed, turn):
    """Play a deal and the same deal with every seat moved on: each seat lives the same game."""
    n = rules.num_seats
    other_rules = rotated_rules(rules, turn)
    table, other_table = rules.table("match", "trick"), other_rules.table("match", "trick")
    rng = random.Random(seed)
    state = dealt_record(rules, seed, 0, -1, table)[0]
    other = rotated(state, rules, turn)[0]
    while True:
        assert rotated(state, rules, turn).tobytes() == other.tobytes()
        ids = list(legal_ids(state, table))
        assert ids == list(legal_ids(other, other_table))
        for seat, full in itertools.product(range(n), (False, True)):
            moved = (seat + turn) % n
            obs = observe(state, rules, table, seat, full)
            assert np.array_equal(obs, observe(other, other_rules, other_table, moved, full))
            due = kernels.seat_reward(state, table[0], seat)
            assert abs(kernels.seat_reward(other, other_table[0], moved) - due) < 1e-12
        if not ids:
            return
        action = int(rng.choice(ids))
        kernels.apply(state, table[0], action)
        kernels.apply(other, other_table[0], action)


@pytest.mark.parametrize("name", PRESETS)
def test_a_rotation_leaves_the_rules_of_a_preset_alone(name):
    rules = make_rules(name)
    assert all(rotated_rules(rules, turn) == rules for turn in range(rules.num_seats))


@pytest.mark.parametrize("name", NAMES)
def test_rotating_the_seats_commutes_with_step_and_encode(name):
    rules = rules_of(name)
    for number, turn in enumerate(range(1, rules.num_seats)):
        check_seats(rules, number, turn)


@pytest.mark.parametrize("spec", ["tressette", "bolognese", "briscola", LATE], ids=str)
def test_more_rotations_of_the_partnership_game(spec):
    for number, turn in itertools.product(range(4), (1, 2, 3)):
        check_seats(make_rules(spec), number, turn)


@settings(max_examples=60)
@given(st.one_of(partnership_rules(), family_rules(24)), st.integers(0, 10**6), st.integers(1, 4))
def test_rotating_the_seats_commutes_under_any_rules(rules, seed, turn):
    check_seats(rules, seed, turn % rules.num_seats or 1)
