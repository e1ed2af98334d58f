"""The `ismcts` bot: its tree counts what was tried, and finds the best play where nothing is hidden."""

import numpy as np
import pytest

from agents.arena import play_pair
from agents.search.ismcts import NODE_DTYPE, SEARCH_DTYPE, UNIT, ismcts_rows
from agents.search.openhand import SOLVER_DTYPE, card_values
from agents.search.registry import make_search
from tests.search.test_mc import RULES, keys_of, positions, views_of
from tressette_env.bots import make
from tressette_env.engine.batch import Batch
from tressette_env.presets import make_rules


def grown(rules, plies, worlds, c=0.7, games=1):
    """The tree and the search of the last of some positions."""
    views, table, keys = positions(rules, games, plies)
    tree, search = np.zeros(worlds + 2, NODE_DTYPE), np.zeros(1, SEARCH_DTYPE)
    options = np.array([worlds, 0, 2, 0, round(UNIT * c)], np.int64)
    ismcts_rows(tree, search, views, table, keys, options, np.zeros(2, np.int64), np.empty(len(views), np.int64))
    return tree[: search[0]["size"]], search[0], views[-1]


def children(tree, node):
    child = int(tree[node]["child"])
    while child:
        yield child
        child = int(tree[child]["sibling"])


@pytest.mark.parametrize("plies", [0, 5, 18, 30])
def test_every_iteration_is_counted_once(plies):
    tree, search, view = grown(RULES, plies, 400)
    assert search["tried"] == 400 and search["missed"] == 0
    roots = list(children(tree, 0))
    assert sum(tree[roots]["visits"]) == 400
    assert {int(k) for k in tree[roots]["key"]} <= {i for i in range(40) if int(view["hands"][view["to_act"]]) >> i & 1}
    assert tree[roots]["seen"].max() == 400  # the first of them: the others begin when they are first tried
    assert tree[roots]["seen"].min() > 400 - len(roots)
    assert (tree[1:]["seen"] >= tree[1:]["visits"]).all() and (tree[1:]["visits"] >= 1).all()
    for node in range(1, len(tree)):
        below = list(children(tree, node))
        assert len({int(k) for k in tree[below]["key"]}) == len(below)
        if below:  # the visit that made the node went no further
            assert sum(tree[below]["visits"]) == tree[node]["visits"] - 1
    assert len(tree) <= 401


def test_no_card_of_the_own_hand_is_played_by_another():
    tree, _, view = grown(RULES, 4, 1000)
    own = int(view["hands"][view["to_act"]])
    for root in children(tree, 0):
        for reply in children(tree, root):
            assert not own >> int(tree[reply]["key"]) & 1


def test_finds_the_best_play_where_nothing_is_hidden():
    """Two players, the stock drawn: one world fits, and the search must come to the solver's play for both sides."""
    rules = make_rules("due")
    batch = Batch(rules, 60, seeds=3)
    player = make("heuristic")
    while (batch.states["num_played"] < 32).any():
        batch.step(player.actions(views_of(batch), batch.table, keys_of(60)))
    actions = make_search("ismcts:worlds=4000,c=0.5,value=exact").actions(views_of(batch), batch.table, keys_of(60))
    solver, after = np.zeros(1, SOLVER_DTYPE)[0], np.empty(40, np.int64)
    lost = []
    for state, action in zip(batch.states, actions, strict=True):
        card_values(solver, state, batch.table[0], after)
        sign = 1 if state["side_of"][state["to_act"]] == 0 else -1
        values = sign * after[after >= 0]
        lost.append(values.max() - sign * after[action % 40])
    assert {int(s["to_act"]) for s in batch.states} == {0, 1}
    print(lost)
    assert np.mean(np.array(lost) == 0) > 0.97


@pytest.mark.slow
def test_beats_the_heuristic():
    result = play_pair(make_search("ismcts"), make("heuristic"), RULES, 300, seed=7)
    assert result.ci95[0] > 0
