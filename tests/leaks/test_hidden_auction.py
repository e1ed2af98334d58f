"""What an auction hides, by name: the monte, the discards, the secret partner; and what rewards could tell."""

import random

import pytest
from engine_support import choose_text
from family import rules_of
from twins import CARD_ID, World, deal_of, going_on, over_deal, past_of, seen, swapped, text_of, twin_of, who_tells

from tressette_env import tressette_v0
from tressette_env.presets import make_rules


# ---------------------------------------------------------------- the monte
@pytest.mark.parametrize("name", ["a_tre", "mini_2p", "three_trump_monte", "calabresella", "calabresella_two"])
def test_the_monte_is_hidden_as_dealt(name):
    rules = rules_of(name)
    deal = next(deal for deal in (deal_of(rules, seed) for seed in range(99)) if low_cards(deal["monte"]))
    past = past_of(rules, deal)
    assert who_tells(past, over_deal(past, deal | {"monte": deal["monte"][::-1]})) == []
    for seat in range(rules.num_seats):
        lying = low_cards(deal["monte"])[0]
        for held in low_cards(deal["hands"][seat])[:2]:
            if held != deal.get("trump_card"):
                assert who_tells(past, over_deal(past, swapped(deal, held, lying))) == [seat]


def low_cards(cards):
    """Cards that are in no combination and worth nothing: exchanging them changes neither phase nor points."""
    return [card for card in cards if card[0] in "4567"]


def test_the_monte_stays_face_down_to_the_end():
    """`a_tre`: what it is worth comes to light in the points, where each card lay does not."""
    rules = rules_of("a_tre")
    past = past_of(rules, deal_of(rules))
    while past.reference().to_act is not None:
        past = going_on(past, "?")
    monte = past.deal["monte"]
    assert who_tells(past, over_deal(past, past.deal | {"monte": monte[::-1]})) == []
    assert all(seen(past, seat).undealt == tuple(sorted(CARD_ID[card] for card in monte)) for seat in range(3))


def calabresella(rules, bid, seed=0):
    """The past at the first discard, or at the lead after solissimo; a chiamo calls a card that another seat holds."""
    past = past_of(rules, deal_of(rules, seed), f"bid {bid}", *["bid pass"] * (2 if bid != "solissimo" else 0))
    if bid != "chiamo":
        return past
    monte = past.deal["monte"]
    call = next(text for text in sorted(past.reference().legal()) if text[-2:] not in monte)
    past = going_on(past, call)
    return going_on(past, min(past.reference().legal()))


@pytest.mark.parametrize(
    ("name", "bid", "place", "expected"),
    [
        ("calabresella", "chiamo", 0, [0, 1, 2]),  # turned face up
        ("calabresella", "solo", 0, [0]),
        ("calabresella", "solo", 3, [0]),
        ("calabresella", "solissimo", 0, []),
        ("calabresella_two", "chiamo", 1, [0]),  # never shown to the others
        ("calabresella_two", "solo", 0, [0]),
        ("calabresella_two", "solissimo", 1, [0]),
        ("calabresella_two", "chiamo", 2, []),  # two stay down for the last trick, unseen by the declarer too
        ("calabresella_two", "solo", 3, []),
    ],
)
def test_who_sees_a_card_of_the_monte(name, bid, place, expected):
    """Exchange it with a card of seat 2, which is told apart by seat 2 itself and by who has seen the monte."""
    rules = rules_of(name)
    past = next(
        past
        for past in (calabresella(rules, bid, seed) for seed in range(40))
        if low_cards([past.deal["monte"][place]]) and low_cards(past.reference().hands[2])
    )
    lying = past.deal["monte"][place]
    held = next(card for card in low_cards(past.reference().hands[2]) if card in past.deal["hands"][2])
    assert who_tells(past, over_deal(past, swapped(past.deal, lying, held))) == sorted({*expected, 2})
    for seat in (0, 1):
        assert (CARD_ID[lying] in seen(past, seat).auction.monte) == (seat in expected)
        assert (lying in text_of(past, seat).partition("monte ")[2]) == (seat in expected)


def test_the_call_and_what_is_given_back_are_open():
    """`calabresella`: all hear the card called, who hands it over and what is given for it."""
    past = calabresella(rules_of("calabresella"), "chiamo")
    game = past.reference()
    given = past.actions[-1][1][-2:]
    assert past.actions[-1][1] == f"give {given}"
    for seat in range(3):
        for told in (f"called {game.called}", f"handed over by {game.called_from}", f"gave {given}"):
            assert told in text_of(past, seat)
        known = seen(past, seat).auction
        assert (known.called, known.given) == (CARD_ID[game.called], CARD_ID[given])
        assert (known.declarer, known.called_from) == ((0 - seat) % 3, (game.called_from - seat) % 3)


