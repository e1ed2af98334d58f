"""Who hears a signal as what: partners only, lost on the way, taken for another; one shape of spaces in every mode."""

import numpy as np
import pytest

from tressette_env.cards import CARD_TEXTS
from tressette_env.engine.batch import Batch, observe_acting, random_actions
from tressette_env.engine.game import Game
from tressette_env.engine.view import redact
from tressette_env.errors import RulesError
from tressette_env.observation import layout
from tressette_env.presets import make_rules

ANY = {"preset": "tressette", "signal_seat": "any"}
MODES = {
    "truthful": {},
    "free": {"signal_mode": "free"},
    "silent": {"signal_sides": []},
    "one side": {"signal_sides": [1]},
    "partners": {"signal_heard_by": "partner"},
    "lossy": {"signal_noise": 25},
    "garbled": {"signal_noise": 25, "signal_noise_kind": "replace"},
}


def signals(record, rules):
    """{card text: signal} of a record or a view."""
    return {
        CARD_TEXTS[card]: name
        for k, name in enumerate(rules.offered_signals)
        for card in range(40)
        if int(record["signalled"][k]) >> card & 1
    }


def games(rules, count, plies, seed=0):
    """Games in which every seat plays at random, signals inside, stopped after some plies."""
    rng = np.random.default_rng(seed)
    for k in range(count):
        game = Game(rules, seed=seed + k)
        for _ in range(plies):
            if game.to_act >= 0:
                game.step(int(rng.choice(game.legal_actions())))
        yield game


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_has_the_same_spaces(mode):
    rules, plain = make_rules(ANY | MODES[mode]), make_rules(ANY)
    assert rules.blocks == plain.blocks
    assert layout(rules) == layout(plain)


def test_only_the_own_side_hears_what_is_meant_for_partners():
    rules = make_rules(ANY | MODES["partners"])
    told = 0
    for game in games(rules, 60, 24):
        state = game.states[0]
        given = signals(state, rules)
        for seat in range(4):
            own = [card for s in (seat, (seat + 2) % 4) for card in range(40) if int(state["played"][s]) >> card & 1]
            expected = {CARD_TEXTS[card]: given[CARD_TEXTS[card]] for card in own if CARD_TEXTS[card] in given}
            assert signals(game.view(seat)[0], rules) == expected
            told += len(expected)
    assert told > 300


@pytest.mark.parametrize(("mode", "noise"), [("lossy", 25), ("garbled", 25), ("lossy", 100), ("garbled", 100)])
def test_noise_takes_its_share_of_the_signals_of_others(mode, noise):
    rules = make_rules(ANY | MODES[mode] | {"signal_noise": noise})
    counts = {"same": 0, "lost": 0, "other": 0}
    for game in games(rules, 120, 24):
        state = game.states[0]
        given = signals(state, rules)
        heard = [signals(game.view(seat)[0], rules) for seat in range(4)]
        for card, name in given.items():
            speaker = next(s for s in range(4) if int(state["played"][s]) >> CARD_TEXTS.index(card) & 1)
            assert heard[speaker][card] == name, "who gave it knows it as given"
            others = {heard[seat].get(card) for seat in range(4) if seat != speaker}
            assert len(others) == 1, "all others hear the same"
            got = others.pop()
            counts["lost" if got is None else "same" if got == name else "other"] += 1
        assert not set().union(*heard) - set(given), "nothing is heard where nothing was said"
    total = sum(counts.values())
    assert total > 400
    assert counts["other" if mode == "lossy" else "lost"] == 0
    share = counts["lost" if mode == "lossy" else "other"] / total
    assert abs(share - noise / 100) < 3 * np.sqrt(0.25 * 0.75 / total) if noise < 100 else share == 1


def test_noise_is_of_the_deal_and_the_place_alone():
    """The same deal from the same seed garbles the same signals, whoever is asked first and however often."""
    rules = make_rules(ANY | MODES["garbled"])
    for one, two in zip(games(rules, 10, 20), games(rules, 10, 20), strict=True):
        two.view(3)
        for seat in (2, 0, 1, 3):
            assert one.view(seat).tobytes() == two.view(seat).tobytes()


@pytest.mark.parametrize("mode", ["partners", "lossy", "garbled"])
def test_a_view_of_a_view_changes_nothing(mode):
    rules = make_rules(ANY | MODES[mode])
    for game in games(rules, 20, 22):
        for seat in range(4):
            view = game.view(seat)
            again = view.copy()
            redact(again[0], game.table[0], seat)
            assert again.tobytes() == view.tobytes()


def test_a_lost_volo_denies_nothing_and_a_heard_one_does():
    rules = make_rules(ANY | {"signal_noise": 50})
    seen = set()
    for game in games(rules, 200, 3):
        for card, name in signals(game.states[0], rules).items():
            if name != "volo":
                continue
            number = CARD_TEXTS.index(card)
            speaker = next(s for s in range(4) if int(game.states[0]["played"][s]) >> number & 1)
            view = game.view((speaker + 1) % 4)[0]
            heard = card in signals(view, rules)
            suit = 1023 << (10 * (number // 10))
            followed = speaker == game.states[0]["leader"] or number // 10 == _suit_led(game)
            if followed:  # else the suit led is denied, another one
                assert (int(view["denied"][speaker]) & suit == suit) == heard
                seen.add(heard)
    assert seen == {True, False}


def test_what_may_be_misheard_is_not_believed():
    rules = make_rules(ANY | {"signal_noise": 1, "signal_noise_kind": "replace"})
    for game in games(rules, 100, 1):
        if "volo" in signals(game.states[0], rules).values():
            assert not any(game.view(seat)[0]["denied"].any() for seat in range(4))
            return
    raise AssertionError("no volo was given")


def _suit_led(game):
    return int(game.states[0]["order"][0]) // 10


def acting(env):
    """What the seats to act observe, float32 (B, F)."""
    masks = np.empty((env.num_games, env.num_actions), np.int8)
    out = np.empty((env.num_games, layout(env.rules).size), np.float32)
    observe_acting(env.states, env.table, masks, out)
    return out


def test_both_rooms_and_every_batch_size_hear_the_same():
    rules = make_rules(ANY | MODES["lossy"])
    small, large = Batch(rules, 1, seeds=7), Batch(rules, 5, seeds=np.array([3, 4, 7, 8, 9]))
    small.start(ks=0)
    large.start(ks=0)
    for step in range(12):
        first, rest = np.empty(1, np.int64), np.empty(5, np.int64)
        random_actions(small.states, small.table, np.uint64(1), step, first)
        random_actions(large.states, large.table, np.uint64(1), step, rest)
        rest[2] = first[0]
        small.step(first)
        large.step(rest)
        assert acting(small)[0].tobytes() == acting(large)[2].tobytes()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"signal_heard_by": "me"}, "signal_heard_by = 'me' is not one of all, partner"),
        ({"signal_noise": 101}, "signal_noise = 101 is out of range: a whole number from 0 to 100"),
        ({"signal_noise": 0.5}, "signal_noise = 0.5 is out of range: a whole number from 0 to 100"),
        ({"signal_noise_kind": "lose"}, "signal_noise_kind = 'lose' is not one of drop, replace"),
        (
            {"declare": "off", "hand_size": 5, "stock": 20, "signal_noise": 5},
            "signal_noise = 5 does not go with stock = 20: set signal_noise = 0",
        ),
    ],
)
def test_what_is_refused(changes, says):
    with pytest.raises(RulesError, match=says):
        make_rules({"preset": "tressette"} | changes)
