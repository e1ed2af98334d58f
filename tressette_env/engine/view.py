"""What one seat knows: a copy of the record with everything hidden from that seat blanked out.

Observation, information state, text and bots are functions of this view only, so they cannot leak what is not in it.
"""

import numba as nb

from tressette_env.engine.state import OVER, PLAY


@nb.njit(cache=True)
def redact(state, rules, seat):
    """Blank out, in place, what `seat` does not know. Before the lead, whose private turn it is stays hidden too."""
    if state["phase"] != OVER and state["to_act"] != seat:
        # Annul and declare windows of others are silent: the table only sees who plays the next card.
        state["phase"] = PLAY
        state["to_act"] = state["turn"] if state["turn"] != seat else -1
    for other in range(rules["num_seats"]):
        if other != seat:
            state["hands"][other] = 0
            state["dealt"][other] = 0
    for side in range(state["gain"].shape[0]):
        state["gain"][side] = 0  # of the last action, and that may have been a silent one
    state["closed"] &= 1 << seat
    state["played_on"] &= 1 << seat
    for i in range(state["stock"].shape[0]):
        state["stock"][i] = -1
    for i in range(state["monte"].shape[0]):
        state["monte"][i] = -1
