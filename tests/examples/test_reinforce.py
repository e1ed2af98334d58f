"""The worked example of docs/howto/algorithm.md: trains, learns, goes on to the bit, and is played like any run."""

import json

import pytest
import torch

from agents import cli
from agents.checkpoint import TRAINER_FORMAT, load_tensors
from agents.evaluate_cli import main as evaluate_main
from examples.reinforce import main


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """An empty folder to train in; the example's row is gone again afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cli, "ALGORITHMS", dict(cli.ALGORITHMS))
    return tmp_path


def test_reinforce_learns_and_is_played(here):
    assert main(["--name", "mine"]) == 0
    results = json.loads((here / "runs/mine/summary.json").read_text())["results"]
    assert results["eval/random_points"] - results["eval/random_ci95"] > 0.3
    assert evaluate_main(["runs/mine", "random", "--rules", "mini_4p_12", "--deals", "50"]) == 0


def test_a_resumed_run_equals_an_uninterrupted_one_bit_for_bit(here):
    short = ["--final-eval-deals", "2"]
    assert main(["--name", "whole", "--total-decisions", "15000", *short]) == 0
    assert main(["--name", "parts", "--total-decisions", "7000", *short]) == 0
    assert main(["--resume", "parts", "--total-decisions", "15000"]) == 0
    whole, parts = (sorted((here / "runs" / name / "checkpoints").glob("*.trainer"))[-1] for name in ("whole", "parts"))
    assert whole.name == parts.name
    (one, about_one), (two, about_two) = (load_tensors(path, TRAINER_FORMAT) for path in (whole, parts))
    assert about_one == about_two and one.keys() == two.keys()
    assert any(name.startswith("optimiser.") for name in one)
    assert all(torch.equal(one[name], two[name]) for name in one)


def test_a_state_of_other_widths_is_one_sentence(here, capsys):
    short = ["--final-eval-deals", "2", "--total-decisions", "3000"]
    assert main(["--name", "mine", *short]) == 0
    config = here / "runs/mine/config.yaml"
    config.write_text(config.read_text().replace("- 64", "- 32"))
    capsys.readouterr()
    assert main(["--resume", "mine", "--total-decisions", "6000"]) == 1
    error = capsys.readouterr().err
    assert "does not fit its config.yaml" in error and error.splitlines()[-1].startswith("train.py: ")
