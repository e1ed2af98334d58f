"""The `heuristic` bot: a club player's rules as scored features, from the acting seat's view alone.

For each playable card it estimates from the cards not yet seen who will win the trick, then weighs the points at
stake, what the card is worth if kept (masters, guards of an ace, the last trick) and what the partner has told.
Everything is in thirds of a point. The kernels read the seat's own hand and public members only, so a playout may
hand them a full record instead of a view.
"""

import numba as nb
import numpy as np

from tressette_env.engine.batch import nth_legal
from tressette_env.engine.bits import count, count_suit, highest_of_suit, lowest, sum_sixths
from tressette_env.engine.kernels import LEGAL_ANNUL, LEGAL_DECLARATIONS, NUM_WORDS, _truthful_cards, led_suit, legal
from tressette_env.engine.state import DONE
from tressette_env.rules import BUSSO, VOLO

_SUIT = 1023
_ACE, _TWO, _THREE = 7, 8, 9  # strengths
_HOLD = LEGAL_DECLARATIONS  # words[_HOLD + r] is reused for what the r-th seat to the right may hold

# (name, value) of every weight, in thirds of a point; found by hand, then tuned by matches of the bot against itself.
TUNED = (
    ("keep_4", -0.68),  # cost of spending a card, by strength
    ("keep_5", -0.09),
    ("keep_6", -0.22),
    ("keep_7", -0.13),
    ("keep_J", -0.32),
    ("keep_C", -0.24),
    ("keep_K", -0.13),
    ("keep_A", 0.78),
    ("keep_2", 0.85),
    ("keep_3", 2.53),
    ("ace_safe", 0.72),  # cost of spending an ace that nothing unseen beats
    ("master", 0.88),  # cost of spending a master, and the part that grows with cards left
    ("master_early", 0.89),
    ("future", 0.70),  # points each later player is expected to add to the trick
    ("lead", 0.36),  # worth of winning the trick oneself: as such, per master held, near the end
    ("lead_master", 0.06),
    ("lead_late", 0.79),
    ("unguard_ace", 0.47),  # baring an ace or a two that is not master
    ("unguard_two", 0.95),
    ("discard_length", 0.14),  # per card of the suit thrown from
    ("discard_partner", 0.26),  # throwing from the suit the partner led or asked for
    ("busso", 12.00),  # obeying the partner's busso
    ("suit_length", 0.36),  # lead: per own card, per unseen card of the suit
    ("suit_unseen", -0.69),
    ("suit_winners", -1.22),  # lead: per master in a row at the top of the suit
    ("partner_led", 0.60),  # lead: what is known of the partner and the opponents in the suit
    ("partner_busso", 1.11),
    ("partner_long", 0.80),
    ("partner_void", -1.08),
    ("partner_void_master", 1.25),
    ("opponent_led", -0.50),
    ("opponent_void", 0.19),
    ("from_ace", 0.54),  # lead: low from an ace, a two or a three that stays behind
    ("from_two", 0.13),
    ("from_three", -1.03),
    ("second", 0.0),  # cost of spending a card that only one unseen card beats
    ("lead_partner", 0.0),  # worth of the partner winning the trick and leading next
    ("discard_void", 0.0),  # throwing the last card of a suit
    ("opponent_busso", 0.0),  # lead: an opponent has asked for the suit
    ("catch_ace", 0.0),  # lead: a master while the ace of the suit is unseen
    ("trump_kept", 0.0),  # briscola: cost of spending a trump, leading trumps, leading where an opponent ruffs
    ("trump_lead", 0.0),
    ("trump_void", 0.0),
    ("ask_ace", 1.0),  # a low lead carries busso when the honours that stay behind sum to more than ask_least
    ("ask_two", 1.0),
    ("ask_three", 1.0),
    ("ask_least", 0.5),
)
WEIGHTS = np.array([value for _, value in TUNED])
(
    _KEEP_4, _, _, _, _, _, _, _, _, _, _ACE_SAFE, _MASTER, _MASTER_EARLY, _FUTURE, _LEAD, _LEAD_MASTER, _LEAD_LATE,
    _UNGUARD_ACE, _UNGUARD_TWO, _DISCARD_LENGTH, _DISCARD_PARTNER, _BUSSO, _SUIT_LENGTH, _SUIT_UNSEEN, _SUIT_WINNERS,
    _PARTNER_LED, _PARTNER_BUSSO, _PARTNER_LONG, _PARTNER_VOID, _PARTNER_VOID_MASTER, _OPPONENT_LED, _OPPONENT_VOID,
    _FROM_ACE, _FROM_TWO, _FROM_THREE, _SECOND, _LEAD_PARTNER, _DISCARD_VOID, _OPPONENT_BUSSO, _CATCH_ACE, _TRUMP_KEPT,
    _TRUMP_LEAD, _TRUMP_VOID, _ASK_ACE, _ASK_TWO, _ASK_THREE, _ASK_LEAST,
) = range(len(TUNED))  # fmt: skip


