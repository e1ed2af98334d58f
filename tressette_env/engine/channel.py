"""Who hears a signal as what: an instrument of research, no part of the game as it is played at a table.

A signal may be meant for the partner's ears alone (`signal_heard_by`) and may be lost or taken for another
(`signal_noise`, in per cent). What becomes of the signal on the i-th card is a pure function of the deal and of i: the
same in both rooms of a duplicate deal, for every hearer, and under any naming of the suits. Who gave a signal knows it
as given and is not told what was heard. Numba kernels over one STATE record.
"""

import numba as nb
import numpy as np

from tressette_env.cards import HONOURS
from tressette_env.engine.legal import SUIT
from tressette_env.engine.randomness import draw, mix
from tressette_env.rules import BUSSO, STRISCIO, VOLO

REPLACE = 1


@nb.njit(cache=True)
def note_signal(state, rules, seat, suit, kind):
    """Note what a truthful signal denies: volo the whole suit, striscio (without honours) its 3, 2 and A."""
    if kind == VOLO:
        state["denied"][seat] |= SUIT << (10 * suit)
    elif kind == STRISCIO and rules["striscio_no_honours"]:
        state["denied"][seat] |= HONOURS << (10 * suit)


@nb.njit(cache=True)
def hear(state, rules, seat):
    """Put in place of the signals given by others, in place, what `seat` heard of them, and what follows from that.

    The record must still hold all hands as dealt, which say what noise did; one that does not was heard before.
    """
    live = state["dealt"][seat - 1 if seat else rules["num_seats"] - 1] != 0
    key = noise_key(state, rules)
    for place in range(state["num_played"]):
        card = int(state["order"][place])
        bit = np.int64(1) << card
        given = -1
        for k in range(rules["num_signals"]):
            if state["signalled"][k] & bit:
                given = k
        if given < 0 or state["played"][seat] & bit:
            continue
        speaker = 0
        while not state["played"][speaker] & bit:
            speaker += 1
        heard = given
        if rules["signal_heard_by"] and state["side_of"][speaker] != state["side_of"][seat]:
            heard = -1
        elif live:
            heard = received(key, rules, place, given, (state["led"] & bit) != 0)
        state["signalled"][given] &= ~bit
        if heard >= 0:
            state["signalled"][heard] |= bit
            if rules["signals_bind"]:
                note_signal(state, rules, speaker, card // 10, rules["signal_kind"][heard])


@nb.njit(cache=True)
def noise_key(state, rules):
    """Return the key of a deal's noise, uint64: of the hands as dealt, whatever the suits are called."""
    key = np.uint64(0)
    for suit in range(4):
        word = np.uint64(0)
        for seat in range(rules["num_seats"]):
            word = (word << np.uint64(10)) | np.uint64((state["dealt"][seat] >> (10 * suit)) & SUIT)
        key += mix(word)
    return mix(key)


@nb.njit(cache=True)
def received(key, rules, place, given, led):
    """Return the number of the signal heard when `given` was said with the card at a place, -1 for none."""
    if draw(key, 2 * place, 100) >= rules["signal_noise"]:
        return given
    if rules["signal_noise_kind"] != REPLACE:
        return -1
    others = 0
    for k in range(rules["num_signals"]):
        others += k != given and (led or rules["signal_kind"][k] != BUSSO)
    if others == 0:
        return -1
    chosen = draw(key, 2 * place + 1, others)
    for k in range(rules["num_signals"]):
        if k != given and (led or rules["signal_kind"][k] != BUSSO):
            if chosen == 0:
                return k
            chosen -= 1
    return -1
