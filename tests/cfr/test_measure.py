"""What could be gained against a player, exactly: bots, tables and networks; partners together."""

import json
from itertools import product

import numpy as np
import pytest
import torch

from agents.cfr.best_response import best_response, expected_values, exploitability, nash_conv
from agents.cfr.measure import Exploiter
from agents.cfr.policy import policy_of_tree
from agents.cfr.tabular import CFRSolver
from agents.cfr.team import team_response
from agents.cfr.tree import TreeError, deal_tree, set_views
from agents.checkpoint import NetworkPolicy
from agents.evaluate_cli import main
from agents.networks import mlp
from agents.search.registry import make_search
from tressette_env.bots import make
from tressette_env.observation import layout
from tressette_env.presets import make_rules, preset


@pytest.fixture(scope="module")
def mini():
    return Exploiter(preset("mini_2p"))


def test_a_table_is_measured_as_the_strategy_it_came_from(mini):
    solver = CFRSolver(mini.tree)
    solver.iterate(20)
    average = solver.average_strategy()
    found = mini.measure(policy_of_tree(mini.tree, average, mini.rules))
    assert found.exploitability == pytest.approx(exploitability(mini.tree, average), abs=1e-12)
    assert found.draws == 0 and found.team_gains is None
    assert found.value == pytest.approx(expected_values(mini.tree, average)[0])


def test_views_are_those_of_the_sets(mini):
    views = set_views(mini.tree, mini.rules)
    np.testing.assert_array_equal(views["to_act"], mini.tree.owner)
    for i in np.random.default_rng(1).integers(0, mini.tree.num_sets, 200):
        own = int(views[i]["hands"][views[i]["to_act"]])
        assert all(own >> int(card % 40) & 1 for card in mini.tree.actions[mini.tree.start[i] : mini.tree.start[i + 1]])
        assert views[i]["hands"][1 - views[i]["to_act"]] == 0


def test_random_and_scripted_bots_are_exact(mini):
    random = mini.measure(make("random"))
    assert random.nash_conv == pytest.approx(nash_conv(mini.tree, mini.tree.uniform())) and random.draws == 0
    heuristic = mini.measure(make("heuristic"))
    assert heuristic.draws == 0 and 0 < heuristic.exploitability < random.exploitability
    strategy, _ = mini.strategy(make("heuristic"))
    assert set(strategy) == {0.0, 1.0}


def test_a_search_is_estimated_and_says_so(mini):
    found = mini.measure(make_search("mc:worlds=2"))
    assert found.draws == 64 and found.to_dict()["estimated_from_draws"] == 64


@pytest.mark.parametrize("rules", ["mini_2p", "mini_4p"])
@pytest.mark.parametrize("canonical", [False, True])
def test_a_network_is_measured_by_its_probabilities(canonical, rules):
    rules = preset(rules)
    torch.manual_seed(1)
    network = mlp(layout(rules).size, (16,), rules.blocks.num_actions, 1.0)
    mixed = NetworkPolicy(network, rules, "net", canonical, greedy=False)
    tree = deal_tree(rules)
    chosen = np.flatnonzero(np.diff(tree.start) > 1)[:50]
    views = set_views(tree, rules)[chosen]
    table = rules.table()
    shown = mixed.probabilities(views, table)
    np.testing.assert_allclose(shown.sum(1), 1, atol=1e-6)
    for row, i in enumerate(chosen):
        assert set(np.flatnonzero(shown[row])) == set(tree.actions[tree.start[i] : tree.start[i + 1]])
    counts = np.zeros_like(shown)
    for draw in range(2000):
        keys = np.arange(1000 * draw, 1000 * draw + len(views)).astype(np.uint64)
        counts[np.arange(len(views)), mixed.actions(views, table, keys)] += 1
    np.testing.assert_allclose(counts / 2000, shown, atol=0.07)
    greedy = NetworkPolicy(network, rules, "net", canonical).probabilities(views, table)
    assert (greedy.max(1) == 1).all()
    actions = NetworkPolicy(network, rules, "net", canonical).actions(views, table, np.zeros(len(views), np.uint64))
    np.testing.assert_array_equal(greedy.argmax(1), actions)


# ---------------------------------------------------------------- partners
def all_joint(tree, strategy, team):
    """The best value of two partners by trying all their pure strategies."""
    sizes = np.diff(tree.start)
    free = [i for i in range(tree.num_sets) if tree.owner[i] in team and sizes[i] > 1]
    best = -np.inf
    for choice in product(*(range(sizes[i]) for i in free)):
        pure = strategy.copy()
        for i, k in zip(free, choice, strict=True):
            pure[tree.start[i] : tree.start[i + 1]] = np.eye(sizes[i])[k]
        best = max(best, expected_values(tree, pure)[team[0]])
    return best


