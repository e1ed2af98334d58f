"""Tricks: a card is put down, a trick ends, cards are drawn from the stock. Numba kernels, scalar."""

import numba as nb

from tressette_env.engine.bits import sum_sixths
from tressette_env.engine.channel import note_signal
from tressette_env.engine.legal import SUIT, led_suit, must_follow
from tressette_env.engine.phases import ask_declarations
from tressette_env.engine.scoring import finish_deal, pay


@nb.njit(cache=True)
def play(state, rules, action):
    """Put down a card with its signal, end the trick or the deal if it was the last, pass the turn on."""
    seat = state["to_act"]
    card = action % 40
    kind = action // 40
    suit = card // 10
    bit = 1 << card
    n = rules["num_seats"]
    led = led_suit(state, rules)
    state["hands"][seat] &= ~bit
    state["played"][seat] |= bit
    state["order"][state["num_played"]] = card
    if kind:
        state["signalled"][kind - 1] |= bit
        if rules["signals_clear"] and rules["signals_bind"]:
            note_signal(state, rules, seat, suit, rules["signal_kind"][kind - 1])
    if led < 0:
        state["led"] |= bit
        state["table"] = 0
        state["best_card"] = card
        state["best_seat"] = seat
    else:
        if suit != led and must_follow(state, rules):
            if rules["revoke"] and state["hands"][seat] & (SUIT << (10 * led)):
                _revoke(state, rules, seat)
                return
            state["denied"][seat] |= SUIT << (10 * led)
        best = state["best_card"]
        if (suit == best // 10 and card > best) or (suit == state["trump"] and best // 10 != suit):
            state["best_card"] = card
            state["best_seat"] = seat
    state["table"] |= bit
    state["num_played"] += 1
    following = seat + 1 if seat + 1 < n else 0
    if following == state["leader"]:
        _end_trick(state, rules)
    else:
        state["turn"] = following
        state["to_act"] = following


@nb.njit(cache=True)
def _end_trick(state, rules):
    winner = state["best_seat"]
    sixths = sum_sixths(state["table"])
    state["captured"][winner] += sixths
    state["leader"] = winner
    state["turn"] = winner
    state["best_card"] = -1
    state["best_seat"] = -1
    if rules["reward_mode"] == 1 and rules["auction"] == 0:  # card points would give the secret partner away
        pay(state, state["side_of"][winner], -sixths if rules["objective"] else sixths)
    if state["num_drawn"] < rules["stock"]:
        _draw(state, rules)
    if state["num_played"] == rules["num_seats"] * rules["num_tricks"]:
        state["last_trick_seat"] = winner
        finish_deal(state, rules, -1)
    elif state["num_played"] == rules["num_seats"] and rules["declare"] == 1 and rules["declare_when"] == 2:
        ask_declarations(state, rules, 0)
    else:
        state["to_act"] = winner


@nb.njit(cache=True)
def _draw(state, rules):
    """Let every seat draw a card from the stock, the winner of the trick first."""
    n = rules["num_seats"]
    for i in range(n):
        seat = (state["leader"] + i) % n
        bit = 1 << int(state["undealt"][state["num_drawn"]])
        state["hands"][seat] |= bit
        state["num_drawn"] += 1
        if rules["draw_shown"]:
            state["exposed"][seat] |= bit
            state["denied"][seat] &= ~bit
        else:
            state["denied"][seat] = 0  # whatever is unseen may have come into this hand


@nb.njit(cache=True)
def _revoke(state, rules, seat):
    """End the deal at once: the offender's side pays the deal's whole total; cards on the table count for nobody."""
    state["turn"] = (seat + 1) % rules["num_seats"]
    state["num_played"] += 1
    state["table"] |= 1 << int(state["order"][state["num_played"] - 1])
    finish_deal(state, rules, state["side_of"][seat])
