"""The observation: layout, views, decode(encode(s)), no two information states alike, every feature alive."""

import itertools

import numpy as np
import pytest
from engine_support import dealt_record, legal_ids, record_of
from family import SAMPLE, rules_of
from knowledge import corpus, encoded, information_state

from tressette_env import observation
from tressette_env.cards import to_bits
from tressette_env.engine import batch, kernels
from tressette_env.engine.state import OVER
from tressette_env.errors import TressetteError
from tressette_env.observation import decode, describe, globals_, layout, planes, table_text
from tressette_env.presets import PRESETS, make_rules

VARIANTS = [
    *PRESETS,
    *SAMPLE,
    {"declare_when": "end_first_trick", "annul": "below_one_point"},
    {"declare": "automatic", "signal_mode": "free", "signal_seat": "any"},
    {"trump": "last_dealt", "remainder": "exact", "declare_when": "own_first_turn", "target": 31},
]


# ---------------------------------------------------------------- layout and views
@pytest.mark.parametrize("name", PRESETS)
def test_sections_cover_the_observation_once(name):
    shown = layout(make_rules(name))
    obs = np.arange(shown.size, dtype=np.float32)
    parts = [planes(obs)[..., s.where] if s.part == "planes" else globals_(obs)[s.where] for s in describe(name)]
    assert all(part.shape == s.shape for part, s in zip(parts, describe(name), strict=True))
    assert sorted(np.concatenate([part.ravel() for part in parts])) == list(range(shown.size))
    assert len({s.name for s in describe(name)}) == len(parts)


def test_planes_and_globals_are_views():
    obs = np.zeros((3, 2, layout(make_rules("tressette")).size), np.float32)
    cards, rest = planes(obs), globals_(obs)
    assert cards.shape == (3, 2, 4, 10, 16) and np.shares_memory(cards, obs) and np.shares_memory(rest, obs)
    assert cards[0, 0].size + rest.shape[-1] == obs.shape[-1]


def test_the_table_is_printed(capsys):
    assert observation.main(["gamelake"]) == 0
    assert capsys.readouterr().out.strip() == table_text("gamelake")
    assert all(f"| {s.name} |" in table_text("tressette") for s in describe())


def test_decode_refuses_another_length():
    with pytest.raises(TressetteError, match="shape"):
        decode(np.zeros(7, np.float32))


# ---------------------------------------------------------------- perfect recall
class Recall:
    """Remembers which information state each observation stood for, and the other way round."""

    def __init__(self):
        self.state_of, self.obs_of = {}, {}

    def add(self, obs, known):
        key = obs.tobytes()
        assert self.state_of.setdefault(key, known) == known, "two information states share an observation"
        assert self.obs_of.setdefault(known, key) == key, "one information state has two observations"


def walk(state, rules, table, visit, depth):
    visit(state)
    if not depth:
        return
    for action in legal_ids(state, table):
        child = np.zeros(1, state.dtype)
        child[0] = state
        kernels.apply(child[0], table[0], int(action))
        walk(child[0], rules, table, visit, depth - 1)


@pytest.mark.parametrize("spec", ["mini_4p", {"preset": "mini_4p", "signal_mode": "free"}], ids=str)
def test_no_two_information_states_alike_on_a_toy_tree(spec):
    rules = make_rules(spec)
    table = rules.table()
    recall = Recall()

    def visit(state):
        for seat in range(4):
            recall.add(encoded(state, rules, table, seat), information_state(state, rules, table, seat))

    for seed in range(3):
        walk(dealt_record(rules, seed, 0, seed % 4)[0], rules, table, visit, 9)
    assert len(recall.state_of) > 500


def test_no_two_information_states_alike_over_all_hidden_deals_of_a_toy():
    """Seat 0 holds two given cards; every deal of the other six, every line of play."""
    rules = make_rules("mini_4p")
    table = rules.table()
    recall = Recall()
    deck = [0, 6, 7, 9, 10, 16, 17, 19]
    own = [6, 17]

    def visit(state):
        recall.add(encoded(state, rules, table, 0), information_state(state, rules, table, 0))

    rest = [card for card in deck if card not in own]
    for a in itertools.combinations(rest, 2):
        others = [card for card in rest if card not in a]
        for b in itertools.combinations(others, 2):
            c = [card for card in others if card not in b]
            state = record_of(rules, [own, list(a), list(b), c], 3)[0]
            walk(state, rules, table, visit, 9)
    assert len(recall.state_of) > 1000


