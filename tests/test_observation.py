"""The observation: layout, views, decode(encode(s)), no two information states alike, every feature alive."""

import itertools

import numpy as np
import pytest
from engine_support import dealt_record, legal_ids, record_of, view_of

from tressette_env import observation
from tressette_env.cards import from_bits, to_bits
from tressette_env.encoding import SCRATCH_WORDS, encode
from tressette_env.engine import batch, kernels
from tressette_env.engine.state import OVER, PHASES
from tressette_env.errors import TressetteError
from tressette_env.observation import decode, describe, globals_, layout, planes, table_text
from tressette_env.presets import make_rules, playable

VARIANTS = [
    *playable(),
    {"declare_when": "end_first_trick", "annul": "below_one_point"},
    {"declare": "automatic", "signal_mode": "free", "signal_seat": "any"},
    {"trump": "last_dealt", "remainder": "exact", "declare_when": "own_first_turn", "target": 31},
]


def encoded(state, rules, table, seat):
    out = np.full(layout(rules).size, np.nan, np.float32)
    view = view_of(state, table, seat)
    encode(view[0], table[0], seat, False, np.zeros(SCRATCH_WORDS, np.int64), out)
    assert not np.isnan(out).any()
    return out


# ---------------------------------------------------------------- what a seat knows, read off the record
def plays_of(state, rules, seat):
    n, found = rules.num_seats, []
    for i in range(int(state["num_played"])):
        card = int(state["order"][i])
        who = next(s for s in range(n) if int(state["played"][s]) >> card & 1)
        signals = [k for k in range(len(rules.offered_signals)) if int(state["signalled"][k]) >> card & 1]
        found.append(((who - seat) % n, card, rules.offered_signals[signals[0]] if signals else None, i // n))
    return tuple(found)


def declarations_of(state, rules, seat):
    """(seat from the own one, combination, missing suit) in the order made: from the eldest, each its own sequence."""
    n, found = rules.num_seats, []
    for i in range(n):
        who = (int(state["dealer"]) + 1 + i) % n
        places = state["declared"][7 * who : 7 * who + 7]
        for combination in sorted(np.flatnonzero(places), key=lambda c: places[c]):
            shown = int(state["exposed"][who])
            rank = int(combination) + 3
            suits = [s for s in range(4) if not shown >> (10 * s + rank) & 1] if combination >= 4 else []
            found.append(((who - seat) % n, int(combination), suits[0] if suits else None))
    return tuple(found)


def information_state(state, rules, table, seat):
    """All that a seat knows of the current deal with perfect recall, plus match totals, seat-relative."""
    view = view_of(state, table, seat)[0]
    n = rules.num_seats
    over = state["phase"] == OVER
    phase = PHASES[view["phase"]] if over or state["to_act"] == seat else None
    own = rules.sides[seat]
    trump = (int(view["trump_card"]),) if rules.trump != "none" else ()
    return (
        int(view["dealt"][seat]),
        plays_of(view, rules, seat),
        declarations_of(view, rules, seat),
        bool(int(view["closed"]) >> seat & 1),
        bool(int(view["played_on"]) >> seat & 1),
        (int(view["dealer"]) - seat) % n,
        tuple(int(view["totals"][(own + r) % rules.num_sides]) for r in range(rules.num_sides)),
        int(view["redeals"]),
        phase,
        trump,
    )


def corpus(rules, table, games, seed=0):
    """Records of whole random matches, all rows of a batch after each step."""
    env = batch.Batch(rules, games, seeds=seed, episode="match")
    actions = np.empty(games, np.int64)
    for step in itertools.count():
        yield env
        if (env.status != 0).all():
            return
        batch.random_actions(env.states, env.table, np.uint64(seed + 1), step, actions)
        env.step(actions)


# ---------------------------------------------------------------- layout and views
@pytest.mark.parametrize("name", playable())
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


# ---------------------------------------------------------------- decode(encode(s)) is what the seat knows
@pytest.mark.parametrize("spec", VARIANTS, ids=str)
def test_decode_reads_back_the_view(spec):
    rules = make_rules(spec)
    table = rules.table("match")
    n, sides = rules.num_seats, rules.num_sides
    for step, env in enumerate(corpus(rules, table, 3)):
        if step % 3:
            continue
        for i, seat in itertools.product(range(3), range(n)):
            state = env.states[i]
            seen = decode(encoded(state, rules, table, seat), rules)
            view = view_of(state, table, seat)[0]
            known = information_state(state, rules, table, seat)
            dealt, plays, declarations, done, on, dealer, totals, redeals, phase, trump = known
            assert seen.hand == tuple(from_bits(view["hands"][seat]))
            assert seen.dealt == tuple(from_bits(dealt))
            assert tuple((p.seat, p.card, p.signal, p.trick) for p in seen.plays) == plays
            assert tuple((d.seat, d.combination, d.missing_suit) for d in seen.declarations) == declarations
            assert (seen.own_done, seen.own_play_on, seen.phase) == (done, on, phase)
            assert seen.eldest == (dealer + 1) % n and seen.leader == (int(state["leader"]) - seat) % n
            on_table = int(state["num_played"]) % n
            assert seen.table == tuple(play[1] for play in plays[len(plays) - on_table :])
            assert seen.totals == totals and seen.redeals == redeals
            assert seen.trump_card == (trump[0] if trump else None)
            taken = [0] * sides
            for other in range(n):
                taken[rules.sides[other]] += int(state["captured"][other])
            assert seen.captured == tuple(taken[(rules.sides[seat] + r) % sides] for r in range(sides))
            for r in range(1, n):  # the truth is never excluded, voids follow from it
                held = from_bits(state["hands"][(seat + r) % n])
                assert set(held) <= set(seen.may_hold[r - 1])
                assert all(card // 10 not in seen.voids[r - 1] for card in held)


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
    rules = make_rules(spec)
    table = rules.table("match")
    recall = Recall()
    for env in corpus(rules, table, 8, seed=5):
        for i, seat in itertools.product(range(0, 8, 2), range(rules.num_seats)):
            recall.add(encoded(env.states[i], rules, table, seat), information_state(env.states[i], rules, table, seat))
    assert len(recall.state_of) > 500


# ---------------------------------------------------------------- every feature takes each of its values
def constant_features(spec):
    """Names of globals (with offset) and planes (with cards) that never changed in a random corpus."""
    rules = make_rules(spec)
    table = rules.table("match")
    size = layout(rules).size
    low, high = np.full(size, np.inf, np.float32), np.full(size, -np.inf, np.float32)
    games = 1500
    out = np.zeros((games, size), np.float32)
    seats = np.zeros(games, np.int64)
    rows = np.arange(games)
    for step, env in enumerate(corpus(rules, table, games, seed=11)):
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


NEVER = {"phase[1]", "phase[2]", "phase[3]", "phase[4]"}  # bid, call, give, discard: no auction here


@pytest.mark.parametrize("name", ["tressette", "treseta_croatian", "gamelake", "bolognese", "briscola"])
def test_every_feature_lives(name):
    rules = make_rules({"preset": name, "target": 8})
    expected = set(NEVER)
    if rules.annul == "off":
        expected |= {"phase[0]", "redeals[0]"}
    if rules.declare == "off" or rules.declare_when == "own_first_turn":
        expected.add("phase[5]")
    if rules.declare == "voluntary" and rules.declare_when == "own_first_turn":
        expected.add("own_done[0]")  # playing closes the window, `done` is never said
    if rules.trump == "none":
        expected |= {f"beats[{card}]" for card in (0, 10, 20, 30)}  # a 4 beats nothing without a trump
    constant = {name for name in constant_features(rules) if not name.startswith("padding")}
    assert constant == expected


def test_the_trick_plane_orders_the_cards():
    rules = make_rules("tressette")
    table = rules.table()
    state = dealt_record(rules, 1, 0, 0)[0]
    while state["phase"] != OVER:
        kernels.apply(state, table[0], int(legal_ids(state, table)[-1]))
    seen = decode(encoded(state, rules, table, 2), rules)
    assert [play.card for play in seen.plays] == list(state["order"])
    assert to_bits(play.card for play in seen.plays) == (1 << 40) - 1
