"""Games as flat arrays, level by level: what the tabular algorithms and the exact best responses run on.

A tree is made from the rules of a small game by playing every deal out on the engine (`deal_tree`), or from any state
with OpenSpiel's methods (`tree_of`), such as Kuhn poker.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numba as nb
import numpy as np

from agents.cfr.keys import state_key
from tressette_env.deals import Dealing
from tressette_env.engine.batch import count_legal, nth_legal, views_acting
from tressette_env.engine.game import Game
from tressette_env.engine.kernels import NUM_WORDS, apply, deal_payoff, legal
from tressette_env.engine.state import OVER, STATE_DTYPE
from tressette_env.errors import TressetteError
from tressette_env.rules import Rules

CHANCE, TERMINAL = -1, -2
MAX_DEALS = 300_000
MAX_NODES = 20_000_000


class TreeError(TressetteError):
    """A game that is too large, or not of the kind that a tree is made for."""


@dataclass(frozen=True)
class GameTree:
    """A finite game of perfect recall.

    Nodes (N) stand parents first, a node's children side by side. An edge's action is kept at the child. Information
    sets (I) stand player by player; the actions of set i have the places start[i] to start[i + 1] in arrays (K,).
    """

    num_players: int
    player: np.ndarray
    """int8 (N,): who decides; -1 chance, -2 nobody, the game is over."""
    first: np.ndarray
    """int32 (N,): the first child."""
    count: np.ndarray
    """int32 (N,): how many children."""
    place: np.ndarray
    """int32 (N,): the information set of a decision, the row of `payoffs` of an end, else -1."""
    chance: np.ndarray
    """float64 (N,): probability of the edge to this node if chance is its parent, else 1."""
    payoffs: np.ndarray
    """float64 (ends, players)."""
    start: np.ndarray
    """int64 (I + 1,)."""
    owner: np.ndarray
    """int8 (I,): the player of an information set."""
    actions: np.ndarray
    """int64 (K,): the game's own action ids."""
    labels: np.ndarray
    """(I,): what names an information set, uint64 keys of the engine's games, else texts."""

    @property
    def num_nodes(self) -> int:
        """All nodes: chance, decisions and ends."""
        return len(self.player)

    @property
    def num_decisions(self) -> int:
        """Decision nodes, forced ones too."""
        return int((self.player >= 0).sum())

    @property
    def num_sets(self) -> int:
        """Information sets, those with one action too."""
        return len(self.owner)

    def uniform(self) -> np.ndarray:
        """Return the strategy that picks every action equally often, float64 (K,)."""
        sizes = np.diff(self.start)
        return np.repeat(1.0 / sizes, sizes)


# ---------------------------------------------------------------- the deals of some rules
def dealt_states(rules: Rules) -> np.ndarray:
    """Return the record of every deal before its first decision, STATE_DTYPE (deals,), the last seat dealing.

    Raises ``TreeError`` for more than ``MAX_DEALS``.
    """
    dealing = Dealing(rules, rules.num_seats - 1)
    number = dealing.count
    if number > MAX_DEALS:
        raise TreeError(
            f"the rules {rules.name!r} have {number:,} deals, too many to enumerate: use a toy such as mini_2p, "
            "or a sampling algorithm (es_mccfr, os_mccfr)"
        )
    game = Game(rules)
    out = np.empty(number, STATE_DTYPE)
    for i in range(number):
        game.start_from(0, 0, [dealing.nth(i)], rules.num_seats - 1)
        out[i] = game.states[0]
    return out


# ---------------------------------------------------------------- from the engine
@nb.njit(cache=True)
def _count_children(states, table, out):
    words = np.empty(NUM_WORDS, np.int64)
    for i in range(states.shape[0]):
        out[i] = 0
        if states[i]["phase"] != OVER:
            legal(states[i], table[0], words)
            out[i] = count_legal(words)


@nb.njit(cache=True)
def _expand(states, table, first, after, actions):
    """Write every state after every legal action, children of one state side by side from its `first` on."""
    words = np.empty(NUM_WORDS, np.int64)
    for i in range(states.shape[0]):
        if states[i]["phase"] == OVER:
            continue
        legal(states[i], table[0], words)
        for k in range(count_legal(words)):
            at = first[i] + k
            actions[at] = nth_legal(words, table[0], k)
            after[at] = states[i]
            apply(after[at], table[0], actions[at])


