"""Passes over a game tree: reach probabilities down, values up. Numba kernels over the arrays of ``tree.GameTree``."""

# mypy: allow-untyped-defs, allow-incomplete-defs

import numba as nb
import numpy as np

from agents.cfr.tree import CHANCE, TERMINAL, GameTree


def arrays(tree: GameTree) -> tuple[np.ndarray, ...]:
    """Return the arrays of a tree that the kernels read, in their order."""
    return tree.player, tree.first, tree.count, tree.place, tree.chance, tree.payoffs, tree.start


@nb.njit(cache=True, nogil=True)
def reaches(nodes, who, strategy, own, others):
    """Write the probability that `who`, and that all others with chance, play to every node, float64 (N,) each."""
    player, first, count, place, chance, _, start = nodes
    own[0] = 1.0
    others[0] = 1.0
    for n in range(player.shape[0]):
        actor = player[n]
        if actor == TERMINAL:
            continue
        at = first[n]
        end = at + count[n]
        mine = own[n]
        theirs = others[n]
        if actor == CHANCE:
            for child in range(at, end):
                own[child] = mine
                others[child] = theirs * chance[child]
            continue
        k = start[place[n]]
        if actor == who:
            for child in range(at, end):
                own[child] = mine * strategy[k]
                others[child] = theirs
                k += 1
        else:
            for child in range(at, end):
                own[child] = mine
                others[child] = theirs * strategy[k]
                k += 1


@nb.njit(cache=True, nogil=True)
def values_up(nodes, who, strategy, others, value, gains):
    """Write what every node is worth to `who`, float64 (N,), and the counterfactual value of its actions, (K,).

    `gains` is cleared first; that of an action is summed over the nodes of its information set.
    """
    player, first, count, place, chance, payoffs, start = nodes
    for k in range(gains.shape[0]):
        gains[k] = 0.0
    for n in range(player.shape[0] - 1, -1, -1):
        actor = player[n]
        if actor == TERMINAL:
            value[n] = payoffs[place[n], who]
            continue
        at = first[n]
        end = at + count[n]
        total = 0.0
        if actor == CHANCE:
            for child in range(at, end):
                total += chance[child] * value[child]
        elif actor == who:
            k = start[place[n]]
            weight = others[n]
            for child in range(at, end):
                total += strategy[k] * value[child]
                gains[k] += weight * value[child]
                k += 1
        else:
            k = start[place[n]]
            for child in range(at, end):
                total += strategy[k] * value[child]
                k += 1
        value[n] = total


@nb.njit(cache=True, nogil=True)
def set_reaches(nodes, who, own, out):
    """Write, for the information sets of `who`, how likely it plays to them, float64 (I,)."""
    player, place = nodes[0], nodes[3]
    for n in range(player.shape[0]):
        if player[n] == who:
            out[place[n]] = own[n]
