"""The rules object: refusals that name field and value, blocks of actions, the table of the kernels."""

import dataclasses

import pytest
from family import NAMES, any_fields, family_rules, rules_of
from hypothesis import given, settings

from tressette_env.errors import RulesError
from tressette_env.rules import Rules

AUCTION = {"num_seats": 3, "sides": "auction", "hand_size": 12, "monte": 4, "declare": "off", "signals": ()}
REFUSED = [
    ({"follow": "never"}, "follow = 'never' is not one of always, free_while_stock"),
    ({"target": 0}, "target = 0 is out of range"),
    ({"target": True}, "target = True is out of range"),
    ({"num_seats": 6}, "num_seats = 6"),
    ({"draw_shown": 1}, "draw_shown = 1 is not true or false"),
    ({"last_trick_bonus": 2}, "last_trick_bonus = 2 is not one of 0, 0.5, 1"),
    ({"exchange_cards": 3}, "exchange_cards = 3"),
    ({"sides": (0, 1)}, "sides = .*num_seats = 4"),
    ({"sides": (0, 0, 0, 0)}, "at least two"),
    ({"sides": (0, 2, 0, 2)}, "without gaps"),
    ({"sides": "auction"}, "sides = 'auction' needs an auction"),
    ({"hand_size": 9}, "hand_size = 9 .* takes 36 cards, but the deck has 40"),
    ({"deck": (1, 1)}, "distinct card ids"),
    ({"signals": ("bussa",)}, r"'bussa' \(did you mean 'busso'\?\)"),
    ({"signals": ("busso", "busso")}, "different signals"),
    ({"signal_sides": (2,)}, "signal_sides = "),
    ({"striscio_corto_min_rest": 5}, "must be below striscio_lungo_min_rest = 5"),
    ({"busso_min_rest": 10}, "busso_min_rest = 10 is out of range"),
    ({"objective": "min"}, "declare = 'voluntary' does not go with objective = 'min'"),
    ({"declare": "automatic", "declare_when": "own_first_turn"}, "declare = 'automatic' .* declare_when = "),
    ({"revoke": "flat_11"}, "revoke = 'flat_11' does not go with objective = 'max'"),
    ({"cappotto": "shoot"}, "cappotto = 'shoot' does not go with objective = 'max'"),
    (AUCTION | {"auction": "calabresella", "signals": ("volo",)}, "signals = .* do not go with auction"),
    (AUCTION | {"auction": "calabresella", "declare": "voluntary"}, "declare = .* auction = 'calabresella'"),
    ({"num_seats": 2, "sides": (0, 1), "stock": 20, "declare": "off", "trump": "last_dealt"}, "trump = .* stock = 20"),
    ({"num_seats": 2, "sides": (0, 1), "stock": 20}, "declare = 'voluntary' does not go with stock = 20"),
    ({"exchange_cards": 2}, "exchange_cards = 2 does not go with auction = 'none'"),
    (AUCTION | {"auction": "calabresella", "exchange_cards": 4, "monte": 1, "hand_size": 13}, "is more than monte = 1"),
    (AUCTION | {"auction": "calabresella", "objective": "min"}, "auction = 'calabresella' .* objective = 'min'"),
    (AUCTION | {"auction": "chiamata"}, "auction = 'chiamata' does not go with num_seats = 3"),
    (AUCTION | {"auction": "calabresella", "sides": (0, 1, 1)}, "sides must be 'auction', not "),
    ({"num_seats": 3, "sides": (0, 1, 2), "hand_size": 12, "stock": 4, "declare": "off"}, "stock = 4 does not divide"),
    ({"deck": 11}, "deck = 11 must hold distinct card ids"),
    ({"deck": None}, "deck = None must hold distinct card ids"),
    ({"deck": ("3c",)}, "deck = .* must hold distinct card ids"),
    ({"deck": [0, 1, 2, 3]}, "deck = .* must hold distinct card ids"),
]


@pytest.mark.parametrize(("fields", "message"), REFUSED, ids=lambda value: str(value)[:40])
def test_refused_naming_field_and_value(fields, message):
    with pytest.raises(RulesError, match=message):
        Rules(**fields)


@settings(max_examples=500)
@given(any_fields())
def test_fields_that_do_not_fit_raise_rules_error_and_nothing_else(fields):
    """Rules that come out are usable: hashable, with a table, and equal to themselves from plain data."""
    for make in (lambda: Rules(**fields), lambda: Rules.from_dict(fields)):
        try:
            rules = make()
        except RulesError as error:
            assert str(error) and "\n" not in str(error)
            continue
        assert hash(rules) == hash(make()) and rules.table().shape == (1,)
        assert Rules.from_dict(rules.to_dict()) == rules