def small_team_tree():
    """Two partners with a choice each against two: a bet on whether both say the same as a third, hidden, coin."""

    class Coins:
        def __init__(self, moves=()):
            self.moves = moves

        def is_terminal(self):
            return len(self.moves) == 5

        def is_chance_node(self):
            return len(self.moves) == 0

        def chance_outcomes(self):
            return [(i, 0.25) for i in range(4)]  # a coin for seat 0 and one for seat 2

        def current_player(self):
            return len(self.moves) - 1

        def legal_actions(self):
            return [0, 1]

        def child(self, action):
            return Coins((*self.moves, action))

        def information_state_string(self):
            coins, seat = self.moves[0], self.current_player()
            own = {0: coins & 1, 2: coins >> 1}.get(seat, "")
            return f"{own} {self.moves[1:2] if seat == 2 else ''}"

        def returns(self):
            coins, a, b, c, d = self.moves
            won = 3.0 * ((a + c) % 2 == (coins & 1) * (coins >> 1)) + a * b - c * d - 0.5 * (b != d)
            return [won, -won, won, -won]

    from agents.cfr.tree import tree_of

    return tree_of(Coins(), 4)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("team", [(0, 2), (1, 3)])
def test_partners_find_what_trying_everything_finds(team, seed):
    tree = small_team_tree()
    rng = np.random.default_rng(seed)
    weights = rng.exponential(size=len(tree.actions))
    strategy = weights / np.repeat(np.add.reduceat(weights, tree.start[:-1]), np.diff(tree.start))
    found = team_response(tree, strategy, team)
    assert found.value == pytest.approx(all_joint(tree, strategy, team), abs=1e-9)
    assert found.bound == pytest.approx(found.value, abs=1e-6)
    assert expected_values(tree, found.strategy)[team[0]] == pytest.approx(found.value, abs=1e-12)
    alone = max(best_response(tree, strategy, who)[0] for who in team)
    assert found.value >= alone - 1e-9 and found.gain >= 0


def test_partners_gain_more_than_either_alone():
    rules = make_rules({"preset": "mini_4p", "signal_mode": "off"})
    tree = deal_tree(rules)
    solver = CFRSolver(tree, "dcfr")
    solver.iterate(100)
    average = solver.average_strategy()
    assert nash_conv(tree, average) < 1e-5
    found = team_response(tree, average, (0, 2))
    assert found.gain > 0.005 and found.bound == pytest.approx(found.value, abs=1e-4)  # no seat alone could see it


def test_opponents_are_no_partners():
    tree = small_team_tree()
    with pytest.raises(TreeError, match="0 and 1 are not partners"):
        team_response(tree, tree.uniform(), (0, 1))


# ---------------------------------------------------------------- the command
def test_evaluate_exploit(capsys, tmp_path):
    out = tmp_path / "x.json"
    assert main(["random", "--rules", "mini_2p", "--exploit", "--json", str(out)]) == 0
    assert "0.997321" in capsys.readouterr().out
    assert json.loads(out.read_text())["exploit"][0]["exploitability"] == pytest.approx(0.997321, abs=1e-6)
    assert main(["random", "simple", "--deals", "10", "--rules", "mini_due", "--exploit"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "mini_due: points per deal" in said and "what could be gained against each player" in said
    assert main(["random", "--exploit"]) == 2
    assert "too many to enumerate" in capsys.readouterr().err
    assert main(["random", "--rules", "mini_2p"]) == 2
    assert "name at least two players, not 1" in capsys.readouterr().err


def test_ctrl_c_while_exploiting_keeps_the_matches(monkeypatch, capsys, tmp_path):
    real, seen = Exploiter.measure, []

    def measure(self, player, name):
        if seen:
            raise KeyboardInterrupt
        seen.append(name)
        return real(self, player, name=name)

    monkeypatch.setattr(Exploiter, "measure", measure)
    out = tmp_path / "x.json"
    flags = ["random", "simple", "--deals", "10", "--rules", "mini_2p", "--exploit", "--json", str(out)]
    assert main(flags) == 130
    said = " ".join(capsys.readouterr().out.split())
    assert "mini_2p: points per deal" in said and "0.997321" in said
    data = json.loads(out.read_text())
    assert data["pairs"][0]["n"] == 10 and [row["name"] for row in data["exploit"]] == ["random"]
