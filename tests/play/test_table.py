"""The table without a screen: who sits where, what the person may do and hears, and what moves it on."""

import pytest

from agents.flags import UsageError
from agents.play.seating import players_of
from agents.play.table import StaleError, Table
from tressette_env.actions import Action, encode
from tressette_env.envs.single import TressetteSingle
from tressette_env.errors import IllegalActionError, TressetteError
from tressette_env.presets import PRESETS, preset
from tressette_env.records import replay


def play_on(table, limit=200, choose=min):
    """Play first legal actions to the end of the deal on show; return all events."""
    events = list(table.events)
    for _ in range(limit):
        if not table.due:
            break
        events += table.act(choose(table.legal()))
    return events


def names(players):
    return [None if player is None else player.name for player in players]


# ---------------------------------------------------------------- seats
def test_one_opponent_plays_all_seats_and_the_partner_too():
    assert names(players_of(preset("tressette"), 1, ["simple"], None)) == ["simple", None, "simple", "simple"]


def test_opponents_sit_in_order_of_play_from_the_person_on():
    rules = preset("tressette")
    assert names(players_of(rules, 0, ["simple", "random"], "heuristic")) == [None, "simple", "heuristic", "random"]
    assert names(players_of(rules, 3, ["simple", "random"], "heuristic")) == ["simple", "heuristic", "random", None]
    assert names(players_of(preset("calabresella"), 1, ["simple", "random"], None)) == ["random", None, "simple"]


@pytest.mark.parametrize(
    ("rules", "seat", "against", "partner", "sentence"),
    [
        ("due", 2, ["random"], None, "--seat 2 is no seat of 'due': give one from 0 to 1"),
        ("tressette", 0, [], None, "--against names nobody"),
        ("tressette", 0, ["random"] * 3, None, "--against names 3 players, but there are 2 opponents"),
        ("due", 0, ["random"], "simple", "--partner 'simple' has no seat"),
        ("chiamata", 0, ["random"], "simple", "--partner 'simple' has no seat"),
        ("tressette", 0, ["cheat"], None, "'cheat' sees all hands"),
        ("tressette", 0, ["hueristic"], None, "did you mean 'heuristic'"),
    ],
)
def test_seats_that_cannot_be_taken(rules, seat, against, partner, sentence):
    with pytest.raises(TressetteError, match=sentence) as raised:
        Table(preset(rules), seat, against, partner)
    assert isinstance(raised.value, UsageError) or "unknown bot" in str(raised.value)


# ---------------------------------------------------------------- playing
@pytest.mark.parametrize("name", PRESETS)
def test_a_deal_of_every_preset_can_be_played(name):
    for seat in (0, preset(name).num_seats - 1):
        table = Table(preset(name), seat, ["random"], seed=11)
        play_on(table)
        assert table.over and table.deal_over and not table.due and table.legal() == {}
        assert replay(table.record()).results == table.game.results
        deal = table.game.k
        table.go_on()
        assert table.game.seed == 11 and table.game.k > deal and not table.over


def test_the_others_play_as_in_the_environment_of_the_same_seed():
    table = Table(preset("tressette"), 1, ["random"], seed=21)
    env = TressetteSingle("tressette", seat=1, partner="random", opponents="random")
    env.reset(seed=21)
    while table.due:
        action = max(table.legal())
        table.act(action)
        env.step(action)
    assert table.game.actions == env.game.actions and table.over


def test_a_double_click_changes_nothing():
    table = Table(preset("tressette"), 0, ["heuristic"], seed=3)
    action = min(table.legal())
    table.act(action, turn=0)
    before = table.game.get_state().tobytes()
    with pytest.raises(StaleError, match="the table has moved on"):
        table.act(min(table.legal()), turn=0)
    with pytest.raises(IllegalActionError):
        table.act(action, turn=1)
    with pytest.raises(StaleError, match="the deal is not over"):
        table.go_on()
    assert table.game.get_state().tobytes() == before and table.turn == 1


