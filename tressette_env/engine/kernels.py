"""The rules: begin a deal, legal actions, apply, score. Scalar numba kernels over one STATE record; they never raise.

Everything that plays cards (single game, batch, search, regret walks) calls these functions and no other copy
of the rules. `Game` and the environments check actions at the border.
"""

import numba as nb

from tressette_env.cards import HONOURS
from tressette_env.engine.bits import (
    combination_cards,
    combination_points,
    combinations,
    count_suit,
    sum_sixths,
)
from tressette_env.engine.state import ANNUL, DECLARE, DONE, NUM_COMBINATIONS, OVER, PLAY
from tressette_env.rules import BUSSO, STRISCIO, STRISCIO_CORTO, VOLO

# Rows of the `words` array that `legal` fills: six rows of plays (silent, then each signal), then one per other block.
LEGAL_DECLARATIONS, LEGAL_ANNUL, LEGAL_BIDS, LEGAL_CALL, LEGAL_GIVE, LEGAL_DISCARD = range(6, 12)
NUM_WORDS = 12
_SUIT = 1023
_FOURS = 1 | 1 << 10 | 1 << 20 | 1 << 30  # one rank, all suits: the 4s; shifted, any other rank


# ---------------------------------------------------------------- beginning
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
    if rules["declare"] == 2:
        for seat in range(n):
            held = combinations(state["hands"][seat])
            for combination in range(NUM_COMBINATIONS):
                if (held >> combination) & 1:
                    _declare(state, rules, seat, combination)
    _ask_annul(state, rules, 0)


@nb.njit(cache=True)
def _ask_annul(state, rules, first):
    """Ask the next seat from the eldest (skipping `first` seats) that may call monte; else go on to declarations."""
    n = rules["num_seats"]
    if rules["annul"] == 1:
        for i in range(first, n):
            seat = (state["dealer"] + 1 + i) % n
            if sum_sixths(state["dealt"][seat]) < 6:
                state["phase"] = ANNUL
                state["to_act"] = seat
                return
    if rules["declare"] == 1 and rules["declare_when"] == 0:
        _ask_declarations(state, rules, 0)
    else:
        _start_turn(state)


@nb.njit(cache=True)
def _ask_declarations(state, rules, first):
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
def _start_turn(state):
    state["phase"] = PLAY
    state["to_act"] = state["turn"]


# ---------------------------------------------------------------- legal actions
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


@nb.njit(cache=True)
def playable_cards(state, rules):
    """Return the cards that the seat to act may put down, as a bit set."""
    hand = state["hands"][state["to_act"]]
    if state["best_card"] >= 0 and rules["revoke"] == 0:
        suited = hand & (_SUIT << (10 * led_suit(state, rules)))
        if suited:
            return suited
    return hand


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
        own = (hand >> (10 * suit)) & _SUIT
        suited = (cards >> (10 * suit)) & _SUIT
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
    return phase == ANNUL and action < rules["first_bid"]


# ---------------------------------------------------------------- apply
@nb.njit(cache=True)
def apply(state, rules, action):
    """Carry out a legal action in place. Afterwards `phase` is OVER when the deal is, and `gain` is what it paid."""
    for side in range(rules["num_sides"]):
        state["gain"][side] = 0
    if action < 40 * (1 + rules["num_signals"]):
        _play(state, rules, action)
    elif state["phase"] == ANNUL:
        _annul(state, rules, action - rules["first_annul"])
    else:
        _declare_action(state, rules, action - rules["first_declaration"])


@nb.njit(cache=True)
def _annul(state, rules, choice):
    seat = state["to_act"]
    if choice == 0:
        state["abandoned"] = 1
        state["phase"] = OVER
        state["to_act"] = -1
        return
    state["played_on"] |= 1 << seat
    _ask_annul(state, rules, (seat - state["dealer"] - 1) % rules["num_seats"] + 1)


