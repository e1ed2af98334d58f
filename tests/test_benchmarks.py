"""The benchmarks: a peer plays the same game as the engine, PPO's peers play what they say, torchrun is measured."""

import re

import numpy as np
import pytest

from benchmarks import sample_efficiency, torchrun
from benchmarks.numpy_peer import NumpyGames
from benchmarks.ppo_peers import cleanrl
from examples.cleanrl_ppo import Args
from tressette_env.engine.batch import Batch
from tressette_env.presets import preset


def test_numpy_peer_equals_engine():
    batch = Batch(preset("gamelake"), 64, seeds=5)
    rng = np.random.default_rng(0)
    peer = NumpyGames(64, rng)
    peer.deal(batch.states["hands"][:, :4], batch.states["leader"])
    for _ in range(40):
        masks = batch.masks()
        assert np.array_equal(masks, peer.masks())
        cards = (masks * rng.random(masks.shape)).argmax(axis=1)
        batch.step(cards)
        peer.step(cards)
    assert np.array_equal(batch.states["points"][:, :2], 6 * peer.points)


def test_the_cleanrl_case_counts_a_deal_of_every_game():
    case = cleanrl(Args(rules="gamelake", num_envs=3, hidden=(16,)))
    for _ in range(2):
        decisions, seconds = case()
        assert decisions == 3 * 40 and seconds > 0


def test_the_first_iteration_is_not_measured():
    metrics = "\n".join(
        f'{{"decisions": {decisions}, "time/seconds": {seconds}}}'
        for decisions, seconds in ((100, 9.0), (300, 10.0), (500, 11.0))
    )
    assert torchrun.after_the_first(metrics + '\n{"decisions": 500, "eval/random_points": 1.0}\n') == (400, 2.0)
    with pytest.raises(torchrun.MeasurementError, match="give more --decisions"):
        torchrun.after_the_first(metrics.splitlines()[0])


def test_learners_are_compared_where_they_first_reach_a_margin(tmp_path, capsys):
    rows = [
        '{"decisions": 10, "time/seconds": 1.0}',
        '{"decisions": 10, "eval/heuristic_points": -3.2, "eval/heuristic_ci95": 0.2}',
        '{"decisions": 20, "time/seconds": 2.5}',
        '{"decisions": 20, "eval/heuristic_points": -1.4, "eval/heuristic_ci95": 0.1}',
    ]
    (tmp_path / "metrics.jsonl").write_text("\n".join(rows))
    points = sample_efficiency.read_run(tmp_path)
    assert sample_efficiency.first_at(points, -3.5).seconds == 1.0
    assert sample_efficiency.first_at(points, -2.0) == sample_efficiency.Point(2.5, 20, -1.4, 0.1)
    assert sample_efficiency.first_at(points, 0.0) is None
    assert sample_efficiency.main(["--runs", str(tmp_path / "none")]) == 2
    assert "no evaluation against heuristic" in capsys.readouterr().err


def test_a_peer_is_followed_for_its_time():
    options = sample_efficiency.Options(rules="mini_4p_12", minutes=0.02, points=2, deals=4)
    seen = []
    points = sample_efficiency.follow(sample_efficiency.cleanrl(options), options, seen.append)
    assert points == seen and len(points) == 2
    assert points[0].decisions < points[1].decisions and 0.6 <= points[0].seconds < points[1].seconds


@pytest.mark.slow
def test_torchrun_is_measured_against_threads(capsys):
    tiny = ["--env.rules", "mini_4p", "--hidden", "16", "--critic-hidden", "16", "--deals-per-iteration", "50"]
    assert torchrun.main(["--rounds", "1", "--decisions", "1200", *tiny]) == 0
    printed = capsys.readouterr().out
    assert len(re.findall(r": [\d,]+ decisions/s", printed)) == 2
    assert re.search(r"^ratio [\d.]+, ", printed, re.MULTILINE)
