"""The `heuristic` bot: a club player's rules as scored features, from the acting seat's view alone.

For each playable card it estimates from the cards not yet seen who will win the trick, then weighs the points at
stake, what the card is worth if kept (masters, guards of an ace, the last trick) and what the partner has told.
Everything is in thirds of a point. The kernels read what the seat knows and nothing else of a record, so a playout may
hand them a full record instead of a view.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

import numba as nb
import numpy as np

from tressette_env.bots import weights as w
from tressette_env.bots.bidding import auction_action
from tressette_env.bots.ducking import choose_low_card, ducking_row
from tressette_env.bots.reading import SUIT, unseen_cards
from tressette_env.bots.taking import choose_card, taking_row
from tressette_env.bots.weights import DUCKING, TAKING
from tressette_env.engine.batch import nth_legal
from tressette_env.engine.bits import count_suit, lowest
from tressette_env.engine.kernels import LEGAL_ANNUL, LEGAL_DECLARATIONS, NUM_WORDS, legal, truthful_cards
from tressette_env.engine.state import DONE
from tressette_env.rules import BUSSO, VOLO

_ACE, _TWO, _THREE = 7, 8, 9  # strengths


@nb.njit(cache=True)
def choose_signal(view, rules, words, card, weights):
    """Return 0 for silence or the place + 1 of the signal to give with a card: true ones only, in every mode."""
    seat = view["to_act"]
    hand = view["hands"][seat]
    suit = card // 10
    chosen = 0
    for k in range(rules["num_signals"]):
        if not (words[1 + k] >> card) & 1:
            continue
        kind = rules["signal_kind"][k]
        if rules["signal_mode"] == 2 and not (truthful_cards(hand, 1 << card, kind, rules) >> card) & 1:
            continue
        if kind == BUSSO:
            if _wants_help(view, rules, seat, hand, card, weights):
                return 1 + k
        elif kind == VOLO or chosen == 0 or count_suit(hand, suit) > 1:
            chosen = 1 + k
    return chosen


@nb.njit(cache=True)
def _wants_help(view, rules, seat, hand, card, weights):
    """Return whether a low lead from honours asks for the partner's highest card."""
    suit = card // 10
    rest = (hand >> (10 * suit)) & SUIT & ~(1 << (card % 10))
    out = unseen_cards(view, rules, seat)
    higher = ((out >> (10 * suit)) & SUIT) >> (card % 10 + 1)
    wish = weights[w.ASK_ACE] * ((rest >> _ACE) & 1) + weights[w.ASK_TWO] * ((rest >> _TWO) & 1)
    return higher != 0 and wish + weights[w.ASK_THREE] * ((rest >> _THREE) & 1) > weights[w.ASK_LEAST]


# ---------------------------------------------------------------- actions
@nb.njit(cache=True)
def weights_of(rules):
    """Return the table of weights that counts under some rules, float64 (kinds of play, weights)."""
    return DUCKING if rules["objective"] else TAKING


@nb.njit(cache=True)
def heuristic_action(view, rules, words, key):
    """Return the action of the seat to act. `words`: int64 (NUM_WORDS,) scratch; `key` is unused: it never draws."""
    return decide(view, rules, words, weights_of(rules), 1)


@nb.njit(cache=True)
def decide(view, rules, words, table, signals):
    """Return the action of the seat to act under a given table of weights, silent when `signals` is 0."""
    legal(view, rules, words)
    combinations = words[LEGAL_DECLARATIONS]
    if combinations & ~(1 << DONE):
        return rules["first_declaration"] + lowest(combinations)
    if words[0] == 0:
        if words[LEGAL_ANNUL]:
            # Only hands below one point are asked. Played out by four of these bots they lose 4.3, 2.9 and 1.0 points
            # a deal with none, one and two twos or threes in them: a new deal is always better.
            return rules["first_annul"]
        if rules["auction"]:
            return auction_action(view, rules, words)
        return nth_legal(words, rules, 0)
    if rules["objective"]:
        weights = table[ducking_row(view, rules)]
        card = choose_low_card(view, rules, words, words[0], weights)
    else:
        weights = table[taking_row(view, rules)]
        card = choose_card(view, rules, words, words[0], weights)
    if signals and rules["num_signals"]:
        return 40 * choose_signal(view, rules, words, card, TAKING[taking_row(view, rules)]) + card
    return card


@nb.njit(cache=True)
def heuristic_rows(views, table, keys, signals, out):
    """Write the club player's action for every row, int64 (B,)."""
    words = np.empty(NUM_WORDS, np.int64)
    for i in range(views.shape[0]):
        out[i] = decide(views[i], table[0], words, weights_of(table[0]), signals)
