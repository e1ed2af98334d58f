"""Twin worlds: deals that one seat cannot tell apart, found with the slow reference alone, and what the engine shows.

A past is a deal and what every seat did in it. A twin has some hidden cards exchanged; the past is told again over it
and the twin counts only where the reference says that the seat knows the same (`public_view`). So these helpers hold
no rules of their own: the reference judges, the engine is compared.
"""

from dataclasses import dataclass, field

import numpy as np
from engine_support import all_texts, legal_ids, record_of, reference_deal, reference_rules, view_of
from reference import ReferenceGame

from tressette_env.cards import CARD_TEXTS
from tressette_env.encoding import SCRATCH_WORDS, encode
from tressette_env.engine import kernels
from tressette_env.engine.text import information_state
from tressette_env.observation import decode, layout
from tressette_env.render import table_text
from tressette_env.rules import Rules

CARD_ID = {text: card for card, text in enumerate(CARD_TEXTS)}
SILENT = ("done", "play on")


@dataclass
class Past:
    """A deal {hands, stock, monte, trump_card} as texts, its dealer, and what was done: [(seat, text)]."""

    rules: Rules = field(repr=False)
    deal: dict
    dealer: int
    actions: list

    def reference(self, count=None):
        """The reference after the first `count` actions (default: all)."""
        game = ReferenceGame(reference_rules(self.rules), dealer=self.dealer, **self.deal)
        for _, text in self.actions[:count]:
            game.step(text)
        return game


def random_past(rules, seed, rng, plies, choose):
    """A past of at most `plies` actions over the first deal of a seed; `choose(texts, rng)` picks each action."""
    deal = reference_deal(rules, seed, 0)
    deal["hands"] = [sorted(hand) for hand in deal["hands"]]
    dealer = rng.randrange(rules.num_seats)
    if rules.trump != "none":
        deal["trump_card"] = deal["trump_card"][dealer]
    past = Past(rules, deal, dealer, [])
    game = past.reference()
    while game.to_act is not None and len(past.actions) < plies:
        past.actions.append((game.to_act, choose(sorted(game.legal()), rng)))
        game.step(past.actions[-1][1])
    return past


# ---------------------------------------------------------------- twins
def cards_in(value):
    """The cards whose place a view of the reference tells: all that it names but for what is or could be called."""
    if isinstance(value, str):
        return {value[:2]} & CARD_ID.keys()
    if not isinstance(value, tuple) or value[:1] in (("call",), ("legal",)):
        return set()
    return set().union(*map(cards_in, value))


def exchange(past, game, seat, rng, count):
    """A random exchange {card: card} of up to `count` cards that `seat` does not know; empty where it knows all."""
    known = cards_in(game.public_view(seat))
    hidden = [CARD_TEXTS[card] for card in past.rules.deck if CARD_TEXTS[card] not in known]
    picked = rng.sample(hidden, min(count, len(hidden)))
    return dict(zip(picked, rng.sample(picked, len(picked)), strict=True))


def twin_of(past, game, seat, names):
    """A past over the cards exchanged by `names` that `seat` cannot tell from `past`; None where it can.

    `game` is the reference at the end of `past`.
    """
    deal = {"hands": [sorted(names.get(card, card) for card in hand) for hand in past.deal["hands"]]}
    for part in ("stock", "monte"):
        deal[part] = [names.get(card, card) for card in past.deal[part]]
    if "trump_card" in past.deal:
        deal["trump_card"] = past.deal["trump_card"]
    if deal == past.deal:
        return None
    told = [(who, renamed(text, names) if who != seat else text) for who, text in past.actions]
    told = [(who, text) for who, text in told if who == seat or text not in SILENT]
    twin = Past(past.rules, deal, past.dealer, [])
    other = retell(twin, told, seat, game.to_act == seat)
    return twin if other is not None and other.public_view(seat) == game.public_view(seat) else None


def renamed(text, names):
    """The text of a face-down discard over the exchanged cards; every other action is open and names no hidden card."""
    verb, _, card = text.partition(" ")
    return f"discard {names.get(card, card)}" if verb == "discard" else text


def retell(twin, told, seat, acting):
    """Play `told` in `twin`, with the silent actions that other seats are asked for; None where it cannot be."""
    game = twin.reference()

    def step(text):
        twin.actions.append((game.to_act, text))
        game.step(text)

    def be_silent():
        if game.to_act in (seat, None) or game.phase not in ("annul", "declare"):
            return False
        step("play on" if game.phase == "annul" else "done")
        return True

    for who, text in told:
        while game.to_act != who or text not in game.legal():
            if not be_silent():
                return None
        step(text)
    while (game.to_act == seat) != acting:
        if not be_silent():
            return None
    return game


