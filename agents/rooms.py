"""Who sits where in the rooms of a duplicate deal.

Competitors are what a deal is fought out between: the sides where the rules fix them, the seats where an auction forms
the sides anew. Between two competitors a deal has two rooms, in which the players change places. Between C > 2 it has
2C: player a alone at every competitor's place against b everywhere else, then b alone against a everywhere else.
A room's result is the lone player's reward, counted for a. So the two players meet every place, hand and opposition
equally often, and equal players without randomness are exactly level.
"""

from dataclasses import dataclass

import numpy as np

from tressette_env.rules import Rules


def competitors(rules: Rules) -> np.ndarray:
    """Return the competitor of every seat, int64 (num_seats,).

    >>> from tressette_env.rules import Rules
    >>> competitors(Rules())
    array([0, 1, 0, 1])
    """
    return np.arange(rules.num_seats) if isinstance(rules.sides, str) else np.array(rules.sides, np.int64)


def num_rooms(rules: Rules) -> int:
    """Return how many rooms a duplicate deal has: 2 for two competitors, else two for each of them.

    >>> num_rooms(Rules()), num_rooms(Rules(sides=(0, 1, 2, 3)))
    (2, 8)
    """
    return 2 if rules.num_competitors == 2 else 2 * rules.num_competitors


@dataclass(frozen=True)
class Seating:
    """The games of some deals in all their rooms, the rooms of a deal together; arrays int64 (G,)."""

    competitor: np.ndarray  # of each seat, (num_seats,)
    deals: np.ndarray
    rooms: np.ndarray
    alone: np.ndarray  # the lone player: 0 = a, 1 = b (of two competitors, a counts as alone)
    place: np.ndarray  # competitor whose place the lone player takes
    seat: np.ndarray  # a seat of that competitor

    @property
    def sign(self) -> np.ndarray:
        """1 where the lone player's result is a's, -1 where it is b's, int64 (G,)."""
        return 1 - 2 * self.alone

    def owner(self, seats: np.ndarray) -> np.ndarray:
        """Return the player, 0 or 1, who decides for seats[i] in game i, int64 (G,)."""
        return np.where(self.competitor[seats] == self.place, self.alone, 1 - self.alone)

    @property
    def owners(self) -> np.ndarray:
        """The player, 0 or 1, at every seat, int64 (G, num_seats)."""
        at_place = self.competitor == self.place[:, None]
        return np.where(at_place, self.alone[:, None], 1 - self.alone[:, None])

    def margins(self, of_competitors: np.ndarray) -> np.ndarray:
        """Return the lone player's utility minus the mean of the others', counted for a, float64 (G,).

        of_competitors: whole numbers (G, C), such as points.
        """
        others = of_competitors.shape[1] - 1
        own = of_competitors[np.arange(len(of_competitors)), self.place]
        result: np.ndarray = self.sign * ((others + 1) * own - of_competitors.sum(axis=1)) / others
        return result


def seating(rules: Rules, first: int, end: int) -> Seating:
    """Return the games of the deals first..end-1.

    >>> seats = seating(Rules(sides=(0, 1, 2, 3)), 0, 1)
    >>> seats.alone, seats.place
    (array([0, 0, 0, 0, 1, 1, 1, 1]), array([0, 1, 2, 3, 0, 1, 2, 3]))
    """
    competitor = competitors(rules)
    first_seats = np.unique(competitor, return_index=True)[1]
    count = num_rooms(rules)
    rooms = np.tile(np.arange(count), end - first)
    alone, place = np.divmod(rooms, rules.num_competitors)
    return Seating(competitor, np.repeat(np.arange(first, end), count), rooms, alone, place, first_seats[place])


def deal_means(rooms: np.ndarray) -> np.ndarray:
    """Return the mean of every deal's rooms, float64 (N,), from float64 (N, R).

    The two halves are added apart: swapped players then give the exact opposite, equal ones exactly zero.
    """
    half = rooms.shape[1] // 2
    mean: np.ndarray = (rooms[:, :half].sum(axis=1) + rooms[:, half:].sum(axis=1)) / rooms.shape[1]
    return mean