def test_a_match_stops_at_every_result_and_ends():
    table = Table(preset("mini_4p"), 0, ["random"], episode="match", seed=5)
    for deal in range(1, 100):
        play_on(table)
        assert table.deal_over and table.deal_number == deal == len(table.game.results)
        assert table.row["phase"] == 7 and table.row["num_played"] == 8  # the deal that is over, not the next one
        if table.over:
            break
        table.go_on()
        assert table.deal_number == deal + 1 and table.row["num_played"] < 8
    assert table.row["match_winner"] >= 0
    with pytest.raises(StaleError, match="not your turn"):
        table.act(0)
    assert len(table.record()["results"]) == deal


def test_hints_come_from_the_view_at_the_persons_turn_only():
    table = Table(preset("tressette"), 0, ["heuristic"], hints="mc:worlds=3", seed=3)
    first = table.hint()
    assert first.seat == 0 and first.player == "mc:worlds=3" and first == table.hint()
    play_on(table)
    with pytest.raises(TressetteError, match="not your turn"):
        table.hint()


def test_the_partner_hints_before_the_opponents():
    assert Table(preset("tressette"), 0, ["simple"], "heuristic").hinter.name == "heuristic"
    assert Table(preset("due"), 0, ["simple"]).hinter.name == "simple"
    assert Table(preset("due"), 0, ["random"]).hinter.name == "mc"


# ---------------------------------------------------------------- what is heard
def test_silence_of_others_is_not_heard():
    """Seat 1 holds three aces and keeps quiet about them, or holds two: the person hears and counts the same."""
    hands = ["2c2d3s3bJcCcKc7c6c5c", "AcAd{}4cJdCdKd7d6d5d", "2s2b3c3d{}JsCsKs4d6s", "Ab5s4sJbCbKb7b6b5b4b"]
    heard = []
    for first, other, history in (("As", "7s", ["done"]), ("7s", "As", [])):
        deal = " | ".join(hands).format(first, other)
        options = {"deal": deal, "dealer": 0, "history": history}
        table = Table(preset("tressette"), 0, ["random"], seed=1, options=options)
        assert len(table.game.actions) == 3 + len(history)
        heard.append(([event.action.kind for event in table.events], table.turn))
    assert heard[0] == heard[1] == (["play"] * 3, 0)


def test_discards_of_others_are_face_down_and_own_ones_are_not():
    rules = preset("calabresella")
    mine, others = [], []
    for seed in range(12):
        for bid in ("solo", "pass"):
            table = Table(rules, 0, ["heuristic"], seed=seed)
            wanted = encode(Action("bid", bid=bid), rules)
            table.act(wanted if wanted in table.legal() else min(table.legal()))
            for event in play_on(table):
                if event.action and event.action.kind == "discard":
                    (mine if event.seat == 0 else others).append(event.action.card)
    assert others and set(others) == {-1}
    assert mine and -1 not in mine


def test_own_draws_are_told_and_those_of_others_only_where_they_are_open():
    for name, seats in (("due", {0}), ("due_pagat", {0, 1})):
        events = play_on(Table(preset(name), 0, ["random"], seed=2))
        drawn = [event for event in events if event.drew >= 0]
        assert {event.seat for event in drawn} == seats
        assert len(drawn) == 10 * len(seats)


def test_every_trick_has_a_taker_and_its_points():
    events = play_on(Table(preset("tressette"), 0, ["heuristic"], seed=4))
    ends = [event for event in events if event.taker >= 0]
    assert [event.trick for event in ends] == list(range(1, 11))
    assert sum(event.sixths for event in ends) == 64  # 32 thirds


def test_all_pass_is_told_and_the_next_cards_are_dealt():
    rules = preset("chiamata")
    for seed in range(40):
        table = Table(rules, 0, ["simple"], seed=seed)
        passing = encode(Action("bid", bid="pass"), rules)
        if passing not in table.legal():
            continue
        events = table.act(passing)
        if any(event.redealt for event in events):
            assert "passed" in [event.redealt for event in events] and table.deal_number == 2
            return
    pytest.fail("no seed on which all pass")
