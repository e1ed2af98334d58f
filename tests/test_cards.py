"""Cards: every text form both ways, the points of the pack, strict parsing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tressette_env.cards import (
    ALL_CARDS,
    CARD_TEXTS,
    NUM_CARDS,
    RANK_SIXTHS,
    format_card,
    format_cards,
    format_hand,
    from_bits,
    parse_card,
    parse_cards,
    to_bits,
)
from tressette_env.errors import NotationError


def test_every_card_both_ways():
    assert len(set(CARD_TEXTS)) == NUM_CARDS
    for card in range(NUM_CARDS):
        assert parse_card(format_card(card)) == card


def test_ids_follow_strength_and_suit():
    assert [format_card(c) for c in range(10)] == ["4c", "5c", "6c", "7c", "Jc", "Cc", "Kc", "Ac", "2c", "3c"]
    assert [format_card(10 * s) for s in range(4)] == ["4c", "4d", "4s", "4b"]


def test_twenty_third_cards_and_four_aces():
    """C1: five ranks of four suits are worth a third, the aces a point: 32 thirds."""
    worth = [RANK_SIXTHS[card % 10] for card in range(NUM_CARDS)]
    assert worth.count(2) == 20 and worth.count(6) == 4 and sum(worth) == 64


@given(st.lists(st.integers(0, NUM_CARDS - 1), unique=True))
def test_cards_hands_and_sets_round_trip(cards):
    assert parse_cards(format_cards(cards)) == cards
    assert sorted(parse_cards(format_hand(cards))) == sorted(cards) == from_bits(to_bits(cards))
    assert 0 <= to_bits(cards) <= ALL_CARDS


def test_blanks_are_ignored():
    assert parse_cards(" 3c2c\tAc  7d\n") == parse_cards("3c2cAc7d")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("3x", "unknown card '3x'"),
        ("8c", "unknown card '8c'"),
        ("3C", "unknown card '3C'"),
        ("3c2", "odd number of letters"),
        ("3c2c3c", "'3c' stands twice"),
    ],
)
def test_what_cannot_be_read_is_named(text, message):
    with pytest.raises(NotationError, match=message):
        parse_cards(text)
