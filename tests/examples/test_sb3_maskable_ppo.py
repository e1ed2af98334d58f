"""MaskablePPO on one seat: it learns, is loaded again, and plays legally wherever it is seated."""

import re
import zipfile

import numpy as np
import pytest

from agents.arena import play_pair
from tressette_env.envs.policies import ObservationPolicy
from tressette_env.presets import preset

pytest.importorskip("sb3_contrib", reason="sb3-contrib is not installed: pip install '.[examples]'")

from examples.sb3_maskable_ppo import Options, Player, main, play_beside, train


@pytest.fixture(scope="module")
def untrained(tmp_path_factory):
    """A model that has learned nothing, whose favourite actions are anything."""
    path = tmp_path_factory.mktemp("sb3") / "model.zip"
    train(Options(timesteps=1, num_envs=1, out=path), preset("mini_4p_12"))
    return Player(path)


def test_masks_decide_what_the_model_plays(untrained):
    rng = np.random.default_rng(0)
    size = untrained.model.observation_space.shape[0]
    for _ in range(50):
        mask = (rng.random(160) < 0.02).astype(np.int8)
        mask[rng.integers(160)] = 1
        assert mask[untrained.predict(rng.random(size, np.float32), mask)] == 1


def test_it_is_seated_as_partner_and_in_matches(untrained):
    paid = play_beside(untrained, preset("mini_4p_12"), 5, seed=1)
    assert paid.shape == (5,) and np.isfinite(paid).all() and paid.any()
    policy = ObservationPolicy(untrained.predict, preset("mini_4p_12"), "sb3")
    assert play_pair(policy, policy, preset("mini_4p_12"), 4, seed=1).mean == 0  # deterministic: level with itself


@pytest.mark.slow
def test_it_learns(run_example, least_margin, tmp_path):
    printed = run_example("sb3_maskable_ppo", "--out", "model.zip", "--timesteps", 12000, "--deals", 300)
    assert least_margin(printed, "maskable_ppo against random") > 0.2
    assert re.search(r"^seat 0, random opponents: \S+ points a deal, 95 % interval \S+ to \S+$", printed, re.M)
    assert "heuristic" in printed and "row minus column" in printed
    assert "policy.pth" in zipfile.ZipFile(tmp_path / "model.zip").namelist()


def test_an_unknown_opponent_is_refused(capsys):
    assert main(["--opponents", "heurstic"]) == 2
    assert "unknown bot 'heurstic' (did you mean 'heuristic'?)" in capsys.readouterr().err
