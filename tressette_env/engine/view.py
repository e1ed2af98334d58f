"""What one seat knows: a copy of the record with everything hidden from that seat blanked out.

Observation, information state, text and bots are functions of this view only, so they cannot leak what is not in it.
"""

import numba as nb

from tressette_env.engine.channel import hear
from tressette_env.engine.kernels import monte_shown
from tressette_env.engine.state import ANNUL, BID, DECLARE, PLAY


@nb.njit(cache=True)
def redact(state, rules, seat):
    """Blank out, in place, what `seat` does not know."""
    if rules["num_signals"] and not rules["signals_clear"]:
        hear(state, rules, seat)
    for other in range(rules["num_seats"]):
        if other != seat:
            state["hands"][other] = 0
            state["dealt"][other] = 0
    for competitor in range(state["gain"].shape[0]):
        state["gain"][competitor] = 0  # of the last action, and that may have been a silent one
    state["closed"] &= 1 << seat
    state["played_on"] &= 1 << seat
    if state["to_act"] != seat and (state["phase"] == ANNUL or state["phase"] == DECLARE):
        _hide_silent_turn(state, rules, seat)
    if rules["stock"]:
        _hide_stock(state, rules, seat)
    if rules["monte"]:
        _hide_monte(state, rules, seat)
    if rules["auction"]:
        _hide_partner(state, rules, seat)


@nb.njit(cache=True)
def _hide_silent_turn(state, rules, seat):
    """Show the turn as if nobody were asked: the table only sees who bids or plays the next card."""
    state["phase"] = BID if rules["auction"] else PLAY
    state["to_act"] = state["turn"] if state["turn"] != seat else -1


@nb.njit(cache=True)
def _hide_stock(state, rules, seat):
    """Blank the stock but for the cards that the seat drew itself, or all drawn ones where they are shown."""
    own = state["hands"][seat] | state["played"][seat]
    for i in range(rules["stock"]):
        drawn = i < state["num_drawn"]
        if not (drawn and (rules["draw_shown"] or (own >> int(state["undealt"][i])) & 1)):
            state["undealt"][i] = -1


@nb.njit(cache=True)
def _hide_monte(state, rules, seat):
    """Blank the monte but for the cards that the declarer took, where the seat saw them, and the discards."""
    declares = seat == state["declarer"]
    taken = state["exchanged"] if declares or monte_shown(state, rules) else 0
    for i in range(taken, rules["monte"]):
        state["undealt"][rules["stock"] + i] = -1
    if not declares:
        for i in range(state["discards"].shape[0]):
            state["discards"][i] = -1


@nb.njit(cache=True)
def _hide_partner(state, rules, seat):
    """Hide the partner until the called card is played, unless it is the seat itself."""
    partner = int(state["partner"])
    if partner >= 0 and partner != seat and not (state["played"][partner] >> int(state["called"])) & 1:
        state["partner"] = -1
        state["side_of"][partner] = 1
