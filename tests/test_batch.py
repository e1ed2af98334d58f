"""Batched games: the check of one action, refused batches, finished rows, and plain Python equal to compiled code."""

import os
import subprocess
import sys

import numpy as np
import pytest
from engine_support import legal_ids, random_position
from family import NAMES, OVERRIDES, family_rules, partnership_rules, rules_of
from hypothesis import given, settings
from hypothesis import strategies as st

from tressette_env.engine import batch, kernels
from tressette_env.errors import IllegalActionError
from tressette_env.observation import layout
from tressette_env.presets import make_rules


@settings(max_examples=120)
@given(st.one_of(partnership_rules(), family_rules()), st.integers(0, 10**6), st.integers(0, 60))
def test_accepting_one_action_is_the_mask(rules, seed, plies):
    """`accepts` looks at one action only; it must agree with the full set on every id, also outside the range."""
    table = rules.table()
    state = random_position(rules, seed, plies)[0]
    ids = range(-3, rules.blocks.num_actions + 3)
    assert [a for a in ids if kernels.accepts(state, table[0], a)] == list(legal_ids(state, table))


@pytest.mark.parametrize("name", [*NAMES, *OVERRIDES])
def test_accepting_one_action_is_the_mask_in_every_variant(name):
    rules = make_rules(OVERRIDES[name]) if name in OVERRIDES else rules_of(name)
    table = rules.table()
    for seed in range(40):
        state = random_position(rules, seed, seed)[0]
        ids = range(-3, rules.blocks.num_actions + 3)
        assert [a for a in ids if kernels.accepts(state, table[0], a)] == list(legal_ids(state, table))


def test_an_illegal_action_changes_no_row():
    env = batch.Batch(make_rules("tressette"), 16, seeds=2)
    masks = env.masks()
    actions = masks.argmax(axis=1)
    actions[11] = masks[11].argmin()
    before = env.states.tobytes()
    with pytest.raises(IllegalActionError, match="row 11"):
        env.step(actions)
    assert env.states.tobytes() == before


def test_finished_rows_stay_and_pay_nothing():
    env = batch.Batch(make_rules("gamelake"), 4, seeds=2)
    while not env.status.all():
        env.step(env.masks().argmax(axis=1))
    before = env.states.tobytes()
    rewards = env.step(np.zeros(4, np.int64))
    assert not rewards.any() and env.states.tobytes() == before and not env.masks().any()
    env.start(ks=5, rows=np.array([True, False, False, True]))
    assert list(env.status) == [0, 1, 1, 0] and list(env.ks) == [5, 0, 0, 5]


def test_a_narrow_row_is_refused_by_the_vector_kernel():
    """A strided output would be written in the wrong places: it does not compile."""
    env = batch.Batch(make_rules("tressette"), 2)
    with pytest.raises(Exception, match="contiguous float32"):
        batch.encode_acting(env.states, env.table, False, np.zeros((2, 784), np.float64))


_PLAY = """
import hashlib, sys, numpy as np
from tressette_env.engine import batch
from tressette_env.observation import layout
from tressette_env.presets import preset
rules = preset(sys.argv[1])
env = batch.Batch(rules, 2, seeds=0)
obs, actions, step, seen = np.zeros((2, layout(rules).size), np.float32), np.zeros(2, np.int64), 0, hashlib.sha256()
while not env.status.all():
    batch.random_actions(env.states, env.table, np.uint64(5), step, actions)
    batch.encode_acting(env.states, env.table, False, obs)
    seen.update(obs.tobytes() + env.masks().tobytes() + env.states.tobytes() + env.step(actions).tobytes())
    step += 1
print(seen.hexdigest())
"""


@pytest.mark.parametrize("name", ["mini_4p", "treseta_croatian", "briscola", "due", "calabresella_two", "chiamata"])
def test_plain_python_plays_the_same_bytes(name):
    """NUMBA_DISABLE_JIT=1 (debugger, coverage) runs the same lines with the same results."""
    found = []
    for disabled in ("0", "1"):
        env = os.environ | {"NUMBA_DISABLE_JIT": disabled}
        command = [sys.executable, "-W", "ignore", "-c", _PLAY, name]
        found.append(subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout)
    assert found[0] == found[1] and len(found[0]) > 60


@pytest.mark.parametrize("name", NAMES)
def test_one_pass_shows_the_same_as_two(name):
    """`observe_acting` writes what `encode_acting` and `masks_all` write."""
    rules = rules_of(name)
    env = batch.Batch(rules, 64, seeds=3)
    shape = (64, layout(rules).size)
    one, two = np.full(shape, 7, np.float32), np.full(shape, 7, np.float32)
    masks, actions, step = np.full((64, env.num_actions), 7, np.int8), np.zeros(64, np.int64), 0
    while not env.status.all():
        batch.observe_acting(env.states, env.table, masks, one)
        batch.encode_acting(env.states, env.table, False, two)
        assert np.array_equal(one, two) and np.array_equal(masks, env.masks())
        batch.random_actions(env.states, env.table, np.uint64(5), step, actions)
        env.step(actions)
        step += 1


def test_actions_in_a_strided_array():
    games, same = (batch.Batch(make_rules("tressette"), 6, seeds=3) for _ in range(2))
    signatures = len(batch.step_all.signatures)
    actions = np.argmax(games.masks(), 1)
    games.step(np.stack([actions, actions], 1)[:, 0])
    same.step(actions)
    assert games.states.tobytes() == same.states.tobytes()
    assert len(batch.step_all.signatures) == max(signatures, 1)
