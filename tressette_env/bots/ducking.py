"""Card play where points are to be avoided: who is forced to take a trick, and which cards are dangerous to keep."""

# mypy: allow-untyped-defs, allow-incomplete-defs

import numba as nb

from tressette_env.bots import weights as w
from tressette_env.bots.reading import HOLD, NOWHERE, SUIT, SURE, ally, note_holdings, room, unseen_cards
from tressette_env.bots.taking import choose_card, taking_row
from tressette_env.bots.weights import TAKING
from tressette_env.engine.bits import count, count_suit, lowest, sum_sixths
from tressette_env.engine.kernels import following_cards, led_suit, must_follow

_ACE = 7


@nb.njit(cache=True)
def takers(rules, words, on_table, card, free, willing):
    """Return how likely a card stays on top of the trick, and how likely a partner still to play takes it.

    A later seat beats the card when it holds higher ones and none lower, and with probability `willing` when it has
    the choice; where suit need not be followed (`free`) it always has the choice.
    """
    n = rules["num_seats"]
    suit = card // 10
    strength = card % 10
    total = room(words, 0) if (words[NOWHERE] >> (10 * suit)) & SUIT else 0
    for r in range(1, n):
        if (words[HOLD + r] >> (10 * suit)) & SUIT:
            total += room(words, r)
    stay = 1.0
    ours = 0.0
    for r in range(1, n - on_table):
        part = (words[HOLD + r] >> (10 * suit)) & SUIT
        above = count(part >> (strength + 1))
        if above == 0 or total == 0:
            continue
        miss = 1.0 - room(words, r) / total
        choice = 1.0 if free else 1.0 - miss ** count(part & ((1 << strength) - 1))
        beat = (1.0 - miss**above) * (1.0 - choice + willing * choice)
        ours += stay * beat * (ally(words, r) / SURE)
        stay *= 1.0 - beat
    return stay, ours


@nb.njit(cache=True)
def _relief(hand, unseen, suit, strength, own, weights):
    """Return what getting rid of a card is worth, in thirds."""
    rest = (unseen >> (10 * suit)) & SUIT
    mine = (hand >> (10 * suit)) & SUIT
    worth = weights[w.RID_4 + strength]
    above = count(rest >> (strength + 1))
    below = count(rest & ((1 << strength) - 1))
    if below:
        danger = below / (above + below)
        guards = min(2, count(mine & ((1 << strength) - 1)))
        worth += weights[w.DANGER_0 + guards] * danger
        if strength == _ACE:
            worth += weights[w.DANGER_ACE] * danger
        if own <= 4:
            worth += weights[w.DANGER_LATE] * danger
        if above == 0:
            worth += weights[w.DANGER_MASTER]
    length = count(mine)
    if length == 1:
        worth += weights[w.RID_LAST]
    elif length == 2:
        worth += weights[w.RID_SECOND]
    return worth


@nb.njit(cache=True)
def _exits(hand, unseen):
    """Return in how many suits the lowest card is below an unseen one, and in how many it is below them all."""
    some = 0
    sure = 0
    for suit in range(4):
        mine = (hand >> (10 * suit)) & SUIT
        rest = (unseen >> (10 * suit)) & SUIT
        if mine and rest > mine & -mine:
            some += 1
            if rest & ((mine & -mine) - 1) == 0:
                sure += 1
    return some, sure


