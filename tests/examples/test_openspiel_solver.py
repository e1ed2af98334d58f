"""OpenSpiel's CFR+ on a toy: it approaches the equilibrium that this repository's own solver finds."""

import re

import pytest

from agents.cfr.best_response import exploitability
from agents.cfr.tree import deal_tree
from tressette_env.presets import preset

pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install '.[openspiel]'")

from examples.command import read_rules
from examples.openspiel_solver import SIX_CARDS, load_game, main


def test_any_rules_are_a_game():
    game = load_game(read_rules(SIX_CARDS))
    assert game.num_players() == 2 and game.new_initial_state().is_chance_node()
    assert len(game.new_initial_state().legal_actions()) == 90
    assert load_game(preset("mini_2p")).num_distinct_actions() == preset("mini_2p").blocks.num_actions


def test_it_solves(run_example):
    printed = run_example("openspiel_solver", "--iterations", 10, "--report-every", 5)
    gaps = [float(gap) for gap in re.findall(r"NashConv (\S+) points", printed)]
    tree = deal_tree(read_rules(SIX_CARDS))
    assert gaps[0] == pytest.approx(2 * exploitability(tree, tree.uniform()), abs=2e-5)
    assert gaps[0] > gaps[1] > gaps[2] and gaps[-1] < 0.03
    replies = [float(value) for value in re.findall(r"best response at seat \d: (\S+) points", printed)]
    assert sum(replies) == pytest.approx(gaps[-1], abs=2e-5)
    value = float(re.search(r"eldest hand: (\S+) points", printed)[1])
    assert -replies[1] <= value + 1e-5 and value <= replies[0] + 1e-5


def test_too_large_a_game_is_refused(capsys):
    assert main(["--rules", "tressette"]) == 2
    said = capsys.readouterr().err
    assert said == "openspiel_solver: rules = 'tressette' is too large a game to walk: name mini_2p, mini_due or less\n"
