"""Actions that come to the same: plays of equal neighbours, such as the six and the five when both are in the hand."""

# mypy: allow-untyped-defs, allow-incomplete-defs

import numba as nb

from tressette_env.engine.bits import card_sixths
from tressette_env.engine.state import PLAY


@nb.njit(cache=True)
def lowest_equal(state, rules, card):
    """Return the lowest card of the hand of the seat to act that is worth as much as `card` and wins as much as it.

    Neighbours of the same points are equal when all cards between them are in the hand or gone; the best card of the
    trick under way is not gone.
    """
    gone = 0
    for seat in range(rules["num_seats"]):
        gone |= state["played"][seat]
    if state["best_card"] >= 0:
        gone &= ~(1 << state["best_card"])
    gone |= ~rules["deck"]
    hand = state["hands"][state["to_act"]]
    lowest = card
    below = card - 1
    while below >= 0 and below // 10 == card // 10:
        if (hand >> below) & 1 and card_sixths(below) == card_sixths(card):
            lowest = below
        elif not (gone >> below) & 1:
            break
        below -= 1
    return lowest


@nb.njit(cache=True, nogil=True)
def first_equals(states, table, actions, tried, out):
    """Write the column of the first tried action that each tried one equals, its own where it is that; int64 (N, K).

    states: STATE_DTYPE (N,), before the decisions; actions: int64 (N, K) engine ids, tried: bool (N, K). Plays with
    different signals are not equal. Columns that are not tried get their own number.
    """
    rules = table[0]
    plays = 40 * (1 + rules["num_signals"])
    for row in range(actions.shape[0]):
        for k in range(actions.shape[1]):
            out[row, k] = k
            action = actions[row, k]
            if not tried[row, k] or states[row]["phase"] != PLAY or action >= plays:
                continue
            lowest = lowest_equal(states[row], rules, action % 40)
            for j in range(k):
                other = actions[row, j]
                if (
                    tried[row, j]
                    and other < plays
                    and other // 40 == action // 40
                    and lowest_equal(states[row], rules, other % 40) == lowest
                ):
                    out[row, k] = j
                    break
