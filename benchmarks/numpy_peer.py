"""Plain stepping in tuned numpy: the game without declarations and signals, B deals in step, as a yardstick.

All rows are at the same place of the same trick, which a general batch cannot count on: that favours this peer.
"""

import numpy as np

from tressette_env.cards import RANK_SIXTHS

_SUIT = 1023
_SIXTHS = np.array([RANK_SIXTHS[card % 10] for card in range(40)], np.int64)
_SUIT_BITS = np.array([_SUIT << 10 * suit for suit in range(4)], np.int64)
_BIT = np.int64(1) << np.arange(40, dtype=np.int64)
_BONUS_SIXTHS = 6


class NumpyGames:
    """B deals of the plain four-player game; ``points`` (B, 2) holds whole points per side once ``played`` is 40."""

    def __init__(self, num_games: int, rng: np.random.Generator) -> None:
        self.rng = rng
        self.rows = np.arange(num_games)
        self.deal()

    def deal(self, hands: np.ndarray | None = None, leader: np.ndarray | None = None) -> None:
        """Lay new deals: random ones, or the given hands, int64 bit sets (B, 4), and leaders (B,)."""
        games = len(self.rows)
        if hands is None:
            order = self.rng.random((games, 40), np.float32).argsort(axis=1)
            hands = _BIT[order].reshape(games, 4, 10).sum(axis=2)
        self.hands = np.array(hands, np.int64)
        self.seat = self.rng.integers(0, 4, games) if leader is None else np.array(leader, np.int64)
        self.captured = np.zeros((games, 2), np.int64)
        self.played = 0

    def legal(self) -> np.ndarray:
        """Return the cards that the seats to act may play, int64 bit sets (B,)."""
        self.hand = self.hands[self.rows, self.seat]
        if self.played % 4 == 0:
            return self.hand
        follow = self.hand & self.led_bits
        return np.where(follow != 0, follow, self.hand)

    def masks(self) -> np.ndarray:
        """Return the legal cards as uint8 (B, 40)."""
        return np.unpackbits(self.legal().view(np.uint8).reshape(-1, 8)[:, :5], axis=1, bitorder="little")

    def step(self, cards: np.ndarray) -> None:
        """Play one card, int64 (B,), in every row. Raises ``ValueError`` when one is not legal."""
        if not ((self.legal() >> cards) & 1).all():
            raise ValueError("a card is not legal: use one whose mask is 1")
        self.hands[self.rows, self.seat] = self.hand ^ _BIT[cards]
        if self.played % 4 == 0:
            self.led_bits = _SUIT_BITS[cards // 10]
            self.best, self.best_seat = cards, self.seat
            self.sixths = _SIXTHS[cards]
        else:
            wins = (cards > self.best) & ((_BIT[cards] & self.led_bits) != 0)
            self.best = np.where(wins, cards, self.best)
            self.best_seat = np.where(wins, self.seat, self.best_seat)
            self.sixths = self.sixths + _SIXTHS[cards]
        self.played += 1
        if self.played % 4:
            self.seat = (self.seat + 1) & 3
            return
        self.seat = self.best_seat
        if self.played == 40:
            self.sixths = self.sixths + _BONUS_SIXTHS
        self.captured[self.rows, self.seat & 1] += self.sixths
        if self.played == 40:
            self.points = self.captured // 6
