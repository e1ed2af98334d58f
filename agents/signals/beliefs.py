"""What a signal tells whom: information about the sender's hand, by sampled beliefs of each listener.

At a decision with a chance to signal, worlds are drawn that a listener cannot tell apart before the card is put down.
In every world the speaker's own probabilities of that card with each message are known, so the joint distribution of
a hidden feature and the message is a weighted mean, and I(feature; message | card, listener) follows from it. The
listeners: an onlooker who sees no hand, the partner, the two opponents. Everything said earlier counts as heard by
all; earlier plays bind the worlds by what is certain (suits not followed, truthful signals), not by how likely they
were. The message itself reaches a listener as the rules say: by all or the partner only, through noise.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from dataclasses import dataclass

import numba as nb
import numpy as np

from agents.search.beliefs import new_belief, prepare, sample
from agents.signals.games import Chances, SignalError
from agents.signals.hearing import deny, message_with
from agents.signals.information import Bits, Interval, by_deal, mutual_information
from agents.signals.speaking import Speaker
from tressette_env.cards import HONOURS
from tressette_env.engine.batch import views_acting
from tressette_env.engine.bits import combinations, count
from tressette_env.engine.kernels import truthful_cards
from tressette_env.engine.legal import SUIT
from tressette_env.engine.randomness import key_of
from tressette_env.engine.state import NUM_COMBINATIONS, STATE_DTYPE
from tressette_env.engine.view import redact
from tressette_env.rules import Rules

LISTENERS = ("onlooker", "partner", "opponents")
ONLOOKER = -1
AUTOMATIC = 2  # of the rules' field `declare`: all combinations are told

# Features of the sender's hand in the suit of the card, after the card: how many values each has.
FEATURES = {"rest": 10, "three": 2, "two": 2, "ace": 2, "honours": 8}
_PROPOSALS = 40  # drawn for each world wanted, at most, before a position is given up


@nb.njit(cache=True)
def hidden(hand, card):
    """Return the rest of a suit after a card was played, and which of A, 2, 3 are in it, as bits 1, 2, 4."""
    rest = (hand >> (10 * (card // 10))) & SUIT & ~(np.int64(1) << (card % 10))
    return count(rest), (rest & HONOURS) >> 7


@nb.njit(cache=True, nogil=True)
def hidden_rows(states, cards, out):
    """Write (rest, honours) of each record's acting seat after a card, int64 (N, 2)."""
    for i in range(states.shape[0]):
        out[i, 0], out[i, 1] = hidden(states[i]["hands"][states[i]["to_act"]], cards[i])


def feature(name: str, rows: np.ndarray) -> np.ndarray:
    """Return a feature of hands, int64 (...,), from (rest, honours), int64 (..., 2)."""
    if name == "rest":
        return rows[..., 0]
    if name == "honours":
        return rows[..., 1]
    bit: np.ndarray = rows[..., 1] >> ("ace", "two", "three").index(name) & 1
    return bit


# ---------------------------------------------------------------- worlds
@nb.njit(cache=True)
def _own_signals_true(record, rules, seat):
    """Return whether a hand fits the truthful signals that its seat gave."""
    later = np.int64(record["hands"][seat])
    for place in range(record["num_played"] - 1, -1, -1):
        card = np.int64(record["order"][place])
        if (record["played"][seat] >> card) & 1:
            later |= np.int64(1) << card
            said = message_with(record, rules, card)
            if said and truthful_cards(later, np.int64(1) << card, rules["signal_kind"][said - 1], rules) == 0:
                return False
    return True


@nb.njit(cache=True)
def _least_bound(state, rules):
    """Return the seat beside the acting one of which the table knows least: its hand is guessed last."""
    best = np.int64(-1)
    least = np.int64(99)
    for r in range(1, 4):
        seat = (state["to_act"] + r) % 4
        known = count(state["denied"][seat]) + 10 * count(state["exposed"][seat] & ~state["played"][seat])
        for k in range(rules["num_signals"]):
            known += 10 * count(state["signalled"][k] & state["played"][seat])
        if known < least:
            best, least = np.int64(seat), known
    return best


