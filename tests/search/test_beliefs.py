"""Sampled worlds: each could be true, as far as the seat knows, and all that could be are equally likely."""

import os
import random

import numba as nb
import numpy as np
import pytest
from engine_support import all_texts, choose_text, dealt_record, legal_ids, record_of, view_of
from family import NAMES, OVERRIDES, rules_of

from agents.search.beliefs import new_belief, prepare, sample
from tressette_env.cards import from_bits
from tressette_env.engine import kernels
from tressette_env.engine.state import ANNUL, DECLARE, DISCARD, OVER, STATE_DTYPE
from tressette_env.presets import make_rules

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
            asked, action = left.pop(0)
            assert asked == due
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
    for name in ("closed", "played_on", "gain"):
        states[0][name] = world[name]
    different = [name for name in STATE_DTYPE.names if (states[0][name] != world[name]).any()]
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


def check_rules(rules, seeds, number, wanted=None):
    """Sample worlds at the decisions of random deals; return how many were looked at."""
    table = rules.table()
    looked = 0
    for seed in seeds:
        rng = random.Random(seed)
        for view, log in decisions(rules, seed, rng):
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
