"""The `ismcts` bot: one tree over what the seat to act can observe, every iteration in another sampled world.

Single-observer information set Monte Carlo tree search (Cowling, Powley, Whitehouse: Information Set Monte Carlo Tree
Search, 2012). A node is a history of cards since the root, whatever was declared or signalled with them. An iteration
samples a world, walks down along cards that are legal in it, adds one node and lets a bot play the deal out; a child
competes with its UCB over the iterations in which it could have been chosen. Each seat seeks its own side's value.
Cards are searched, and at the root whatever is decided there; declarations, signals and, further down, bids and
exchange are the `heuristic` bot's.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from functools import partial
from math import log, sqrt
from time import perf_counter
from typing import Any

import numba as nb
import numpy as np

from agents.search.beliefs import new_belief, sample
from agents.search.mc import open_row, world_key
from agents.search.policy import SearchPolicy
from agents.search.rollouts import MAX_CANDIDATES, MISSES, PLAYOUTS, VALUES, candidates, deal_value, play_out
from tressette_env.bots.heuristic import weights_of
from tressette_env.cards import NUM_CARDS
from tressette_env.engine.kernels import NUM_WORDS, apply, competitor_of
from tressette_env.engine.randomness import draw, key_of
from tressette_env.engine.state import OVER, PLAY
from tressette_env.rules import MAX_SEATS

WORLDS, PLAYOUT, VALUE, MS, EXPLORE = range(5)  # places of the options
_SAMPLE, _PLAYOUT, _GROW = 1, 2, 3  # streams of a world's key
UNIT = 10**9  # of the option EXPLORE: c is kept as a whole number
_OWN, _WORLD = range(2)  # records of the scratch
_CHUNK = 10  # iterations between two looks at the clock
_DEEPEST = NUM_CARDS + 1  # nodes on a path

# A child knows its next sibling; 0, the root, stands for none. `seen` counts iterations in which it could be chosen.
NODE_DTYPE = np.dtype(
    [("key", "<i4"), ("child", "<i4"), ("sibling", "<i4"), ("visits", "<i4"), ("seen", "<i4"), ("total", "<f8")],
    align=True,
)
# One search: the size of its tree, the iterations tried, those without a world, and the lowest and highest value seen.
SEARCH_DTYPE = np.dtype(
    [("size", "<i8"), ("tried", "<i8"), ("missed", "<i8"), ("low", "<f8"), ("high", "<f8"),
     ("path", "<i4", _DEEPEST), ("mover", "<i4", _DEEPEST)],
    align=True,
)  # fmt: skip


@nb.njit(cache=True)
def _key(rules, action):
    """Return what a node is known by: the card, whatever is signalled with it, or the id of another action."""
    return action % NUM_CARDS if action < NUM_CARDS * (1 + rules["num_signals"]) else action


@nb.njit(cache=True)
def _new_node(tree, search, parent, key):
    node = search["size"]
    search["size"] += 1
    tree[node]["key"] = key
    tree[node]["child"] = 0
    tree[node]["sibling"] = tree[parent]["child"]
    tree[node]["visits"] = 0
    tree[node]["seen"] = 0
    tree[node]["total"] = 0.0
    tree[parent]["child"] = node
    return node


@nb.njit(cache=True)
def _child(tree, parent, key):
    """Return the child of a key, 0 if there is none."""
    node = tree[parent]["child"]
    while node and tree[node]["key"] != key:
        node = tree[node]["sibling"]
    return node


@nb.njit(cache=True)
def _choose(tree, search, rules, parent, actions, found, explore, key):
    """Return the place of the action to try below a node and the child that stands for it, 0 if it has none yet.

    Actions without a child come first: the bot's own, which is number 0, then a random one. Then the highest UCB.
    """
    fresh = 0
    pick = -1
    best = 0
    top = -np.inf
    width = search["high"] - search["low"]
    for i in range(found):
        node = _child(tree, parent, _key(rules, actions[i]))
        if node == 0:
            fresh += 1
            if i == 0 or (pick != 0 and draw(key, fresh, fresh) == 0):
                pick = i
            continue
        tree[node]["seen"] += 1
        if pick < 0:
            visits = tree[node]["visits"]
            worth = tree[node]["total"] / visits - search["low"]
            bound = (worth / width if width > 0.0 else 0.0) + explore * sqrt(log(tree[node]["seen"]) / visits)
            if bound > top:
                top = bound
                best = i
    if pick >= 0:
        return pick, 0
    return best, _child(tree, parent, _key(rules, actions[best]))


@nb.njit(cache=True)
def _next_choice(state, rules, words, weights, actions):
    """Let the bot act until a card is to be played; return how many cards compete for it, 0 where the deal is over."""
    while state["phase"] != OVER:
        found = candidates(state, rules, words, weights, actions)
        if state["phase"] == PLAY and actions[0] < NUM_CARDS * (1 + rules["num_signals"]):
            return found
        apply(state, rules, actions[0])
    return 0


@nb.njit(cache=True)
def _grow(state, rules, tree, search, words, weights, root_actions, root_found, explore, key):
    """Walk from the root through one world, adding one node at most; return the length of the path."""
    actions = np.empty(MAX_CANDIDATES, np.int64)
    actions[:root_found] = root_actions[:root_found]
    found = root_found
    depth = 0
    parent = 0
    while found:
        place, node = _choose(tree, search, rules, parent, actions, found, explore, key_of(key, depth, _GROW))
        fresh = node == 0
        if fresh:
            node = _new_node(tree, search, parent, _key(rules, actions[place]))
            tree[node]["seen"] = 1
        search["path"][depth] = node
        search["mover"][depth] = state["to_act"]
        depth += 1
        apply(state, rules, actions[place])
        if fresh:
            break
        parent = node
        found = _next_choice(state, rules, words, weights, actions)
    return depth


@nb.njit(cache=True)
def _back_up(state, rules, tree, search, before, measure, depth):
    """Add to every node of the path what the finished deal is worth to the seat that chose it."""
    values = np.empty(MAX_SEATS)
    for seat in range(rules["num_seats"]):
        values[seat] = deal_value(state, rules, seat, before[competitor_of(state, rules, seat)], measure)
        search["low"] = min(search["low"], values[seat])
        search["high"] = max(search["high"], values[seat])
    for i in range(depth):
        node = tree[search["path"][i]]
        node["visits"] += 1
        node["total"] += values[search["mover"][i]]


@nb.njit(cache=True)
def _open(view, rules, scratch, belief, words, tree, search, actions):
    """Start a search from one view: copy it, blank what its seat must not know; return its number of actions."""
    found = open_row(view, rules, scratch, belief, words, actions)
    tree[0]["child"] = 0
    search["size"] = 1
    search["tried"] = 0
    search["missed"] = 0
    search["low"] = np.inf
    search["high"] = -np.inf
    return found


@nb.njit(cache=True)
def _iterate(rules, key, options, scratch, belief, words, tree, search, actions, found, times):
    """Run so many iterations of an opened search; return False once it is over: all tried, or worlds keep failing."""
    own = scratch[_OWN]
    weights = weights_of(rules)
    for _ in range(times):
        done = search["tried"] - search["missed"]
        if search["tried"] >= options[WORLDS] or search["missed"] > done + MISSES:
            return False
        drawn = np.int64(world_key(key, search["tried"]) >> np.uint64(1))
        search["tried"] += 1
        scratch[_WORLD] = own
        world = scratch[_WORLD]
        if not sample(own, rules, belief, key_of(drawn, 0, _SAMPLE), world):
            search["missed"] += 1
            continue
        depth = _grow(world, rules, tree, search, words, weights, actions, found, options[EXPLORE] / UNIT, drawn)
        play_out(world, rules, words, weights, options[PLAYOUT], key_of(drawn, 0, _PLAYOUT))
        _back_up(world, rules, tree, search, own["totals"], options[VALUE], depth)
    return True


@nb.njit(cache=True)
def _most_visited(rules, tree, actions, found):
    """Return the root's most visited action, the bot's own among equals and where nothing was tried."""
    choice = actions[0]
    most = 0
    for i in range(found):
        node = _child(tree, 0, _key(rules, actions[i]))
        if node and tree[node]["visits"] > most:
            most = tree[node]["visits"]
            choice = actions[i]
    return choice


@nb.njit(cache=True, nogil=True)
def ismcts_rows(tree, searches, views, table, keys, options, counts, out):
    """Write the action of every row, int64 (B,); see ``policy.SearchPolicy`` for options and counts."""
    rules = table[0]
    search = searches[0]
    scratch = np.empty(2, views.dtype)
    belief = new_belief()
    words = np.empty(NUM_WORDS, np.int64)
    actions = np.empty(MAX_CANDIDATES, np.int64)
    for row in range(views.shape[0]):
        found = _open(views[row], rules, scratch, belief, words, tree, search, actions)
        if found > 1:
            _iterate(rules, keys[row], options, scratch, belief, words, tree, search, actions, found, options[WORLDS])
        counts[0] += search["missed"]
        counts[1] += search["missed"] > 0 and search["missed"] == search["tried"]
        out[row] = _most_visited(rules, tree, actions, found)


@nb.njit(cache=True)
def _open_first(views, table, scratch, belief, words, tree, searches, actions):
    return _open(views[0], table[0], scratch, belief, words, tree, searches[0], actions)


@nb.njit(cache=True)
def _iterate_first(table, key, options, scratch, belief, words, tree, searches, actions, found, times):
    return _iterate(table[0], key, options, scratch, belief, words, tree, searches[0], actions, found, times)


@nb.njit(cache=True)
def _choose_first(table, tree, actions, found):
    return _most_visited(table[0], tree, actions, found)


class TreeSearch(SearchPolicy):
    """The policy over one tree that every decision grows anew; with `ms` the clock may stop it, not repeatable."""

    def __init__(self, name: str, options: tuple[int, ...]) -> None:
        self._tree = np.zeros(options[WORLDS] + 2, NODE_DTYPE)
        self._search = np.zeros(1, SEARCH_DTYPE)
        super().__init__(name, partial(ismcts_rows, self._tree, self._search), options)

    def actions(self, views: np.ndarray, table: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """Return one legal action id per row, int64 (B,); see ``bots.Policy.actions``."""
        if not self._options[MS]:
            return super().actions(views, table, keys)
        return np.array([self._timed(views[i : i + 1], table, np.uint64(keys[i])) for i in range(len(views))], np.int64)

    def _timed(self, view: np.ndarray, table: np.ndarray, key: np.uint64) -> int:
        end = perf_counter() + self._options[MS] / 1000
        scratch, belief, words = np.empty(2, view.dtype), new_belief(), np.empty(NUM_WORDS, np.int64)
        actions = np.empty(MAX_CANDIDATES, np.int64)
        rest = (scratch, belief, words, self._tree, self._search, actions)
        found = _open_first(view, table, *rest)
        while found > 1 and _iterate_first(table, key, self._options, *rest, found, _CHUNK):
            if perf_counter() >= end:
                break
        search = self._search[0]
        self.counts += (search["missed"], search["missed"] > 0 and search["missed"] == search["tried"])
        return int(_choose_first(table, self._tree, actions, found))


def make_ismcts(name: str, options: dict[str, Any]) -> SearchPolicy:
    """Return `ismcts` for options as ``registry.SEARCH_BOTS`` lists them."""
    playouts, value = PLAYOUTS.index(options["playouts"]), VALUES.index(options["value"])
    return TreeSearch(name, (options["worlds"], playouts, value, options["ms"], round(UNIT * options["c"])))
