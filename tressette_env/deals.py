"""Every deal of some rules by its number, and dealing card by card: what the chance nodes do."""

from collections.abc import Sequence
from functools import cached_property
from math import comb

from tressette_env.cards import CARD_TEXTS
from tressette_env.notation import Deal
from tressette_env.rules import Rules


def nth_combination(cards: Sequence[int], size: int, number: int) -> list[int]:
    """Return the number-th choice of so many cards, in the order of ``itertools.combinations``.

    >>> nth_combination([4, 5, 6, 7], 2, 3)
    [5, 6]
    """
    chosen: list[int] = []
    for place, card in enumerate(cards):
        with_card = comb(len(cards) - place - 1, size - len(chosen) - 1) if len(chosen) < size else 0
        if number < with_card:
            chosen.append(card)
        else:
            number -= with_card
    return chosen


class Dealing:
    """How the cards of some rules are dealt, as parts that are sets: hands, places of the stock, monte.

    A place of the stock is a part of one card, since the order of the stock matters; the order in a hand and in a
    monte does not. Where the declarer takes only some cards of the monte, these are a part of their own.

    >>> from tressette_env.presets import preset
    >>> dealing = Dealing(preset("mini_2p"), dealer=1)
    >>> dealing.count
    560
    >>> dealing.nth(0).monte
    (17, 19)
    """

    def __init__(self, rules: Rules, dealer: int) -> None:
        self.rules = rules
        self.dealer = dealer
        self.deck = tuple(sorted(rules.deck))
        taken = rules.exchange_cards
        monte = [size for size in (taken, rules.monte - taken) if size > 0]
        self.sizes = (*[rules.hand_size] * rules.num_seats, *[1] * rules.stock, *monte)
        self.needed = len(self.deck) - self.sizes[-1]  # the last part is what is left
        self.trump = rules.trump != "none"

    @cached_property
    def count(self) -> int:
        """In how many ways the deck can be dealt; all are equally likely."""
        left, ways = len(self.deck), self.rules.hand_size if self.trump else 1
        for size in self.sizes:
            ways *= comb(left, size)
            left -= size
        return ways

    @property
    def chance_nodes(self) -> int:
        """Chance nodes of an episode that is dealt card by card."""
        return self.needed + self.trump

    def nth(self, number: int) -> Deal:
        """Return a deal by its number, 0 to ``count`` - 1."""
        left, cards = list(self.deck), list[int]()
        for size in self.sizes:
            number, choice = divmod(number, comb(len(left), size))
            chosen = nth_combination(left, size, choice)
            cards += chosen
            left = [card for card in left if card not in chosen]
        return self.laid(cards, cards[self.dealer * self.rules.hand_size + number] if self.trump else -1)

    # ---- card by card: `dealt` holds the cards so far, and after them the trump card ----
    def next_cards(self, dealt: Sequence[int]) -> list[int]:
        """Return the cards that may come next, rising, each equally likely; none when the deal is complete.

        After the cards of the deck, where there is a trump, comes one of the dealer's cards that is exposed.
        """
        if len(dealt) < self.needed:
            return [card for card in self.deck if card not in dealt]
        if self.trump and len(dealt) == self.needed:
            return list(self.laid(self._completed(dealt), -1).hands[self.dealer])
        return []

    def place_text(self, dealt: Sequence[int], card: int) -> str:
        """Return where the next card goes, such as ``3c to seat 0``."""
        if len(dealt) >= self.needed:
            return f"trump {CARD_TEXTS[card]}"
        part, room = 0, self.sizes[0]
        while room <= len(dealt):
            part += 1
            room += self.sizes[part]
        seats = self.rules.num_seats
        if part < seats:
            return f"{CARD_TEXTS[card]} to seat {part}"
        return f"{CARD_TEXTS[card]} to the {'stock' if part < seats + self.rules.stock else 'monte'}"

    def completed(self, dealt: Sequence[int]) -> Deal:
        """Return the deal once ``next_cards`` are none."""
        return self.laid(self._completed(dealt), dealt[self.needed] if self.trump else -1)

    def _completed(self, dealt: Sequence[int]) -> list[int]:
        cards = list(dealt[: self.needed])
        return cards + [card for card in self.deck if card not in cards]

    def laid(self, cards: Sequence[int], trump_card: int) -> Deal:
        """Return the deal of all cards in the order of the parts."""
        parts, at = list[tuple[int, ...]](), 0
        for size in self.sizes:
            parts.append(tuple(sorted(cards[at : at + size])))
            at += size
        seats, behind = self.rules.num_seats, self.rules.num_seats + self.rules.stock
        stock = tuple(card for part in parts[seats:behind] for card in part)
        monte = tuple(card for part in parts[behind:] for card in part)
        return Deal(tuple(parts[:seats]), stock, monte, trump_card)
