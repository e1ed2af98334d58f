"""What the environment says to a caller who is wrong: one sentence, and nothing changed."""

import numpy as np
import pytest

from tressette_env import tressette_v0
from tressette_env.errors import GameOverError, NotationError, TressetteError


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"deal": 5}, "option deal = 5"),
        ({"deal": []}, "option deal = []"),
        ({"history": "3c"}, "option history = '3c'"),
        ({"history": 5}, "option history = 5"),
        ([("deal", 5)], "not a mapping"),
    ],
)
def test_a_reset_option_of_the_wrong_kind(options, told):
    env = tressette_v0.raw_env()
    env.reset(seed=1)
    before = env.get_state()
    with pytest.raises(TressetteError) as caught:
        env.reset(options=options)
    assert told in str(caught.value)
    assert (env.get_state() == before).all()


def test_two_deals_for_an_episode_of_one_deal():
    texts = []
    env = tressette_v0.raw_env(rules="gamelake")
    for seed in (1, 2):
        env.reset(seed=seed)
        texts.append(env.deal_text())
    with pytest.raises(TressetteError, match="2 deals, but the episode is one deal"):
        env.reset(options={"deal": texts})
    tressette_v0.raw_env(rules="gamelake", episode="match").reset(options={"deal": texts})
    env = tressette_v0.raw_env(rules={"preset": "gamelake", "annul": "below_one_point"})  # it may take a second deal
    env.reset(options={"deal": texts})


@pytest.mark.parametrize("call", ["step", "observe", "get_state"])
def test_calls_before_reset(call):
    env = tressette_v0.raw_env()
    arguments = {"step": [0], "observe": ["player_0"], "get_state": []}[call]
    with pytest.raises(GameOverError, match=f"{call}.* before reset"):
        getattr(env, call)(*arguments)


def test_a_state_may_be_put_into_a_fresh_environment():
    env = tressette_v0.raw_env()
    env.reset(seed=3)
    fresh = tressette_v0.raw_env()
    fresh.set_state(env.get_state())
    assert (fresh.observe("player_0")["observation"] == env.observe("player_0")["observation"]).all()


@pytest.mark.parametrize("agent", [[], None, "player_9", 0])
def test_an_agent_that_is_none(agent):
    env = tressette_v0.raw_env()
    env.reset(seed=1)
    for call in (env.observe, env.information_state_string):
        with pytest.raises(TressetteError, match="unknown agent"):
            call(agent)


@pytest.mark.parametrize("action", ["a", 1.5, True, None])
def test_the_text_of_no_action(action):
    with pytest.raises(NotationError, match="is not a number"):
        tressette_v0.raw_env().action_to_text(action)
    assert tressette_v0.raw_env().action_to_text(np.int64(0)) == "4c"
