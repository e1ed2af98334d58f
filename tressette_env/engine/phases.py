"""What comes before the first card, and declarations: annul, auction, call, exchange. Numba kernels, scalar.

A deal passes through annul, bid, call, give, discard and declare to play; a phase that the rules lack is empty.
"""

import numba as nb

from tressette_env.engine.bits import combination_cards, combination_points, combinations, sum_sixths
from tressette_env.engine.legal import FOURS, undeclared
from tressette_env.engine.scoring import pay
from tressette_env.engine.state import (
    ANNUL,
    BID,
    BY_MONTE,
    BY_PASSES,
    CALL,
    DECLARE,
    DISCARD,
    DONE,
    GIVE,
    NUM_COMBINATIONS,
    OVER,
    PLAY,
)

CHIAMO, SOLISSIMO = 1, 3  # bids as numbers: places in the auction's row
CALABRESELLA, CHIAMATA = 1, 2  # auctions


@nb.njit(cache=True)
def begin(state, rules):
    """Start the deal whose hands, dealer, trump card, totals and redeals are in the record; the rest is set here."""
    n = rules["num_seats"]
    for seat in range(n):
        state["dealt"][seat] = state["hands"][seat]
        state["side_of"][seat] = rules["side_of"][seat]
    state["leader"] = (state["dealer"] + 1) % n
    state["turn"] = state["leader"]
    state["best_card"] = -1
    state["best_seat"] = -1
    state["last_trick_seat"] = -1
    state["match_winner"] = -1
    state["trump"] = -1
    if state["trump_card"] >= 0:
        state["trump"] = state["trump_card"] // 10
        state["exposed"][state["dealer"]] |= 1 << int(state["trump_card"])
    _ask_annul(state, rules, 0)


@nb.njit(cache=True)
def _start_turn(state):
    state["phase"] = PLAY
    state["to_act"] = state["turn"]


@nb.njit(cache=True)
def _abandon(state, why):
    state["abandoned"] = why
    state["phase"] = OVER
    state["to_act"] = -1


@nb.njit(cache=True)
def _places_after_dealer(state, rules, seat):
    """Return how many seats were asked before and with `seat`, from the eldest."""
    return (seat - state["dealer"] - 1) % rules["num_seats"] + 1


# ---------------------------------------------------------------- annul
@nb.njit(cache=True)
def _ask_annul(state, rules, first):
    """Ask the next seat from the eldest (skipping `first` seats) that may call monte; else go on."""
    n = rules["num_seats"]
    if rules["annul"] == 1:
        for i in range(first, n):
            seat = (state["dealer"] + 1 + i) % n
            if sum_sixths(state["dealt"][seat]) < 6:
                state["phase"] = ANNUL
                state["to_act"] = seat
                return
    if rules["auction"]:
        state["phase"] = BID
        state["to_act"] = state["leader"]
    elif rules["declare"] == 1 and rules["declare_when"] == 0:
        ask_declarations(state, rules, 0)
    else:
        if rules["declare"] == 2:
            _declare_everything(state, rules)
        _start_turn(state)


@nb.njit(cache=True)
def answer_annul(state, rules, choice):
    """Take an answer of the seat to act: 0 calls monte, which abandons the deal, 1 plays on."""
    seat = state["to_act"]
    if choice == 0:
        _abandon(state, BY_MONTE)
        return
    state["played_on"] |= 1 << seat
    _ask_annul(state, rules, _places_after_dealer(state, rules, seat))


# ---------------------------------------------------------------- auction
@nb.njit(cache=True)
def make_bid(state, rules, choice):
    """Take a bid (0 pass, i the i-th) and ask the next seat; one round, cut short by the top bid."""
    seat = state["to_act"]
    state["bids"][seat] = 1 + choice
    if choice:
        state["bid"] = choice
        state["declarer"] = seat
    top = choice == rules["first_call"] - rules["first_bid"] - 1
    following = seat + 1 if seat + 1 < rules["num_seats"] else 0
    if following != state["leader"] and not top:
        state["to_act"] = following
    elif state["declarer"] < 0:
        _abandon(state, BY_PASSES)
    else:
        state["side_of"][state["declarer"]] = 0
        state["to_act"] = state["declarer"]
        if state["bid"] == CHIAMO:
            state["phase"] = CALL
        else:
            _exchange(state, rules)


