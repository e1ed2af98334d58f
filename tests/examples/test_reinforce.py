"""The worked example of docs/howto/algorithm.md: trains, learns, goes on, and is played like any run."""

import json

from agents import cli
from agents.evaluate_cli import main as evaluate_main
from examples.reinforce import main


def test_reinforce_learns_and_is_played(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cli, "ALGORITHMS", dict(cli.ALGORITHMS))
    assert main(["--name", "mine"]) == 0
    results = json.loads((tmp_path / "runs/mine/summary.json").read_text())["results"]
    assert results["eval/random_points"] - results["eval/random_ci95"] > 0.3
    assert evaluate_main(["runs/mine", "random", "--rules", "mini_4p_12", "--deals", "50"]) == 0
    assert main(["--resume", "mine", "--total-decisions", "110000"]) == 0
    assert json.loads((tmp_path / "runs/mine/summary.json").read_text())["decisions"] >= 110_000
