"""Kernels that turn a seat's view of a STATE record into the float32 observation; the layout is `observation.Layout`.

Card features are gathered as 40-bit sets, transposed eight planes at a time and expanded through a table, so that a
row costs a few hundred nanoseconds. With `full` the hands of the others replace the `may_hold` planes (central critic).
"""

import numba as nb
import numpy as np

from tressette_env.engine.bits import combination_cards, highest_of_suit, sum_sixths
from tressette_env.engine.kernels import led_suit
from tressette_env.engine.state import NUM_COMBINATIONS, OVER, STATE_DTYPE
from tressette_env.engine.view import redact
from tressette_env.rules import RULES_DTYPE

SCRATCH_WORDS = 48  # int64: card planes first, then bits of the global part
_FIRST_BIT_WORD = 32
_BYTE = np.array([[(b >> i) & 1 for i in range(8)] for b in range(256)], np.float32)
_RANK_OF_SUITS = 1 | 1 << 10 | 1 << 20 | 1 << 30
POINTS_SCALE = 72.0  # sixths of a point in captured and table features are divided by this
assert RULES_DTYPE.itemsize % 8 == 0 and STATE_DTYPE.itemsize % 8 == 0


@nb.njit(cache=True)
def _transpose(x):
    """Transpose an 8 x 8 bit matrix held in an int64 (Hacker's Delight 7-3)."""
    t = (x ^ (x >> 7)) & 0x00AA00AA00AA00AA
    x = x ^ t ^ (t << 7)
    t = (x ^ (x >> 14)) & 0x0000CCCC0000CCCC
    x = x ^ t ^ (t << 14)
    t = (x ^ (x >> 28)) & 0x00000000F0F0F0F0
    return x ^ t ^ (t << 28)


@nb.njit(cache=True)
def _seat_after(seat, steps, n):
    """Return the seat that sits `steps` (0..n-1) places on. No division: rows are encoded millions of times a second."""
    other = seat + steps
    return other - n if other >= n else other


@nb.njit(cache=True)
def _steps_to(seat, other, n):
    """Return how many places (0..n-1) `other` sits after `seat`; `other` may be n, which is seat 0."""
    steps = other - seat
    if steps < 0:
        return steps + n
    return steps - n if steps >= n else steps


@nb.njit(cache=True, inline="always")
def _card_planes(view, rules, seat, full, planes):
    """Fill the bit sets of the card planes in layout order (the last plane, `trick`, is no bit set); return their number."""
    n = rules["num_seats"]
    hand = view["hands"][seat]
    seen = hand
    known = 0
    planes[0] = hand
    f = 1
    for r in range(n):
        other = _seat_after(seat, r, n)
        planes[f] = view["played"][other]
        seen |= view["played"][other]
        known |= view["exposed"][other] & ~view["played"][other]
        f += 1
    planes[f] = view["led"]
    planes[f + 1] = view["table"] if view["best_card"] >= 0 else 0
    f += 2
    for r in range(1, n):
        other = _seat_after(seat, r, n)
        if full:
            planes[f] = view["hands"][other]
        else:
            elsewhere = known & ~view["exposed"][other]
            planes[f] = rules["deck"] & ~seen & ~view["denied"][other] & ~elsewhere
        f += 1
    for k in range(rules["num_signals"]):
        planes[f] = view["signalled"][k]
        f += 1
    out = rules["deck"] & ~(seen & ~hand)
    best = view["best_card"]
    masters = 0
    beats = 0
    for suit in range(4):
        top = highest_of_suit(out, suit)
        if top >= 0:
            masters |= 1 << top
        if best >= 0:
            if suit == best // 10:
                beats |= hand & (((1 << (10 * suit + 10)) - 1) ^ ((1 << (best + 1)) - 1))
            elif suit == view["trump"]:
                beats |= hand & (1023 << (10 * suit))
    planes[f] = masters
    planes[f + 1] = beats
    return f + 2