@nb.njit(cache=True, nogil=True)
def worlds_of(states, rules, heard, listeners, key, out):
    """Fill out, STATE_DTYPE (N, K), with worlds as each listener must allow before the card; return int64 (N,).

    What is returned: how many worlds were found, K or 0. listeners: seat, or ONLOOKER, int64 (N,). heard: the rules,
    RULES_DTYPE (1,), as if every signal were heard as given.
    """
    found = np.zeros(states.shape[0], np.int64)
    belief = new_belief()
    view = states[:1].copy()
    wanted = out.shape[1]
    for i in range(states.shape[0]):
        view[0] = states[i]
        deny(view[0], heard[0], -1 if heard[0]["signals_bind"] else 0)
        seat = listeners[i]
        onlooker = seat == ONLOOKER
        if onlooker:
            seat = _least_bound(view[0], heard[0])
        redact(view[0], heard[0], seat)
        heard[0]["monte"] = 0
        if onlooker:  # to the sampler the hand that nobody sees is a pile of cards beside the table
            heard[0]["monte"] = heard[0]["hand_size"] - count(view[0]["played"][seat])
            view[0]["hands"][seat] = 0
            view[0]["dealt"][seat] = 0
            view[0]["closed"] = 0
            view[0]["played_on"] = 0
        view[0]["to_act"] = seat
        prepare(view[0], heard[0], belief)
        tries = 0
        while found[i] < wanted and tries < _PROPOSALS * wanted:
            world = out[i, found[i]]
            if not sample(view[0], heard[0], belief, key_of(np.int64(key), i, tries), world):
                break
            tries += 1
            if onlooker and not _fill_in(world, heard[0], seat):
                continue
            world["to_act"] = states[i]["to_act"]
            for other in range(4):
                world["denied"][other] = states[i]["denied"][other]
            found[i] += 1
        if found[i] < wanted:
            found[i] = 0
    heard[0]["monte"] = 0
    return found


@nb.njit(cache=True)
def _fill_in(world, rules, seat):
    """Give the seat whose hand an onlooker does not see the cards that are left; return whether it can hold them."""
    left = rules["deck"]
    for other in range(4):
        left &= ~(world["hands"][other] | world["played"][other])
    if left & world["denied"][seat] or world["exposed"][seat] & ~world["played"][seat] & ~left:
        return False
    world["hands"][seat] = left
    world["dealt"][seat] = left | world["played"][seat]
    for i in range(world["undealt"].shape[0]):
        world["undealt"][i] = -1
    if rules["declare"] == AUTOMATIC:
        told = np.int64(0)
        for combination in range(NUM_COMBINATIONS):
            if world["declared"][seat * NUM_COMBINATIONS + combination]:
                told |= np.int64(1) << combination
        if combinations(world["dealt"][seat]) != told:
            return False
    return not rules["signals_bind"] or _own_signals_true(world, rules, seat)


def heard_by_all(rules: Rules) -> np.ndarray:
    """Return the rules as kernels read them, as if every signal were heard as given, RULES_DTYPE (1,)."""
    table = rules.table()
    table["signals_clear"] = 1
    table["signals_bind"] = rules.signal_mode == "truthful"
    return table


def received_as(rules: Rules, listener: str, leads: bool) -> np.ndarray:
    """Return how likely each message is heard as which, float64 (1 + K, 1 + K), rows as given."""
    size = 1 + len(rules.offered_signals)
    if rules.signal_heard_by == "partner" and listener == "opponents":
        nothing = np.zeros((size, size))
        nothing[:, 0] = 1.0
        return nothing
    heard = np.eye(size)
    lost = rules.signal_noise / 100
    for given in range(1, size):
        others = [
            k + 1 for k, kind in enumerate(rules.offered_signals) if k + 1 != given and (leads or kind != "busso")
        ]
        heard[given, given] -= lost
        if rules.signal_noise_kind == "drop" or not others:
            heard[given, 0] += lost
        else:
            heard[given, others] += lost / len(others)
    return heard


# ---------------------------------------------------------------- information
@dataclass(frozen=True)
class Told:
    """What messages told one kind of listener: bits per message by feature, and at how many decisions.

    each: the bits of every decision by feature, float64 (N,), nan where it was skipped; deals: int64 (N,).
    """

    bits: dict[str, Bits]
    decisions: int
    skipped: int
    each: dict[str, np.ndarray]
    deals: np.ndarray

    def interval(self, name: str) -> Interval:
        """Return the bits about a feature with their 95 % interval over the deals played, not over the worlds drawn."""
        return _over_deals(self.each[name], self.deals)


def gained(one: Told, other: Told, name: str) -> Interval:
    """Return how much more of a feature one listener was told than another by the same messages, with its interval."""
    return _over_deals(one.each[name] - other.each[name], one.deals)


