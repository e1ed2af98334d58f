"""The table as text, and the render modes of the environments: texts, arrays, and a window under SDL's dummy driver."""

import copy
import pickle
import re
import subprocess
import sys
from functools import partial

import gymnasium as gym
import numpy as np
import pygame
import pytest
from family import NAMES
from gymnasium.utils.env_checker import check_env
from pettingzoo.test.render_test import render_test
from pictures.positions import after, copy_of, games

from tressette_env import tressette_v0
from tressette_env.cards import format_hand, from_bits
from tressette_env.engine.game import Game
from tressette_env.envs import rendering
from tressette_env.envs.single import TressetteSingle
from tressette_env.envs.vector import TressetteVector
from tressette_env.errors import GameOverError, RulesError, TressetteError
from tressette_env.render import render_text

SIZE = (320, 240)
ESCAPES = re.compile(r"\x1b\[[0-9]+m")


# ---------------------------------------------------------------- text
@pytest.mark.parametrize("name", NAMES)
def test_every_phase_as_text(name):
    """All open hands in full, every seat once, no line wider than 100 columns, no blanks at line ends."""
    for phase, game in games(name).items():
        n = game.rules.num_seats
        text = render_text(game)
        for seat in range(n):
            assert format_hand(from_bits(int(game.states[0]["hands"][seat]))) in text
            assert len(re.findall(rf"seat {seat}\b[^:\n]*\n", text)) >= 1
        assert len({len(line) for line in text.splitlines() if line.strip()[0:1] in ("┌", "└")}) <= 1
        for seat in (None, *range(n)):
            lines = render_text(game, seat).splitlines()
            told = ("auction", "declared", "over")  # sentences, as long as they are
            assert max(len(line) for line in lines if not line.startswith(told)) <= 100
            assert all(line == line.rstrip() for line in lines)
            assert any(line.startswith("over ") for line in lines) == (phase == "over")
            assert f"totals {' - '.join(['0'] * game.rules.num_competitors)}" in lines[0] or phase == "over"


def test_the_table_in_full():
    """A known position: who sits where, cards in front of their players, the best one starred, points, last tricks."""
    dealt = Game("mini_4p_12")
    dealt.reset(0, {"deal": "3cKc4d | AcKs4c | 3dAd3s | KdAs4s", "dealer": 3})
    game = after(dealt, "Kc busso", "Ac", "Ad", "4s", "Ks", "3s", "As")
    assert render_text(game).splitlines() == [
        "mini_4p_12, deal 1, dealer 3, totals 0 - 0 of 21",
        "                                seat 2 (side 0)",
        "                                      3d",
        "                         ┌─ trick 2 led by seat 1 ──┐",
        "                         │            3s*           │",
        " seat 3 (side 1), dealer │                          │ seat 1 (side 1)",
        "                      Kd │ As                    Ks │ 4c",
        "                         │                          │",
        "                         │                          │",
        "                         └──────────────────────────┘",
        "                          seat 0 (side 0) <- to play",
        "                                     3c 4d",
        "taken    side 0 0, side 1 2 1/3",
        "tricks    1 seat 0: Kc busso  Ac*  Ad  4s",
    ]


def test_a_seat_sees_its_own_hand_at_the_bottom_and_counts_of_the_others():
    game = Game("tressette", seed=1)
    hands = game.deal_text().split(" | ")
    for seat in range(4):
        text = render_text(game, seat)
        assert [hand in text for hand in hands] == [other == seat for other in range(4)]
        assert text.index(f"seat {(seat + 2) % 4} ") < text.index(f"seat {seat} ") and hands[seat] in text
        assert text.count("10 cards") == 3


def test_declared_cards_of_a_hidden_hand_are_shown():
    game = Game("tressette")
    hands = ["3c2cAc 7d6d5d4d 7s6s5s", "JcCcKc 3d2d JsCsKs 7b6b", "4c5c6c7c JdCdKd 4sAs2s", "Ad 3s AbJbCbKb2b3b 4b5b"]
    game.reset(0, {"deal": " | ".join(hands), "dealer": 3})
    text = render_text(after(game, "declare napoletana c"), 1)
    assert "10 cards: 3c2cAc" in text and "declared seat 0 napoletana c" in text


def test_a_finished_trick_stays_until_the_next_lead():
    game = games("gamelake")["play"]
    while int(game.states[0]["num_played"]) % 4:
        game = after(game, "?")
    number = int(game.states[0]["num_played"]) // 4
    assert f"trick {number} to seat {game.to_act}" in render_text(game)
    assert f"trick {number + 1} led by seat {game.to_act}" in render_text(after(game, "?"))


def test_how_deals_end():
    auction = Game("chiamata", seed=1, episode="deal")
    view = copy_of(auction)
    view.states[0]["phase"], view.states[0]["to_act"] = 7, -1
    for abandoned, told in ((2, "no result; all passed"), (1, "no result; monte was called")):
        view.states[0]["abandoned"] = abandoned
        assert f"over     {told}" in render_text(view)
    forfeited = Game("gamelake", seed=1)
    forfeited.forfeit()
    assert "over     no result; ended by an illegal action" in render_text(forfeited)
    over = games("gamelake")["over"]
    points = over.results[0]["points"]
    assert f"over     side 0: {points[0]}, side 1: {points[1]}; last trick: seat" in render_text(over)


