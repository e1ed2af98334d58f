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

    Raises ``SolverError`` for rules without two sides, or with revokes.
    """

    def __init__(self, rules: Rules, deals: int) -> None:
        check_rules(rules)
        self.rules = rules
        self.deals = deals
        self.table = rules.table()
        self.lost: dict[str, Lost] = {}
        self._solver = np.zeros(1, SOLVER_DTYPE)[0]
        self._path = np.zeros(NUM_CARDS + 1, STATE_DTYPE)
        self._out = np.empty(NUM_CARDS, np.int64)

    def add(self, names: tuple[str, str], seats: Seating, states: np.ndarray) -> None:
        """Judge finished games, STATE_DTYPE (G,), of the players a and b as seated: those of the first ``deals``."""
        for name in names:
            self.lost.setdefault(name, self._nothing())
        for game in range(len(states)):
            if seats.deals[game] >= self.deals or states[game]["num_played"] == 0:
                continue  # an abandoned deal has no cards
            losses(self._solver, states[game : game + 1], self._path, self.table[0], self._out)
            self._book(names, seats, game)

    def to_dict(self) -> dict[str, Any]:
        """Return what every player lost as plain data."""
        return {"deals_a_pair": self.deals, "players": {name: lost.to_dict() for name, lost in self.lost.items()}}

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
            lost = self.lost[name]
            np.add.at(lost.points, tricks[own], self._out[judged[own]] / 6.0)
            np.add.at(lost.cards, tricks[own], 1)
            lost.games += 1
