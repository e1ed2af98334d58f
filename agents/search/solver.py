"""Exact play with open hands, for people: the value of a position and of every legal card."""

from fractions import Fraction

import numpy as np

from agents.search.openhand import SOLVER_DTYPE, card_values, solve
from agents.search.regret import SolverError, check_rules
from tressette_env.engine.game import Game
from tressette_env.engine.state import PLAY


class Solver:
    """Solves positions of two-sided games. Keeps its table, 16 MB, from one to the next, so hold on to it.

    >>> game = Game("mini_4p", seed=1)
    >>> values = Solver().card_values(game)
    >>> Solver().value(game) in (max(values.values()), min(values.values()))
    True
    """

    def __init__(self) -> None:
        self._solver = np.zeros(1, SOLVER_DTYPE)[0]

    def value(self, game: Game) -> Fraction:
        """Return the points, tricks already taken inside, unrounded, that side 0 ends with when both play exactly.

        Raises ``SolverError`` where the game is not between two settled sides, all cards drawn.
        """
        _check(game)
        sixths = solve(self._solver, game.states[0], game.table[0])
        return Fraction(_taken(game) + int(sixths), 6)

    def card_values(self, game: Game) -> dict[int, Fraction]:
        """Return for every legal card of the seat to act the points that side 0 ends with after it; see ``value``."""
        _check(game)
        out = np.empty(40, np.int64)
        card_values(self._solver, game.states[0], game.table[0], out)
        return {int(card): Fraction(_taken(game) + int(out[card]), 6) for card in np.flatnonzero(out >= 0)}


def _taken(game: Game) -> int:
    """Return the sixths that side 0 has taken so far."""
    state = game.states[0]
    return sum(int(state["captured"][s]) for s in range(game.rules.num_seats) if state["side_of"][s] == 0)


def _check(game: Game) -> None:
    state = game.states[0]
    check_rules(game.rules)
    if state["phase"] != PLAY:
        raise SolverError("the position is not in the play of the cards: make the decisions before it first")
    if state["num_drawn"] < game.rules.stock:
        rest = game.rules.stock - int(state["num_drawn"])
        raise SolverError(f"{rest} cards lie in the stock: only what follows the last draw is solved")
