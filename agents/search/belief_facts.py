"""What a seat knows of the cards it does not see: groups by possible place, counts told by signals, the tricks so far.

`note_facts` reads a view of the seat to act once per decision, into the scratch record that `beliefs` works on. Places
are numbered from the seat: 0 is the pile of cards in no hand (what is left of the stock, the monte, another's
discards), r the r-th seat to the right.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

import numba as nb
import numpy as np

from tressette_env.bots.reading import unseen_cards
from tressette_env.cards import HONOURS, NUM_CARDS
from tressette_env.engine.bits import count, count_suit
from tressette_env.engine.legal import FOURS, SUIT
from tressette_env.engine.phases import CHIAMATA
from tressette_env.engine.state import ANNUL, GIVE, NUM_COMBINATIONS
from tressette_env.rules import BUSSO, MAX_SEATS, STRISCIO, STRISCIO_CORTO, STRISCIO_LUNGO

PILE = 0
NO_SUIT = 4  # of a group whose cards are of any suit
MAX_GROUPS = NUM_CARDS
MAX_STAGES = NUM_CARDS * MAX_SEATS  # pairs of a group and a place
MAX_STATES = 32_768  # ways to have room in the places: 7**4 * 11 is the most that 40 cards and five seats allow
MAX_PATTERNS = 1 << MAX_SEATS

BELIEF_DTYPE = np.dtype(
    [
        ("unseen", "i8"),
        ("places", "i8"),  # the pile and the other seats
        ("room", "i8", MAX_SEATS),  # cards in each place
        ("groups", "i8"),
        ("group_cards", "i8", MAX_GROUPS),
        ("group_pattern", "i8", MAX_GROUPS),  # bit set of places
        ("group_suit", "i8", MAX_GROUPS),
        ("least", "i8", (MAX_SEATS, 5)),  # cards of a suit held now, by place, as signals tell
        ("most", "i8", (MAX_SEATS, 5)),
        ("bounded", "i8"),  # 1 where signals tell any such count
        ("automatic", "i8"),  # 1 where all combinations of all seats have been declared
        ("retold", "i8"),  # 1 where plays bind past hands that draws have changed since
        ("tricks", "i8"),  # begun
        ("plays", "i8", (NUM_CARDS, MAX_SEATS)),  # card by trick and seat, -1 without
        ("leads", "i8", NUM_CARDS),  # suit led, by trick
        ("drawer", "i8", NUM_CARDS),  # seat that drew the i-th card of the stock
        # the counting, see `beliefs`
        ("stages", "i8"),
        ("stage_group", "i8", MAX_STAGES),
        ("stage_place", "i8", MAX_STAGES),
        ("stage_last", "i8", MAX_STAGES),  # 1 at the last place of a group
        ("stage_rest", "i8", MAX_STAGES),  # cards of the groups after this stage's
        ("stage_low", "i8", MAX_STAGES),
        ("stage_high", "i8", MAX_STAGES),
        ("stride", "i8", MAX_SEATS),  # of the places in a state's number
        ("states", "i8"),
        ("total", "i1", MAX_STATES),  # room left in all places, by state
        ("ways", "f8", (MAX_STAGES + 1) * MAX_STATES),
    ],
    align=True,
)


@nb.njit(cache=True)
def note_facts(view, rules, b):
    """Fill the scratch record with what the view of the seat to act tells."""
    b["unseen"] = unseen_cards(view, rules, view["to_act"])
    b["places"] = rules["num_seats"]
    b["automatic"] = rules["declare"] == 2 and view["phase"] != ANNUL
    hidden_draws = rules["stock"] > 0 and rules["draw_shown"] == 0
    told = rules["signals_bind"] and rules["num_signals"] > 0
    b["retold"] = hidden_draws and (told or rules["follow"] == 0)
    b["bounded"] = 0
    _lay_rooms(view, rules, b)
    if rules["stock"]:
        _lay_tricks(view, rules, b)
    if told and not hidden_draws:
        _note_signals(view, rules, b)
    _group_cards(view, rules, b)


@nb.njit(cache=True)
def _lay_rooms(view, rules, b):
    """Count the cards in every place."""
    n = rules["num_seats"]
    pile = count(b["unseen"])
    for r in range(1, n):
        other = (view["to_act"] + r) % n
        held = rules["hand_size"] + view["num_drawn"] // n - count(view["played"][other])
        if view["phase"] == GIVE and other == view["called_from"]:
            held -= 1
        b["room"][r] = held
        pile -= held
    b["room"][PILE] = pile


@nb.njit(cache=True)
def _lay_tricks(view, rules, b):
    """Tell the tricks again: who played what, what was led, who drew when."""
    n = rules["num_seats"]
    leader = (view["dealer"] + 1) % n
    b["tricks"] = (view["num_played"] + n - 1) // n
    for trick in range(b["tricks"]):
        for seat in range(n):
            b["plays"][trick, seat] = -1
        best = np.int64(view["order"][trick * n])
        winner = leader
        b["leads"][trick] = best // 10
        for i in range(min(n, view["num_played"] - trick * n)):
            card = np.int64(view["order"][trick * n + i])
            seat = (leader + i) % n
            b["plays"][trick, seat] = card
            if (card // 10 == best // 10 and card > best) or (card // 10 == view["trump"] and best // 10 != card // 10):
                best = card
                winner = seat
        for i in range(n):
            b["drawer"][trick * n + i] = (winner + i) % n
        leader = winner


# ---------------------------------------------------------------- signals
@nb.njit(cache=True)
def _note_signals(view, rules, b):
    """Note how many cards of a suit truthful signals tell to be held now, as no draw since is hidden."""
    n = rules["num_seats"]
    for r in range(1, n):
        for suit in range(5):
            b["least"][r, suit] = 0
            b["most"][r, suit] = NUM_CARDS
    for k in range(rules["num_signals"]):
        low, high = _range_told(rules, rules["signal_kind"][k])
        if low == 0 or view["signalled"][k] == 0:
            continue
        for r in range(1, n):
            seat = (view["to_act"] + r) % n
            if view["signalled"][k] & view["played"][seat]:
                _note_ranges(view, rules, b, r, seat, view["signalled"][k] & view["played"][seat], low, high)


@nb.njit(cache=True)
def _range_told(rules, kind):
    """Return the least and the greatest rest that a signal tells; (0, ...) for one that denies cards only."""
    if kind == BUSSO:
        return rules["busso_min_rest"], NUM_CARDS
    if kind == STRISCIO:
        return rules["striscio_min_rest"], NUM_CARDS
    if kind == STRISCIO_CORTO:
        return rules["striscio_corto_min_rest"], rules["striscio_lungo_min_rest"] - 1
    if kind == STRISCIO_LUNGO:
        return rules["striscio_lungo_min_rest"], NUM_CARDS
    return 0, NUM_CARDS


@nb.njit(cache=True)
def _note_ranges(view, rules, b, r, seat, signalled, low, high):
    """Turn the rests at the time of a seat's signals into counts held now: less what it played, plus what it drew."""
    later = np.int64(0)
    for i in range(view["num_played"] - 1, -1, -1):
        bit = np.int64(1) << np.int64(view["order"][i])
        if view["played"][seat] & bit == 0:
            continue
        if signalled & bit:
            suit = np.int64(view["order"][i]) // 10
            change = _drawn_since(view, rules, b, seat, i // rules["num_seats"], suit) - count_suit(later, suit)
            b["least"][r, suit] = max(b["least"][r, suit], low + change)
            b["most"][r, suit] = min(b["most"][r, suit], high + change)
            b["bounded"] = 1
        later |= bit


@nb.njit(cache=True)
def _drawn_since(view, rules, b, seat, trick, suit):
    """Return how many cards of a suit a seat drew, shown, at the end of a trick and later."""
    drawn = 0
    if rules["stock"]:
        for i in range(trick * rules["num_seats"], view["num_drawn"]):
            drawn += b["drawer"][i] == seat and view["undealt"][i] // 10 == suit
    return drawn


# ---------------------------------------------------------------- groups
@nb.njit(cache=True)
def _group_cards(view, rules, b):
    """Sort the unseen cards by the places where each may lie, and by suit where counts of suits are told."""
    n = rules["num_seats"]
    seat = view["to_act"]
    pile = np.int64(0 if b["room"][PILE] == 0 else b["unseen"])
    may = np.zeros(MAX_SEATS, np.int64)
    known = np.int64(0)
    origin = _from_declarer(view, rules, seat)
    for r in range(1, n):
        other = (seat + r) % n
        shown = view["exposed"][other] & b["unseen"]
        known |= shown
        may[r] = b["unseen"] & ~view["denied"][other]
        if other != view["declarer"]:
            may[r] &= ~origin
        if b["automatic"]:
            may[r] &= ~_undeclared_thirds(view, other)
    may[PILE] = pile & ~known
    for r in range(1, n):
        other = (seat + r) % n
        may[r] = (may[r] & ~known) | (view["exposed"][other] & b["unseen"])
        if b["room"][r] == 0:
            may[r] = 0
    b["groups"] = 0
    if b["bounded"]:
        for suit in range(4):
            _split(b, may, b["unseen"] & (SUIT << (10 * suit)), suit)
    else:
        _split(b, may, b["unseen"], NO_SUIT)


@nb.njit(cache=True)
def _split(b, may, cards, suit):
    """Add the groups of some cards."""
    while cards:
        bit = cards & -cards
        same = cards
        pattern = 0
        for place in range(b["places"]):
            if may[place] & bit:
                pattern |= 1 << place
                same &= may[place]
            else:
                same &= ~may[place]
        at = b["groups"]
        b["group_cards"][at] = same
        b["group_pattern"][at] = pattern
        b["group_suit"][at] = suit
        b["groups"] = at + 1
        cards ^= same


@nb.njit(cache=True)
def _undeclared_thirds(view, other):
    """Return the cards that would complete a combination that a seat has not declared where all had to be."""
    known = view["played"][other] | view["exposed"][other]
    found = np.int64(0)
    for combination in range(NUM_COMBINATIONS):
        if view["declared"][other * NUM_COMBINATIONS + combination] == 0:
            cards = HONOURS << (10 * combination) if combination < 4 else FOURS << (combination + 3)
            if count(known & cards) == 2:
                found |= cards & ~known
    return found


@nb.njit(cache=True)
def above_call(rules, called):
    """Return the cards of the ranks above the called one, all of which its declarer held when it called."""
    cards = np.int64(0)
    for strength in range(called % 10 + 1, 10):
        cards |= FOURS << strength
    return cards & rules["deck"]


@nb.njit(cache=True)
def _from_declarer(view, rules, seat):
    """Return cards that another declarer is known to have had before it exchanged: in its hand or put away."""
    if view["exchanged"] == 0 or view["declarer"] == seat:
        return 0
    cards = np.int64(0)
    if view["called"] >= 0 and rules["auction"] != CHIAMATA:
        cards = above_call(rules, np.int64(view["called"]))
    if view["trump_card"] >= 0 and view["dealer"] == view["declarer"]:
        cards |= np.int64(1) << np.int64(view["trump_card"])
    return cards