@pytest.mark.parametrize("name", ["tressette", "calabresella", "due"])
def test_colour_adds_escape_codes_round_cards_alone(name):
    for game in games(name).values():
        plain, coloured = render_text(game), render_text(game, colour=True)
        assert ESCAPES.sub("", coloured) == plain and "\x1b" not in plain
        for code, card in re.findall(r"\x1b\[(3\d)m(..)\x1b\[0m", coloured):
            assert code == {"c": "31", "d": "33", "s": "34", "b": "32"}[card[1]]
        assert coloured.count("\x1b[0m") == len(re.findall(r"[4567JCKA23][cdsb](?![a-z])", plain))


# ---------------------------------------------------------------- modes
@pytest.fixture
def fast(monkeypatch):
    """No waiting between the pictures of a window, and no screen."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr(rendering, "RENDER_FPS", 10_000)
    yield
    pygame.display.quit()


@pytest.mark.parametrize("rules", ["tressette", "chiamata"])
@pytest.mark.parametrize("make", [tressette_v0.env, tressette_v0.raw_env])
def test_pettingzoo_render_test(make, rules, fast):
    render_test(partial(make, rules=rules, render_size=SIZE))


def test_gymnasium_render_checks(fast):
    env = gym.make("tressette_env:tressette/Tressette-v0", rules="mini_4p", render_size=SIZE)
    check_env(env.unwrapped)


def test_arrays_are_fresh_and_show_one_seat_or_all():
    env = tressette_v0.raw_env("mini_4p", render_mode="rgb_array", render_size=SIZE)
    env.reset(seed=2)
    array = env.render()
    assert array.shape == (240, 320, 3) and array.dtype == np.uint8 and array.flags.writeable
    array[:] = 0
    again = env.render()
    assert again.any()
    seat = tressette_v0.raw_env("mini_4p", render_mode="rgb_array", render_size=SIZE, render_seat=1)
    seat.reset(seed=2)
    assert (seat.render() != again).any()
    env.step(env.legal_actions()[0])
    assert (env.render() != again).any()
    assert tressette_v0.raw_env(render_mode="rgb_array").metadata["render_modes"] == ["human", "ansi", "rgb_array"]


def test_the_default_size():
    env = tressette_v0.raw_env("mini_4p", render_mode="rgb_array")
    env.reset(seed=1)
    assert env.render().shape == (800, 800, 3)


def test_texts_and_no_mode(capsys):
    env = tressette_v0.raw_env("gamelake", render_mode="ansi", render_seat=2)
    env.reset(seed=1)
    assert env.render() == render_text(env.game, 2)
    assert env.render(colour=True) == render_text(env.game, 2, colour=True)
    plain = tressette_v0.raw_env("gamelake")
    plain.reset(seed=1)
    assert plain.render() is None and capsys.readouterr().out == ""


def test_render_before_reset_is_refused():
    with pytest.raises(GameOverError, match=r"render\(\) was called before reset\(\)"):
        tressette_v0.raw_env(render_mode="ansi").render()


@pytest.mark.parametrize("make", [tressette_v0.raw_env, TressetteSingle])
def test_refused_modes_and_sizes(make):
    with pytest.raises(RulesError, match="render_mode = 'rgb' is not one of human, ansi, rgb_array or None"):
        make(render_mode="rgb")
    with pytest.raises(TressetteError, match=r"render_size = \(10, 10\) is not the size of a picture"):
        make(render_mode="rgb_array", render_size=(10, 10))


def test_single_shows_what_its_seat_sees():
    env = TressetteSingle("gamelake", seat=1, render_mode="ansi")
    env.reset(seed=1)
    hands = env.game.deal_text().split(" | ")
    assert env.render() == render_text(env.game, 1)
    assert hands[0] not in env.render()
    array = TressetteSingle("gamelake", seat=1, render_mode="rgb_array", render_size=SIZE)
    array.reset(seed=1)
    assert array.render().shape == (240, 320, 3)


def test_many_games_give_one_array_each():
    envs = gym.make_vec(
        "tressette_env:tressette/Tressette-v0", 3, rules="gamelake", seat=2, render_mode="rgb_array", render_size=SIZE
    )
    envs.reset(seed=4)
    arrays = envs.render()
    assert isinstance(arrays, tuple) and [array.shape for array in arrays] == [(240, 320, 3)] * 3
    assert len({array.tobytes() for array in arrays}) == 3
    assert envs.metadata["render_modes"] == ["rgb_array"] and envs.metadata["render_fps"] > 0
    silent = TressetteVector(2, "gamelake")
    silent.reset(seed=1)
    assert silent.render() is None


# ---------------------------------------------------------------- the window
def on_screen():
    """The window's pixels, uint8 (H, W, 3)."""
    return pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)


