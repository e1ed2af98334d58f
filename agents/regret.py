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
    """What one player's cards lost: points and cards by trick, float64 and int64 (num_tricks,); deals it was in."""

    points: np.ndarray
    cards: np.ndarray
    games: int = 0

    def plus(self, other: "Lost") -> "Lost":
        """Return the sum of both."""
        return Lost(self.points + other.points, self.cards + other.cards, self.games + other.games)

    @property
    def per_game(self) -> float:
        """Points lost in a game, by all of its seats."""
        return float(self.points.sum()) / max(1, self.games)

    def to_dict(self) -> dict[str, Any]:
        """Return the means as plain data; a trick without a judged card is null."""
        return {
            "games": self.games,
            "points_lost_per_game": self.per_game,
            "points_lost_per_card": float(self.points.sum()) / max(1, int(self.cards.sum())),
            "points_lost_by_trick": [
                float(points) / self.games if cards else None
                for points, cards in zip(self.points, self.cards, strict=True)
            ],
        }


class Regrets:
    """Judges finished games and adds up what each player lost; see ``search.regret.losses``.

    ``judged``: deals of a pair judged so far, the most of any pair; at most ``deals``.

    Raises ``SolverError`` for rules without two sides, or with revokes.
    """

    def __init__(self, rules: Rules, deals: int) -> None:
        check_rules(rules)
        self.rules = rules
        self.deals = deals
        self.judged = 0
        self.table = rules.table()
        self.lost: dict[str, Lost] = {}
        self._block: dict[str, Lost] = {}
        self._last = 0
        self._solver = np.zeros(1, SOLVER_DTYPE)[0]
        self._path = np.zeros(NUM_CARDS + 1, STATE_DTYPE)
        self._out = np.empty(NUM_CARDS, np.int64)

    def add(self, names: tuple[str, str], seats: Seating, states: np.ndarray) -> None:
        """Judge finished games, STATE_DTYPE (G,), of the players a and b as seated: those of the first ``deals``.

        They count from the next ``keep`` on: a block that is stopped half way leaves nothing behind.
        """
        self._block = {name: self._nothing() for name in names}
        self._last = min(int(seats.deals.max()) + 1, self.deals)
        for game in range(len(states)):
            if seats.deals[game] >= self.deals or states[game]["num_played"] == 0:
                continue  # an abandoned deal has no cards
            losses(self._solver, states[game : game + 1], self._path, self.table[0], self._out)
            self._book(names, seats, game)

    def keep(self) -> None:
        """Count the block that was judged last."""
        block, self._block = self._block, {}
        self.lost = self.lost | {name: self.lost.get(name, self._nothing()).plus(lost) for name, lost in block.items()}
        self.judged = max(self.judged, self._last)

    def to_dict(self) -> dict[str, Any]:
        """Return what every player lost as plain data; ``deals_a_pair``: deals judged of a pair, the most of any."""
        return {"deals_a_pair": self.judged, "players": {name: lost.to_dict() for name, lost in self.lost.items()}}

    def _nothing(self) -> Lost:
        return Lost(np.zeros(self.rules.num_tricks), np.zeros(self.rules.num_tricks, np.int64))

    def _book(self, names: tuple[str, str], seats: Seating, game: int) -> None:
        judged = np.flatnonzero(self._out >= 0)
        players = self._path["to_act"][judged].astype(np.int64)
        alone = seats.competitor[players] == seats.place[game]
        owner = np.where(alone, seats.alone[game], 1 - seats.alone[game])
        tricks = judged // self.rules.num_seats
        for player, name in enumerate(names):
            own = owner == player
            lost = self._block[name]
            np.add.at(lost.points, tricks[own], self._out[judged[own]] / 6.0)
            np.add.at(lost.cards, tricks[own], 1)
            lost.games += 1
