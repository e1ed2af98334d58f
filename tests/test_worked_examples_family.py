"""Worked examples 6-10, 12 and 13 of the rules, and the payoffs of a chiamata, played to the end on the engine."""

import pytest
from near_end import NearEnd

from tressette_env import tressette_v0
from tressette_env.cards import parse_card
from tressette_env.engine.kernels import accepts

BLANKS = "4b5b6b7b"  # worth nothing; the last seat to play takes the trick
SWEEP = "3c2cAcKc 3d2dAd 3s2s 3b"  # takes every trick, strongest cards first, if it leads
OTHERS = ("CcJc7c KdCdJd AsKsCs 2b", "6c5c4c 7d6d5d Js AbKbCb", "4d 7s6s5s4s Jb7b6b5b4b")


def counted(spec, captured, leader):
    """The deal's points and rewards when seats have captured so many thirds before a last trick of blanks."""
    game = NearEnd(spec).lay().last_trick([2 * thirds for thirds in captured], BLANKS, leader)
    assert sum(game.rewards) == pytest.approx(0)
    return game.result["points"], game.rewards


# ---------------------------------------------------------------- 6, 7, 8: fewest points
def test_example_6_of_what_becomes_of_thirds():
    assert counted("traversone", [10, 8, 8, 6], 1)[0] == [4, 2, 2, 2]
    points, rewards = counted("traversone_italian", [10, 8, 8, 6], 1)
    assert points == [5, 2, 2, 2]
    assert rewards == pytest.approx([-3, 1, 1, 1])


def sweep(preset, seat):
    """Play a whole deal in which a seat takes every trick; return its result and the rewards."""
    hands = [*OTHERS]
    hands.insert(seat, SWEEP)
    env = tressette_v0.raw_env(preset)
    env.reset(options={"deal": " | ".join(hands), "dealer": (seat - 1) % 4})
    while not env.results:
        legal = env.legal_actions()
        env.step(max(legal, key=lambda card: card % 10) if env.agent_selection == f"player_{seat}" else legal[0])
    return env.results[0], list(env.rewards.values())


def test_example_7_of_a_seat_that_takes_everything():
    result, rewards = sweep("traversone", 2)
    assert result["captured_sixths"] == [0, 0, 64, 0] and result["last_trick_seat"] == 2
    assert result["points"] == [11, 11, 0, 11] and result["cappotto"] == [False, False, True, False]
    assert rewards == pytest.approx([-11 / 3, -11 / 3, 11, -11 / 3])


def test_example_7_of_whole_points():
    assert counted("traversone", [1, 1, 30, 0], 3)[0] == [11, 11, 0, 11]
    assert counted("traversone", [3, 0, 29, 0], 3)[0] == [1, 0, 10, 0]
    assert counted({"preset": "traversone", "cappotto": "none"}, [1, 1, 30, 0], 3)[0] == [0, 0, 11, 0]


def test_example_8_of_pairs():
    assert counted("traversone_pairs", [10, 4, 11, 7], 3) == ([8, 3], [-5, 5, -5, 5])
    result, rewards = sweep("traversone_pairs", 0)
    assert result["points"] == [0, 11] and result["cappotto"] == [True, False]
    assert rewards == [11, -11, 11, -11]


# ---------------------------------------------------------------- 9, 10: a monte, an auction
def test_example_9_of_a_monte():
    game = NearEnd("a_tre").lay(monte="Kd7d6c4b").last_trick([20, 14, 28], "4c5c7c")
    assert game.result["captured_sixths"] == [20, 14, 30]
    assert (game.result["points"], game.result["last_trick_seat"]) == ([3, 2, 6], 2)
    assert game.rewards == pytest.approx([-1, -2.5, 3.5])


CALABRESELLA_BIDS = {"chiamo": "chiamo, pass, pass", "solo": "solo, pass, pass", "solissimo": "solissimo"}


def soloist(preset, bid, thirds):
    """Side points and payoffs when seat 0 has bid and taken so many thirds; seat 2 takes the last trick."""
    game = NearEnd(preset).bid(CALABRESELLA_BIDS[bid])
    assert game.row["declarer"] == 0
    captured = [2 * thirds, 64 - 2 * thirds - game.left_over(), 0]
    assert captured[1] >= 0
    game.last_trick(captured, "4c5c6c")
    assert game.result["captured_sixths"] == [2 * thirds, 64 - 2 * thirds]
    assert game.result["totals"] == game.rewards
    return game.result["points"], game.rewards


