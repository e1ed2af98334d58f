"""Card play where points are to be taken: who may win the trick, what a card is worth if kept, what partners told."""

# mypy: allow-untyped-defs, allow-incomplete-defs

import numba as nb

from tressette_env.bots import weights as w
from tressette_env.bots.reading import (
    HOLD,
    SUIT,
    SURE,
    ally,
    busso_asked,
    holder_pattern,
    holders,
    note_holdings,
    ruff_risk,
    table_odds,
    told_by,
    unseen_cards,
)
from tressette_env.engine.bits import count, count_suit, highest_of_suit, lowest, sum_sixths
from tressette_env.engine.kernels import led_suit

_ACE, _TWO, _THREE = 7, 8, 9  # strengths


# ---------------------------------------------------------------- the worth of a card
@nb.njit(cache=True)
def _keep_cost(hand, unseen, suit, strength, own, weights):
    """Return what the card would be worth if it stayed in the hand, in thirds."""
    above_unseen = ((unseen >> (10 * suit)) & SUIT) >> (strength + 1)
    mine = (hand >> (10 * suit)) & SUIT
    cost = weights[w.KEEP_4 + strength]
    if above_unseen == 0:
        cost += weights[w.MASTER] + weights[w.MASTER_EARLY] * own * 0.1
        if strength == _ACE:
            cost += weights[w.ACE_SAFE]
    elif above_unseen & (above_unseen - 1) == 0:
        cost += weights[w.SECOND]
    rest = mine & ~(1 << strength)
    if rest and rest & (rest - 1) == 0:
        if rest == 1 << _ACE and ((unseen >> (10 * suit)) & SUIT) >> _TWO:
            cost += weights[w.UNGUARD_ACE]
        elif rest == 1 << _TWO and ((unseen >> (10 * suit)) & SUIT) >> _THREE:
            cost += weights[w.UNGUARD_TWO]
    return cost


@nb.njit(cache=True)
def _lead_worth(hand, unseen, own, weights):
    """Return what having the next lead is worth to this hand, in thirds."""
    masters = 0
    for suit in range(4):
        part = (hand >> (10 * suit)) & SUIT
        if part > (unseen >> (10 * suit)) & SUIT:
            masters += 1
    return weights[w.LEAD] + weights[w.LEAD_MASTER] * masters + (weights[w.LEAD_LATE] if own <= 4 else 0.0)


@nb.njit(cache=True)
def _suit_story(rules, words, hand, unseen, suit, told, trump, weights):
    """Return how good a suit is to lead as far as the card led does not matter, in thirds; `told`: from `told_by`."""
    full = SUIT << (10 * suit)
    mine = (hand >> (10 * suit)) & SUIT
    rest = (unseen >> (10 * suit)) & SUIT
    story = weights[w.SUIT_LENGTH] * count_suit(hand, suit) + weights[w.SUIT_UNSEEN] * count_suit(unseen, suit)
    for strength in range(9, -1, -1):
        if (mine >> strength) & 1:
            story += weights[w.SUIT_WINNERS]
        elif (rest >> strength) & 1:
            break
    partners, partner_led, partner_busso, partner_long, opponent_led, opponent_busso = told
    if partner_led & full:
        story += weights[w.PARTNER_LED]
    if partner_busso & full:
        story += weights[w.PARTNER_BUSSO]
    if partner_long & full:
        story += weights[w.PARTNER_LONG]
    if opponent_led & full:
        story += weights[w.OPPONENT_LED]
    if opponent_busso & full:
        story += weights[w.OPPONENT_BUSSO]
    if rest == 0:
        return story
    for r in range(1, rules["num_seats"]):
        if words[HOLD + r] & full:
            continue
        if (partners >> r) & 1:
            story += weights[w.PARTNER_VOID] + (weights[w.PARTNER_VOID_MASTER] if mine > rest else 0.0)
        else:
            story += weights[w.OPPONENT_VOID if trump < 0 else w.TRUMP_VOID]
    return story


@nb.njit(cache=True)
def _from_honour(hand, unseen, suit, strength, weights):
    """Return the worth of leading below an ace, two or three of the same suit that is kept, in thirds."""
    mine = (hand >> (10 * suit)) & SUIT
    rest = (unseen >> (10 * suit)) & SUIT
    worth = 0.0
    if (rest >> _ACE) & 1 and rest >> (strength + 1) == 0:
        worth += weights[w.CATCH_ACE]
    if strength < _ACE:
        if (mine >> _ACE) & 1 and rest >> _TWO:
            worth += weights[w.FROM_ACE]
        if (mine >> _TWO) & 1 and rest >> _THREE:
            worth += weights[w.FROM_TWO]
        if (mine >> _THREE) & 1:
            worth += weights[w.FROM_THREE]
    return worth


