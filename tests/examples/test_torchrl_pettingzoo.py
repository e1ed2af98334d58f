"""TorchRL's wrapper on the game: shapes, masks, who acts, what is paid; and a short training that learns."""

import pytest
import torch

from tressette_env.presets import preset

pytest.importorskip("torchrl", reason="TorchRL is not installed: pip install '.[examples]'")

from torchrl.envs import check_env_specs

from agents.networks import mlp
from examples.torchrl_pettingzoo import GROUP, actor_of, decisions, make_env, make_gae


@pytest.fixture
def env():
    return make_env(preset("mini_4p_12"), seed=1)


@pytest.fixture
def deal(env):
    """One deal played by a random network: 12 steps of 4 seats, 720 inputs and 160 actions."""
    torch.manual_seed(1)
    with torch.no_grad():
        return env.rollout(1000, actor_of(mlp(720, (16,), 160, 1.0), GROUP))


@pytest.mark.parametrize("rules", ["tressette", "due", "calabresella", "chiamata"])
def test_specs(rules):
    check_env_specs(make_env(preset(rules), seed=1))


def test_a_rollout_is_one_deal(env, deal):
    assert deal[GROUP, "observation", "observation"].shape == (12, 4, 720)
    assert deal[GROUP, "action_mask"].shape == (12, 4, 160)
    done = deal["next", "done"].flatten().tolist()
    assert done == [False] * 11 + [True]
    a, b = env.unwrapped.results[-1]["points"]
    assert deal["next", GROUP, "reward"].sum(0).flatten().tolist() == [a - b, b - a, a - b, b - a]


def test_the_rows_of_the_acting_seats_are_the_decisions(env, deal):
    rows = decisions(deal)
    assert rows.batch_size == (12,)
    taken = [[int(mask.nonzero()), env.unwrapped.action_to_text(int(action))] for mask, action in zip(
        deal[GROUP, "mask"], rows["action"], strict=True
    )]  # fmt: skip
    assert taken == [list(row) for row in env.unwrapped.record()["actions"]]
    assert rows["action_mask"].gather(1, rows["action"][:, None]).all()
    assert deal[GROUP, "action_mask"][~deal[GROUP, "mask"]].all()  # of idle seats: all ones, as the page says


def test_advantages_are_the_rest_of_the_deal_less_the_value(deal):
    critic = mlp(720, (16,), 1, 1.0)
    with torch.no_grad():
        judged = make_gae(critic)(deal)
        values = critic(deal[GROUP, "observation", "observation"])
    paid = deal["next", GROUP, "reward"].flip(0).cumsum(0).flip(0)
    assert torch.allclose(judged[GROUP, "advantage"], paid - values, atol=1e-5)


@pytest.mark.slow
def test_it_learns(run_example, least_margin):
    printed = run_example("torchrl_pettingzoo", "--iterations", 12)
    assert least_margin(printed, "torchrl against random") > 0.1
    assert "action_mask" in printed and "(8, 4, 160)" in printed
