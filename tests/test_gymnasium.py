"""The gymnasium views: one seat alone and many copies of it, which must agree row by row."""

import warnings

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import tressette_env  # noqa: F401  registers
from tressette_env import bots
from tressette_env.bots import BotError
from tressette_env.envs.single import TressetteSingle
from tressette_env.envs.vector import TressetteVector
from tressette_env.errors import GameOverError, RulesError, TressetteError

VARIANTS = [("tressette", "deal", "deal"), ("tressette", "match", "trick"), ("bolognese", "deal", "trick")]
VARIANTS += [("briscola", "match", "match")]


@pytest.mark.parametrize("rules", ["tressette", "bolognese"])
def test_check_env(rules):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gym.make("tressette_env:tressette/Tressette-v0", rules=rules, partner="heuristic")
        check_env(env.unwrapped, skip_render_check=True)


def test_masks_in_two_places():
    env = TressetteSingle("gamelake", seat=2)
    _, info = env.reset(seed=1)
    while True:
        assert list(info) == ["action_mask"] and info["action_mask"].dtype == np.int8
        assert (env.action_masks() == info["action_mask"].astype(bool)).all() and env.action_masks().dtype == bool
        observation, _, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
        assert env.observation_space.contains(observation)
        if terminated or truncated:
            break
    assert not info["action_mask"].any()
    with pytest.raises(GameOverError):
        env.step(0)


def test_rewards_are_the_seats_own():
    for seat in range(4):
        env = TressetteSingle(seat=seat, partner="simple", opponents="heuristic")
        _, info = env.reset(seed=seat)
        total, over = 0.0, False
        while not over:
            _, reward, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
            total += reward
            over = terminated or truncated
        points = env.game.results[0]["points"]
        assert total == points[seat % 2] - points[1 - seat % 2]


def test_an_illegal_action_ends_the_episode_with_a_penalty():
    env = TressetteSingle("gamelake")
    _, info = env.reset(seed=1)
    _, reward, terminated, truncated, _ = env.step(int(info["action_mask"].argmin()))
    assert (reward, terminated, truncated) == (-11.0, True, False)


def test_policies_by_object_and_refusals():
    policy = bots.make("heuristic")
    TressetteSingle(partner=policy, opponents="random").reset(seed=1)
    with pytest.raises(BotError, match="unknown bot 'heurstic'"):
        TressetteSingle(partner="heurstic")
    with pytest.raises(TressetteError, match="is no name, path or object"):
        TressetteSingle(partner=3)
    with pytest.raises(RulesError, match="seat = 4 is not a seat"):
        TressetteSingle(seat=4)


def test_render(capsys):
    env = TressetteSingle("gamelake", seat=1, render_mode="ansi")
    env.reset(seed=1)
    hands = env.game.deal_text().split(" | ")
    assert hands[0] not in env.render()
    human = TressetteSingle("gamelake", render_mode="human")
    _, info = human.reset(seed=1)
    human.step(int(info["action_mask"].argmax()))
    assert "gamelake, deal 1" in capsys.readouterr().out


# ---------------------------------------------------------------- many at once
def choose(info, rng, step):
    actions = np.array([rng.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in info["action_mask"]])
    if step % 29 == 28:
        actions[2] = info["action_mask"][2].argmin()  # an illegal one now and then
    return actions


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize(("rules", "episode", "reward"), VARIANTS)
def test_rows_equal_single_environments(rules, episode, reward, mode):
    options = {"rules": rules, "episode": episode, "reward": reward, "seat": 1, "opponents": "heuristic"}
    many = gym.make_vec("tressette/Tressette-v0", num_envs=4, autoreset_mode=mode, **options)
    singles = [TressetteSingle(**options) for _ in range(4)]
    observations, info = many.reset(seed=3)
    for i, single in enumerate(singles):
        assert (observations[i] == single.reset(seed=3 + i)[0]).all()
    rng = np.random.default_rng(0)
    done = np.zeros(4, bool)
    for step in range(120):
        actions = choose(info, rng, step)
        observations, rewards, terminations, truncations, info = many.step(actions)
        for i, single in enumerate(singles):
            if mode is AutoresetMode.NEXT_STEP and done[i]:
                observation, one = single.reset()
                expected = (observation, 0.0, False, False, one)
            else:
                expected = single.step(actions[i])
                if mode is AutoresetMode.SAME_STEP and (expected[2] or expected[3]):
                    assert (info["final_obs"][i] == expected[0]).all() and info["_final_obs"][i]
                    observation, one = single.reset()
                    expected = (observation, *expected[1:4], one)
            assert (observations[i] == expected[0]).all()
            assert (rewards[i], terminations[i], truncations[i]) == expected[1:4]
            assert (info["action_mask"][i] == expected[4]["action_mask"]).all()
        done = terminations | truncations


def test_disabled_autoreset():
    many = TressetteVector(3, "gamelake", autoreset_mode="DISABLED")
    assert many.metadata["autoreset_mode"] is AutoresetMode.DISABLED
    _, info = many.reset(seed=1)
    for _ in range(10):
        _, _, terminations, _, info = many.step(info["action_mask"].argmax(axis=1))
    assert terminations.all()
    with pytest.raises(GameOverError, match=r"rows \[0, 1, 2\] are over"):
        many.step(np.zeros(3, int))
    before = many.batch.states[0].tobytes()
    _, info = many.reset(options={"reset_mask": np.array([False, True, True])})
    assert many.batch.states[0].tobytes() == before
    assert info["action_mask"].any(axis=1).tolist() == [False, True, True]


def test_vector_contract():
    many = gym.make_vec("tressette/Tressette-v0", num_envs=3)
    assert many.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    observations, info = many.reset(seed=1)
    assert many.observation_space.contains(observations)
    kept, copied = observations, observations.copy()
    later, rewards, terminations, truncations, _ = many.step(info["action_mask"].argmax(axis=1))
    assert (kept == copied).all() and not np.shares_memory(kept, later)
    assert rewards.dtype == np.float64 and terminations.dtype == truncations.dtype == bool


def test_vector_refusals():
    many = TressetteVector(3)
    with pytest.raises(TressetteError, match="before reset"):
        many.step(np.zeros(3, int))
    many.reset(seed=1)
    with pytest.raises(TressetteError, match="are not 3 ids"):
        many.step(np.zeros(2, int))
    with pytest.raises(TressetteError, match="reset_mask = "):
        many.reset(options={"reset_mask": np.zeros(3, bool)})
    with pytest.raises(RulesError, match="autoreset_mode = 'never'"):
        TressetteVector(3, autoreset_mode="never")
