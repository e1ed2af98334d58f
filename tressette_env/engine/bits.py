"""Small bit-set helpers for the kernels: counts, lowest and highest cards, points and combinations."""

from typing import Any

import numba as nb
import numpy as np
from numba.core import config, types
from numba.extending import intrinsic

from tressette_env.cards import HONOURS, RANK_SIXTHS

_COUNT = np.array([bin(i).count("1") for i in range(1024)], np.int64)
_HIGHEST = np.array([i.bit_length() - 1 for i in range(1024)], np.int64)
_SIXTHS = np.array(RANK_SIXTHS, np.int64)
_SUIT_SIXTHS = np.array([sum(RANK_SIXTHS[i] for i in range(10) if b >> i & 1) for b in range(1024)], np.int64)
_RANK_A = 1 << 7 | 1 << 17 | 1 << 27 | 1 << 37


if getattr(config, "DISABLE_JIT", False):  # plain Python for the debugger and for coverage

    def _population(cards: int) -> int:
        """Return how many bits are set."""
        return int(cards).bit_count()

    def _trailing_zeros(cards: int) -> int:
        """Return the place of the lowest bit of a word that is not zero."""
        return (int(cards) & -int(cards)).bit_length() - 1

else:

    @intrinsic
    def _population(typing_context: Any, cards: Any) -> Any:
        """Return how many bits are set: one machine instruction."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.ctpop(args[0])

        return types.int64(types.int64), generate

    @intrinsic
    def _trailing_zeros(typing_context: Any, cards: Any) -> Any:
        """Return the place of the lowest bit of a word that is not zero: one machine instruction."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.cttz(args[0], context.get_constant(types.boolean, False))

        return types.int64(types.int64), generate


@nb.njit(cache=True)
def count(cards: int) -> int:
    """Return how many cards are in a set."""
    return _population(cards)


@nb.njit(cache=True)
def index_of_lowest(cards: int) -> int:
    """Return the lowest card id of a set that is not empty."""
    return _trailing_zeros(cards)


@nb.njit(cache=True)
def count_suit(cards: int, suit: int) -> int:
    """Return how many cards of a suit are in a set."""
    return _COUNT[(cards >> (10 * suit)) & 1023]


@nb.njit(cache=True)
def highest_of_suit(cards: int, suit: int) -> int:
    """Return the card id of the strongest card of a suit in a set, or -1."""
    strength = _HIGHEST[(cards >> (10 * suit)) & 1023]
    return 10 * suit + strength if strength >= 0 else -1


@nb.njit(cache=True)
def lowest(cards: int) -> int:
    """Return the lowest card id of a set, or -1."""
    return index_of_lowest(cards) if cards else -1


@nb.njit(cache=True)
def card_sixths(card: int) -> int:
    """Return the points of a card in sixths (`cards.RANK_SIXTHS`)."""
    return _SIXTHS[card % 10]


@nb.njit(cache=True)
def sum_sixths(cards: int) -> int:
    """Return the points of a set of cards in sixths."""
    return (
        _SUIT_SIXTHS[cards & 1023]
        + _SUIT_SIXTHS[(cards >> 10) & 1023]
        + _SUIT_SIXTHS[(cards >> 20) & 1023]
        + _SUIT_SIXTHS[(cards >> 30) & 1023]
    )


@nb.njit(cache=True)
def combinations(hand: int) -> int:
    """Return the declarations a hand holds as a bit set: napoletana c d s b, then rank sets A, 2, 3."""
    found = 0
    for suit in range(4):
        if (hand >> (10 * suit)) & HONOURS == HONOURS:
            found |= 1 << suit
    for rank in range(3):
        if count((hand >> rank) & _RANK_A) >= 3:
            found |= 1 << (4 + rank)
    return found


@nb.njit(cache=True)
def combination_cards(hand: int, combination: int) -> int:
    """Return the cards of the hand that a combination shows."""
    if combination < 4:
        return HONOURS << (10 * combination)
    return hand & (_RANK_A << (combination - 4))


@nb.njit(cache=True)
def combination_points(hand: int, combination: int) -> int:
    """Return what a combination is worth in points: 4 for all four of a rank, else 3."""
    return 4 if count(combination_cards(hand, combination)) == 4 else 3
