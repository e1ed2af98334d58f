"""What was said, changed: in a record (an intervention) or in what one seat heard (a deaf or misled listener).

Numba kernels over STATE records of rules without a stock and without an auction.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

import numba as nb
import numpy as np

from tressette_env.engine.bits import count
from tressette_env.engine.channel import note_signal
from tressette_env.engine.kernels import must_follow
from tressette_env.engine.legal import FOURS, SUIT
from tressette_env.engine.randomness import mix, unit
from tressette_env.engine.state import NUM_COMBINATIONS

SILENCE = 0  # a message is 0 for silence, or 1 + the place of a signal in the rules, as in an action's id


@nb.njit(cache=True)
def message_with(record, rules, card):
    """Return the message that came with a card that was played, as the record has it."""
    for k in range(rules["num_signals"]):
        if (record["signalled"][k] >> card) & 1:
            return 1 + k
    return SILENCE


@nb.njit(cache=True)
def player_of(record, rules, card):
    """Return the seat that played a card, -1 where nobody did."""
    for seat in range(rules["num_seats"]):
        if (record["played"][seat] >> card) & 1:
            return seat
    return -1


@nb.njit(cache=True)
def deny(record, rules, believed):
    """Work out anew which cards the table knows not to be in each hand, also from signals of the `believed` seats."""
    for seat in range(rules["num_seats"]):
        record["denied"][seat] = 0
        for combination in range(4, NUM_COMBINATIONS):
            if record["declared"][seat * NUM_COMBINATIONS + combination]:
                record["denied"][seat] |= (FOURS << (combination + 3)) & ~record["exposed"][seat]
    led = -1
    for place in range(record["num_played"]):
        card = np.int64(record["order"][place])
        seat = player_of(record, rules, card)
        if (record["led"] >> card) & 1:
            led = card // 10
        elif card // 10 != led and must_follow(record, rules):
            record["denied"][seat] |= SUIT << (10 * led)
        said = message_with(record, rules, card)
        if said and (believed >> seat) & 1:
            note_signal(record, rules, seat, card // 10, rules["signal_kind"][said - 1])


@nb.njit(cache=True)
def say_instead(record, rules, card, message):
    """Let another message have come with a card, in place: everybody heard that one."""
    for k in range(rules["num_signals"]):
        record["signalled"][k] &= ~(np.int64(1) << card)
    if message:
        record["signalled"][message - 1] |= np.int64(1) << card
    deny(record, rules, -1 if rules["signals_clear"] and rules["signals_bind"] else 0)


@nb.njit(cache=True, nogil=True)
def intervene(records, rules, cards, messages, out):
    """Write records with other messages, STATE_DTYPE (R,): cards int64 (R,), messages int64 (R,)."""
    for i in range(records.shape[0]):
        out[i] = records[i]
        say_instead(out[i], rules[0], cards[i], messages[i])


@nb.njit(cache=True, nogil=True)
def unhear(views, rules, partner_only, shares, out):
    """Write views in which the acting seat heard other messages than were given, STATE_DTYPE (R,).

    partner_only: only the partner's messages change, otherwise everybody else's. shares: float64 (2, 1 + K), how often
    each message comes with a card that follows (row 0) or leads (row 1), cumulated: the messages heard are drawn
    from it, silence alone leaves the seat deaf. The same hand as dealt and card give the same message all deal long.
    """
    signals = rules[0]["num_signals"]
    for i in range(views.shape[0]):
        out[i] = views[i]
        seat = np.int64(views[i]["to_act"])
        if seat < 0:
            continue
        believed = np.int64(-1 if rules[0]["signals_bind"] else 0)
        if not rules[0]["signals_clear"]:
            believed &= ~(np.int64(1) << seat)  # as in `engine.channel.hear`
        for place in range(views[i]["num_played"]):
            card = np.int64(views[i]["order"][place])
            other = player_of(views[i], rules[0], card)
            if other == seat or (partner_only and views[i]["side_of"][other] != views[i]["side_of"][seat]):
                continue
            for k in range(signals):
                out[i]["signalled"][k] &= ~(np.int64(1) << card)
            leads = (views[i]["led"] >> card) & 1
            if place >= rules[0]["num_seats"] * (rules[0]["hand_size"] - 1) or (
                rules[0]["signal_seat"] == 0 and not leads
            ):
                continue  # nothing could be said with this card
            if not (rules[0]["signal_sides"] >> views[i]["side_of"][other]) & 1:
                continue
            drawn = unit(mix(np.uint64(views[i]["dealt"][seat]) + mix(np.uint64(card))))
            message = 0
            while message < signals and drawn >= shares[leads, message]:
                message += 1
            if message:
                out[i]["signalled"][message - 1] |= np.int64(1) << card
        deny(out[i], rules[0], believed)


@nb.njit(cache=True, nogil=True)
def rename_tokens(views, rules, names, out):
    """Write views in which message m is heard and was given as names[m], names int64 (1 + K,) with names[0] = 0."""
    for i in range(views.shape[0]):
        out[i] = views[i]
        for k in range(rules[0]["num_signals"]):
            out[i]["signalled"][names[1 + k] - 1] = views[i]["signalled"][k]


@nb.njit(cache=True, nogil=True)
def could_speak(states, rules, out):
    """Write whether each record's acting seat is one that may signal with its card, were its hand the right one."""
    for i in range(states.shape[0]):
        seat = states[i]["to_act"]
        out[i] = False
        if seat >= 0:
            leads = states[i]["best_card"] < 0
            out[i] = (
                (leads or rules[0]["signal_seat"] != 0)
                and ((rules[0]["signal_sides"] >> states[i]["side_of"][seat]) & 1) == 1
                and rules[0]["hand_size"] - count(states[i]["played"][seat]) > 1
            )