@nb.njit(cache=True, inline="always")
def _put(words, at, value, width):
    """Write `width` (at most 63) bits at bit position `at` of the global part; return the next position."""
    word = _FIRST_BIT_WORD + at // 64
    shift = at % 64
    words[word] |= value << shift
    if shift + width > 64:
        words[word + 1] |= value >> (64 - shift)
    return at + width


@nb.njit(cache=True, inline="always")
def _turn_bits(view, rules, seat):
    """Return (bits, width) of phase, eldest, leader, cards_on_table, led_suit, winning and trick_number: at most 52."""
    n = rules["num_seats"]
    over = view["phase"] == OVER
    trick = view["num_played"] // n
    suit = led_suit(view, rules)
    bits = 1 << view["phase"] if over or view["to_act"] == seat else 0
    bits |= 1 << (8 + _steps_to(seat, view["dealer"] + 1, n))
    bits |= 1 << (8 + n + _steps_to(seat, view["leader"], n))
    bits |= 1 << (8 + 2 * n + view["num_played"] - n * trick)
    width = 8 + 3 * n
    if suit >= 0:
        bits |= 1 << (width + suit)
    if view["best_seat"] >= 0:
        bits |= 1 << (width + 4 + _steps_to(seat, view["best_seat"], n))
    width += 4 + n
    if not over:
        bits |= 1 << (width + trick)
    return bits, width + rules["num_tricks"]


@nb.njit(cache=True, inline="always")
def _global_bits(view, rules, seat, words):
    """Write the one-bit features of the global part in layout order; return their number."""
    n = rules["num_seats"]
    for i in range(_FIRST_BIT_WORD, SCRATCH_WORDS):
        words[i] = 0
    bits, width = _turn_bits(view, rules, seat)
    at = _put(words, 0, bits, width)
    bits = 0
    for r in range(1, n):
        denied = view["denied"][_seat_after(seat, r, n)]
        for suit in range(4):
            bits |= np.int64((denied >> (10 * suit)) & 1023 == 1023) << (4 * (r - 1) + suit)
    at = _put(words, at, bits, 4 * (n - 1))
    if rules["declare"]:
        bits = 0
        for r in range(n):
            bits |= _missing_suits(view, _seat_after(seat, r, n)) << (12 * r)
        at = _put(words, at, bits, 12 * n)
        if rules["declare"] == 1:
            at = _put(words, at, (view["closed"] >> seat) & 1, 1)
    if rules["annul"]:
        at = _put(words, at, (view["played_on"] >> seat) & 1, 1)
    if rules["trump"]:
        at = _put(words, at, 1 << view["trump"], 4)
        at = _put(words, at, 1 << (view["trump_card"] % 10), 10)
    if rules["objective"] == 1:
        for r in range(rules["num_sides"]):
            at = _put(words, at, (view["contenders"] >> _relative_side(view, rules, seat, r)) & 1, 1)
    return at


@nb.njit(cache=True)
def _missing_suits(view, seat):
    """Return, for the rank sets A, 2, 3 that a seat declared with three cards, the missing suit: 3 x 4 bits."""
    missing = 0
    if view["declared_sixths"][seat] == 0:
        return missing
    for rank in range(3):
        if view["declared"][seat * NUM_COMBINATIONS + 4 + rank]:
            shown = combination_cards(view["exposed"][seat], 4 + rank) >> (7 + rank)
            for suit in range(4):
                if not (shown >> (10 * suit)) & 1:
                    missing |= 1 << (4 * rank + suit)
    return missing


@nb.njit(cache=True)
def _relative_side(view, rules, seat, r):
    """Return the r-th side counted from the seat's own, in number order around the sides."""
    return _seat_after(view["side_of"][seat], r, rules["num_sides"])


