"""The solver as people call it: what it answers and what it refuses."""

import pytest

from agents.search.solver import Solver, SolverError
from tressette_env.engine.game import Game


def test_the_best_card_has_the_value_of_the_position():
    game = Game("mini_4p_12", seed=5)
    solver = Solver()
    while game.to_act >= 0:
        values = solver.card_values(game)
        best = max if game.to_act % 2 == 0 else min
        assert solver.value(game) == best(values.values())
        game.step(best(values, key=values.get))


@pytest.mark.parametrize(
    ("rules", "word"),
    [("traversone", "4 sides"), ("due", "stock"), ("calabresella", "not in the play")],
)
def test_refuses_what_has_no_value(rules, word):
    with pytest.raises(SolverError, match=word):
        Solver().value(Game(rules, seed=1))
