"""MCCFR by walks over the engine: external and outcome sampling (Lanctot, Waugh, Zinkevich, Bowling 2009).

Nothing is compiled beforehand, so games of any size will do. Forced moves are played without looking anything up.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from math import factorial

import numba as nb
import numpy as np

from agents.cfr.keys import state_key
from agents.cfr.store import LACKING, Store, find_or_add
from agents.cfr.tree import TreeError
from tressette_env.engine.batch import count_legal, nth_legal
from tressette_env.engine.dealing import start_episode
from tressette_env.engine.kernels import NUM_WORDS, apply, deal_payoff, legal
from tressette_env.engine.randomness import key_of, mix, unit
from tressette_env.engine.state import OVER, STATE_DTYPE
from tressette_env.rules import Rules

EXTERNAL, OUTCOME = "es_mccfr", "os_mccfr"
SAMPLERS = (EXTERNAL, OUTCOME)
MAX_ACTIONS = 168
MAX_DEPTH = 160  # decisions of a deal, declarations inside
MOST_BRANCHES = 50_000  # orders in which a seat can play its cards, where external sampling tries them all
_WALK = 11  # stream of the random numbers
_GAMMA = np.uint64(0x9E3779B97F4A7C15)


@nb.njit(cache=True, nogil=True)
def _random(dice):
    """Return a float in [0, 1); `dice`: uint64 (1,), moved on."""
    dice[0] += _GAMMA
    return unit(mix(dice[0]))


@nb.njit(cache=True, nogil=True)
def _match(regrets, first, size, out):
    """Write regret matching's strategy to out[:size]."""
    total = 0.0
    for k in range(size):
        out[k] = max(regrets[first + k], 0.0)
        total += out[k]
    for k in range(size):
        out[k] = out[k] / total if total > 0.0 else 1.0 / size


@nb.njit(cache=True, nogil=True)
def _pick(strategy, size, chance):
    """Return the index that a number in [0, 1) falls on."""
    for k in range(size - 1):
        chance -= strategy[k]
        if chance < 0.0:
            return k
    return size - 1


@nb.njit(cache=True, nogil=True)
def _to_choice(path, depth, rules, words):
    """Play forced moves in place; return the number of legal actions at the next choice, 0 where the deal is over."""
    state = path[depth]
    while state["phase"] != OVER:
        legal(state, rules, words)
        found = count_legal(words)
        if found > 1:
            return found
        apply(state, rules, nth_legal(words, rules, 0))
    return 0


@nb.njit(cache=True, nogil=True)
def _descend(path, depth, rules, words, k):
    """Write the record after the k-th legal action of path[depth] to path[depth + 1]."""
    path[depth + 1] = path[depth]
    apply(path[depth + 1], rules, nth_legal(words[depth], rules, k))


@nb.njit(cache=True, nogil=True)
def _open(path, depth, rules, who, dice, scratch, words, strategies, frames, store):
    """Look up the choice at path[depth] and go on to its first branch, or to the one drawn for another seat.

    Returns False where the deal is over, or the table lacks room.
    """
    keys, firsts, counters, regrets, average = store
    found = _to_choice(path, depth, rules, words[depth])
    if found == 0:
        return False
    first = find_or_add(keys, firsts, counters, regrets.shape[0], state_key(path[depth], rules, scratch), found)
    if first < 0:
        return False
    strategy = strategies[depth]
    _match(regrets, first, found, strategy)
    actor = path[depth]["to_act"]
    frames[depth, 0] = first
    frames[depth, 1] = found
    frames[depth, 2] = 0
    if actor == who:
        _descend(path, depth, rules, words, 0)
        return True
    if actor == (who + 1 if who + 1 < rules["num_seats"] else 0):
        for k in range(found):
            average[first + k] += strategy[k]
    frames[depth, 2] = -1
    _descend(path, depth, rules, words, _pick(strategy, found, _random(dice)))
    return True


@nb.njit(cache=True, nogil=True)
def _external(path, rules, who, dice, scratch, words, strategies, values, frames, store):
    """Walk a deal: all actions of `who` are tried, the others' are drawn; learn at the decisions of `who`.

    A row per depth: words, int64 (D, NUM_WORDS); strategies and values, float64 (D, MAX_ACTIONS); frames, int64 (D, 3):
    the first place, the number of actions, the one under way (-1 for another seat's). No recursion: numba crashes
    when it loads one from its cache.
    """
    regrets = store[3]
    depth = 0
    while True:
        if _open(path, depth, rules, who, dice, scratch, words, strategies, frames, store):
            depth += 1
            continue
        if store[2][LACKING]:
            return
        value = deal_payoff(path[depth], rules, who)
        while True:  # back up to the last decision of `who` that has an action left to try
            depth -= 1
            if depth < 0:
                return
            k = frames[depth, 2]
            if k < 0:
                continue
            values[depth, k] = value
            frames[depth, 2] = k + 1
            if k + 1 < frames[depth, 1]:
                _descend(path, depth, rules, words, k + 1)
                depth += 1
                break
            first = frames[depth, 0]
            value = 0.0
            for j in range(k + 1):
                value += strategies[depth, j] * values[depth, j]
            for j in range(k + 1):
                regrets[first + j] += values[depth, j] - value