@pytest.mark.parametrize("spec", VARIANTS, ids=str)
def test_no_two_information_states_alike_in_a_random_corpus(spec):
    rules = make_rules(spec) if isinstance(spec, dict) else rules_of(spec)
    table = rules.table("match")
    recall = Recall()
    games = 3 if len(rules.deck) > 12 else 20
    for env in corpus(rules, games, seed=5, steps=100):
        for i, seat in itertools.product(range(games), range(rules.num_seats)):
            recall.add(encoded(env.states[i], rules, table, seat), information_state(env.states[i], rules, table, seat))
    assert len(recall.state_of) > (400 if rules.revoke == "masked" else 40)  # a revoke soon ends a deal


# ---------------------------------------------------------------- every feature takes each of its values
def constant_features(spec):
    """Names of globals (with offset) and planes (with cards) that never changed in a random corpus."""
    rules = make_rules(spec)
    size = layout(rules).size
    low, high = np.full(size, np.inf, np.float32), np.full(size, -np.inf, np.float32)
    games = 1500
    out = np.zeros((games, size), np.float32)
    seats = np.zeros(games, np.int64)
    rows = np.arange(games)
    for step, env in enumerate(corpus(rules, games, seed=11, steps=250)):
        seats[:] = (rows + step) % rules.num_seats
        for which in (seats, np.maximum(env.states["to_act"], 0).astype(np.int64)):
            batch.encode_rows(env.states, env.table, rows, which, False, out)
            low, high = np.minimum(low, out.min(0)), np.maximum(high, out.max(0))
    frozen = low == high
    found = []
    for s in describe(rules):
        part = planes(frozen)[..., s.where] if s.part == "planes" else globals_(frozen)[s.where]
        found += [f"{s.name}[{i}]" for i in np.flatnonzero(part.ravel())]
    return found


def dead_features(rules):
    """Features that can only ever take one value under some rules, by the rules alone."""
    auction, foreign = rules.auction != "none", set(range(40)) - set(rules.deck)
    dead = {f"{name}[{card}]" for name in layout(rules).planes for card in foreign}
    phases = {
        0: rules.annul != "off", 1: auction, 2: auction, 3: rules.auction == "calabresella",
        4: rules.exchange_cards > 0, 5: rules.declare == "voluntary" and rules.declare_when != "own_first_turn",
    }  # fmt: skip
    dead |= {f"phase[{phase}]" for phase, alive in phases.items() if not alive}
    if rules.annul == "off" and not auction:
        dead.add("redeals[0]")
    if rules.declare == "voluntary" and rules.declare_when == "own_first_turn":
        dead.add("own_done[0]")  # playing closes the window, `done` is never said
    lowest = {card // 10: card for card in sorted(rules.deck, reverse=True)}
    if rules.trump == "none":
        dead |= {f"beats[{card}]" for card in lowest.values()}
    for suit in set(range(4)) - lowest.keys():
        dead |= {f"led_suit[{suit}]", *(f"void[{4 * r + suit}]" for r in range(rules.num_seats - 1))}
    if rules.num_sides == 2 and rules.objective == "min":
        dead |= {"contenders[0]", "contenders[1]"}  # both are tied or neither
    if "undealt" in layout(rules).planes and not auction and not rules.draw_shown:  # only declared cards are known
        shown = {card for card in rules.deck if rules.declare != "off" and card % 10 >= 7}
        dead |= {f"known_{r}[{card}]" for r in range(1, rules.num_seats) for card in set(rules.deck) - shown}
    if rules.auction == "calabresella":
        dead |= {f"partner[{r}]" for r in range(rules.num_seats)}
    return dead


@pytest.mark.parametrize("name", PRESETS)
def test_every_feature_lives(name):
    rules = make_rules({"preset": name, "target": 8})
    rare = {f"called[{card}]" for card in range(40) if card % 10 < 9}  # a 2 is called by who holds all the 3s
    constant = {name for name in constant_features(rules) if not name.startswith("padding")}
    assert constant - rare == dead_features(rules) - rare


def test_the_trick_plane_orders_the_cards():
    rules = make_rules("tressette")
    table = rules.table()
    state = dealt_record(rules, 1, 0, 0)[0]
    while state["phase"] != OVER:
        kernels.apply(state, table[0], int(legal_ids(state, table)[-1]))
    seen = decode(encoded(state, rules, table, 2), rules)
    assert [play.card for play in seen.plays] == list(state["order"])
    assert to_bits(play.card for play in seen.plays) == (1 << 40) - 1
