"""CFR runs by train.py: exact measures, resume to the bit, tables as players, one sentence for what is wrong."""

import json

import numpy as np
import pytest

from agents.cfr.best_response import nash_conv
from agents.cfr.policy import TablePolicy, policy_of_tree
from agents.cfr.tabular import CFRSolver
from agents.cfr.tree import deal_tree
from agents.checkpoint import CheckpointError, load_policy
from agents.cli import train_main
from agents.evaluate_cli import main as evaluate_main
from tressette_env.engine.batch import Batch, masks_all, start_rows, views_acting
from tressette_env.presets import make_rules, preset

QUICK = ["--config", "cfr.yaml", "--final-eval-deals", "20"]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows(folder):
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


def test_a_run_measures_and_plays(here, capsys):
    assert train_main([*QUICK, "--name", "r", "--total-iterations", "200"]) == 0
    said = capsys.readouterr().out
    assert "exploitability 0.00" in said and "of the range of payoffs" in said
    folder = here / "runs" / "r"
    assert (folder / "exploitability.png").stat().st_size > 5000
    curve = {row["iterations"]: row["eval/exploitability"] for row in rows(folder) if "eval/exploitability" in row}
    assert {1, 2, 10, 100, 200} <= set(curve) and len(curve) > 15
    assert curve[200] < curve[100] < curve[10] < curve[1]
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["iterations"] == 200 and summary["results"]["eval/exploitability"] == curve[200]
    assert evaluate_main(["runs/r", "random", "--deals", "200"]) == 0
    assert "mini_2p: points per deal" in capsys.readouterr().out


def test_a_run_can_meet_the_bots_on_the_way(here):
    flags = ["--name", "r", "--total-iterations", "10", "--evals-per-decade", "1", "--eval-deals", "4"]
    assert train_main([*QUICK, *flags]) == 0
    folder = here / "runs" / "r"
    met = [row["iterations"] for row in rows(folder) if "eval/random_points" in row]
    assert met == [1, 10, 10] and (folder / "curve.png").stat().st_size > 5000


@pytest.mark.parametrize("method", ["pcfr+", "es_mccfr", "os_mccfr"])
def test_resume_goes_on_to_the_bit(here, method):
    flags = [*QUICK, "--method", method]
    assert train_main([*flags, "--name", "whole", "--total-iterations", "60"]) == 0
    assert train_main([*flags, "--name", "parts", "--total-iterations", "25"]) == 0
    assert train_main(["--resume", "parts", "--total-iterations", "60"]) == 0
    whole, parts = (load_policy(here / "runs" / name, preset("mini_2p")) for name in ("whole", "parts"))
    order = [np.argsort(policy.keys) for policy in (whole, parts)]
    np.testing.assert_array_equal(whole.keys[order[0]], parts.keys[order[1]])
    np.testing.assert_array_equal(strategy_in_key_order(whole), strategy_in_key_order(parts))
    last = [rows(here / "runs" / name)[-1] for name in ("whole", "parts")]
    assert last[0]["eval/exploitability"] == last[1]["eval/exploitability"]


def strategy_in_key_order(policy):
    firsts = np.sort(policy.first)
    sizes = dict(zip(firsts, np.diff(np.append(firsts, len(policy.strategy))), strict=True))
    parts = [
        policy.strategy[policy.first[i] : policy.first[i] + sizes[policy.first[i]]] for i in np.argsort(policy.keys)
    ]
    return np.concatenate(parts)


