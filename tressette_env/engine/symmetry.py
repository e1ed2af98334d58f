"""Relabelling the suits: 24 exact symmetries of a record and of the action ids (a trump suit goes along)."""

import numba as nb
import numpy as np

from tressette_env.engine.bits import count_suit
from tressette_env.engine.state import NUM_COMBINATIONS


@nb.njit(cache=True)
def permute_cards(cards, perm):
    """Return a set of cards with suit s renamed perm[s]."""
    out = 0
    for suit in range(4):
        out |= ((cards >> (10 * suit)) & 1023) << (10 * perm[suit])
    return out


@nb.njit(cache=True)
def permute_card(card, perm):
    """Return a card id with its suit renamed; -1 stays -1."""
    return 10 * perm[card // 10] + card % 10 if card >= 0 else card


@nb.njit(cache=True)
def permute_record(state, rules, perm):
    """Rename the suits of a record in place: suit s becomes perm[s], perm int64 (4,)."""
    n = rules["num_seats"]
    for seat in range(n):
        state["hands"][seat] = permute_cards(state["hands"][seat], perm)
        state["dealt"][seat] = permute_cards(state["dealt"][seat], perm)
        state["played"][seat] = permute_cards(state["played"][seat], perm)
        state["exposed"][seat] = permute_cards(state["exposed"][seat], perm)
        state["denied"][seat] = permute_cards(state["denied"][seat], perm)
        if rules["declare"]:
            _permute_declared(state, seat * NUM_COMBINATIONS, perm)
    for k in range(rules["num_signals"]):
        state["signalled"][k] = permute_cards(state["signalled"][k], perm)
    state["led"] = permute_cards(state["led"], perm)
    state["table"] = permute_cards(state["table"], perm)
    for i in range(state["num_played"]):
        state["order"][i] = permute_card(state["order"][i], perm)
    for i in range(rules["stock"] + rules["monte"]):
        state["undealt"][i] = permute_card(state["undealt"][i], perm)
    if rules["auction"]:
        state["called"] = permute_card(state["called"], perm)
        state["given"] = permute_card(state["given"], perm)
        for i in range(state["exchanged"]):
            state["discards"][i] = permute_card(state["discards"][i], perm)
    state["best_card"] = permute_card(state["best_card"], perm)
    state["trump_card"] = permute_card(state["trump_card"], perm)
    if state["trump"] >= 0:
        state["trump"] = perm[state["trump"]]


@nb.njit(cache=True)
def _permute_declared(state, first, perm):
    """Move the four napoletana entries of one seat to their new suits."""
    c, d = state["declared"][first], state["declared"][first + 1]
    s, b = state["declared"][first + 2], state["declared"][first + 3]
    state["declared"][first + perm[0]] = c
    state["declared"][first + perm[1]] = d
    state["declared"][first + perm[2]] = s
    state["declared"][first + perm[3]] = b


@nb.njit(cache=True)
def permute_action(action, rules, perm):
    """Return the id of the same action after the suits are renamed."""
    if action < 40 * (1 + rules["num_signals"]):
        return action // 40 * 40 + permute_card(action % 40, perm)
    choice = action - rules["first_declaration"]
    if rules["declare"] == 1 and choice < 4:
        return rules["first_declaration"] + perm[choice]
    if action >= rules["first_call"]:
        first = rules["first_call"]
        return first + (action - first) // 40 * 40 + permute_card((action - first) % 40, perm)
    return action


@nb.njit(cache=True)
def canonical_perm(hand, perm, inverse):
    """Fill perm (suit -> canonical place) and inverse, int64 (4,): longest suit of `hand` first, ties by strength.

    Called with a hand as dealt the order lasts the whole deal. Equal suits keep their order, so the map is exact
    for every hand whose suits differ.
    """
    for suit in range(4):
        inverse[suit] = suit
    for i in range(1, 4):
        suit = inverse[i]
        key = (count_suit(hand, suit) << 10) | ((hand >> (10 * suit)) & 1023)
        j = i - 1
        while j >= 0 and ((count_suit(hand, inverse[j]) << 10) | ((hand >> (10 * inverse[j])) & 1023)) < key:
            inverse[j + 1] = inverse[j]
            j -= 1
        inverse[j + 1] = suit
    for place in range(4):
        perm[inverse[place]] = place


def all_perms() -> np.ndarray:
    """Return the 24 permutations of the suits, int64 (24, 4)."""
    from itertools import permutations

    return np.array(list(permutations(range(4))), np.int64)
