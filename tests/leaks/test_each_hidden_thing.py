"""Redeal what a seat cannot see: its view, observation and mask stay byte-identical."""

import random

import numpy as np
import pytest
from engine_support import EngineMatch, action_text, dealt_record, legal_ids, record_of, view_of

from tressette_env.cards import from_bits, parse_cards
from tressette_env.encoding import SCRATCH_WORDS, encode
from tressette_env.engine import kernels
from tressette_env.engine.state import ANNUL, DECLARE, DONE, OVER, STATE_DTYPE
from tressette_env.observation import layout
from tressette_env.presets import make_rules

VARIANTS = [
    "tressette",
    "treseta",
    "treseta_croatian",
    "gamelake",
    "bolognese",
    "briscola",
    {"declare_when": "end_first_trick", "annul": "below_one_point"},
    {"signal_mode": "free", "signal_seat": "any"},
    {"declare": "automatic", "signals": ("striscio_corto", "striscio_lungo"), "signal_seat": "any"},
    {"preset": "mini_4p_12"},
]


def shown(state, rules, table, seat):
    """All bytes that a seat is shown: view, observation, own mask."""
    view = view_of(state, table, seat)
    out = np.zeros(layout(rules).size, np.float32)
    encode(view[0], table[0], seat, False, np.zeros(SCRATCH_WORDS, np.int64), out)
    mask = legal_ids(state, table).tobytes() if state["to_act"] == seat else b""
    return view.tobytes(), out.tobytes(), mask


def is_silent(rules, state, action):
    """Whether the table hears nothing of this action: `done` and `play on`."""
    if state["phase"] == ANNUL:
        return action == rules.blocks.annul.start + 1
    return rules.declare == "voluntary" and action == rules.blocks.declarations.start + DONE


def heard(state):
    """What the declarations so far have told everybody: combination, points and missing suit (section 3, C8)."""
    told = []
    for seat in range(4):
        for combination in range(7):
            if state["declared"][7 * seat + combination]:
                hand = int(state["dealt"][seat])
                ranked = [suit for suit in range(4) if hand >> (10 * suit + combination + 3) & 1]
                told.append((seat, combination, tuple(ranked) if combination >= 4 else ()))
    return told


class World:
    """A deal in which the public events of another, and the own actions of one seat, are played again."""

    def __init__(self, rules, table, start):
        self.rules, self.table = rules, table
        self.states = start.copy()
        self.state = self.states[0]

    def follow(self, events, seat, acting):
        """Play `events` [(seat, action, told)]; silent actions of the other seats come in as this deal asks for them.

        Returns False where this deal cannot have produced them.
        """
        for who, action, told in events:
            if not self._pass_silence(seat, who, action):
                return False
            if self.state["to_act"] != who or action not in legal_ids(self.state, self.table):
                return False
            kernels.apply(self.state, self.table[0], action)
            if heard(self.state) != told:
                return False
        while (self.state["to_act"] == seat) != acting:
            if not self._be_silent(seat):
                return False
        return True

    def _pass_silence(self, seat, who, action):
        while self.state["to_act"] != who or action not in legal_ids(self.state, self.table):
            if not self._be_silent(seat):
                return False
        return True

    def _be_silent(self, seat):
        phase, who = self.state["phase"], self.state["to_act"]
        if who == seat or phase not in (ANNUL, DECLARE):
            return False
        blocks = self.rules.blocks
        silent = blocks.annul.start + 1 if phase == ANNUL else blocks.declarations.start + DONE
        kernels.apply(self.state, self.table[0], silent)
        return True


def redealt(start, state, seat, table, rng, *, cards_swapped):
    """The start of a deal in which the other seats have exchanged some cards that they have not played yet."""
    hands = [from_bits(int(start[0]["dealt"][s])) for s in range(4)]
    unplayed = [
        (other, card)
        for other in range(4)
        if other != seat
        for card in from_bits(int(state["hands"][other]) & ~int(start[0]["exposed"][other]))
    ]
    if len(unplayed) < 2:
        return None
    picked = rng.sample(unplayed, min(cards_swapped, len(unplayed)))
    moved = [card for _, card in picked]
    rng.shuffle(moved)
    if moved == [card for _, card in picked]:
        return None
    for other, card in picked:
        hands[other].remove(card)
    for (other, _), card in zip(picked, moved, strict=True):
        hands[other].append(card)
    return record_of(None, hands, int(start[0]["dealer"]), trump_card=int(start[0]["trump_card"]), table=table)


@pytest.mark.parametrize("spec", VARIANTS, ids=str)
def test_hands_of_the_others(spec):
    rules = make_rules(spec)
    table = rules.table("deal", "trick")
    rng = random.Random(1)
    changed = 0
    for seed in range(60):
        start = dealt_record(rules, seed, 0, -1, table)
        states = start.copy()
        state = states[0]
        seat = rng.randrange(4)
        events = []
        for _ in range(rng.randrange(45)):
            before = shown(state, rules, table, seat)
            ids = list(legal_ids(state, table))
            spoken = [a for a in ids if a >= 40]
            action = int(rng.choice(spoken if spoken and rng.random() < 0.5 else ids))
            who = int(state["to_act"])
            hidden = who != seat and is_silent(rules, state, action)
            was_acting = who == seat
            kernels.apply(state, table[0], action)
            if hidden and (state["to_act"] == seat) == was_acting:
                assert shown(state, rules, table, seat) == before, action_text(rules, action)
            if not hidden:
                events.append((who, action, heard(state)))
            if state["phase"] == OVER:
                break
        if state["phase"] == OVER:
            continue
        truth = shown(state, rules, table, seat)
        for attempt in range(12):
            other = redealt(start, state, seat, table, rng, cards_swapped=(2, 3, 8, 30)[attempt % 4])
            if other is None:
                continue
            world = World(rules, table, other)
            if heard(other[0]) != heard(start[0]):
                continue
            if world.follow(events, seat, state["to_act"] == seat):
                changed += 1
                assert shown(world.state, rules, table, seat) == truth
    assert changed > 30  # enough other worlds were possible


