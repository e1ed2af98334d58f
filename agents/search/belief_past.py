"""From the cards assumed in every place to a whole record: what was dealt, drawn, taken and put away, and if it fits.

Numba kernels. A world is thrown away here for what binds several cards at once. Where hidden events (draws, an
exchange) could have brought the same cards about in several ways, one is drawn; worlds are kept in proportion to how
many ways they have, so that deals stay equally likely.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

import numba as nb
import numpy as np

from tressette_env.cards import NUM_CARDS
from tressette_env.engine.bits import combinations, count, count_suit, index_of_lowest
from tressette_env.engine.dealing import draw
from tressette_env.engine.kernels import truthful_cards
from tressette_env.engine.legal import FOURS
from tressette_env.engine.phases import CHIAMATA
from tressette_env.engine.state import MAX_EXCHANGE, NUM_COMBINATIONS

AUTOMATIC = 2  # rules["declare"]
TRUTHFUL = 1  # rules["signal_mode"]
MAX_ROUNDS = 20  # of draws: a stock of 38 between two
_PILE_STREAM, _DRAW_STREAM, _TAKE_STREAM = 100, 200, 300  # counters of the key


@nb.njit(cache=True)
def complete(view, rules, places, key, out):
    """Fill in the record `out`, a copy of the view, with the cards in every place; return whether it all fits.

    places: bit sets int64 (MAX_SEATS,), place 0 the cards in no hand, place r the r-th seat to the right.
    """
    n = rules["num_seats"]
    seat = view["to_act"]
    for r in range(1, n):
        other = (seat + r) % n
        out["hands"][other] = places[r]
        out["dealt"][other] = places[r] | view["played"][other]
    _lay_pile(view, rules, places[0], key, out)
    if rules["stock"] and not _undo_draws(view, rules, key, out):
        return False
    if view["declarer"] >= 0 and not (_undo_exchange(view, rules, key, out) and _deal_allows_call(view, rules, out)):
        return False
    if view["called"] >= 0 and rules["auction"] == CHIAMATA and not _find_partner(view, rules, out):
        return False
    if rules["declare"] == AUTOMATIC and not _declared_all(view, rules, out):
        return False
    return rules["signal_mode"] != TRUTHFUL or _signals_true(view, rules, out)


@nb.njit(cache=True)
def _lay_pile(view, rules, cards, key, out):
    """Put the cards in no hand, in random order, where the view shows none: discards, stock not drawn, monte."""
    counter = _PILE_STREAM
    if view["declarer"] != view["to_act"]:
        for i in range(view["exchanged"] - view["discards_due"]):
            card = _random_card(cards, key, counter)
            out["discards"][i] = card
            cards ^= 1 << card
            counter += 1
    for i in range(view["num_drawn"], rules["stock"] + rules["monte"]):
        taken = i >= rules["stock"] and i - rules["stock"] < view["exchanged"]
        if not taken and cards:
            card = _random_card(cards, key, counter)
            out["undealt"][i] = card
            cards ^= 1 << card
            counter += 1


@nb.njit(cache=True)
def _random_card(cards, key, counter):
    """Return a random card id of a set that is not empty."""
    for _ in range(draw(key, counter, count(cards))):
        cards &= cards - 1
    return index_of_lowest(cards)


@nb.njit(cache=True)
def _owner(view, rules, card):
    """Return the seat that played a card, -1 where nobody did."""
    for seat in range(rules["num_seats"]):
        if (view["played"][seat] >> card) & 1:
            return seat
    return -1


# ---------------------------------------------------------------- the stock
@nb.njit(cache=True)
def _undo_draws(view, rules, key, out):
    """Give every hidden draw of the others a card that could be it, and note what was dealt; False where voids forbid.

    Backwards, a hidden draw is any of the cards then in the hand: the same number for every assignment.
    """
    n = rules["num_seats"]
    rounds = view["num_drawn"] // n
    if rounds == 0:
        return True
    acquired = np.zeros(NUM_CARDS, np.int64)  # tricks played before the card came into its hand
    for r in range(1, n):
        seat = (view["to_act"] + r) % n
        held = out["hands"][seat]
        place = view["num_played"] - 1
        for j in range(rounds - 1, -1, -1):
            while place >= n * (j + 1):  # take back what was played after the draw
                card = int(view["order"][place])
                if (view["played"][seat] >> card) & 1:
                    held |= 1 << card
                place -= 1
            leader = view["leader"]
            if n * (j + 1) < view["num_played"]:
                leader = _owner(view, rules, int(view["order"][n * (j + 1)]))
            at = n * j + (seat - leader) % n
            card = int(view["undealt"][at])
            if card < 0:
                card = _random_card(held, key, _DRAW_STREAM + MAX_ROUNDS * r + j)
                out["undealt"][at] = card
            held &= ~(1 << card)
            out["dealt"][seat] &= ~(1 << card)
            acquired[card] = j + 1
        if rules["follow"] == 0 and not rules["draw_shown"] and not _voids_hold(view, rules, seat, acquired, out):
            return False
    return True


@nb.njit(cache=True)
def _held_before(view, rules, seat, place, acquired, out):
    """Return the hand from which a seat played the card at a place of the order."""
    held = out["hands"][seat]
    for later in range(place, view["num_played"]):
        held |= (1 << int(view["order"][later])) & view["played"][seat]
    trick = place // rules["num_seats"]
    left = held
    while left:
        bit = left & -left
        left ^= bit
        if acquired[index_of_lowest(bit)] > trick:
            held ^= bit
    return held


@nb.njit(cache=True)
def _voids_hold(view, rules, seat, acquired, out):
    """Return whether a seat that did not follow held no card of the led suit then."""
    n = rules["num_seats"]
    for place in range(view["num_played"]):
        card = int(view["order"][place])
        led = int(view["order"][place - place % n]) // 10
        discards = (view["played"][seat] >> card) & 1 and card // 10 != led
        if discards and count_suit(_held_before(view, rules, seat, place, acquired, out), led):
            return False
    return True


# ---------------------------------------------------------------- the auction
@nb.njit(cache=True)
def _undo_exchange(view, rules, key, out):
    """Take back the call, the gift and the exchange from what was dealt; False where they could not have been."""
    seat = view["to_act"]
    declarer = view["declarer"]
    called = 1 << int(view["called"]) if view["called"] >= 0 else 0
    given = 1 << int(view["given"]) if view["given"] >= 0 else 0
    giver = view["called_from"]
    if giver >= 0 and giver != seat:
        out["dealt"][giver] = (out["dealt"][giver] & ~given) | called
    if declarer == seat:
        return True
    if view["exchanged"]:
        for i in range(view["exchanged"]):
            out["dealt"][declarer] |= 1 << int(out["discards"][i])
        if not _undo_taking(view, rules, called if giver < 0 else 0, key, out):
            return False
    if giver >= 0:
        out["dealt"][declarer] = (out["dealt"][declarer] & ~called) | given
    return True


@nb.njit(cache=True)
def _deal_allows_call(view, rules, out):
    """Return whether the deal is one, every card in one place, over which the call was allowed."""
    cards = np.int64(0)
    called = view["called"]
    for seat in range(rules["num_seats"]):
        cards |= out["dealt"][seat]
        if count(out["dealt"][seat]) != rules["hand_size"]:
            return False
        if called >= 0 and (out["dealt"][seat] >> int(called)) & 1:
            if rules["auction"] != CHIAMATA and seat != view["called_from"]:
                return False
            if seat == view["declarer"]:
                return False
    for i in range(rules["stock"] + rules["monte"]):
        cards |= 1 << int(out["undealt"][i])
    above = _ranks_above(view, rules)
    return cards == rules["deck"] and out["dealt"][view["declarer"]] & above == above


@nb.njit(cache=True)
def _ranks_above(view, rules):
    """Return the cards that a call tells that the declarer holds: the ranks above the called one."""
    cards = np.int64(0)
    if view["called"] >= 0:
        for strength in range(view["called"] % 10 + 1, 10):
            cards |= rules["deck"] & (FOURS << strength)
    return cards


@nb.njit(cache=True)
def _undo_taking(view, rules, called_in_monte, key, out):
    """Choose which of the declarer's cards came out of the monte. `called_in_monte`: the called card, if nobody had it.

    Unseen, they are any that it did not hold before; the called one, where it has it, is one of them.
    """
    declarer = view["declarer"]
    first = rules["stock"]
    taken = view["exchanged"]
    before = _ranks_above(view, rules)
    for i in range(taken, rules["monte"]):
        if (before >> int(out["undealt"][first + i])) & 1:
            return False
    mine = out["dealt"][declarer]
    if view["undealt"][first] >= 0:  # face up
        for i in range(taken):
            mine &= ~(1 << int(view["undealt"][first + i]))
        out["dealt"][declarer] = mine
        return True
    if view["called_from"] >= 0:
        before |= 1 << int(view["called"])
    cards = np.empty(MAX_EXCHANGE, np.int64)
    chosen = 0
    free = mine & ~before & ~called_in_monte
    if mine & called_in_monte:
        # as many ways as there are to take the others, against those to take any
        if draw(key, _TAKE_STREAM, count(free) + 1) >= taken:
            return False
        cards[0] = index_of_lowest(called_in_monte)
        chosen = 1
    if count(free) < taken - chosen:
        return False
    while chosen < taken:
        cards[chosen] = _random_card(free, key, _TAKE_STREAM + 1 + chosen)
        free ^= 1 << cards[chosen]
        chosen += 1
    for i in range(taken):
        j = i + draw(key, _TAKE_STREAM + 10 + i, taken - i)
        cards[i], cards[j] = cards[j], cards[i]
        out["undealt"][first + i] = cards[i]
        mine &= ~(1 << cards[i])
    out["dealt"][declarer] = mine
    return True


@nb.njit(cache=True)
def _find_partner(view, rules, out):
    """Make whoever was dealt the called card the declarer's partner; False where the play has told otherwise."""
    if view["partner"] >= 0 or (view["dealt"][view["to_act"]] >> int(view["called"])) & 1:
        return True
    played = _owner(view, rules, int(view["called"])) >= 0
    for r in range(1, rules["num_seats"]):
        other = (view["to_act"] + r) % rules["num_seats"]
        if (out["dealt"][other] >> int(view["called"])) & 1:
            if played:
                return False
            out["partner"] = other
            out["side_of"][other] = 0
    return True


