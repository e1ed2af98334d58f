"""Kernels that turn a seat's view of a STATE record into the float32 observation; the layout is `observation.Layout`.

Card features are gathered as 40-bit sets, one word a plane, and expanded eight planes at a time with one vector test
per card; the global part is zeros with few ones. A row costs about 200 ns. With `full` the hands of the others
replace the `may_hold` planes (central critic).
"""

from typing import Any

import numba as nb
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import config, types
from numba.core.errors import TypingError
from numba.extending import intrinsic

from tressette_env.engine.bits import combination_cards, highest_of_suit, sum_sixths
from tressette_env.engine.kernels import cards_on_table, competitor_of, led_suit
from tressette_env.engine.phases import CALABRESELLA
from tressette_env.engine.state import NUM_COMBINATIONS, OVER, STATE_DTYPE
from tressette_env.engine.view import redact
from tressette_env.rules import RULES_DTYPE

SCRATCH_WORDS = 32  # int64: one word a card plane
POINTS_SCALE = 72.0  # sixths of a point in captured and table features are divided by this
assert RULES_DTYPE.itemsize % 8 == 0 and STATE_DTYPE.itemsize % 8 == 0


if getattr(config, "DISABLE_JIT", False):  # plain Python for the debugger and for coverage

    def _put_card(planes: Any, first: Any, bit: int, out: Any, at: Any) -> None:
        """Write whether `bit` is in planes[first : first + 8] as eight floats from out[at] on."""
        out[int(at) : int(at) + 8] = [1.0 if planes[int(first) + i] & bit else 0.0 for i in range(8)]

else:

    @intrinsic
    def _put_card(typing_context: Any, planes: Any, first: Any, bit: Any, out: Any, at: Any) -> Any:
        """Write whether `bit` is in planes[first : first + 8] as eight floats from out[at] on: vector instructions.

        numba's own loops do not become vector code here, because it cannot tell that the two arrays are apart.
        """
        if planes.layout != "C" or out.layout != "C" or planes.dtype != types.int64 or out.dtype != types.float32:
            raise TypingError("the observation is written to contiguous float32 rows, with int64 scratch words")
        words, lanes, floats = (ir.VectorType(kind, 8) for kind in (ir.IntType(64), ir.IntType(32), ir.FloatType()))

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            source = context.make_array(signature.args[0])(context, builder, args[0]).data
            target = context.make_array(signature.args[3])(context, builder, args[3]).data
            source = builder.bitcast(builder.gep(source, [args[1]]), words.as_pointer())
            target = builder.bitcast(builder.gep(target, [args[4]]), floats.as_pointer())
            undefined = ir.Constant(words, ir.Undefined)
            tested = builder.insert_element(undefined, args[2], ir.IntType(32)(0))
            tested = builder.shuffle_vector(tested, undefined, ir.Constant(lanes, [0] * 8))
            found = builder.and_(builder.load(source, align=8), tested)
            is_set = builder.icmp_unsigned("!=", found, ir.Constant(words, [0] * 8))
            ones, zeros = ir.Constant(floats, [1.0] * 8), ir.Constant(floats, [0.0] * 8)
            builder.store(builder.select(is_set, ones, zeros), target, align=4)
            return context.get_dummy_value()

        return types.void(planes, types.uint64, types.int64, out, types.uint64), generate


@nb.njit(cache=True)
def _seat_after(seat, steps, n):
    """Return the seat that sits `steps` (0..n-1) places on. No division: it would be the slowest part."""
    other = int(seat) + steps
    return other - n if other >= n else other


@nb.njit(cache=True)
def _steps_to(seat, other, n):
    """Return how many places (0..n-1) `other` sits after `seat`; `other` may be n, which is seat 0."""
    steps = int(other) - int(seat)
    if steps < 0:
        return steps + n
    return steps - n if steps >= n else steps


@nb.njit(cache=True, forceinline=True)
def _card_planes(view, rules, seat, full, planes):
    """Fill the bit sets of the card planes in layout order, all but the last plane (`trick`); return their number."""
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
    if rules["exchange_cards"]:
        seen |= _discarded(view)
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
    best = int(view["best_card"])
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
    if rules["stock"] | rules["monte"] | rules["auction"]:
        return _family_planes(view, rules, seat, full, rules["deck"] & ~seen & ~known, planes, f + 2)
    return f + 2


@nb.njit(cache=True)
def _discarded(view):
    """Return the discards that the view shows, as a bit set."""
    cards = 0
    for i in range(view["exchanged"]):
        if view["discards"][i] >= 0:
            cards |= 1 << int(view["discards"][i])
    return cards


@nb.njit(cache=True)
def _family_planes(view, rules, seat, full, unplaced, planes, f):
    """Fill what games with a stock, a monte or an auction add, from planes[f] on; return the next plane.

    `unplaced`: the unseen cards that are in no hand for certain.
    """
    if rules["stock"] or rules["auction"] == CALABRESELLA:
        planes[f] = view["dealt"][seat]
        f += 1
    if rules["stock"] or rules["monte"]:
        f = _undealt_planes(view, rules, seat, full, unplaced, planes, f)
    if rules["auction"]:
        f = _auction_planes(view, rules, planes, f)
    if rules["stock"] or rules["exchange_cards"]:
        planes[f] = 0  # `place`, written later
        f += 1
    return f