# ---------------------------------------------------------------- each hidden thing by name
NAPOLETANA_S = "3s2sAs 4s5s6s7s 4b5b6b"
PLAIN = [
    "3c 2c Kc Cc 7c 3d 2d 7d 6d 5d",
    NAPOLETANA_S,
    "Ac Jc 6c 5c 4c Ad 4d 3b Kb Cb",
    "Kd Cd Jd Ks Cs Js 2b Ab Jb 7b",
]
SILENT = ["3c 2c Kc Cc 7c 3d 2d 7d 6d 5d", "Ac 2s As 4s5s6s7s 4b5b6b", "3s Jc 6c 5c 4c Ad 4d 3b Kb Cb", PLAIN[3]]


def cards_of(hands):
    return [parse_cards(hand) for hand in hands]


@pytest.mark.parametrize("seat", [0, 2, 3])
def test_done_is_hidden(seat):
    """Before and after another seat's `done`, and beside a deal where it had nothing to declare, nothing differs."""
    rules = make_rules("tressette")
    table = rules.table()
    state = record_of(rules, cards_of(PLAIN), 3)[0]
    assert state["phase"] == DECLARE and state["to_act"] == 1
    before = shown(state, rules, table, seat)
    kernels.apply(state, table[0], rules.blocks.declarations.start + DONE)
    assert state["to_act"] == 0
    after = shown(state, rules, table, seat)
    if seat != 0:
        assert before == after
    if seat == 3:
        assert before == shown(record_of(rules, cards_of(SILENT), 3)[0], rules, table, seat)
    if seat == 0:
        assert after == shown(record_of(rules, cards_of(SILENT), 3)[0], rules, table, seat)


@pytest.mark.parametrize("seat", [0, 2, 3])
def test_passed_over_is_hidden(seat):
    """A seat that was passed over looks the same as one that may declare and has not yet spoken."""
    rules = make_rules({"declare_when": "end_first_trick"})
    table = rules.table()
    lead = [("7c", 0), ("4s", 1), ("4c", 2), ("7b", 3)]
    views = []
    for hands in (PLAIN, SILENT):
        state = record_of(rules, cards_of(hands), 3)[0]
        for card, who in [("7c", 0), ("4s" if hands is PLAIN else "Ac", 1), *lead[2:]]:
            assert state["to_act"] == who
            kernels.apply(state, table[0], parse_cards(card)[0])
        views.append((int(state["phase"]), state))
    assert views[0][0] == DECLARE
    asked = views[0][1]
    before = shown(asked, rules, table, seat)
    asked_leader = int(asked["leader"])
    kernels.apply(asked, table[0], rules.blocks.declarations.start + DONE)
    if seat != asked_leader:
        assert shown(asked, rules, table, seat) == before


@pytest.mark.parametrize("seat", [0, 1, 3])
def test_play_on_is_hidden(seat):
    rules = make_rules("bolognese")
    table = rules.table()
    poor = [cards_of(["7c 6c 5c 4c 7s 6s 5s Kc Jc 4b"])[0], cards_of(["7d 6d 5d 4d 7b 6b 5b 4s Kb Cb"])[0]]
    rest = [card for card in range(40) if card not in poor[0] + poor[1]]
    hands = [rest[:10], poor[0], poor[1], rest[10:]]
    state = record_of(rules, hands, 3)[0]
    assert state["phase"] == ANNUL and state["to_act"] == 1
    truth = shown(state, rules, table, seat)
    kernels.apply(state, table[0], rules.blocks.annul.start + 1)
    assert state["phase"] == ANNUL and state["to_act"] == 2
    if seat != 1:
        assert shown(state, rules, table, seat) == truth
    else:  # the seat itself remembers
        assert shown(state, rules, table, seat) != truth
    own = shown(state, rules, table, seat)
    kernels.apply(state, table[0], rules.blocks.annul.start + 1)
    if state["to_act"] != seat:
        assert shown(state, rules, table, seat) == own


def test_the_view_blanks_stock_monte_hands_and_flags():
    """Fill every hidden field with junk: the view does not change."""
    rules = make_rules("bolognese")
    table = rules.table()
    states = dealt_record(rules, 3, 0, 0, table)
    for seat in range(4):
        truth = view_of(states[0], table, seat).tobytes()
        junk = np.zeros(1, STATE_DTYPE)
        junk[0] = states[0]
        for other in range(4):
            if other != seat:
                junk[0]["hands"][other] = 12345
                junk[0]["dealt"][other] = 54321
                junk[0]["closed"] |= 1 << other
                junk[0]["played_on"] |= 1 << other
        junk[0]["undealt"][:] = 7
        junk[0]["gain"][:] = 18
        assert view_of(junk[0], table, seat).tobytes() == truth


def test_own_flags_and_hand_are_kept():
    rules = make_rules("tressette")
    engine = EngineMatch(rules, 5)
    for seat in range(4):
        assert view_of(engine.state, engine.table, seat)[0]["hands"][seat] == engine.state["hands"][seat]
