"""What a seat can infer from its view about one trick: who may hold a card, who will win, what the partner asked."""

# mypy: allow-untyped-defs, allow-incomplete-defs

import numba as nb

from tressette_env.engine.bits import count, count_suit
from tressette_env.engine.kernels import LEGAL_DECLARATIONS
from tressette_env.engine.phases import CHIAMATA
from tressette_env.rules import BUSSO, VOLO

SUIT = 1023
SURE = 12  # allegiance is counted in twelfths: 0 an opponent, 12 a partner, between when it is not known
TABLE = LEGAL_DECLARATIONS  # words[TABLE] is reused: byte 0 how many unseen cards lie in no hand, byte r the r-th seat
HOLD = TABLE  # words[HOLD + r] is reused for what the r-th seat to the right may hold
NOWHERE = HOLD + 5  # words[NOWHERE] is reused for the unseen cards that may lie in no hand (stock, monte, discards)


@nb.njit(cache=True)
def unseen_cards(view, rules, seat):
    """Return the cards that the seat has not seen in its hand, on the table or in its discards, as a bit set."""
    unseen = rules["deck"] & ~view["hands"][seat]
    for other in range(rules["num_seats"]):
        unseen &= ~view["played"][other]
    if view["exchanged"] and seat == view["declarer"]:
        for i in range(view["exchanged"]):
            if view["discards"][i] >= 0:
                unseen &= ~(1 << int(view["discards"][i]))
    return unseen


@nb.njit(cache=True)
def note_holdings(view, rules, seat, unseen, words):
    """Write what the seat knows of the others: words[HOLD + r] the unseen cards that the r-th seat to the right may
    hold, words[NOWHERE] those that may lie in no hand, words[TABLE] see `ally` and `room`.
    """
    n = rules["num_seats"]
    on_table = view["num_played"] % n
    own = count(view["hands"][seat])
    known = 0
    for r in range(1, n):
        other = (seat + r) % n
        known |= view["exposed"][other] & ~view["played"][other]
    hidden = count(unseen) - own * (n - 1) + on_table
    table = hidden
    for r in range(1, n):
        other = (seat + r) % n
        words[HOLD + r] = unseen & ~view["denied"][other] & ~(known & ~view["exposed"][other])
        size = own if r < n - on_table else own - 1
        if hidden:
            size -= count(view["exposed"][other] & unseen)
        if rules["auction"] == CHIAMATA and view["called"] >= 0:
            friend = _caller_friend(view, rules, seat, other)
        else:
            friend = SURE if view["side_of"][other] == view["side_of"][seat] else 0
        table |= (friend | size << 4) << (8 * r)
    words[NOWHERE] = unseen & ~known
    words[TABLE] = table


@nb.njit(cache=True)
def _caller_friend(view, rules, seat, other):
    """Return how surely another seat is on one's side where the declarer called a partner, in twelfths.

    The partner is whoever was dealt the called card: known to itself, to the others once that card is played. The
    record names it, but not to everybody.
    """
    declarer = int(view["declarer"])
    partner = int(seat) if (view["dealt"][seat] >> int(view["called"])) & 1 else -1
    for candidate in range(rules["num_seats"]):
        if (view["played"][candidate] >> int(view["called"])) & 1:
            partner = candidate
    if partner >= 0:
        callers = 1 << declarer | 1 << partner
        return SURE if (callers >> seat) & 1 == (callers >> other) & 1 else 0
    if other == declarer:
        return 0
    possible = 0
    settled = 1 << int(seat) | 1 << declarer
    for candidate in range(rules["num_seats"]):
        if not (settled >> candidate) & 1 and not (view["denied"][candidate] >> int(view["called"])) & 1:
            possible += 1
    chance = 0 if possible == 0 or (view["denied"][other] >> int(view["called"])) & 1 else SURE // possible
    return chance if seat == declarer else SURE - chance


