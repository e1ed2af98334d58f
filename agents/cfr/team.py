"""The exact best response of two partners who deviate together, each with its own hand and no other talk.

A team is one player that forgets: no recursion finds its best response, and the problem is NP-hard. Here it is a mixed
integer program over the partners' sequence forms (one of them in whole numbers is enough), solved by HiGHS: for toys.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array, vstack

from agents.cfr.best_response import expected_values
from agents.cfr.sweeps import arrays, reaches
from agents.cfr.tree import TERMINAL, GameTree, TreeError

MAX_PAIRS = 400_000


@dataclass(frozen=True)
class TeamResponse:
    """What a team gets at best, `value`, and so `gain` above what it gets now, points; with the strategy that does.

    bound: what it cannot exceed. Equal to `value` but for rounding unless the search was cut short by its time limit.
    """

    value: float
    gain: float
    bound: float
    strategy: np.ndarray


@dataclass(frozen=True)
class _Form:
    """One partner's sequences: 0 is none, then the places of its information sets with a choice, in order."""

    places: np.ndarray
    """int64 (S,): the tree's place of each sequence, -1 for the first."""
    before: np.ndarray
    """int64 (sets,): the sequence before each information set with a choice."""
    sets: np.ndarray
    """int64 (S,): the number of the information set that each sequence is of, -1 for the first."""
    at: np.ndarray
    """int64 (N,): the sequence played before every node."""


def _form(tree: GameTree, who: int) -> _Form:
    sizes = np.diff(tree.start)
    chosen = np.flatnonzero((tree.owner == who) & (sizes > 1))
    number = np.full(len(tree.actions), -1)
    places = np.concatenate([[-1], *(np.arange(tree.start[i], tree.start[i + 1]) for i in chosen)]).astype(np.int64)
    number[places[1:]] = np.arange(1, len(places))
    at = np.zeros(tree.num_nodes, np.int64)
    before = np.zeros(tree.num_sets, np.int64)
    depth = np.zeros(tree.num_nodes, bool)
    depth[np.isin(tree.place, chosen) & (tree.player == who)] = True
    for n in np.flatnonzero(tree.count):
        first = tree.first[n]
        if depth[n]:
            before[tree.place[n]] = at[n]
            here = number[tree.start[tree.place[n]] :][: tree.count[n]]
            at[first : first + tree.count[n]] = here
        else:
            at[first : first + tree.count[n]] = at[n]
    sets = np.concatenate([[-1], np.repeat(np.arange(len(chosen)), sizes[chosen])]).astype(np.int64)
    return _Form(places, before[chosen], sets, at)


def _flow(form: _Form, offset: int, width: int) -> tuple[coo_array, np.ndarray]:
    """Return the equations of a realisation plan whose variables begin at `offset`.

    What reaches an information set is played there: the plan of a set's sequences adds up to that of the one before.
    """
    count = len(form.before)
    rows = np.concatenate([[0], 1 + form.sets[1:], 1 + np.arange(count)])
    columns = offset + np.concatenate([[0], np.arange(1, len(form.places)), form.before])
    signs = np.concatenate([[1.0], np.ones(len(form.places) - 1), -np.ones(count)])
    right = np.zeros(1 + count)
    right[0] = 1.0
    return coo_array((signs, (rows, columns)), shape=(1 + count, width)), right


