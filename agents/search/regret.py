"""What each card of a finished deal cost against open-hand play: the difference of the values before and after it.

The losses of a deal add up: from par, the value with both sides exact, to what side 0 ended with.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

import numba as nb
import numpy as np

from agents.search.openhand import load, open_value
from tressette_env.engine.kernels import apply
from tressette_env.engine.state import OVER, PLAY


@nb.njit(cache=True)
def rewind(state, rules):
    """Take a finished deal back, in place, to its first card: signals and declarations are no part of it any more."""
    n = rules["num_seats"]
    for seat in range(n):
        # What was exchanged was exchanged before the first card; what is drawn from a stock is drawn again.
        state["hands"][seat] = state["dealt"][seat] if rules["stock"] else state["played"][seat]
        state["played"][seat] = 0
        state["captured"][seat] = 0
    eldest = state["dealer"] + 1 if state["dealer"] + 1 < n else 0
    state["phase"] = PLAY
    state["to_act"] = eldest
    state["leader"] = eldest
    state["turn"] = eldest
    state["num_played"] = 0
    state["num_drawn"] = 0
    state["table"] = 0
    state["best_card"] = -1
    state["best_seat"] = -1


@nb.njit(cache=True)
def losses(solver, final, path, rules, out):
    """Write the sixths that each card of the deal `final[0]` lost its side, int64 (40,), -1 where it is not known.

    `path`: scratch, STATE_DTYPE (41,). Not known is what was played while a stock lay. Returns the sixths that side 0
    takes from the first card judged to the end when both sides are exact, -1 where nothing is judged.
    """
    for i in range(out.shape[0]):
        out[i] = -1
    total = final[0]["num_played"]
    path[0] = final[0]
    rewind(path[0], rules)
    for i in range(total):
        path[i + 1] = path[i]
        apply(path[i + 1], rules, np.int64(final[0]["order"][i]))
        if path[i + 1]["phase"] != OVER:
            path[i + 1]["phase"] = PLAY  # no declarations after the first trick
            path[i + 1]["to_act"] = path[i + 1]["turn"]
    value = np.int64(-1)
    for i in range(total - 1, -1, -1):
        state = path[i]
        if state["num_drawn"] < rules["stock"]:
            break
        left = load(solver, state, rules)
        if i == total - 1:
            value = open_value(solver, state, rules, left, 0, np.int64(1))
            out[i] = 0
            continue
        after = value
        winner = path[i + 1]["leader"]
        if path[i + 1]["best_card"] < 0 and state["side_of"][winner] == 0:  # this card ended a trick for side 0
            after += path[i + 1]["captured"][winner] - state["captured"][winner]
        value = open_value(solver, state, rules, left, after, np.int64(1))
        out[i] = abs(value - after)
    return value
