"""Entropy and mutual information of tables with known answers, and the controls for bias."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from agents.signals.information import (
    Bits,
    conditional_information,
    entropy,
    miller_madow,
    mutual_information,
    plug_in,
)

TABLES = arrays(float, (4, 3), elements=st.floats(0, 10)).filter(lambda table: table.sum() > 0.01)


def binary_entropy(p):
    return -p * np.log2(p) - (1 - p) * np.log2(1 - p)


def test_known_entropies():
    assert entropy([1, 1, 1, 1]) == pytest.approx(2)
    assert entropy([0, 5, 0]) == 0
    assert entropy([3, 4]) == pytest.approx(binary_entropy(3 / 7)) == pytest.approx(0.9852281)
    assert entropy(np.array([[1, 1], [1, 0]])).tolist() == pytest.approx([1, 0])
    assert entropy([0, 0]) == 0


@pytest.mark.parametrize("flip", [0.05, 0.25, 0.5])
def test_binary_symmetric_channel(flip):
    joint = np.array([[1 - flip, flip], [flip, 1 - flip]]) / 2
    assert mutual_information(joint) == pytest.approx(1 - binary_entropy(flip))


@given(TABLES)
def test_mutual_information_is_symmetric_and_bounded(joint):
    bits = mutual_information(joint)
    assert bits == pytest.approx(mutual_information(joint.T), abs=1e-9)
    assert 0 <= bits <= min(entropy(joint.sum(0)), entropy(joint.sum(1))) + 1e-9


@given(arrays(float, 4, elements=st.floats(0.1, 5)), arrays(float, 3, elements=st.floats(0.1, 5)))
def test_independent_variables_share_nothing(features, messages):
    assert mutual_information(np.outer(features, messages)) == pytest.approx(0, abs=1e-9)


def test_conditioning_on_what_tells_all_leaves_nothing():
    rng = np.random.default_rng(1)
    context = rng.integers(3, size=5000)
    table = np.zeros((3, 3, 3))
    np.add.at(table, (context, context, context), 1)
    assert conditional_information(table) == pytest.approx(0, abs=1e-12)
    assert mutual_information(table.sum(0)) > 1.5, "both are the context, so without it they share all of it"


def test_contexts_count_by_their_weight():
    table = np.zeros((2, 2, 2))
    table[0] = 3 * np.eye(2)  # one bit, six observations
    table[1] = 1.0  # nothing, four observations... of two
    assert conditional_information(table) == pytest.approx(6 / 10)


def test_shuffled_control_shows_the_bias_of_counting():
    rng = np.random.default_rng(2)
    found = [
        plug_in(rng.integers(5, size=400), rng.integers(8, size=400), rng.integers(4, size=400)) for _ in range(20)
    ]
    assert np.mean([bits.raw for bits in found]) > 0.2, "counting alone reports a fifth of a bit that is not there"
    assert abs(np.mean([bits.net for bits in found])) < 0.02


def test_control_keeps_what_is_told():
    rng = np.random.default_rng(3)
    features = rng.integers(4, size=20_000)
    found = plug_in(rng.integers(5, size=20_000), features, features)
    assert found.raw == pytest.approx(2, abs=0.01) and found.shuffled < 0.01


def test_millers_correction_takes_the_bias_off():
    rng = np.random.default_rng(4)
    samples = [np.bincount(rng.integers(8, size=40), minlength=8) for _ in range(400)]
    plain, corrected = np.mean([entropy(s) for s in samples]), np.mean([miller_madow(s) for s in samples])
    assert abs(corrected - 3) < 0.02 < 0.1 < 3 - plain


def test_net_is_what_is_left():
    assert Bits(0.5, 0.125).net == 0.375
