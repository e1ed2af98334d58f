"""Duplicate matches: same deals for everybody, swapped sides antisymmetric, results independent of the blocks."""

import numpy as np
import pytest

from agents.arena import MAX_DEALS, play_blocks, play_pair
from agents.ratings import rate
from agents.results import PairResult, Usage, interval
from agents.tournament import evaluate
from tressette_env.bots import make
from tressette_env.errors import IllegalActionError, TressetteError
from tressette_env.presets import make_rules
from tressette_env.rules import Rules

RULES = make_rules("tressette")


class Recorder:
    """Plays like a bot and keeps every view it was shown."""

    def __init__(self, name):
        self.bot = make(name)
        self.name = f"recorded {name}"
        self.first_views = []
        self.largest_call = 0

    def actions(self, views, table, keys):
        self.largest_call = max(self.largest_call, len(views))
        fresh = views[(views["num_played"] == 0) & (views["best_card"] < 0)]
        seats = fresh["to_act"].astype(int)
        self.first_views += zip(fresh["dealer"], seats, fresh["dealt"][np.arange(len(fresh)), seats], strict=True)
        return self.bot.actions(views, table, keys)

    def act(self, view, table, key):
        return int(self.actions(view, table, np.array([key], np.uint64))[0])


class Fixed(Recorder):
    """Always gives the same answer."""

    def __init__(self, answer):
        super().__init__("random")
        self.name = "stubborn"
        self.answer = answer

    def actions(self, views, table, keys):
        return self.answer(views)


def test_heuristic_beats_random_and_the_beginner():
    against_random = play_pair(make("heuristic"), make("random"), RULES, 400, seed=1)
    assert against_random.mean > 4.5 and against_random.ci95[0] > 4
    assert against_random.win_rate > 0.7
    assert play_pair(make("heuristic"), make("simple"), RULES, 400, seed=1).ci95[0] > 1


def test_swapped_players_give_the_opposite_result():
    ab = play_pair(make("heuristic"), make("simple"), RULES, 60, seed=3)
    ba = play_pair(make("simple"), make("heuristic"), RULES, 60, seed=3)
    np.testing.assert_allclose(ab.margins, -ba.margins)
    np.testing.assert_allclose(ab.trick_margins, -ba.trick_margins)
    np.testing.assert_allclose(ab.room_margins, -ba.room_margins[:, ::-1])
    assert ab.win_rate == pytest.approx(1 - ba.win_rate)


@pytest.mark.parametrize("name", ["heuristic", "simple", "random"])
def test_a_bot_against_itself_is_level(name):
    result = play_pair(make(name), make(name), RULES, 300, seed=5)
    low, high = result.ci95
    assert low <= 0 <= high
    low, high = result.trick_ci95
    assert low <= 0 <= high
    if name != "random":  # no randomness, so both rooms are the same game
        assert not result.margins.any()


def test_deals_do_not_depend_on_the_players():
    shown = []
    for name in ("random", "heuristic"):
        recorders = Recorder(name), Recorder(name)
        play_pair(*recorders, make_rules("gamelake"), 40, seed=9)
        leads = [tuple(map(int, v)) for recorder in recorders for v in recorder.first_views]
        shown.append(sorted(leads))
    assert shown[0] == shown[1]
    dealers = {dealer for dealer, _, _ in shown[0]}
    assert dealers == {0, 1, 2, 3}
    # Each deal is met twice, by either player (two more looks before the match, uncounted, warm the players up).
    assert len(shown[0]) == 2 * 40 + 2


@pytest.mark.parametrize("rules", ["tressette", "bolognese"])
def test_blocks_and_chunks_do_not_matter(rules):
    rules = make_rules(rules)
    whole = play_pair(make("random"), make("heuristic"), rules, 50, seed=2)
    pieces = play_pair(make("random"), make("heuristic"), rules, 50, seed=2, block=7, chunk=3)
    np.testing.assert_array_equal(whole.room_margins, pieces.room_margins)
    np.testing.assert_array_equal(whole.trick_margins, pieces.trick_margins)
    assert whole.usage_a.signals == pieces.usage_a.signals
    more = play_pair(make("random"), make("heuristic"), rules, 80, seed=2)
    np.testing.assert_array_equal(whole.room_margins, more.room_margins[:50])


def test_chunk_bounds_a_call():
    recorder = Recorder("heuristic")
    play_pair(recorder, make("random"), RULES, 30, seed=2, chunk=8)
    assert recorder.largest_call == 8


def test_other_seeds_give_other_deals():
    first, second = (play_pair(make("heuristic"), make("random"), RULES, 20, seed=seed) for seed in (1, 2))
    assert not np.array_equal(first.margins, second.margins)


def test_margins_without_rounding_and_declarations():
    """Without rounding, declarations and luck of signals both measures are the same."""
    exact = Rules(remainder="exact", declare="off")
    result = play_pair(make("heuristic"), make("random"), exact, 40, seed=4)
    np.testing.assert_allclose(result.margins, result.trick_margins, atol=1e-9)