# ---------------------------------------------------------------- what was told
@nb.njit(cache=True)
def _declared_all(view, rules, out):
    """Return whether the others were dealt just the combinations that were declared for them."""
    for r in range(1, rules["num_seats"]):
        other = (view["to_act"] + r) % rules["num_seats"]
        declared = 0
        for combination in range(NUM_COMBINATIONS):
            if view["declared"][other * NUM_COMBINATIONS + combination]:
                declared |= 1 << combination
        if combinations(out["dealt"][other]) != declared:
            return False
    return True


@nb.njit(cache=True)
def _signals_true(view, rules, out):
    """Return whether the signals of the others were true of the hands that they were given from."""
    n = rules["num_seats"]
    acquired = np.zeros(NUM_CARDS, np.int64)
    others = 0
    for r in range(1, n):
        others |= view["played"][(view["to_act"] + r) % n]
    for k in range(rules["num_signals"]):
        left = view["signalled"][k] & others
        if left and rules["stock"]:
            _note_draws(view, rules, acquired, out)
        while left:
            bit = left & -left
            left ^= bit
            place = 0
            while view["order"][place] != index_of_lowest(bit):
                place += 1
            seat = _owner(view, rules, index_of_lowest(bit))
            hand = _held_before(view, rules, seat, place, acquired, out)
            if not truthful_cards(hand, bit, rules["signal_kind"][k], rules):
                return False
    return True


@nb.njit(cache=True)
def _note_draws(view, rules, acquired, out):
    """Note after how many tricks each card drawn so far came into its hand."""
    for i in range(view["num_drawn"]):
        acquired[int(out["undealt"][i])] = i // rules["num_seats"] + 1
