"""What a seat can infer from its view about one trick: who may hold a card, who will win, what the partner asked."""

# mypy: allow-untyped-defs, allow-incomplete-defs

import numba as nb

from tressette_env.engine.bits import count_suit
from tressette_env.engine.kernels import LEGAL_DECLARATIONS
from tressette_env.rules import BUSSO, VOLO

SUIT = 1023
HOLD = LEGAL_DECLARATIONS  # words[HOLD + r] is reused for what the r-th seat to the right may hold


@nb.njit(cache=True)
def note_holdings(view, rules, seat, unseen, words):
    """Write to words[HOLD + r] the unseen cards that the r-th seat to the right may hold."""
    n = rules["num_seats"]
    known = 0
    for r in range(1, n):
        other = (seat + r) % n
        known |= view["exposed"][other] & ~view["played"][other]
    for r in range(1, n):
        other = (seat + r) % n
        words[HOLD + r] = unseen & ~view["denied"][other] & ~(known & ~view["exposed"][other])


@nb.njit(cache=True)
def holder_pattern(rules, words, card):
    """Return which seats may hold an unseen card: bit r for the r-th seat to the right."""
    pattern = 0
    for r in range(1, rules["num_seats"]):
        pattern |= ((words[HOLD + r] >> card) & 1) << r
    return pattern


@nb.njit(cache=True)
def holders(view, rules, seat, own, pattern):
    """Return how likely a card that these seats may hold lies with a later opponent and with a partner still to play.

    The seats are weighed by the number of cards they hold; `own` is how many the seat to act holds.
    """
    n = rules["num_seats"]
    on_table = view["num_played"] % n
    side = view["side_of"][seat]
    theirs = 0
    ours = 0
    total = 0
    for r in range(1, n):
        if not (pattern >> r) & 1:
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
def told_by(view, rules, seat):
    """Return what leads and signals told, as sets: the partners (bit r), what partners led, asked for with busso and
    called long, what opponents led and asked for.
    """
    n = rules["num_seats"]
    partners = 0
    by_partners = 0
    for r in range(1, n):
        other = (seat + r) % n
        if view["side_of"][other] == view["side_of"][seat]:
            partners |= 1 << r
            by_partners |= view["played"][other]
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
def ruff_risk(view, rules, words, seat, suit, unseen):
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
def table_odds(view, rules, words, seat, own, unseen):
    """Return how likely our side is to win the trick under way if this seat does not take it."""
    best = view["best_card"]
    suit = best // 10
    none = 1.0
    ours = 0.0
    for strength in range(9, best % 10, -1):
        card = 10 * suit + strength
        if (unseen >> card) & 1:
            p_theirs, p_ours = holders(view, rules, seat, own, holder_pattern(rules, words, card))
            ours += none * p_ours
            none *= 1.0 - p_theirs - p_ours
    if view["side_of"][view["best_seat"]] == view["side_of"][seat]:
        ours += none
    return ours * (1.0 - ruff_risk(view, rules, words, seat, suit, unseen))