@pytest.mark.parametrize("preset", ["calabresella", "calabresella_two"])
def test_example_10_of_the_soloists_payoff(preset):
    assert soloist(preset, "chiamo", 20) == ([6, 5], [2, -1, -1])
    assert soloist(preset, "solo", 20) == ([6, 5], [4, -2, -2])
    assert soloist(preset, "solissimo", 20) == ([6, 5], [6, -3, -3])
    assert soloist(preset, "chiamo", 16) == ([5, 6], [-2, 1, 1])
    assert soloist(preset, "solo", 17) == ([5, 6], [-4, 2, 2])
    assert soloist(preset, "solissimo", 18) == ([6, 5], [6, -3, -3])


def caller(bids, thirds):
    """Points of the sides and payoff by role when the side of seat 0 has taken so many thirds, all by the partner."""
    game = NearEnd("chiamata").bid(bids)
    partner = int(game.row["partner"])
    side = [0] if partner < 0 else [0, partner]
    others = [seat for seat in range(5) if seat not in side]
    captured = [0] * 5
    captured[side[-1]] = 2 * thirds
    captured[others[0]] = 64 - 2 * thirds
    game.last_trick(captured, "7b4b5b6b4c", others[0])
    assert game.result["last_trick_seat"] == others[0] and game.result["totals"] == game.rewards
    assert len({game.rewards[seat] for seat in others}) == 1
    return game.result["points"], [game.rewards[seat] for seat in (*side, others[0])]


def test_the_payoffs_of_a_chiamata():
    chiamo, solo = "chiamo, pass, pass, pass, pass", "solo"
    assert caller(chiamo, 18) == ([6, 5], [2, 1, -1])
    assert caller(chiamo, 17) == ([5, 6], [-2, -1, 1])
    assert caller(solo, 18) == ([6, 5], [8, -2])
    assert caller(solo, 17) == ([5, 6], [-8, 2])


# ---------------------------------------------------------------- 12: ties for fewest points
DEAL_OF_4_2_2_2 = ([20, 16, 16, 12], BLANKS, 1)
BEFORE_A_TIE = (18, 6, 6, 13)


def test_example_12_of_a_tie_that_only_the_tied_can_win():
    game = NearEnd("traversone", BEFORE_A_TIE).lay().last_trick(*DEAL_OF_4_2_2_2)
    assert game.result["totals"] == [22, 8, 8, 15]
    assert game.row["match_winner"] == -1
    game.lay().last_trick([0, 0, 0, 64], BLANKS, 0)  # seat 3 takes all whole points: it has fewest now, but cannot win
    assert game.result["totals"] == [33, 19, 19, 15]
    assert game.row["match_winner"] == -1
    game.lay().last_trick([20, 16, 18, 10], BLANKS, 1)
    assert game.result["points"] == [4, 2, 3, 1]
    assert game.result["totals"] == [37, 21, 22, 16]
    assert game.row["match_winner"] == 1


def test_example_12_of_one_seat_with_fewest():
    game = NearEnd("traversone", (18, 7, 6, 13)).lay().last_trick(*DEAL_OF_4_2_2_2)
    assert game.result["totals"] == [22, 9, 8, 15]
    assert game.row["match_winner"] == 2


@pytest.mark.parametrize(("seat", "winner"), [(3, -1), (1, 1)])
def test_a_tie_is_not_won_from_outside_by_taking_everything(seat, winner):
    game = NearEnd({"preset": "traversone", "cappotto": "ends_match"}, BEFORE_A_TIE)
    game.lay().last_trick(*DEAL_OF_4_2_2_2)
    assert game.row["match_winner"] == -1
    game.lay().last_trick([64 if s == seat else 0 for s in range(4)], BLANKS, (seat + 1) % 4)
    assert game.row["match_winner"] == winner


# ---------------------------------------------------------------- 13: a revoke
@pytest.mark.parametrize(
    ("mode", "expected"), [("masked", None), ("take_all", [0, 11, 0, 0]), ("flat_11", [4, 11, 2, 2])]
)
def test_example_13_of_a_revoke(mode, expected):
    game = NearEnd({"preset": "traversone", "revoke": mode}).lay()
    game.hold(["Kc6c", "4cKd", "5c5d", "7c7d"], [24, 12, 12, 12])
    game.play("Kc")
    if expected is None:
        assert not accepts(game.row, game.table[0], parse_card("Kd"))
        return
    game.play("Kd")  # seat 1 holds the 4c
    assert game.result["points"] == expected
    assert game.result["last_trick_seat"] is None and game.result["cappotto"] == [False] * 4
    assert sum(game.rewards) == pytest.approx(0)
