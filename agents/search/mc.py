"""The bots that judge actions in sampled worlds: `mc` plays each world out, `pimc` solves it once few tricks are left.

The cards that a seat does not see are dealt anew, consistently with what it knows (`beliefs`); the action with the
best mean result over the worlds is taken. The true hidden cards are never looked at: what the rules hide from the seat
is blanked before anything is read. `cheat` does the same in the one true world, so it is a yardstick and no player.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from functools import partial
from time import perf_counter
from typing import Any

import numba as nb
import numpy as np

from agents.search.beliefs import new_belief, prepare, sample
from agents.search.inference import surprises
from agents.search.openhand import SOLVER_DTYPE, card_values
from agents.search.policy import SearchPolicy
from agents.search.rollouts import MAX_CANDIDATES, MISSES, PLAYOUTS, VALUES, candidates, deal_value, play_out
from tressette_env.bots.heuristic import weights_of
from tressette_env.cards import NUM_CARDS
from tressette_env.engine.bits import count
from tressette_env.engine.kernels import NUM_WORDS, apply, competitor_of, declarer_payoff, points_to_win
from tressette_env.engine.randomness import key_of
from tressette_env.engine.state import PLAY
from tressette_env.engine.view import redact

WORLDS, PLAYOUT, VALUE, MS, SOLVED, TRUST = range(6)  # places of the options
_SAMPLE, _PLAYOUT = 1, 2  # streams of a world's key
_OWN, _WORLD, _TRIED = range(3)  # records of the scratch
_TIE_BREAK = 0.01  # what a point counts where only winning the deal pays


@nb.njit(cache=True)
def open_row(view, rules, scratch, belief, words, actions):
    """Copy the view, blank what its seat must not know, note its beliefs; return the number of candidate actions."""
    scratch[_OWN] = view
    own = scratch[_OWN]
    redact(own, rules, own["to_act"])
    found = candidates(own, rules, words, weights_of(rules), actions)
    if found > 1:
        prepare(own, rules, belief)
    return found


@nb.njit(cache=True)
def solvable(state, rules, tricks):
    """Return whether open hands have one value here and the seat to act holds at most so many cards."""
    if state["phase"] != PLAY or rules["num_sides"] != 2 or rules["revoke"] or state["num_drawn"] < rules["stock"]:
        return False
    return count(state["hands"][state["to_act"]]) <= tricks


@nb.njit(cache=True)
def _solve_world(rules, world, actions, found, solver, weight, values):
    """Add each candidate's exact open-hand value, times `weight`, to `values`, in points or as an auction pays."""
    after = np.empty(NUM_CARDS, np.int64)
    card_values(solver, world, rules, after)
    side = world["side_of"][world["to_act"]]
    taken = 0
    for seat in range(rules["num_seats"]):
        if world["side_of"][seat] == 0:
            taken += world["captured"][seat]
    wants = 1.0 if (side == 0) != (rules["objective"] == 1) else -1.0
    for i in range(found):
        sixths = taken + after[actions[i] % NUM_CARDS]
        value = 2.0 * wants * sixths / 6.0
        if rules["auction"]:
            stake = declarer_payoff(rules, np.int64(world["bid"]), world["partner"] >= 0)
            won = sixths // 6 >= points_to_win(rules)
            value = (wants if won else -wants) * stake + _TIE_BREAK * value
        values[i] += weight * value


@nb.njit(cache=True)
def _play_world(rules, scratch, words, actions, found, key, options, weight, values):
    """Add what each candidate comes to, played out in a world by a bot, times `weight`, to `values`, in points."""
    weights = weights_of(rules)
    seat = scratch[_WORLD]["to_act"]
    total = scratch[_WORLD]["totals"][competitor_of(scratch[_WORLD], rules, seat)]
    for i in range(found):
        scratch[_TRIED] = scratch[_WORLD]
        tried = scratch[_TRIED]
        apply(tried, rules, actions[i])
        play_out(tried, rules, words, weights, options[PLAYOUT], key)
        values[i] += weight * deal_value(tried, rules, seat, total, options[VALUE])


@nb.njit(cache=True)
def _judge_world(rules, scratch, words, actions, found, key, options, solver, weight, values):
    """Add each candidate's value in the world of the scratch, times `weight`, to `values`."""
    if solvable(scratch[_WORLD], rules, options[SOLVED]):
        _solve_world(rules, scratch[_WORLD], actions, found, solver[0], weight, values)
    else:
        _play_world(rules, scratch, words, actions, found, key_of(key, 0, _PLAYOUT), options, weight, values)


@nb.njit(cache=True)
def _try_world(rules, scratch, belief, words, actions, found, key, options, solver, values):
    """Add each candidate's value in one sampled world to `values`, float64 (MAX_CANDIDATES,), in points.

    Return False where the sampler found no world.
    """
    scratch[_WORLD] = scratch[_OWN]
    drawn = np.int64(key >> np.uint64(1))
    if not sample(scratch[_OWN], rules, belief, key_of(drawn, 0, _SAMPLE), scratch[_WORLD]):
        return False
    weight = 1.0
    if options[TRUST]:
        unlikely = surprises(scratch, _TRIED, scratch[_OWN]["to_act"], rules, words, weights_of(rules))
        weight = (1.0 - options[TRUST] / 100.0) ** unlikely
    _judge_world(rules, scratch, words, actions, found, drawn, options, solver, weight, values)
    return True


@nb.njit(cache=True)
def _best(values, found):
    choice = 0
    for i in range(1, found):
        if values[i] > values[choice]:
            choice = i
    return choice


