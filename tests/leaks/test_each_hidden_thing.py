"""Each hidden thing by name: silence, the stock, drawn cards; and the blanking of the view itself."""

import random

import numpy as np
import pytest
from engine_support import choose_text, view_of
from family import rules_of
from twins import (
    CARD_ID,
    World,
    deal_of,
    going_on,
    over_deal,
    past_of,
    random_past,
    seen,
    swapped,
    text_of,
    who_tells,
)

from tressette_env.engine.state import STATE_DTYPE
from tressette_env.presets import make_rules

NAPOLETANA_S = "3s2sAs 4s5s6s7s 4b5b6b"
PLAIN = [
    "3c 2c Kc Cc 7c 3d 2d 7d 6d 5d",
    NAPOLETANA_S,
    "Ac Jc 6c 5c 4c Ad 4d 3b Kb Cb",
    "Kd Cd Jd Ks Cs Js 2b Ab Jb 7b",
]
SILENT = ["3c 2c Kc Cc 7c 3d 2d 7d 6d 5d", "Ac 2s As 4s5s6s7s 4b5b6b", "3s Jc 6c 5c 4c Ad 4d 3b Kb Cb", PLAIN[3]]


def cards_of(text):
    text = text.replace(" ", "")
    return [text[i : i + 2] for i in range(0, len(text), 2)]


# ---------------------------------------------------------------- silence
@pytest.mark.parametrize("seat", [0, 2, 3])
def test_done_is_hidden(seat):
    """Before and after another seat's `done`, and beside a deal where it had nothing to declare, nothing differs."""
    rules = make_rules("tressette")
    asked, silent = (
        past_of(rules, {"hands": [cards_of(hand) for hand in hands], "stock": [], "monte": []}, dealer=0)
        for hands in (PLAIN, SILENT)
    )
    assert asked.reference().to_act == 1 and asked.reference().phase == "declare"
    before, after, other = (World(past).shown(seat) for past in (asked, going_on(asked, "done"), silent))
    assert silent.reference().phase == "play"
    if seat != 1:
        assert before == after
    if seat in (0, 3):  # seat 2 holds another card in the other deal
        assert before == other


@pytest.mark.parametrize("seat", [0, 2, 3])
def test_passed_over_is_hidden(seat):
    """A seat that was passed over looks the same as one that may declare and has not yet spoken."""
    rules = make_rules({"declare_when": "end_first_trick"})
    deal = {"hands": [cards_of(hand) for hand in PLAIN], "stock": [], "monte": []}
    asked = past_of(rules, deal, "7c", "4s", "4c", "7b")
    game = asked.reference()
    assert (game.phase, game.to_act, game.leader) == ("declare", 1, 0)
    before, after = World(asked).shown(seat), World(going_on(asked, "done")).shown(seat)
    assert (before == after) == (seat != 0)  # the leader sees that its turn has come


POOR = ["7c 6c 5c 4c 7s 6s 5s Kc Jc 4b", "7d 6d 5d 4d 7b 6b 5b 4s Kb Cb"]


def poor_deal():
    """A deal in which seats 1 and 2 are worth less than a point."""
    poor = [cards_of(hand) for hand in POOR]
    rest = [card for card in CARD_ID if card not in poor[0] + poor[1]]
    return {"hands": [rest[:10], *poor, rest[10:]], "stock": [], "monte": []}


@pytest.mark.parametrize("seat", [0, 1, 2, 3])
def test_play_on_is_hidden(seat):
    asked = past_of(make_rules("bolognese"), poor_deal())
    first, second = going_on(asked, "play on"), going_on(asked, "play on", "play on")
    assert [past.reference().to_act for past in (asked, first)] == [1, 2]
    shown = [World(past).shown(seat) for past in (asked, first, second)]
    assert (shown[0] == shown[1]) == (seat in (0, 3))  # 1 remembers, 2 is asked
    assert (shown[1] == shown[2]) == (seat != 2 and seat != second.reference().to_act)


@pytest.mark.parametrize("name", ["chiamata_monte", "calabresella_draw_shown"])
def test_play_on_before_an_auction_is_hidden(name):
    """A silent annul before the bids: the table sees that the eldest is still to bid, whoever is asked."""
    rules = rules_of(name)
    compared = 0
    for seed in range(300):
        past = past_of(rules, deal_of(rules, seed))
        game = past.reference()
        if game.phase != "annul":
            continue
        after = going_on(past, "play on")
        for seat in set(range(rules.num_seats)) - {game.to_act, after.reference().to_act}:
            assert World(past).shown(seat) == World(after).shown(seat)
            compared += 1
    assert compared > 20


