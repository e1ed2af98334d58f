"""The points that each player's cards lost against open-hand play, trick by trick, over the games of an evaluation."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.rooms import Seating
from agents.search.openhand import SOLVER_DTYPE
from agents.search.regret import check_rules, losses
from tressette_env.cards import NUM_CARDS
from tressette_env.engine.state import STATE_DTYPE
from tressette_env.rules import Rules


@dataclass
class Lost:
    """What one player's cards lost: sixths of a point and cards by trick, int64 (num_tricks,); games it was in.

    Whole numbers, so that a sum does not depend on the order in which games are judged.
    """

    sixths: np.ndarray
    cards: np.ndarray
    games: int = 0

    def plus(self, other: "Lost") -> "Lost":
        """Return the sum of both."""
        return Lost(self.sixths + other.sixths, self.cards + other.cards, self.games + other.games)

    @property
    def per_game(self) -> float:
        """Points lost in a game, by all of its seats."""
        return self._points(self.sixths.sum()) / max(1, self.games)

    def to_dict(self) -> dict[str, Any]:
        """Return the means as plain data; a trick without a judged card is null."""
        return {
            "games": self.games,
            "points_lost_per_game": self.per_game,
            "points_lost_per_card": self._points(self.sixths.sum()) / max(1, int(self.cards.sum())),
            "points_lost_by_trick": [
                self._points(sixths) / self.games if cards else None
                for sixths, cards in zip(self.sixths, self.cards, strict=True)
            ],
        }

    @staticmethod
    def _points(sixths: np.int64) -> float:
        return int(sixths) / 6


@dataclass
class Losses:
    """What the cards of players a and b lost in some deals of their match; ``judged``: how many of these counted."""

    a: Lost
    b: Lost
    judged: int = 0

    def plus(self, other: "Losses") -> "Losses":
        """Return the sum of both."""
        return Losses(self.a.plus(other.a), self.b.plus(other.b), self.judged + other.judged)


def no_losses(rules: Rules) -> Losses:
    """Return what no game loses."""
    a, b = (Lost(np.zeros(rules.num_tricks, np.int64), np.zeros(rules.num_tricks, np.int64)) for _ in "ab")
    return Losses(a, b)


class Judge:
    """Judges finished games: those of a match's first ``deals`` deals; see ``search.regret.losses``.

    Raises ``SolverError`` for rules without two sides, or with revokes.
    """

    def __init__(self, rules: Rules, deals: int) -> None:
        check_rules(rules)
        self.rules = rules
        self.deals = deals
        self._table = rules.table()
        self._solver = np.zeros(1, SOLVER_DTYPE)[0]
        self._path = np.zeros(NUM_CARDS + 1, STATE_DTYPE)
        self._out = np.empty(NUM_CARDS, np.int64)

    def losses(self, seats: Seating, states: np.ndarray) -> Losses:
        """Return what was lost in finished games, STATE_DTYPE (G,), of the players a and b as seated."""
        found = no_losses(self.rules)
        chosen = seats.deals < self.deals
        found.judged = len(np.unique(seats.deals[chosen]))
        for game in np.flatnonzero(chosen & (states["num_played"] > 0)):  # an abandoned deal has no cards
            losses(self._solver, states[game : game + 1], self._path, self._table[0], self._out)
            self._book(found, seats, int(game))
        return found

    def _book(self, found: Losses, seats: Seating, game: int) -> None:
        judged = np.flatnonzero(self._out >= 0)
        owner = seats.owners[game, self._path["to_act"][judged].astype(np.int64)]
        tricks = judged // self.rules.num_seats
        for player, lost in enumerate((found.a, found.b)):
            own = owner == player
            np.add.at(lost.sixths, tricks[own], self._out[judged[own]])
            np.add.at(lost.cards, tricks[own], 1)
            lost.games += 1


class Regrets:
    """What every player's cards lost, pair by pair, in the first ``deals`` deals of each.

    Raises ``SolverError`` for rules without two sides, or with revokes.
    """

    def __init__(self, rules: Rules, deals: int) -> None:
        check_rules(rules)
        self.rules = rules
        self.deals = deals
        self.pairs: dict[tuple[str, str], Losses] = {}

    def add(self, names: tuple[str, str], more: Losses) -> None:
        """Add what a pair's cards lost in further deals."""
        self.pairs[names] = self.pairs.get(names, no_losses(self.rules)).plus(more)

    @property
    def judged(self) -> int:
        """Deals of a pair judged so far, the most of any pair."""
        return max((pair.judged for pair in self.pairs.values()), default=0)

    @property
    def lost(self) -> dict[str, Lost]:
        """What each player's cards lost in all its pairs."""
        total: dict[str, Lost] = {}
        for names, pair in self.pairs.items():
            for name, lost in zip(names, (pair.a, pair.b), strict=True):
                total[name] = total[name].plus(lost) if name in total else lost
        return total

    def to_dict(self) -> dict[str, Any]:
        """Return what every player lost as plain data; ``deals_a_pair``: deals judged of a pair, the most of any."""
        return {"deals_a_pair": self.judged, "players": {name: lost.to_dict() for name, lost in self.lost.items()}}