def team_response(
    tree: GameTree, strategy: np.ndarray, team: tuple[int, int], *, time_limit: float = 600.0
) -> TeamResponse:
    """Return the best that two partners can do together when all others play `strategy`, float64 (K,).

    Both get the same payoffs. Raises ``TreeError`` where they do not, or where the game is too large.
    """
    ends = np.flatnonzero(tree.player == TERMINAL)
    payoffs = tree.payoffs[tree.place[ends]]
    if not np.allclose(payoffs[:, team[0]], payoffs[:, team[1]]):
        raise TreeError(f"the players {team[0]} and {team[1]} are not partners: their payoffs differ")
    one, two = _form(tree, team[0]), _form(tree, team[1])
    shift = 1.0 - float(payoffs[:, team[0]].min())  # all weights positive: the products then rise by themselves
    weights = _outside(tree, strategy, team)[ends] * (payoffs[:, team[0]] + shift)
    pairs = one.at[ends] * len(two.places) + two.at[ends]
    pairs, where = np.unique(pairs, return_inverse=True)
    summed = np.bincount(where, weights)
    pairs, summed = pairs[summed > 0], summed[summed > 0]
    if len(pairs) > MAX_PAIRS:
        raise TreeError(f"the partners have {len(pairs):,} pairs of sequences, too many: use a smaller game")
    plan, bound = _solve(one, two, pairs, summed, time_limit)
    out = strategy.copy()
    for who, form, start in ((team[0], one, 0), (team[1], two, len(one.places))):
        _write(tree, who, form, plan[start : start + len(form.places)], out)
    values = expected_values(tree, out)
    now = expected_values(tree, strategy)[team[0]]
    value = float(values[team[0]])
    return TeamResponse(value, value - float(now), bound - shift, out)


def _outside(tree: GameTree, strategy: np.ndarray, team: tuple[int, int]) -> np.ndarray:
    """Return how likely chance and all players outside the team play to every node, float64 (N,)."""
    free = strategy.copy()
    for who in team:
        low, high = np.searchsorted(tree.owner, [who, who + 1])
        free[tree.start[low] : tree.start[high]] = 1.0
    own, others = np.empty(tree.num_nodes), np.empty(tree.num_nodes)
    reaches(arrays(tree), team[0], free, own, others)
    return own * others


def _solve(one: _Form, two: _Form, pairs: np.ndarray, weights: np.ndarray, limit: float) -> tuple[np.ndarray, float]:
    """Return both plans, one after the other, and the upper bound of the shifted value."""
    a, b, number = len(one.places), len(two.places), len(pairs)
    width = a + b + number
    flow_one, right_one = _flow(one, 0, width)
    flow_two, right_two = _flow(two, a, width)
    rows = np.arange(number)
    below = []
    for columns in (pairs // b, a + pairs % b):  # a product is at most either factor
        where = (np.concatenate([rows, rows]), np.concatenate([a + b + rows, columns]))
        below.append(coo_array((np.concatenate([np.ones(number), -np.ones(number)]), where), shape=(number, width)))
    flow = vstack([flow_one, flow_two]).tocsc()
    right = np.concatenate([right_one, right_two])
    whole = np.zeros(width)
    whole[:a] = 1
    found = milp(
        np.concatenate([np.zeros(a + b), -weights]),
        constraints=[LinearConstraint(flow, right, right), LinearConstraint(vstack(below).tocsc(), -np.inf, 0.0)],
        integrality=whole,
        bounds=Bounds(0, 1),
        options={"time_limit": limit, "mip_rel_gap": 0.0},
    )
    if found.x is None:
        raise TreeError(f"no team response was found in {limit:g} seconds: give it more, or take a smaller game")
    return found.x[: a + b], -float(found.mip_dual_bound)


def _write(tree: GameTree, who: int, form: _Form, plan: np.ndarray, out: np.ndarray) -> None:
    """Write a realisation plan as a strategy; where the plan never comes, the first action."""
    low, high = np.searchsorted(tree.owner, [who, who + 1])
    for i in range(low, high):
        out[tree.start[i] : tree.start[i + 1]] = np.eye(tree.start[i + 1] - tree.start[i])[0]
    for number in range(len(form.before)):
        mine = np.flatnonzero(form.sets == number)
        best = mine[plan[mine].argmax()]
        out[form.places[mine]] = 0.0
        out[form.places[best]] = 1.0


def team_gains(tree: GameTree, strategy: np.ndarray, sides: tuple[int, ...]) -> dict[int, TeamResponse]:
    """Return, for every side of two, its best response to the others' strategy; `sides`: the side of each seat."""
    teams = {side: tuple(seat for seat, s in enumerate(sides) if s == side) for side in sorted(set(sides))}
    return {side: team_response(tree, strategy, (seats[0], seats[1])) for side, seats in teams.items()}
