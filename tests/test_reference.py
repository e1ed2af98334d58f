"""Tests of the slow reference itself: the worked examples of docs/RULES.md section 8, edge cases, random playouts."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import chain
from types import SimpleNamespace

import pytest
from reference import (
    SUITS,
    WEAK_TO_STRONG,
    ReferenceGame,
    ReferenceMatch,
    auction_payoffs,
    card_id,
    card_text,
    combinations,
    score_revoke,
    score_tricks,
    settle_match,
    trick_winner,
    whole_total,
    worth,
)

# ---------------------------------------------------------------------------------------------- rules for tests

DEFAULTS = {
    "num_seats": 4,
    "sides": (0, 1, 0, 1),
    "deck": tuple(range(40)),
    "hand_size": 10,
    "stock": 0,
    "monte": 0,
    "follow": "always",
    "draw_shown": False,
    "trump": "none",
    "declare": "voluntary",
    "declare_when": "before_first_lead",
    "signals": ("busso", "volo", "striscio"),
    "signal_seat": "leader",
    "signal_mode": "truthful",
    "signal_sides": None,
    "signal_heard_by": "all",
    "signal_noise": 0,
    "signal_noise_kind": "drop",
    "busso_min_rest": 1,
    "striscio_min_rest": 2,
    "striscio_no_honours": True,
    "striscio_corto_min_rest": 3,
    "striscio_lungo_min_rest": 5,
    "last_trick_bonus": 1,
    "remainder": "floor_each",
    "objective": "max",
    "cappotto": "none",
    "annul": "off",
    "auction": "none",
    "exchange_cards": 0,
    "revoke": "masked",
    "target": 21,
}
QUIET = {"declare": "off", "signals": ()}
SMALL_DECK = {"deck": tuple(10 * s + r for s in (0, 1) for r in (0, 5, 7, 9)), "declare": "off"}
DUE = QUIET | {"num_seats": 2, "sides": (0, 1), "stock": 20, "follow": "free_while_stock"}
THREE = {"num_seats": 3, "hand_size": 12, "monte": 4}
TRAVERSONE = QUIET | {"sides": (0, 1, 2, 3), "objective": "min", "cappotto": "shoot"}
CALABRESELLA = QUIET | THREE | {"sides": "auction", "auction": "calabresella", "exchange_cards": 4}
CHIAMATA = QUIET | {"num_seats": 5, "hand_size": 8, "sides": "auction", "auction": "chiamata"}
PAIRS_MIN = {"objective": "min", "cappotto": "shoot", "declare": "off"}

VARIANTS = {
    "tressette": {},
    "treseta": {"signal_seat": "any", "striscio_min_rest": 3, "striscio_no_honours": False},
    "graded": {"signals": ("busso", "volo", "striscio_corto", "striscio_lungo"), "signal_seat": "any"},
    "free_talk": {"signal_mode": "free", "signal_seat": "any", "signal_sides": (1,)},
    "croatian": {"signals": ("busso", "striscio"), "declare_when": "own_first_turn", "target": 41},
    "late": {"declare_when": "end_first_trick"},
    "automatic": {"declare": "automatic"},
    "bolognese": {"annul": "below_one_point"},
    "briscola": {"trump": "last_dealt"},
    "exact_double": {"remainder": "exact", "cappotto": "double", "last_trick_bonus": 0.5},
    "rest_plus_one": {"remainder": "last_trick_takes_rest", "cappotto": "plus_one", "last_trick_bonus": 0},
    "due": DUE,
    "due_pagat": DUE | {"follow": "always", "draw_shown": True},
    "due_min": DUE | {"objective": "min", "cappotto": "shoot"},
    "a_tre": THREE | {"sides": (0, 1, 2), "signals": ()},
    "calabresella": CALABRESELLA,
    "calabresella_two": CALABRESELLA | {"exchange_cards": 2},
    "chiamata": CHIAMATA,
    "traversone": TRAVERSONE,
    "traversone_italian": TRAVERSONE | {"remainder": "last_trick_takes_rest"},
    "take_all": TRAVERSONE | {"revoke": "take_all"},
    "flat_11": TRAVERSONE | {"revoke": "flat_11", "cappotto": "ends_match"},
    "traversone_pairs": PAIRS_MIN,
    "traversone_3p": TRAVERSONE
    | {"num_seats": 3, "sides": (0, 1, 2), "hand_size": 13, "deck": tuple(c for c in range(40) if c != 30)},
    "mini_2p": SMALL_DECK | {"num_seats": 2, "sides": (0, 1), "hand_size": 3, "monte": 2, "signals": ()},
    "mini_due": SMALL_DECK | {"num_seats": 2, "sides": (0, 1), "hand_size": 3, "stock": 2, "signals": ()},
    "mini_4p": SMALL_DECK | {"hand_size": 2, "striscio_min_rest": 1},
    "mini_4p_12": {
        "deck": tuple(10 * s + r for s in (0, 1, 2) for r in (0, 5, 7, 9)),
        "declare": "off",
        "hand_size": 3,
        "striscio_min_rest": 1,
    },
}


def make_rules(**fields):
    unknown = set(fields) - set(DEFAULTS)
    assert not unknown, unknown
    return SimpleNamespace(**(DEFAULTS | fields))


def full_deck():
    return [card_text(c) for c in range(40)]


def cards(text):
    return text.split()


def complete(known, rules):
    """Hands that hold the `known` cards of each seat (texts), filled up in turn from the others; and what is left."""
    hands = [cards(text) for text in known]
    left = [card_text(c) for c in rules.deck if card_text(c) not in chain(*hands)]
    while any(len(hand) < rules.hand_size for hand in hands):
        for hand in hands:
            if len(hand) < rules.hand_size:
                hand.append(left.pop(0))
    return hands, left


def shuffled_deal(rules, rng):
    deck = [card_text(c) for c in rules.deck]
    rng.shuffle(deck)
    size, seats = rules.hand_size, rules.num_seats
    hands = [deck[i * size : (i + 1) * size] for i in range(seats)]
    left = deck[seats * size :]
    return {"hands": hands, "stock": left[: rules.stock], "monte": left[rules.stock : rules.stock + rules.monte]}


def play_out(game, rng, check=None):
    total = [Fraction(0)] * game.rules.num_seats
    while game.to_act is not None:
        rewards = game.step(rng.choice(sorted(game.legal())))
        total = [a + b for a, b in zip(total, rewards, strict=True)]
        if check:
            check(game)
    return total


def sixths(*thirds):
    return [2 * t for t in thirds]


def points_of(rules, thirds, last, declared=None, bonus_inside=True):
    """Points for captured thirds; `bonus_inside`: the counts already hold the last trick."""
    captured = sixths(*thirds)
    if bonus_inside:
        captured[last] -= int(6 * rules.last_trick_bonus)
    return score_tricks(rules, captured, last, declared or [0] * len(thirds))[0]


# ---------------------------------------------------------------------------------------------- cards


def test_card_texts_follow_the_published_numbers():
    assert [card_text(c) for c in (0, 9, 10, 19, 20, 30, 39)] == ["4c", "3c", "4d", "3d", "4s", "4b", "3b"]
    assert all(card_id(card_text(c)) == c for c in range(40))
    assert worth(full_deck()) == 64  # 32 thirds


def test_whole_total():
    assert whole_total(make_rules()) == 11
    assert whole_total(make_rules(last_trick_bonus=0)) == 10
    assert whole_total(make_rules(last_trick_bonus=0.5)) == 11


def test_trick_winner():
    assert trick_winner([(0, "7c"), (1, "3d"), (2, "Jc"), (3, "4c")], None) == 2
    assert trick_winner([(0, "7c"), (1, "4d"), (2, "Jc"), (3, "5d")], "d") == 3
    assert trick_winner([(2, "Ac"), (3, "2c"), (0, "3c"), (1, "Kc")], None) == 0


# ---------------------------------------------------------------------------------------------- worked examples


def test_example_1_two_sides_with_and_without_a_napoletana():
    assert points_of(make_rules(), (24, 11), 0) == [8, 3]
    assert points_of(make_rules(), (24, 11), 0, [3, 0]) == [11, 3]


def test_example_2_cards_counted_by_hand():
    mine = [r + s for s in "sd" for r in WEAK_TO_STRONG] + ["3c", "2c", "Kc", "7c"]
    theirs = [card for card in full_deck() if card not in mine]
    assert (worth(mine), worth(theirs)) == (38, 26)
    assert score_tricks(make_rules(), [38, 26], 1, [0, 0])[0] == [6, 5]
    assert score_tricks(make_rules(), [38, 26], 1, [6, 0])[0] == [12, 5]


def test_example_3_last_trick_of_blanks():
    assert points_of(make_rules(), (32, 0), 1, bonus_inside=False) == [10, 1]


def test_example_4_no_last_trick_bonus():
    assert points_of(make_rules(last_trick_bonus=0), (19, 13), 0) == [6, 4]


@pytest.mark.parametrize(("bonus", "expected"), [(0.5, 3), (1, 4), (0, 3)])
def test_example_5_half_point_last_trick(bonus, expected):
    assert points_of(make_rules(last_trick_bonus=bonus), (10, 22), 0, bonus_inside=False)[0] == expected


def test_example_6_remainder():
    assert points_of(make_rules(**TRAVERSONE), (13, 8, 8, 6), 0) == [4, 2, 2, 2]
    takes_rest = make_rules(**TRAVERSONE | {"remainder": "last_trick_takes_rest"})
    assert points_of(takes_rest, (13, 8, 8, 6), 0) == [5, 2, 2, 2]


def test_example_7_shoot():
    rules = make_rules(**TRAVERSONE)
    assert points_of(rules, (0, 0, 35, 0), 2) == [11, 11, 0, 11]
    assert points_of(rules, (1, 1, 33, 0), 2) == [11, 11, 0, 11]
    assert score_tricks(rules, sixths(1, 1, 30, 0), 2, [0] * 4)[1] == [False, False, True, False]


def test_example_8_pairs():
    rules = make_rules(**PAIRS_MIN)
    assert points_of(rules, (24, 11), 0) == [8, 3]
    assert points_of(rules, (35, 0), 0) == [0, 11]


def test_example_9_monte_with_the_last_trick():
    rules = make_rules(**VARIANTS["a_tre"])
    assert worth(cards("Kd 7d 6c 4b")) == 2
    assert score_tricks(rules, sixths(10, 7, 14 + 1), 2, [0] * 3)[0] == [3, 2, 6]


def test_example_10_calabresella_payoffs():
    rules = make_rules(**CALABRESELLA)
    for bid, won in (("chiamo", [2, -1, -1]), ("solo", [4, -2, -2]), ("solissimo", [6, -3, -3])):
        assert auction_payoffs(rules, bid, 0, None, 6) == won
        assert auction_payoffs(rules, bid, 0, None, 5) == [-p for p in won]
    assert auction_payoffs(rules, "chiamo", 1, None, 5) == [1, -2, 1]


def test_chiamata_payoffs():
    rules = make_rules(**CHIAMATA)
    assert auction_payoffs(rules, "chiamo", 0, 3, 6) == [2, -1, -1, 1, -1]
    assert auction_payoffs(rules, "chiamo", 0, 3, 5) == [-2, 1, 1, -1, 1]
    assert auction_payoffs(rules, "solo", 4, None, 6) == [-2, -2, -2, -2, 8]


def test_example_11_match_to_21():
    rules = make_rules()
    assert settle_match(rules, [15, 16], None) == (None, None)
    winner, contenders = settle_match(rules, [21, 21], None)
    assert (winner, contenders) == (None, (0, 1))
    assert settle_match(rules, [29, 24], contenders) == (0, None)
    assert settle_match(rules, [23, 21], None) == (0, None)
    assert settle_match(rules, [26, 25], None) == (0, None)


def test_example_12_traversone_ties():
    rules = make_rules(**TRAVERSONE)
    winner, contenders = settle_match(rules, [22, 8, 8, 15], None)
    assert (winner, contenders) == (None, (1, 2))
    assert settle_match(rules, [22, 19, 12, 10], contenders) == (2, None)  # seat 3 is lower, but no contender
    assert settle_match(rules, [22, 12, 12, 10], contenders) == (None, (1, 2))
    assert settle_match(rules, [22, 9, 8, 15], None) == (2, None)


def test_a_three_way_tie_narrows_and_ends_match_needs_a_contender():
    rules = make_rules(**TRAVERSONE | {"cappotto": "ends_match"})
    assert settle_match(rules, [22, 8, 8, 8], None) == (None, (1, 2, 3))
    assert settle_match(rules, [22, 10, 10, 12], (1, 2, 3)) == (None, (1, 2))
    assert settle_match(rules, [0, 11, 11, 11], None, shooters=[0]) == (0, None)
    assert settle_match(rules, [22, 19, 19, 30], (1, 2), shooters=[0]) == (None, (1, 2))
    assert settle_match(rules, [33, 19, 8, 30], (1, 2), shooters=[2]) == (2, None)


def test_a_third_side_may_pass_the_tied_in_a_max_match():
    rules = make_rules(**VARIANTS["a_tre"])
    winner, contenders = settle_match(rules, [21, 21, 19], None)
    assert winner is None
    assert settle_match(rules, [22, 22, 26], contenders) == (2, None)


def test_extra_deals_in_an_auction_match_go_on_below_the_target():
    rules = make_rules(**CALABRESELLA)
    _, contenders = settle_match(rules, [21, 21, -42], None)
    assert settle_match(rules, [20, 20, -40], contenders) == (None, contenders)
    assert settle_match(rules, [20, 18, -38], contenders) == (0, None)


def test_example_13_revoke():
    stood = sixths(12, 8, 7, 6)
    take_all = make_rules(**TRAVERSONE | {"revoke": "take_all"})
    assert score_revoke(take_all, stood, 1, [0] * 4) == ([0, 11, 0, 0], [False] * 4)
    flat = make_rules(**TRAVERSONE | {"revoke": "flat_11"})
    assert score_revoke(flat, stood, 1, [0] * 4)[0] == [4, 11, 2, 2]


def test_example_14_combinations():
    hand = cards("3c 2c Ac 3s As 3d Ad Ab 4b 5b")
    assert combinations(hand) == {
        "declare napoletana c": (3, "c"),
        "declare A": (4, ""),
        "declare 3": (3, "b"),
    }
    assert sum(p for p, _ in combinations(cards("3c 2c Ac 2d 2s 2b 4c 4d 4s 4b")).values()) == 7


DECK_15 = cards(
    "2b As 7d 4s 6d Kd 5c Ab 5s 6b 3s 3d Ac Jb 2d Js Kb 7b 3c Jc 5b 6c Cd Cb 2c Jd Cs 4b Kc 4c Ad 7s 5d 7c Ks 6s "
    "4d 3b 2s Cc"
)
PLAY_15 = (
    "5b 4b Jb 3b | 6s As Cs 7s | 6c Kc 7c Cc | Jd Ad 4d Cd | 5d 2s 7d Kd | 4c Ac 3c 2c | Js 4s 5s Ks | 3s Kb Cb 5c "
    "| 3d 7b 6d Ab | 2d Jc 2b 6b"
).replace(" |", "")


def hands_15():
    hands = [[], [], [], []]
    for i, card in enumerate(DECK_15):
        hands[(i // 5) % 4].append(card)
    return hands


@pytest.mark.parametrize("reward", ["deal", "trick"])
def test_example_15_a_complete_published_deal(reward):
    game = ReferenceGame(make_rules(declare="off"), hands_15(), 3, reward=reward)
    per_step = [list(game.step(card)) for card in cards(PLAY_15)]
    assert [winner for winner, _ in game.tricks] == [3, 0, 1, 2, 1, 3, 2, 2, 2, 2]
    thirds = [worth(pile) // 2 for pile in game.captured]
    thirds[game.result["last_trick_seat"]] += 3
    assert thirds == [4, 4, 20, 7]
    assert game.result == {
        "captured_sixths": [42, 22],
        "declaration_points": [0, 0],
        "points": [8, 3],
        "totals": [8, 3],
        "last_trick_seat": 2,
        "cappotto": [False, False],
    }
    assert [sum(column) for column in zip(*per_step, strict=True)] == [5, -5, 5, -5]
    if reward == "deal":
        assert all(step == [0] * 4 for step in per_step[:-1])
    else:
        assert per_step[3] == [Fraction(-2, 3), Fraction(2, 3)] * 2  # 5b 4b Jb 3b to seat 3


# ---------------------------------------------------------------------------------------------- declarations

NINETEEN = "3d 2d Ad 3c 2c Ac 3s 2s As 3b"


def test_nineteen_is_the_most_ten_cards_can_declare():
    found = combinations(cards(NINETEEN))
    assert sum(points for points, _ in found.values()) == 19
    assert len(found) == 6
    assert found["declare 3"] == (4, "") and found["declare 2"] == (3, "b")
    honours = [r + s for r in "32A" for s in SUITS]
    for a in honours:  # every ten of the twelve honours
        for b in honours:
            ten = [card for card in honours if card not in (a, b)]
            assert sum(points for points, _ in combinations(ten).values()) <= 19 or a == b


def test_before_first_lead_goes_round_from_the_eldest():
    rules = make_rules()
    hands, _ = complete(["4c", NINETEEN, "4d", "Ab Kb Cb Jb"], rules)
    game = ReferenceGame(rules, hands, 0, reward="trick")  # eldest is seat 1
    assert game.to_act == 1
    assert game.legal() == set(combinations(cards(NINETEEN))) | {"done"}
    assert game.step("declare 3") == [-4, 4, -4, 4]
    game.step("done")  # everyone else is passed over
    assert (game.phase, game.to_act) == ("play", 1)
    for text in ("declare 2", "done", "declare 3"):
        with pytest.raises(ValueError, match="not legal"):
            game.step(text)


def test_done_is_automatic_when_nothing_is_left():
    rules = make_rules()
    hands, _ = complete(["3c 2c Ac", "3d 2d Ad", "", ""], rules)
    game = ReferenceGame(rules, hands, 3)
    game.step("declare napoletana c")
    assert game.to_act == 1
    game.step("declare napoletana d")
    assert (game.phase, game.to_act) == ("play", 0)


def test_own_first_turn_closes_with_the_first_card():
    rules = make_rules(declare_when="own_first_turn")
    hands, _ = complete(["3c 2c Ac 3s 3b", "4c 5c", "", ""], rules)
    game = ReferenceGame(rules, hands, 3)
    assert {"declare napoletana c", "declare 3", "3c", "3c busso"} <= game.legal()
    assert "done" not in game.legal()
    game.step("declare 3")
    assert game.to_act == 0 and "declare napoletana c" in game.legal() and "declare 3" not in game.legal()
    game.step("3c")
    for _ in range(3):
        game.step(min(game.legal()))
    assert game.to_act == 0
    assert not any(text.startswith("declare") for text in game.legal())


def test_end_first_trick_uses_the_hand_as_dealt_and_starts_with_the_eldest():
    rules = make_rules(declare_when="end_first_trick")
    hands, _ = complete(["3c 2c Ac", "3d 2d Ad", "", ""], rules)
    game = ReferenceGame(rules, hands, 3)
    game.step("3c")
    while game.phase == "play":
        game.step(min(game.legal()))
    assert game.to_act == 0 and game.legal() == {"declare napoletana c", "done"}
    game.step("declare napoletana c")
    assert game.to_act == 1
    game.step("done")
    assert (game.phase, game.to_act) == ("play", 0)


def test_automatic_declares_for_everyone_without_decisions():
    rules = make_rules(declare="automatic")
    hands, _ = complete(["4c", NINETEEN, "", ""], rules)
    game = ReferenceGame(rules, hands, 3, reward="trick")
    assert (game.phase, game.to_act) == ("play", 0)
    assert game.declared_points == [0, 19, 0, 0]
    assert sum(event[0] == "declare" for event in dict(game.public_view(2))["events"]) == 6


def test_declared_points_stay_with_the_side():
    rules = make_rules()
    hands, _ = complete([NINETEEN, "", "", ""], rules)
    game = ReferenceGame(rules, hands, 3)
    while game.phase == "declare":
        game.step(min(game.legal()))
    play_out(game, random.Random(1))
    assert game.result["declaration_points"] == [19, 0]
    assert sum(game.result["points"]) == 11 + 19


def test_silence_stays_private():
    rules = make_rules()
    hands, _ = complete(["3c 2c Ac", "", "", ""], rules)
    assert [len(combinations(hand)) for hand in hands] == [1, 0, 0, 0]
    silent = ReferenceGame(rules, hands, 3)
    silent.step("done")

    other = [list(hand) for hand in hands]
    other[0][other[0].index("Ac")], other[1][0] = other[1][0], "Ac"
    assert not any(combinations(hand) for hand in other)
    passed_over = ReferenceGame(rules, other, 3)

    for seat in (2, 3):
        assert silent.public_view(seat) == passed_over.public_view(seat)
    assert ("done", 0) in dict(silent.public_view(0))["events"]


def test_nobody_sees_that_another_seat_is_being_asked():
    rules = make_rules()
    hands, _ = complete(["", "3d 2d Ad", "", ""], rules)
    asked = ReferenceGame(rules, hands, 0)
    before = asked.public_view(3)
    asked.step("done")
    assert asked.public_view(3) == before


# ---------------------------------------------------------------------------------------------- signals


def signals_of(game, card):
    return {text.split()[1] for text in game.legal() if text.startswith(card + " ")}


def leading(hand, **fields):
    rules = make_rules(declare="off", **fields)
    hands, _ = complete([hand, "", "", ""], rules)
    return ReferenceGame(rules, hands, 3)


def test_truthful_conditions_look_at_the_rest_after_the_play():
    game = leading("4c 5c 6c 3d 7d 6d 4s 5s 2b 4d")
    assert signals_of(game, "4c") == {"busso", "striscio"}
    assert signals_of(game, "3d") == {"busso", "striscio"}
    assert signals_of(game, "7d") == {"busso"}  # the 3 is among the rest
    assert signals_of(game, "4s") == {"busso"}
    assert signals_of(game, "2b") == {"volo"}


def test_thresholds():
    treseta = leading("4c 5c 6c 3d 7d 6d 4d 5s 2b 4b", striscio_min_rest=3, striscio_no_honours=False)
    assert signals_of(treseta, "4c") == {"busso"}
    assert signals_of(treseta, "7d") == {"busso", "striscio"}
    bold = leading("4c 5c 6c 3d 7d 6d 4d 5s 2b 4b", busso_min_rest=3)
    assert signals_of(bold, "4c") == {"striscio"}


@pytest.mark.parametrize(("rest", "signal"), [(2, None), (3, "corto"), (4, "corto"), (5, "lungo"), (6, "lungo")])
def test_grades_of_striscio(rest, signal):
    suit_cards = [r + "c" for r in WEAK_TO_STRONG][: rest + 1]
    others = [r + s for s in "dsb" for r in "456"][: 9 - rest]
    game = leading(" ".join(suit_cards + others), signals=("striscio_corto", "striscio_lungo"))
    assert signals_of(game, "4c") == ({f"striscio_{signal}"} if signal else set())


def test_followers_signal_only_where_any_may_and_never_busso():
    known = ["4c 5c", "6c 7c Jc 4d 5d 6d 4s 5s 4b 5b", "Cc", ""]
    for who, expected in (("leader", set()), ("any", {"striscio"})):
        rules = make_rules(declare="off", signal_seat=who)
        game = ReferenceGame(rules, complete(known, rules)[0], 3)
        game.step("4c")
        assert signals_of(game, "7c") == expected


def test_free_mode_and_sides_that_may_signal():
    free = leading("4c 5c 6c 3d 7d 6d 4s 5s 2b 4d", signal_mode="free")
    assert signals_of(free, "2b") == {"busso", "volo", "striscio"}
    assert len(free.legal()) == 40
    muted = leading("4c 5c", signal_sides=(1,))
    assert all(" " not in text for text in muted.legal())
    off = leading("4c 5c", signal_mode="off")
    assert len(off.legal()) == 10


def test_nothing_is_signalled_on_the_last_card():
    rules = make_rules(declare="off", signal_mode="free", signal_seat="any")
    game = ReferenceGame(rules, shuffled_deal(rules, random.Random(2))["hands"], 3)
    while len(game.tricks) < 9:
        assert any(" " in text for text in game.legal())
        game.step(min(game.legal()))
    while game.to_act is not None:
        assert all(" " not in text for text in game.legal())
        game.step(min(game.legal()))


def test_a_signal_is_public():
    game = leading("4c 5c 6c 3d 7d 6d 4s 5s 2b 4d")
    game.step("4c striscio")
    for seat in range(4):
        assert dict(game.public_view(seat))["events"] == (("play", 0, "4c", "striscio"),)


# ---------------------------------------------------------------------------------------------- fields


def test_trump_wins_and_is_public():
    rules = make_rules(trump="last_dealt", declare="off", signals=())
    hands, _ = complete(["4c 3c", "6c", "7c", "5d 6d 7d Jd Cd Kd Ad 2d 3d 4d"], rules)
    game = ReferenceGame(rules, hands, 3)
    assert (game.trump_card, game.trump) == ("4d", "d")
    assert dict(game.public_view(1))["trump card"] == "4d"
    for card in ("3c", "6c", "7c", "4d"):
        game.step(card)
    assert game.tricks[0][0] == 3
    with pytest.raises(ValueError, match="not in the dealer's hand"):
        ReferenceGame(rules, hands, 3, trump_card="3c")


def test_cappotto_in_max_games():
    for field, expected in (("none", [11, 0]), ("double", [22, 0]), ("plus_one", [12, 0])):
        rules = make_rules(cappotto=field)
        assert points_of(rules, (33, 2), 0) == expected
        assert points_of(rules, (33, 2), 0, [3, 4]) == [expected[0] + 3, 4]
        assert score_tricks(rules, sixths(30, 2), 0, [0, 0])[1] == [False, True]
    three = make_rules(**VARIANTS["a_tre"] | {"cappotto": "double"})
    assert points_of(three, (20, 15, 0), 0) == [6, 5, 0]  # two sides are not capotted


def test_exact_remainder_keeps_fractions_and_whole_points_decide_cappotto():
    rules = make_rules(remainder="exact", cappotto="double")
    assert points_of(rules, (24, 11), 0) == [8, Fraction(11, 3)]
    assert points_of(rules, (33, 2), 0) == [22, Fraction(2, 3)]


def test_annul_asks_poor_hands_from_the_eldest():
    rules = make_rules(annul="below_one_point", declare="off")
    poor = ["4c 5c 6c 7c 4d 5d 6d 7d Kc Kd", "", "4s 5s 6s 7s 4b 5b 6b 7b Ks Kb", ""]
    hands, _ = complete(poor, rules)
    game = ReferenceGame(rules, hands, 0)  # eldest is seat 1
    assert game.to_act == 2 and game.legal() == {"monte", "play on"}
    seen = game.public_view(1)
    game.step("play on")
    assert game.public_view(3) != game.public_view(2)
    assert dict(game.public_view(2))["events"] == (("play on", 2),)
    assert dict(seen)["events"] == dict(game.public_view(1))["events"] == ()
    assert game.to_act == 0
    game.step("monte")
    assert (game.abandoned, game.abandoned_by, game.result, game.to_act) == (True, "monte", None, None)


def test_revoke_is_legal_and_ends_the_deal_where_the_field_says_so():
    rules = make_rules(**TRAVERSONE | {"revoke": "take_all"})
    hands, _ = complete(["4c 5c", "6c 3d", "", ""], rules)
    game = ReferenceGame(rules, hands, 3)
    game.step("4c")
    assert game.legal() == set(hands[1])
    rewards = game.step("3d")
    assert game.result["points"] == [0, 11, 0, 0]
    assert game.result["last_trick_seat"] is None
    assert game.result["captured_sixths"] == [0, 0, 0, 0]
    assert rewards == [Fraction(11, 3), -11, Fraction(11, 3), Fraction(11, 3)]


# ---------------------------------------------------------------------------------------------- stock, auctions


def test_due_is_free_while_the_stock_lasts_and_the_winner_draws_first():
    rules = make_rules(**DUE)
    hands, left = complete(["4c 3c", "6c 3d"], rules)
    game = ReferenceGame(rules, hands, 1, stock=left)
    game.step("4c")
    assert game.legal() == set(hands[1])
    game.step("3d")
    assert game.tricks[0][0] == 0
    assert left[0] in game.hands[0] and left[1] in game.hands[1]
    events = dict(game.public_view(0))["events"]
    assert events[-2:] == (("draw", 0, left[0]), ("draw", 1, None))
    while game.stock:
        game.step(min(game.legal()))
    assert len(game.tricks) == 10
    game.step(game.hands[game.to_act][0])
    led = game.table[0][1][1]
    following = {card for card in game.hands[game.to_act] if card[1] == led}
    assert game.legal() == (following or set(game.hands[game.to_act]))


def test_shown_draws_are_public():
    rules = make_rules(**VARIANTS["due_pagat"])
    hands, left = complete(["4c 3c", "6c 3d"], rules)
    game = ReferenceGame(rules, hands, 1, stock=left)
    game.step("4c")
    assert all(text[1] == "c" for text in game.legal())
    game.step("6c")
    assert ("draw", 0, left[1]) in dict(game.public_view(1))["events"]


def calabresella(known, **fields):
    """Dealt by seat 2; a fourth text of `known` names cards of the monte."""
    rules = make_rules(**CALABRESELLA | fields)
    hands, left = complete(known[:3], rules)
    for card in cards(" ".join(known[3:])):
        if card not in left:
            hand = next(hand for hand in hands if card in hand)
            hand[hand.index(card)] = left.pop(0)
            left.append(card)
    return ReferenceGame(rules, hands, 2, monte=left)


def test_calabresella_chiamo_from_bid_to_first_lead():
    game = calabresella(["3c 3d 2s", "3s 3b", "2c 2d"])
    assert game.legal() == {"bid pass", "bid chiamo", "bid solo", "bid solissimo"}
    game.step("bid chiamo")
    assert game.legal() == {"bid pass", "bid solo", "bid solissimo"}
    game.step("bid pass")
    game.step("bid pass")
    assert game.to_act == 0 and game.legal() == {"call 3s", "call 3b"}
    game.step("call 3s")
    assert "3s" in game.hands[0] and "3s" not in game.hands[1]
    assert "give 3s" not in game.legal() and len(game.legal()) == 12
    monte = list(game.monte)
    game.step("give 2s")
    assert "2s" in game.hands[1]
    assert ("monte", *monte) in dict(game.public_view(2))["events"]
    for card in monte:
        game.step(f"discard {card}")
    assert ("discard", 0, None) in dict(game.public_view(1))["events"]
    assert ("discard", 0, monte[0]) in dict(game.public_view(0))["events"]
    assert (game.phase, game.to_act) == ("play", 0)
    assert game.discards == monte and game.monte == []
    play_out(game, random.Random(3))
    assert sum(game.result["captured_sixths"]) == 64
    assert sum(game.result["totals"]) == 0 and abs(game.result["totals"][0]) == 2


def test_calabresella_calls_a_two_when_all_threes_are_held_and_no_second_call():
    game = calabresella(["3c 3d 3s 3b 2c", "2d", "2s", "2b"])
    game.step("bid chiamo")
    game.step("bid pass")
    game.step("bid pass")
    assert game.legal() == {"call 2d", "call 2s", "call 2b"}
    assert "2b" in game.monte
    game.step("call 2b")
    assert game.phase == "discard" and "2b" in game.hands[0]


def test_calabresella_solo_and_solissimo():
    game = calabresella(["", "", ""])
    monte = list(game.monte)
    game.step("bid pass")
    game.step("bid solo")
    game.step("bid pass")
    assert (game.phase, game.to_act, len(game.legal())) == ("discard", 1, 16)
    assert not any(event[0] == "monte" for event in dict(game.public_view(0))["events"])
    assert ("monte", *monte) in dict(game.public_view(1))["events"]
    for _ in range(4):
        game.step(min(game.legal()))
    assert (game.phase, game.to_act) == ("play", 0)  # the eldest leads, not the soloist

    game = calabresella(["", "", ""])
    game.step("bid solissimo")  # nobody else is asked
    assert (game.phase, game.to_act) == ("play", 0)
    play_out(game, random.Random(4))
    assert sum(game.result["captured_sixths"]) == 64  # the untouched monte is in there
    assert abs(game.result["totals"][0]) == 6


def test_calabresella_two_draws_two_unseen_after_every_bid():
    for bids in (["chiamo", "pass", "pass"], ["solo", "pass", "pass"], ["solissimo"]):
        game = calabresella(["3c 3d", "3s", "3b"], exchange_cards=2)
        monte = list(game.monte)
        for bid in bids:
            game.step(f"bid {bid}")
        if bids[0] == "chiamo":
            game.step("call 3s")
            game.step(min(game.legal()))
        assert game.phase == "discard" and set(monte[:2]) <= set(game.hands[0])
        assert not any(event[0] == "monte" for event in dict(game.public_view(1))["events"])
        game.step(min(game.legal()))
        game.step(min(game.legal()))
        assert game.phase == "play" and game.monte == monte[2:] and len(game.discards) == 2


def test_chiamata_partner_is_secret():
    rules = make_rules(**CHIAMATA)
    hands, _ = complete(["3c", "3d", "3s", "3b", ""], rules)
    views = []
    for called in ("3d", "3s"):
        game = ReferenceGame(rules, hands, 4)
        for bid in ("chiamo", "pass", "pass", "pass", "pass"):
            game.step(f"bid {bid}")
        assert game.legal() == {"call 3d", "call 3s", "call 3b"}
        game.step(f"call {called}")
        assert (game.phase, game.to_act) == ("play", 0)
        views.append(game)
    assert (views[0].partner, views[1].partner) == (1, 2)
    assert dict(views[0].public_view(4))["events"][-1] == ("call", 0, "3d")
    play_out(views[0], random.Random(5))
    totals = views[0].result["totals"]
    assert sorted(map(abs, totals)) == [1, 1, 1, 1, 2] and abs(totals[0]) == 2
    assert (totals[0] > 0) == (totals[1] > 0) == (views[0].result["points"][0] >= 6)


def test_auction_games_pay_nothing_before_the_payoff():
    rules = make_rules(**CHIAMATA)
    deal = shuffled_deal(rules, random.Random(6))
    game = ReferenceGame(rules, deal["hands"], 0, reward="trick")
    game.step("bid solo")
    while game.to_act is not None:
        rewards = game.step(min(game.legal()))
        assert game.to_act is None or rewards == [0] * 5
    assert sorted(map(abs, rewards)) == [2, 2, 2, 2, 8]


# ---------------------------------------------------------------------------------------------- matches


def deals_from(rules, seed):
    return lambda k: shuffled_deal(rules, random.Random(f"{seed}/{k}"))


def test_match_passes_the_deal_and_ends_at_the_end_of_a_deal():
    rules = make_rules(**QUIET)
    match = ReferenceMatch(rules, deals_from(rules, 7), 3, reward="match")
    total = play_out(match, random.Random(7))
    assert match.finished and not match.truncated
    assert [game.dealer for game in match.games] == [(3 + i) % 4 for i in range(len(match.games))]
    assert max(match.results[-1]["totals"]) >= 21
    assert all(max(result["totals"]) < 21 or len(set(result["totals"])) == 1 for result in match.results[:-1])
    assert total == [1 if seat % 2 == match.winner else -1 for seat in range(4)]
    assert match.totals[match.winner] == max(match.totals)
    sums = [sum(result["points"][side] for result in match.results) for side in (0, 1)]
    assert sums == match.totals


def test_example_11_as_a_match_from_given_totals():
    rules = make_rules(**QUIET)
    hands = hands_15()
    rotated = hands[3:] + hands[:3]  # the same cards and the same play, one seat on
    deals = [{"hands": hands}, {"hands": rotated}]
    match = ReferenceMatch(rules, lambda k: deals[k], 3, totals=[15, 20], reward="match")
    for card in cards(PLAY_15):
        match.step(card)
    assert match.totals == [23, 23] and not match.finished and match.winner is None
    assert (match.dealer, match.to_act) == (0, 1)
    for card in cards(PLAY_15):
        assert match.rewards == [0] * 4
        match.step(card)
    assert match.totals == [26, 31] and match.winner == 1
    assert match.rewards == [-1, 1, -1, 1]
    assert [result["totals"] for result in match.results] == [[23, 23], [26, 31]]


def test_example_12_as_a_match_from_given_totals():
    rules = make_rules(**TRAVERSONE)
    start = [22, 8, 8, 15]
    for seed in range(20):
        match = ReferenceMatch(rules, deals_from(rules, seed), 0, totals=start)
        match.contenders = match.game.contenders = (1, 2)
        play_out(match, random.Random(seed))
        assert match.winner in (1, 2)


def test_monte_keeps_the_dealer_and_truncates_after_num_seats_in_a_row():
    rules = make_rules(annul="below_one_point", **QUIET)
    poor = ["4c 5c 6c 7c 4d 5d 6d 7d Kc Kd", "", "", ""]
    deal = {"hands": complete(poor, rules)[0]}
    asked = []
    match = ReferenceMatch(rules, lambda k: asked.append(k) or deal, 3)
    for i in range(4):
        assert not match.finished and match.dealer == 3 and match.results == []
        assert match.to_act == 0
        match.step("monte")
        assert match.rewards == [0] * 4
        assert len(match.games) == min(i + 2, 4)
    assert match.finished and match.truncated and match.winner is None and asked == [0, 1, 2, 3]


def test_all_pass_passes_the_deal_even_within_one_deal_episode():
    rules = make_rules(**CALABRESELLA)
    match = ReferenceMatch(rules, deals_from(rules, 8), 0, episode="deal")
    for _ in range(3):
        match.step("bid pass")
    assert match.dealer == 1 and match.to_act == 2 and match.results == [] and not match.finished
    match.step("bid solissimo")
    play_out(match, random.Random(8))
    assert match.finished and not match.truncated and len(match.results) == 1
    assert len(match.public_view(0)) == 2


# ---------------------------------------------------------------------------------------------- random playouts


def everything(game):
    """Every card of the deal, wherever it lies."""
    places = [*game.hands, *game.captured, game.stock, [card for _, card in game.table]]
    if game.result is None or game.result["last_trick_seat"] is None:  # else these are in the captured cards
        places += [game.monte, game.discards]
    return list(chain(*places))


@pytest.mark.parametrize("name", VARIANTS)
def test_random_playouts_keep_the_invariants(name):
    rules = make_rules(**VARIANTS[name])
    deck = sorted(card_text(c) for c in rules.deck)

    def check(game):
        assert sorted(everything(game)) == deck
        assert sum(game.rewards) == 0
        assert (game.to_act is None) == (not game.legal())

    finished = 0
    for seed in range(12):
        rng = random.Random(f"{name}/{seed}")
        deal = shuffled_deal(rules, rng)
        dealer = rng.randrange(rules.num_seats)
        sums = {}
        for reward in ("deal", "trick"):
            game = ReferenceGame(rules, dealer=dealer, reward=reward, **deal)
            sums[reward] = play_out(game, random.Random(seed), check if reward == "deal" else None)
            assert sums[reward] == game.returns
        assert sums["deal"] == sums["trick"]
        if game.abandoned:
            assert game.result is None and sums["deal"] == [0] * rules.num_seats
            continue
        finished += 1
        result = game.result
        if result["last_trick_seat"] is None:
            continue
        assert sum(result["captured_sixths"]) == worth(deck)
        if name in ("tressette", "briscola", "traversone_pairs", "due"):
            assert sum(result["points"]) == 11 + sum(result["declaration_points"])  # C3
        for seat in range(rules.num_seats):
            hash(game.public_view(seat))
    assert finished


MATCHES = ["tressette", "traversone", "calabresella", "flat_11", "bolognese", "due_min", "briscola"]


@pytest.mark.parametrize("name", MATCHES)
def test_random_matches_end_with_a_strict_winner(name):
    rules = make_rules(**VARIANTS[name] | {"target": 11})
    for seed in range(3):
        rng = random.Random(f"{name}/{seed}")
        match = ReferenceMatch(rules, deals_from(rules, f"{name}/{seed}"), 0, reward="match")
        total = play_out(match, rng)
        assert sum(total) == 0
        if not match.truncated:
            assert total[match.winner] == 1
