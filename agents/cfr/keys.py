"""What a seat knows as one 64-bit number: equal numbers for equal information, whoever dealt.

Seats are counted from eldest hand, so that a table learned with one dealer serves all. What lasts over a match (its
score, how often the deal was thrown in) is left out: one deal is the game. Two of a million information sets share a
number with a chance of about one in 10**7 (birthday bound on 64 bits); `tree` refuses a game in which that happens.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

import numba as nb
import numpy as np

from tressette_env.engine.randomness import mix
from tressette_env.engine.state import NUM_COMBINATIONS
from tressette_env.engine.view import redact

_GAMMA = np.uint64(0x9E3779B97F4A7C15)


@nb.njit(cache=True)
def _add(word, value):
    """Return a word with one more signed number in it; the order of the numbers matters."""
    return mix(word ^ (np.uint64(value) + _GAMMA)) + _GAMMA


@nb.njit(cache=True)
def _place(seat, eldest, n):
    """Return how many places a seat sits after eldest hand; -1 stays."""
    if seat < 0:
        return np.int64(-1)
    return (np.int64(seat) - eldest + n) % n


@nb.njit(cache=True)
def view_key(view, rules, seat):
    """Return the number, uint64, of what a seat knows, from its redacted record."""
    n = np.int64(rules["num_seats"])
    eldest = (np.int64(view["dealer"]) + 1) % n
    word = _add(_GAMMA, _place(seat, eldest, n))
    word = _add(word, view["dealt"][seat])
    word = _add(word, view["hands"][seat])
    word = _add(word, np.int64(view["phase"]) * 8 + _place(view["to_act"], eldest, n))
    for i in range(view["num_played"]):
        word = _add(word, np.int64(view["order"][i]))
    for k in range(rules["num_signals"]):
        word = _add(word, view["signalled"][k])
    if rules["trump"]:
        word = _add(word, np.int64(view["trump_card"]))
    if rules["declare"]:
        word = _add(word, np.int64(view["closed"] >> seat) & 1)
        for r in range(n):
            other = (eldest + r) % n
            for combination in range(NUM_COMBINATIONS):
                word = _add(word, np.int64(view["declared"][other * NUM_COMBINATIONS + combination]))
            word = _add(word, view["exposed"][other])  # the ranks that a declaration shows
    if rules["annul"]:
        word = _add(word, np.int64(view["played_on"] >> seat) & 1)
    if rules["stock"] or rules["monte"]:
        for i in range(rules["stock"] + rules["monte"]):
            word = _add(word, np.int64(view["undealt"][i]))
    if rules["auction"]:
        word = _add_auction(view, rules, eldest, n, word)
    return word


@nb.njit(cache=True)
def _add_auction(view, rules, eldest, n, word):
    for r in range(n):
        word = _add(word, np.int64(view["bids"][(eldest + r) % n]))
    for who in (view["declarer"], view["partner"], view["called_from"]):
        word = _add(word, _place(who, eldest, n))
    for what in (view["bid"], view["called"], view["given"], view["exchanged"], view["discards_due"]):
        word = _add(word, np.int64(what))
    for i in range(view["discards"].shape[0]):
        word = _add(word, np.int64(view["discards"][i]))
    return word


@nb.njit(cache=True)
def state_key(state, rules, scratch):
    """Return the number of what the seat to act knows in a full record; `scratch`: STATE_DTYPE (1,), overwritten."""
    scratch[0] = state
    seat = np.int64(state["to_act"])
    redact(scratch[0], rules, seat)
    return view_key(scratch[0], rules, seat)
