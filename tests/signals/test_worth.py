"""The bootstrap over seeds and deals, and margins whose value is known."""

import numpy as np
import pytest

from agents.arena import play_pair
from agents.signals.conventions import renamed_scores, renamings, suit_names, suit_scores, summed_up, team_scores
from agents.signals.games import chances
from agents.signals.players import Renamed
from agents.signals.worth import ABLATIONS, ablated, bootstrap, margins, retrained
from tressette_env.bots import make
from tressette_env.presets import make_rules, preset

TRUTHFUL = preset("tressette")
FREE = make_rules({"preset": "tressette", "signal_mode": "free"})


# ---------------------------------------------------------------- the bootstrap
@pytest.mark.parametrize(("number", "least", "most"), [(12, 0.86, 1.0), (5, 0.78, 0.96), (2, 0.5, 0.85)])
def test_intervals_cover_as_often_as_the_page_says(number, least, most):
    """Nominal 95 %: less where few seeds are resampled and the seeds differ much."""
    rng = np.random.default_rng(5)
    covered = 0
    for trial in range(120):
        seeds, deals = rng.normal(0, 0.5, (number, 1)), rng.normal(0, 1, (1, 60))
        found = bootstrap(seeds + deals + rng.normal(0, 1, (number, 60)), seed=trial)
        covered += found.low <= 0 <= found.high
    assert least < covered / 120 <= most


def test_deals_alone_would_make_one_seed_look_certain():
    one_good_seed = np.zeros((5, 4000))
    one_good_seed[0] = 1.0
    found = bootstrap(one_good_seed)
    assert found.mean == pytest.approx(0.2) and found.low == 0 and found.high >= 0.4


def test_both_groups_of_players_are_resampled():
    rows = np.zeros((4, 4, 50))
    rows[:, 0] = 1.0  # everyone beats the first of the others, who is one of four
    found = bootstrap(rows)
    assert found.mean == 0.25 and found.low == 0 and found.seeds == 4 and found.deals == 50


# ---------------------------------------------------------------- ablations
def test_who_neither_speaks_nor_listens_loses_nothing():
    simple = make("simple")
    found = ablated(simple, chances(simple, TRUTHFUL, 20, 1), TRUTHFUL, 60, 2)
    assert found.shape == (len(ABLATIONS), 60) and not found.any()
    assert not retrained(simple, [simple, simple], TRUTHFUL, 30, 2).any()


def test_muting_a_bot_is_its_switch():
    heuristic = make("heuristic")
    found = ablated(heuristic, chances(heuristic, TRUTHFUL, 50, 1), TRUTHFUL, 200, 7)
    switch = play_pair(heuristic, make("heuristic:signals=off"), TRUTHFUL, 200, 7)
    assert np.array_equal(found[0], switch.trick_margins) and found[0].any()
    assert np.array_equal(found[3], found[0]), "the bot chooses its card first, then what to say with it"
    assert found[1].any() and found[2].any()


def test_margins_are_those_of_the_arena():
    found = margins(make("heuristic"), make("simple"), TRUTHFUL, 30, 9)
    assert np.array_equal(found, play_pair(make("heuristic"), make("simple"), TRUTHFUL, 30, 9).trick_margins)


def test_words_that_never_arrive_mislead_nobody():
    rules = make_rules({"preset": "tressette", "signal_noise": 100})
    heuristic = make("heuristic")
    found = ablated(heuristic, chances(heuristic, rules, 50, 1), rules, 60, 7)
    assert not found.any()


def test_a_table_is_forbidden_to_signal_too():
    from agents.cfr.policy import policy_of_tree
    from agents.cfr.tree import deal_tree
    from agents.signals.players import Forbidden

    rules = make_rules({"preset": "mini_4p", "signals": ["volo"]})
    tree = deal_tree(rules)
    table = policy_of_tree(tree, tree.uniform(), rules)
    assert chances(table, rules, 200, 1).messages.any()
    quiet = chances(Forbidden(table), rules, 200, 1)
    assert not quiet.messages.any() and table.missed == 0


# ---------------------------------------------------------------- conventions
def test_players_that_only_get_on_with_themselves():
    found = summed_up(np.repeat(np.eye(4)[..., None], 30, -1))
    assert (found.own.mean, found.cross.mean, found.gap.mean) == (1, 0, 1)
    assert (found.gap.low, found.gap.high) == pytest.approx((1, 1))


def test_a_players_own_copies_are_not_strangers():
    scores = np.random.default_rng(0).normal(size=(2, 2, 40)) + 5 * np.eye(2)[..., None]
    found = summed_up(scores)
    assert found.cross.high < 2 < found.own.low and 3 < found.gap.low < found.gap.high < 7


def test_strangers_that_play_alike_lose_nothing():
    heuristic, opponent = make("heuristic"), make("simple")
    row = team_scores(heuristic, [heuristic, heuristic], opponent, TRUTHFUL, 50, 1)
    assert np.array_equal(row[0], row[1])
    assert np.array_equal(row[0], margins(heuristic, opponent, TRUTHFUL, 50, 1))


@pytest.mark.parametrize("names", [(0, 2, 3, 1), (0, 3, 2, 1)])
def test_the_right_names_bring_a_code_back(names):
    heuristic, coder, opponent = make("heuristic"), Renamed(make("heuristic"), names), make("simple")
    own = margins(heuristic, opponent, FREE, 800, 3)
    raw = team_scores(heuristic, [coder], opponent, FREE, 800, 3)[0]
    renamed, chosen = renamed_scores(heuristic, [coder], opponent, FREE, 800, 3)
    assert tuple(np.argsort(names)) == chosen[0]
    assert np.array_equal(renamed[0], own) and raw.mean() < own.mean()


def test_all_renamings_begin_with_none():
    ways = renamings(FREE)
    assert ways[0] == (0, 1, 2, 3) and len(set(ways)) == 6 and all(way[0] == 0 for way in ways)


def test_only_suits_that_are_alike_are_renamed():
    assert len(suit_names(TRUTHFUL)) == 24
    toy = preset("mini_4p")
    names = suit_names(toy)
    played = {card // 10 for card in toy.deck}
    assert len(names) == 4 and all({int(perm[suit]) for suit in played} == played for perm in names)


def test_suits_make_little_difference_to_a_bot_and_the_first_is_none():
    found = suit_scores(make("heuristic"), make("heuristic"), TRUTHFUL, 100, 4)
    assert found.shape == (24, 100) and not found[0].any()
    assert abs(found.mean()) < 0.2
