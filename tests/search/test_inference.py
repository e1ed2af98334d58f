"""Weighing worlds by what the others played: the true world of heuristic players holds no surprise."""

import numpy as np
import pytest

from agents.search.inference import surprises
from tressette_env.bots import make
from tressette_env.bots.heuristic import weights_of
from tressette_env.engine import kernels
from tressette_env.engine.batch import RUNNING, Batch, views_acting
from tressette_env.engine.state import PLAY, STATE_DTYPE
from tressette_env.presets import make_rules

CASES = ("tressette", "briscola", "a_tre", "traversone", "no_signals", "treseta_croatian")


def counted(rules, bot, games=12):
    """Surprises in the true worlds of some games, summed over all decisions to play a card."""
    policy = make(bot)
    batch = Batch(rules, games, seeds=np.arange(games))
    words = np.zeros(kernels.NUM_WORDS, np.int64)
    scratch = np.zeros(2, STATE_DTYPE)
    found = 0
    ply = 0
    while (batch.status == RUNNING).any():
        for state in batch.states[(batch.status == RUNNING) & (batch.states["phase"] == PLAY)]:
            scratch[0] = state
            weights = weights_of(batch.table[0])
            found += surprises(scratch, 1, int(state["to_act"]), batch.table[0], words, weights)
        views = np.empty_like(batch.states)
        views_acting(batch.states, batch.table, views)
        keys = np.arange(games, dtype=np.uint64) + np.uint64(1000 * ply)
        batch.step(np.where(batch.status == RUNNING, policy.actions(views, batch.table, keys), 0))
        ply += 1
    return found


@pytest.mark.parametrize("name", CASES)
def test_heuristic_players_hold_no_surprise(name):
    assert counted(make_rules(name), "heuristic") == 0


@pytest.mark.parametrize("name", CASES)
def test_random_players_do(name):
    assert counted(make_rules(name), "random") > 100
