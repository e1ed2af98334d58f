"""The tabular algorithms: known values, the same iterates as a plain recursion, convergence where it is promised."""

import numpy as np
import pytest
from kuhn import Kuhn

from agents.cfr.best_response import best_response, expected_values, exploitability, nash_conv
from agents.cfr.tabular import VARIANTS, CFRSolver
from agents.cfr.tree import TreeError, deal_tree, tree_of
from tressette_env.presets import make_rules, preset

KUHN = tree_of(Kuhn(), 2)
MINI = deal_tree(preset("mini_2p"))


# ---------------------------------------------------------------- trees
@pytest.mark.parametrize(
    ("rules", "deals", "decisions", "sets"),
    [
        ("mini_2p", 560, 27_728, 15_768),
        ("mini_due", 1120, 301_120, 110_160),
        ("mini_4p", 2520, 186_336, 112_824),
        ({"preset": "mini_4p", "signal_mode": "off"}, 2520, 85_032, 47_692),
    ],
)
def test_sizes(rules, deals, decisions, sets):
    rules = make_rules(rules)
    tree = deal_tree(rules)
    assert (tree.count[0], tree.num_decisions, tree.num_sets) == (deals, decisions, sets)
    assert tree.player[0] == -1
    assert tree.num_nodes == 1 + decisions + len(tree.payoffs)
    np.testing.assert_allclose(tree.payoffs.sum(axis=1), 0, atol=1e-12)
    parents = np.repeat(np.arange(tree.num_nodes), tree.count)
    np.testing.assert_array_equal(parents, np.sort(parents))
    assert tree.num_nodes == 1 + tree.count.sum()


def test_games_too_large_are_refused():
    with pytest.raises(TreeError, match="'tressette' have 4,705.* deals.*use a toy such as mini_2p"):
        deal_tree(preset("tressette"))
    with pytest.raises(TreeError, match="'mini_2p' has more than 1,000 nodes"):
        deal_tree(preset("mini_2p"), max_nodes=1000)
    with pytest.raises(TreeError, match="more than 5 nodes"):
        tree_of(Kuhn(), 2, max_nodes=5)


def test_inconsistent_information_is_refused():
    class Confused(Kuhn):
        def child(self, action):
            return Confused(**vars(super().child(action)))

        def legal_actions(self):
            return [0, 1] if self.cards[1] else [1]

    with pytest.raises(TreeError, match="differ in their actions"):
        tree_of(Confused(), 2)


# ---------------------------------------------------------------- values
@pytest.mark.parametrize("alternating", [True, False])
@pytest.mark.parametrize("variant", VARIANTS)
def test_kuhn_has_its_value(variant, alternating):
    solver = CFRSolver(KUHN, variant, alternating=alternating)
    solver.iterate(16_000)
    average = solver.average_strategy()
    assert exploitability(KUHN, average) < 3e-3
    np.testing.assert_allclose(expected_values(KUHN, average)[0], -1 / 18, atol=2e-3)


def test_best_response_is_checked_by_playing_all_strategies():
    """Every pure strategy of one player of Kuhn poker (2**6) against a random opponent, one by one."""
    rng = np.random.default_rng(3)
    strategy = random_strategy(KUHN, rng)
    for who in (0, 1):
        low, high = np.searchsorted(KUHN.owner, [who, who + 1])
        values = []
        for number in range(2**6):
            pure = strategy.copy()
            for j, i in enumerate(range(low, high)):
                pure[KUHN.start[i] : KUHN.start[i + 1]] = np.eye(2)[number >> j & 1]
            values.append(expected_values(KUHN, pure)[who])
        value, response = best_response(KUHN, strategy, who)
        assert value == pytest.approx(max(values), abs=1e-12)
        assert expected_values(KUHN, response)[who] == pytest.approx(value, abs=1e-12)


def random_strategy(tree, rng):
    weights = rng.exponential(size=len(tree.actions))
    return weights / np.repeat(np.add.reduceat(weights, tree.start[:-1]), np.diff(tree.start))


@pytest.mark.parametrize("name", ["mini_2p", "mini_due", "mini_4p"])
def test_a_best_response_gains_what_it_says(name):
    tree = deal_tree(preset(name))
    strategy = random_strategy(tree, np.random.default_rng(5))
    now = expected_values(tree, strategy)
    assert now.sum() == pytest.approx(0, abs=1e-9)
    for who in range(tree.num_players):
        value, response = best_response(tree, strategy, who)
        assert expected_values(tree, response)[who] == pytest.approx(value, abs=1e-9)
        assert value >= now[who]
        again, _ = best_response(tree, response, who)
        assert again == pytest.approx(value, abs=1e-9)