@nb.njit(cache=True)
def low_score(view, rules, words, seat, hand, unseen, led, card, weights):
    """Return how good a card is to play, in thirds."""
    n = rules["num_seats"]
    on_table = view["num_played"] % n
    suit = card // 10
    strength = card % 10
    own = count(hand)
    best = view["best_card"]
    wins = led < 0 or (suit == best // 10 and card > best)
    free = not must_follow(view, rules)
    stay, ours = takers(rules, words, on_table, card if wins else best, free, weights[w.WILLING])
    mine = stay if wins else 0.0
    if not wins:
        ours += stay * (ally(words, (view["best_seat"] - seat) % n) / SURE)
    ours += mine
    points = 3.0 if strength == _ACE else (1.0 if strength >= 4 else 0.0)
    top = suit if led < 0 else led
    later = 0
    void = 0
    for r in range(1, n - on_table):
        if (words[HOLD + r] >> (10 * top)) & SUIT:
            later += 1
        elif ally(words, r) < SURE:
            void += 1
    table = 0.5 * sum_sixths(view["table"]) if on_table else 0.0
    score = (1.0 - ours) * weights[w.GIVE] * points
    score -= ours * (table + points + weights[w.LATER] * later + weights[w.LATER_VOID] * void)
    score += _relief(hand, unseen, suit, strength, own, weights)
    some, sure = _exits(hand & ~(1 << card), unseen)
    cost = weights[w.LOW_LEAD] + weights[w.LOW_EXIT] * some + weights[w.LOW_SURE_EXIT] * sure
    if own <= 4:
        cost += weights[w.LOW_LEAD_LATE]
    score -= mine * cost
    if led < 0:
        rest = count_suit(unseen, suit)
        score += weights[w.LOW_LENGTH] * count_suit(hand, suit) + weights[w.LOW_UNSEEN] * rest
        if rest == 0:
            score += weights[w.LOW_NOBODY]
    return score


@nb.njit(cache=True)
def losers(hand, unseen):
    """Return how many cards of the hand may lose a trick that they lead: those not at the top of their suit."""
    found = 0
    for suit in range(4):
        mine = (hand >> (10 * suit)) & SUIT
        rest = (unseen >> (10 * suit)) & SUIT
        tops = 0
        for strength in range(9, -1, -1):
            if (mine >> strength) & 1:
                tops += 1
            elif (rest >> strength) & 1:
                break
        if tops < count(rest):
            found += count(mine) - tops
    return found


@nb.njit(cache=True)
def takes_all(view, rules, seat, hand, unseen, weights):
    """Return whether to play for tricks: to take every point, or to break into the run of a side that took all."""
    if rules["cappotto"] < 3:
        return False
    ours = 0
    total = 0
    most = 0
    side = view["side_of"][seat]
    for other in range(rules["num_seats"]):
        total += view["captured"][other]
        if view["side_of"][other] == side:
            ours += view["captured"][other]
        else:
            theirs = 0
            for mate in range(rules["num_seats"]):
                if view["side_of"][mate] == view["side_of"][other]:
                    theirs += view["captured"][mate]
            most = max(most, theirs)
    if total - ours < 6:
        hope = weights[w.SHOOT] + weights[w.SHOOT_TAKEN] * 0.5 * ours - weights[w.SHOOT_LOSER] * losers(hand, unseen)
        if hope > 0:
            return True
    return total - most < 6 and 0.5 * most >= weights[w.BLOCK_AT]


@nb.njit(cache=True)
def ducking_row(view, rules):
    """Return which row of `weights.DUCKING` counts."""
    if rules["num_seats"] == 2:
        return w.LOW_TWO if must_follow(view, rules) else w.LOW_FREE
    return w.LOW_ALONE if rules["num_sides"] > 2 else w.LOW_PAIRS


@nb.njit(cache=True)
def choose_low_card(view, rules, words, cards, weights):
    """Return the best of the playable `cards` where points are to be avoided; overwrites the words after the plays."""
    cards = following_cards(view, rules, cards)
    if cards & (cards - 1) == 0:
        return lowest(cards)
    seat = view["to_act"]
    hand = view["hands"][seat]
    unseen = unseen_cards(view, rules, seat)
    if takes_all(view, rules, seat, hand, unseen, weights):
        return choose_card(view, rules, words, cards, TAKING[taking_row(view, rules)])
    note_holdings(view, rules, seat, unseen, words)
    led = led_suit(view, rules)
    choice = -1
    choice_score = 0.0
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        score = low_score(view, rules, words, seat, hand, unseen, led, card, weights)
        if choice < 0 or score > choice_score:
            choice, choice_score = card, score
    return choice