@nb.njit(cache=True)
def _undealt_planes(view, rules, seat, full, unplaced, planes, f):
    """Fill `known` of every other seat and `undealt`; with `full`, the latter is what really lies there."""
    n = rules["num_seats"]
    for r in range(1, n):
        other = _seat_after(seat, r, n)
        planes[f] = view["exposed"][other] & ~view["played"][other]
        f += 1
    planes[f] = unplaced
    if full:
        cards = 0
        for i in range(view["num_drawn"], rules["stock"]):
            cards |= 1 << int(view["undealt"][i])
        for i in range(rules["stock"] + view["exchanged"], rules["stock"] + rules["monte"]):
            cards |= 1 << int(view["undealt"][i])
        planes[f] = cards
    return f + 1


@nb.njit(cache=True)
def _auction_planes(view, rules, planes, f):
    """Fill `called`, and where cards are exchanged `given`, `monte` and `discarded`; return the next plane."""
    planes[f] = 1 << int(view["called"]) if view["called"] >= 0 else 0
    f += 1
    if rules["auction"] == CALABRESELLA:
        planes[f] = 1 << int(view["given"]) if view["given"] >= 0 else 0
        f += 1
    if rules["exchange_cards"]:
        cards = 0
        for i in range(view["exchanged"]):
            card = int(view["undealt"][rules["stock"] + i])
            cards |= 1 << card if card >= 0 else 0
        planes[f] = cards
        planes[f + 1] = 0  # `discarded`, written later
        f += 2
    return f


@nb.njit(cache=True)
def _relative_competitor(view, rules, seat, r):
    """Return the r-th competitor counted from the seat's own, in number order."""
    return _seat_after(competitor_of(view, rules, seat), r, rules["num_competitors"])


@nb.njit(cache=True, forceinline=True)
def _expand_planes(planes, num_bits, width, out):
    """Write `num_bits` card sets as floats, card by card; `width` floats a card, the last of them left for `trick`."""
    for f in range(num_bits, SCRATCH_WORDS):
        planes[f] = 0
    if width % 8 == 0:
        for group in range(0, width, 8):
            at = np.uint64(group)
            for card in range(40):
                _put_card(planes, np.uint64(group), 1 << card, out, at)
                at += np.uint64(width)
        return
    for card in range(40):  # in rising order: what runs over into the next card (or the globals) is written again
        at = np.uint64(card * width)
        for group in range(0, width, 8):
            _put_card(planes, np.uint64(group), 1 << card, out, at + np.uint64(group))


@nb.njit(cache=True, forceinline=True)
def _put_tricks(view, rules, width, out):
    """Write the `trick` plane, the last of the `width`; return the number of complete tricks."""
    n = rules["num_seats"]
    step = 1.0 / rules["num_tricks"]
    value = 0.0
    trick = 0
    last = int(view["num_played"]) - cards_on_table(view, rules)
    i = 0
    while i < last:
        value += step
        trick += 1
        for _ in range(n):
            out[np.uint64(int(view["order"][np.uint64(i)]) * width + width - 1)] = value
            i += 1
    value += step
    while i < view["num_played"]:
        out[np.uint64(int(view["order"][np.uint64(i)]) * width + width - 1)] = value
        i += 1
    return trick


@nb.njit(cache=True)
def _put_places(view, rules, width, out):
    """Write the `place` plane, the last but one: where stock and monte held the cards that the view shows of them.

    In front of it, in games with an exchange, `discarded` gets the order of the discards.
    """
    size = rules["stock"] + rules["monte"]
    for i in range(size):
        card = int(view["undealt"][i])
        if card >= 0:
            out[np.uint64(card * width + width - 2)] = (i + 1) / size
    for i in range(view["exchanged"]):
        card = int(view["discards"][i])
        if card >= 0:
            out[np.uint64(card * width + width - 3)] = (i + 1) / rules["exchange_cards"]


@nb.njit(cache=True, forceinline=True)
def _one(out, at):
    out[np.uint64(at)] = 1.0


@nb.njit(cache=True, forceinline=True)
def _put_turn(view, rules, seat, trick, out, at):
    """Set phase, eldest, leader, cards_on_table, led_suit, winning and trick_number from out[at]; return the end."""
    n = rules["num_seats"]
    over = view["phase"] == OVER
    on_table = cards_on_table(view, rules)
    if over or view["to_act"] == seat:
        _one(out, at + int(view["phase"]))
    at += 8
    _one(out, at + _steps_to(seat, view["dealer"] + 1, n))
    _one(out, at + n + _steps_to(seat, view["leader"], n))
    _one(out, at + 2 * n + on_table)
    at += 3 * n
    if on_table:
        _one(out, at + led_suit(view, rules))
    at += 4
    if view["best_seat"] >= 0:
        _one(out, at + _steps_to(seat, view["best_seat"], n))
    at += n
    if not over:
        _one(out, at + trick)
    return at + rules["num_tricks"]


