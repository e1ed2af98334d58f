"""The forty cards: ids, suits, ranks, points, bit sets and their text.

A card id is ``10 * suit + strength``, suits in the order c d s b (coppe, denari, spade, bastoni),
strength 0..9 for the ranks 4 5 6 7 J C K A 2 3. So within a suit the higher id wins the trick.
A set of cards is an int with bit ``id`` set for each card. Source: docs/rules, "Notation".
"""

from collections.abc import Iterable, Iterator

from tressette_env.errors import NotationError

NUM_CARDS = 40
NUM_RANKS = 10
SUITS = "cdsb"
RANKS = "4567JCKA23"  # weakest first
ALL_CARDS = (1 << NUM_CARDS) - 1
ACE, TWO, THREE = RANKS.index("A"), RANKS.index("2"), RANKS.index("3")
HONOURS = (1 << ACE) | (1 << TWO) | (1 << THREE)  # within a suit
RANK_SIXTHS = (0, 0, 0, 0, 2, 2, 2, 6, 2, 2)  # sixths of a point, by strength

CARD_TEXTS = tuple(rank + suit for suit in SUITS for rank in RANKS)
_CARD_IDS = {text: card for card, text in enumerate(CARD_TEXTS)}


def format_card(card: int) -> str:
    """Return the text of a card id, such as ``'3c'``.

    >>> format_card(9)
    '3c'
    """
    return CARD_TEXTS[card]


def parse_card(text: str) -> int:
    """Return the id of a card text.

    Raises ``NotationError`` for anything that is not a rank letter and a suit letter.

    >>> parse_card("Ad")
    17
    """
    try:
        return _CARD_IDS[text]
    except KeyError:
        raise NotationError(
            f"unknown card {text!r}: write a rank of 3 2 A K C J 7 6 5 4 and a suit of c d s b, such as '3c'"
        ) from None


def parse_cards(text: str) -> list[int]:
    """Return the ids of the cards in a text, in the order written; blanks are ignored.

    Raises ``NotationError`` for an unknown or a repeated card.

    >>> parse_cards("3c2cAc 7d")
    [9, 8, 7, 13]
    """
    letters = "".join(text.split())
    if len(letters) % 2:
        raise NotationError(f"the cards {text!r} have an odd number of letters: each card is a rank and a suit letter")
    cards = [parse_card(letters[i : i + 2]) for i in range(0, len(letters), 2)]
    for i, card in enumerate(cards):
        if card in cards[:i]:
            raise NotationError(f"the card {format_card(card)!r} stands twice in {text!r}: each card once")
    return cards


def format_cards(cards: Iterable[int]) -> str:
    """Return the texts of some cards one after the other, as given.

    >>> format_cards([9, 13])
    '3c7d'
    """
    return "".join(CARD_TEXTS[card] for card in cards)


def format_hand(cards: Iterable[int]) -> str:
    """Return a hand as text: grouped by suit, strongest first, a blank between suits.

    >>> format_hand([13, 7, 9, 8])
    '3c2cAc 7d'
    """
    by_suit: list[list[int]] = [[] for _ in SUITS]
    for card in sorted(cards, reverse=True):
        by_suit[card // NUM_RANKS].append(card)
    return " ".join(format_cards(group) for group in by_suit if group)


def to_bits(cards: Iterable[int]) -> int:
    """Return the bit set of some card ids.

    >>> bin(to_bits([0, 2]))
    '0b101'
    """
    bits = 0
    for card in cards:
        bits |= 1 << card
    return bits


def from_bits(bits: int) -> list[int]:
    """Return the card ids of a bit set, lowest first.

    >>> from_bits(0b101)
    [0, 2]
    """
    return list(iter_bits(int(bits)))


def iter_bits(bits: int) -> Iterator[int]:
    """Yield the card ids of a bit set, lowest first."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low