def test_usage_counts():
    result = play_pair(make("heuristic"), make("random"), RULES, 50, seed=1)
    for usage in (result.usage_a, result.usage_b):
        assert usage.plays == 50 * 2 * 20
        assert usage.decisions >= usage.plays
        assert set(usage.signals) == {"busso", "volo", "striscio"}
        rates = usage.to_dict()["signals_per_100_leads"]
        assert 0 < sum(rates.values()) <= 100 and usage.seconds > 0
    assert result.usage_a.leads + result.usage_b.leads == 50 * 2 * 10
    total = Usage()
    total.add(result.usage_a)
    total.add(result.usage_a)
    assert total.signals["volo"] == 2 * result.usage_a.signals["volo"]


def test_interval_covers_as_often_as_it_says():
    rng = np.random.default_rng(0)
    hits = sum(low <= 0 <= high for low, high in (interval(rng.standard_normal(12)) for _ in range(2000)))
    assert 0.935 < hits / 2000 < 0.965


def test_illegal_and_odd_answers_name_the_player():
    with pytest.raises(IllegalActionError, match="stubborn played an illegal action: action 167"):
        play_pair(Fixed(lambda views: np.full(len(views), 167)), make("random"), RULES, 4, seed=0)
    with pytest.raises(IllegalActionError, match="stubborn played an illegal action: action -1"):
        play_pair(make("random"), Fixed(lambda views: np.full(len(views), -1)), RULES, 4, seed=0)
    with pytest.raises(TressetteError, match="stubborn answered float64"):
        play_pair(Fixed(lambda views: np.zeros(len(views))), make("random"), RULES, 4, seed=0)
    with pytest.raises(TressetteError, match="stubborn answered int64"):
        play_pair(Fixed(lambda views: np.zeros(len(views) + 1, np.int64)), make("random"), RULES, 4, seed=0)


def test_bad_numbers_are_refused():
    with pytest.raises(TressetteError, match="deals = 0 is too few"):
        play_pair(make("random"), make("random"), RULES, 0, seed=0)
    with pytest.raises(TressetteError, match="deals = 1000001 is too many for a match: play at most 1000000"):
        play_pair(make("random"), make("random"), RULES, MAX_DEALS + 1, seed=0)
    with pytest.raises(TressetteError, match="block = 0"):
        next(play_blocks(make("random"), make("random"), RULES, 1, seed=0, block=0))
    with pytest.raises(TressetteError, match="at least two players"):
        evaluate([make("random")], RULES, 10)


def test_tournament_plays_every_pair_and_rates_in_order():
    found = evaluate([make("random"), make("heuristic"), make("simple"), make("random")], RULES, 100, seed=3)
    assert found.players == ["random", "heuristic", "simple", "random#2"]
    assert [(p.a, p.b) for p in found.pairs][:3] == [
        ("random", "heuristic"),
        ("random", "simple"),
        ("random", "random#2"),
    ]
    assert len(found.pairs) == 6 and all(p.n == 100 for p in found.pairs)
    ratings = found.ratings()
    assert ratings["heuristic"][0] > ratings["simple"][0] > ratings["random"][0]
    assert ratings == rate(found.players, found.pairs)
    assert found.usage("heuristic").plays == 3 * 100 * 2 * 20


def test_a_rating_game_is_a_duplicate_deal_won_over_all_its_rooms():
    """Alone at three places a loses two rooms, yet by less than b does: the deal is a's."""
    solo = Rules(sides=(0, 1, 2), num_seats=3, hand_size=12, monte=4, declare="off", signals=())
    rooms = np.tile([-1.0, -1, 0.5, 1, 1, 1], (40, 1))
    pair = PairResult("a", "b", solo, 0, rooms.mean(1), rooms.mean(1), rooms, Usage(), Usage())
    ratings = rate(["a", "b"], [pair])
    assert ratings["a"][0] > 25 > ratings["b"][0]
    level = PairResult("a", "b", solo, 0, 0 * rooms.mean(1), rooms.mean(1), 0 * rooms, Usage(), Usage())
    assert rate(["a", "b"], [level])["a"][0] == pytest.approx(25)


@pytest.mark.parametrize("name", ["a_tre", "calabresella"])
def test_tournament_with_more_than_two_competitors(name):
    rules = make_rules(name)
    found = evaluate([make("random"), make("heuristic"), make("random")], rules, 60, seed=3)
    assert found.to_dict()["rooms"] == found.pairs[0].room_margins.shape[1] == 2 * rules.num_seats
    assert found.pairs[0].ci95[1] < 0, "the heuristic must beat random"
    low, high = found.pairs[1].ci95
    assert low <= 0 <= high
    ratings = found.ratings()
    assert ratings["heuristic"][0] > max(ratings["random"][0], ratings["random#2"][0]) + 5


def test_interrupt_keeps_whole_blocks():
    blocks = 0

    def stop(pair):
        nonlocal blocks
        blocks += 1
        if blocks == 3:
            raise KeyboardInterrupt

    found = evaluate([make("random"), make("simple"), make("heuristic")], RULES, 20, block=10, on_progress=stop)
    assert found.interrupted and [pair.n for pair in found.pairs] == [20, 10]
    assert found.to_dict()["interrupted"] is True
