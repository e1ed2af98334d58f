"""The PettingZoo environment: what the interface promises beyond the conformance suite."""

import copy
import inspect
import pickle
import random
import subprocess
import sys

import numpy as np
import pytest
from conformance.suite import due_to

import tressette_env
from tressette_env import tressette_v0
from tressette_env.envs.aec import DeadStepError
from tressette_env.errors import GameOverError, IllegalActionError, NotationError, RulesError, TressetteError
from tressette_env.presets import PRESETS


def play_out(env, seed=0, on_ply=None):
    """Play the episode to its last dead step; returns the sums of both readings of the rewards."""
    rng = random.Random(seed)
    by_last = dict.fromkeys(env.possible_agents, 0.0)
    by_step = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        by_last[agent] += reward
        if terminated or truncated:
            env.step(None)
            continue
        if on_ply:
            on_ply()
        env.step(int(rng.choice(np.flatnonzero(observation["action_mask"]).tolist())))
        for name, value in env.rewards.items():
            by_step[name] += value
    return by_last, by_step


def won(env, seat):
    """1 for the winner of the match, -1 or -1 / (competitors - 1) for the others."""
    rules, totals = env.rules, env.results[-1]["totals"]
    best = (min if rules.objective == "min" else max)(totals)
    winners = [competitor for competitor, total in enumerate(totals) if total == best]
    own = seat if rules.auction != "none" else rules.sides[seat]
    return 1 if [own] == winners else -1 / (len(totals) - 1)


@pytest.mark.parametrize(
    ("episode", "reward"),
    [("deal", "deal"), ("deal", "trick"), ("match", "deal"), ("match", "trick"), ("match", "match")],
)
@pytest.mark.parametrize("rules", PRESETS)
def test_both_readings_of_the_rewards_agree(rules, episode, reward):
    env = tressette_v0.raw_env(rules, episode=episode, reward=reward)
    env.reset(seed=5)
    by_last, by_step = play_out(env)
    assert by_last == pytest.approx(by_step)
    assert sum(by_last.values()) == pytest.approx(0)
    for agent, value in by_last.items():
        seat = int(agent[-1])
        assert value == pytest.approx(won(env, seat) if reward == "match" else due_to(env, seat))


def test_dense_rewards_are_card_points_then_a_correction():
    env = tressette_v0.raw_env("gamelake", reward="trick")
    env.reset(seed=1)
    while len(env.game.actions) < 4:
        env.step(env.legal_actions()[0])
    captured = [int(sixths) / 6 for sixths in env.game.states[0]["captured"][:4]]
    own = captured[0] + captured[2] - captured[1] - captured[3]
    assert env.rewards == pytest.approx({"player_0": own, "player_1": -own, "player_2": own, "player_3": -own})


def test_the_interface_of_a_step():
    env = tressette_v0.raw_env()
    env.reset(seed=1)
    assert env.possible_agents == ["player_0", "player_1", "player_2", "player_3"]
    assert env.metadata["is_parallelizable"] is False and str(env) == "tressette_v0"
    assert all(type(flag) is bool for flag in (*env.terminations.values(), *env.truncations.values()))
    for kind in (np.int32, np.int64, np.uint8):
        env.step(kind(env.legal_actions()[0]))
    play_out(env)
    assert env.agents == []


def test_actions_have_texts():
    env = tressette_v0.raw_env()
    env.reset(seed=1)
    assert [env.text_to_action(text) for text in env.legal_action_texts()] == env.legal_actions()
    assert env.action_to_text(env.text_to_action("3c busso")) == "3c busso"
    with pytest.raises(NotationError):
        env.text_to_action("3x")


@pytest.mark.parametrize("rules", ["tressette", "due", "calabresella"])
@pytest.mark.parametrize("make", [tressette_v0.env, tressette_v0.raw_env])
def test_copies_at_every_ply(make, rules):
    env = make(rules, episode="match")
    env.reset(seed=3)
    rng = random.Random(0)
    for ply in range(60):
        copies = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))] if ply % 4 == 0 else []
        action = rng.choice(env.unwrapped.legal_actions())
        env.last()
        env.step(action)
        for other in copies:
            other.last()
            other.step(action)
            assert other.unwrapped.get_state().tobytes() == env.unwrapped.get_state().tobytes()
            assert other.agent_selection == env.agent_selection


