"""What each card lost: against the value of every legal card, ply by ply, and in the sum over a deal."""

import numpy as np
import pytest

from agents.search.openhand import SOLVER_DTYPE, card_values, solve
from agents.search.regret import losses
from tressette_env.engine.batch import Batch, random_actions
from tressette_env.engine.state import OVER, PLAY, STATE_DTYPE
from tressette_env.presets import make_rules


def played_out(rules, seed):
    """The records before each card of a random deal, and the one at its end."""
    games = Batch(rules, 1, seeds=seed)
    action = np.empty(1, np.int64)
    cards = []
    for ply in range(200):
        if games.states[0]["phase"] == OVER:
            return cards, games
        random_actions(games.states, games.table, np.uint64(seed), ply, action)
        if games.states[0]["phase"] == PLAY and action[0] < 40 * (1 + len(rules.offered_signals)):
            cards.append((games.states.copy(), int(action[0]) % 40))
        games.step(action)
    raise AssertionError("the deal does not end")


SMALL = [
    {"preset": "tressette", "deck": "3c2cAcKc4c3d2dAd7d6d5d4d3s2sKsAs", "hand_size": 4},
    {
        "preset": "tressette",
        "deck": "3c2cAcKc4c3d2dAd7d6d5d4d3s2sKsAs",
        "hand_size": 4,
        "declare_when": "end_first_trick",
    },
    {"preset": "briscola", "deck": "3c2cAcKc4c3d2dAd7d6d5d4d3s2sKsAs", "hand_size": 4},
    {"preset": "traversone_pairs", "deck": "3c2cAcKc4c3d2dAd7d6d5d4d3s2sKsAs", "hand_size": 4},
    {"preset": "mini_2p"},
    {"preset": "mini_due"},
    {"preset": "due", "deck": "3c2cAcKc4c3d2dAd7d6d5d4d3s2sKsAs", "hand_size": 5, "stock": 6},
    {"preset": "calabresella", "deck": "3c2cAcKc4c3d2dAd7d6d5d4d3s2sKsAs", "hand_size": 4, "monte": 4},
]


@pytest.mark.parametrize("spec", SMALL, ids=lambda spec: spec["preset"] + spec.get("declare_when", ""))
def test_losses_are_those_of_the_card_values(spec):
    rules = make_rules(spec)
    solver = np.zeros(1, SOLVER_DTYPE)[0]
    path = np.zeros(41, STATE_DTYPE)
    out = np.empty(40, np.int64)
    values = np.empty(40, np.int64)
    judged = 0
    for seed in range(25):
        cards, games = played_out(rules, seed)
        par = losses(solver, games.states, path, games.table[0], out)
        first = True
        for ply, (states, card) in enumerate(cards):
            if states[0]["num_drawn"] < rules.stock:
                assert out[ply] == -1
                continue
            card_values(solver, states[0], games.table[0], values)
            legal = values[values >= 0]
            high = (states[0]["side_of"][states[0]["to_act"]] == 0) != (rules.objective == "min")
            best = legal.max() if high else legal.min()
            assert out[ply] == abs(best - values[card]), (seed, ply)
            if first:
                assert par == best == solve(solver, states[0], games.table[0])
            first = False
            judged += 1
        assert (out[len(cards) :] == -1).all()
    assert judged > 50
