"""What `mc` or `pimc` thinks of every candidate of a decision, not only which is best."""

# mypy: allow-untyped-defs, allow-incomplete-defs

import numba as nb
import numpy as np

from agents.search.beliefs import new_belief
from agents.search.mc import MS, SOLVED, open_row, try_world
from agents.search.openhand import SOLVER_DTYPE
from agents.search.policy import SearchPolicy
from agents.search.registry import make_search
from agents.search.rollouts import MAX_CANDIDATES, MISSES
from tressette_env.bots.base import BotError
from tressette_env.engine.kernels import NUM_WORDS


@nb.njit(cache=True, nogil=True)
def judge_rows(solver, views, table, keys, options, actions_out, values_out):
    """Write the candidates of every row, int64 (B, MAX_CANDIDATES), -1 past the end, and their mean values, float64.

    Values are points for the seat to act, NaN past the end and where there was one candidate or no world was found.
    """
    rules = table[0]
    scratch = np.empty(3, views.dtype)
    belief = new_belief()
    words = np.empty(NUM_WORDS, np.int64)
    actions = np.empty(MAX_CANDIDATES, np.int64)
    for row in range(views.shape[0]):
        actions_out[row] = -1
        values_out[row] = np.nan
        found = open_row(views[row], rules, scratch, belief, words, actions)
        values = np.zeros(MAX_CANDIDATES)
        done = missed = 0
        while found > 1 and done + missed < options[0] and missed <= done + MISSES:
            if try_world(
                table, keys[row], done + missed, options, scratch, belief, words, actions, found, solver, values
            ):
                done += 1
            else:
                missed += 1
        for i in range(found):
            actions_out[row, i] = actions[i]
            if done:
                values_out[row, i] = values[i] / done


class Judge:
    """A search bot, `mc` or `pimc` by name and options, that tells its values.

    Raises ``BotError`` for any other bot, and for a time limit.
    """

    def __init__(self, text: str) -> None:
        bot = make_search(text)
        if text.strip().partition(":")[0] not in ("mc", "pimc") or not isinstance(bot, SearchPolicy):
            raise BotError(f"the bot {text!r} has no value for every action to learn from: use mc or pimc")
        if bot.options[MS]:
            raise BotError(f"the bot {text!r} is stopped by the clock: leave ms out, labels must be repeatable")
        self.name = bot.name
        self._options = bot.options
        self._solver = np.zeros(1 if bot.options[SOLVED] else 0, SOLVER_DTYPE)

    def judge(self, views: np.ndarray, table: np.ndarray, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return candidates, int64 (B, K), and values, float64 (B, K), of views, STATE_DTYPE (B,); see `judge_rows`."""
        actions = np.empty((len(views), MAX_CANDIDATES), np.int64)
        values = np.empty((len(views), MAX_CANDIDATES))
        judge_rows(self._solver, views, table, np.asarray(keys, np.uint64), self._options, actions, values)
        return actions, values
