"""What a seat cannot see, drawn uniformly from all deals that agree with what it knows. Numba kernels.

Every unseen card has a set of places where it may lie: the other seats' hands, or the pile of cards in no hand (what is
left of the stock, the monte, another's discards). Cards with the same set form a group. `prepare` counts, by dynamic
programming over groups and places, in how many ways the groups fill the places; `sample` walks through these counts,
so each assignment is equally likely. What binds several cards at once (truthful signals, automatic declarations, what
could have been drawn when) is left to `belief_past`: a proposal that disagrees is thrown away, which keeps the rest
uniform. The true hidden cards are never looked at.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

import numba as nb
import numpy as np

from agents.search.belief_past import complete
from tressette_env.bots.reading import unseen_cards
from tressette_env.cards import NUM_CARDS
from tressette_env.engine.bits import count
from tressette_env.engine.dealing import mix
from tressette_env.engine.legal import FOURS
from tressette_env.engine.phases import CHIAMATA
from tressette_env.engine.state import GIVE
from tressette_env.rules import MAX_SEATS

PILE = 0  # place 0: no hand; place r: the r-th seat to the right
MAX_STAGES = 80  # pairs of a group and a place
MAX_STATES = 32_768  # ways to have room in the places: (6+1)^4 * (10+1) is the most that 40 cards allow
MAX_TRIES = 20_000  # proposals thrown away before a sample is given up
_GAMMA = np.uint64(0x9E3779B97F4A7C15)

BELIEF_DTYPE = np.dtype(
    [
        ("ways", "f8", (MAX_STAGES + 1, MAX_STATES)),
        ("cards", "i8", 1 << MAX_SEATS),  # of the groups, by pattern of places
        ("stage_group", "i8", MAX_STAGES),
        ("stage_place", "i8", MAX_STAGES),
        ("stage_rest", "i8", MAX_STAGES + 1),  # cards of the groups after this stage's
        ("room", "i8", MAX_SEATS),
        ("stride", "i8", MAX_SEATS),  # of the places in a state's number
        ("stages", "i8"),
        ("places", "i8"),
        ("unseen", "i8"),
        ("start", "i8"),  # the state with all the room
    ],
    align=True,
)


def _binomials() -> np.ndarray:
    table = np.zeros((NUM_CARDS + 1, NUM_CARDS + 1))
    table[:, 0] = 1.0
    for i in range(1, NUM_CARDS + 1):
        table[i, 1:] = table[i - 1, 1:] + table[i - 1, :-1]
    return table


_CHOOSE = _binomials()


@nb.njit(cache=True)
def new_belief():
    """Return the scratch that `prepare` fills and `sample` reads, BELIEF_DTYPE (1,)."""
    return np.empty(1, BELIEF_DTYPE)


# ---------------------------------------------------------------- counting
@nb.njit(cache=True)
def prepare(view, rules, belief):
    """Count the assignments of the cards that the seat to act does not see, into `belief`, BELIEF_DTYPE (1,)."""
    b = belief[0]
    _group_cards(view, rules, b)
    _lay_stages(rules, b)
    _count_ways(b)


@nb.njit(cache=True)
def hand_sizes(view, rules, room):
    """Write how many cards the r-th seat to the right holds to room[r], int64 (MAX_SEATS,), for r from 1."""
    n = rules["num_seats"]
    seat = view["to_act"]
    for r in range(1, n):
        other = (seat + r) % n
        room[r] = rules["hand_size"] + view["num_drawn"] // n - count(view["played"][other])
        if view["phase"] == GIVE and other == view["called_from"]:
            room[r] -= 1


@nb.njit(cache=True)
def _group_cards(view, rules, b):
    """Sort the unseen cards by the places where each may lie."""
    n = rules["num_seats"]
    seat = view["to_act"]
    unseen = unseen_cards(view, rules, seat)
    hand_sizes(view, rules, b["room"])
    b["places"] = n
    b["unseen"] = unseen
    pile = count(unseen)
    known = 0
    for r in range(1, n):
        other = (seat + r) % n
        pile -= b["room"][r]
        known |= view["exposed"][other] & ~view["played"][other]
    b["room"][PILE] = pile
    passed_over = _ranks_above_call(view, rules, seat)
    for pattern in range(1 << n):
        b["cards"][pattern] = 0
    left = unseen
    while left:
        bit = left & -left
        left ^= bit
        pattern = 0 if known & bit or pile == 0 else 1
        for r in range(1, n):
            other = (seat + r) % n
            may = view["exposed"][other] & bit if known & bit else ~view["denied"][other] & bit
            if passed_over & bit and other != view["declarer"]:
                may = 0
            if may and b["room"][r] > 0:
                pattern |= 1 << r
        b["cards"][pattern] |= bit


@nb.njit(cache=True)
def _ranks_above_call(view, rules, seat):
    """Return the cards that another declarer held all of when it called, now in its hand or among its discards."""
    if view["called"] < 0 or view["declarer"] == seat or view["exchanged"] == 0 or rules["auction"] == CHIAMATA:
        return 0
    cards = 0
    for strength in range(view["called"] % 10 + 1, 10):
        cards |= FOURS << strength
    return cards


@nb.njit(cache=True)
def _lay_stages(rules, b):
    """List the pairs of a group and a place it may go to, and number the states."""
    places = b["places"]
    stride = 1
    for place in range(places):
        b["stride"][place] = stride
        stride *= b["room"][place] + 1
    rest = count(b["unseen"])
    stages = 0
    for pattern in range(1 << places):
        size = count(b["cards"][pattern])
        if size == 0:
            continue
        rest -= size
        for place in range(places):
            if (pattern >> place) & 1:
                b["stage_group"][stages] = pattern
                b["stage_place"][stages] = place
                b["stage_rest"][stages] = rest
                stages += 1
    b["stages"] = stages


@nb.njit(cache=True)
def _choices(b, stage, state):
    """Return the least and the greatest number of cards that a stage's place can take, and those of its group left."""
    place = b["stage_place"][stage]
    total = 0
    rest = state
    for other in range(b["places"] - 1, -1, -1):
        total += rest // b["stride"][other]
        rest %= b["stride"][other]
    left = total - b["stage_rest"][stage]
    room = state // b["stride"][place] % (b["room"][place] + 1)
    last = stage + 1 == b["stages"] or b["stage_group"][stage + 1] != b["stage_group"][stage]
    return left if last else 0, min(left, room), left