@nb.njit(cache=True)
def call_card(state, rules, card):
    """Call a card: its holder is the secret partner (chiamata) or hands it over (calabresella), if anyone holds it.

    The call tells that the declarer holds every card of the ranks above, and not this one.
    """
    declarer = state["to_act"]
    bit = 1 << card
    state["called"] = card
    for strength in range(card % 10 + 1, 10):
        state["exposed"][declarer] |= rules["deck"] & (FOURS << strength)
    holder = -1
    for seat in range(rules["num_seats"]):
        if state["hands"][seat] & bit:
            holder = seat
    if rules["auction"] == CHIAMATA:
        state["denied"][declarer] |= bit
        if holder >= 0:
            state["partner"] = holder
            state["side_of"][holder] = 0
        _exchange(state, rules)
        return
    for seat in range(rules["num_seats"]):
        state["denied"][seat] |= bit
    if holder < 0:
        _exchange(state, rules)
        return
    state["called_from"] = holder
    state["hands"][holder] &= ~bit
    state["exposed"][holder] &= ~bit
    state["hands"][declarer] |= bit
    state["exposed"][declarer] |= bit
    state["denied"][declarer] &= ~bit
    state["phase"] = GIVE


@nb.njit(cache=True)
def give_card(state, rules, card):
    """Give a card for the called one, face up."""
    declarer = state["to_act"]
    bit = 1 << card
    state["given"] = card
    state["hands"][declarer] &= ~bit
    state["exposed"][declarer] &= ~bit
    for seat in range(rules["num_seats"]):
        state["denied"][seat] |= bit
    state["hands"][state["called_from"]] |= bit
    state["exposed"][state["called_from"]] |= bit
    state["denied"][state["called_from"]] &= ~bit
    _exchange(state, rules)


@nb.njit(cache=True)
def monte_shown(state, rules):
    """Return whether the monte was turned face up when the declarer took it: all four cards, after chiamo."""
    return rules["exchange_cards"] == 4 and state["bid"] == CHIAMO


@nb.njit(cache=True)
def _exchange(state, rules):
    """Let the declarer take its cards of the monte and ask for the discards; a solissimo leaves a monte of four."""
    declarer = state["declarer"]
    taken = rules["exchange_cards"]
    if taken == 0 or (taken == 4 and state["bid"] == SOLISSIMO):
        _start_turn(state)
        return
    cards = 0
    for i in range(taken):
        cards |= 1 << int(state["undealt"][rules["stock"] + i])
    state["hands"][declarer] |= cards
    if monte_shown(state, rules):
        for seat in range(rules["num_seats"]):
            state["denied"][seat] |= cards
        state["exposed"][declarer] |= cards
        state["denied"][declarer] &= ~cards
    else:
        state["denied"][declarer] = 0  # whatever is unseen may have come into this hand
    state["exchanged"] = taken
    state["discards_due"] = taken
    state["phase"] = DISCARD
    state["to_act"] = declarer


@nb.njit(cache=True)
def discard_card(state, rules, card):
    """Put a card of the declarer away, face down; after the last one the eldest leads."""
    declarer = state["to_act"]
    state["hands"][declarer] &= ~(1 << card)
    state["discards"][state["exchanged"] - state["discards_due"]] = card
    state["exposed"][declarer] = 0  # any card that was seen may be the one
    state["discards_due"] -= 1
    if state["discards_due"] == 0:
        _start_turn(state)


# ---------------------------------------------------------------- declarations
@nb.njit(cache=True)
def ask_declarations(state, rules, first):
    """Ask the next seat from the eldest that still holds an undeclared combination; else the leader plays."""
    n = rules["num_seats"]
    for i in range(first, n):
        seat = (state["dealer"] + 1 + i) % n
        if undeclared(state, seat):
            state["phase"] = DECLARE
            state["to_act"] = seat
            return
    _start_turn(state)


@nb.njit(cache=True)
def declare(state, rules, choice):
    """Take a declaration or `done` of the seat to act."""
    seat = state["to_act"]
    if choice == DONE:
        state["closed"] |= 1 << seat
    else:
        _declare(state, rules, seat, choice)
    if state["phase"] == DECLARE and (choice == DONE or undeclared(state, seat) == 0):
        ask_declarations(state, rules, _places_after_dealer(state, rules, seat))


@nb.njit(cache=True)
def _declare_everything(state, rules):
    """Declare all combinations of all seats: the automatic mode, once nobody can call monte any more."""
    for seat in range(rules["num_seats"]):
        held = combinations(state["dealt"][seat])
        for combination in range(NUM_COMBINATIONS):
            if (held >> combination) & 1:
                _declare(state, rules, seat, combination)


@nb.njit(cache=True)
def _declare(state, rules, seat, combination):
    """Record a declaration: its points, the cards it shows and the one it denies."""
    hand = state["dealt"][seat]
    place = 1
    for other in range(NUM_COMBINATIONS):
        if state["declared"][seat * NUM_COMBINATIONS + other]:
            place += 1
    state["declared"][seat * NUM_COMBINATIONS + combination] = place
    cards = combination_cards(hand, combination)
    state["exposed"][seat] |= cards
    if combination >= 4:
        state["denied"][seat] |= (FOURS << (combination + 3)) & ~cards
    sixths = 6 * combination_points(hand, combination)
    state["declared_sixths"][seat] += sixths
    if rules["reward_mode"] == 1 and rules["declare"] == 1:
        pay(state, state["side_of"][seat], sixths)
