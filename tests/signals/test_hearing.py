"""Messages changed in records and in views: as if they had been given, or had not been heard, in a real game."""

import numpy as np
import pytest

from agents.signals.beliefs import LISTENERS, heard_by_all, listener_seats, worlds_of
from agents.signals.games import chances
from agents.signals.hearing import deny, intervene, unhear
from tressette_env.bots import make
from tressette_env.engine.batch import views_acting
from tressette_env.engine.game import Game
from tressette_env.engine.state import STATE_DTYPE
from tressette_env.errors import IllegalActionError
from tressette_env.notation import Deal, format_deal
from tressette_env.presets import make_rules

MODES = {
    "truthful": {},
    "free": {"signal_mode": "free"},
    "anyone": {"signal_seat": "any"},
    "partners": {"signal_heard_by": "partner"},
    "lossy": {"signal_noise": 30},
    "automatic": {"declare": "automatic"},
}


def rules_of(mode):
    return make_rules({"preset": "tressette"} | MODES[mode])


def random_games(rules, count, seed=0, plies=34):
    rng = np.random.default_rng(seed)
    for k in range(count):
        game = Game(rules, seed=seed + k)
        for _ in range(int(rng.integers(plies))):
            if game.to_act >= 0:
                game.step(int(rng.choice(game.legal_actions())))
        if game.to_act >= 0:
            yield game, rng


def views(states, table):
    out = np.empty_like(states)
    views_acting(states, table, out)
    return out


@pytest.mark.parametrize("mode", MODES)
def test_what_is_denied_is_worked_out_as_the_engine_does(mode):
    rules = rules_of(mode)
    table = rules.table()
    checked = 0
    for game, _ in random_games(rules, 150):
        state = game.states[:1].copy()
        deny(state[0], table[0], -1 if table[0]["signals_clear"] and table[0]["signals_bind"] else 0)
        assert state[0].tobytes() == game.states[0].tobytes()
        view = game.view(game.to_act).copy()
        before = view.copy()
        others = -1 if table[0]["signals_clear"] else ~(1 << game.to_act)
        deny(view[0], table[0], others if table[0]["signals_bind"] else 0)
        assert view.tobytes() == before.tobytes()
        checked += int((state["denied"] != 0).any())
    assert checked > 50