@nb.njit(cache=True)
def _note(states, table, keys, payoffs):
    """Write the information key of every seat to act, uint64 (B,), and of every end what it pays, (B, seats)."""
    rules = table[0]
    scratch = np.empty(1, states.dtype)
    for i in range(states.shape[0]):
        if states[i]["phase"] != OVER:
            keys[i] = state_key(states[i], rules, scratch)
        else:
            for seat in range(rules["num_seats"]):
                payoffs[i, seat] = deal_payoff(states[i], rules, seat)


def deal_tree(rules: Rules, max_nodes: int = MAX_NODES) -> GameTree:
    """Return the tree of one deal of some rules: chance deals at the root, seat 0 is eldest hand.

    Payoffs are points, as ``reward="deal"`` pays them. Raises ``TreeError`` for a game too large.

    >>> from tressette_env.presets import preset
    >>> tree = deal_tree(preset("mini_2p"))
    >>> tree.num_decisions, tree.num_sets
    (27728, 15768)
    """
    levels = _Levels(rules)
    for level in _walk(rules, max_nodes):
        levels.add(level)
    return levels.tree()


@dataclass
class _Level:
    """The nodes of one depth: their records, how many children each has, the actions that led to them."""

    states: np.ndarray
    children: np.ndarray
    actions: np.ndarray


def _walk(rules: Rules, max_nodes: int) -> Iterator[_Level]:
    """Yield the levels below the root, from the deals on. Raises ``TreeError`` for too many nodes."""
    table = rules.table()
    states = dealt_states(rules)
    actions = np.full(len(states), -1, np.int64)
    nodes = 1 + len(states)
    while len(states):
        children = np.empty(len(states), np.int64)
        _count_children(states, table, children)
        yield _Level(states, children, actions)
        total = int(children.sum())
        nodes += total
        if nodes > max_nodes:
            raise TreeError(
                f"the tree of {rules.name!r} has more than {max_nodes:,} nodes: use a smaller deck, "
                "or a sampling algorithm (es_mccfr, os_mccfr)"
            )
        after, actions = np.empty(total, STATE_DTYPE), np.empty(total, np.int64)
        _expand(states, table, np.cumsum(children) - children, after, actions)
        states = after


def set_views(tree: GameTree, rules: Rules) -> np.ndarray:
    """Return what the player to act sees at every information set, redacted records STATE_DTYPE (I,)."""
    out = np.zeros(tree.num_sets, STATE_DTYPE)
    at = 1
    for level in _walk(rules, tree.num_nodes):
        places = tree.place[at : at + len(level.states)]
        here = np.flatnonzero(tree.player[at : at + len(level.states)] >= 0)
        sets, first = np.unique(places[here], return_index=True)
        views = np.empty(len(sets), STATE_DTYPE)
        views_acting(level.states[here[first]], rules.table(), views)
        out[sets] = views
        at += len(level.states)
    return out


class _Levels:
    """Gathers the levels of a tree whose root is one chance node of equally likely deals."""

    def __init__(self, rules: Rules) -> None:
        self.num_players = rules.num_seats
        self._table = rules.table()
        self._parts: list[tuple[np.ndarray, ...]] = []

    def add(self, level: _Level) -> None:
        """Add a level: who decides, the children, the actions that led here, information keys, payoffs."""
        states = level.states
        keys, payoffs = np.zeros(len(states), np.uint64), np.zeros((len(states), self.num_players))
        _note(states, self._table, keys, payoffs)
        player = np.where(states["to_act"] < 0, TERMINAL, states["to_act"]).astype(np.int8)
        self._parts.append((player, level.children, level.actions, keys, payoffs))

    def tree(self) -> GameTree:
        """Number the information sets and lay out the arrays."""
        deals = len(self._parts[0][0])
        root = np.array([CHANCE], np.int8), np.array([deals]), np.array([-1]), np.zeros(1, np.uint64)
        parts = [(*root, np.zeros((1, self.num_players))), *self._parts]
        player, count, actions, keys, payoffs = (np.concatenate(part) for part in zip(*parts, strict=True))
        first = 1 + np.cumsum(count) - count
        chance = np.ones(len(player))
        chance[1 : 1 + deals] = 1.0 / deals
        return assemble(self.num_players, player, first, count, chance, actions, keys, payoffs)


