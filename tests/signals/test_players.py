"""Players made of others: what they see and do, told by comparing with the player inside in games it knows."""

import numpy as np
import pytest
from scripted import Scripted

from agents.arena import play_pair
from agents.signals.games import chances
from agents.signals.players import Forbidden, Mute, Renamed, Resuited, Team, deaf, misled, shares_of
from agents.signals.population import CONVENTIONS, Generous, Liar, population
from agents.signals.worth import without_channel
from tressette_env.bots import make
from tressette_env.engine.batch import masks_all, views_acting
from tressette_env.engine.symmetry import all_perms
from tressette_env.presets import make_rules, preset

TRUTHFUL = preset("tressette")
FREE = make_rules({"preset": "tressette", "signal_mode": "free"})


def leads_of(policy, rules, deals=150, seed=2):
    own = chances(policy, rules, deals, seed)
    views = np.empty_like(own.states)
    views_acting(own.states, rules.table(), views)
    return own, views


def same_games(a, b, rules, deals=200):
    """Whether two players play the same cards against a third one."""
    third = make("simple")
    first, second = (play_pair(player, third, rules, deals, seed=3) for player in (a, b))
    return np.array_equal(first.room_margins, second.room_margins)


def test_the_mute_and_the_forbidden_play_as_a_bot_whose_signals_are_off():
    for silenced in (Mute(make("heuristic")), Forbidden(make("heuristic"))):
        assert same_games(silenced, make("heuristic:signals=off"), TRUTHFUL)
    assert not chances(Mute(make("heuristic")), TRUTHFUL, 50, 1).messages.any()
    assert Mute(make("heuristic")).name == "mute heuristic"


def test_the_mute_and_deaf_play_as_without_a_channel():
    silent = make_rules({"preset": "tressette", "signal_sides": []})
    own = play_pair(without_channel(make("heuristic"), TRUTHFUL), make("simple"), TRUTHFUL, 200, 3)
    plain = play_pair(make("heuristic"), make("simple"), silent, 200, 3)
    assert np.array_equal(own.room_margins, plain.room_margins)


def test_without_permission_a_player_may_choose_another_card():
    """One that plays its highest card with a word, and its lowest without."""

    def chances(view, legal):
        plays = [action for action in legal if action < 160] or legal
        loud = [action for action in plays if action >= 40]
        best = max(loud, key=lambda a: a % 10) if loud else min(plays, key=lambda a: a % 10)
        return {best: 1.0}

    player = Scripted("loud", chances)
    own, views = leads_of(player, FREE, deals=20)
    keys, table = np.zeros(len(views), np.uint64), FREE.table()
    assert np.array_equal(Mute(player).actions(views, table, keys), own.cards)
    forbidden = Forbidden(player).actions(views, table, keys)
    assert (forbidden < 40).all() and (forbidden != own.cards).mean() > 0.5


def test_the_deaf_speak():
    counts = np.bincount(chances(deaf(make("heuristic"), TRUTHFUL), TRUTHFUL, 100, 1).messages)
    assert (counts[1:] > 20).all()


def test_simple_hears_nothing_so_deafness_and_lies_change_nothing():
    own, _ = leads_of(make("heuristic"), TRUTHFUL)
    for other in (deaf(make("simple"), TRUTHFUL), misled(make("simple"), own)):
        assert same_games(make("simple"), other, TRUTHFUL, 60)


def test_shares_are_those_of_the_games():
    own, _ = leads_of(make("heuristic"), TRUTHFUL)
    shares = shares_of(own)
    assert shares[1] == pytest.approx(np.bincount(own.messages, minlength=4) / len(own))
    assert shares[0].tolist() == [1, 0, 0, 0], "nobody signals when following"


@pytest.mark.parametrize("names", [(0, 2, 3, 1), (0, 2, 1, 3)])
def test_a_renamed_language_is_the_same_language_among_its_speakers(names):
    plain = chances(make("heuristic"), FREE, 100, 1)
    other = chances(Renamed(make("heuristic"), names), FREE, 100, 1)
    assert np.array_equal(plain.cards, other.cards)
    assert np.array_equal(np.array(names)[plain.messages], other.messages)
    back = Renamed(Renamed(make("heuristic"), names), np.argsort(names))
    assert np.array_equal(chances(back, FREE, 100, 1).actions, plain.actions)