# ---------------------------------------------------------------- what is known
@nb.njit(cache=True)
def _note_holdings(view, rules, seat, unseen, words):
    """Write to words[_HOLD + r] the unseen cards that the r-th seat to the right may hold."""
    n = rules["num_seats"]
    known = 0
    for r in range(1, n):
        other = (seat + r) % n
        known |= view["exposed"][other] & ~view["played"][other]
    for r in range(1, n):
        other = (seat + r) % n
        words[_HOLD + r] = unseen & ~view["denied"][other] & ~(known & ~view["exposed"][other])


@nb.njit(cache=True)
def _holders(view, rules, words, seat, own, card):
    """Return how likely an unseen card lies with a later opponent and with a partner still to play."""
    n = rules["num_seats"]
    on_table = view["num_played"] % n
    side = view["side_of"][seat]
    theirs = 0
    ours = 0
    total = 0
    for r in range(1, n):
        if not (words[_HOLD + r] >> card) & 1:
            continue
        later = r < n - on_table
        size = own if later else own - 1
        total += size
        if later:
            if view["side_of"][(seat + r) % n] == side:
                ours += size
            else:
                theirs += size
    if total == 0:
        return 0.0, 0.0
    return theirs / total, ours / total


@nb.njit(cache=True)
def _ruff_risk(view, rules, words, seat, suit, unseen):
    """Return how likely a later opponent is to trump a lead of `suit` (0 in games without trump)."""
    trump = view["trump"]
    if trump < 0 or trump == suit:
        return 0.0
    n = rules["num_seats"]
    risk = 0.0
    trumps = count_suit(unseen, trump)
    for r in range(1, n - view["num_played"] % n):
        if view["side_of"][(seat + r) % n] == view["side_of"][seat]:
            continue
        hold = words[_HOLD + r]
        if trumps and (hold >> (10 * trump)) & _SUIT:
            void = (hold >> (10 * suit)) & _SUIT == 0
            risk = max(risk, min(1.0, 0.3 * trumps) if void else 0.5 / (1 + count_suit(unseen, suit)))
    return risk


# ---------------------------------------------------------------- the worth of a card
@nb.njit(cache=True)
def _keep_cost(hand, unseen, suit, strength, own, weights):
    """Return what the card would be worth if it stayed in the hand, in thirds."""
    above_unseen = ((unseen >> (10 * suit)) & _SUIT) >> (strength + 1)
    mine = (hand >> (10 * suit)) & _SUIT
    cost = weights[_KEEP_4 + strength]
    if above_unseen == 0:
        cost += weights[_MASTER] + weights[_MASTER_EARLY] * own * 0.1
        if strength == _ACE:
            cost += weights[_ACE_SAFE]
    elif above_unseen & (above_unseen - 1) == 0:
        cost += weights[_SECOND]
    rest = mine & ~(1 << strength)
    if rest and rest & (rest - 1) == 0:
        if rest == 1 << _ACE and ((unseen >> (10 * suit)) & _SUIT) >> _TWO:
            cost += weights[_UNGUARD_ACE]
        elif rest == 1 << _TWO and ((unseen >> (10 * suit)) & _SUIT) >> _THREE:
            cost += weights[_UNGUARD_TWO]
    return cost


@nb.njit(cache=True)
def _lead_worth(hand, unseen, own, weights):
    """Return what having the next lead is worth to this hand, in thirds."""
    masters = 0
    for suit in range(4):
        part = (hand >> (10 * suit)) & _SUIT
        if part > (unseen >> (10 * suit)) & _SUIT:
            masters += 1
    return weights[_LEAD] + weights[_LEAD_MASTER] * masters + (weights[_LEAD_LATE] if own <= 4 else 0.0)