def _over_deals(values: np.ndarray, deals: np.ndarray) -> Interval:
    known = ~np.isnan(values)
    return by_deal(values[known], deals[known])


def told(speaker: Speaker, heard: Chances, listener: str, *, worlds: int = 128, seed: int = 0) -> Told:
    """Return how much the messages of some decisions told a listener about the sender's hand, in bits.

    listener: one of LISTENERS; the opponents are asked in turn. The shuffled control mixes the features up among the
    worlds of each decision. Positions in which no worlds were found are skipped and counted.

    Raises ``SignalError`` for a listener that there is not, or when nothing is left to measure.
    """
    if listener not in LISTENERS:
        raise SignalError(f"listener = {listener!r} is none: choose from {', '.join(LISTENERS)}")
    rules = heard.rules
    seats = listener_seats(heard.senders, listener, 1 + 2 * (np.arange(len(heard)) % 2))
    rng = np.random.default_rng(seed)
    each = {name: np.full(len(heard), np.nan) for name in FEATURES}
    mixed = {name: np.full(len(heard), np.nan) for name in FEATURES}
    part = max(1, 65_536 // worlds)
    for at in range(0, len(heard), part):
        some = heard.some(np.arange(at, min(at + part, len(heard))))
        drawn = np.empty((len(some), worlds), STATE_DTYPE)
        found = worlds_of(some.states, rules.table(), heard_by_all(rules), seats[at : at + part], seed + at, drawn)
        rows_of = at + np.flatnonzero(found)
        some, drawn = some.some(found > 0), drawn[found > 0]
        if not len(some):
            continue
        chance, rows = _in_worlds(speaker, some, drawn, listener)
        shuffled = rng.permuted(np.arange(worlds)[None].repeat(len(some), 0), axis=1)
        for name, size in FEATURES.items():
            values = feature(name, rows)
            each[name][rows_of] = mutual_information(joint_of(values, chance, size))
            other = np.take_along_axis(values, shuffled, 1)
            mixed[name][rows_of] = mutual_information(joint_of(other, chance, size))
    measured = int((~np.isnan(each["rest"])).sum())
    if not measured:
        raise SignalError(f"no decision of {speaker.name} left anything to measure: play more deals")
    bits = {name: Bits(float(np.nanmean(each[name])), float(np.nanmean(mixed[name]))) for name in FEATURES}
    return Told(bits, measured, len(heard) - measured, each, heard.deals)


def _in_worlds(speaker: Speaker, some: Chances, drawn: np.ndarray, listener: str) -> tuple[np.ndarray, np.ndarray]:
    """Return how likely each message was heard with the cards, (N, W, M), and what was hidden, (N, W, 2), in worlds."""
    worlds, cards = drawn.reshape(-1), np.repeat(some.cards, drawn.shape[1])
    chance = spoken(speaker, worlds, cards, some.rules.table()).reshape(*drawn.shape, -1)
    leads = some.states["best_card"] < 0
    for way in (False, True):
        chance[leads == way] = chance[leads == way] @ received_as(some.rules, listener, way)
    rows = np.empty((len(worlds), 2), np.int64)
    hidden_rows(worlds, cards, rows)
    return chance, rows.reshape(*drawn.shape, 2)


def listener_seats(senders: np.ndarray, listener: str, side: np.ndarray | int) -> np.ndarray:
    """Return who listens to each sender, int64 (N,): a seat, or ONLOOKER; of the opponents the one 1 or 3 seats on."""
    if listener == "onlooker":
        return np.full(len(senders), ONLOOKER)
    seats: np.ndarray = (senders.astype(np.int64) + (2 if listener == "partner" else side)) % 4
    return seats


def spoken(speaker: Speaker, states: np.ndarray, cards: np.ndarray, table: np.ndarray) -> np.ndarray:
    """Return the chance that each record's acting seat plays a card with each message, float64 (N, 1 + K)."""
    views = np.empty_like(states)
    views_acting(states, table, views)
    messages = 40 * np.arange(1 + int(table[0]["num_signals"]))
    return np.take_along_axis(speaker.probabilities(views, table), cards[:, None] + messages, 1)


def joint_of(values: np.ndarray, chance: np.ndarray, size: int) -> np.ndarray:
    """Return weights of (feature, message), float64 (N, size, M), from values int64 (N, W) and chance (N, W, M)."""
    joint = np.zeros((len(values), size, chance.shape[-1]))
    np.add.at(joint, (np.arange(len(values))[:, None], values), chance)
    return joint
