"""Shuffles and deals from counter-based keys: the k-th deal of a seed is a pure function of (seed, k).

Random words: ``engine.randomness``.
"""

import numba as nb

from tressette_env.engine.kernels import begin
from tressette_env.engine.randomness import draw, key_of
from tressette_env.engine.state import BY_MONTE, PLAY


@nb.njit(cache=True)
def first_dealer(seed, k, num_seats):
    """Return the dealer of an episode that starts with the k-th deal of a seed, uniform over seats."""
    return draw(key_of(seed, k, 1), 0, num_seats)


@nb.njit(cache=True)
def clear(state, rules):
    """Blank everything but what lasts over a match, before a deal is laid."""
    for seat in range(rules["num_seats"]):
        state["hands"][seat] = 0
        state["dealt"][seat] = 0
        state["played"][seat] = 0
        state["exposed"][seat] = 0
        state["denied"][seat] = 0
        state["captured"][seat] = 0
        state["declared_sixths"][seat] = 0
        state["points"][seat] = 0
        state["gain"][seat] = 0
        state["paid"][seat] = 0
    for i in range(state["signalled"].shape[0]):
        state["signalled"][i] = 0
    for i in range(state["declared"].shape[0]):
        state["declared"][i] = 0
    for i in range(state["order"].shape[0]):
        state["order"][i] = -1
    for i in range(state["undealt"].shape[0]):
        state["undealt"][i] = -1
    _clear_auction(state)
    state["led"] = 0
    state["table"] = 0
    state["closed"] = 0
    state["played_on"] = 0
    state["phase"] = PLAY
    state["to_act"] = -1
    state["num_played"] = 0
    state["abandoned"] = 0
    state["cappotto"] = 0
    state["trump_card"] = -1


@nb.njit(cache=True)
def _clear_auction(state):
    """Blank what an auction, an exchange and a stock leave behind."""
    for seat in range(state["bids"].shape[0]):
        state["bids"][seat] = 0
    for i in range(state["discards"].shape[0]):
        state["discards"][i] = -1
    state["num_drawn"] = 0
    state["bid"] = 0
    state["declarer"] = -1
    state["partner"] = -1
    state["called"] = -1
    state["called_from"] = -1
    state["given"] = -1
    state["exchanged"] = 0
    state["discards_due"] = 0


@nb.njit(cache=True)
def new_match(state, rules, dealer):
    """Set what lasts over a match: dealer, totals, redeals, contenders."""
    for competitor in range(state["totals"].shape[0]):
        state["totals"][competitor] = 0
    state["redeals"] = 0
    state["extra"] = 0
    state["contenders"] = (1 << rules["num_competitors"]) - 1
    state["dealer"] = dealer


@nb.njit(cache=True)
def pass_deal(state, rules):
    """After a deal of an episode: the dealer passes on, but not after a called monte; abandoned deals are counted."""
    state["redeals"] = state["redeals"] + 1 if state["abandoned"] else 0
    if state["abandoned"] != BY_MONTE:
        following = state["dealer"] + 1
        state["dealer"] = following if following < rules["num_seats"] else 0


@nb.njit(cache=True)
def deal(state, rules, seed, k):
    """Lay the k-th deal of a seed: seat hands in absolute order, then stock, then monte; and begin it."""
    clear(state, rules)
    deck = state["order"]  # used as scratch before the deal begins
    size = 0
    for card in range(40):
        if (rules["deck"] >> card) & 1:
            deck[size] = card
            size += 1
    key = key_of(seed, k, 0)
    for i in range(size - 1):
        j = i + draw(key, i, size - i)
        deck[i], deck[j] = deck[j], deck[i]
    hand_size = rules["hand_size"]
    place = 0
    for seat in range(rules["num_seats"]):
        for _ in range(hand_size):
            state["hands"][seat] |= 1 << int(deck[place])
            place += 1
    if rules["trump"] == 1:
        state["trump_card"] = deck[state["dealer"] * hand_size + hand_size - 1]
    for i in range(rules["stock"] + rules["monte"]):
        state["undealt"][i] = deck[place + i]
    for i in range(size):
        deck[i] = -1
    begin(state, rules)


@nb.njit(cache=True)
def start_episode(state, rules, seed, k, dealer):
    """Begin an episode with the k-th deal of a seed; dealer -1 draws it from (seed, k)."""
    new_match(state, rules, dealer if dealer >= 0 else first_dealer(seed, k, rules["num_seats"]))
    deal(state, rules, seed, k)
