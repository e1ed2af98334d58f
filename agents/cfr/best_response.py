"""Exact best responses and what they gain: expected values, NashConv, exploitability.

A best response is found set by set, deepest own decision first: at every information set the action that is worth most,
summed over its nodes weighted by how likely chance and the others play to them.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

import numba as nb
import numpy as np

from agents.cfr.sweeps import arrays, reaches, values_up
from agents.cfr.tree import CHANCE, TERMINAL, GameTree, TreeError


@nb.njit(cache=True)
def _own_depths(nodes, who, out):
    """Write how many decisions of `who` lie before every node, int32 (N,)."""
    player, first, count = nodes[:3]
    out[0] = 0
    for n in range(player.shape[0]):
        if player[n] != TERMINAL:
            for child in range(first[n], first[n] + count[n]):
                out[child] = out[n] + (player[n] == who)


@nb.njit(cache=True)
def _respond(nodes, who, strategy, others, order, stages, value, gains, best):
    """Fill node values where `who` plays best, and its best place per information set, int64 (I,)."""
    player, first, count, place, chance, payoffs, start = nodes
    for stage in range(stages.shape[0]):
        low, middle, high = stages[stage]
        for j in range(low, middle):  # its own decisions: all that follows has been valued
            n = order[j]
            k = start[place[n]]
            for child in range(first[n], first[n] + count[n]):
                gains[k] += others[n] * value[child]
                k += 1
        for j in range(low, middle):
            n = order[j]
            i = place[n]
            choice = start[i]
            for k in range(start[i] + 1, start[i + 1]):
                if gains[k] > gains[choice]:
                    choice = k
            best[i] = choice
            value[n] = value[first[n] + choice - start[i]]
        for j in range(middle, high):
            n = order[j]
            if player[n] == TERMINAL:
                value[n] = payoffs[place[n], who]
                continue
            total = 0.0
            k = start[place[n]] if player[n] != CHANCE else 0
            for child in range(first[n], first[n] + count[n]):
                total += value[child] * (chance[child] if player[n] == CHANCE else strategy[k])
                k += 1
            value[n] = total


def _stages(tree: GameTree, who: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the nodes by falling own depth, own decisions first, children before parents; and the bounds, (S, 3)."""
    depth = np.empty(tree.num_nodes, np.int32)
    _own_depths(arrays(tree), who, depth)
    mine = tree.player == who
    sets, depths = tree.place[mine], depth[mine]
    deepest = np.full(tree.num_sets, -1)
    deepest[sets] = depths
    if (deepest[sets] != depths).any():
        raise TreeError(f"player {who} forgets what it did: an information set has nodes after different own decisions")
    order = np.lexsort((-np.arange(tree.num_nodes), ~mine, -depth)).astype(np.int64)
    levels = np.arange(depth.max(), -1, -1)
    low = np.searchsorted(-depth[order], -levels, side="left")
    high = np.append(low[1:], tree.num_nodes)
    own = np.array([int(mine[order[a:b]].sum()) for a, b in zip(low, high, strict=True)])
    return order, np.stack([low, low + own, high], axis=1).astype(np.int64)


def best_response(tree: GameTree, strategy: np.ndarray, who: int) -> tuple[float, np.ndarray]:
    """Return what `who` gets at best when the others play `strategy`, and a strategy that gets it, float64 (K,).

    The other players' places of the strategy are copied. Raises ``TreeError`` for a game of imperfect recall.
    """
    own, others, value = (np.empty(tree.num_nodes) for _ in range(3))
    reaches(arrays(tree), who, strategy, own, others)
    order, stages = _stages(tree, who)
    best = np.full(tree.num_sets, -1, np.int64)
    _respond(arrays(tree), who, strategy, others, order, stages, value, np.zeros(len(strategy)), best)
    out = strategy.copy()
    low, high = np.searchsorted(tree.owner, [who, who + 1])
    out[tree.start[low] : tree.start[high]] = 0.0
    out[best[low:high]] = 1.0
    return float(value[0]), out


def expected_values(tree: GameTree, strategy: np.ndarray) -> np.ndarray:
    """Return what every player gets when all play a strategy, float64 (players,)."""
    own, others, value = (np.empty(tree.num_nodes) for _ in range(3))
    out = np.empty(tree.num_players)
    gains = np.empty(len(strategy))
    for who in range(tree.num_players):
        reaches(arrays(tree), who, strategy, own, others)
        values_up(arrays(tree), who, strategy, others, value, gains)
        out[who] = value[0]
    return out


def nash_conv(tree: GameTree, strategy: np.ndarray) -> float:
    """Return the sum over players of what each alone could gain, in the game's unit; 0 in a Nash equilibrium.

    In a game of partners it says nothing about what the two could gain together: see ``team``.
    """
    now = expected_values(tree, strategy)
    return float(sum(best_response(tree, strategy, who)[0] - now[who] for who in range(tree.num_players)))


def exploitability(tree: GameTree, strategy: np.ndarray) -> float:
    """Return NashConv / 2, what a best opponent gains, on average over the places.

    Raises ``TreeError`` for a game of more than two players.
    """
    if tree.num_players != 2:
        raise TreeError(
            f"exploitability is a word for two players, and the game has {tree.num_players}: use nash_conv, "
            "what each player alone could gain, or the team best response"
        )
    return nash_conv(tree, strategy) / 2
