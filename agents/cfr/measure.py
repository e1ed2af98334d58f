"""Exact measures of any player on a game with a tree: what could be gained against it, alone and by partners."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.cfr.best_response import best_response, expected_values
from agents.cfr.team import team_gains
from agents.cfr.tree import GameTree, deal_tree, set_views
from tressette_env.bots import Policy
from tressette_env.bots.base import KernelPolicy
from tressette_env.engine.randomness import key_of
from tressette_env.rules import Rules

DRAWS = 64  # of a player that draws lots and does not say how
MEASURE_NODES = 3_000_000
_STREAM = 21


@dataclass(frozen=True)
class Exploit:
    """What best responses gain against one player who sits at all places, points a deal.

    value: what eldest hand gets. gains: by seat, what that seat alone could gain. team_gains: by side, what two
    partners could gain together; None but for pairs. draws: 0 where the player's probabilities are known, else how many
    draws they were estimated from (then all gains are, too, and rather too large).
    """

    name: str
    value: float
    gains: tuple[float, ...]
    team_gains: tuple[float, ...] | None
    draws: int

    @property
    def nash_conv(self) -> float:
        """The sum of the gains of each seat alone."""
        return sum(self.gains)

    @property
    def exploitability(self) -> float | None:
        """NashConv / 2 between two players, None between more."""
        return self.nash_conv / 2 if len(self.gains) == 2 else None

    def to_dict(self) -> dict[str, Any]:
        """Return the measures as plain data."""
        return {
            "name": self.name,
            "value": self.value,
            "gains_by_seat": list(self.gains),
            "nash_conv": self.nash_conv,
            "exploitability": self.exploitability,
            "team_gains_by_side": None if self.team_gains is None else list(self.team_gains),
            "estimated_from_draws": self.draws,
        }


class Exploiter:
    """Measures players of some rules on one tree. Raises ``TreeError`` for a game too large."""

    def __init__(self, rules: Rules, max_nodes: int = MEASURE_NODES) -> None:
        self.rules = rules
        self.tree: GameTree = deal_tree(rules, max_nodes)
        self._views = set_views(self.tree, rules)
        self._table = rules.table()
        sides = rules.sides
        self._pairs = isinstance(sides, tuple) and rules.num_seats == 4 and sorted(sides) == [0, 0, 1, 1]

    def strategy(self, policy: Policy) -> tuple[np.ndarray, int]:
        """Return a player's strategy on the tree, float64 (K,), and from how many draws it was estimated (0: exact)."""
        tree = self.tree
        chosen = np.flatnonzero(np.diff(tree.start) > 1)
        out = tree.uniform()
        draws = 0
        if hasattr(policy, "probabilities"):
            table = policy.probabilities(self._views[chosen], self._table)
        elif policy.name == "random" and isinstance(policy, KernelPolicy):
            return out, 0
        else:
            table, draws = self._drawn(policy, chosen)
        for row, i in enumerate(chosen):
            here = slice(tree.start[i], tree.start[i + 1])
            out[here] = table[row, tree.actions[here]]
        return out, draws

    def _drawn(self, policy: Policy, chosen: np.ndarray) -> tuple[np.ndarray, int]:
        """Return how often each action is drawn, (sets, A), and the draws; one is enough where lots play no part."""
        views = self._views[chosen]
        rows = np.arange(len(views))
        counts = np.zeros((len(views), self.rules.blocks.num_actions))
        seen = [policy.actions(views, self._table, _keys(len(views), draw)) for draw in range(4)]
        if all((actions == seen[0]).all() for actions in seen):
            counts[rows, seen[0]] = 1.0
            return counts, 0
        for draw in range(DRAWS):
            actions = seen[draw] if draw < 4 else policy.actions(views, self._table, _keys(len(views), draw))
            counts[rows, actions] += 1.0 / DRAWS
        return counts, DRAWS

    def measure(self, policy: Policy, *, name: str | None = None, team: bool = True) -> Exploit:
        """Return what could be gained against a player; the partners' gain, where there are pairs, takes a minute."""
        strategy, draws = self.strategy(policy)
        now = expected_values(self.tree, strategy)
        gains = tuple(best_response(self.tree, strategy, who)[0] - float(now[who]) for who in range(len(now)))
        together = None
        if team and self._pairs:
            found = team_gains(self.tree, strategy, self.rules.sides)
            together = tuple(found[side].gain for side in sorted(found))
        return Exploit(name or policy.name, float(now[0]), gains, together, draws)


def _keys(rows: int, draw: int) -> np.ndarray:
    return np.array([key_of(draw, row, _STREAM) for row in range(rows)], np.uint64)
