"""The `mc` bot: repeatable, blind to hidden cards, better than what it plays out with; search bots by name."""

import time

import numpy as np
import pytest

from agents.arena import play_blocks, play_pair
from agents.entries import is_bot, resolve
from agents.evaluate_cli import main
from agents.search.registry import SEARCH_BOTS, make_search
from agents.search.rollouts import PLAYOUTS
from agents.tournament import evaluate
from tressette_env.bots import BotError, make
from tressette_env.engine.batch import RUNNING, Batch, views_acting
from tressette_env.engine.randomness import key_of
from tressette_env.envs.single import TressetteSingle
from tressette_env.errors import TressetteError
from tressette_env.presets import PRESETS, make_rules

RULES = make_rules("tressette")


def positions(rules, games, plies, seed=0):
    """Views of the seats to act after some plies of the heuristic, the table and a key per row."""
    batch = Batch(rules, games, seeds=seed)
    player = make("heuristic")
    for _ in range(plies):
        views = views_of(batch)
        batch.step(np.where(batch.status == RUNNING, player.actions(views, batch.table, keys_of(games)), 0))
    rows = batch.status == RUNNING
    return views_of(batch)[rows], batch.table, keys_of(int(rows.sum()))


def views_of(batch):
    views = np.empty_like(batch.states)
    views_acting(batch.states, batch.table, views)
    return views


def keys_of(rows, seed=5):
    return np.array([key_of(seed, i, 9) for i in range(rows)], np.uint64)


@pytest.mark.parametrize(
    "name",
    [
        "mc:worlds=3",
        "mc:worlds=3,playouts=random",
        "mc:worlds=3,playouts=simple",
        "pimc:worlds=3,exact=8",
        "mc:worlds=4,trust=60",
        "ismcts:worlds=40",
        "ismcts:worlds=40,playouts=random,c=0.3",
    ],
)
def test_a_choice_depends_on_view_and_key_alone(name):
    views, table, keys = positions(RULES, 70, 9)
    whole = make_search(name).actions(views, table, keys)
    policy = make_search(name)
    np.testing.assert_array_equal(whole, policy.actions(views, table, keys))
    backwards = np.arange(len(views))[::-1]
    np.testing.assert_array_equal(whole[backwards], policy.actions(views[backwards], table, keys[backwards]))
    one_by_one = [policy.act(views[i : i + 1], table, int(keys[i])) for i in range(len(views))]
    np.testing.assert_array_equal(whole, one_by_one)
    other = policy.actions(views, table, keys_of(len(views), seed=6))
    assert (whole != other).any()


@pytest.mark.parametrize("rules", ["tressette", "due", "calabresella", "chiamata"])
def test_poison_in_hidden_fields_changes_nothing(rules):
    rules = make_rules(rules)
    for plies in (0, 2, 8, 14):
        views, table, keys = positions(rules, 12, plies)
        poisoned = views.copy()
        for i, view in enumerate(poisoned):
            for seat in range(rules.num_seats):
                if seat != view["to_act"]:
                    view["hands"][seat] = views[(i + 1) % len(views)]["hands"][view["to_act"]]
                    view["dealt"][seat] = rules.table()[0]["deck"]
            view["closed"] |= 31 & ~(1 << int(view["to_act"]))
            view["played_on"] |= 31 & ~(1 << int(view["to_act"]))
            view["gain"][:] = 999
            hidden = np.flatnonzero(view["undealt"][: rules.stock + rules.monte] < 0)
            view["undealt"][hidden] = 1
            if rules.auction != "none" and view["declarer"] != view["to_act"]:
                view["discards"][:] = 2
        for name in ("pimc:worlds=4", "ismcts:worlds=20"):
            policy = make_search(name)
            np.testing.assert_array_equal(policy.actions(views, table, keys), policy.actions(poisoned, table, keys))


def test_views_are_left_as_they_were():
    views, table, keys = positions(RULES, 8, 6)
    before = views.copy()
    for name in ("mc:worlds=3", "ismcts:worlds=9"):
        make_search(name).actions(views, table, keys)
    assert before.tobytes() == views.tobytes()


@pytest.mark.parametrize("bot", ["pimc:worlds=2", "ismcts:worlds=15"])
@pytest.mark.parametrize("name", PRESETS)
def test_plays_legally_under_every_preset(name, bot):
    policy = make_search(bot)
    result = play_pair(policy, make("random"), make_rules(name), 2, seed=3)
    assert np.isfinite(result.margins).all()
    assert policy.fallbacks == 0


@pytest.mark.parametrize("playouts", PLAYOUTS)
def test_beats_random_with_every_kind_of_playouts(playouts):
    result = play_pair(make_search(f"mc:worlds=8,playouts={playouts}"), make("random"), RULES, 30, seed=1)
    assert result.ci95[0] > 2


def test_takes_everything_where_that_pays():
    """Traversone pays who takes all the points: exact trick points alone would steer away from it."""
    result = play_pair(make_search("mc:worlds=8"), make("heuristic"), make_rules("traversone_2p"), 60, seed=7)
    assert result.mean > 1


@pytest.mark.slow
def test_a_hundred_worlds_beat_the_heuristic():
    result = play_pair(make_search("mc"), make("heuristic"), RULES, 300, seed=7)
    assert result.ci95[0] > 0.3


@pytest.mark.parametrize("bot", ["mc:worlds=100", "ismcts:worlds=100"])
def test_a_forced_move_is_not_searched(bot):
    views, table, keys = positions(RULES, 60, 36)
    own = views["hands"][np.arange(60), views["to_act"]]
    last = own & (own - 1) == 0
    assert last.sum() > 20
    views, keys, own = views[last], keys[last], own[last]
    views["denied"][:] = (1 << 40) - 1  # a search would miss every world
    policy = make_search(bot)
    actions = policy.actions(views, table, keys)
    assert policy.worlds_missed == policy.fallbacks == 0
    np.testing.assert_array_equal(1 << (actions % 40), own)


