"""A proposal of who holds what now, made into a whole world: the deal that it came from and what was done unseen.

`complete` draws the part of the past that is hidden (who drew which card when, what the declarer took and put away)
uniformly, checks what is known of it, and writes the record. Numba kernels.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from typing import Any

import numba as nb
import numpy as np
from numba.core import cgutils, config, types
from numba.extending import intrinsic

from agents.search.belief_facts import PILE, above_call
from tressette_env.cards import NUM_CARDS
from tressette_env.engine.bits import combinations, count, count_suit, index_of_lowest, sum_sixths
from tressette_env.engine.kernels import monte_shown, truthful_cards, undeclared
from tressette_env.engine.legal import SUIT
from tressette_env.engine.phases import CHIAMATA
from tressette_env.engine.randomness import draw
from tressette_env.engine.state import ANNUL, DECLARE, NUM_COMBINATIONS
from tressette_env.rules import MAX_SEATS

_STREAM = 64  # random words set apart for each seat, and for the pile

if getattr(config, "DISABLE_JIT", False):  # plain Python for the debugger and for coverage

    def copy_record(out, record):
        """Copy a record over another of the same dtype."""
        for name in record.dtype.names:
            out[name] = record[name]

else:

    @intrinsic
    def copy_record(typing_context: Any, out: Any, record: Any) -> Any:
        """Copy a record over another of the same dtype."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            cgutils.raw_memcpy(builder, args[0], args[1], context.get_constant(types.intp, record.size), 1)
            return context.get_dummy_value()

        return types.void(out, record), generate


@nb.njit(cache=True)
def complete(view, rules, b, places, key, out):
    """Write the world in which the cards lie as proposed, with a random past; return False where that cannot be.

    `places`: int64 (MAX_SEATS,), the cards in no hand, then those of the r-th seat to the right; `key`: uint64.
    """
    if b["bounded"] and not _lengths_agree(b, places):
        return False
    if b["automatic"] and not _declarations_agree(view, b, places):
        return False
    copy_record(out, view)
    n = b["places"]
    for r in range(1, n):
        other = (view["to_act"] + r) % n
        out["hands"][other] = places[r]
        out["dealt"][other] = places[r] | view["played"][other]
    if places[PILE]:
        _lay_pile(view, rules, places[PILE], key, out)
    if rules["stock"] or view["exchanged"] or view["called_from"] >= 0:
        if rules["stock"] and not _rewind(view, rules, b, key, out):
            return False
        if not _undo_auction(view, rules, key, out):
            return False
    if rules["auction"] == CHIAMATA and view["called"] >= 0 and not _find_partner(view, rules, out):
        return False
    if rules["declare"] == 1 or rules["annul"]:
        _note_silence(view, rules, out)
    return True


# ---------------------------------------------------------------- what binds several cards of a hand
@nb.njit(cache=True)
def _lengths_agree(b, places):
    """Return whether the hands have the lengths of suits that signals told."""
    for r in range(1, b["places"]):
        for suit in range(4):
            held = count_suit(places[r], suit)
            if held < b["least"][r, suit] or held > b["most"][r, suit]:
                return False
    return True


@nb.njit(cache=True)
def _declarations_agree(view, b, places):
    """Return whether the hands as dealt have the combinations that were declared, and no other."""
    for r in range(1, b["places"]):
        other = (view["to_act"] + r) % b["places"]
        told = 0
        for combination in range(NUM_COMBINATIONS):
            if view["declared"][other * NUM_COMBINATIONS + combination]:
                told |= 1 << combination
        if combinations(places[r] | view["played"][other]) != told:
            return False
    return True


# ---------------------------------------------------------------- cards in no hand
@nb.njit(cache=True)
def _lay_pile(view, rules, pile, key, out):
    """Lay the cards in no hand, in random order: what is left of the stock and of the monte, another's discards."""
    cards = np.empty(NUM_CARDS, np.int64)
    size = 0
    while pile:
        card = index_of_lowest(pile)
        pile &= pile - 1
        j = draw(key, size, size + 1)
        cards[size] = cards[j]
        cards[j] = card
        size += 1
    at = 0
    for i in range(view["num_drawn"], rules["stock"]):
        out["undealt"][i] = cards[at]
        at += 1
    for i in range(rules["stock"] + view["exchanged"], rules["stock"] + rules["monte"]):
        out["undealt"][i] = cards[at]
        at += 1
    for i in range(size - at):
        out["discards"][i] = cards[at + i]


@nb.njit(cache=True)
def _pick(cards, key, counter):
    """Return one random card of a set, as a bit."""
    for _ in range(draw(key, counter, count(cards))):
        cards &= cards - 1
    return cards & -cards


