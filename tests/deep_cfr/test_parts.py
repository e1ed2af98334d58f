"""The pieces of Deep CFR: regret matching, memories, fits, what the field docs say."""

from dataclasses import fields

import numpy as np
import pytest
import torch

from agents.deep_cfr.config import DeepCFRConfig
from agents.deep_cfr.fit import cross_entropy, fit, fresh, squared_error
from agents.deep_cfr.memory import MemoryMismatchError, Reservoir, Samples, fractional_columns, joined
from agents.deep_cfr.strategy import Players, regret_matching, uniform
from agents.deep_cfr.walks import external, probing
from docs.tables import _config_rows
from tressette_env.engine.batch import Batch
from tressette_env.observation import layout
from tressette_env.presets import PRESETS, preset

TOY = preset("mini_2p")


def test_regret_matching_is_positive_advantages_else_the_greatest():
    advantages = np.array([[3.0, -1, 1, 9], [-3, -1, -2, 9], [0, 0, -1, 9]], np.float32)
    masks = np.array([[1, 1, 1, 0]] * 3, np.bool_)
    found = regret_matching(advantages, masks)
    np.testing.assert_allclose(found, [[0.75, 0, 0.25, 0], [0, 1, 0, 0], [1, 0, 0, 0]])
    assert found.dtype == np.float32
    np.testing.assert_allclose(uniform(masks)[0], [1 / 3, 1 / 3, 1 / 3, 0], rtol=1e-6)


def numbered(first, count):
    """Rows whose target is their number."""
    features = np.zeros((count, layout(TOY).size), np.float32)
    targets = np.arange(first, first + count, dtype=np.float32)[:, None]
    return Samples(features, np.ones((count, 1), np.bool_), targets)


@pytest.mark.parametrize("sizes", [(100,) * 10, (1000,), (37, 463, 1, 499)])
def test_a_reservoir_keeps_all_rows_alike(sizes):
    """Of 1000 rows 50 are kept, 400 times: each tenth of the rows as often, in whatever portions they come."""
    kept = np.zeros(1000)
    rng = np.random.default_rng(7)
    for _ in range(400):
        memory = Reservoir(TOY, 1, 50)
        first = 0
        for size in sizes:
            memory.add(numbered(first, size), 1, rng)
            first += size
        assert len(memory) == 50 and memory.seen == 1000
        here = memory.batch(np.arange(50)).targets.numpy()[:, 0].astype(int)
        assert len(set(here)) == 50
        kept[here] += 1
    tenths = kept.reshape(10, 100).sum(1)
    expected = 400 * 50 / 10
    assert ((tenths - expected) ** 2 / expected).sum() < 27.9  # chi-squared, 9 degrees, p = 0.001


def test_a_ring_keeps_the_last_rows():
    memory = Reservoir(TOY, 1, 50, recent=True)
    for first in range(0, 200, 40):
        memory.add(numbered(first, 40), 1, np.random.default_rng(0))
    assert sorted(memory.batch(np.arange(50)).targets.numpy()[:, 0]) == list(range(150, 200))
    assert len(memory) == 50


@pytest.mark.parametrize("name", PRESETS)
def test_a_memory_gives_back_what_came_in(name):
    rules = preset(name)
    players = Players(rules, False, torch.device("cpu"), False)
    states = Batch(rules, 40, seeds=9).states
    seats = np.arange(40) % rules.num_seats
    samples = joined(
        probing(players, states, seats, np.random.default_rng(0), 1.0, 1).strategies, players.size, players.num_actions
    )
    memory = Reservoir(rules, players.num_actions, 10_000)
    memory.add(samples, 3, np.random.default_rng(0))
    back = memory.batch(np.arange(len(memory)))
    np.testing.assert_allclose(back.features.numpy(), samples.features, atol=5e-4)
    exact = ~fractional_columns(rules)
    np.testing.assert_array_equal(back.features.numpy()[:, exact], samples.features[:, exact])
    np.testing.assert_array_equal(back.masks.numpy(), samples.masks)
    np.testing.assert_allclose(back.targets.numpy(), samples.targets, atol=5e-4)
    np.testing.assert_array_equal(back.weights.numpy(), 1)
    again = Reservoir(rules, players.num_actions, 10_000)
    again.restore(memory.state(), memory.seen)
    np.testing.assert_array_equal(again.rows, memory.rows[: len(memory)])


def test_the_size_of_a_row_is_as_told():
    rules = preset("due")
    assert Reservoir(rules, rules.blocks.num_actions, 1).rows.dtype.itemsize == 360
    with pytest.raises(MemoryMismatchError, match="is not one of at most 5 rows of 360 bytes"):
        Reservoir(rules, 40, 5).restore(torch.zeros(3, 12, dtype=torch.uint8), 3)


def test_rows_of_later_iterations_weigh_more():
    memory = Reservoir(TOY, 1, 100)
    for iteration in (1, 3):
        memory.add(numbered(iteration, 10), iteration, np.random.default_rng(0))
    np.testing.assert_allclose(np.unique(memory.batch(np.arange(20)).weights), [0.5, 1.5])


@pytest.mark.parametrize("name", ["advantages", "strategy"])
def test_fits_come_to_the_weighted_mean(name):
    """One input, two targets of iterations 1 and 3: outputs go to the mean with weights 1 and 3."""
    memory = Reservoir(TOY, 2, 100)
    features, masks = np.ones((20, layout(TOY).size), np.float32), np.ones((20, 2), np.bool_)
    for iteration, target in ((1, (1.0, 0.0)), (3, (0.0, 1.0))):
        memory.add(Samples(features, masks, np.tile(np.float32(target), (20, 1))), iteration, np.random.default_rng(0))
    network = fresh(layout(TOY).size, (8,), 2, 1)
    assert torch.equal(network[0].weight, fresh(layout(TOY).size, (8,), 2, 1)[0].weight)
    loss = squared_error(0.5) if name == "advantages" else cross_entropy
    fit(
        network, memory, loss, steps=400, minibatch=40, learning_rate=0.01, device=torch.device("cpu"), bf16=False,
        rng=np.random.default_rng(1),
    )  # fmt: skip
    out = network(memory.batch(np.arange(1)).features)[0].detach()
    wanted = out * 0.5 if name == "advantages" else out.softmax(0)
    np.testing.assert_allclose(wanted, [0.25, 0.75], atol=0.03)


def test_walks_are_pure_functions_of_their_generator():
    players = Players(TOY, False, torch.device("cpu"), False)
    for walk in (lambda *a: external(*a), lambda *a: probing(*a, 0.5, 1)):
        runs = []
        for _ in range(2):
            states = Batch(TOY, 30, seeds=1).states
            runs.append(walk(players, states, np.arange(30) % 2, np.random.default_rng(4)))
        first, second = (joined(run.regrets, players.size, players.num_actions) for run in runs)
        assert len(first.features) and all((a == b).all() for a, b in zip(first, second, strict=True))


def test_every_field_is_explained():
    texts = {name.strip("`"): meaning for name, _, meaning in _config_rows(DeepCFRConfig(), "")}
    assert set(texts) == {"env.rules"} | {field.name for field in fields(DeepCFRConfig)} - {"env"}
    assert all(len(text) > 10 for text in texts.values())
