"""Sampled regrets and values against exact ones on a toy: right in the mean, by more than a wrong weight could pass."""

from typing import NamedTuple

import numpy as np
import pytest
import torch

from agents.cfr.sweeps import arrays, reaches, values_up
from agents.cfr.tree import GameTree, _walk, deal_tree, set_views
from agents.deep_cfr.escher import central, escher, value_lines
from agents.deep_cfr.memory import joined
from agents.deep_cfr.strategy import Players
from agents.deep_cfr.walks import Harvest, external, externally, most_choices, orders, play_on, probing
from agents.run_config import ConfigError
from tressette_env.engine.batch import Batch
from tressette_env.presets import PRESETS, preset

RULES = preset("mini_2p")
DEALS = 40_000
WHO = 0  # eldest hand in the tree
LEAST_VISITS = 40  # of an action: with fewer a standard error is itself too uncertain


class Exact(NamedTuple):
    """Players of random advantages; (set, actions, regrets) by features of a choice of WHO; values by full state."""

    tree: GameTree
    players: Players
    sets: dict[bytes, tuple[int, np.ndarray, np.ndarray]]
    uniform_reach: np.ndarray  # (I,), how likely WHO comes to a set by uniform draws
    values: dict[bytes, float]


@pytest.fixture(scope="module")
def exact():
    tree = deal_tree(RULES)
    players = Players(RULES, False, torch.device("cpu"), False)
    weights = torch.randn(players.size, players.num_actions, generator=torch.Generator().manual_seed(3))
    players.advantages = lambda features: features @ weights
    chosen = np.flatnonzero(np.diff(tree.start) > 1)
    found = players.decide(set_views(tree, RULES), chosen)
    strategy = tree.uniform()
    for row, i in enumerate(chosen):
        here = slice(tree.start[i], tree.start[i + 1])
        strategy[here] = found.play[row, tree.actions[here]]
    own, others, value = (np.empty(tree.num_nodes) for _ in range(3))
    gains = np.empty(len(strategy))
    reaches(arrays(tree), WHO, strategy, own, others)
    values_up(arrays(tree), WHO, strategy, others, value, gains)
    reaches(arrays(tree), WHO, tree.uniform(), own, others)
    uniform_reach = np.zeros(tree.num_sets)
    mine = tree.player == WHO
    uniform_reach[tree.place[mine]] = own[mine]
    sets = {}
    for row, i in enumerate(chosen):
        here = slice(tree.start[i], tree.start[i + 1])
        regrets = gains[here] - (strategy[here] * gains[here]).sum()
        if tree.owner[i] == WHO:
            sets[found.features[row].tobytes()] = (i, tree.actions[here], regrets)
    return Exact(tree, players, sets, uniform_reach, exact_values(tree, players, value))


def exact_values(tree, players, value):
    """Return what every history is worth to WHO by its full state; equal full states must be worth the same."""
    found, at = {}, 1
    for level in _walk(RULES, tree.num_nodes):
        features = central(players, level.states, np.full(len(level.states), WHO))
        for row, worth in zip(features, value[at : at + len(level.states)], strict=True):
            assert found.setdefault(row.tobytes(), worth) == pytest.approx(worth)
        at += len(level.states)
    return found


def dealt(seed, number=DEALS):
    """Deals with seat 1 dealing, as in the tree, and their traverser, eldest hand."""
    batch = Batch(RULES, number, seeds=(seed << 32) + np.arange(number))
    batch.start(dealers=1)
    return batch.states.copy(), np.full(number, WHO)


def scores(exact, harvest, factor, number=DEALS):
    """Return, in standard errors, how far each action's mean sample is from factor(set) x exact regret, and that."""
    samples = joined(harvest.regrets, exact.players.size, exact.players.num_actions)
    sums = {key: np.zeros((3, len(actions))) for key, (_, actions, _) in exact.sets.items()}
    for features, targets in zip(samples.features, samples.targets, strict=True):
        key = features.tobytes()
        got = targets[exact.sets[key][1]].astype(np.float64)
        sums[key] += np.stack([got, got**2, np.ones_like(got)])
    off, size = [], []
    for key, (i, _, regrets) in exact.sets.items():
        mean = sums[key][0] / number
        error = np.sqrt((sums[key][1] / number - mean**2) / number)
        fit = (sums[key][2] >= LEAST_VISITS) & (error > 1e-7)
        off += list(((mean - factor(i) * regrets)[fit]) / error[fit])
        size += list(np.abs(factor(i) * regrets[fit]) / error[fit])
    return np.array(off), np.array(size)


def assert_unbiased(off, size):
    """Errors are as of a normal distribution, and regrets stood out from them so that a wrong factor would show."""
    assert len(off) > 120 and np.mean(size**2) > 5
    assert np.mean(off**2) < 1.2 and abs(off).max() < 5.5