def test_a_game_without_a_tree_is_sampled(here, capsys):
    """mini_4p_12 has 369,600 deals: no tree, external sampling only."""
    flags = ["--env.rules", "mini_4p_12", "--total-iterations", "300", "--name", "big"]
    assert train_main([*QUICK, *flags]) == 2
    assert "369,600 deals, too many to enumerate" in capsys.readouterr().err
    assert train_main([*QUICK, *flags, "--method", "es_mccfr"]) == 0
    assert "no exact measure" in capsys.readouterr().out
    assert rows(here / "runs" / "big")[-2]["charts/information_sets"] > 1000


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--method", "cfr2"], "method = 'cfr2' is unknown (did you mean 'cfr'?)"),
        (["--method", "es_mccfr", "--env.rules", "tressette"], "external sampling would try 3,628,800 orders"),
        (["--method", "os_mccfr", "--explore", "0"], "explore = 0 would leave actions untried"),
        (["--explore", "1.5"], "explore = 1.5 must be between 0 and 1"),
        (["--total-iterations", "0"], "total_iterations = 0 must be at least 1"),
        (["--eval-deals", "1"], "eval_deals = 1 is too few"),
        (["--total-decisions", "5"], "total-decisions"),
    ],
)
def test_what_is_wrong_gets_one_sentence(here, capsys, flags, said):
    assert train_main([*QUICK, *flags]) == 2
    error = capsys.readouterr().err
    assert said in error.replace("\n", " ") and not (here / "runs").exists()


# ---------------------------------------------------------------- tables
def dealt_views(rules, games, dealer):
    """Fresh games of one dealer and the views of eldest hand."""
    batch = Batch(rules, games, seeds=7)
    start_rows(
        batch.states,
        batch.table,
        np.arange(games),
        np.zeros(games, np.int64),
        np.full(games, dealer),
        np.ones(games, bool),
    )
    views = np.empty_like(batch.states)
    views_acting(batch.states, batch.table, views)
    return batch, views


def masks_of(batch):
    masks = np.empty((len(batch.states), batch.rules.blocks.num_actions), np.int8)
    masks_all(batch.states, batch.table, masks)
    return masks


def test_a_table_plays_its_probabilities_whoever_deals():
    rules = preset("mini_2p")
    tree = deal_tree(rules)
    solver = CFRSolver(tree)
    solver.iterate(50)
    policy = policy_of_tree(tree, solver.average_strategy(), rules)
    for dealer in (0, 1):
        batch, views = dealt_views(rules, 3000, dealer)
        probabilities = policy.probabilities(views, batch.table)
        np.testing.assert_allclose(probabilities.sum(axis=1), 1)
        assert ((probabilities > 0) <= (masks_of(batch) > 0)).all()
        keys = np.arange(3000, dtype=np.uint64)
        first = np.bincount(policy.actions(views, batch.table, keys), minlength=probabilities.shape[1])
        np.testing.assert_allclose(first / 3000, probabilities.mean(axis=0), atol=0.02)
    assert policy.missed == 0


def test_a_table_for_other_rules_is_refused(here):
    assert train_main([*QUICK, "--name", "r", "--total-iterations", "2"]) == 0
    with pytest.raises(CheckpointError, match="made for the rules 'mini_2p' and says nothing about 'mini_due'"):
        load_policy(here / "runs" / "r", preset("mini_due"))
    load_policy(here / "runs" / "r", make_rules({"preset": "mini_2p", "target": 5}))
    file = next((here / "runs" / "r" / "checkpoints").glob("*.safetensors"))
    file.write_bytes(file.read_bytes()[:-50])
    with pytest.raises(CheckpointError, match="is corrupt"):
        load_policy(file, preset("mini_2p"))


def test_what_a_table_lacks_is_played_uniformly():
    rules = preset("mini_2p")
    policy = TablePolicy(rules, np.empty(0, np.uint64), np.empty(0, np.int64), np.empty(0))
    batch, views = dealt_views(rules, 10, 0)
    probabilities = policy.probabilities(views, batch.table)
    np.testing.assert_allclose(probabilities, masks_of(batch) / masks_of(batch).sum(axis=1, keepdims=True))
    assert policy.missed == 10


# ---------------------------------------------------------------- sampling
@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "iterations", "most"), [("es_mccfr", 400_000, 0.012), ("os_mccfr", 2_000_000, 0.04)]
)
def test_sampled_averages_come_to_the_same_value(method, iterations, most):
    from agents.cfr.best_response import expected_values
    from agents.cfr.sampling import MCCFRSolver

    rules = preset("mini_2p")
    tree = deal_tree(rules)
    solver = MCCFRSolver(rules, method, seed=1)
    solver.iterate(iterations)
    strategy = solver.store.on_tree(tree)
    assert nash_conv(tree, strategy) / 2 < most
    assert expected_values(tree, strategy)[0] == pytest.approx(0.87293, abs=0.02)