@settings(max_examples=100)
@given(family_rules())
def test_any_rules_survive_plain_data(rules):
    assert Rules.from_dict(rules.to_dict()) == rules


def test_an_unknown_field_names_the_nearest():
    with pytest.raises(RulesError, match=r"unknown rules field 'targt' \(did you mean 'target'\?\)"):
        Rules.from_dict({"targt": 3})


def test_no_default_depends_on_another_field():
    """`objective = min` keeps `cappotto = none`: only presets set it."""
    assert Rules(objective="min", declare="off").cappotto == "none"


def test_the_object_is_frozen_and_hashable():
    assert hash(Rules()) == hash(Rules())
    with pytest.raises(dataclasses.FrozenInstanceError):
        Rules().target = 3


@pytest.mark.parametrize(
    ("fields", "lengths"),
    [
        ({}, (160, 8, 0)),
        ({"signals": ()}, (40, 8, 0)),
        ({"signal_mode": "off"}, (40, 8, 0)),
        ({"declare": "off"}, (160, 0, 0)),
        ({"declare": "automatic"}, (160, 0, 0)),
        ({"annul": "below_one_point"}, (160, 8, 2)),
        ({"declare_when": "own_first_turn", "signals": ("volo",)}, (80, 8, 0)),
    ],
)
def test_blocks_follow_one_another_and_absent_ones_are_empty(fields, lengths):
    blocks = Rules(**fields).blocks
    assert (len(blocks.plays), len(blocks.declarations), len(blocks.annul)) == lengths
    assert blocks.num_actions == sum(lengths)
    ordered = [getattr(blocks, field.name) for field in dataclasses.fields(blocks)]
    assert all(a.stop == b.start for a, b in zip(ordered, ordered[1:], strict=False))


@pytest.mark.parametrize(
    ("name", "lengths"),
    [
        ("calabresella", (40, 0, 0, 4, 40, 40, 40)),
        ("calabresella_two", (40, 0, 0, 4, 40, 40, 40)),
        ("calabresella_plain", (40, 0, 2, 4, 40, 40, 0)),  # nothing is exchanged
        ("chiamata", (40, 0, 0, 3, 40, 0, 0)),
        ("a_tre", (40, 8, 0, 0, 0, 0, 0)),
        ("due", (40, 0, 0, 0, 0, 0, 0)),
    ],
)
def test_blocks_of_auctions_and_other_tables(name, lengths):
    blocks = rules_of(name).blocks
    assert tuple(len(getattr(blocks, field.name)) for field in dataclasses.fields(blocks)) == lengths


@pytest.mark.parametrize("name", NAMES)
def test_blocks_of_any_rules_are_consecutive(name):
    blocks = rules_of(name).blocks
    ordered = [getattr(blocks, field.name) for field in dataclasses.fields(blocks)]
    assert ordered[0].start == 0 and ordered[-1].stop == blocks.num_actions
    assert all(a.stop == b.start for a, b in zip(ordered, ordered[1:], strict=False))


@pytest.mark.parametrize(("bonus", "whole"), [(0, 10), (0.5, 11), (1, 11)])
def test_the_whole_total(bonus, whole):
    assert Rules(last_trick_bonus=bonus).whole_total == whole


def test_the_table_holds_the_fields_as_numbers():
    row = Rules(signals=("striscio", "busso"), target=31, signal_sides=(1,)).table("match", "trick")[0]
    assert (row["target"], row["match_episode"], row["reward_mode"], row["signal_sides"]) == (31, 1, 1, 0b10)
    assert list(row["signal_kind"][:2]) == [2, 0] and row["deck"] == (1 << 40) - 1


def test_yaml_words_for_off_are_understood():
    rules = Rules.from_dict({"declare": False, "signals": None, "annul": False})
    assert (rules.declare, rules.signals, rules.annul) == ("off", (), "off")


def test_a_deck_by_text():
    rules = Rules.from_dict({"deck": "4cKcAc3c 4dKdAd3d", "hand_size": 2})
    assert rules.deck == (0, 6, 7, 9, 10, 16, 17, 19)
    with pytest.raises(RulesError, match="deck = '4c4c'"):
        Rules.from_dict({"deck": "4c4c"})
