"""What a seat cannot see, drawn uniformly from all deals that agree with what it knows. Numba kernels.

Every unseen card has a set of places where it may lie (`belief_facts`). Cards with the same set form a group. `prepare`
counts, by dynamic programming over groups and places, in how many ways the groups fill the places; `sample` walks
through these counts, so each assignment is equally likely. Lengths of suits told by truthful signals bound the counts.
What binds several cards in other ways (automatic declarations, what could have been drawn or exchanged when) is left
to `belief_past`: a proposal that disagrees is thrown away, which keeps the rest uniform. The true hidden cards are
never looked at.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

import numba as nb
import numpy as np

from agents.search.belief_facts import BELIEF_DTYPE, NO_SUIT, note_facts
from agents.search.belief_past import complete
from tressette_env.cards import NUM_CARDS
from tressette_env.engine.bits import count
from tressette_env.engine.randomness import mix, unit
from tressette_env.rules import MAX_SEATS

MAX_TRIES = 20_000  # proposals thrown away before a sample is given up
_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_ONE = np.uint64(1)
_U32 = np.uint64(32)


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
    """Count the assignments of the cards that the seat to act does not see, into `belief`, BELIEF_DTYPE (1,).

    `view`: the redacted record of the seat to act; nothing hidden from that seat is read.
    """
    b = belief[0]
    note_facts(view, rules, b)
    _number_states(b)
    _lay_stages(b)
    _mark_reached(b)
    _count_ways(b)


@nb.njit(cache=True)
def _number_states(b):
    """Number the ways to have room in the places, and note the room left in all of them together."""
    states = 1
    b["total"][0] = 0
    for place in range(b["places"]):
        b["stride"][place] = states
        for more in range(1, b["room"][place] + 1):
            for state in range(states):
                b["total"][more * states + state] = b["total"][state] + more
        states *= b["room"][place] + 1
    b["states"] = states


@nb.njit(cache=True)
def _lay_stages(b):
    """List the pairs of a group and a place it may go to."""
    rest = count(b["unseen"])
    stages = 0
    for group in range(b["groups"]):
        rest -= count(b["group_cards"][group])
        for place in range(b["places"]):
            if (b["group_pattern"][group] >> place) & 1:
                b["stage_group"][stages] = group
                b["stage_place"][stages] = place
                b["stage_rest"][stages] = rest
                b["stage_last"][stages] = b["group_pattern"][group] >> (place + 1) == 0
                _bound_stage(b, stages, group, place)
                stages += 1
    b["stages"] = stages


@nb.njit(cache=True)
def _bound_stage(b, stage, group, place):
    """Bound what a place takes of a group by the length of the suit there, less what other groups can or must give."""
    b["stage_low"][stage] = 0
    b["stage_high"][stage] = NUM_CARDS
    suit = b["group_suit"][group]
    if suit == NO_SUIT or place == 0:
        return
    can = 0
    must = 0
    for other in range(b["groups"]):
        if other != group and b["group_suit"][other] == suit and (b["group_pattern"][other] >> place) & 1:
            can += count(b["group_cards"][other])
            if b["group_pattern"][other] == 1 << place:
                must += count(b["group_cards"][other])
    b["stage_low"][stage] = max(0, b["least"][place, suit] - can)
    b["stage_high"][stage] = b["most"][place, suit] - must


@nb.njit(cache=True)
def _choices(b, stage, state, left):
    """Return the least and the greatest number of the `left` cards of its group that a stage's place can take."""
    place = b["stage_place"][stage]
    room = state // b["stride"][place] % (b["room"][place] + 1)
    low = left if b["stage_last"][stage] else 0
    return max(low, b["stage_low"][stage]), min(min(left, room), b["stage_high"][stage])


@nb.njit(cache=True)
def _mark_reached(b):
    """Mark, with a negative number, the states that can be reached before every stage."""
    states = b["states"]
    ways = b["ways"]
    for i in range((b["stages"] + 1) * states):
        ways[i] = 0.0
    ways[states - 1] = -1.0
    for stage in range(b["stages"]):
        stride = b["stride"][b["stage_place"][stage]]
        here = stage * states
        for state in range(states):
            if ways[here + state] < 0.0:
                low, high = _choices(b, stage, state, b["total"][state] - b["stage_rest"][stage])
                for taken in range(low, high + 1):
                    ways[here + states + state - taken * stride] = -1.0


