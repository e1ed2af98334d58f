"""Two pasts look the same to a seat exactly where the slow reference says that it knows the same: perfect recall."""

import random

import pytest
from engine_support import reference_deal
from family import NAMES, family_rules, rules_of
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import Past, World


class Recall:
    """Remembers what the reference says that a seat knows for everything it was shown, and the other way round."""

    def __init__(self):
        self.known, self.shown, self.again = {}, {}, 0

    def add(self, name, shown, known, past):
        first = self.known.setdefault((name, shown), (known, past))
        assert first[0] == known, f"one {name} of two pasts:\n{first[1]}\n{past}"
        self.again += first[1] != past
        first = self.shown.setdefault((name, known), (shown, past))
        assert first[0] == shown, f"one knowledge, two {name}:\n{first[1]}\n{past}\n{first[0]}\n{shown}"


def deals_of_one_hand(rules, seed, count, rng):
    """Deals in which the seat 0 holds the same hand and everything else is shuffled."""
    deal = reference_deal(rules, seed, 0)
    own, rest = deal["hands"][0], [*sum(deal["hands"][1:], []), *deal["stock"], *deal["monte"]]
    for _ in range(count):
        rng.shuffle(rest)
        cards = own + rest
        size, n = rules.hand_size, rules.num_seats
        hands = [sorted(cards[seat * size : (seat + 1) * size]) for seat in range(n)]
        left = cards[n * size :]
        yield {"hands": hands, "stock": left[: rules.stock], "monte": left[rules.stock :]}


def follow_up(past, recall, seats, choose):
    """Play a past to its end and add what each of some seats is shown at every ply."""
    game = past.reference()
    while True:
        world = World(past)
        where = f"{past.deal} {past.actions}"
        if not game.abandoned:
            for seat in seats:
                known = game.public_view(seat)
                shown = world.shown(seat)
                recall.add("information state", shown["information state"], known, where)
                recall.add("observation", (seat, shown["observation"]), known, where)
        if game.to_act is None:
            return
        past.actions.append((game.to_act, choose(sorted(game.legal()))))
        game.step(past.actions[-1][1])


def check(rules, seed, count):
    rng = random.Random(seed)
    recall = Recall()

    def choose(texts):  # few different lines of play, so that pasts meet
        return texts[0] if rng.random() < 0.6 else rng.choice(texts)

    for deal in deals_of_one_hand(rules, seed, count, rng):
        if rules.trump != "none":
            deal["trump_card"] = deal["hands"][-1][0]
        past = Past(rules, deal, rules.num_seats - 1, [])
        follow_up(past, recall, (0, rng.randrange(1, rules.num_seats)), choose)
    return recall


@pytest.mark.parametrize("name", [name for name in NAMES if len(rules_of(name).deck) < 13])
def test_knowledge_is_what_the_reference_says_in_toy_games(name):
    assert sum(check(rules_of(name), seed, 40).again for seed in range(2)) > 100


@pytest.mark.parametrize("name", [name for name in NAMES if len(rules_of(name).deck) >= 13])
def test_knowledge_is_what_the_reference_says_in_long_games(name):
    check(rules_of(name), 1, 4)


@settings(max_examples=60)
@given(st.one_of(family_rules(10), family_rules(14)), st.integers(0, 10**6))
def test_knowledge_is_what_the_reference_says_under_any_small_rules(rules, seed):
    check(rules, seed, 15)


@pytest.mark.slow
@settings(max_examples=400)
@given(st.one_of(family_rules(10), family_rules(14)), st.integers(10**6, 10**9))
def test_knowledge_is_what_the_reference_says_under_many_small_rules(rules, seed):
    check(rules, seed, 20)
