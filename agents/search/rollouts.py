"""What flat search is made of: the actions worth comparing, one deal played out by a bot, and what it came to.

Numba kernels over one STATE record. The bots that play a deal out read only what each seat to act knows, so they can be
handed a full record.
"""

import numba as nb

from tressette_env.bots.heuristic import choose_signal, decide
from tressette_env.bots.simple import simple_action
from tressette_env.bots.taking import taking_row
from tressette_env.bots.weights import TAKING
from tressette_env.engine.batch import count_legal, nth_legal
from tressette_env.engine.bits import count, index_of_lowest
from tressette_env.engine.kernels import LEGAL_ANNUL, LEGAL_DECLARATIONS, apply, competitor_of, following_cards, legal
from tressette_env.engine.randomness import draw
from tressette_env.engine.state import OVER

MISSES = 3  # worlds that may fail beyond those found before a decision gives up
MAX_CANDIDATES = 40  # one per card at most
PLAYOUTS = ("heuristic", "simple", "random")  # who plays a deal out: 0, 1, 2
HEURISTIC, SIMPLE, RANDOM = range(3)
VALUES = ("paid", "exact", "auto")  # what a deal is worth, see `deal_value`: 0, 1, 2
PAID, EXACT, AUTO = range(3)


@nb.njit(cache=True)
def candidates(view, rules, words, weights, out):
    """Write the actions worth comparing to `out`, int64 (MAX_CANDIDATES,), and return how many, at least 1.

    The `heuristic` bot's own choice comes first, so that it wins ties. Each card that follows suit is one candidate,
    with the signal that the bot would give with it; each bid, call, gift and discard is one; declarations and annul
    are the bot's. `weights`: from `bots.heuristic.weights_of`; `words`: int64 (NUM_WORDS,) scratch.
    """
    out[0] = decide(view, rules, words, weights, 1)
    legal(view, rules, words)
    if words[LEGAL_DECLARATIONS] or words[LEGAL_ANNUL]:
        return 1
    found = 1
    if words[0] == 0:
        for i in range(count_legal(words)):
            action = nth_legal(words, rules, i)
            if action != out[0]:
                out[found] = action
                found += 1
        return found
    cards = following_cards(view, rules, words[0]) & ~(1 << (out[0] % 40))
    while cards:
        card = index_of_lowest(cards)
        cards &= cards - 1
        out[found] = card
        if rules["num_signals"]:
            out[found] += 40 * choose_signal(view, rules, words, card, TAKING[taking_row(view, rules)])
        found += 1
    return found


@nb.njit(cache=True)
def play_out(state, rules, words, weights, playouts, key):
    """Play the deal to its end in place: `playouts` is one of PLAYOUTS by number; `key` drives the random one."""
    ply = 0
    while state["phase"] != OVER:
        if playouts == HEURISTIC:
            action = decide(state, rules, words, weights, 1)
        elif playouts == SIMPLE:
            action = simple_action(state, rules, words)
        else:
            action = _random_action(state, rules, words, key, ply)
        apply(state, rules, action)
        ply += 1


@nb.njit(cache=True)
def _random_action(state, rules, words, key, ply):
    """Return a random legal action: a silent card that follows suit where cards are played."""
    legal(state, rules, words)
    cards = following_cards(state, rules, words[0])
    if cards == 0:
        return nth_legal(words, rules, draw(key, ply, count_legal(words)))
    for _ in range(draw(key, ply, count(cards))):
        cards &= cards - 1
    return index_of_lowest(cards)


@nb.njit(cache=True)
def deal_value(state, rules, seat, total, measure):
    """Return what a finished deal is worth to a seat, in points: 0 for an abandoned one.

    Own utility less the mean of the other sides', in auctions the seat's payoff: its total less `total`, which it had
    before. `measure` is one of VALUES by number: as paid (`seat_reward` in the mode `deal`); exact, which is trick
    points with the last trick as they were taken, neither rounded nor changed by a cappotto; auto, which is exact
    where a cappotto pays nothing and as paid elsewhere. A revoke counts as paid.
    """
    if state["abandoned"]:
        return 0.0
    if rules["auction"]:
        return (state["totals"][competitor_of(state, rules, seat)] - total) / 6.0
    sides = rules["num_sides"]
    own_side = state["side_of"][seat]
    own = 0
    others = 0
    exact = measure == EXACT or (measure == AUTO and rules["cappotto"] == 0)
    if exact and state["last_trick_seat"] >= 0:
        for other in range(rules["num_seats"]):
            sixths = state["captured"][other]
            if other == state["last_trick_seat"]:
                sixths += rules["bonus_sixths"]
            if state["side_of"][other] == own_side:
                own += sixths
            else:
                others += sixths
    else:
        for side in range(sides):
            if side == own_side:
                own += state["points"][side]
            else:
                others += state["points"][side]
    value = own / 6.0 - others / (6.0 * (sides - 1))
    return -value if rules["objective"] else value
