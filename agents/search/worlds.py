"""Worlds for people: deals that agree with all that the seat to act knows, each equally likely."""

# mypy: allow-untyped-defs, allow-incomplete-defs

import numba as nb
import numpy as np

from agents.search.beliefs import MAX_TRIES, new_belief, prepare, sample
from tressette_env.engine.game import Game, checked_seed
from tressette_env.engine.randomness import key_of
from tressette_env.engine.state import STATE_DTYPE
from tressette_env.errors import TressetteError

MOST = 10_000_000  # worlds at once: 5 GB


class BeliefError(TressetteError):
    """A position in which no worlds can be drawn."""


def sample_worlds(game: Game, number: int, seed: int = 0) -> np.ndarray:
    """Return worlds drawn uniformly from all that the seat to act cannot tell apart, STATE_DTYPE (number,).

    Each is a whole record of the deal: ``hands``, ``undealt``, ``discards`` and ``partner`` hold what might be true, as
    bit sets of cards where they are sets. Only ``game.view(game.to_act)`` is read. The same seed draws the same worlds.

    Raises ``BeliefError`` where the game is over, for a number below 1 or above ``MOST``, and in rules so odd that no
    world was found in ``MAX_TRIES`` proposals; ``TressetteError`` for a seed that is none.

    >>> game = Game("tressette", seed=4)
    >>> worlds = sample_worlds(game, 100)
    >>> bool((worlds["hands"][:, game.to_act] == game.view(game.to_act)["hands"][0, game.to_act]).all())
    True
    """
    if game.to_act < 0:
        raise BeliefError("the game is over: nobody is to act, so there is nothing left to guess")
    if isinstance(number, bool) or not isinstance(number, int | np.integer) or not 1 <= number <= MOST:
        raise BeliefError(f"number = {number!r} is not a whole number of worlds from 1 to {MOST}: draw them in parts")
    worlds = np.empty(number, STATE_DTYPE)
    found = _draw(game.view(game.to_act), game.table, np.int64(checked_seed(seed)), worlds)
    if found < number:
        raise BeliefError(f"no world agrees with what seat {game.to_act} knows in {MAX_TRIES} proposals")
    return worlds


@nb.njit(cache=True)
def _draw(views, table, seed, out):
    """Fill `out` with worlds; return how many were found in a row."""
    belief = new_belief()
    prepare(views[0], table[0], belief)
    for i in range(out.shape[0]):
        out[i] = views[0]
        if not sample(views[0], table[0], belief, key_of(seed, i, 0), out[i]):
            return i
    return out.shape[0]
