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
from tressette_env.errors import GameOverError, IllegalActionError, RulesError, TressetteError
from tressette_env.presets import PRESETS, make_rules
from tressette_env.records import observations

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
    with pytest.raises(TressetteError, match="the policy 3 is no name, path, object with act and actions"):
        TressetteSingle(partner=3)
    with pytest.raises(RulesError, match="seat = 4 is not a seat"):
        TressetteSingle(seat=4)


# ---------------------------------------------------------------- partner and opponents
def lowest(observation, mask):
    """The lowest legal id: a policy as a plain function."""
    assert observation.dtype == np.float32 and mask.dtype == np.int8
    return int(mask.argmax())


class Highest:
    """The highest legal id: a policy as an object with predict."""

    def predict(self, observation, mask):
        return np.int64(np.flatnonzero(mask)[-1])


class Watcher:
    """Remembers what it is shown."""

    def __init__(self):
        self.seen = []

    def predict(self, observation, mask):
        self.seen.append((observation, mask))
        return int(mask.argmax())


def play(env, seed=1):
    _, info = env.reset(seed=seed)
    over = False
    while not over:
        _, _, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
        over = terminated or truncated
    return env.game


@pytest.mark.parametrize("rules", PRESETS)
@pytest.mark.parametrize(("policy", "place"), [(Highest(), -1), (lowest, 0)])
def test_functions_and_objects_play_the_other_seats(rules, policy, place):
    game = play(TressetteSingle(rules, seat=1, opponents=policy))
    sides = [*range(game.rules.num_seats)] if isinstance(game.rules.sides, str) else game.rules.sides
    by_others = [(mask, action) for seat, _, mask, action in observations(game.record()) if sides[seat] != sides[1]]
    assert by_others and all(action == np.flatnonzero(mask)[place] for mask, action in by_others)


def test_a_policy_sees_its_own_seat_and_nothing_else():
    partner, opponents = Watcher(), Watcher()
    game = play(TressetteSingle("tressette", seat=1, partner=partner, opponents=opponents))
    seen = {0: opponents.seen, 1: partner.seen}
    for seat, observation, mask, _ in observations(game.record()):
        if seat != 1:
            shown, legal = seen[seat % 2].pop(0)
            assert shown.tobytes() == observation.tobytes() and legal.tobytes() == mask.tobytes()
            assert shown.base is None and legal.base is None  # no way to the rows of others
    assert seen == {0: [], 1: []}


def test_a_policy_cannot_cheat_by_writing_to_its_mask():
    def cheat(observation, mask):
        mask[:] = 1
        return 0

    with pytest.raises(IllegalActionError, match="the policy 'cheat' chose action 0, not legal there"):
        play(TressetteSingle("gamelake", opponents=cheat))


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        (-1, IllegalActionError, "chose action -1, not legal there: return an id whose mask is 1"),
        (10**6, IllegalActionError, "chose action 1000000, not legal"),
        (0.5, TressetteError, "returned 0.5: return one action id"),
        ((3, None), TressetteError, r"returned \(3, None\): return one action id"),
        (None, TressetteError, "returned None: return one action id"),
    ],
)
def test_wrong_answers_of_a_policy_are_named(answer, error, message):
    with pytest.raises(error, match=message):
        play(TressetteSingle("gamelake", opponents=lambda observation, mask: answer))
    many = TressetteVector(2, "gamelake", opponents=lambda observation, mask: answer)
    with pytest.raises(error, match=message):
        many.reset(seed=1)
        many.step(many.batch.masks().argmax(axis=1))


class Sloppy:
    """A policy object that returns what it is told."""

    name = "sloppy"

    def __init__(self, wrong):
        self.wrong = wrong

    def act(self, view, table, key):
        raise NotImplementedError

    def actions(self, views, table, keys):
        return self.wrong(len(views))


@pytest.mark.parametrize("wrong", [np.zeros, lambda size: np.zeros(size + 1, int), lambda size: None])
def test_a_policy_object_returns_one_id_per_view(wrong):
    many = TressetteVector(2, "gamelake", opponents=Sloppy(wrong))
    with pytest.raises(TressetteError, match=r"returned actions of shape .*: return one whole number per view"):
        many.reset(seed=1)
        many.step(many.batch.masks().argmax(axis=1))


@pytest.mark.parametrize("rules", PRESETS)
def test_a_partner_is_refused_where_there_is_none(rules):
    sides = make_rules(rules).sides
    if isinstance(sides, str) or len(set(sides)) == len(sides):
        for make in (TressetteSingle, lambda **options: TressetteVector(2, **options)):
            make(rules=rules, partner="random", opponents="heuristic")
            with pytest.raises(RulesError, match="partner = 'heuristic' has no seat to play: .*leave partner out"):
                make(rules=rules, partner="heuristic")
        assert len({id(policy) for policy in TressetteSingle(rules, opponents="simple").policies[1:]}) == 1
    else:
        policies = TressetteSingle(rules, partner="simple", opponents="heuristic").policies
        assert [policy and policy.name for policy in policies] == [None, "heuristic", "simple", "heuristic"]


