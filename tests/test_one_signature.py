"""The kernels are compiled once for the whole family: rules are data to them."""

import numpy as np

from tressette_env.engine import batch
from tressette_env.engine.batch import Batch
from tressette_env.observation import layout
from tressette_env.presets import PRESETS, make_rules


def test_no_preset_compiles_a_kernel_anew():
    kernels = (batch.start_rows, batch.step_all, batch.masks_all, batch.observe_acting, batch.play_random)
    for name in PRESETS:
        rules = make_rules(name)
        games = Batch(rules, 4, seeds=1)
        actions = np.empty(4, np.int64)
        batch.observe_acting(games.states, games.table, games.masks(), np.empty((4, layout(rules).size), np.float32))
        batch.random_actions(games.states, games.table, np.uint64(1), 0, actions)
        games.step(actions)
        batch.play_random(games.states[:1], games.table, 1, 1)
    assert [len(kernel.signatures) for kernel in kernels] == [1] * len(kernels)
