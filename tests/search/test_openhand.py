"""The open-hand search against plain minimax over the engine's own kernels."""

from itertools import permutations

import numba as nb
import numpy as np
import pytest

from agents.search.openhand import SOLVER_DTYPE, card_values, solve
from tressette_env.engine import kernels
from tressette_env.engine.batch import Batch, random_actions
from tressette_env.engine.state import PLAY, STATE_DTYPE
from tressette_env.presets import make_rules


@pytest.fixture(scope="module")
def solver():
    return np.zeros(1, SOLVER_DTYPE)[0]


def position(rules, seed, cards_left):
    """A batch of one game after random play, with at most this many cards in all hands."""
    games = Batch(rules, 1, seeds=seed)
    action = np.empty(1, np.int64)
    for ply in range(100):
        state = games.states[0]
        held = sum(int(hand).bit_count() for hand in state["hands"])
        if state["phase"] == PLAY and state["num_drawn"] == rules.stock and held <= cards_left:
            return games
        random_actions(games.states, games.table, np.uint64(seed), ply, action)
        games.step(action)
    raise AssertionError("no such position")


def taken(state, rules):
    bonus = rules.bonus_sixths if state["last_trick_seat"] >= 0 else 0
    seats = [seat for seat in range(rules.num_seats) if state["side_of"][seat] == 0]
    return sum(int(state["captured"][seat]) + bonus * (seat == state["last_trick_seat"]) for seat in seats)


def minimax(states, table, rules, known):
    """Sixths of side 0 at the end of the deal, every line of play looked at."""
    state = states[0]
    if state["phase"] != PLAY:
        return taken(state, rules)
    key = (state["hands"].tobytes(), int(state["to_act"]), state["captured"].tobytes(), int(state["table"]))
    if key not in known:
        words = np.zeros(kernels.NUM_WORDS, np.int64)
        kernels.legal(state, table[0], words)
        values = []
        for card in range(40):
            if int(words[0]) >> card & 1:
                after = states.copy()
                kernels.apply(after[0], table[0], card)
                values.append(minimax(after, table, rules, known))
        high = (state["side_of"][state["to_act"]] == 0) != (rules.objective == "min")
        known[key] = max(values) if high else min(values)
    return known[key]


@pytest.mark.parametrize("name", ["no_signals", "briscola", "traversone_pairs", "due", "traversone_2p"])
def test_equals_minimax(solver, name):
    rules = make_rules(name)
    for seed in range(60):
        games = position(rules, seed, (13 if rules.num_seats == 4 else 8) - seed % 5)
        value = solve(solver, games.states[0], games.table[0])
        assert taken(games.states[0], rules) + value == minimax(games.states, games.table, rules, {}), seed


@pytest.mark.parametrize("name", ["tressette", "briscola", "traversone_pairs", "due"])
def test_value_of_every_card(solver, name):
    rules = make_rules(name)
    out = np.empty(40, np.int64)
    for seed in range(40):
        games = position(rules, 100 + seed, (15 if rules.num_seats == 4 else 8) - seed % 5)
        state = games.states[0]
        card_values(solver, state, games.table[0], out)
        words = np.zeros(kernels.NUM_WORDS, np.int64)
        kernels.legal(state, games.table[0], words)
        assert [card for card in range(40) if out[card] >= 0] == [
            card for card in range(40) if int(words[0]) >> card & 1
        ]
        for card in np.flatnonzero(out >= 0):
            after = games.states.copy()
            kernels.apply(after[0], games.table[0], card)
            want = minimax(after, games.table, rules, {}) - taken(state, rules)
            assert out[card] == want, (seed, card)


def test_every_order_of_the_suits_has_the_same_value(solver):
    rules = make_rules("no_signals")
    for seed in range(4):
        games = position(rules, seed, 28)
        value = solve(solver, games.states[0], games.table[0])
        for order in permutations(range(4)):
            other = games.states.copy()
            for name in ("hands", "table"):
                cards = other[name]
                other[name] = sum(((cards >> 10 * suit) & 1023) << 10 * order[suit] for suit in range(4))
            for name in ("best_card", "order"):
                cards = other[name].astype(int)
                other[name] = np.where(cards < 0, -1, 10 * np.array(order)[cards // 10] + cards % 10)
            assert solve(solver, other[0], games.table[0]) == value


# ---------------------------------------------------------------- in numbers
@nb.njit
def plain_minimax(stack, depth, rules):
    """Sixths of side 0 at the end of the deal, every line of play looked at; stack: records, STATE_DTYPE (D,)."""
    state = stack[depth]
    if state["phase"] != PLAY:
        total = 0
        for seat in range(rules["num_seats"]):
            if state["side_of"][seat] == 0:
                total += state["captured"][seat]
                if seat == state["last_trick_seat"]:
                    total += rules["bonus_sixths"]
        return total
    high = (state["side_of"][state["to_act"]] == 0) != (rules["objective"] == 1)
    best = -1
    cards = kernels.playable_cards(state, rules)
    for card in range(40):
        if (cards >> card) & 1:
            stack[depth + 1] = stack[depth]
            kernels.apply(stack[depth + 1], rules, card)
            value = plain_minimax(stack, depth + 1, rules)
            if best < 0 or (value > best) == high:
                best = value
    return best


@pytest.mark.slow
@pytest.mark.parametrize("name", ["no_signals", "tressette", "briscola", "traversone_pairs", "due"])
def test_two_hundred_positions_of_up_to_five_tricks(solver, name):
    """A thousand in all. The plain search has no table, no bound and no order of moves."""
    rules = make_rules(name)
    stack = np.zeros(24, STATE_DTYPE)
    for seed in range(200):
        cards = 20 - seed % 20 if seed % 5 == 0 else 16 - seed % 12
        games = position(rules, 1000 + seed, cards if rules.num_seats == 4 else cards // 2)
        stack[0] = games.states[0]
        want = plain_minimax(stack, 0, games.table[0]) - taken(games.states[0], rules)
        assert solve(solver, games.states[0], games.table[0]) == want, seed