@nb.njit(cache=True)
def _suit_story(view, rules, words, seat, hand, unseen, suit, weights):
    """Return how good a suit is to lead as far as the card led does not matter, in thirds."""
    n = rules["num_seats"]
    full = _SUIT << (10 * suit)
    mine = (hand >> (10 * suit)) & _SUIT
    rest = (unseen >> (10 * suit)) & _SUIT
    story = weights[_SUIT_LENGTH] * count_suit(hand, suit) + weights[_SUIT_UNSEEN] * count_suit(unseen, suit)
    for strength in range(9, -1, -1):
        if (mine >> strength) & 1:
            story += weights[_SUIT_WINNERS]
        elif (rest >> strength) & 1:
            break
    for r in range(1, n):
        other = (seat + r) % n
        led = (view["played"][other] & view["led"] & full) != 0
        void = rest != 0 and words[_HOLD + r] & full == 0
        if view["side_of"][other] == view["side_of"][seat]:
            if led:
                story += weights[_PARTNER_LED]
            if void:
                story += weights[_PARTNER_VOID] + (weights[_PARTNER_VOID_MASTER] if mine > rest else 0.0)
            for k in range(rules["num_signals"]):
                if view["signalled"][k] & view["played"][other] & full:
                    kind = rules["signal_kind"][k]
                    if kind == BUSSO:
                        story += weights[_PARTNER_BUSSO]
                    elif kind != VOLO:
                        story += weights[_PARTNER_LONG]
        else:
            if led:
                story += weights[_OPPONENT_LED]
            if void:
                story += weights[_OPPONENT_VOID if view["trump"] < 0 else _TRUMP_VOID]
            for k in range(rules["num_signals"]):
                if rules["signal_kind"][k] == BUSSO and view["signalled"][k] & view["played"][other] & full:
                    story += weights[_OPPONENT_BUSSO]
    return story


@nb.njit(cache=True)
def _from_honour(hand, unseen, suit, strength, weights):
    """Return the worth of leading below an ace, two or three of the same suit that is kept, in thirds."""
    mine = (hand >> (10 * suit)) & _SUIT
    rest = (unseen >> (10 * suit)) & _SUIT
    worth = 0.0
    if (rest >> _ACE) & 1 and rest >> (strength + 1) == 0:
        worth += weights[_CATCH_ACE]
    if strength < _ACE:
        if (mine >> _ACE) & 1 and rest >> _TWO:
            worth += weights[_FROM_ACE]
        if (mine >> _TWO) & 1 and rest >> _THREE:
            worth += weights[_FROM_TWO]
        if (mine >> _THREE) & 1:
            worth += weights[_FROM_THREE]
    return worth


# ---------------------------------------------------------------- choosing
@nb.njit(cache=True)
def _thirds(strength):
    return 3.0 if strength == _ACE else (1.0 if strength >= 4 else 0.0)


@nb.njit(cache=True)
def _busso_asked(view, rules, seat):
    """Return whether the trick under way was led by a partner with busso."""
    n = rules["num_seats"]
    first = view["order"][view["num_played"] - view["num_played"] % n]
    if view["side_of"][view["leader"]] != view["side_of"][seat]:
        return False
    for k in range(rules["num_signals"]):
        if rules["signal_kind"][k] == BUSSO and (view["signalled"][k] >> first) & 1:
            return True
    return False