@nb.njit(cache=True, inline="always")
def _expand8(byte, out, at):
    """Write the eight bits of a byte as floats. Unsigned indices: no wrap-around tests, so the loop vectorises."""
    start = np.uint64(at)
    row = np.uint64(byte)
    for i in range(8):
        out[start + np.uint64(i)] = _BYTE[row, np.uint64(i)]


@nb.njit(cache=True, inline="always")
def _expand(byte, out, at, width):
    """Write the low `width` (at most 8) bits of a byte as floats."""
    for i in range(width):
        out[np.uint64(at + i)] = _BYTE[np.uint64(byte), np.uint64(i)]


@nb.njit(cache=True, inline="always")
def _expand_planes(planes, num_bits, width, out):
    """Write `num_bits` card sets as floats, card by card; `width` floats a card, the last of them left for `trick`."""
    for i in range(num_bits, num_bits + 8):
        planes[i] = 0
    for group in range(0, width, 8):
        for chunk in range(5):
            x = 0
            for i in range(8):
                x |= ((planes[np.uint64(group + i)] >> (8 * chunk)) & 255) << (8 * i)
            x = _transpose(x)
            at = 8 * chunk * width + group
            if width - group >= 8:
                for i in range(8):
                    _expand8((x >> (8 * i)) & 255, out, at + i * width)
            else:
                for i in range(8):
                    _expand((x >> (8 * i)) & 255, out, at + i * width, width - group)


@nb.njit(cache=True)
def encode(view, rules, seat, full, words, out):
    """Write the observation of `seat` from its view (or, with `full`, the state in its frame) into `out` float32 (F,)."""
    n = rules["num_seats"]
    num_bits = _card_planes(view, rules, seat, full, words)
    width = num_bits + 1
    _expand_planes(words, num_bits, width, out)
    value = 0.0
    step = 1.0 / rules["num_tricks"]
    place = n
    for i in range(view["num_played"]):
        if place == n:
            value += step
            place = 0
        out[np.uint64(view["order"][i] * width + num_bits)] = value
        place += 1
    at = 40 * width
    num_global = _global_bits(view, rules, seat, words)
    for first in range(0, num_global, 8):
        byte = (words[np.uint64(_FIRST_BIT_WORD + first // 64)] >> (first % 64)) & 255
        if num_global - first >= 8:
            _expand8(byte, out, at + first)
        else:
            _expand(byte, out, at + first, num_global - first)
    at += num_global
    if rules["declare"]:
        for r in range(n):
            other = _seat_after(seat, r, n)
            for combination in range(NUM_COMBINATIONS):
                out[np.uint64(at + combination)] = 0.0
            if view["declared_sixths"][other]:
                for combination in range(NUM_COMBINATIONS):
                    place = view["declared"][other * NUM_COMBINATIONS + combination]
                    out[np.uint64(at + combination)] = (8 - place) / 7.0 if place else 0.0
            at += NUM_COMBINATIONS
    sides = rules["num_sides"]
    for r in range(sides):
        side = _relative_side(view, rules, seat, r)
        captured = 0
        for other in range(n):
            if view["side_of"][other] == side:
                captured += view["captured"][other]
        out[at + r] = captured / POINTS_SCALE
        out[at + sides + r] = view["totals"][side] / (6.0 * rules["target"])
    at += 2 * sides
    out[at] = sum_sixths(words[n + 2]) / POINTS_SCALE
    out[at + 1] = view["redeals"] / n
    for i in range(at + 2, out.shape[0]):
        out[i] = 0.0


@nb.njit(cache=True)
def observe(state, rules, seat, scratch, words, out):
    """Write what `seat` is shown of a full record into `out`; `scratch` is a spare record for the view."""
    copy_record(state, scratch)
    redact(scratch[0], rules, seat)
    encode(scratch[0], rules, seat, False, words, out)


@nb.njit(cache=True)
def copy_record(state, scratch):
    """Copy a record into the first slot of an array of records."""
    scratch[0] = state
