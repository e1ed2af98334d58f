"""Helpers of the engine tests: action texts, deals as lists, the engine driven like the reference."""

import random
from fractions import Fraction
from functools import lru_cache
from types import SimpleNamespace

import numpy as np

from tressette_env.cards import CARD_TEXTS, from_bits, to_bits
from tressette_env.engine import batch, dealing, kernels
from tressette_env.engine.state import OVER, STATE_DTYPE
from tressette_env.engine.view import redact


# ---------------------------------------------------------------- texts
def action_text(rules, action):
    """Text of an action id (INTERFACE, "Actions"), written apart from the package's own notation."""
    blocks = rules.blocks
    if action in blocks.plays:
        card, kind = CARD_TEXTS[action % 40], action // 40
        return card if kind == 0 else f"{card} {rules.offered_signals[kind - 1]}"
    if action in blocks.declarations:
        names = ["napoletana c", "napoletana d", "napoletana s", "napoletana b", "A", "2", "3"]
        index = action - blocks.declarations.start
        return "done" if index == 7 else f"declare {names[index]}"
    if action in blocks.annul:
        return ("monte", "play on")[action - blocks.annul.start]
    if action in blocks.bids:
        bids = {"calabresella": ["chiamo", "solo", "solissimo"], "chiamata": ["chiamo", "solo"]}[rules.auction]
        return f"bid {['pass', *bids][action - blocks.bids.start]}"
    for verb in ("call", "give", "discard"):
        block = getattr(blocks, verb)
        if action in block:
            return f"{verb} {CARD_TEXTS[action - block.start]}"
    raise AssertionError(f"no action {action}")


@lru_cache(maxsize=64)
def all_texts(rules):
    """Texts of all action ids, in order."""
    return tuple(action_text(rules, action) for action in range(rules.blocks.num_actions))


def choose_text(choices, rng, eager=0.5):
    """A random action: with chance `eager` one that is no silent play; bidders pass often, so that all bids are met."""
    if "bid pass" in choices and rng.random() < 0.5:
        return "bid pass"
    spoken = [text for text in choices if " " in text]
    return rng.choice(spoken if spoken and rng.random() < eager else choices)


def texts(bits):
    """Card texts of a bit set."""
    return [CARD_TEXTS[card] for card in from_bits(bits)]


def legal_ids(state, table):
    """Legal action ids of a record, from the mask kernel."""
    words = np.zeros(kernels.NUM_WORDS, np.int64)
    mask = np.zeros(int(table[0]["num_actions"]), np.int8)
    kernels.legal(state, table[0], words)
    batch.write_mask(words, table[0], mask)
    return np.flatnonzero(mask)


# ---------------------------------------------------------------- records
def dealt_record(rules, seed, k, dealer, table=None):
    """Record (1,) at the start of the k-th deal of a seed."""
    states = np.zeros(1, STATE_DTYPE)
    dealing.start_episode(states[0], (rules.table() if table is None else table)[0], seed, k, dealer)
    return states


def record_of(rules, hands, dealer, *, trump_card=-1, totals=None, stock=(), monte=(), table=None):
    """Record (1,) at the start of a deal given as card ids per seat."""
    table = rules.table() if table is None else table
    states = np.zeros(1, STATE_DTYPE)
    state = states[0]
    dealing.new_match(state, table[0], dealer)
    dealing.clear(state, table[0])
    for seat, hand in enumerate(hands):
        state["hands"][seat] = to_bits(hand)
    state["trump_card"] = trump_card
    undealt = [*stock, *monte]
    state["undealt"][: len(undealt)] = undealt
    if totals is not None:
        state["totals"][: len(totals)] = totals
    kernels.begin(state, table[0])
    return states


def view_of(state, table, seat):
    """The redacted record (1,) of a seat; the record itself is left alone."""
    view = np.zeros(1, STATE_DTYPE)
    view[0] = state
    redact(view[0], table[0], seat)
    return view