# ---------------------------------------------------------------- draws
@nb.njit(cache=True)
def _rewind(view, rules, b, key, out):
    """Undo plays and draws of the other seats: fill in their hands as dealt and the cards they drew.

    The card drawn at the end of a trick is any that was held or played later, less those drawn after it: as many at
    each step for every proposal, so that all pasts are equally likely. Returns False where a play was not possible.
    """
    n = rules["num_seats"]
    for r in range(1, n):
        seat = (view["to_act"] + r) % n
        hand = out["hands"][seat]
        for trick in range(max(b["tricks"], view["num_drawn"] // n) - 1, -1, -1):
            if trick * n < view["num_drawn"]:
                place = trick * n
                while b["drawer"][place] != seat:
                    place += 1
                if rules["draw_shown"] == 0:
                    bit = _pick(hand, key, _STREAM * r + trick)
                    out["undealt"][place] = index_of_lowest(bit)
                hand &= ~(np.int64(1) << np.int64(out["undealt"][place]))
            card = b["plays"][trick, seat]
            if card >= 0:
                hand |= np.int64(1) << card
                if b["retold"] and not _could_play(view, rules, b, seat, trick, hand):
                    return False
        out["dealt"][seat] = hand
    return True


@nb.njit(cache=True)
def _could_play(view, rules, b, seat, trick, hand):
    """Return whether a seat could play what it did to a trick, signals inside, from a hand."""
    card = b["plays"][trick, seat]
    bit = np.int64(1) << card
    bound = rules["follow"] == 0 or trick * rules["num_seats"] >= rules["stock"]
    if bound and card // 10 != b["leads"][trick] and hand & (SUIT << (10 * b["leads"][trick])):
        return False
    if rules["signals_bind"]:
        for k in range(rules["num_signals"]):
            if view["signalled"][k] & bit and truthful_cards(hand, bit, rules["signal_kind"][k], rules) == 0:
                return False
    return True


# ---------------------------------------------------------------- auction and exchange
@nb.njit(cache=True)
def _undo_auction(view, rules, key, out):
    """Undo exchange and call in the hands as dealt; return False where they disagree with what was called."""
    declarer = view["declarer"]
    giver = view["called_from"]
    called = np.int64(1) << np.int64(view["called"]) if view["called"] >= 0 else np.int64(0)
    given = np.int64(1) << np.int64(view["given"]) if view["given"] >= 0 else np.int64(0)
    if declarer >= 0 and declarer != view["to_act"]:
        if view["exchanged"] and not _undo_exchange(view, rules, called if giver >= 0 else 0, key, out):
            return False
        if giver >= 0:
            if out["dealt"][declarer] & called == 0:
                return False
            out["dealt"][declarer] = (out["dealt"][declarer] & ~called) | given
        if called:
            above = above_call(rules, np.int64(view["called"]))
            if out["dealt"][declarer] & above != above:
                return False
    if giver >= 0 and giver != view["to_act"]:
        if out["dealt"][giver] & given != given:
            return False
        out["dealt"][giver] = (out["dealt"][giver] & ~given) | called
    return _dealt_agrees(view, rules, called, out)


@nb.njit(cache=True)
def _undo_exchange(view, rules, kept, key, out):
    """Put the discards back and take out the cards of the monte: any of them where nobody saw which.

    Returns False where a card seen in the monte, or one that was handed over (`kept`), would not have been there.
    """
    declarer = view["declarer"]
    cards = out["dealt"][declarer]
    for i in range(view["exchanged"]):
        cards |= np.int64(1) << np.int64(out["discards"][i])
    if kept & ~cards:
        return False
    shown = monte_shown(view, rules)
    for i in range(view["exchanged"]):
        place = rules["stock"] + i
        if not shown:
            out["undealt"][place] = index_of_lowest(_pick(cards, key, _STREAM * MAX_SEATS + i))
        bit = np.int64(1) << np.int64(out["undealt"][place])
        if bit & kept or bit & cards == 0:
            return False
        cards ^= bit
    out["dealt"][declarer] = cards
    return True


@nb.njit(cache=True)
def _dealt_agrees(view, rules, called, out):
    """Return whether the trump card was the dealer's and the called card where the call found it."""
    if view["trump_card"] >= 0 and (out["dealt"][view["dealer"]] >> np.int64(view["trump_card"])) & 1 == 0:
        return False
    if called == 0:
        return True
    if out["dealt"][view["declarer"]] & called:
        return False
    for seat in range(rules["num_seats"]):
        if rules["auction"] != CHIAMATA and out["dealt"][seat] & called and seat != view["called_from"]:
            return False
    return True


@nb.njit(cache=True)
def _find_partner(view, rules, out):
    """Set the declarer's secret partner: who was dealt the called card. Returns False where the seat knows another."""
    called = np.int64(1) << np.int64(view["called"])
    partner = -1
    for seat in range(rules["num_seats"]):
        if out["dealt"][seat] & called:
            partner = seat
    shown = partner >= 0 and (partner == view["to_act"] or view["played"][partner] & called)
    if view["partner"] != (partner if shown else -1):
        return False
    out["partner"] = partner
    if partner >= 0:
        out["side_of"][partner] = 0
    return True


# ---------------------------------------------------------------- silent turns
@nb.njit(cache=True)
def _note_silence(view, rules, out):
    """Note which other seats were asked for a declaration, or whether to call monte, and said nothing more."""
    n = rules["num_seats"]
    asked = rules["declare"] == 1 and view["phase"] != ANNUL
    if rules["declare_when"] == 1 or (rules["declare_when"] == 2 and view["num_played"] < n):
        asked = False
    for i in range(n):
        seat = (view["dealer"] + 1 + i) % n
        if seat == view["to_act"]:
            if view["phase"] == ANNUL:
                return
            if view["phase"] == DECLARE:
                asked = False
            continue
        if rules["annul"] and sum_sixths(out["dealt"][seat]) < 6:
            out["played_on"] |= 1 << seat
        if asked and undeclared(out, seat):
            out["closed"] |= 1 << seat
