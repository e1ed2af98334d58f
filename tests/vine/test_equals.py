"""Equal neighbours: with open hands they take exactly as much, and every pair that could be equal is found."""

import numpy as np
import pytest
import torch

from agents.features import legal_ids
from agents.networks import mlp
from agents.search.openhand import SOLVER_DTYPE, card_values
from agents.vine.collect import Collector
from agents.vine.equals import first_equals
from tressette_env.cards import RANK_SIXTHS
from tressette_env.engine.batch import Batch, random_actions
from tressette_env.engine.state import PLAY
from tressette_env.observation import layout
from tressette_env.presets import make_rules


def positions(rules, games, held):
    """Return a batch after random play, all games with so many cards left in the hands."""
    batch, actions = Batch(rules, games, seeds=3), np.empty(games, np.int64)
    for ply in range(100):
        if all(sum(int(h).bit_count() for h in state["hands"]) <= held for state in batch.states):
            return batch
        random_actions(batch.states, batch.table, np.uint64(8), ply, actions)
        batch.step(actions)
    raise AssertionError("no such position")


def equal_by_hand(state, rules, one, other):
    """Say it once more, card by card: same suit, same points, and nothing out between them."""
    low, high = min(one, other), max(one, other)
    if low // 10 != high // 10 or RANK_SIXTHS[low % 10] != RANK_SIXTHS[high % 10]:
        return False
    gone = {card for card in range(40) if card not in rules.deck}
    gone |= {card for hand in state["played"] for card in range(40) if int(hand) >> card & 1}
    gone.discard(int(state["best_card"]))
    own = int(state["hands"][state["to_act"]])
    same = RANK_SIXTHS[low % 10]
    return all(card in gone or (own >> card & 1 and RANK_SIXTHS[card % 10] == same) for card in range(low + 1, high))


@pytest.mark.parametrize(("name", "held"), [("tressette", 15), ("tressette", 36), ("briscola", 15), ("due", 9)])
def test_equals_are_found_and_take_the_same(name, held):
    rules = make_rules(name)
    batch = positions(rules, 60, held)
    ids, valid = legal_ids(batch.masks())
    equals = np.empty_like(ids)
    first_equals(batch.states, batch.table, ids, valid, equals)
    solver, worth = np.zeros(1, SOLVER_DTYPE)[0], np.empty(40, np.int64)
    merged = 0
    for state, actions, known, first in zip(batch.states, ids, valid, equals, strict=True):
        if state["phase"] != PLAY:
            continue
        if held < 20:
            card_values(solver, state, batch.table[0], worth)
        for k in np.flatnonzero(known):
            (signal, card), others = divmod(actions[k], 40), np.flatnonzero(known)
            same = [
                j for j in others if actions[j] // 40 == signal and equal_by_hand(state, rules, actions[j] % 40, card)
            ]
            assert first[k] == same[0]
            merged += len(same) > 1
            assert held >= 20 or len({worth[actions[j] % 40] for j in same}) == 1
    assert merged > 20


def test_equals_are_played_out_once():
    rules = make_rules("tressette")
    torch.manual_seed(1)
    actor = mlp(layout(rules).size, (16,), rules.blocks.num_actions, 1.0)
    apart, merged = (
        Collector(
            rules, 24, 1, "heuristic", canonical=True, bf16=False, device=torch.device("cpu"), threads=1, merge=merge
        ).collect(actor, 0, 5, 1.0, 0.0, 0.0)
        for merge in (False, True)
    )
    assert merged.playouts < apart.playouts == int(apart.tried.sum())
    assert len(merged.values) < len(apart.values) and (merged.tried.sum(1) > 1).all()
    assert torch.equal(merged.tried, merged.valid) and (merged.values[~merged.tried] == 0).all()
