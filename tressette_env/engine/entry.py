"""Entry points for one game: kernels fused to save calls from Python, and records from and to deals and results.

They work on `states`, STATE_DTYPE (2,): the game and a spare record for views; on `rules`, (1,); and on `words`,
int64 (NUM_WORDS + SCRATCH_WORDS,): the legal actions of the seat to act, then scratch.
"""

from typing import Any

import numba as nb
import numpy as np

from tressette_env.cards import from_bits, to_bits
from tressette_env.encoding import SCRATCH_WORDS, encode, observe
from tressette_env.engine.batch import write_mask
from tressette_env.engine.dealing import clear, deal, new_match, pass_deal
from tressette_env.engine.kernels import NUM_WORDS, apply, begin, episode_over, is_legal, legal, seat_reward
from tressette_env.engine.state import OVER, STATE_DTYPE
from tressette_env.engine.text import points
from tressette_env.engine.view import redact
from tressette_env.notation import Deal
from tressette_env.rules import Rules

WORDS = NUM_WORDS + SCRATCH_WORDS
PAID = 8  # bits of `step_one`'s answer
ENDED = 16


# ---------------------------------------------------------------- fused kernels
@nb.njit(cache=True)
def step_one(states, rules, words, action, mask, rewards):
    """Apply an action and write the next mask; return the seat to act, -1 for an illegal action (nothing changed).

    PAID is added when `rewards`, float64 (5,), was written; ENDED + episode status replaces the seat after a deal.
    """
    state = states[0]
    table = rules[0]
    if not is_legal(words, table, action):
        return -1
    apply(state, table, action)
    legal(state, table, words)
    write_mask(words, table, mask)
    over = state["phase"] == OVER
    paid = over
    if table["reward_mode"] == 1:
        for competitor in range(table["num_competitors"]):
            if state["gain"][competitor] != 0:
                paid = True
    if paid:
        for seat in range(table["num_seats"]):
            rewards[seat] = seat_reward(state, table, seat)
    if over:
        return PAID + ENDED + episode_over(state, table)
    return state["to_act"] + PAID if paid else np.int64(state["to_act"])


@nb.njit(cache=True)
def deal_one(states, rules, words, seed, k, mask):
    """Lay the k-th deal of a seed and write the first mask; return the seat to act."""
    deal(states[0], rules[0], seed, k)
    legal(states[0], rules[0], words)
    write_mask(words, rules[0], mask)
    return states[0]["to_act"]


@nb.njit(cache=True)
def lay_one(states, rules, words, cards, mask):
    """Lay the hands, stock, monte and trump card of the record `cards[0]` and write the first mask."""
    state = states[0]
    clear(state, rules[0])
    for seat in range(rules[0]["num_seats"]):
        state["hands"][seat] = cards[0]["hands"][seat]
    for i in range(state["undealt"].shape[0]):
        state["undealt"][i] = cards[0]["undealt"][i]
    state["trump_card"] = cards[0]["trump_card"]
    begin(state, rules[0])
    legal(state, rules[0], words)
    write_mask(words, rules[0], mask)
    return state["to_act"]


@nb.njit(cache=True)
def refresh_one(states, rules, words, mask):
    """Write the legal actions and the mask of a record that was put in place; return the seat to act."""
    legal(states[0], rules[0], words)
    write_mask(words, rules[0], mask)
    return states[0]["to_act"]


@nb.njit(cache=True)
def begin_match(states, rules, dealer):
    """Set what lasts over a match."""
    new_match(states[0], rules[0], dealer)


@nb.njit(cache=True)
def next_dealer(states, rules):
    """Pass the deal on after a deal, or count a redeal."""
    pass_deal(states[0], rules[0])


@nb.njit(cache=True)
def observe_one(states, rules, words, seat, out):
    """Write what `seat` is shown, float32 (F,)."""
    observe(states[0], rules[0], seat, states[1:2], words[NUM_WORDS:], out)


@nb.njit(cache=True)
def encode_full(states, rules, words, out):
    """Write the whole state in the frame of the seat to act (seat 0 when over), float32 (F,)."""
    encode(states[0], rules[0], max(states[0]["to_act"], 0), True, words[NUM_WORDS:], out)


@nb.njit(cache=True)
def view_one(states, rules, seat, out):
    """Copy the game to the record `out[0]` and blank what `seat` does not know."""
    out[0] = states[0]
    redact(out[0], rules[0], seat)


# ---------------------------------------------------------------- records and deals
def record_of_deal(deal: Deal) -> np.ndarray:
    """Return a blank record, STATE_DTYPE (1,), that holds the cards of a deal for `lay_one`."""
    out = np.zeros(1, STATE_DTYPE)
    row = out[0]
    row["hands"][: len(deal.hands)] = [to_bits(hand) for hand in deal.hands]
    undealt = (*deal.stock, *deal.monte)
    row["undealt"] = -1
    row["undealt"][: len(undealt)] = undealt
    row["trump_card"] = deal.trump_card
    return out


def deal_of_record(row: np.void, rules: Rules) -> Deal:
    """Return the deal in a record whose deal has just been laid."""
    undealt = tuple(row["undealt"].tolist())
    return Deal(
        tuple(tuple(from_bits(int(hand))) for hand in row["hands"][: rules.num_seats]),
        undealt[: rules.stock],
        undealt[rules.stock : rules.stock + rules.monte],
        int(row["trump_card"]),
    )


def result_of_record(row: np.void, rules: Rules) -> dict[str, Any]:
    """Return the entry of ``results`` of a finished deal's record, in plain Python numbers.

    One per side, but ``totals`` are per seat in auction games.
    """
    sides = range(rules.num_sides)
    side_of = row["side_of"][: rules.num_seats].tolist()
    captured, declared = [0] * len(sides), [0] * len(sides)
    for seat, side in enumerate(side_of):
        captured[side] += int(row["captured"][seat])
        declared[side] += int(row["declared_sixths"][seat])
    last = int(row["last_trick_seat"])
    return {
        "captured_sixths": captured,
        "declaration_points": [points(sixths) for sixths in declared],
        "points": [points(int(row["points"][side])) for side in sides],
        "totals": [points(int(total)) for total in row["totals"][: rules.num_competitors]],
        "last_trick_seat": last if last >= 0 else None,
        "cappotto": [bool(row["cappotto"] >> side & 1) for side in sides],
    }