@pytest.mark.parametrize("rules", ["tressette", "traversone_3p", "due", "calabresella", "chiamata"])
def test_get_state_and_set_state_at_every_ply(rules):
    env, other = tressette_v0.raw_env(rules, reward="trick"), tressette_v0.raw_env(rules, reward="trick")
    env.reset(seed=3)
    other.reset(seed=4)
    rng = random.Random(0)
    while env.agents:
        other.set_state(env.get_state())
        assert other.get_state().tobytes() == env.get_state().tobytes()
        for name in ("agents", "agent_selection", "rewards", "_cumulative_rewards", "terminations", "truncations"):
            assert getattr(other, name) == getattr(env, name), name
        for agent in env.agents:
            assert (other.infos[agent]["action_mask"] == env.infos[agent]["action_mask"]).all()
        action = rng.choice(env.legal_actions()) if env.game.to_act >= 0 else None
        env.step(action)
        other.step(action)
        assert other.get_state().tobytes() == env.get_state().tobytes()


@pytest.mark.parametrize("rules", PRESETS)
def test_state_holds_what_observations_hide(rules):
    """Hands of two others exchanged, or where there is only one other its hand and what lies undealt."""
    env, swapped = tressette_v0.raw_env(rules), tressette_v0.raw_env(rules)
    n = env.rules.num_seats
    compared = 0
    for seed in range(20):
        env.reset(seed=seed)
        assert env.state_space.contains(env.state())
        body, *tail = env.deal_text().split(" / ")
        hands = [hand.replace(" ", "") for hand in body.split(" | ")]
        seat = int(env.agent_selection[-1])
        other = (seat + 1) % n
        if n > 2:
            hands[other], hands[(seat + 2) % n] = hands[(seat + 2) % n], hands[other]
        else:  # its first card and the first that lies undealt
            kind, cards = tail[0].split(" ", 1)
            hands[other], tail[0] = cards[:2] + hands[other][2:], f"{kind} {hands[other][:2]}{cards[2:]}"
        try:
            options = {"deal": " / ".join([" | ".join(hands), *tail]), "dealer": env.game.dealer}
            swapped.reset(options=options)
        except NotationError:
            continue  # the trump card has left its dealer
        assert env.state().tobytes() != swapped.state().tobytes()
        if env.agent_selection == swapped.agent_selection:
            agent = env.agent_selection
            assert env.observe(agent)["observation"].tobytes() == swapped.observe(agent)["observation"].tobytes()
            compared += 1
    assert compared > 5


# ---------------------------------------------------------------- illegal actions
def an_illegal(env):
    legal = env.unwrapped.legal_actions()
    return next(action for action in range(env.action_space("player_0").n) if action not in legal)


@pytest.mark.parametrize("rules", ["tressette", "due", "calabresella_two", "chiamata"])
def test_illegal_raises_and_changes_nothing(rules):
    env = tressette_v0.raw_env(rules, reward="trick")
    env.reset(seed=1)
    rng = random.Random(1)
    while env.game.to_act >= 0:
        before = env.get_state().tobytes()
        with pytest.raises(IllegalActionError, match=f"seat {env.agent_selection[-1]}"):
            env.step(an_illegal(env))
        with pytest.raises(IllegalActionError):
            env.step(None)
        assert env.get_state().tobytes() == before
        env.step(rng.choice(env.legal_actions()))


@pytest.mark.parametrize("rules", PRESETS)
def test_illegal_terminate_is_zero_sum_on_the_offenders_side(rules):
    """The offender's side (in auction games the seat alone) pays the deal's whole total, the others share it."""
    env = tressette_v0.raw_env(rules, illegal="terminate")
    env.reset(seed=1)
    offender, whole = int(env.agent_selection[-1]), env.rules.whole_total
    alone = env.rules.auction != "none"
    sides = range(env.rules.num_seats) if alone else env.rules.sides
    env.step(an_illegal(env))
    for seat, agent in enumerate(env.possible_agents):
        due = -whole if sides[seat] == sides[offender] else whole / (len(set(sides)) - 1)
        assert env.rewards[agent] == pytest.approx(due)
    assert sum(env.rewards.values()) == pytest.approx(0)
    assert all(env.terminations.values()) and env.results == []
    assert not any(env.observe(agent)["action_mask"].any() for agent in env.possible_agents)
    assert not any(info["action_mask"].any() for info in env.infos.values())