def test_exploitability_is_for_two():
    tree = deal_tree(preset("mini_4p"))
    with pytest.raises(TreeError, match="the game has 4: use nash_conv"):
        exploitability(tree, tree.uniform())


def test_an_unknown_variant_is_refused():
    with pytest.raises(ValueError, match="unknown variant 'cfr2': use cfr, cfr\\+"):
        CFRSolver(KUHN, "cfr2")


# ---------------------------------------------------------------- curves
def textbook(root, iterations, *, plus, alternating):
    """CFR by recursion over histories and dictionaries, after the papers; return the average strategy per iteration."""
    regrets, average, current, curve = {}, {}, {}, []

    def strategy(label, actions):
        return current.get(label) or dict.fromkeys(actions, 1 / len(actions))

    def walk(state, who, own, others, weight, gains):
        if state.is_terminal():
            return state.returns()[who]
        if state.is_chance_node():
            return sum(
                p * walk(state.child(a), who, own, others * p, weight, gains) for a, p in state.chance_outcomes()
            )
        actor, actions = state.current_player(), state.legal_actions()
        label = (actor, state.information_state_string())
        play = strategy(label, actions)
        if actor != who:
            return sum(play[a] * walk(state.child(a), who, own, others * play[a], weight, gains) for a in actions)
        values = {a: walk(state.child(a), who, own * play[a], others, weight, gains) for a in actions}
        value = sum(play[a] * values[a] for a in actions)
        for a in actions:
            gains.setdefault(label, {}).setdefault(a, 0.0)
            gains[label][a] += others * (values[a] - value)
            average.setdefault(label, {}).setdefault(a, 0.0)
            average[label][a] += weight * own * play[a]
        return value

    def learn(gains):
        for label, of in gains.items():
            kept = regrets.setdefault(label, dict.fromkeys(of, 0.0))
            for a, gain in of.items():
                kept[a] = max(kept[a] + gain, 0.0) if plus else kept[a] + gain
            total = sum(max(r, 0.0) for r in kept.values())
            current[label] = {a: max(r, 0.0) / total if total else 1 / len(kept) for a, r in kept.items()}

    for t in range(1, iterations + 1):
        waiting = []
        for who in (0, 1):
            gains = {}
            walk(root, who, 1.0, 1.0, t if plus else 1, gains)
            waiting.append(gains)
            if alternating:
                learn(waiting.pop())
        for gains in waiting:
            learn(gains)
        curve.append({label: {a: p / sum(of.values()) for a, p in of.items()} for label, of in average.items()})
    return curve


@pytest.mark.parametrize("alternating", [True, False])
@pytest.mark.parametrize("variant", ["cfr", "cfr+"])
def test_the_same_iterates_as_the_textbook(variant, alternating):
    solver = CFRSolver(KUHN, variant, alternating=alternating)
    for average in textbook(Kuhn(), 30, plus=variant == "cfr+", alternating=alternating):
        solver.iterate()
        mine = solver.average_strategy()
        for i, label in enumerate(KUHN.labels):
            who, text = label.split(" ")
            shown = [average[int(who), text][a] for a in (0, 1)]
            np.testing.assert_allclose(mine[KUHN.start[i] : KUHN.start[i + 1]], shown, atol=1e-12)


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_average_comes_closer(variant):
    """Exploitability of the average on the toy at doubling iterations: below the promised O(1/sqrt(t)), and falling."""
    solver = CFRSolver(MINI, variant)
    found = []
    for _ in range(6):
        solver.iterate(max(8, solver.iteration))
        found.append(exploitability(MINI, solver.average_strategy()))
    assert all(after < before for before, after in zip(found, found[1:], strict=False))
    assert found[-1] < (0.02 if variant == "cfr" else 0.003)


def test_partners_learn_to_small_regrets_of_each_seat():
    tree = deal_tree(preset("mini_4p"))
    solver = CFRSolver(tree, "dcfr")
    solver.iterate(100)
    assert nash_conv(tree, solver.average_strategy()) < 1e-3


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_restored_solver_goes_on_to_the_bit(variant):
    one = CFRSolver(MINI, variant)
    one.iterate(3)
    other = CFRSolver(MINI, variant)
    other.restore(one.state())
    one.iterate(3)
    other.iterate(3)
    for name, value in one.state().items():
        np.testing.assert_array_equal(value, other.state()[name])