@nb.njit(cache=True)
def world_key(key, world):
    """Return the key, uint64, that a decision's world of a number is drawn with."""
    return key_of(np.int64(key >> np.uint64(1)), world, 0)


@nb.njit(cache=True)
def _search_row(rules, key, options, scratch, belief, words, actions, solver, values, found, counts):
    """Return the index of the best of some candidates over all the worlds: 0, the bot's own, where none was found."""
    misses = 0
    for world in range(options[WORLDS]):
        drawn = world_key(key, world)
        if not _try_world(rules, scratch, belief, words, actions, found, drawn, options, solver, values):
            misses += 1
            if misses > world + 1 - misses + MISSES:
                break
    counts[0] += misses
    counts[1] += misses > 0 and misses == world + 1
    return _best(values, found)


@nb.njit(cache=True, nogil=True)
def world_rows(solver, views, table, keys, options, counts, out):
    """Write the best action of every row, int64 (B,); see ``policy.SearchPolicy`` for options and counts."""
    rules = table[0]
    scratch = np.empty(3, views.dtype)
    belief = new_belief()
    words = np.empty(NUM_WORDS, np.int64)
    actions = np.empty(MAX_CANDIDATES, np.int64)
    for row in range(views.shape[0]):
        found = open_row(views[row], rules, scratch, belief, words, actions)
        values = np.zeros(MAX_CANDIDATES)
        choice = 0
        if found > 1:
            choice = _search_row(
                rules, keys[row], options, scratch, belief, words, actions, solver, values, found, counts
            )
        out[row] = actions[choice]


@nb.njit(cache=True, nogil=True)
def cheat_rows(solver, states, table, keys, options, counts, out):
    """Write the best action of every row with all hands seen, int64 (B,); states: whole records, STATE_DTYPE (B,)."""
    rules = table[0]
    scratch = np.empty(3, states.dtype)
    words = np.empty(NUM_WORDS, np.int64)
    actions = np.empty(MAX_CANDIDATES, np.int64)
    for row in range(states.shape[0]):
        scratch[_WORLD] = states[row]
        found = candidates(scratch[_WORLD], rules, words, weights_of(rules), actions)
        values = np.zeros(MAX_CANDIDATES)
        if found > 1:
            key = np.int64(keys[row] >> np.uint64(1))
            _judge_world(rules, scratch, words, actions, found, key, options, solver, 1.0, values)
        out[row] = actions[_best(values, found)]


@nb.njit(cache=True)
def open_rows(views, table, scratch, belief, words, actions):
    """Note what one row's seat knows, for `try_world`; return how many candidate actions it has."""
    return open_row(views[0], table[0], scratch, belief, words, actions)


@nb.njit(cache=True)
def try_world(table, key, world, options, scratch, belief, words, actions, found, solver, values):
    """Add up the candidates' values in the world of a number, as `world_rows` does; False if none was found."""
    drawn = world_key(key, world)
    return _try_world(table[0], scratch, belief, words, actions, found, drawn, options, solver, values)


class TimedSearch(SearchPolicy):
    """The same search stopped by the clock between two worlds: stronger or weaker with the machine, not repeatable."""

    def __init__(self, name: str, solver: np.ndarray, options: tuple[int, ...]) -> None:
        super().__init__(name, partial(world_rows, solver), options)
        self._solver = solver

    def actions(self, views: np.ndarray, table: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """Return one legal action id per row, int64 (B,), after a world or more each; see ``bots.Policy.actions``."""
        return np.array([self._timed(views[i : i + 1], table, np.uint64(keys[i])) for i in range(len(views))], np.int64)

    def _timed(self, view: np.ndarray, table: np.ndarray, key: np.uint64) -> int:
        end = perf_counter() + self._options[MS] / 1000
        scratch, belief, words = np.empty(3, view.dtype), new_belief(), np.empty(NUM_WORDS, np.int64)
        actions, values = np.empty(MAX_CANDIDATES, np.int64), np.zeros(MAX_CANDIDATES)
        found = open_rows(view, table, scratch, belief, words, actions)
        rest = (self._options, scratch, belief, words, actions, found, self._solver, values)
        done = missed = 0
        while found > 1 and done + missed < self._options[WORLDS] and missed <= done + MISSES:
            if try_world(table, key, done + missed, *rest):
                done += 1
            else:
                missed += 1
            if perf_counter() >= end:
                break
        self.counts += (missed, missed > 0 and done == 0)
        return int(actions[values[:found].argmax()])


class Cheat(SearchPolicy):
    """Plays with all hands seen. The arena hands it whole records; nothing else may seat it."""

    sees_all = True


def _numbers(options: dict[str, Any]) -> tuple[int, ...]:
    """Return the options as the kernels read them."""
    playouts, value = PLAYOUTS.index(options["playouts"]), VALUES.index(options["value"])
    more = (options.get("ms", 0), options.get("exact", 0), options.get("trust", 0))
    return options.get("worlds", 1), playouts, value, *more


def make_worlds(name: str, options: dict[str, Any]) -> SearchPolicy:
    """Return `mc` or `pimc` for options as ``registry.SEARCH_BOTS`` lists them."""
    solver = np.zeros(1 if "exact" in options else 0, SOLVER_DTYPE)
    numbers = _numbers(options)
    return (
        TimedSearch(name, solver, numbers) if numbers[MS] else SearchPolicy(name, partial(world_rows, solver), numbers)
    )


def make_cheat(name: str, options: dict[str, Any]) -> SearchPolicy:
    """Return `cheat` for options as ``registry.SEARCH_BOTS`` lists them."""
    return Cheat(name, partial(cheat_rows, np.zeros(1, SOLVER_DTYPE)), _numbers(options))
