"""RLlib by self-play with masks; run by `make peers`, in the environment that has Ray."""

import numpy as np
import pytest
import torch

pytest.importorskip("ray", reason="Ray is not installed: make peers")

from ray.rllib.core.columns import Columns
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv

from examples.rllib_self_play import MaskedModule
from tressette_env import tressette_v0


def played(rules):
    """A deal of lowest legal actions through RLlib's wrapper: the environment and the rewards by agent."""
    env = PettingZooEnv(tressette_v0.raw_env(rules))
    shown, _ = env.reset(seed=1)
    paid, over = {}, False
    while not over:
        (agent,) = shown  # the one seat that is to act
        shown, rewards, terminated, truncated, _ = env.step({agent: int(shown[agent]["action_mask"].argmax())})
        for name, reward in rewards.items():
            paid[name] = paid.get(name, 0.0) + reward
        over = terminated["__all__"]
        assert not truncated["__all__"]
    return env.env, paid


@pytest.mark.parametrize("rules", ["tressette", "due", "traversone"])
def test_the_wrapper_pays_every_seat(rules):
    env, paid = played(rules)
    others = tressette_v0.raw_env(rules)
    others.reset(seed=1)
    due = dict.fromkeys(others.possible_agents, 0.0)
    for agent in others.agent_iter():
        observation, reward, terminated, truncated, _ = others.last()
        due[agent] += reward
        others.step(None if terminated or truncated else int(observation["action_mask"].argmax()))
    assert paid == due and any(due.values())


def test_illegal_actions_get_no_probability():
    env = tressette_v0.raw_env("mini_4p")
    env.reset(seed=1)
    spaces = {"observation_space": env.observation_space("player_0"), "action_space": env.action_space("player_0")}
    module = MaskedModule(**spaces)
    shown = env.last()[0]
    idle = env.observe("player_3")  # such a row stands past the end of every episode
    batch = {Columns.OBS: {name: torch.from_numpy(np.stack([shown[name], idle[name]])) for name in shown}}
    probabilities = module.forward_exploration(batch)[Columns.ACTION_DIST_INPUTS].softmax(-1)
    assert (probabilities[0] > 0).tolist() == shown["action_mask"].astype(bool).tolist()
    assert torch.isfinite(probabilities[1]).all()
    assert module.compute_values(batch).shape == (2,)


@pytest.mark.slow
def test_it_learns(run_example, least_margin):
    printed = run_example("rllib_self_play", "--iterations", 6)
    assert least_margin(printed, "rllib against random") > 0.05