def test_automatic_declarations_wait_while_monte_may_be_called():
    """They were made, and seen by all, before the seats were asked for monte."""
    rules = make_rules({"preset": "bolognese", "declare": "automatic"})
    rich = "3c2cAc 3d2dAd 3s2sAs 3b"
    rest = [card for card in CARD_ID if card not in cards_of(rich)]
    weak = sorted(rest, key=lambda card: "4567KCJ2A".index(card[0]))
    hands = [cards_of(rich), weak[:10], weak[10:20], weak[20:]]
    asked = past_of(rules, {"hands": hands, "stock": [], "monte": []})
    assert asked.reference().phase == "annul"
    for seat in range(4):
        assert "declared" not in text_of(asked, seat) and not seen(asked, seat).declarations
        assert not World(asked).state["declared_sixths"].any()
    while asked.reference().phase == "annul":
        asked = going_on(asked, "play on")
    assert all("0 napoletana c" in text_of(asked, seat) for seat in range(4))


# ---------------------------------------------------------------- the stock
DRAWING = ["due", "due_pagat", "traversone_2p", "mini_due", "four_draw", "calabresella_draw", "chiamata_draw"]


@pytest.mark.parametrize("name", DRAWING)
def test_the_order_of_the_stock_is_hidden(name):
    rules = rules_of(name)
    past = past_of(rules, deal_of(rules))
    assert who_tells(past, over_deal(past, past.deal | {"stock": past.deal["stock"][::-1]})) == []


@pytest.mark.parametrize("name", DRAWING)
def test_the_cards_of_the_stock_are_hidden(name):
    """A card of the stock is told from a card of another hand by that hand alone."""
    rules = rules_of(name)
    past = past_of(rules, deal_of(rules))
    for seat in range(rules.num_seats):
        other = swapped(past.deal, past.deal["hands"][seat][0], past.deal["stock"][0])
        assert who_tells(past, over_deal(past, other)) == [seat]


@pytest.mark.parametrize("name", ["due", "due_pagat", "traversone_2p", "four_draw", "three_draw_shown_monte"])
def test_a_drawn_card_is_seen_by_who_draws_it_or_by_all(name):
    rules = rules_of(name)
    n = rules.num_seats
    past = past_of(rules, deal_of(rules), *["?"] * n)
    order = [(past.reference().leader + i) % n for i in range(n)]
    for place, drawer in enumerate(order):
        drawn = past.deal["stock"][place]
        tells = who_tells(past, over_deal(past, swapped(past.deal, drawn, past.deal["stock"][-1])))
        assert tells == (list(range(n)) if rules.draw_shown else [drawer])
        for seat in range(n):
            assert (f"{drawer} {drawn}" in text_of(past, seat)) == (seat in tells)
            if seat != drawer:
                known = seen(past, seat).known[(drawer - seat) % n - 1]
                assert (CARD_ID[drawn] in known) == rules.draw_shown


# ---------------------------------------------------------------- the blanking itself
@pytest.mark.parametrize("name", ["bolognese", "due", "calabresella", "chiamata_draw"])
def test_the_view_blanks_stock_monte_hands_and_flags(name):
    """Fill every hidden field of a new deal with junk: the view does not change."""
    world = World(past_of(rules_of(name), deal_of(rules_of(name))))
    for seat in range(world.rules.num_seats):
        truth = view_of(world.state, world.table, seat).tobytes()
        junk = np.zeros(1, STATE_DTYPE)
        junk[0] = world.state
        for other in range(world.rules.num_seats):
            if other != seat:
                junk[0]["hands"][other] = 12345
                junk[0]["dealt"][other] = 54321
                junk[0]["closed"] |= 1 << other
                junk[0]["played_on"] |= 1 << other
        junk[0]["undealt"][: world.rules.stock + world.rules.monte] = 7
        if world.rules.monte:
            junk[0]["discards"][:] = 9
        junk[0]["gain"][:] = 18
        assert view_of(junk[0], world.table, seat).tobytes() == truth


@pytest.mark.parametrize("name", ["tressette", "bolognese", "calabresella", "due"])
def test_own_hand_and_flags_are_kept(name):
    for plies in range(12):
        world = World(random_past(rules_of(name), 5, random.Random(plies), plies, choose_text))
        for seat in range(world.rules.num_seats):
            view = view_of(world.state, world.table, seat)[0]
            assert all(view[field][seat] == world.state[field][seat] for field in ("hands", "dealt"))
            assert all((view[field] ^ world.state[field]) >> seat & 1 == 0 for field in ("closed", "played_on"))