@nb.njit(cache=True)
def _count_ways(b):
    """Fill `ways`: in how many ways the cards not yet placed before a stage fill the room that a state stands for."""
    states = b["states"]
    ways = b["ways"]
    ways[b["stages"] * states] = 1.0
    for stage in range(b["stages"] - 1, -1, -1):
        stride = b["stride"][b["stage_place"][stage]]
        here = stage * states
        for state in range(states):
            if ways[here + state] < 0.0:
                left = b["total"][state] - b["stage_rest"][stage]
                low, high = _choices(b, stage, state, left)
                total = 0.0
                for taken in range(low, high + 1):
                    total += _CHOOSE[left, taken] * ways[here + states + state - taken * stride]
                ways[here + state] = total


# ---------------------------------------------------------------- drawing
@nb.njit(cache=True)
def sample(view, rules, belief, key, out):
    """Write to the record `out` a world that agrees with the view of the seat to act; `prepare` came before.

    A world is a deal and what was done unseen (discards): all that agree are equally likely. `key`: uint64, the same
    key draws the same world. Returns False when none was found in ``MAX_TRIES`` proposals.
    """
    b = belief[0]
    if b["ways"][b["states"] - 1] <= 0.0:
        return False
    places = np.empty(MAX_SEATS, np.int64)
    first = mix(key)  # so that neighbouring keys share no proposals
    for attempt in range(MAX_TRIES):
        proposal = mix(first + np.uint64(attempt + 1) * _GAMMA)
        _propose(b, proposal, places)
        if complete(view, rules, b, places, mix(proposal), out):
            return True
    return False


@nb.njit(cache=True)
def _propose(b, key, places):
    """Write a random assignment: the cards in every place, bit sets int64 (MAX_SEATS,)."""
    for place in range(b["places"]):
        places[place] = 0
    states = b["states"]
    state = states - 1
    counter = np.uint64(0)
    cards = np.int64(0)
    size = 0
    group = -1
    for stage in range(b["stages"]):
        if b["stage_group"][stage] != group:
            group = b["stage_group"][stage]
            cards = b["group_cards"][group]
            size = count(cards)
        place = b["stage_place"][stage]
        low, high = _choices(b, stage, state, size)
        taken = low
        if high > low:
            counter += _ONE
            taken = _pick_count(b, stage, state, size, low, high, unit(mix(key + counter * _GAMMA)))
        chosen = cards
        if taken < size:
            chosen, counter = _pick_cards(cards, size, taken, key, counter)
        cards ^= chosen
        size -= taken
        places[place] |= chosen
        state -= taken * b["stride"][place]


@nb.njit(cache=True)
def _pick_count(b, stage, state, size, low, high, unit):
    """Return how many cards the place takes, each number as likely as the ways it leaves; `unit` is in [0, 1)."""
    stride = b["stride"][b["stage_place"][stage]]
    after = (stage + 1) * b["states"] + state
    chance = unit * b["ways"][stage * b["states"] + state]
    picked = low
    for taken in range(low, high + 1):
        ways = _CHOOSE[size, taken] * b["ways"][after - taken * stride]
        if ways > 0.0:
            picked = taken  # the last one that is possible, should rounding lead past the end
            chance -= ways
            if chance < 0.0:
                break
    return picked


@nb.njit(cache=True)
def _pick_cards(cards, size, wanted, key, counter):
    """Return a random subset of `wanted` of the `size` cards of a set, and the counter after the words it took."""
    chosen = np.int64(0)
    while wanted > 0:
        bit = cards & -cards
        cards ^= bit
        counter += _ONE
        if np.int64(((mix(key + counter * _GAMMA) >> _U32) * np.uint64(size)) >> _U32) < wanted:
            chosen |= bit
            wanted -= 1
        size -= 1
    return chosen, counter