def reference_deal(rules, seed, k):
    """The k-th deal of a seed in the form that `reference.ReferenceMatch` reads."""
    state = dealt_record(rules, seed, k, 0)[0]
    deal = {
        "hands": [texts(state["dealt"][seat]) for seat in range(rules.num_seats)],
        "stock": [CARD_TEXTS[card] for card in state["undealt"][: rules.stock]],
        "monte": [CARD_TEXTS[card] for card in state["undealt"][rules.stock : rules.stock + rules.monte]],
    }
    if rules.trump != "none":
        each = (dealt_record(rules, seed, k, dealer)[0]["trump_card"] for dealer in range(rules.num_seats))
        deal["trump_card"] = [CARD_TEXTS[card] for card in each]
    return deal


def reference_rules(rules):
    """The rules as the slow reference reads them."""
    values = {name: getattr(rules, name) for name in rules.__dataclass_fields__}
    if rules.signal_sides == "all":
        values["signal_sides"] = None
    return SimpleNamespace(**values)


class EngineMatch:
    """The kernels driven one action at a time through a match, with the attributes of the reference's match."""

    def __init__(self, rules, seed, episode="deal", reward="deal", dealer=-1):
        self.rules = rules
        self.table = rules.table(episode, reward)
        self.seed = seed
        self.k = 0
        self.results = []
        self.status = 0
        self.states = np.zeros(1, STATE_DTYPE)
        self.state = self.states[0]
        dealing.start_episode(self.state, self.table[0], seed, 0, dealer)
        self.dealer = int(self.state["dealer"])

    @property
    def to_act(self):
        return int(self.state["to_act"])

    def legal(self):
        """{text: id} of the legal actions."""
        names = all_texts(self.rules)
        return {names[action]: action for action in legal_ids(self.state, self.table).tolist()}

    def dealer_now(self):
        """Dealer of the deal under way."""
        return int(self.state["dealer"])

    def totals(self):
        """Totals of the match, by competitor."""
        return [Fraction(int(total), 6) for total in self.state["totals"][: self.rules.num_competitors]]

    def step(self, action):
        state, rules = self.state, self.table[0]
        kernels.apply(state, rules, action)
        rewards = [kernels.seat_reward(state, rules, seat) for seat in range(self.rules.num_seats)]
        self.status = kernels.episode_over(state, rules)
        if state["phase"] == OVER:
            if not state["abandoned"]:
                self.results.append(self._result())
            if self.status == 0:
                self.k += 1
                dealing.pass_deal(state, rules)
                dealing.deal(state, rules, self.seed, self.k)
        return rewards

    def _result(self):
        state, sides = self.state, range(self.rules.num_sides)

        def by_side(name):
            own = state["side_of"]
            return [sum(int(state[name][s]) for s in range(self.rules.num_seats) if own[s] == side) for side in sides]

        last = int(state["last_trick_seat"])
        return {
            "captured_sixths": by_side("captured"),
            "declaration_points": [sixths // 6 for sixths in by_side("declared_sixths")],
            "points": [Fraction(int(state["points"][side]), 6) for side in sides],
            "totals": self.totals(),
            "last_trick_seat": None if last < 0 else last,
            "cappotto": [bool(int(state["cappotto"]) >> side & 1) for side in sides],
        }


def random_position(rules, seed, plies, *, talk=True, table=None):
    """Record (1,) after some random decisions of a deal; with `talk` every second one speaks if it can."""
    rng = random.Random(seed * 1009 + plies)
    table = rules.table() if table is None else table
    states = dealt_record(rules, seed, 0, -1, table)
    for _ in range(plies):
        actions = legal_ids(states[0], table)
        if not len(actions):
            break
        spoken = actions[actions >= 40]
        choose = spoken if talk and len(spoken) and rng.random() < 0.5 else actions
        kernels.apply(states[0], table[0], int(rng.choice(list(choose))))
    return states