def test_everybody_passing_truncates_with_zero_rewards():
    env = tressette_v0.raw_env("chiamata")
    env.reset(seed=1)
    for _ in range(25):
        env.step(env.text_to_action("bid pass"))
    assert all(env.truncations.values()) and not any(env.terminations.values())
    assert not any(env.rewards.values()) and env.results == []
    assert len(env.record()["deals"]) == 5


@pytest.mark.filterwarnings("ignore")
def test_wrapped_illegal_keeps_pettingzoos_convention_and_later_games_are_unharmed():
    env, fresh = tressette_v0.env(), tressette_v0.env()
    env.reset(seed=1)
    offender = env.agent_selection
    env.step(an_illegal(env))
    assert env.rewards[offender] == -1
    assert not any(env.observe(agent)["action_mask"].any() for agent in env.possible_agents)
    assert not any(info["action_mask"].any() for info in env.infos.values())
    for agent in env.agent_iter():
        assert env.last()[1] == (-1 if agent == offender else 0)
        env.step(None)
    for seed in range(30):
        env.reset(seed=seed)
        fresh.reset(seed=seed)
        assert play_out(env, seed) == play_out(fresh, seed)


# ---------------------------------------------------------------- errors
def test_a_finished_game():
    env = tressette_v0.raw_env("gamelake")
    env.reset(seed=1)
    while env.game.to_act >= 0:
        env.step(env.legal_actions()[0])
    with pytest.raises(DeadStepError, match="takes only None, not action 3") as caught:
        env.step(3)
    assert isinstance(caught.value, RuntimeError) and isinstance(caught.value, ValueError)
    while env.agents:
        env.step(None)
    with pytest.raises(GameOverError, match="call reset"):
        env.step(None)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rules": "tresette"}, r"did you mean 'tressette'"),
        ({"episode": "hand"}, "episode = 'hand' is not one of deal, match"),
        ({"reward": "win"}, "reward = 'win' is not one of deal, trick, match"),
        ({"reward": "match"}, "reward = 'match' needs episode = 'match'"),
        ({"illegal": "ignore"}, "illegal = 'ignore' is not one of raise, terminate"),
        ({"render_mode": "rgb"}, "render_mode = 'rgb' is not one of human, ansi"),
        ({"render_seat": 4}, "render_seat = 4 is not a seat"),
    ],
)
def test_refused_options(options, message):
    with pytest.raises(RulesError, match=message):
        tressette_v0.raw_env(**options)


def test_unknown_agents():
    env = tressette_v0.raw_env()
    env.reset(seed=1)
    for call in (env.observe, env.information_state_string):
        with pytest.raises(TressetteError, match="unknown agent 'player_4'"):
            call("player_4")


def test_a_refused_reset_leaves_the_episode_running():
    env = tressette_v0.raw_env()
    env.reset(seed=1)
    before = env.get_state().tobytes()
    with pytest.raises(NotationError):
        env.reset(options={"deal": "3c"})
    assert env.get_state().tobytes() == before
    env.step(env.legal_actions()[0])


# ---------------------------------------------------------------- registration
def test_registered_with_pettingzoo():
    registration = pytest.importorskip("pettingzoo.env_registry.registration")
    env = registration.make("aec", "tressette/tressette-v0", rules="gamelake")
    env.reset(seed=1)
    assert env.unwrapped.rules.name == "gamelake"


def test_importing_needs_no_registry():
    code = (
        "import sys; sys.modules['pettingzoo.env_registry'] = None; "
        "sys.modules['pettingzoo.env_registry.registration'] = None; "
        "import tressette_env; print(tressette_env.__version__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == tressette_env.__version__


def test_importing_twice_does_not_warn(recwarn):
    tressette_env.register_all()
    assert not recwarn.list


def test_the_engine_needs_no_torch():
    code = "import tressette_env.tressette_v0, sys; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert "torch" not in inspect.getsource(tressette_v0)
