"""Auctions: what to bid, which card to call, what to give back and what to discard."""

# mypy: allow-untyped-defs, allow-incomplete-defs

import numba as nb
import numpy as np

from tressette_env.bots.reading import SUIT
from tressette_env.bots.weights import BID_WEIGHTS, EXCHANGE_WEIGHTS, NUM_FEATURES
from tressette_env.engine.bits import card_sixths, count, count_suit, lowest
from tressette_env.engine.kernels import LEGAL_BIDS, LEGAL_CALL, LEGAL_DISCARD, LEGAL_GIVE, declarer_payoff
from tressette_env.engine.phases import CHIAMATA, CHIAMO

_ACE, _TWO, _THREE = 7, 8, 9  # strengths


@nb.njit(cache=True)
def tops(part, rest):
    """Return how many cards of a suit `part` stand above every card of `rest` (ten-bit sets)."""
    found = 0
    for strength in range(9, -1, -1):
        if (part >> strength) & 1:
            found += 1
        elif (rest >> strength) & 1:
            break
    return found


@nb.njit(cache=True)
def hand_features(hand, deck, out):
    """Fill the features of a hand that bids are weighed by, float64 (NUM_FEATURES,): see `weights.BID_FEATURES`."""
    for i in range(NUM_FEATURES):
        out[i] = 0.0
    out[0] = 1.0
    longest = 0
    for suit in range(4):
        part = (hand >> (10 * suit)) & SUIT
        rest = (deck & ~hand) >> (10 * suit) & SUIT
        three, two, ace = (part >> _THREE) & 1, (part >> _TWO) & 1, (part >> _ACE) & 1
        length = count_suit(hand, suit)
        run = tops(part, rest)
        longest = max(longest, length)
        out[1] += three
        out[2] += two
        out[3] += ace
        out[4] += three & two
        out[5] += three & two & ace
        out[6] += two & ace & (1 - three)
        out[7] += run
        out[8] += three * max(0, length - 3)
        out[9] += three * two * max(0, length - 3)
        out[10] += ace * (1 - two) * (1 - three) * (length == 1)
        out[11] += count((part >> 4) & 7)
        out[12] += length == 0
    out[13] = longest


@nb.njit(cache=True)
def _kind(rules):
    """Return which row of the bidding weights counts: cards exchanged none, two, four; chiamata."""
    return 3 if rules["auction"] == CHIAMATA else rules["exchange_cards"] // 2


@nb.njit(cache=True)
def choose_bid(view, rules, words):
    """Return the index of the legal bid with the highest expected payoff, 0 (pass) where none is above 0."""
    features = np.empty(NUM_FEATURES)
    hand_features(view["hands"][view["to_act"]], rules["deck"], features)
    choice = 0
    best = 0.0
    for bid in range(1, rules["first_call"] - rules["first_bid"]):
        if not (words[LEGAL_BIDS] >> bid) & 1:
            continue
        logit = 0.0
        for i in range(NUM_FEATURES):
            logit += BID_WEIGHTS[_kind(rules), bid - 1, i] * features[i]
        helped = rules["auction"] == CHIAMATA and bid == CHIAMO
        expected = declarer_payoff(rules, bid, helped) * np.tanh(0.5 * logit)
        if expected > best:
            choice, best = bid, expected
    return choice


@nb.njit(cache=True)
def choose_call(view, words, weights):
    """Return the card to call: of the suit in which it makes most of the own cards good."""
    hand = view["hands"][view["to_act"]]
    choice = -1
    best = 0.0
    cards = words[LEGAL_CALL]
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        suit = card // 10
        part = (hand >> (10 * suit)) & SUIT
        score = weights[0] * count(part) + weights[1] * ((part >> _TWO) & 1) + weights[2] * ((part >> _ACE) & 1)
        if choice < 0 or score > best:
            choice, best = card, score
    return choice


@nb.njit(cache=True)
def keep_worth(hand, deck, card, weights):
    """Return how much the declarer wants to keep a card of its hand."""
    suit = card // 10
    strength = card % 10
    part = (hand >> (10 * suit)) & SUIT
    rest = (deck & ~hand) >> (10 * suit) & SUIT
    run = tops(part, rest)
    above = count(part >> (strength + 1))
    worth = weights[3] * min(run, 3) + weights[4] * count(part) * (run > 0) + weights[5] * count(part) + 0.1 * strength
    if above < run:
        worth += weights[6]  # a sure trick
    elif strength == _ACE:
        worth += weights[7] if part >> _TWO else weights[8]  # guarded, bare
    elif strength > _ACE:
        worth += weights[9]
    else:
        worth += weights[10] * card_sixths(card)
    return worth


@nb.njit(cache=True)
def choose_spare(view, rules, words, word, weights):
    """Return the card to give back or to discard: the one the declarer wants least; a gift is no points if possible."""
    hand = view["hands"][view["to_act"]]
    choice = -1
    least = 0.0
    cards = words[word]
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        worth = keep_worth(hand, rules["deck"], card, weights)
        if word == LEGAL_GIVE:
            worth += weights[11] * card_sixths(card)
        if choice < 0 or worth < least:
            choice, least = card, worth
    return choice


@nb.njit(cache=True)
def auction_action(view, rules, words):
    """Return the action of a seat that bids, calls, gives or discards."""
    if words[LEGAL_BIDS]:
        return rules["first_bid"] + choose_bid(view, rules, words)
    return exchange_action(view, rules, words, EXCHANGE_WEIGHTS[_kind(rules)])


@nb.njit(cache=True)
def exchange_action(view, rules, words, weights):
    """Return the action of a declarer that calls, gives or discards."""
    if words[LEGAL_CALL]:
        return rules["first_call"] + choose_call(view, words, weights)
    if words[LEGAL_GIVE]:
        return rules["first_give"] + choose_spare(view, rules, words, LEGAL_GIVE, weights)
    return rules["first_discard"] + choose_spare(view, rules, words, LEGAL_DISCARD, weights)
