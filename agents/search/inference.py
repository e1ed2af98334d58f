"""How well a world explains what the others played: cards that a heuristic player would not have put down in it.

Worlds can be weighed by it (Rebstock, Solinas, Buro, Sturtevant: Policy based inference in trick-taking card games,
2019). The player model is the `heuristic` bot, which sees in the told-again past only what each seat knew.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

import numba as nb

from agents.search.regret import rewind
from tressette_env.bots.heuristic import decide
from tressette_env.engine.kernels import apply, following_cards, playable_cards
from tressette_env.engine.state import OVER, PLAY


@nb.njit(cache=True)
def surprises(states, place, seat, rules, words, weights):
    """Return how many cards the other seats played in the world states[place - 1] that the bot would not have.

    states[place] is overwritten. Forced cards and those played by `seat` do not count; declarations, bids and the
    exchange are taken as they were. words: int64 (NUM_WORDS,) scratch; weights: from `bots.heuristic.weights_of`.
    """
    world = states[place - 1]
    states[place] = world
    past = states[place]
    rewind(past, rules)
    early = rules["declare"] == 1 and rules["declare_when"] == 1  # the bot would declare before its first card
    found = 0
    for i in range(world["num_played"]):
        card = int(world["order"][i])
        kind = 0
        for k in range(rules["num_signals"]):
            if (world["signalled"][k] >> card) & 1:
                kind = 1 + k
        if past["to_act"] != seat and not (early and past["played"][past["to_act"]] == 0):
            cards = following_cards(past, rules, playable_cards(past, rules))
            if cards & (cards - 1) and decide(past, rules, words, weights, 0) % 40 != card:
                found += 1
        apply(past, rules, 40 * kind + card)
        if past["phase"] != OVER:
            past["phase"] = PLAY
            past["to_act"] = past["turn"]
    return found
