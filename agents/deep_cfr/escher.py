"""ESCHER: regrets from a network of history values, not from importance weights (McAleer et al. 2022, 2206.04122).

The traverser draws from a fixed policy, the others play their strategies, one line a deal; at each choice of the
traverser the regret of an action is v(h, a) - sum of strategy * v, where v is learned. Chosen over DREAM (Steinberger,
Lerer, Brown 2020), which also learns a baseline but still divides by the chance of the whole line: in a deal of twenty
choices those weights are of order 10**20, and no baseline is exact enough to survive them.

v(h) sees all hands (the central encoding, in the traverser's frame) and is learned by Monte Carlo from deals that are
played as walks are up to a random choice of the traverser, one uniform action there, then on under the strategies of
this iteration: what stands after the action is distributed as what the walks ask for. The order of an undrawn stock is
not in the encoding; v is then the mean over orders, which no regret depends on. Ends are paid exactly.
"""

from collections.abc import Callable

import numpy as np
from torch import Tensor

from agents.deep_cfr.kernels import central_features, draw_rows, payoffs, play_rows, to_choices
from agents.deep_cfr.memory import Samples, joined
from agents.deep_cfr.strategy import Decisions, Players
from agents.deep_cfr.walks import Harvest, children, most_choices, play_on, regrets_of

Values = Callable[[Tensor], Tensor]  # full-state features float32 (R, F) to points (R, 1)


def central(players: Players, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """Return full states in the frame of some seats, float32 (B, F)."""
    out = np.empty((len(states), players.size), np.float32)
    central_features(states, players.table, seats, players.canonical, out)
    return out


def value_lines(
    players: Players, states: np.ndarray, seats: np.ndarray, rng: np.random.Generator, explore: float, out: Harvest
) -> Samples:
    """Play deals, STATE_DTYPE (D,), and return histories of the traversers, int64 (D,), with what they were paid.

    Targets (N, 1) are points of the traverser in whose frame the features are. `out` counts the decisions.
    """
    stops = rng.integers(0, most_choices(players.rules), len(states))
    blind = rng.random(len(states)) < explore
    before = Harvest()
    rows = play_on(players, states, seats, rng, stops=stops, blind=blind, out=before)
    lines, frames = states[rows], seats[rows]
    every = np.arange(len(rows))
    found = players.decide(lines, every, np.ones(len(rows), np.bool_))
    drawn = np.empty(len(rows), np.int64)
    draw_rows(found.play, rng.random(len(rows)), drawn)
    play_rows(lines, players.table, every, drawn)
    seen: list[tuple[np.ndarray, np.ndarray]] = []

    def note(now: np.ndarray, here: np.ndarray, _: Decisions, __: np.ndarray) -> None:
        seen.append((central(players, now[here], frames[here]), here))

    after = Harvest()
    play_on(players, lines, np.full(len(lines), -1, np.int64), rng, out=after, visit=note)
    out.decisions += before.decisions + after.decisions
    paid = np.empty(len(lines))
    payoffs(lines, players.table, frames, paid)
    parts = [
        Samples(features, np.ones((len(here), 1), np.bool_), paid[here, None].astype(np.float32))
        for features, here in seen
    ]
    return joined(parts, players.size, 1)


def values_after(players: Players, values: Values, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """Return what states are worth to some seats, points float64 (B,): exactly where over. Moves `states` on."""
    choosing = np.empty(len(states), np.int64)
    count, _ = to_choices(states, players.table, choosing)
    worth = np.empty(len(states))
    payoffs(states, players.table, seats, worth)
    rows = choosing[:count]
    if count:
        worth[rows] = players.forward(values, central(players, states[rows], seats[rows]))[:, 0]
    return worth


def escher(
    players: Players, values: Values, states: np.ndarray, seats: np.ndarray, rng: np.random.Generator, explore: float
) -> Harvest:
    """Walk one line a deal, STATE_DTYPE (D,), for its traverser, int64 (D,), with a regret at each of its choices."""
    out = Harvest()

    def regret(now: np.ndarray, rows: np.ndarray, found: Decisions, mine: np.ndarray) -> None:
        if not mine.any():
            return
        own, rows = Decisions(*(part[mine] for part in found)), rows[mine]
        parents, actions, after = children(now, players.table, rows, own.legal)
        gains = np.zeros(own.legal.shape)
        gains[parents, actions] = values_after(players, values, after, seats[rows][parents])
        out.regrets.append(regrets_of(players, now, rows, own, gains))

    blind = rng.random(len(states)) < explore
    play_on(players, states, seats, rng, blind=blind, out=out, visit=regret)
    return out
