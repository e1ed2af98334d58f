"""The tabular family on a compiled tree: CFR, CFR+, Linear and Discounted CFR, predictive CFR+.

Regrets and average strategies are float64 arrays (K,), a place per action of an information set. Sources: Zinkevich et
al. 2007 (CFR); Tammelin 2014 (CFR+); Brown and Sandholm 2019 (Linear and Discounted CFR); Farina, Kroer, Sandholm 2021
(predictive CFR+).
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from dataclasses import dataclass

import numba as nb
import numpy as np

from agents.cfr.sweeps import arrays, reaches, set_reaches, values_up
from agents.cfr.tree import GameTree


@dataclass(frozen=True)
class Variant:
    """How regrets are kept and iterates averaged.

    alpha, beta: before iteration t positive regrets are multiplied by t**alpha / (t**alpha + 1), negative ones by the
    same with beta; inf leaves them, -inf drops them. gamma: iterate t counts t**gamma in the average. predictive: the
    last regrets are expected to come again when the next strategy is chosen.
    """

    alpha: float
    beta: float
    gamma: float
    predictive: bool = False


_INF = float("inf")
VARIANTS = {
    "cfr": Variant(_INF, _INF, 0.0),
    "cfr+": Variant(_INF, -_INF, 1.0),
    "lcfr": Variant(1.0, 1.0, 1.0),
    "dcfr": Variant(1.5, 0.0, 2.0),
    "pcfr+": Variant(_INF, -_INF, 2.0, predictive=True),
}


def discount(exponent: float, iteration: int) -> float:
    """Return t**e / (t**e + 1) for the regrets kept from before iteration t + 1; 1 for inf, 0 for -inf."""
    if exponent in (_INF, -_INF):
        return 1.0 if exponent > 0 else 0.0
    power = float(iteration) ** exponent
    return power / (power + 1.0)


@nb.njit(cache=True, nogil=True)
def match(start, low, high, regrets, expected, out):
    """Write regret matching's strategy for the information sets low to high; `expected` regrets are added first."""
    for i in range(low, high):
        total = 0.0
        for k in range(start[i], start[i + 1]):
            positive = max(regrets[k] + expected[k], 0.0)
            out[k] = positive
            total += positive
        if total > 0.0:
            for k in range(start[i], start[i + 1]):
                out[k] /= total
        else:
            for k in range(start[i], start[i + 1]):
                out[k] = 1.0 / (start[i + 1] - start[i])


@nb.njit(cache=True, nogil=True)
def _learn(start, low, high, strategy, gains, own, scales, weight, drop, predict, regrets, expected, average):
    """Add one sweep's regrets and its strategy's share of the average to the information sets low to high.

    `drop`: what is negative afterwards is set to 0. `scales`: the shares kept of positive and of negative regrets.
    """
    for i in range(low, high):
        base = 0.0
        for k in range(start[i], start[i + 1]):
            base += strategy[k] * gains[k]
        for k in range(start[i], start[i + 1]):
            gain = gains[k] - base
            kept = regrets[k] * (scales[0] if regrets[k] > 0.0 else scales[1])
            regrets[k] = max(kept + gain, 0.0) if drop else kept + gain
            if predict:
                expected[k] = gain
            average[k] += weight * own[i] * strategy[k]


class CFRSolver:
    """Regret minimisation at every information set of a tree.

    With ``alternating`` the players learn in turn, each against what the others do now; otherwise all at once.
    In games between two sides the average strategy comes ever closer to an equilibrium; with more players, partners
    inside, nothing is promised but small regrets of each seat alone.

    Raises ``ValueError`` for an unknown variant.
    """

    def __init__(self, tree: GameTree, variant: str = "cfr+", *, alternating: bool = True) -> None:
        if variant not in VARIANTS:
            raise ValueError(f"unknown variant {variant!r}: use {', '.join(VARIANTS)}")
        self.tree = tree
        self.variant = variant
        self.alternating = alternating
        self.iteration = 0
        self.regrets = np.zeros(len(tree.actions))
        self.expected = np.zeros(len(tree.actions))
        self.average = np.zeros(len(tree.actions))
        self.current = tree.uniform()
        self._nodes = arrays(tree)
        self._bounds = np.searchsorted(tree.owner, np.arange(tree.num_players + 1))
        self._own, self._others, self._value = (np.empty(tree.num_nodes) for _ in range(3))
        self._gains = np.empty((tree.num_players, len(tree.actions)))
        self._set_reach = np.zeros(tree.num_sets)

    def iterate(self, times: int = 1) -> None:
        """Run so many iterations: each sweeps the whole tree once for every player."""
        for _ in range(times):
            self.iteration += 1
            players = range(self.tree.num_players)
            for who in players:
                self._sweep(who)
                if self.alternating:
                    self._update(who)
            if not self.alternating:
                for who in players:
                    self._update(who)

    def average_strategy(self) -> np.ndarray:
        """Return the average strategy, float64 (K,): uniform where no iterate has been."""
        out = np.empty_like(self.average)
        match(self.tree.start, 0, self.tree.num_sets, self.average, np.zeros_like(self.average), out)
        return out

    def _sweep(self, who: int) -> None:
        reaches(self._nodes, who, self.current, self._own, self._others)
        set_reaches(self._nodes, who, self._own, self._set_reach)
        values_up(self._nodes, who, self.current, self._others, self._value, self._gains[who])

    def _update(self, who: int) -> None:
        row = VARIANTS[self.variant]
        drop = row.beta == -_INF
        kept = discount(row.alpha, self.iteration - 1), discount(row.beta, self.iteration - 1)
        weight = float(self.iteration) ** row.gamma
        low, high = self._bounds[who], self._bounds[who + 1]
        start = self.tree.start
        _learn(
            start, low, high, self.current, self._gains[who], self._set_reach, kept, weight, drop, row.predictive,
            self.regrets, self.expected, self.average,
        )  # fmt: skip
        match(start, low, high, self.regrets, self.expected, self.current)

    def state(self) -> dict[str, np.ndarray]:
        """Return what the solver has learned, by name: to save, and for ``restore``."""
        return {
            "regrets": self.regrets.copy(),
            "expected": self.expected.copy(),
            "average": self.average.copy(),
            "current": self.current.copy(),
            "iteration": np.array([self.iteration], np.int64),
        }

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Go on from what ``state`` returned; the same iterations follow to the bit."""
        for name in ("regrets", "expected", "average", "current"):
            getattr(self, name)[:] = state[name]
        self.iteration = int(state["iteration"][0])