@pytest.mark.parametrize("bot", ["mc", "ismcts"])
def test_the_clock_ends_a_search(bot):
    views, table, keys = positions(RULES, 3, 0)
    make_search(f"{bot}:worlds=100000,ms=30").actions(views, table, keys)  # minutes without the clock
    np.testing.assert_array_equal(
        make_search(f"{bot}:worlds=25,ms=600000").actions(views, table, keys),
        make_search(f"{bot}:worlds=25").actions(views, table, keys),
    )


def test_without_a_world_the_heuristic_decides(monkeypatch):
    """Every seat denied every card: no world fits, so the bot falls back and says so."""
    views, table, keys = positions(RULES, 6, 8)
    views["denied"][:] = (1 << 40) - 1
    for name in ("mc:worlds=50", "mc:worlds=50,ms=600000", "ismcts:worlds=50", "ismcts:worlds=50,ms=600000"):
        policy = make_search(name)
        actions = policy.actions(views, table, keys)
        np.testing.assert_array_equal(actions, make("heuristic").actions(views, table, keys))
        forced = policy.worlds_missed == 0
        assert not forced and 0 < policy.fallbacks <= 6 and policy.worlds_missed <= 50 * policy.fallbacks


# ---------------------------------------------------------------- names
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("mcc", "unknown bot 'mcc' \\(did you mean 'mc'"),
        ("mc:world=3", "has no option 'world' \\(did you mean 'worlds'"),
        ("mc:worlds", "write key=value"),
        ("mc:worlds=x", "worlds = 'x' of the bot 'mc' is not a whole number"),
        ("mc:worlds=0", "worlds = 0 of the bot 'mc' is out of range: from 1 to 100000"),
        ("mc:worlds=100001", "out of range"),
        ("mc:ms=-1", "ms = -1 of the bot 'mc' is out of range: from 0"),
        ("mc:playouts=heurstic", "playouts = 'heurstic' of the bot 'mc' is not known \\(did you mean 'heuristic'"),
        ("mc:value=both", "paid or exact or auto"),
        ("mc:worlds=5,worlds=7", "the option 'worlds' of the bot 'mc' is given twice"),
        ("MC", "unknown bot 'MC' \\(did you mean 'mc'"),
        ("ismcts:c=x", "c = 'x' of the bot 'ismcts' is not a number"),
        ("ismcts:c=-0.1", "c = -0.1 of the bot 'ismcts' is out of range: from 0 to 100"),
        ("ismcts:c=nan", "c = nan of the bot 'ismcts' is out of range"),
        ("ismcts:worlds=1000001", "out of range: from 1 to 1000000"),
    ],
)
def test_names_and_options_that_are_wrong_get_one_sentence(text, said):
    with pytest.raises(BotError, match=said):
        resolve(text, RULES)
    with pytest.raises(BotError, match=said):
        TressetteSingle("tressette", opponents=text)


def test_search_bots_are_entries_like_the_others(capsys):
    for name in SEARCH_BOTS:
        assert resolve(name, RULES).name == name and is_bot(f"{name}:ms=1")
    assert resolve(" mc:worlds=2 , playouts=simple ", RULES).name == "mc:worlds=2 , playouts=simple"
    assert main(["--list"]) == 0
    assert set(SEARCH_BOTS) <= set(capsys.readouterr().out.split())
    assert main(["mc:worlds=1", "random", "--deals", "2", "--rules", "mini_4p"]) == 0
    assert "mc:worlds=1" in capsys.readouterr().out


def test_environments_take_search_bots_by_name():
    env = TressetteSingle("tressette", opponents="mc:worlds=1", partner="mc:worlds=1")
    _, info = env.reset(seed=1)
    _, _, terminated, truncated, _ = env.step(int(np.flatnonzero(info["action_mask"])[0]))
    assert not terminated and not truncated


def test_environments_without_the_agents_say_what_is_missing(monkeypatch):
    from tressette_env.envs import policies

    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(policies, "import_module", missing)
    with pytest.raises(TressetteError, match="'mc:worlds=5' is none of the bots random, .* needs the repository's"):
        TressetteSingle("tressette", opponents="mc:worlds=5")
    with pytest.raises(BotError, match="did you mean 'heuristic'"):
        TressetteSingle("tressette", opponents="heurstic")


# ---------------------------------------------------------------- progress
class Slow:
    """Plays like the beginner, and takes its time."""

    name = "slow"

    def __init__(self, seconds):
        self.seconds = seconds
        self.bot = make("simple")

    def actions(self, views, table, keys):
        time.sleep(self.seconds * len(views))
        return self.bot.actions(views, table, keys)

    def act(self, view, table, key):
        return int(self.actions(view, table, np.array([key], np.uint64))[0])


def test_a_slow_player_reports_often_with_the_same_numbers():
    rules = make_rules("mini_4p")
    seen = []
    found = evaluate([Slow(0.001), make("random")], rules, 40, seed=2, on_progress=lambda pair: seen.append(pair.n))
    assert found.pairs[0].n == 40
    paced = [r.n for r in play_blocks(Slow(0.001), make("random"), rules, 40, seed=2, pace_s=0.05)]
    assert len(paced) > 4 and paced[0] == 4 and paced[-1] == 40
    whole = play_pair(make("simple"), make("random"), rules, 40, seed=2)
    np.testing.assert_array_equal(found.pairs[0].room_margins, whole.room_margins)
