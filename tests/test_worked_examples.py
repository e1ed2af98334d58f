"""Worked examples 1-5, 11, 14 and 15 of the rules, played to the end on the engine or on the environment."""

import pytest
from near_end import NearEnd

from tressette_env import tressette_v0

SPADES_AND_MORE = 2 * 19  # all spade, all denari, 3c 2c Kc 7c, in sixths


def points(rules, captured, cards, **more):
    return NearEnd(rules).lay().last_trick(captured, cards, **more).result["points"]


BLANKS = "4b5b6b7b"  # seat 3 of four takes them when seat 0 leads


def test_example_1_of_sides_24_and_11():
    assert points({}, [20, 8, 22, 14], BLANKS, leader=3) == [8, 3]  # the last trick is seat 2's: 24 thirds
    assert points({}, [20, 8, 22, 14], BLANKS, leader=3, declared=(0, 0, 3, 0)) == [11, 3]


def test_example_2_of_two_suits_and_four_cards():
    assert points({}, [SPADES_AND_MORE, 26, 0, 0], BLANKS) == [6, 5]
    assert points({}, [SPADES_AND_MORE, 26, 0, 0], BLANKS, declared=(6, 0, 0, 0)) == [12, 5]


def test_example_3_of_a_last_trick_of_blanks():
    assert points({}, [64, 0, 0, 0], BLANKS) == [10, 1]


def test_example_4_without_bonus():
    assert points({"last_trick_bonus": 0}, [38, 26, 0, 0], BLANKS) == [6, 4]


@pytest.mark.parametrize(("bonus", "expected"), [(0.5, 3), (1, 4), (0, 3)])
def test_example_5_of_a_half_point(bonus, expected):
    assert points({"last_trick_bonus": bonus}, [44, 20, 0, 0], BLANKS)[1] == expected


def one_deal(won, totals):
    """A deal that side 0 and side 1 end with `won`, from `totals`: totals after it and the winner of the match."""
    captured = [6 * won[0] + 4, 6 * won[1] - 6, 0, 0]
    game = NearEnd({}, totals).lay().last_trick(captured, BLANKS)
    assert game.result["points"] == list(won)
    return game.result["totals"], int(game.row["match_winner"])


def test_example_11_of_matches_to_21():
    assert one_deal((6, 5), (15, 16)) == ([21, 21], -1)
    assert one_deal((8, 3), (21, 21)) == ([29, 24], 0)
    assert one_deal((5, 6), (18, 15)) == ([23, 21], 0)
    assert one_deal((6, 5), (20, 20)) == ([26, 25], 0)


HAND_14 = "3c2cAc 3s As 3d Ad Ab 4b 5b"


def deal_with(hand):
    """The hand for seat 0 and the other cards in an order that gives nobody else a combination."""
    rest = [card for card in (r + s for r in "4567JCKA23" for s in "cdsb") if card not in hand.replace(" ", "")]
    return " | ".join([hand, *("".join(rest[i::3]) for i in range(3))])


def play_on(env):
    while env.results == []:
        env.step(env.legal_actions()[0])


def declare_all(hand):
    """Declare everything as the eldest; returns what was offered and the points of seat 0's side."""
    env = tressette_v0.raw_env("tressette")
    env.reset(seed=1, options={"deal": deal_with(hand), "dealer": 3})
    offered = env.legal_action_texts()
    assert env.agent_selection == "player_0"
    for text in offered:
        if text != "done":
            env.step(env.text_to_action(text))
    assert env.legal_action_texts()[0] in hand  # no `done` is asked: nothing is left
    play_on(env)
    return offered, env.results[0]["declaration_points"]


def test_example_14_of_declarations():
    assert declare_all(HAND_14) == (["declare napoletana c", "declare A", "declare 3", "done"], [10, 0])
    assert declare_all("3c2cAc 2d 2s 2b 4c4d4s4b") == (["declare napoletana c", "declare 2", "done"], [7, 0])


DECK_15_TEXT = (
    "2b As 7d 4s 6d Kd 5c Ab 5s 6b 3s 3d Ac Jb 2d Js Kb 7b 3c Jc 5b 6c Cd Cb 2c Jd Cs 4b Kc 4c Ad 7s 5d 7c Ks 6s 4d "
    "3b 2s Cc"
)
PLAY_15_TEXT = (
    "5b 4b Jb 3b | 6s As Cs 7s | 6c Kc 7c Cc | Jd Ad 4d Cd | 5d 2s 7d Kd | 4c Ac 3c 2c | Js 4s 5s Ks | "
    "3s Kb Cb 5c | 3d 7b 6d Ab | 2d Jc 2b 6b"
)
DECK_15 = DECK_15_TEXT.split()
TRICKS_15 = [trick.split() for trick in PLAY_15_TEXT.split(" | ")]


def hands_15():
    hands = [[] for _ in range(4)]
    for packet in range(8):
        hands[packet % 4] += DECK_15[5 * packet : 5 * packet + 5]
    return " | ".join("".join(hand) for hand in hands)


def test_example_15_a_published_deal():
    env = tressette_v0.raw_env("gamelake")
    env.reset(options={"deal": hands_15(), "dealer": 3})
    leaders = []
    for trick in TRICKS_15:
        leaders.append(int(env.agent_selection[-1]))
        for card in trick:
            env.step(env.text_to_action(card))
    record = env.game.states[0]
    winners = [*leaders[1:], int(record["last_trick_seat"])]
    assert leaders[0] == 0
    assert winners == [3, 0, 1, 2, 1, 3, 2, 2, 2, 2]
    thirds = [int(sixths) // 2 for sixths in record["captured"][:4]]
    thirds[2] += 3  # the last trick
    assert thirds == [4, 4, 20, 7]
    assert env.results == [
        {
            "captured_sixths": [42, 22],
            "declaration_points": [0, 0],
            "points": [8, 3],
            "totals": [8, 3],
            "last_trick_seat": 2,
            "cappotto": [False, False],
        }
    ]
    assert env.rewards == {"player_0": 5.0, "player_1": -5.0, "player_2": 5.0, "player_3": -5.0}


def test_example_15_as_history():
    env = tressette_v0.raw_env("gamelake")
    history = [card for trick in TRICKS_15 for card in trick]
    env.reset(options={"deal": hands_15(), "dealer": 3, "history": history})
    assert env.results[0]["points"] == [8, 3]
    assert all(env.terminations.values()) and not any(env.rewards.values())
    assert not any(env._cumulative_rewards.values())