@nb.njit(cache=True)
def _declare_action(state, rules, choice):
    seat = state["to_act"]
    if choice == DONE:
        state["closed"] |= 1 << seat
    else:
        _declare(state, rules, seat, choice)
    if state["phase"] == DECLARE and (choice == DONE or undeclared(state, seat) == 0):
        _ask_declarations(state, rules, (seat - state["dealer"] - 1) % rules["num_seats"] + 1)


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
        state["denied"][seat] |= (_FOURS << (combination + 3)) & ~cards
    sixths = 6 * combination_points(hand, combination)
    state["declared_sixths"][seat] += sixths
    if rules["reward_mode"] == 1 and rules["declare"] == 1:
        _pay(state, state["side_of"][seat], sixths)


@nb.njit(cache=True)
def _pay(state, side, sixths):
    state["gain"][side] += sixths
    state["paid"][side] += sixths


@nb.njit(cache=True)
def _play(state, rules, action):
    seat = state["to_act"]
    card = action % 40
    kind = action // 40
    suit = card // 10
    bit = 1 << card
    n = rules["num_seats"]
    led = led_suit(state, rules)
    state["hands"][seat] &= ~bit
    state["played"][seat] |= bit
    state["order"][state["num_played"]] = card
    if kind:
        state["signalled"][kind - 1] |= bit
        if rules["signal_mode"] == 1:
            _note_signal(state, rules, seat, suit, rules["signal_kind"][kind - 1])
    if led < 0:
        state["led"] |= bit
        state["table"] = 0
        state["best_card"] = card
        state["best_seat"] = seat
    else:
        if suit != led:
            if rules["revoke"] and state["hands"][seat] & (_SUIT << (10 * led)):
                _revoke(state, rules, seat)
                return
            if rules["follow"] == 0:
                state["denied"][seat] |= _SUIT << (10 * led)
        best = state["best_card"]
        if (suit == best // 10 and card > best) or (suit == state["trump"] and best // 10 != suit):
            state["best_card"] = card
            state["best_seat"] = seat
    state["table"] |= bit
    state["num_played"] += 1
    following = seat + 1 if seat + 1 < n else 0
    if following == state["leader"]:
        _end_trick(state, rules)
    else:
        state["turn"] = following
        state["to_act"] = following


@nb.njit(cache=True)
def _note_signal(state, rules, seat, suit, kind):
    """Note what a truthful signal denies: volo the whole suit, striscio (without honours) its 3, 2 and A."""
    if kind == VOLO:
        state["denied"][seat] |= _SUIT << (10 * suit)
    elif kind == STRISCIO and rules["striscio_no_honours"]:
        state["denied"][seat] |= HONOURS << (10 * suit)


@nb.njit(cache=True)
def _end_trick(state, rules):
    winner = state["best_seat"]
    sixths = sum_sixths(state["table"])
    state["captured"][winner] += sixths
    state["leader"] = winner
    state["turn"] = winner
    state["best_card"] = -1
    state["best_seat"] = -1
    if rules["reward_mode"] == 1:
        _pay(state, state["side_of"][winner], -sixths if rules["objective"] else sixths)
    if state["num_played"] == rules["num_seats"] * rules["num_tricks"]:
        state["last_trick_seat"] = winner
        _finish_deal(state, rules, -1)
    elif state["num_played"] == rules["num_seats"] and rules["declare"] == 1 and rules["declare_when"] == 2:
        _ask_declarations(state, rules, 0)
    else:
        state["to_act"] = winner


# ---------------------------------------------------------------- scoring
@nb.njit(cache=True)
def _revoke(state, rules, seat):
    """End the deal at once: the offender's side pays the deal's whole total; cards on the table count for nobody."""
    state["turn"] = (seat + 1) % rules["num_seats"]
    state["num_played"] += 1
    state["table"] |= 1 << int(state["order"][state["num_played"] - 1])
    _finish_deal(state, rules, state["side_of"][seat])


@nb.njit(cache=True)
def _finish_deal(state, rules, offender):
    """Score the deal (offender: side that revoked, or -1), pay what is due and settle the match."""
    sides = rules["num_sides"]
    for side in range(sides):
        state["points"][side] = 0
    for seat in range(rules["num_seats"]):
        state["points"][state["side_of"][seat]] += state["captured"][seat]
    last_side = -1
    if offender < 0:
        last_side = state["side_of"][state["last_trick_seat"]]
        state["points"][last_side] += rules["bonus_sixths"]
    _round(state, rules, last_side)
    if offender >= 0:
        for side in range(sides):
            if side == offender:
                state["points"][side] = rules["whole_total_sixths"]
            elif rules["revoke"] == 1:
                state["points"][side] = 0
    else:
        _cappotto(state, rules)
    for seat in range(rules["num_seats"]):
        state["points"][state["side_of"][seat]] += state["declared_sixths"][seat]
    for side in range(sides):
        state["totals"][side] += state["points"][side]
        if rules["reward_mode"] < 2:
            utility = -state["points"][side] if rules["objective"] else state["points"][side]
            _pay(state, side, utility - state["paid"][side])
    state["phase"] = OVER
    state["to_act"] = -1
    _settle_match(state, rules)


@nb.njit(cache=True)
def _round(state, rules, last_side):
    """Turn captured sixths into points (still in sixths) by the remainder rule."""
    if rules["remainder"] == 2:
        return
    floors = 0
    for side in range(rules["num_sides"]):
        state["points"][side] -= state["points"][side] % 6
        floors += state["points"][side]
    if rules["remainder"] == 1 and last_side >= 0:
        state["points"][last_side] += rules["whole_total_sixths"] - floors


@nb.njit(cache=True)
def _cappotto(state, rules):
    """Record who took nothing (max) or everything (min) in whole points, and pay it as the field says."""
    sides = rules["num_sides"]
    whole = rules["whole_total_sixths"]
    flags = 0
    others = 0
    for side in range(sides):
        points = state["points"][side]
        everything = whole > 0 and points - points % 6 == whole
        if everything if rules["objective"] else points < 6:
            flags |= 1 << side
        else:
            others += 1
    state["cappotto"] = flags
    mode = rules["cappotto"]
    if mode == 0 or flags == 0:
        return
    for side in range(sides):
        flagged = (flags >> side) & 1
        if rules["objective"] == 1:
            state["points"][side] = 0 if flagged else whole
        elif others == 1 and not flagged:
            state["points"][side] = 2 * state["points"][side] if mode == 1 else whole + 6


@nb.njit(cache=True)
def _settle_match(state, rules):
    """Set `match_winner` when the match is decided, and narrow the contenders after a tie of a `min` game."""
    sides = rules["num_sides"]
    low = rules["objective"] == 1
    started = state["contenders"] != (1 << sides) - 1
    if low and rules["cappotto"] == 4 and state["cappotto"]:
        for side in range(sides):
            if (state["cappotto"] >> side) & 1 and (state["contenders"] >> side) & 1:
                state["match_winner"] = side
                return
    best = 0
    ties = 0
    reached = started
    for side in range(sides):
        if state["totals"][side] >= 6 * rules["target"]:
            reached = True
        if not (state["contenders"] >> side) & 1:
            continue
        value = -state["totals"][side] if low else state["totals"][side]
        if ties == 0 or value > best:
            best = value
            ties = 1 << side
        elif value == best:
            ties |= 1 << side
    if not reached:
        return
    if ties & (ties - 1) == 0:
        for side in range(sides):
            if ties == 1 << side:
                state["match_winner"] = side
    elif low:
        state["contenders"] = ties


@nb.njit(cache=True)
def seat_reward(state, rules, seat):
    """Return the reward in points that the last action paid to a seat: own side minus the mean of the others."""
    sides = rules["num_sides"]
    own = state["side_of"][seat]
    if rules["reward_mode"] == 2:
        if state["match_winner"] < 0 or state["phase"] != OVER:
            return 0.0
        return 1.0 if state["match_winner"] == own else -1.0 / (sides - 1)
    others = 0
    for side in range(sides):
        if side != own:
            others += state["gain"][side]
    return state["gain"][own] / 6.0 - others / (6.0 * (sides - 1))


@nb.njit(cache=True)
def episode_over(state, rules):
    """Return 0 while the episode goes on, 1 when it has ended, 2 when it is cut after too many redeals."""
    if state["phase"] != OVER:
        return 0
    if state["abandoned"]:
        return 2 if state["redeals"] + 1 >= rules["num_seats"] else 0
    if rules["match_episode"] and state["match_winner"] < 0:
        return 0
    return 1