# ---------------------------------------------------------------- from any game
def assemble(num_players, player, first, count, chance, actions, labels, payoffs) -> GameTree:
    """Return the tree of arrays per node, (N,) each but payoffs (N, players); `labels` name the information sets.

    Raises ``TreeError`` where nodes of one information set differ in their player or actions.
    """
    decisions = np.flatnonzero(player >= 0)
    ends = np.flatnonzero(player == TERMINAL)
    names, where, sets = np.unique(labels[decisions], return_index=True, return_inverse=True)
    owners = player[decisions[where]]
    order = np.argsort(owners, kind="stable")  # player by player
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    place = np.full(len(player), -1, np.int32)
    place[decisions] = rank[sets]
    place[ends] = np.arange(len(ends))
    examples = decisions[where][order]
    sizes = count[examples]
    start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    listed = np.concatenate([actions[first[n] : first[n] + count[n]] for n in examples] or [np.empty(0, np.int64)])
    _check_sets(player, first, count, actions, place, decisions, owners[order], start, listed)
    return GameTree(
        num_players, player, first.astype(np.int32), count.astype(np.int32), place, chance, payoffs[ends],
        start, owners[order].astype(np.int8), listed.astype(np.int64), names[order],
    )  # fmt: skip


def _check_sets(player, first, count, actions, place, decisions, owner, start, listed) -> None:
    sets = place[decisions]
    sizes = np.diff(start)
    same = (player[decisions] == owner[sets]) & (count[decisions] == sizes[sets])
    if same.all():
        nodes = np.repeat(decisions, count[decisions])
        step = np.arange(len(nodes)) - np.repeat(np.cumsum(count[decisions]) - count[decisions], count[decisions])
        same = actions[first[nodes] + step] == listed[start[place[nodes]] + step]
    if not same.all():
        raise TreeError(
            "nodes of one information set differ in their actions: its information does not tell them apart"
        )


def tree_of(root: Any, num_players: int, max_nodes: int = MAX_NODES) -> GameTree:
    """Return the tree below a state with OpenSpiel's methods (is_terminal, is_chance_node, chance_outcomes, ...).

    Information sets are named by ``information_state_string()`` of the player to act. Raises ``TreeError``.
    """
    nodes: list[tuple[int, int, float, int, str, Sequence[float]]] = []
    none = (0.0,) * num_players
    level = [(root, 1.0, -1)]
    while level:
        following = []
        for state, chance, action in level:
            if state.is_terminal():
                nodes.append((TERMINAL, 0, chance, action, "", state.returns()))
                continue
            edges, who, label = _edges(state)
            nodes.append((who, len(edges), chance, action, label, none))
            following += [(child(), probability, move) for child, probability, move in edges]
        level = following
        if len(nodes) + len(level) > max_nodes:
            raise TreeError(f"the tree has more than {max_nodes:,} nodes: take a smaller game")
    player, count, chances, actions, labels, payoffs = zip(*nodes, strict=True)
    counts = np.array(count, np.int64)
    return assemble(
        num_players, np.array(player, np.int8), 1 + np.cumsum(counts) - counts, counts, np.array(chances),
        np.array(actions, np.int64), np.array(labels), np.array(payoffs, np.float64),
    )  # fmt: skip


def _edges(state: Any) -> tuple[list[tuple[Callable[[], Any], float, int]], int, str]:
    """Return (child, probability, action) of every edge below a state, who decides and what it knows."""

    def child(action: int) -> Callable[[], Any]:
        return lambda: state.child(action)

    if state.is_chance_node():
        return [(child(action), float(p), int(action)) for action, p in state.chance_outcomes()], CHANCE, ""
    who = int(state.current_player())
    return [(child(a), 1.0, int(a)) for a in state.legal_actions()], who, f"{who} {state.information_state_string()}"
