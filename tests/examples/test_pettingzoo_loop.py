"""The plain loop: the hand-written policy's choices in known positions, and the command."""

import numpy as np
import pytest

from examples.pettingzoo_loop import careful_policy, main, play_deal, random_policy
from tressette_env import tressette_v0
from tressette_env.presets import preset

DEAL = "Kc Ad 4d | Ac3c Kd / monte 4c 3d"  # seat 0 leads when seat 1 deals


def choice(history, rules="mini_2p"):
    env = tressette_v0.raw_env(rules)
    env.reset(options={"deal": DEAL, "dealer": 1, "history": history})
    shown = env.last()[0]
    return env.action_to_text(careful_policy(env.rules)(shown["observation"], shown["action_mask"]))


@pytest.mark.parametrize(
    ("history", "card"),
    [
        ([], "4d"),  # nothing in hand is sure to win: the lowest
        (["Kc"], "Ac"),  # takes the trick as cheaply as it can
        (["Kc", "Ac"], "3c"),  # leads what nothing left can beat
        (["Ad"], "Kd"),  # cannot take it and has one card of the suit
    ],
)
def test_careful_choices(history, card):
    assert choice(history) == card


def test_where_fewest_points_win_it_keeps_out_of_tricks():
    rules = {"preset": "mini_2p", "objective": "min", "cappotto": "shoot"}
    assert choice([], rules) == "4d"
    assert choice(["Kc", "3c"], rules) == "Kd"  # on lead: the weakest card


def test_play_deal_adds_up_what_each_seat_is_paid():
    env = tressette_v0.env("tressette")
    env.reset(seed=1)
    seats = [careful_policy(preset("tressette"))] * 2 + [random_policy(1)] * 2
    paid = play_deal(env, seats, env.unwrapped.deal_text(), dealer=0)
    ahead = np.diff(env.unwrapped.results[-1]["points"])[0]
    assert paid.tolist() == [-ahead, ahead, -ahead, ahead] and ahead


def test_command(run_example, least_margin):
    printed = run_example("pettingzoo_loop", "--deals", 60)
    assert least_margin(printed, "careful against random") > 2
    table = printed.split("\n", 1)[1]
    assert "trick 10" in table and "last trick: seat" in table  # the last deal at its end


def test_the_same_seed_prints_the_same(capsys):
    printed = []
    for seed in (1, 1, 2):
        assert main(["--deals", "5", "--seed", str(seed)]) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1] != printed[2]


def test_bad_usage(capsys):
    assert main(["--rules", "tresette"]) == 2
    assert "unknown rules preset 'tresette'" in capsys.readouterr().err