def test_a_name_that_may_not_be_said_is_silence():
    anyone = make_rules({"preset": "tressette", "signal_mode": "free", "signal_seat": "any"})
    found = chances(Renamed(Generous(make("heuristic")), (0, 2, 1, 3)), anyone, 60, 1)  # busso is for leaders alone
    follows = found.states["best_card"] >= 0
    assert follows.any() and not (found.messages[follows] == 1).any()


def test_suits_renamed_twice_are_the_suits():
    own, views = leads_of(make("heuristic"), TRUTHFUL)
    keys = np.zeros(len(views), np.uint64)
    plain = make("heuristic").actions(views, TRUTHFUL.table(), keys)
    for perm in all_perms()[[1, 7, 23]]:
        there = Resuited(Resuited(make("heuristic"), perm), np.argsort(perm))
        assert np.array_equal(there.actions(views, TRUTHFUL.table(), keys), plain)


def test_suits_renamed_are_all_renamed():
    """`simple` breaks ties by suit: renamed it plays legal cards, mostly equal ones."""
    own, views = leads_of(make("simple"), TRUTHFUL)
    keys = np.zeros(len(views), np.uint64)
    chosen = Resuited(make("simple"), [3, 2, 1, 0]).actions(views, TRUTHFUL.table(), keys)
    masks = np.empty((len(views), TRUTHFUL.blocks.num_actions), np.int8)
    masks_all(views, TRUTHFUL.table(), masks)
    assert masks[np.arange(len(views)), chosen].all()
    assert (chosen != own.actions).any() and (chosen % 10 == own.actions % 10).mean() > 0.8


def test_a_team_asks_the_one_whose_seat_it_is():
    own, views = leads_of(make("heuristic"), TRUTHFUL)
    keys = np.zeros(len(views), np.uint64)
    table = TRUTHFUL.table()
    both = Team(make("heuristic"), make("simple")).actions(views, table, keys)
    for place, member in enumerate((make("heuristic"), make("simple"))):
        rows = views["to_act"] // 2 == place
        assert rows.any() and np.array_equal(both[rows], member.actions(views[rows], table, keys[rows]))


def test_the_generous_say_what_is_true_and_liars_what_is_not():
    for rules in (TRUTHFUL, FREE):
        own, views = leads_of(Generous(make("heuristic")), rules)
        masks = np.empty((len(views), TRUTHFUL.blocks.num_actions), np.int8)
        masks_all(views, TRUTHFUL.table(), masks)  # what is true
        true = masks[np.arange(len(own))[:, None], own.cards[:, None] + 40 * np.arange(4)].astype(bool)
        assert true[np.arange(len(own)), own.messages].all()
        assert ((own.messages == 0) == ~true[:, 1:].any(1)).all(), "silent only where nothing is true"
    own, views = leads_of(Liar(make("heuristic")), FREE)
    masks_all(views[: len(masks)], TRUTHFUL.table(), masks[: len(views)])
    masks = np.empty((len(views), TRUTHFUL.blocks.num_actions), np.int8)
    masks_all(views, TRUTHFUL.table(), masks)
    assert own.messages.all(), "there is always something false to say"
    assert not masks[np.arange(len(own)), own.actions].any()
    assert not chances(Liar(make("heuristic")), TRUTHFUL, 40, 1).messages.any(), "lies are not legal"


def test_the_silent_hear_nobody():
    bot = dict(population(TRUTHFUL, held_out=True))["silent"]
    assert same_games(bot, without_channel(make("heuristic"), TRUTHFUL), TRUTHFUL, 100)


def test_the_population_is_halved_and_fits_the_rules():
    for rules in (TRUTHFUL, FREE):
        halves = [dict(population(rules, held_out=half)) for half in (True, False)]
        assert not set(halves[0]) & set(halves[1]) and min(map(len, halves)) >= 3
        for name, bot in (halves[0] | halves[1]).items():
            play_pair(Team(make("heuristic"), bot), make("heuristic"), rules, 10, 1)
            assert bot.name, name
    assert len(dict(population(FREE, held_out=True))) > len(dict(population(TRUTHFUL, held_out=True)))
    assert {row.held_out for row in CONVENTIONS} == {True, False}
