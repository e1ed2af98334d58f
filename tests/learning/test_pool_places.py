"""Whom a pool member plays for: one side of a deal, or one seat where an auction forms the sides."""

import copy

import numpy as np
import pytest


@pytest.mark.parametrize(
    ("rules", "places"),
    [
        ("tressette", [0, 1, 0, 1]),
        ("traversone", [0, 1, 2, 3]),
        ("a_tre", [0, 1, 2]),
        ("calabresella", [0, 1, 2]),
        ("chiamata", [0, 1, 2, 3, 4]),
    ],
)
def test_pool_members_take_every_place_in_turn(collected, rules, places):
    config, _, learner, collector, _ = collected(rules)
    rollout = collector.collect(learner.actor, 1, 1, copy.deepcopy(learner.actor), 0.5)
    at = np.array(places)[rollout.states["to_act"]]
    by_pool = (rollout.games % 2 == 1) & (at == rollout.games // 2 % len(set(places)))
    np.testing.assert_array_equal(rollout.learner, ~by_pool)
    assert by_pool.any()