@nb.njit(cache=True, nogil=True)
def _outcome(path, rules, who, dice, scratch, words, strategies, explore, trail, store):
    """Play one deal, `who` exploring; learn at its decisions from the one outcome.

    trail: float64 (D, 5), what was met at each depth: first place, actions, chosen, chance of it, actor.
    """
    keys, firsts, counters, regrets, average = store
    depth = 0
    own = 1.0  # how likely `who` plays to here
    sampled = 1.0  # how likely it was to be drawn, over how likely the others and chance play to here
    while True:
        found = _to_choice(path, 0, rules, words[0])
        if found == 0:
            break
        first = find_or_add(keys, firsts, counters, regrets.shape[0], state_key(path[0], rules, scratch), found)
        if first < 0:
            return
        strategy = strategies[depth]
        _match(regrets, first, found, strategy)
        mine = path[0]["to_act"] == who
        k = _pick(strategy, found, _random(dice))
        if mine and _random(dice) < explore:
            k = min(np.int64(_random(dice) * found), found - 1)
        chance = (1.0 - explore) * strategy[k] + explore / found if mine else strategy[k]
        if mine:
            for j in range(found):
                average[first + j] += own * strategy[j] / sampled
            trail[depth, 4] = 1.0 / sampled
            own *= strategy[k]
            sampled *= chance
        trail[depth, 0] = first
        trail[depth, 1] = found
        trail[depth, 2] = k
        trail[depth, 3] = chance if mine else -1.0
        apply(path[0], rules, nth_legal(words[0], rules, k))
        depth += 1
    value = deal_payoff(path[0], rules, who)
    for d in range(depth - 1, -1, -1):
        if trail[d, 3] < 0.0:
            continue  # drawn as it is played: the estimate goes through unchanged
        first = np.int64(trail[d, 0])
        k = np.int64(trail[d, 2])
        of_action = value / trail[d, 3]
        value = strategies[d, k] * of_action
        for j in range(np.int64(trail[d, 1])):
            regrets[first + j] += trail[d, 4] * ((of_action if j == k else 0.0) - value)


@nb.njit(cache=True, nogil=True)
def _run(table, seed, begin, times, external, explore, path, scratch, words, strategies, values, trail, frames, store):
    """Run iterations begin to begin + times, one traversal a player each; return how many were run."""
    rules = table[0]
    n = rules["num_seats"]
    dice = np.empty(1, np.uint64)
    for t in range(times):
        for who in range(n):
            k = (begin + t) * n + who
            dice[0] = key_of(seed, k, _WALK)
            start_episode(path[0], rules, seed, k, n - 1)
            if external:
                _external(path, rules, who, dice, scratch, words, strategies, values, frames, store)
            else:
                _outcome(path, rules, who, dice, scratch, words, strategies, explore, trail, store)
        counters = store[2]
        if counters[LACKING] or 2 * counters[0] > store[0].shape[0] or 2 * counters[1] > store[3].shape[0]:
            return t + 1
    return times


def orders(rules: Rules) -> int:
    """Return in how many orders a seat can play its cards, those drawn from the stock inside, were all legal."""
    drawn = rules.stock // rules.num_seats
    return int(rules.hand_size) ** drawn * factorial(rules.hand_size)


class MCCFRSolver:
    """Monte Carlo CFR over sampled deals; eldest hand is seat 0.

    method: ``es_mccfr`` tries all actions of one seat and draws the others' (its walks grow with the factorial of the
    hand), ``os_mccfr`` plays one line with a share `explore` of random actions. An iteration is one traversal for every
    seat. Raises ``TreeError`` where external sampling would never come to an end.
    """

    def __init__(self, rules: Rules, method: str = EXTERNAL, *, seed: int = 0, explore: float = 0.6) -> None:
        if method not in SAMPLERS:
            raise ValueError(f"unknown method {method!r}: use {', '.join(SAMPLERS)}")
        if method == EXTERNAL and orders(rules) > MOST_BRANCHES:
            raise TreeError(
                f"external sampling would try {orders(rules):,} orders of a hand in the rules {rules.name!r}: "
                "use os_mccfr, or a smaller game"
            )
        self.rules = rules
        self.method = method
        self.seed = seed
        self.explore = explore
        self.iteration = 0
        self.store = Store()
        self._table = rules.table()
        self._path = np.zeros(MAX_DEPTH, STATE_DTYPE)
        self._scratch = np.zeros(1, STATE_DTYPE)
        self._words = np.empty((MAX_DEPTH, NUM_WORDS), np.int64)
        self._strategies, self._values = (np.empty((MAX_DEPTH, MAX_ACTIONS)) for _ in range(2))
        self._trail = np.empty((MAX_DEPTH, 5))
        self._frames = np.empty((MAX_DEPTH, 3), np.int64)

    def iterate(self, times: int = 1) -> None:
        """Run so many iterations."""
        left = times
        while left:
            self.store.make_room()
            done = _run(
                self._table, self.seed, self.iteration, left, self.method == EXTERNAL, self.explore, self._path,
                self._scratch, self._words, self._strategies, self._values, self._trail, self._frames,
                self.store.arrays(),
            )  # fmt: skip
            if self.store.counters[LACKING]:
                raise TreeError("one traversal met more information sets than there is room for: use os_mccfr")
            self.iteration += done
            left -= done

    def state(self) -> dict[str, np.ndarray]:
        """Return what the solver has learned, by name: to save, and for ``restore``."""
        return self.store.state() | {"iteration": np.array([self.iteration], np.int64)}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Go on from what ``state`` returned; the same iterations follow to the bit."""
        self.store.restore(state)
        self.iteration = int(state["iteration"][0])
