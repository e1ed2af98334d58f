"""The `simple` bot: a beginner who knows the order of the cards and little else. A frozen yardstick: do not improve it.

Leads its longest suit (a master if it holds one, else its lowest card), wins as cheaply as it can when the trick is
worth something, gives the dearest card to a trick its partner is winning, else throws the cheapest. Never signals.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

import numba as nb
import numpy as np

from tressette_env.engine.batch import nth_legal
from tressette_env.engine.bits import card_sixths, count_suit, highest_of_suit, sum_sixths
from tressette_env.engine.kernels import LEGAL_ANNUL, LEGAL_DECLARATIONS, NUM_WORDS, following_cards, legal
from tressette_env.engine.state import DONE


@nb.njit(cache=True)
def _lead(hand, unplayed):
    """Return a master of the longest suit that has one, else the lowest card of the longest suit."""
    best = -1
    best_score = -1
    for suit in range(4):
        length = count_suit(hand, suit)
        if length == 0:
            continue
        top = highest_of_suit(hand, suit)
        master = top == highest_of_suit(unplayed, suit)
        score = length + (100 if master else 0)
        if score > best_score:
            best_score = score
            part = hand & (1023 << (10 * suit))
            best = top if master else 10 * suit + _index(part & -part) % 10
    return best


@nb.njit(cache=True)
def _index(bit):
    card = 0
    while bit > 1:
        bit >>= 1
        card += 1
    return card


@nb.njit(cache=True)
def _follow(view, rules, cards):
    seat = view["to_act"]
    best = view["best_card"]
    last = view["num_played"] % rules["num_seats"] == rules["num_seats"] - 1
    ours = view["side_of"][view["best_seat"]] == view["side_of"][seat]
    worth = sum_sixths(view["table"]) >= 4
    choice = -1
    choice_score = 0
    for card in range(40):
        if not (cards >> card) & 1:
            continue
        wins = (card // 10 == best // 10 and card > best) or (
            card // 10 == view["trump"] and best // 10 != view["trump"]
        )
        points = card_sixths(card)
        strength = card % 10
        if ours:
            score = 10 * points - strength if last or best % 10 >= 8 else -10 * points - strength
        elif wins:
            score = (300 if worth or last else 100) - strength + (10 * points if last else 0)
        else:
            score = 200 - 10 * points - strength
        if choice < 0 or score > choice_score:
            choice, choice_score = card, score
    return choice


@nb.njit(cache=True)
def simple_action(view, rules, words):
    """Return the beginner's action for the seat to act."""
    legal(view, rules, words)
    combinations = words[LEGAL_DECLARATIONS] & ~(1 << DONE)
    if combinations:
        return rules["first_declaration"] + _index(combinations & -combinations)
    if words[0] == 0:
        return nth_legal(words, rules, 1 if words[LEGAL_ANNUL] else 0)
    if view["best_card"] < 0:
        played = 0
        for seat in range(rules["num_seats"]):
            played |= view["played"][seat]
        return _lead(words[0], rules["deck"] & ~played)
    return _follow(view, rules, following_cards(view, rules, words[0]))


@nb.njit(cache=True)
def simple_rows(views, table, keys, option, out):
    """Write the beginner's action for every row, int64 (B,)."""
    words = np.empty(NUM_WORDS, np.int64)
    for i in range(views.shape[0]):
        out[i] = simple_action(views[i], table[0], words)
