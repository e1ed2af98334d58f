"""Bots that solve open hands: `cheat` loses nothing, `pimc` nothing once it sees everything."""

import numpy as np
import pytest

from agents.arena import play_pair
from agents.search.openhand import SOLVER_DTYPE
from agents.search.registry import make_search
from agents.search.regret import losses
from tressette_env.bots import make
from tressette_env.engine.batch import RUNNING, Batch, views_acting
from tressette_env.engine.state import STATE_DTYPE
from tressette_env.envs.single import TressetteSingle
from tressette_env.errors import TressetteError
from tressette_env.presets import make_rules

SMALL = "3c2cAcKc4c3d2dAd7d6d5d4d3s2sKsAs"


def finished(policies, rules, number, whole):
    """Deals played to their end by one policy for each side; `whole`: these policies see whole records."""
    games = Batch(rules, number, seeds=5)
    games.start(ks=np.arange(number))
    side = np.array(rules.sides)
    while (games.status == RUNNING).any():
        views = np.empty_like(games.states)
        views_acting(games.states, games.table, views)
        actions = np.zeros(number, np.int64)
        for place, policy in enumerate(policies):
            rows = (games.status == RUNNING) & (side[games.to_act] == place)
            shown = games.states if place in whole else views
            if rows.any():
                actions[rows] = policy.actions(shown[rows], games.table, np.zeros(rows.sum(), np.uint64))
        games.step(actions)
    return games


def lost_by_side(games, rules):
    """Points that the cards of each side lost in all the games, float64 (2,)."""
    solver, path, out = np.zeros(1, SOLVER_DTYPE)[0], np.zeros(41, STATE_DTYPE), np.empty(40, np.int64)
    lost = np.zeros(2)
    for game in range(games.num_games):
        losses(solver, games.states[game : game + 1], path, games.table[0], out)
        judged = np.flatnonzero(out >= 0)
        np.add.at(lost, games.states[game]["side_of"][path["to_act"][judged]], out[judged] / 6)
    return lost


@pytest.mark.parametrize("preset", ["tressette", "briscola", "traversone_pairs"])
def test_cheat_loses_nothing(preset):
    rules = make_rules({"preset": preset, "deck": SMALL, "hand_size": 4})
    games = finished((make_search("cheat:exact=20"), make("heuristic")), rules, 40, {0})
    lost = lost_by_side(games, rules)
    assert lost[0] == 0 < lost[1]


def test_pimc_loses_nothing_once_all_is_seen():
    rules = make_rules("due")  # after the last draw each of two seats knows the other's hand
    games = finished((make_search("pimc:worlds=1,exact=20"), make("random")), rules, 20, ())
    lost = lost_by_side(games, rules)
    assert lost[0] == 0 < lost[1]


def test_cheat_beats_those_who_do_not_see():
    rules = make_rules("tressette")
    result = play_pair(make_search("cheat"), make("heuristic"), rules, 40, seed=3)
    assert result.ci95[0] > 2


def test_only_the_arena_seats_cheat():
    with pytest.raises(TressetteError, match="'cheat:exact=3' sees all hands: only evaluate.py seats it"):
        TressetteSingle("tressette", opponents="cheat:exact=3")
