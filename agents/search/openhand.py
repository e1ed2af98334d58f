"""The open-hand search: exact values of positions with all hands seen. Numba kernels over one SOLVER record.

Null-window fail-soft alpha-beta on the points that side 0 still takes, in whole units (thirds, or sixths where the
last trick is worth half a point). A transposition table is asked where a trick begins; its key is a sum over suits of
a hash of who holds what, from the lowest card that is left to the highest, so that equal sequences meet: played cards
drop out, suits can change places, equal neighbours too. Rules that are not here: the cards are put on the table and
the trick is won as `engine.play` does it; tests compare every value with a search over the engine's own kernels.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

import numba as nb
import numpy as np

from tressette_env.engine.bits import card_sixths, count, count_suit, highest_of_suit, index_of_lowest, sum_sixths
from tressette_env.engine.kernels import cards_on_table, led_suit, playable_cards
from tressette_env.rules import MAX_SEATS

SUIT = 1023
TABLE_BITS = 20
ENTRIES = 1 << TABLE_BITS
MAX_DEPTH = 44
MAX_MOVES = 16
NO_MOVE = 63
WIDE = 64  # a step that leaves nothing but halving
_ACE = 7

SOLVER_DTYPE = np.dtype(
    [
        ("table", "i8", 2 * ENTRIES),  # key, then bounds and best lead
        ("keys", "i8", (4, 1024)),  # of a suit, by the set of its cards that are left
        ("sure_units", "i4", (MAX_SEATS, 4, 1024)),  # what a leader takes at least by cashing a suit
        ("sure_tricks", "i4", (MAX_SEATS, 4, 1024)),
        ("units_of", "i8", 1024),  # units in a set of cards of one suit
        ("hands", "i8", MAX_SEATS),
        ("side", "i8", MAX_SEATS),  # 1 for side 1, else 0
        ("moves", "i4", (MAX_DEPTH, MAX_MOVES)),
        ("scores", "i4", (MAX_DEPTH, MAX_MOVES)),
        ("best", "i8", MAX_DEPTH),
        ("num_seats", "i8"),
        ("trump", "i8"),
        ("maximiser", "i8"),  # the side that wants side 0 to take much
        ("last_units", "i8"),  # last trick, monte and discards
        ("sixths", "i8"),  # in a unit
        ("context", "i8"),  # part of every key: what else the value depends on
        ("nodes", "i8"),
    ],
    align=True,
)
_SOLVER = nb.from_dtype(SOLVER_DTYPE)


@nb.njit(cache=True)
def _mix(word):
    """Return a well mixed signed 64-bit word (SplitMix64's finaliser on the unsigned pattern)."""
    x = np.uint64(word)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64(x ^ (x >> np.uint64(31)))


@nb.njit(cache=True)
def _units_left(solver, left):
    units = solver["units_of"]
    return units[left & SUIT] + units[(left >> 10) & SUIT] + units[(left >> 20) & SUIT] + units[(left >> 30) & SUIT]


@nb.njit(cache=True)
def _cashed(solver, leader, left):
    """Return what the leader takes at least by cashing winners, in units; -1 when it takes every trick."""
    trump = solver["trump"]
    if trump >= 0:
        for seat in range(solver["num_seats"]):
            if seat != leader and count_suit(solver["hands"][seat], trump):
                return solver["sure_units"][leader, trump, (left >> (10 * trump)) & SUIT]
    units = 0
    tricks = 0
    for suit in range(4):
        part = (left >> (10 * suit)) & SUIT
        units += solver["sure_units"][leader, suit, part]
        tricks += solver["sure_tricks"][leader, suit, part]
    return -1 if tricks == count(solver["hands"][leader]) else units


# ---------------------------------------------------------------- moves
@nb.njit(cache=True)
def _outlook(solver, seat, placed, led):
    """Return the highest card of the led suit that seats yet to play hold: of the other side, of the own side."""
    n = solver["num_seats"]
    theirs = -1
    ours = -1
    following = seat
    for _ in range(n - placed - 1):
        following = following + 1 if following + 1 < n else 0
        top = highest_of_suit(solver["hands"][following], led)
        if solver["side"][following] == solver["side"][seat]:
            ours = max(ours, top)
        else:
            theirs = max(theirs, top)
    return theirs, ours


@nb.njit(cache=True)
def _add_move(solver, ply, size, card, score):
    """Insert a move into the list of a ply, best first; return the new length."""
    at = size
    while at > 0 and solver["scores"][ply, at - 1] < score:
        solver["scores"][ply, at] = solver["scores"][ply, at - 1]
        solver["moves"][ply, at] = solver["moves"][ply, at - 1]
        at -= 1
    solver["scores"][ply, at] = score
    solver["moves"][ply, at] = card
    return size + 1


@nb.njit(cache=True)
def _collect(solver, ply, seat, placed, led, best, best_seat, left, hint):
    """List the moves of a seat, one of each run of equal neighbours, those that should cut first; return how many."""
    hand = solver["hands"][seat]
    cards = hand & (SUIT << (10 * led)) if led >= 0 else 0
    if cards == 0:
        cards = hand
    present = left | (1 << best) if best >= 0 else left
    wanted = 1 if solver["maximiser"] == 0 else -1
    theirs, ours = -1, -1
    winning = False
    if led >= 0:
        theirs, ours = _outlook(solver, seat, placed, led)
        winning = solver["side"][best_seat] == solver["side"][seat]
    size = 0
    for suit in range(4):
        own = (cards >> (10 * suit)) & SUIT
        if own == 0:
            continue
        if led < 0:
            theirs, ours = _outlook(solver, seat, 0, suit)
        between = ((present & ~hand) >> (10 * suit)) & SUIT
        before = -1
        while own:
            bit = own & -own
            own ^= bit
            strength = index_of_lowest(bit)
            units = solver["units_of"][bit]
            if before >= 0 and solver["units_of"][1 << before] == units and not between & (bit - 1) & -(1 << before):
                before = strength
                continue
            before = strength
            card = 10 * suit + strength
            takes = led < 0 or (suit == best // 10 and card > best) or (suit == solver["trump"] and best // 10 != suit)
            top = card if takes else best
            mine = takes or winning
            good = (top > theirs if mine else False) or (ours > theirs and ours > top)
            score = wanted * (100 + 8 * units if good else -8 * units) - strength
            if card == hint:
                score = 10000
            size = _add_move(solver, ply, size, card, score)
    return size


# ---------------------------------------------------------------- search
@nb.njit(cache=True)
def _key(solver, leader, left):
    """Return the key of a position at the beginning of a trick."""
    keys = solver["keys"]
    return _mix(
        keys[0, left & SUIT]
        + keys[1, (left >> 10) & SUIT]
        + keys[2, (left >> 20) & SUIT]
        + keys[3, (left >> 30) & SUIT]
        + solver["context"]
        + leader
    )


@nb.njit(cache=True)
def _store(solver, key, value, low, high, move, alpha):
    """Note in the table what a search with this alpha found, beside the bounds known before."""
    if value > alpha:
        low = max(low, value)
    else:
        high = min(high, value)
    at = 2 * (key & (ENTRIES - 1))
    solver["table"][at] = key
    solver["table"][at + 1] = low | high << 8 | move << 16


@nb.njit(
    nb.int64(_SOLVER, nb.int64, nb.int64, nb.int64, nb.int64, nb.int64, nb.int64, nb.int64, nb.int64, nb.int64),
    cache=True,
)
def descend(solver, ply, seat, placed, led, best, best_seat, units, left, alpha):
    """Return a bound of what side 0 still takes, the `units` on the table inside: above alpha a lower one, else upper.

    The seat to act has `placed` cards before it in the trick, of which `best` of `best_seat` is winning, and -1 in
    their places where there is none; `left` are the cards in all hands. One function for every ply: a compiled kernel
    can call itself, but not another that calls it back.
    """
    n = solver["num_seats"]
    gain = 0
    low, high, hint, key = 0, 0, -1, 0
    if placed == n:
        seat, placed, led, best = best_seat, 0, -1, -1
        if solver["side"][seat] == 0:
            gain = units
        units = 0
    if placed == 0:
        if left == 0:
            return gain + (solver["last_units"] if solver["side"][seat] == 0 else 0)
        solver["nodes"] += 1
        alpha -= gain
        high = _units_left(solver, left) + solver["last_units"]
        if alpha >= high:
            return gain + high
        if alpha < 0:
            return gain
        key = _key(solver, seat, left)
        at = 2 * (key & (ENTRIES - 1))
        if solver["table"][at] == key:
            data = solver["table"][at + 1]
            low, high, hint = data & 255, (data >> 8) & 255, data >> 16
            if low > alpha:
                return gain + low
            if high <= alpha:
                return gain + high
        elif solver["maximiser"] == 0:
            sure = _cashed(solver, seat, left)
            if sure < 0:
                return gain + (high if solver["side"][seat] == 0 else 0)
            if solver["side"][seat] == 0:
                low = sure
                if low > alpha:
                    return gain + low
            else:
                high -= sure
                if high <= alpha:
                    return gain + high
    wants = solver["side"][seat] == solver["maximiser"]
    size = _collect(solver, ply, seat, placed, led, best, best_seat, left, hint)
    following = seat + 1 if seat + 1 < n else 0
    value = -1 if wants else 1 << 20
    move = NO_MOVE
    for i in range(size):
        card = solver["moves"][ply, i]
        bit = 1 << card
        suit = card // 10
        takes = led < 0 or (suit == best // 10 and card > best) or (suit == solver["trump"] and best // 10 != suit)
        solver["hands"][seat] ^= bit
        found = descend(
            solver,
            ply + 1,
            following,
            placed + 1,
            suit if led < 0 else led,
            card if takes else best,
            seat if takes else best_seat,
            units + solver["units_of"][1 << (card - 10 * suit)],
            left ^ bit,
            alpha,
        )
        solver["hands"][seat] ^= bit
        if wants:
            value = max(value, found)
        else:
            value = min(value, found)
        if (value > alpha) == wants:
            move = card
            break
    if placed == 0:
        _store(solver, key, value, low, high, move, alpha)
    return gain + value


@nb.njit(cache=True)
def exact(solver, ply, seat, placed, led, best, best_seat, units, left, guess, step):
    """Return what side 0 still takes, exactly, by null windows from `guess` on.

    The window moves by `step`, then twice as far each time, and halves what is possible once that is shorter.
    """
    low = 0
    high = units + _units_left(solver, left) + solver["last_units"]
    middle = min(max(guess, 1), high)
    while low < high:
        value = descend(solver, ply, seat, placed, led, best, best_seat, units, left, middle - 1)
        if value >= middle:
            low = value
            middle = low + step
        else:
            high = value
            middle = high - step + 1
        if 2 * step > high - low:
            middle = (low + high + 1) // 2
        step *= 2
    return low


# ---------------------------------------------------------------- a position
@nb.njit(cache=True)
def load(solver, state, rules):
    """Prepare for a record in the middle of its tricks, all cards drawn, the sides settled. Keeps the table."""
    n = rules["num_seats"]
    solver["num_seats"] = n
    solver["trump"] = state["trump"]
    solver["maximiser"] = 1 if rules["objective"] else 0
    solver["sixths"] = 1 if rules["bonus_sixths"] == 3 else 2
    for part in range(1024):
        solver["units_of"][part] = sum_sixths(part) // solver["sixths"]
    left_over = np.int64(rules["bonus_sixths"])
    for i in range(state["exchanged"], rules["monte"]):
        left_over += card_sixths(int(state["undealt"][rules["stock"] + i]))
    for i in range(state["exchanged"]):
        left_over += card_sixths(int(state["discards"][i]))
    solver["last_units"] = left_over // solver["sixths"]
    sides = 0
    left = 0
    for seat in range(n):
        solver["hands"][seat] = state["hands"][seat]
        solver["side"][seat] = state["side_of"][seat]
        sides |= int(state["side_of"][seat]) << seat
        left |= state["hands"][seat]
    context = solver["last_units"] << 20 | solver["sixths"] << 16 | n << 12 | sides << 4 | solver["maximiser"] << 3
    solver["context"] = _mix(context)
    for suit in range(4):
        _load_suit(solver, suit, (left >> (10 * suit)) & SUIT)
    return left


@nb.njit(cache=True)
def _load_suit(solver, suit, present):
    """Fill the tables of a suit for every subset of the cards that are left."""
    salt = 77 if suit == solver["trump"] else 5
    owner = np.zeros(10, np.int64)
    for strength in range(10):
        for seat in range(solver["num_seats"]):
            if (solver["hands"][seat] >> (10 * suit + strength)) & 1:
                owner[strength] = seat
    solver["keys"][suit, 0] = salt
    for mask in range(1, 1024):
        if mask & ~present == 0:
            top = 9
            while not (mask >> top) & 1:
                top -= 1
            units = solver["units_of"][1 << top]
            before = solver["keys"][suit, mask ^ (1 << top)]
            solver["keys"][suit, mask] = _mix(before * 31 + owner[top] * 8 + units + 1)
            for seat in range(solver["num_seats"]):
                _load_sure(solver, suit, mask, seat)


@nb.njit(cache=True)
def _load_sure(solver, suit, mask, leader):
    """Note how many tricks a leader takes by cashing its winners of a suit, and at least how many units in them."""
    own = (solver["hands"][leader] >> (10 * suit)) & mask
    rest = mask & ~own
    tricks = 0
    units = 0
    longest = 0
    for seat in range(solver["num_seats"]):
        if seat != leader:
            longest = max(longest, count((solver["hands"][seat] >> (10 * suit)) & mask))
    tops = own
    while tops and tops > rest:  # its highest card stands above all the others'
        top = _highest(tops)
        tops ^= 1 << top
        units += solver["units_of"][1 << top]
        tricks += 1
    if longest <= tricks:
        units += solver["units_of"][tops]
        tricks += count(tops)
    for seat in range(solver["num_seats"]):
        if seat != leader and tricks:
            part = (solver["hands"][seat] >> (10 * suit)) & mask
            friend = solver["side"][seat] == solver["side"][leader]
            units += _given(solver, part, tricks, friend)
    solver["sure_tricks"][leader, suit, mask] = tricks
    solver["sure_units"][leader, suit, mask] = units


@nb.njit(cache=True)
def _highest(part):
    top = 9
    while not (part >> top) & 1:
        top -= 1
    return top


@nb.njit(cache=True)
def _given(solver, part, tricks, friend):
    """Return the units of the dearest (from a friend) or the cheapest `tricks` cards of a holding, or of all of it."""
    ace = (part >> _ACE) & 1
    blanks = count(part & 15)
    honours = count(part) - ace - blanks
    unit = solver["units_of"][16]
    if friend:
        aces = min(ace, tricks)
        return unit * (3 * aces + min(honours, tricks - aces))
    paid = max(0, tricks - blanks)
    aces = min(ace, max(0, paid - honours))
    return unit * (min(honours, paid) + 3 * aces)


@nb.njit(cache=True)
def open_value(solver, state, rules, left, guess, step):
    """Return the sixths that side 0 takes from here to the end of the deal; `load` came before and returned `left`.

    `guess`, in sixths, and `step`, in units, are where and how wide to look first: see `exact`.
    """
    placed = cards_on_table(state, rules)
    units = sum_sixths(state["table"]) // solver["sixths"] if placed else 0
    best = np.int64(state["best_card"]) if placed else -1
    best_seat = np.int64(state["best_seat"]) if placed else -1
    seat = np.int64(state["to_act"])
    led = np.int64(led_suit(state, rules))
    first = guess // solver["sixths"]
    return exact(solver, 0, seat, placed, led, best, best_seat, units, left, first, step) * solver["sixths"]


@nb.njit(cache=True)
def solve(solver, state, rules):
    """Return the sixths of a point that side 0 takes from here to the end of the deal, both sides seeing all hands."""
    left = load(solver, state, rules)
    solver["nodes"] = 0
    guess = sum_sixths(left) + (sum_sixths(state["table"]) if cards_on_table(state, rules) else 0)
    return open_value(solver, state, rules, left, (guess + solver["sixths"] * solver["last_units"]) // 2, WIDE)


@nb.njit(cache=True)
def card_values(solver, state, rules, out):
    """Write for every legal card what side 0 takes after it, in sixths, to int64 (40,); -1 for the other cards."""
    left = load(solver, state, rules)
    solver["nodes"] = 0
    seat = np.int64(state["to_act"])
    placed = cards_on_table(state, rules)
    units = sum_sixths(state["table"]) // solver["sixths"] if placed else 0
    best = np.int64(state["best_card"]) if placed else -1
    best_seat = np.int64(state["best_seat"]) if placed else -1
    led = np.int64(led_suit(state, rules))
    following = seat + 1 if seat + 1 < rules["num_seats"] else 0
    guess = (units + _units_left(solver, left) + solver["last_units"]) // 2
    step = np.int64(WIDE)
    cards = playable_cards(state, rules)
    for card in range(40):
        out[card] = -1
        if (cards >> card) & 1:
            bit = 1 << card
            suit = card // 10
            takes = led < 0 or (suit == best // 10 and card > best) or (suit == solver["trump"] and best // 10 != suit)
            solver["hands"][seat] ^= bit
            guess = exact(
                solver,
                1,
                following,
                placed + 1,
                suit if led < 0 else led,
                card if takes else best,
                seat if takes else best_seat,
                units + solver["units_of"][1 << (card - 10 * suit)],
                left ^ bit,
                guess,
                step,
            )
            step = np.int64(2)  # the cards of a hand differ by little
            solver["hands"][seat] ^= bit
            out[card] = guess * solver["sixths"]
