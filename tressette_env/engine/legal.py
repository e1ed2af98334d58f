"""What the seat to act may do: bit sets of legal actions, one per block of action ids. Numba kernels, scalar."""

import numba as nb

from tressette_env.cards import HONOURS
from tressette_env.engine.bits import combinations, count_suit
from tressette_env.engine.state import ANNUL, BID, CALL, DECLARE, DISCARD, DONE, GIVE, NUM_COMBINATIONS, PLAY
from tressette_env.rules import BUSSO, STRISCIO, STRISCIO_CORTO, VOLO

# Rows of the `words` array that `legal` fills: six rows of plays (silent, then each signal), then one per other block.
LEGAL_DECLARATIONS, LEGAL_ANNUL, LEGAL_BIDS, LEGAL_CALL, LEGAL_GIVE, LEGAL_DISCARD = range(6, 12)
NUM_WORDS = 12
SUIT = 1023
FOURS = 1 | 1 << 10 | 1 << 20 | 1 << 30  # one rank, all suits: the 4s; shifted, any other rank


@nb.njit(cache=True)
def undeclared(state, seat):
    """Return the combinations of the seat's hand as dealt that it has not declared, as a bit set."""
    left = combinations(state["dealt"][seat])
    for combination in range(NUM_COMBINATIONS):
        if state["declared"][seat * NUM_COMBINATIONS + combination]:
            left &= ~(1 << combination)
    return left


@nb.njit(cache=True, forceinline=True)
def legal(state, rules, words):
    """Fill `words`, int64 (NUM_WORDS,), with the legal actions of the seat to act: one bit set per block of actions."""
    for i in range(NUM_WORDS):
        words[i] = 0
    phase = state["phase"]
    if phase == PLAY:
        _legal_plays(state, rules, words)
    elif phase == DECLARE:
        words[LEGAL_DECLARATIONS] = undeclared(state, state["to_act"]) | (1 << DONE)
    elif phase == ANNUL:
        words[LEGAL_ANNUL] = 3
    elif phase == BID:
        words[LEGAL_BIDS] = bids_open(state, rules)
    elif phase == CALL:
        words[LEGAL_CALL] = callable_cards(state, rules)
    elif phase == GIVE:
        words[LEGAL_GIVE] = givable_cards(state)
    elif phase == DISCARD:
        words[LEGAL_DISCARD] = state["hands"][state["to_act"]]


@nb.njit(cache=True)
def bids_open(state, rules):
    """Return the bids that the seat to act may make, as a bit set: pass, then those above the highest so far."""
    every = (1 << (rules["first_call"] - rules["first_bid"])) - 1
    return (every & ~((1 << (state["bid"] + 1)) - 1)) | 1


@nb.njit(cache=True)
def callable_cards(state, rules):
    """Return the cards that the declarer may call: of the highest rank of which its hand lacks one, those it lacks."""
    missing = rules["deck"] & ~state["hands"][state["to_act"]]
    for strength in range(9, -1, -1):
        cards = missing & (FOURS << strength)
        if cards:
            return cards
    return 0


@nb.njit(cache=True)
def givable_cards(state):
    """Return the cards that the declarer may give back: any but the one that it called."""
    return state["hands"][state["to_act"]] & ~(1 << int(state["called"]))


@nb.njit(cache=True)
def playable_cards(state, rules):
    """Return the cards that the seat to act may put down, as a bit set."""
    hand = state["hands"][state["to_act"]]
    return hand if rules["revoke"] else following_cards(state, rules, hand)


@nb.njit(cache=True)
def following_cards(state, rules, cards):
    """Return those of some cards of the seat to act that follow the led suit, or all where none does or none must."""
    if state["best_card"] >= 0 and must_follow(state, rules):
        suited = cards & (SUIT << (10 * led_suit(state, rules)))
        if suited:
            return suited
    return cards


@nb.njit(cache=True)
def must_follow(state, rules):
    """Return whether the led suit has to be followed now: not while a stock is left, where the rules say so."""
    return rules["follow"] == 0 or state["num_drawn"] == rules["stock"]


@nb.njit(cache=True)
def led_suit(state, rules):
    """Return the suit led to the trick under way, or -1 before the lead."""
    on_table = cards_on_table(state, rules)
    return int(state["order"][state["num_played"] - on_table]) // 10 if on_table else -1


@nb.njit(cache=True)
def cards_on_table(state, rules):
    """Return how many cards lie in the trick under way, from the seats: no division, it is called often."""
    on_table = int(state["turn"]) - int(state["leader"])
    return on_table if on_table >= 0 else on_table + rules["num_seats"]


