"""Hands, deals and actions as text, both ways, and every refusal."""

import random

import pytest

from tressette_env.cards import CARD_TEXTS
from tressette_env.errors import NotationError
from tressette_env.notation import (
    Deal,
    action_texts,
    format_action,
    format_actions,
    format_deal,
    parse_action,
    parse_deal,
    parse_hand,
)
from tressette_env.presets import PRESETS, preset
from tressette_env.rules import Rules

FULL = Rules()
TRUMP = preset("briscola")
TOY = Rules(deck=(0, 1, 2, 3, 4, 5), num_seats=2, sides=(0, 1), hand_size=2, monte=2, declare="off")
ALL = [Rules.from_dict({"name": name} | values) for name, (_, values) in PRESETS.items()]


def random_deal(rules, rng):
    cards = list(rules.deck)
    rng.shuffle(cards)
    hands = []
    for _ in range(rules.num_seats):
        hands.append(tuple(sorted(cards[: rules.hand_size])))
        cards = cards[rules.hand_size :]
    trump = hands[1][0] if rules.trump != "none" else -1
    return Deal(tuple(hands), tuple(cards[: rules.stock]), tuple(cards[rules.stock :]), trump)


@pytest.mark.parametrize("rules", ALL, ids=lambda rules: rules.name)
def test_parse_undoes_format_for_deals(rules):
    rng = random.Random(1)
    for _ in range(20):
        deal = random_deal(rules, rng)
        assert parse_deal(format_deal(deal), rules) == deal


@pytest.mark.parametrize("rules", ALL, ids=lambda rules: rules.name)
def test_parse_undoes_format_for_every_action(rules):
    texts = action_texts(rules)
    assert len(texts) == len(set(texts)) == rules.blocks.num_actions
    assert [parse_action(text, rules) for text in texts] == list(range(len(texts)))
    assert [format_action(action, rules) for action in range(len(texts))] == list(texts)


def test_action_texts_of_the_interface():
    for text in ("3c", "3c busso", "declare napoletana c", "declare A", "done"):
        assert format_action(parse_action(text, FULL), FULL) == text
    bolognese, auction = preset("bolognese"), next(rules for rules in ALL if rules.name == "calabresella")
    assert parse_action("play on", bolognese) == bolognese.blocks.annul.start + 1
    for text in ("bid pass", "bid chiamo", "call 3c", "discard 4d", "give 4d"):
        assert format_action(parse_action(text, auction), auction) == text


def test_blanks_in_actions_and_hands_do_not_matter():
    assert parse_action("  3c   busso ", FULL) == parse_action("3c busso", FULL)
    assert parse_hand("3c2cAc 7d") == parse_hand(" 7d3c 2c Ac") == (7, 8, 9, 13)
    assert format_actions([9, 0], FULL) == "3c, 4c"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("3c3c", "stands twice"),
        ("1c", "unknown card '1c'"),
        ("3x", "unknown card '3x'"),
        ("3c2", "odd number of letters"),
    ],
)
def test_refused_hands(text, message):
    with pytest.raises(NotationError, match=message):
        parse_hand(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("4c5c | 6c7c / monte JcCc", None),
        ("4c5c | 6c7c", "monte .* has 0 cards: these rules have 2"),
        ("4c5c / monte JcCc", "has 1 hands: it takes 2"),
        ("4c5c6c | 7c / monte JcCc", "hand of seat 0 .* has 3 cards, not 2"),
        ("4c5c | 5c7c / monte JcCc", "'5c' stands twice"),
        ("4c5c | 6cAd / monte JcCc", "'Ad', not in the deck"),
        ("4c5c | 6c7c / monte JcCc / monte JcCc", "cannot read the part"),
        ("4c5c | 6c7c / talon JcCc", "cannot read the part 'talon JcCc'"),
        ("4c5c | 6c7c / monte JcCc / trump 4c", "names a trump"),
        ("4c5c | 6c7c / monte JcCc / stock Kc", "stock .* has 1 cards: these rules have 0"),
        (17, "is not a text"),
    ],
)
def test_refused_deals(text, message):
    if message is None:
        assert parse_deal(text, TOY).hands == ((0, 1), (2, 3))
        return
    with pytest.raises(NotationError, match=message):
        parse_deal(text, TOY)


def test_refused_trumps():
    deal = format_deal(random_deal(TRUMP, random.Random(2)))
    hands = deal.partition(" / ")[0]
    with pytest.raises(NotationError, match="lacks a trump"):
        parse_deal(hands, TRUMP)
    with pytest.raises(NotationError, match="unknown card"):
        parse_deal(hands + " / trump Xd", TRUMP)


def test_refused_actions():
    with pytest.raises(NotationError, match=r"unknown action '3c bussa' \(did you mean '3c busso'\?\)"):
        parse_action("3c bussa", FULL)
    with pytest.raises(NotationError, match="under the rules 'no_signals'"):
        parse_action("3c busso", preset("no_signals"))
    with pytest.raises(NotationError, match="is not a text"):
        parse_action(3, FULL)
    with pytest.raises(NotationError, match=r"there is no action 168: the ids of these rules are 0\.\.167"):
        format_action(168, FULL)
    with pytest.raises(NotationError, match="there is no action -1"):
        format_action(-1, FULL)


def test_every_card_has_its_text():
    assert action_texts(FULL)[:40] == CARD_TEXTS