@nb.njit(cache=True)
def _count_ways(b):
    """Fill `ways`: in how many ways the cards not yet placed before a stage fill the room that a state stands for."""
    states = 1
    for place in range(b["places"]):
        states *= b["room"][place] + 1
    stages = b["stages"]
    b["ways"][: stages + 1, :states] = 0.0
    b["ways"][0, states - 1] = -1.0  # reached, not counted yet
    for stage in range(stages):
        for state in range(states):
            if b["ways"][stage, state] < 0.0:
                low, high, _ = _choices(b, stage, state)
                for taken in range(low, high + 1):
                    b["ways"][stage + 1, state - taken * b["stride"][b["stage_place"][stage]]] = -1.0
    b["ways"][stages, 0] = 1.0
    for stage in range(stages - 1, -1, -1):
        for state in range(states):
            if b["ways"][stage, state] < 0.0:
                low, high, left = _choices(b, stage, state)
                total = 0.0
                for taken in range(low, high + 1):
                    after = state - taken * b["stride"][b["stage_place"][stage]]
                    total += _CHOOSE[left, taken] * b["ways"][stage + 1, after]
                b["ways"][stage, state] = total
    b["start"] = states - 1


# ---------------------------------------------------------------- drawing
@nb.njit(cache=True)
def sample(view, rules, belief, key, out):
    """Turn the record `out`, a copy of the view of the seat to act, into a world that agrees; `prepare` came before.

    All deals that agree are equally likely. Returns False when none was found in ``MAX_TRIES`` proposals.
    `key`: uint64, the only randomness.
    """
    b = belief[0]
    if b["ways"][0, b["start"]] <= 0.0:
        return False
    places = np.empty(MAX_SEATS, np.int64)
    for attempt in range(MAX_TRIES):
        proposal = mix(key + np.uint64(attempt + 1) * _GAMMA)
        _propose(b, proposal, places)
        if complete(view, rules, places, mix(proposal), out):
            return True
    return False


@nb.njit(cache=True)
def _propose(b, key, places):
    """Write a random assignment: the cards in every place, bit sets int64 (MAX_SEATS,)."""
    for place in range(b["places"]):
        places[place] = 0
    state = b["start"]
    counter = np.uint64(0)
    left = np.int64(0)
    for stage in range(b["stages"]):
        if stage == 0 or b["stage_group"][stage] != b["stage_group"][stage - 1]:
            left = b["cards"][b["stage_group"][stage]]
        low, high, size = _choices(b, stage, state)
        place = b["stage_place"][stage]
        stride = b["stride"][place]
        taken = low
        if high > low:
            counter += np.uint64(1)
            chance = _unit(mix(key + counter * _GAMMA)) * b["ways"][stage, state]
            while taken < high:
                chance -= _CHOOSE[size, taken] * b["ways"][stage + 1, state - taken * stride]
                if chance < 0.0:
                    break
                taken += 1
            while b["ways"][stage + 1, state - taken * stride] <= 0.0:  # rounding alone can lead here
                taken -= 1
        chosen = left
        if taken < size:
            chosen, counter = _pick(left, size, taken, key, counter)
        left ^= chosen
        places[place] |= chosen
        state -= taken * stride


@nb.njit(cache=True)
def _unit(word):
    """Return a float in [0, 1) from a random word."""
    return np.float64(word >> np.uint64(11)) * 2.0**-53


@nb.njit(cache=True)
def _pick(cards, size, wanted, key, counter):
    """Return a random subset of `wanted` of the `size` cards of a set, and the counter after the words it took."""
    chosen = np.int64(0)
    while cards and wanted:
        bit = cards & -cards
        cards ^= bit
        counter += np.uint64(1)
        if (mix(key + counter * _GAMMA) >> np.uint64(32)) * np.uint64(size) >> np.uint64(32) < np.uint64(wanted):
            chosen |= bit
            wanted -= 1
        size -= 1
    return chosen, counter
