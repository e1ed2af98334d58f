"""The `mc` bot, flat Monte Carlo: every action is tried in the same sampled worlds, each played out by a bot.

The cards that a seat does not see are dealt anew, consistently with what it knows (`beliefs`); the action with the
best mean result over the worlds is taken. The true hidden cards are never looked at: what the rules hide from the seat
is blanked before anything is read.
"""

from time import perf_counter
from typing import Any

import numba as nb
import numpy as np

from agents.search.beliefs import new_belief, prepare, sample
from agents.search.policy import SearchPolicy
from agents.search.rollouts import MAX_CANDIDATES, PLAYOUTS, VALUES, candidates, deal_value, play_out
from tressette_env.bots.heuristic import weights_of
from tressette_env.engine.dealing import key_of
from tressette_env.engine.kernels import NUM_WORDS, apply, competitor_of
from tressette_env.engine.view import redact

WORLDS, PLAYOUT, VALUE, MS = range(4)  # places of the options
_SAMPLE, _PLAYOUT = 1, 2  # streams of a world's key
_MISSES = 3  # worlds that may fail beyond those found before a row gives up
_OWN, _WORLD, _TRIED = range(3)  # records of the scratch


@nb.njit(cache=True)
def _open_row(view, rules, scratch, belief, words, actions):
    """Copy the view, blank what its seat must not know, note its beliefs; return the number of candidate actions."""
    scratch[_OWN] = view
    own = scratch[_OWN]
    redact(own, rules, own["to_act"])
    found = candidates(own, rules, words, weights_of(rules), actions)
    if found > 1:
        prepare(own, rules, belief)
    return found


@nb.njit(cache=True)
def _try_world(rules, scratch, belief, words, actions, found, key, options, values):
    """Add each candidate's value in one sampled world to `values`, float64 (MAX_CANDIDATES,), in points.

    Return False where the sampler found no world.
    """
    own = scratch[_OWN]
    scratch[_WORLD] = own
    world_key = np.int64(key >> np.uint64(1))
    if not sample(own, rules, belief, key_of(world_key, 0, _SAMPLE), scratch[_WORLD]):
        return False
    weights = weights_of(rules)
    seat = own["to_act"]
    total = own["totals"][competitor_of(own, rules, seat)]
    playout_key = key_of(world_key, 0, _PLAYOUT)
    for i in range(found):
        scratch[_TRIED] = scratch[_WORLD]
        tried = scratch[_TRIED]
        apply(tried, rules, actions[i])
        play_out(tried, rules, words, weights, options[PLAYOUT], playout_key)
        values[i] += deal_value(tried, rules, seat, total, options[VALUE])
    return True


@nb.njit(cache=True)
def _best(values, found):
    choice = 0
    for i in range(1, found):
        if values[i] > values[choice]:
            choice = i
    return choice


@nb.njit(cache=True)
def _world_key(key, world):
    return key_of(np.int64(key >> np.uint64(1)), world, 0)


@nb.njit(cache=True)
def _search_row(rules, key, options, scratch, belief, words, actions, values, found, counts):
    """Return the index of the best of some candidates over all the worlds: 0, the bot's own, where none was found."""
    for i in range(found):
        values[i] = 0.0
    misses = 0
    for world in range(options[WORLDS]):
        if not _try_world(rules, scratch, belief, words, actions, found, _world_key(key, world), options, values):
            misses += 1
            if misses > world + 1 - misses + _MISSES:
                break
    counts[0] += misses
    counts[1] += misses > 0 and misses == world + 1
    return _best(values, found)


@nb.njit(cache=True, nogil=True)
def mc_rows(views, table, keys, options, counts, out):
    """Write the best action of every row, int64 (B,); see ``policy.SearchPolicy`` for options and counts."""
    rules = table[0]
    scratch = np.empty(3, views.dtype)
    belief = new_belief()
    words = np.empty(NUM_WORDS, np.int64)
    actions = np.empty(MAX_CANDIDATES, np.int64)
    values = np.empty(MAX_CANDIDATES)
    for row in range(views.shape[0]):
        found = _open_row(views[row], rules, scratch, belief, words, actions)
        choice = 0
        if found > 1:
            choice = _search_row(rules, keys[row], options, scratch, belief, words, actions, values, found, counts)
        out[row] = actions[choice]


@nb.njit(cache=True)
def open_rows(views, table, scratch, belief, words, actions):
    """Note what one row's seat knows, for `try_world`; return how many candidate actions it has."""
    return _open_row(views[0], table[0], scratch, belief, words, actions)


@nb.njit(cache=True)
def try_world(table, key, world, options, scratch, belief, words, actions, found, values):
    """Add up the candidates' values in the world of a number, as `mc_rows` does; return False if none was found."""
    return _try_world(table[0], scratch, belief, words, actions, found, _world_key(key, world), options, values)


class TimedMonteCarlo(SearchPolicy):
    """The same search stopped by the clock between two worlds: stronger or weaker with the machine, not repeatable."""

    def actions(self, views: np.ndarray, table: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """Return one legal action id per row, int64 (B,), after a world or more each; see ``bots.Policy.actions``."""
        return np.array([self._timed(views[i : i + 1], table, np.uint64(keys[i])) for i in range(len(views))], np.int64)

    def _timed(self, view: np.ndarray, table: np.ndarray, key: np.uint64) -> int:
        end = perf_counter() + self._options[MS] / 1000
        scratch, belief, words = np.empty(3, view.dtype), new_belief(), np.empty(NUM_WORDS, np.int64)
        actions, values = np.empty(MAX_CANDIDATES, np.int64), np.zeros(MAX_CANDIDATES)
        found = open_rows(view, table, scratch, belief, words, actions)
        done = missed = 0
        while found > 1 and done + missed < self._options[WORLDS] and missed <= done + _MISSES:
            if try_world(table, key, done + missed, self._options, scratch, belief, words, actions, found, values):
                done += 1
            else:
                missed += 1
            if perf_counter() >= end:
                break
        self.counts += (missed, missed > 0 and done == 0)
        return int(actions[values[:found].argmax()])


def make_mc(name: str, options: dict[str, Any]) -> SearchPolicy:
    """Return the bot for options as ``registry.SEARCH_BOTS`` lists them."""
    numbers = (options["worlds"], PLAYOUTS.index(options["playouts"]), VALUES.index(options["value"]), options["ms"])
    if options["ms"]:
        return TimedMonteCarlo(name, mc_rows, numbers)
    return SearchPolicy(name, mc_rows, numbers)
