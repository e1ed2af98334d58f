"""A saved state that was damaged never reaches the kernels."""

import numpy as np
import pytest

from tressette_env import tressette_v0
from tressette_env.engine.game import Game
from tressette_env.errors import TressetteError


@pytest.mark.parametrize("rules", ["mini_4p", "mini_due", "calabresella"])
@pytest.mark.parametrize("make", [Game, tressette_v0.raw_env])
def test_a_damaged_state_is_refused_and_changes_nothing(make, rules):
    one = make(rules)
    one.reset(seed=5)
    good = one.get_state()
    rng = np.random.default_rng(0)
    for _ in range(300):
        bad = good.copy()
        bad[rng.integers(len(bad), size=2)] ^= rng.integers(1, 256, 2).astype(np.uint8)
        if np.array_equal(bad, good):
            continue
        with pytest.raises(TressetteError):
            one.set_state(bad)
    for bad in (good[:-1], good[:3], good[:0], np.zeros(5000, np.uint8), np.zeros(9), "x"):
        with pytest.raises(TressetteError):
            one.set_state(bad)
    assert np.array_equal(one.get_state(), good)
    one.set_state(good)
    assert np.array_equal(one.get_state(), good)