# ---------------------------------------------------------------- the engine over the same past
class World:
    """The engine's record at the end of a past, and the sum of the rewards that it paid."""

    def __init__(self, past, reward="trick"):
        rules = self.rules = past.rules
        self.table = rules.table("deal", reward)
        deal = {part: [CARD_ID[card] for card in past.deal[part]] for part in ("stock", "monte")}
        hands = [[CARD_ID[card] for card in hand] for hand in past.deal["hands"]]
        trump = CARD_ID.get(past.deal.get("trump_card"), -1)
        self.states = record_of(rules, hands, past.dealer, trump_card=trump, table=self.table, **deal)
        self.state = self.states[0]
        self.paid = np.zeros(rules.num_seats)
        ids = {text: action for action, text in enumerate(all_texts(rules))}
        for _, text in past.actions:
            kernels.apply(self.state, self.table[0], ids[text])
            self.paid += [kernels.seat_reward(self.state, self.table[0], seat) for seat in range(rules.num_seats)]

    def shown(self, seat):
        """All that a seat is shown, by name: view, observation, own legal actions, texts, and rewards so far."""
        view = view_of(self.state, self.table, seat)
        acts = self.state["to_act"] == seat
        return {
            "view": view.tobytes(),
            "observation": self.encoded(view[0], seat, False),
            "legal": legal_ids(self.state, self.table).tobytes() if acts else b"",
            "information state": information_state(view[0], self.rules, seat),
            "picture": table_text(view[0], self.rules, seat, deal_number=1),
            "rewards": self.paid.round(9).tolist(),
        }

    def places(self):
        """Where every card lies now that has not been played: hands, stock and monte in order, discards.

        The monte counts as a set where nobody draws from it: then its order is of no consequence, and not in the state.
        """
        state, rules = self.state, self.rules
        undealt = state["undealt"][: rules.stock + rules.monte].tolist()
        monte = undealt[rules.stock + int(state["exchanged"]) :]
        return (
            state["hands"].tolist(),
            undealt[int(state["num_drawn"]) : rules.stock],
            monte if rules.stock or rules.exchange_cards else sorted(monte),
            sorted(state["discards"].tolist()),
        )

    def everything(self):
        """The central state, in the frame of the seat to act."""
        return self.encoded(self.state, max(int(self.state["to_act"]), 0), True)

    def encoded(self, record, seat, full):
        out = np.full(layout(self.rules).size, np.nan, np.float32)
        encode(record, self.table[0], seat, full, np.zeros(SCRATCH_WORDS, np.int64), out)
        return out.tobytes()


# ---------------------------------------------------------------- pasts by hand
def past_of(rules, deal, *texts, dealer=None):
    """The past in which the seats do what the texts say, in turn; the last seat deals, so that seat 0 begins."""
    past = Past(rules, deal, rules.num_seats - 1 if dealer is None else dealer, [])
    return going_on(past, *texts)


def going_on(past, *texts):
    """The same past with more done: `?` stands for the first legal play."""
    more = Past(past.rules, past.deal, past.dealer, list(past.actions))
    game = more.reference()
    for text in texts:
        more.actions.append((game.to_act, min(sorted(game.legal()), key=len) if text == "?" else text))
        game.step(more.actions[-1][1])
    return more


def deal_of(rules, seed=0):
    deal = reference_deal(rules, seed, 0)
    if rules.trump != "none":
        deal["trump_card"] = deal["trump_card"][rules.num_seats - 1]
    return deal


def swapped(deal, one, two):
    """The deal with two cards exchanged, places in the stock and in the monte inside."""
    names = {one: two, two: one}
    out = {"hands": [[names.get(card, card) for card in hand] for hand in deal["hands"]]}
    return deal | out | {part: [names.get(card, card) for card in deal[part]] for part in ("stock", "monte")}


def over_deal(past, deal):
    """The same actions over another deal."""
    return Past(past.rules, deal, past.dealer, past.actions)


def who_tells(one, two):
    """Seats that are shown something else in the two worlds; the full state must tell them apart."""
    one, two = World(one), World(two)
    assert one.everything() != two.everything() or one.places() == two.places(), "the full state holds it"
    return [seat for seat in range(one.rules.num_seats) if one.shown(seat) != two.shown(seat)]


def seen(past, seat):
    """What a seat reads in its observation."""
    world = World(past)
    obs = np.frombuffer(world.shown(seat)["observation"], np.float32)
    return decode(obs, past.rules)


def text_of(past, seat):
    return World(past).shown(seat)["information state"]