@nb.njit(cache=True, forceinline=True)
def _put_known(view, rules, seat, out, at):
    """Set void, missing_suit, own_done, own_play_on, trump and contenders from out[at]; return the end."""
    n = rules["num_seats"]
    for r in range(1, n):
        denied = view["denied"][_seat_after(seat, r, n)]
        for suit in range(4):
            if (denied >> (10 * suit)) & 1023 == 1023:
                _one(out, at + suit)
        at += 4
    if rules["declare"]:
        for r in range(n):
            other = _seat_after(seat, r, n)
            if view["declared_sixths"][other]:
                _put_missing_suits(view, other, out, at)
            at += 12
        if rules["declare"] == 1:
            out[np.uint64(at)] = (view["closed"] >> seat) & 1
            at += 1
    if rules["annul"]:
        out[np.uint64(at)] = (view["played_on"] >> seat) & 1
        at += 1
    if rules["trump"]:
        _one(out, at + int(view["trump"]))
        _one(out, at + 4 + int(view["trump_card"]) % 10)
        at += 14
    if rules["objective"] == 1:
        for r in range(rules["num_sides"]):
            out[np.uint64(at)] = (view["contenders"] >> _relative_competitor(view, rules, seat, r)) & 1
            at += 1
    if rules["auction"]:
        at = _put_auction(view, rules, seat, out, at)
    return at


@nb.njit(cache=True)
def _put_auction(view, rules, seat, out, at):
    """Set bids, declarer, partner, called_from and extra from out[at]; return the end."""
    n = rules["num_seats"]
    kinds = rules["first_call"] - rules["first_bid"]
    for r in range(n):
        bid = view["bids"][_seat_after(seat, r, n)]
        if bid:
            _one(out, at + int(bid) - 1)
        at += kinds
    for who in (view["declarer"], view["partner"]):
        if who >= 0:
            _one(out, at + _steps_to(seat, who, n))
        at += n
    if rules["auction"] == CALABRESELLA:
        if view["called_from"] >= 0:
            _one(out, at + _steps_to(seat, view["called_from"], n))
        at += n
    out[np.uint64(at)] = view["extra"]
    return at + 1


@nb.njit(cache=True)
def _put_missing_suits(view, other, out, at):
    """Set, for the rank sets A, 2, 3 that a seat declared with three cards, the missing suit: 3 x 4 flags."""
    for rank in range(3):
        if view["declared"][other * NUM_COMBINATIONS + 4 + rank]:
            shown = combination_cards(view["exposed"][other], 4 + rank) >> (7 + rank)
            for suit in range(4):
                if not (shown >> (10 * suit)) & 1:
                    _one(out, at + 4 * rank + suit)


@nb.njit(cache=True, forceinline=True)
def _put_scalars(view, rules, seat, table, out, at):
    """Write the fractional sections from out[at]; `table`: the cards of the trick under way."""
    n = rules["num_seats"]
    if rules["declare"]:
        for r in range(n):
            other = _seat_after(seat, r, n)
            if view["declared_sixths"][other]:
                for combination in range(NUM_COMBINATIONS):
                    place = view["declared"][other * NUM_COMBINATIONS + combination]
                    if place:
                        out[np.uint64(at + combination)] = (8 - place) / 7.0
            at += NUM_COMBINATIONS
    competitors = rules["num_competitors"]
    for r in range(competitors):
        competitor = _relative_competitor(view, rules, seat, r)
        captured = view["captured"][competitor]
        if not rules["auction"]:
            captured = 0
            for other in range(n):
                if view["side_of"][other] == competitor:
                    captured += view["captured"][other]
        out[np.uint64(at + r)] = captured / POINTS_SCALE
        out[np.uint64(at + competitors + r)] = view["totals"][competitor] / (6.0 * rules["target"])
    at += 2 * competitors
    if table:
        out[np.uint64(at)] = sum_sixths(table) / POINTS_SCALE
    if view["redeals"]:
        out[np.uint64(at + 1)] = view["redeals"] / n
    if rules["exchange_cards"]:
        out[np.uint64(at + 2)] = view["discards_due"] / rules["exchange_cards"]


@nb.njit(cache=True)
def encode(view, rules, seat, full, words, out):
    """Write the observation of `seat` from its view (or, with `full`, the state in its frame) into `out` float32 (F,).

    `words`, int64 (SCRATCH_WORDS,), is scratch.
    """
    num_bits = _card_planes(view, rules, seat, full, words)
    table = words[rules["num_seats"] + 2]
    width = num_bits + 1
    _expand_planes(words, num_bits, width, out)
    trick = _put_tricks(view, rules, width, out)
    if rules["stock"] | rules["exchange_cards"]:
        _put_places(view, rules, width, out)
    at = 40 * width
    for i in range(at, out.shape[0]):
        out[np.uint64(i)] = 0.0
    at = _put_turn(view, rules, seat, trick, out, at)
    at = _put_known(view, rules, seat, out, at)
    _put_scalars(view, rules, seat, table, out, at)


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