def test_what_is_no_policy():
    for wrong in (3, None, Highest, object()):
        with pytest.raises(TressetteError, match="is no name, path, object with act and actions or with predict"):
            TressetteSingle(opponents=wrong)


def test_a_float_is_no_action():
    env = TressetteSingle("gamelake")
    env.reset(seed=1)
    before = env.game.get_state().tobytes()
    for wrong in (0.0, None, "3c", np.zeros(1, int)):
        with pytest.raises(TressetteError, match="is not a whole number: give an id below 40"):
            env.step(wrong)
    assert env.game.get_state().tobytes() == before


# ---------------------------------------------------------------- many at once
def choose(info, rng, step):
    actions = np.array([rng.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in info["action_mask"]])
    if step % 29 == 28:
        actions[2] = info["action_mask"][2].argmin()  # an illegal one now and then
    return actions


def assert_rows_equal(many, singles, mode, seed=3, steps=120, options=None, of_row=lambda i: None):
    """Step many rows and single environments side by side; everything they return must be equal."""
    observations, info = many.reset(seed=seed, options=options)
    for i, single in enumerate(singles):
        assert (observations[i] == single.reset(seed=seed + i, options=of_row(i))[0]).all()
    rng = np.random.default_rng(0)
    done = np.zeros(4, bool)
    for step in range(steps):
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


def rows_and_singles(mode, **options):
    many = gym.make_vec("tressette/Tressette-v0", num_envs=4, autoreset_mode=mode, **options)
    return many, [TressetteSingle(**options) for _ in range(4)]


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize(("rules", "episode", "reward"), VARIANTS)
def test_rows_equal_single_environments(rules, episode, reward, mode):
    options = {"rules": rules, "episode": episode, "reward": reward, "seat": 1, "opponents": "heuristic"}
    assert_rows_equal(*rows_and_singles(mode, **options), mode)


@pytest.mark.parametrize("rules", PRESETS)
def test_rows_equal_single_environments_in_every_preset(rules):
    mode = AutoresetMode.SAME_STEP
    assert_rows_equal(*rows_and_singles(mode, rules=rules, seat=1, opponents="simple", reward="trick"), mode, steps=60)


def test_rows_equal_single_environments_with_functions():
    mode = AutoresetMode.NEXT_STEP
    assert_rows_equal(*rows_and_singles(mode, partner=Highest(), opponents=lowest), mode, steps=60)


@pytest.mark.parametrize("rules", PRESETS)
def test_an_illegal_action_costs_the_whole_total_in_every_row(rules):
    many = TressetteVector(3, rules)
    _, info = many.reset(seed=2)
    _, rewards, terminations, _, _ = many.step(info["action_mask"].argmin(axis=1))
    assert (rewards == -make_rules(rules).whole_total).all() and terminations.all()


# ---------------------------------------------------------------- reset options of many rows
TOY_DEALS = ["3dAd | KcKd | 4c4d | 3cAc", "3d4d | Kc3c | 4cAd | KdAc"]
FOR_ALL = {"deal": TOY_DEALS[1], "dealer": 1, "history": ["4c"]}


def test_reset_options_of_rows_equal_those_of_single_environments():
    deals = [TOY_DEALS[0], None, TOY_DEALS[1], TOY_DEALS[0]]
    histories = [None, None, ["4c"], []]
    dealers = np.array([3, 0, 1, 2])
    mode = AutoresetMode.NEXT_STEP

    def of_row(i):
        return {"deal": deals[i], "dealer": dealers[i], "history": histories[i]}

    for episode in ("deal", "match"):
        many, singles = rows_and_singles(mode, rules="mini_4p", seat=0, opponents="simple", episode=episode)
        options = {"deal": deals, "dealer": dealers, "history": histories}
        assert_rows_equal(many, singles, mode, steps=30, options=options, of_row=of_row)
        assert_rows_equal(many, singles, mode, steps=30, options=FOR_ALL, of_row=lambda i: FOR_ALL)


def test_rows_reset_alone_lay_their_own_deal():
    many = TressetteVector(3, "mini_4p", autoreset_mode="DISABLED")
    many.reset(seed=1)
    before = many.batch.states[[0, 2]].tobytes()
    mask = np.array([False, True, False])
    _, info = many.reset(options={"reset_mask": mask, "deal": TOY_DEALS[0], "dealer": 3})
    assert many.batch.states[[0, 2]].tobytes() == before
    assert many.batch.ks.tolist() == [0, 1, 0] and info["action_mask"][1].any()
    single = TressetteSingle("mini_4p")
    single.reset(seed=2)
    single.reset(options={"deal": TOY_DEALS[0], "dealer": 3})
    assert many.batch.states[1].tobytes() == single.game.states[0].tobytes()