@pytest.mark.parametrize("mode", ["truthful", "free", "partners", "automatic"])
def test_another_message_is_as_if_it_had_been_given(mode):
    rules = rules_of(mode)
    changed = 0
    for game, rng in random_games(rules, 250, seed=9):
        actions = list(game.actions)
        plays = [i for i, (_, action) in enumerate(actions) if action < 160]
        if not plays:
            continue
        at = plays[int(rng.integers(len(plays)))]
        card = actions[at][1] % 40
        other = Game(rules, seed=game.seed)
        for _, action in actions[:at]:
            other.step(action)
        message = int(
            rng.choice([action // 40 for action in other.legal_actions() if action < 160 and action % 40 == card])
        )
        other.step(40 * message + card)
        for _, action in actions[at + 1 :]:
            other.step(action)
        out = np.empty(1, STATE_DTYPE)
        intervene(game.states[:1], rules.table(), np.array([card]), np.array([message]), out)
        assert out[0].tobytes() == other.states[0].tobytes()
        changed += message != actions[at][1] // 40
    assert changed > 20


@pytest.mark.parametrize("mode", ["truthful", "free", "anyone", "automatic"])
def test_the_deaf_hear_what_a_channel_of_noise_alone_leaves(mode):
    rules, silence = rules_of(mode), np.ones((2, 4))
    lost = make_rules({"preset": "tressette", "signal_noise": 100} | MODES[mode])
    for game, _ in random_games(rules, 150, seed=3):
        out = np.empty(1, STATE_DTYPE)
        view = game.view(game.to_act)
        unhear(view, rules.table(), False, silence, out)
        bare = Game(lost, seed=game.seed)
        for _, action in game.actions:
            bare.step(action)
        expected = bare.view(bare.to_act)
        out["denied"][0, game.to_act] = expected["denied"][
            0, game.to_act
        ]  # what its own signals tell it, knows it anyway
        assert out.tobytes() == expected.tobytes()


def test_deaf_to_the_partner_hears_the_others():
    rules = rules_of("truthful")
    heard = 0
    for game, _ in random_games(rules, 150, seed=4):
        out = np.empty(1, STATE_DTYPE)
        view, seat = game.view(game.to_act), game.to_act
        unhear(view, rules.table(), True, np.ones((2, 4)), out)
        partner = int(view[0]["played"][(seat + 2) % 4])
        for k in range(3):
            assert int(out[0]["signalled"][k]) == int(view[0]["signalled"][k]) & ~partner
            heard += int(out[0]["signalled"][k])
    assert heard


def test_the_misled_hear_as_often_as_usual_and_the_same_all_deal_long():
    rules = rules_of("truthful")
    own = chances(make("heuristic"), rules, 300, 5)
    shares = np.array([[1, 1, 1, 1], [0.4, 0.7, 0.9, 1.0]])
    seen = views(own.states, rules.table())
    out = np.empty_like(seen)
    unhear(seen, rules.table(), True, shares, out)
    counts, told = np.zeros(4), {}
    for before, after, deal in zip(seen, out, own.deals, strict=True):
        partner = (int(before["to_act"]) + 2) % 4
        for card in range(40):
            bit = 1 << card
            if int(before["led"]) & int(before["played"][partner]) & bit:
                message = next((k + 1 for k in range(3) if int(after["signalled"][k]) & bit), 0)
                key = (int(deal), int(before["to_act"]), card)
                assert told.setdefault(key, message) == message
                counts[message] += 1
    assert len(told) > 300
    assert np.bincount(list(told.values()), minlength=4) / len(told) == pytest.approx([0.4, 0.3, 0.2, 0.1], abs=0.05)


# ---------------------------------------------------------------- worlds
def test_nobody_is_misled_by_a_side_that_may_not_speak():
    rules = make_rules({"preset": "tressette", "signal_sides": [0]})
    shares = np.array([[1, 1, 1, 1], [0.1, 0.4, 0.7, 1.0]])
    heard = {0: 0, 1: 0}
    for game, _ in random_games(rules, 80, seed=5):
        out = np.empty(1, STATE_DTYPE)
        unhear(game.view(game.to_act), rules.table(), True, shares, out)
        partner = int(out[0]["played"][(game.to_act + 2) % 4])
        heard[int(out[0]["side_of"][game.to_act])] += any(int(word) & partner for word in out[0]["signalled"])
    assert heard[0] > 10 and heard[1] == 0


def test_the_misled_believe_what_must_be_true():
    rules = rules_of("truthful")
    volo = np.array([[1, 1, 1, 1], [0, 0, 1, 1]])  # every lead of the partner's comes with volo
    believed = 0
    for game, _ in random_games(rules, 60, seed=5):
        out = np.empty(1, STATE_DTYPE)
        unhear(game.view(game.to_act), rules.table(), True, volo, out)
        partner = (game.to_act + 2) % 4
        for card in range(40):
            if (int(out[0]["signalled"][1]) & int(out[0]["played"][partner])) >> card & 1:
                suit = 1023 << (10 * (card // 10))
                believed += 1
                assert int(out[0]["denied"][partner]) & suit == suit
    assert believed > 20


@pytest.mark.parametrize("listener", LISTENERS)
@pytest.mark.parametrize("mode", ["truthful", "anyone", "automatic", "free"])
def test_worlds_are_deals_in_which_all_that_happened_was_legal(mode, listener):
    rules = make_rules({"preset": "tressette", "declare": "off"} | MODES[mode])
    games = [game for game, _ in random_games(rules, 30, seed=11) if game.states[0]["phase"] == 6]
    states = np.concatenate([game.states[:1] for game in games])
    seats = listener_seats(states["to_act"], listener, 1)
    worlds = np.empty((len(games), 6), STATE_DTYPE)
    found = worlds_of(states, rules.table(), heard_by_all(rules), seats, 1, worlds)
    assert (found == 6).mean() > 0.9
    hands = set()
    for game, seat, row, number in zip(games, seats, worlds, found, strict=True):
        for world in row[:number]:
            if seat >= 0:
                assert world["hands"][seat] == game.states[0]["hands"][seat]
            dealt = [sorted(c for c in range(40) if int(world["dealt"][s]) >> c & 1) for s in range(4)]
            deal = format_deal(Deal(tuple(map(tuple, dealt))))
            replayed = Game(rules, seed=0)
            replayed.reset(options={"deal": deal, "dealer": int(world["dealer"])})
            for _, action in game.actions:
                replayed.step(action)
            hands.add(tuple(world["hands"].tolist()))
    assert len(hands) > 4 * len(games)


def test_impossible_actions_are_seen_by_the_replay():
    game = Game("tressette", seed=1)
    with pytest.raises(IllegalActionError):
        game.step(next(action for action in range(160) if action not in game.legal_actions()))