@nb.njit(cache=True)
def ally(words, r):
    """Return how surely the r-th seat to the right is a partner, in twelfths."""
    return (words[TABLE] >> (8 * r)) & 15


@nb.njit(cache=True)
def room(words, r):
    """Return for how many cards of unknown place the r-th seat to the right has room (r = 0: the cards in no hand)."""
    return words[TABLE] & 255 if r == 0 else (words[TABLE] >> (8 * r + 4)) & 15


@nb.njit(cache=True)
def holder_pattern(rules, words, card):
    """Return which seats may hold an unseen card: bit r for the r-th seat to the right, bit 0 for no hand at all."""
    pattern = (words[NOWHERE] >> card) & 1
    for r in range(1, rules["num_seats"]):
        pattern |= ((words[HOLD + r] >> card) & 1) << r
    return pattern


@nb.njit(cache=True)
def holders(rules, words, on_table, pattern):
    """Return how likely a card that these seats may hold lies with a later opponent and with a partner still to play.

    The seats are weighed by the number of cards they hold.
    """
    n = rules["num_seats"]
    theirs = 0
    ours = 0
    total = 0
    for r in range(n):
        if not (pattern >> r) & 1:
            continue
        size = room(words, r)
        total += SURE * size
        if r > 0 and r < n - on_table:
            ours += ally(words, r) * size
            theirs += (SURE - ally(words, r)) * size
    if total == 0:
        return 0.0, 0.0
    return theirs / total, ours / total


@nb.njit(cache=True)
def told_by(view, rules, words, seat):
    """Return what leads and signals told, as sets: the partners (bit r), what partners led, asked for with busso and
    called long, what opponents led and asked for.
    """
    n = rules["num_seats"]
    partners = 0
    by_partners = 0
    for r in range(1, n):
        if 2 * ally(words, r) > SURE:
            partners |= 1 << r
            by_partners |= view["played"][(seat + r) % n]
    by_opponents = view["led"] & ~by_partners & ~view["played"][seat]
    busso = 0
    long = 0
    for k in range(rules["num_signals"]):
        kind = rules["signal_kind"][k]
        if kind == BUSSO:
            busso |= view["signalled"][k]
        elif kind != VOLO:
            long |= view["signalled"][k]
    return (
        partners,
        by_partners & view["led"],
        by_partners & busso,
        by_partners & long,
        by_opponents,
        by_opponents & busso,
    )


@nb.njit(cache=True)
def ruff_risk(view, rules, words, suit, unseen):
    """Return how likely a later opponent is to trump a lead of `suit` (0 in games without trump)."""
    trump = view["trump"]
    if trump < 0 or trump == suit:
        return 0.0
    n = rules["num_seats"]
    risk = 0.0
    trumps = count_suit(unseen, trump)
    for r in range(1, n - view["num_played"] % n):
        if ally(words, r) == SURE:
            continue
        hold = words[HOLD + r]
        if trumps and (hold >> (10 * trump)) & SUIT:
            void = (hold >> (10 * suit)) & SUIT == 0
            risk = max(risk, min(1.0, 0.3 * trumps) if void else 0.5 / (1 + count_suit(unseen, suit)))
    return risk


@nb.njit(cache=True)
def busso_asked(view, rules, seat):
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
def table_odds(view, rules, words, seat, unseen):
    """Return how likely our side is to win the trick under way if this seat does not take it."""
    best = view["best_card"]
    suit = best // 10
    n = rules["num_seats"]
    none = 1.0
    ours = 0.0
    for strength in range(9, best % 10, -1):
        card = 10 * suit + strength
        if (unseen >> card) & 1:
            p_theirs, p_ours = holders(rules, words, view["num_played"] % n, holder_pattern(rules, words, card))
            ours += none * p_ours
            none *= 1.0 - p_theirs - p_ours
    ours += none * (ally(words, (view["best_seat"] - seat) % n) / SURE)
    return ours * (1.0 - ruff_risk(view, rules, words, suit, unseen))