# ---------------------------------------------------------------- choosing
@nb.njit(cache=True)
def taking_row(view, rules):
    """Return which row of `weights.TAKING` counts."""
    if rules["auction"]:
        return w.ONE_AGAINST_TWO if rules["num_seats"] == 3 else w.PAIRS
    if rules["stock"] and rules["num_seats"] == 2:
        if view["num_drawn"] == rules["stock"]:
            return w.STOCK_GONE
        return w.FREE if rules["follow"] == 1 else w.STOCK
    return w.ALONE if rules["num_sides"] > 2 else w.PAIRS


@nb.njit(cache=True)
def _thirds(strength):
    return 3.0 if strength == _ACE else (1.0 if strength >= 4 else 0.0)


@nb.njit(cache=True)
def choose_card(view, rules, words, cards, weights):
    """Return the best of the playable `cards`; overwrites the words after the plays."""
    if cards & (cards - 1) == 0:
        return lowest(cards)
    seat = view["to_act"]
    hand = view["hands"][seat]
    unseen = unseen_cards(view, rules, seat)
    note_holdings(view, rules, seat, unseen, words)
    own = count(hand)
    stake = weights[w.FUTURE] * (rules["num_seats"] - 1 - view["num_played"] % rules["num_seats"])
    odds = 0.0
    obey = -1
    told = (0, 0, 0, 0, 0, 0)
    led = led_suit(view, rules)
    if led < 0:
        told = told_by(view, rules, words, seat)
    else:
        stake += 0.5 * sum_sixths(view["table"])
        odds = table_odds(view, rules, words, seat, unseen)
        if busso_asked(view, rules, seat):
            obey = highest_of_suit(cards, led)
            if obey % 10 == _ACE and obey < view["best_card"] and odds <= 0.5:
                obey = -1  # no duty to give an ace away
    lead_worth = _lead_worth(hand, unseen, own, weights)
    choice = -1
    choice_score = 0.0
    for suit in range(4):
        if (cards >> (10 * suit)) & SUIT:
            card, score = _best_of_suit(
                view, rules, words, seat, hand, unseen, suit, own, stake, odds, lead_worth, obey, told, weights
            )
            if choice < 0 or score > choice_score:
                choice, choice_score = card, score
    return choice


@nb.njit(cache=True)
def _best_of_suit(view, rules, words, seat, hand, unseen, suit, own, stake, odds, lead_worth, obey, told, weights):
    """Return the best card of a playable suit and its score; `odds`: of winning the trick without taking it."""
    led = led_suit(view, rules)
    best = view["best_card"]
    trump = view["trump"]
    on_table = view["num_played"] % rules["num_seats"]
    if led < 0:
        bias = _suit_story(rules, words, hand, unseen, suit, told, trump, weights)
    else:
        bias = _discard_cost(view, rules, words, seat, hand, suit, weights) if suit != led else 0.0
    bias -= weights[w.TRUMP_KEPT] if suit == trump else 0.0
    risk = ruff_risk(view, rules, words, suit if led < 0 or suit != trump else led, unseen)
    theirs, ours, none = 0.0, 0.0, 1.0  # who takes the trick with an unseen card above the one looked at
    p_theirs, p_ours, known = 0.0, 0.0, -1
    left = (hand >> (10 * suit)) & SUIT
    choice = -1
    choice_score = 0.0
    for strength in range(9, -1, -1):
        if left == 0:
            break
        card = 10 * suit + strength
        if (unseen >> card) & 1:
            pattern = holder_pattern(rules, words, card)
            if pattern != known:
                p_theirs, p_ours = holders(rules, words, on_table, pattern)
                known = pattern
            theirs += none * p_theirs
            ours += none * p_ours
            none *= 1.0 - p_theirs - p_ours
        elif (left >> strength) & 1:
            left ^= 1 << strength
            score = bias - _keep_cost(hand, unseen, suit, strength, own, weights)
            chance = odds
            if led < 0 or (suit == best // 10 and card > best) or (suit == trump and best // 10 != trump):
                # A ruff is beaten by a higher ruff only.
                chance = (none + ours) * (1.0 - risk) if led < 0 or suit == led else 1.0 - 0.3 * theirs
                score += none * lead_worth + ours * weights[w.LEAD_PARTNER]
            score += (2.0 * chance - 1.0) * (stake + _thirds(strength))
            if led < 0:
                score += _from_honour(hand, unseen, suit, strength, weights)
                score += weights[w.TRUMP_LEAD] if suit == trump else 0.0
            if card == obey:
                score += weights[w.BUSSO]
            if choice < 0 or score > choice_score:
                choice, choice_score = card, score
    return choice, choice_score


@nb.njit(cache=True)
def _discard_cost(view, rules, words, seat, hand, suit, weights):
    """Return minus what a suit suffers when a card of it is thrown on another suit, in thirds."""
    length = count_suit(hand, suit)
    cost = weights[w.DISCARD_LENGTH] * length + (weights[w.DISCARD_VOID] if length == 1 else 0.0)
    n = rules["num_seats"]
    for r in range(1, n):
        if 2 * ally(words, r) > SURE and view["played"][(seat + r) % n] & view["led"] & (SUIT << (10 * suit)):
            cost += weights[w.DISCARD_PARTNER]
    return -cost