@nb.njit(cache=True, forceinline=True)
def _legal_plays(state, rules, words):
    seat = state["to_act"]
    cards = playable_cards(state, rules)
    words[0] = cards
    if _may_declare_now(state, rules):
        words[LEGAL_DECLARATIONS] = undeclared(state, seat)
    if rules["num_signals"] == 0 or (state["best_card"] >= 0 and rules["signal_seat"] == 0):
        return
    for k in range(rules["num_signals"]):
        words[1 + k] = signal_cards(state, rules, k, cards)


@nb.njit(cache=True)
def _may_declare_now(state, rules):
    """Return whether the seat to act may declare beside its plays: before its own first card."""
    own_turn = rules["declare"] == 1 and rules["declare_when"] == 1 and state["phase"] == PLAY
    return own_turn and state["played"][state["to_act"]] == 0


@nb.njit(cache=True)
def signal_cards(state, rules, k, cards):
    """Return those of some playable cards that the seat to act may play with the k-th signal of the rules."""
    seat = state["to_act"]
    hand = state["hands"][seat]
    leads = state["best_card"] < 0
    kind = rules["signal_kind"][k]
    if not leads and (rules["signal_seat"] == 0 or kind == BUSSO):
        return 0
    if not (rules["signal_sides"] >> state["side_of"][seat]) & 1 or hand & (hand - 1) == 0:  # C15: not on the last card
        return 0
    return cards if rules["signal_mode"] == 2 else truthful_cards(hand, cards, kind, rules)


@nb.njit(cache=True)
def truthful_cards(hand, cards, kind, rules):
    """Return those of the playable cards on which a signal of this kind would be true."""
    found = 0
    for suit in range(4):
        own = (hand >> (10 * suit)) & SUIT
        suited = (cards >> (10 * suit)) & SUIT
        if suited == 0:
            continue
        rest = count_suit(hand, suit) - 1
        if kind == BUSSO:
            good = rest >= rules["busso_min_rest"]
        elif kind == VOLO:
            good = rest == 0
        elif kind == STRISCIO:
            good = rest >= rules["striscio_min_rest"]
            honours = own & HONOURS
            if good and rules["striscio_no_honours"] and honours:
                suited &= honours if honours & (honours - 1) == 0 else 0
        elif kind == STRISCIO_CORTO:
            good = rules["striscio_corto_min_rest"] <= rest and rest < rules["striscio_lungo_min_rest"]
        else:
            good = rest >= rules["striscio_lungo_min_rest"]
        if good:
            found |= suited << (10 * suit)
    return found


@nb.njit(cache=True)
def is_legal(words, rules, action):
    """Return whether an action id is in the bit sets that `legal` filled."""
    if action < 0 or action >= rules["num_actions"]:
        return False
    if action < 40 * (1 + rules["num_signals"]):
        return ((words[action // 40] >> (action % 40)) & 1) == 1
    for word, first in (
        (LEGAL_DISCARD, rules["first_discard"]),
        (LEGAL_GIVE, rules["first_give"]),
        (LEGAL_CALL, rules["first_call"]),
        (LEGAL_BIDS, rules["first_bid"]),
        (LEGAL_ANNUL, rules["first_annul"]),
        (LEGAL_DECLARATIONS, rules["first_declaration"]),
    ):
        if action >= first:
            return ((words[word] >> (action - first)) & 1) == 1
    return False


@nb.njit(cache=True)
def accepts(state, rules, action):
    """Return whether an action id is legal now, without working out the others."""
    if action < 0 or action >= rules["num_actions"]:
        return False
    phase = state["phase"]
    if action < 40 * (1 + rules["num_signals"]):
        if phase != PLAY:
            return False
        kind = action // 40
        bit = 1 << (action - 40 * kind)
        cards = playable_cards(state, rules) & bit
        if kind == 0 or cards == 0:
            return cards != 0
        return signal_cards(state, rules, kind - 1, cards) != 0
    if rules["declare"] == 1 and action < rules["first_annul"]:
        bit = 1 << (action - rules["first_declaration"])
        if phase == DECLARE:
            return (undeclared(state, state["to_act"]) | 1 << DONE) & bit != 0
        return _may_declare_now(state, rules) and undeclared(state, state["to_act"]) & bit != 0
    if action < rules["first_bid"]:
        return phase == ANNUL
    if action < rules["first_call"]:
        return phase == BID and (bids_open(state, rules) >> (action - rules["first_bid"])) & 1 == 1
    if action < rules["first_give"]:
        return phase == CALL and (callable_cards(state, rules) >> (action - rules["first_call"])) & 1 == 1
    if action < rules["first_discard"]:
        return phase == GIVE and (givable_cards(state) >> (action - rules["first_give"])) & 1 == 1
    hand = state["hands"][state["to_act"]]
    return phase == DISCARD and (hand >> (action - rules["first_discard"])) & 1 == 1