# ---------------------------------------------------------------- discards
@pytest.mark.parametrize(("name", "bid"), [("calabresella", "solo"), ("calabresella_two", "chiamo")])
def test_discards_are_seen_by_the_declarer_and_counted_by_all(name, bid):
    rules = rules_of(name)
    past = calabresella(rules, bid)
    for count in range(1, rules.exchange_cards + 1):
        one, two = sorted(past.reference().legal())[:2]
        left, right = going_on(past, one), going_on(past, two)
        assert who_tells(left, right) == [0]
        for seat in range(3):
            known = seen(left, seat).auction
            assert known.discards_due == rules.exchange_cards - count
            assert f"{count} discarded" in text_of(left, seat)
            assert (CARD_ID[one[-2:]] in known.discarded) == (seat == 0)
            assert (f"discarded {past_discards(left)}" in text_of(left, seat)) == (seat == 0)
        past = left
    assert past.reference().phase == "play"


def past_discards(past):
    return " ".join(text[-2:] for _, text in past.actions if text.startswith("discard"))


# ---------------------------------------------------------------- the secret partner
def chiamata(seed):
    """Rules, and the past in which seat 0 has called a card that another seat holds."""
    rules = rules_of("chiamata")
    past = past_of(rules, deal_of(rules, seed), "bid chiamo", *["bid pass"] * 4)
    return going_on(past, min(past.reference().legal()))


def test_the_partner_is_hidden_until_the_called_card_is_played():
    """Until then only the partner knows: another seat may hold the card, and no other seat is shown a difference."""
    rng = random.Random(1)
    compared = 0
    for seed in range(40):
        past = chiamata(seed)
        game = past.reference()
        partner, called = game.partner, game.called
        for _ in range(rng.randrange(30)):
            text = rng.choice(sorted(game.legal()))
            if text == called:
                break
            past = going_on(past, text)
            game = past.reference()
        for seat in {0, 1, 2, 3, 4} - {partner}:
            assert seen(past, seat).auction.partner is None and "partner" not in text_of(past, seat)
            other = rng.choice(sorted({1, 2, 3, 4} - {partner, seat}))
            held = rng.choice(game.hands[other] or [called])
            twin = twin_of(past, game, seat, {called: held, held: called})
            if twin is not None:
                compared += 1
                assert World(twin).state["partner"] == other
                one, two = World(past), World(twin)
                assert one.shown(seat) == two.shown(seat)
                if seat == 0:
                    assert one.everything() != two.everything()
        assert seen(past, partner).auction.partner == 0 and f"partner {partner}" in text_of(past, partner)
    assert compared > 60


def test_the_partner_is_known_to_all_once_the_called_card_is_played():
    for seed in range(10):
        past = chiamata(seed)
        game = past.reference()
        while not any(called_is_played(game)):
            legal = sorted(game.legal())
            past = going_on(past, game.called if game.called in legal else legal[-1])
            game = past.reference()
        for seat in range(5):
            assert seen(past, seat).auction.partner == (game.partner - seat) % 5
            assert f"partner {game.partner}" in text_of(past, seat)
            assert f"seat {game.partner} (side 0" in World(past).shown(seat)["picture"]


def called_is_played(game):
    return (card == game.called for plays in (game.table, *(plays for _, plays in game.tricks)) for _, card in plays)


def test_a_called_card_drawn_later_makes_no_partner():
    """The card lay in the stock at the call: its play tells everybody that its player is nobody's partner."""
    rules = make_rules(
        {"declare": "off", "signals": (), "sides": "auction", "auction": "chiamata", "hand_size": 2, "stock": 4,
         "deck": "4cKc3c 4dKd3d 4sKs3s 4bKb3b", "follow": "free_while_stock"}
    )  # fmt: skip
    hands = [["Kc", "3d"], ["3c", "4d"], ["4s", "Ks"], ["3s", "3b"]]
    deal = {"hands": hands, "stock": ["4c", "Kd", "Kb", "4b"], "monte": []}
    past = past_of(rules, deal, "bid chiamo", *["bid pass"] * 3, "call 3c", "Kc", "4d", "4s", "3s", "4c")
    drawn = over_deal(past, swapped(deal, "3c", "Kd"))
    assert who_tells(past, drawn) == [1]
    past, drawn = going_on(past, "3c"), going_on(drawn, "3c")
    assert past.reference().partner == 1 and drawn.reference().partner is None
    for seat in (0, 2, 3):
        assert World(past).shown(seat) != World(drawn).shown(seat)
        assert seen(past, seat).auction.partner == (1 - seat) % 4 and seen(drawn, seat).auction.partner is None


@pytest.mark.parametrize("name", ["chiamata", "calabresella", "chiamata_draw"])
def test_rewards_tell_nothing_before_the_payoff(name):
    """`reward = trick` in auction games: card points would give the secret partner away."""
    rules = rules_of(name)
    for seed in range(20):
        env = tressette_v0.raw_env(rules, reward="trick")
        env.reset(seed=seed)
        rng = random.Random(seed)
        while env.game.to_act >= 0:
            assert not any(env.rewards.values()) and not any(env._cumulative_rewards.values())
            assert all(list(info) == ["action_mask"] for info in env.infos.values())
            env.step(env.text_to_action(choose_text(env.legal_action_texts(), rng)))