def test_the_window_follows_reset_and_step(fast, capsys):
    human = tressette_v0.raw_env("mini_4p", render_mode="human", render_seat=0, render_size=SIZE)
    array = tressette_v0.raw_env("mini_4p", render_mode="rgb_array", render_seat=0, render_size=SIZE)
    assert pygame.display.get_surface() is None  # opened at the first picture
    for env in (human, array):
        env.reset(seed=2)
    assert (on_screen() == array.render()).all()
    while human.game.to_act >= 0:
        for env in (human, array):
            env.step(env.legal_actions()[0])
        assert (on_screen() == array.render()).all()
    assert human.render() is None
    human.close()
    human.close()
    assert not pygame.display.get_init() and capsys.readouterr().out == ""


def test_the_window_shows_the_end_of_a_deal_before_the_next_one(fast, monkeypatch):
    shown = []
    human = tressette_v0.raw_env({"preset": "mini_2p", "target": 31}, "human", episode="match", render_size=SIZE)
    human.reset(seed=1)
    monkeypatch.setattr(human._renderer._window, "show", lambda image: shown.append(image.tobytes()))
    while not human.results:
        human.step(human.legal_actions()[0])
    assert len(shown) == 6 + 1 and len(set(shown)) == 7  # six plays; the last brings the result and the next deal


def test_the_single_view_shows_the_cards_of_the_others(fast, monkeypatch):
    env = TressetteSingle("gamelake", render_mode="human", render_size=SIZE)
    shown = []
    monkeypatch.setattr(env._renderer._window, "show", lambda image: shown.append(image.tobytes()))
    _, info = env.reset(seed=3)
    assert len(shown) == len(env.game.actions) + 1
    env.step(int(info["action_mask"].argmax()))
    assert len(shown) == len(env.game.actions) + 1


def test_closing_the_window_by_hand_lets_the_game_go_on(fast):
    env = tressette_v0.raw_env("mini_4p", "human", render_size=SIZE)
    env.reset(seed=2)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    env.step(env.legal_actions()[0])
    assert pygame.display.get_surface() is None
    env.step(env.legal_actions()[0])
    assert pygame.display.get_surface() is None
    env.close()
    env.render()
    assert pygame.display.get_surface() is not None
    env.close()


def test_two_games_in_turn_share_the_screen(fast):
    one, two = (tressette_v0.raw_env("mini_4p", "human", render_size=size) for size in (SIZE, (300, 300)))
    for env in (one, two, one):
        env.reset(seed=2)
        assert pygame.display.get_surface().get_size() == env._renderer.size
    two.close()
    one.render()
    assert pygame.display.get_surface().get_size() == SIZE
    one.close()


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_an_open_window_is_no_hindrance_to_copies(copied, fast):
    env = tressette_v0.raw_env("mini_4p", "human", render_size=SIZE)
    env.reset(seed=2)
    other = copied(env)
    other.step(other.legal_actions()[0])
    assert len(env.game.actions) == 0 and len(other.game.actions) == 1
    other.close()
    env.close()


def test_without_a_screen_the_error_says_what_to_do(fast, monkeypatch):
    env = tressette_v0.raw_env("mini_4p", "human", render_size=SIZE)
    monkeypatch.setenv("SDL_VIDEODRIVER", "no such driver")
    with pytest.raises(TressetteError, match=r"no window can be opened .*: use render_mode='rgb_array', or set SDL_"):
        env.reset(seed=1)


# ---------------------------------------------------------------- without the extra
def test_without_pillow_and_pygame_all_else_works():
    code = """
import sys
sys.modules["PIL"] = sys.modules["pygame"] = None
from tressette_env import tressette_v0
from tressette_env.envs.single import TressetteSingle
from tressette_env.envs.vector import TressetteVector
env = tressette_v0.raw_env("mini_4p", render_mode="ansi")
env.reset(seed=1)
assert "mini_4p" in env.render()
TressetteVector(2, "mini_4p").reset(seed=1)
for make in (tressette_v0.env, tressette_v0.raw_env, TressetteSingle, lambda **mode: TressetteVector(2, **mode)):
    for mode in ("rgb_array", "human"):
        try:
            make(render_mode=mode)
        except ValueError as error:
            print(type(error).__name__, error)
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    sentence = (
        "MissingExtraError pictures need Pillow, which cannot be imported: run pip install '.[render]' in a clone"
    )
    lines = result.stdout.splitlines()
    assert lines[:7] == [sentence] * 7 and lines[7].startswith("RulesError render_mode = 'human' is not offered")


def test_without_pygame_only_the_window_is_missing():
    code = """
import sys
sys.modules["pygame"] = None
from tressette_env import tressette_v0
env = tressette_v0.raw_env("mini_4p", render_mode="rgb_array", render_size=(200, 200))
env.reset(seed=1)
print(env.render().shape)
try:
    tressette_v0.raw_env("mini_4p", render_mode="human")
except ImportError as error:
    print(error)
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout.splitlines() == [
        "(200, 200, 3)",
        "windows need pygame-ce, which cannot be imported: run pip install '.[render]' in a clone",
    ], result.stderr