@nb.njit(cache=True)
def choose_card(view, rules, words, cards, weights):
    """Return the best of the playable `cards`; overwrites the words after the plays."""
    if cards & (cards - 1) == 0:
        return lowest(cards)
    n = rules["num_seats"]
    seat = view["to_act"]
    hand = view["hands"][seat]
    unseen = rules["deck"] & ~hand
    for other in range(n):
        unseen &= ~view["played"][other]
    _note_holdings(view, rules, seat, unseen, words)
    own = count(hand)
    later = n - 1 - view["num_played"] % n
    lead_worth = _lead_worth(hand, unseen, own, weights)
    led = led_suit(view, rules)
    best = view["best_card"]
    stake = weights[_FUTURE] * later
    table_odds = 0.0
    obey = -1
    if led >= 0:
        stake += 0.5 * sum_sixths(view["table"])
        table_odds = _table_odds(view, rules, words, seat, own, unseen)
        if _busso_asked(view, rules, seat):
            obey = highest_of_suit(cards, led)
            if obey >= 0 and not (obey > best or obey % 10 != _ACE or table_odds > 0.5):
                obey = -1
    choice = -1
    choice_score = 0.0
    for suit in range(4):
        part = (cards >> (10 * suit)) & _SUIT
        if part == 0:
            continue
        story = _suit_story(view, rules, words, seat, hand, unseen, suit, weights) if led < 0 else 0.0
        if led >= 0 and suit != led:
            length = count_suit(hand, suit)
            story = -weights[_DISCARD_LENGTH] * length - (weights[_DISCARD_VOID] if length == 1 else 0.0)
            for r in range(1, n):
                other = (seat + r) % n
                if view["side_of"][other] == view["side_of"][seat]:
                    if view["played"][other] & view["led"] & (_SUIT << (10 * suit)):
                        story -= weights[_DISCARD_PARTNER]
        ruff = _ruff_risk(view, rules, words, seat, suit if led < 0 or suit != view["trump"] else led, unseen)
        theirs = 0.0
        ours = 0.0
        none = 1.0
        for strength in range(9, -1, -1):
            card = 10 * suit + strength
            if (unseen >> card) & 1:
                p_theirs, p_ours = _holders(view, rules, words, seat, own, card)
                theirs += none * p_theirs
                ours += none * p_ours
                none *= 1.0 - p_theirs - p_ours
            elif (part >> strength) & 1:
                takes = led < 0 or (suit == led and best // 10 == led and card > best)
                takes = takes or (suit == view["trump"] and (best // 10 != suit or card > best))
                odds = table_odds
                score = story - _keep_cost(hand, unseen, suit, strength, own, weights)
                if suit == view["trump"]:
                    score -= weights[_TRUMP_KEPT]
                if takes:
                    odds = (none + ours) * (1.0 - ruff)
                    if led >= 0 and suit != led:  # a ruff is beaten by a higher ruff only
                        odds = 1.0 - 0.3 * theirs
                    score += none * lead_worth + ours * weights[_LEAD_PARTNER]
                score += (2.0 * odds - 1.0) * (stake + _thirds(strength))
                if led < 0:
                    score += _from_honour(hand, unseen, suit, strength, weights)
                    if suit == view["trump"]:
                        score += weights[_TRUMP_LEAD]
                if card == obey:
                    score += weights[_BUSSO]
                if choice < 0 or score > choice_score:
                    choice = card
                    choice_score = score
    return choice


@nb.njit(cache=True)
def _table_odds(view, rules, words, seat, own, unseen):
    """Return how likely our side is to win the trick under way if this seat does not take it."""
    best = view["best_card"]
    suit = best // 10
    none = 1.0
    ours = 0.0
    for strength in range(9, best % 10, -1):
        card = 10 * suit + strength
        if (unseen >> card) & 1:
            p_theirs, p_ours = _holders(view, rules, words, seat, own, card)
            ours += none * p_ours
            none *= 1.0 - p_theirs - p_ours
    if view["side_of"][view["best_seat"]] == view["side_of"][seat]:
        ours += none
    return ours * (1.0 - _ruff_risk(view, rules, words, seat, suit, unseen))


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
        if rules["signal_mode"] == 2 and not (_truthful_cards(hand, 1 << card, kind, rules) >> card) & 1:
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
    rest = (hand >> (10 * suit)) & _SUIT & ~(1 << (card % 10))
    out = rules["deck"] & ~hand
    for other in range(rules["num_seats"]):
        out &= ~view["played"][other]
    higher = ((out >> (10 * suit)) & _SUIT) >> (card % 10 + 1)
    wish = weights[_ASK_ACE] * ((rest >> _ACE) & 1) + weights[_ASK_TWO] * ((rest >> _TWO) & 1)
    return higher != 0 and wish + weights[_ASK_THREE] * ((rest >> _THREE) & 1) > weights[_ASK_LEAST]


# ---------------------------------------------------------------- actions
@nb.njit(cache=True)
def heuristic_action(view, rules, words, key):
    """Return the action of the seat to act. `words`: int64 (NUM_WORDS,) scratch; `key` is not needed: it never draws."""
    return decide(view, rules, words, WEIGHTS, 1)


@nb.njit(cache=True)
def decide(view, rules, words, weights, signals):
    """Return the action of the seat to act under given weights, silent when `signals` is 0."""
    legal(view, rules, words)
    combinations = words[LEGAL_DECLARATIONS]
    if combinations & ~(1 << DONE):
        return rules["first_declaration"] + lowest(combinations)
    if words[0] == 0:
        if words[LEGAL_ANNUL]:
            return rules["first_annul"] + (0 if _is_hopeless(view["hands"][view["to_act"]]) else 1)
        return nth_legal(words, rules, 0)
    card = choose_card(view, rules, words, words[0], weights)
    if signals and rules["num_signals"]:
        return 40 * choose_signal(view, rules, words, card, weights) + card
    return card


@nb.njit(cache=True)
def _is_hopeless(hand):
    """Return whether a hand worth less than a point is better thrown in: fewer than two cards that win tricks."""
    top = 0
    for suit in range(4):
        top += count(hand & (0b1100000000 << (10 * suit)))
    return top < 2


@nb.njit(cache=True)
def heuristic_rows(views, table, keys, signals, out):
    """Write the club player's action for every row, int64 (B,)."""
    words = np.empty(NUM_WORDS, np.int64)
    for i in range(views.shape[0]):
        out[i] = decide(views[i], table[0], words, WEIGHTS, signals)