@pytest.mark.parametrize("mode", AutoresetMode)
def test_a_history_may_end_the_episode(mode):
    game = play(TressetteSingle("mini_4p"))
    texts = [text for _, text in game.record()["actions"]]
    whole = {"history": texts, "dealer": game.dealer}
    many = TressetteVector(2, "mini_4p", autoreset_mode=mode)
    _, info = many.reset(seed=[1, 7], options={"history": [texts, None], "dealer": [game.dealer, None]})
    assert many.batch.status.tolist() == [1, 0] and not info["action_mask"][0].any()
    if mode is AutoresetMode.DISABLED:
        with pytest.raises(GameOverError, match=r"rows \[0\] are over"):
            many.step(info["action_mask"].argmax(axis=1))
    else:
        _, rewards, _, _, info = many.step(info["action_mask"].argmax(axis=1))
        assert rewards[0] == 0.0 and info["action_mask"][0].any()  # the next episode began
    single = TressetteSingle("mini_4p")
    single.reset(seed=1, options=whole)
    assert single.game.status == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"deal": TOY_DEALS}, "the option deal has 2 values for 3 rows: give one for all rows or one per row"),
        ({"deal": ["3c", None, None]}, "row 0: the deal '3c' has 1 hands"),
        ({"deal": [None, TOY_DEALS, None]}, r"row 1: the option deal = \['3d.* is not a text: give one deal per row"),
        ({"deal": 3}, "row 0: the option deal = 3 is not a text"),
        ({"dealer": 4}, "row 0: the option dealer = 4 is not a seat"),
        ({"dealer": [0, 1]}, "the option dealer has 2 values for 3 rows"),
        ({"dealer": [0, 1.5, 2]}, "row 1: the option dealer = 1.5 is not a seat"),
        ({"history": ["9z"]}, "row 0: history action 0, '9z': unknown action"),
        ({"history": [[], ["3c", "3c"]]}, "the option history has 2 values for 3 rows"),
        ({"dealr": 1}, "unknown reset option 'dealr' .did you mean 'dealer'"),
    ],
)
def test_reset_options_that_do_not_fit_change_nothing(options, message):
    many = TressetteVector(3, "mini_4p")
    many.reset(seed=1)
    before = [array.tobytes() for array in (many.batch.states, many.batch.seeds, many.batch.ks, many.batch.status)]
    with pytest.raises(TressetteError, match=message):
        many.reset(seed=9, options=options)
    assert before == [a.tobytes() for a in (many.batch.states, many.batch.seeds, many.batch.ks, many.batch.status)]


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


def test_rows_without_a_seed_deal_anew():
    hands = set()
    for _ in range(2):
        for seed in (None, [None, 5, None]):
            many = TressetteVector(3)
            many.reset(seed=seed)
            hands |= {many.batch.states["dealt"][row].tobytes() for row in (0, 2)}
    assert len(hands) == 8


def test_vector_refusals():
    many = TressetteVector(3)
    with pytest.raises(TressetteError, match="before reset"):
        many.step(np.zeros(3, int))
    with pytest.raises(TressetteError, match="leaves rows that never began"):
        many.reset(options={"reset_mask": np.array([True, False, True])})
    many.reset(seed=1)
    before = many.batch.states.tobytes()
    for wrong in (np.zeros(2, int), np.zeros(3), np.zeros((3, 1), int), 3, ["3c", "2c", "Ac"], [True, False, True]):
        with pytest.raises(TressetteError, match="are not 3 ids: give one whole number per row"):
            many.step(wrong)
    assert many.batch.states.tobytes() == before
    for seed, message in (
        (-1, "out of range"),
        (2**63 - 1, "out of range"),
        (1.5, "not a whole number"),
        ([1], "1 seeds"),
    ):
        with pytest.raises(TressetteError, match=message):
            many.reset(seed=seed)
    with pytest.raises(TressetteError, match="reset_mask = "):
        many.reset(options={"reset_mask": np.zeros(3, bool)})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_envs": 0}, "num_envs = 0 is not a number of games: give a whole number from 1"),
        ({"num_envs": 2.0}, "num_envs = 2.0 is not a number of games"),
        ({"num_envs": True}, "num_envs = True is not a number of games"),
        ({"seat": 4}, "seat = 4 is not a seat of these rules: give one from 0 to 3"),
        ({"seat": -1}, "seat = -1 is not a seat"),
        ({"seat": 1.0}, "seat = 1.0 is not a seat"),
        ({"episode": "hand"}, "episode = 'hand' is not one of deal, match"),
        ({"reward": "match"}, "reward = 'match' needs episode = 'match'"),
        ({"render_mode": "ansi"}, "render_mode = 'ansi' is not offered for many games"),
        ({"autoreset_mode": "never"}, "autoreset_mode = 'never' is not one of NEXT_STEP, SAME_STEP, DISABLED"),
    ],
)
def test_vector_arguments(options, message):
    with pytest.raises(RulesError, match=message):
        TressetteVector(**({"num_envs": 2} | options))
    with pytest.raises(RulesError, match=message):
        gym.make_vec("tressette/Tressette-v0", **({"num_envs": 2} | options))