def test_external_sampling_is_the_exact_regret_in_the_mean(exact):
    number = DEALS // 3
    harvest = external(exact.players, *dealt(5, number), np.random.default_rng(1))
    assert_unbiased(*scores(exact, harvest, lambda i: 1.0, number))


def test_probing_is_the_exact_regret_times_the_chance_to_draw_up_to_there(exact):
    harvest = probing(exact.players, *dealt(6), np.random.default_rng(2), 1.0, 1)
    assert_unbiased(*scores(exact, harvest, lambda i: exact.uniform_reach[i] / most_choices(RULES)))
    off, _ = scores(exact, harvest, lambda i: 1.0 / most_choices(RULES))  # the sampling policy's part left out
    assert np.mean(off**2) > 2


def test_escher_is_the_exact_regret_where_the_values_are_exact(exact):
    def oracle(features):
        return torch.tensor([[exact.values[row.tobytes()]] for row in features.numpy()])

    harvest = escher(exact.players, oracle, *dealt(7), np.random.default_rng(3), 1.0)
    assert_unbiased(*scores(exact, harvest, lambda i: exact.uniform_reach[i]))


def test_what_history_values_are_learned_from_is_the_value_in_the_mean(exact):
    count = Harvest()
    lines = value_lines(exact.players, *dealt(8), np.random.default_rng(4), 1.0, count)
    assert count.decisions > 2 * DEALS and len(lines.features) > DEALS / 2
    sums: dict[bytes, np.ndarray] = {}
    for features, (paid,) in zip(lines.features, lines.targets, strict=True):
        sums.setdefault(features.tobytes(), np.zeros(3))[:] += (1, paid, paid**2)
    off = []
    for key, (number, total, squares) in sums.items():
        mean = total / number
        error = np.sqrt((squares / number - mean**2) / number)
        if number >= 10 and error > 1e-6:
            off.append((mean - exact.values[key]) / error)
        elif number >= 10:  # nothing is left to chance
            assert mean == pytest.approx(exact.values[key], abs=1e-4) or number < 60
    assert len(off) > 50 and np.mean(np.square(off)) < 1.6


def test_both_kinds_of_rows_say_what_the_others_play(exact):
    for harvest in (
        external(exact.players, *dealt(5, 1000), np.random.default_rng(1)),
        probing(exact.players, *dealt(5, 1000), np.random.default_rng(1), 1.0, 2),
    ):
        samples = joined(harvest.strategies, exact.players.size, exact.players.num_actions)
        np.testing.assert_allclose(samples.targets.sum(1), 1, atol=1e-5)
        assert not {row.tobytes() for row in samples.features[:200]} & set(exact.sets)  # the other seat's
        assert (samples.targets[~samples.masks] == 0).all()


def test_suit_names_change_nothing():
    """Walks with canonical suits bring home legal actions in the networks' order, and the same rows in number."""
    rules = preset("due")
    states = Batch(rules, 60, seeds=1 << 32).states
    for canonical in (False, True):
        players = Players(rules, canonical, torch.device("cpu"), False)
        harvest = probing(players, states.copy(), np.arange(60) % 2, np.random.default_rng(1), 1.0, 1)
        samples = joined(harvest.regrets, players.size, players.num_actions)
        assert len(samples.features) > 20
        assert (samples.targets[~samples.masks] == 0).all() and (samples.targets[samples.masks] != 0).mean() > 0.5
        assert abs(samples.targets.sum(1)).max() < 1e-3  # uniform play: regrets cancel


@pytest.mark.parametrize("name", PRESETS)
def test_no_seat_has_more_choices_than_probing_may_stop_at(name):
    rules = preset(name)
    players = Players(rules, False, torch.device("cpu"), False)
    batch = Batch(rules, 200, seeds=3 << 32)
    most = np.zeros(200, np.int64)

    def count(states, rows, found, mine):
        most[rows] += mine

    seats = np.arange(200) % rules.num_seats
    play_on(players, batch.states, seats, np.random.default_rng(0), visit=count)
    assert 0 < most.max() <= most_choices(rules)


def test_external_sampling_is_for_few_orders():
    assert orders(preset("mini_2p")) == 6 and externally(preset("mini_2p"), "auto")
    assert not externally(preset("mini_2p"), "probing")
    assert not externally(preset("due"), "auto") and not externally(preset("chiamata"), "auto")
    assert externally(preset("mini_due"), "auto") and externally(preset("mini_4p_12"), "auto")
    with pytest.raises(ConfigError, match="sampling = 'external' would try .* orders of a hand in the rules 'due'"):
        externally(preset("due"), "external")
