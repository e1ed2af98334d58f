"""decode(encode(state)) is what the seat knows, in every game of the family."""

import itertools

import pytest
from engine_support import view_of
from family import NAMES, OVERRIDES, family_rules, rules_of
from hypothesis import given, settings
from hypothesis import strategies as st
from knowledge import auction_of, competitors_from, corpus, declarations_of, encoded, plays_of

from tressette_env.cards import from_bits
from tressette_env.engine.state import OVER, PHASES
from tressette_env.observation import decode
from tressette_env.presets import make_rules


def check_decoding(state, rules, table, seat):
    seen = decode(encoded(state, rules, table, seat), rules)
    view = view_of(state, table, seat)[0]
    n = rules.num_seats
    assert seen.hand == tuple(from_bits(view["hands"][seat]))
    assert seen.dealt == tuple(from_bits(view["dealt"][seat]))
    plays = plays_of(view, rules, seat)
    assert tuple((p.seat, p.card, p.signal, p.trick) for p in seen.plays) == plays
    assert tuple((d.seat, d.combination, d.missing_suit) for d in seen.declarations) == declarations_of(
        view, rules, seat
    )
    flags = [bool(int(view[name]) >> seat & 1) for name in ("closed", "played_on")]
    assert [seen.own_done, seen.own_play_on] == flags
    acting = state["phase"] == OVER or state["to_act"] == seat
    assert seen.phase == (PHASES[state["phase"]] if acting else None)
    assert seen.eldest == (int(state["dealer"]) + 1 - seat) % n and seen.leader == (int(state["leader"]) - seat) % n
    on_table = (int(state["turn"]) - int(state["leader"])) % n
    assert seen.table == tuple(play[1] for play in plays[len(plays) - on_table :])
    assert seen.trump_card == (int(state["trump_card"]) if rules.trump != "none" else None)
    check_score(seen, state, rules, seat)
    check_whereabouts(seen, state, rules, seat)
    lying = enumerate(view["undealt"][: rules.stock + rules.monte].tolist())
    assert seen.drawn == tuple((place, card) for place, card in lying if card >= 0)
    assert seen.auction == (auction_of(view, rules, seat) if rules.auction != "none" else None)


def check_score(seen, state, rules, seat):
    order = competitors_from(rules, seat)
    assert seen.totals == tuple(int(state["totals"][competitor]) for competitor in order)
    assert seen.redeals == state["redeals"]
    taken = [0] * rules.num_competitors
    for other in range(rules.num_seats):
        taken[other if rules.auction != "none" else rules.sides[other]] += int(state["captured"][other])
    assert seen.captured == tuple(taken[competitor] for competitor in order)
    contenders = tuple(r for r, side in enumerate(order) if int(state["contenders"]) >> side & 1)
    assert seen.contenders == (contenders if rules.objective == "min" else None)


def check_whereabouts(seen, state, rules, seat):
    """What is said of other hands and of the cards that lie undealt is true, and the truth is never excluded."""
    n = rules.num_seats
    for r in range(1, n):
        held = set(from_bits(state["hands"][(seat + r) % n]))
        assert held <= set(seen.may_hold[r - 1])
        assert all(card // 10 not in seen.voids[r - 1] for card in held)
        if seen.known is not None:
            assert set(seen.known[r - 1]) <= held
    undealt = state["undealt"][: rules.stock + rules.monte].tolist()
    lying = undealt[int(state["num_drawn"]) : rules.stock] + undealt[rules.stock + int(state["exchanged"]) :]
    away = [card for card in state["discards"].tolist() if card >= 0]
    if rules.auction == "none" or seat != state["declarer"]:  # the declarer knows its discards
        lying += away
    assert set(lying) <= set(seen.undealt)
    assert not set(seen.undealt) & set(seen.hand)


VARIANTS = {
    **OVERRIDES,
    "late_trump": {"trump": "last_dealt", "remainder": "exact", "declare_when": "own_first_turn", "target": 31},
}


@pytest.mark.parametrize("spec", [*NAMES, *VARIANTS])
def test_decode_reads_back_the_record(spec):
    rules = make_rules({"preset": "tressette"} | VARIANTS[spec]) if spec in VARIANTS else rules_of(spec)
    table = rules.table("match")
    for step, env in enumerate(corpus(rules, 3, steps=300)):
        if step % 5 == 0:
            for i, seat in itertools.product(range(3), range(rules.num_seats)):
                check_decoding(env.states[i], rules, table, seat)


@settings(max_examples=100)
@given(family_rules(), st.integers(0, 10**6))
def test_decode_reads_back_the_record_under_any_rules(rules, seed):
    table = rules.table("match")
    for step, env in enumerate(corpus(rules, 1, seed, steps=60)):
        check_decoding(env.states[0], rules, table, step % rules.num_seats)
