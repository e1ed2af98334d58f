"""How well a world explains what the others played: the network's own chances of it, told again from the first card.

Worlds are weighed by it (Rebstock, Solinas, Buro, Sturtevant: Policy based inference in trick-taking card games, 2019);
in the told-again past the network sees only what each seat knew.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

import numba as nb
import numpy as np

from agents.search.regret import rewind
from tressette_env.cards import NUM_CARDS
from tressette_env.engine.batch import count_legal
from tressette_env.engine.kernels import NUM_WORDS, apply, legal
from tressette_env.engine.state import OVER, PLAY

MOST_CHOICES = NUM_CARDS + 1  # records that a world's past needs at most


@nb.njit(cache=True, nogil=True)
def past_choices(worlds, found, table, states, actions, owners):
    """Write the positions in which others chose a card in some worlds, and what they played; return how many.

    worlds: STATE_DTYPE (N,), those where found, bool (N,), is true count. states: STATE_DTYPE (N * ``MOST_CHOICES``,),
    actions: int64 engine ids, owners: int64, the place of the world, as long. Forced cards and those of the seat to
    act do not count; declarations, bids and the exchange are taken as they were.
    """
    rules = table[0]
    words = np.empty(NUM_WORDS, np.int64)
    at = 0
    for place in range(worlds.shape[0]):
        if not found[place]:
            continue
        seat = worlds[place]["to_act"]
        states[at] = worlds[place]
        rewind(states[at], rules)
        for i in range(worlds[place]["num_played"]):
            action = np.int64(worlds[place]["order"][i])
            card = action
            for k in range(rules["num_signals"]):
                if (worlds[place]["signalled"][k] >> card) & 1:
                    action = 40 * (1 + k) + card
            if states[at]["to_act"] != seat:
                legal(states[at], rules, words)
                if count_legal(words) > 1:
                    actions[at], owners[at] = action, place
                    states[at + 1] = states[at]
                    at += 1
            apply(states[at], rules, action)
            if states[at]["phase"] != OVER:
                states[at]["phase"] = PLAY
                states[at]["to_act"] = states[at]["turn"]
    return at


@nb.njit(cache=True, nogil=True)
def add_log_chances(log_probs, actions, owners, floor, out):
    """Add to out, float64 (N,), the logarithm of the chance of each action, log_probs (R, A), at least ``floor``."""
    for j in range(actions.shape[0]):
        out[owners[j]] += max(log_probs[j, actions[j]], floor)
