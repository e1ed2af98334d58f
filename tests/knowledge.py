"""What a seat knows, read off the record: the decoded observation and perfect recall are compared with it."""

import numpy as np
from engine_support import view_of

from tressette_env.encoding import SCRATCH_WORDS, encode
from tressette_env.engine import batch
from tressette_env.engine.state import OVER, PHASES
from tressette_env.observation import AuctionView, layout
from tressette_env.rules import BIDS_OF


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


def competitors_from(rules, seat):
    """The competitors of a match, counted from the seat's own: sides, in auction games seats."""
    own = seat if rules.auction != "none" else rules.sides[seat]
    return [(own + r) % rules.num_competitors for r in range(rules.num_competitors)]


def auction_of(view, rules, seat):
    """What the record says of the auction, in the form of the decoded view."""
    n = rules.num_seats
    names = (None, "pass", *BIDS_OF[rules.auction])

    def place(who):
        return (int(who) - seat) % n if who >= 0 else None

    def card(name):
        return int(view[name]) if view[name] >= 0 else None

    def cards(values):
        return tuple(sorted(card for card in values.tolist() if card >= 0))

    return AuctionView(
        bids=tuple(names[view["bids"][(seat + r) % n]] for r in range(n)),
        declarer=place(view["declarer"]),
        partner=place(view["partner"]),
        called=card("called"),
        called_from=place(view["called_from"]),
        given=card("given"),
        monte=cards(view["undealt"][rules.stock : rules.stock + int(view["exchanged"])]),
        discarded=tuple(card for card in view["discards"].tolist() if card >= 0),
        discards_due=int(view["discards_due"]),
        extra=bool(view["extra"]),
    )


def information_state(state, rules, table, seat):
    """All that a seat knows of the current deal, plus match totals, seat-relative."""
    view = view_of(state, table, seat)[0]
    n = rules.num_seats
    over = state["phase"] == OVER
    phase = PHASES[view["phase"]] if over or state["to_act"] == seat else None
    trump = (int(view["trump_card"]),) if rules.trump != "none" else ()
    held = tuple(int(view["exposed"][other] & ~view["played"][other]) for other in range(n) if other != seat)
    return (
        int(view["dealt"][seat]),
        plays_of(view, rules, seat),
        declarations_of(view, rules, seat),
        bool(int(view["closed"]) >> seat & 1),
        bool(int(view["played_on"]) >> seat & 1),
        (int(view["dealer"]) - seat) % n,
        tuple(int(view["totals"][competitor]) for competitor in competitors_from(rules, seat)),
        int(view["redeals"]),
        phase,
        trump,
        int(view["hands"][seat]),
        held if rules.draw_shown else (),
        view["undealt"].tobytes(),
        auction_of(view, rules, seat) if rules.auction != "none" else None,
        tuple(int(sixths) for sixths in view["captured"][:n]) if over else (),
    )


def corpus(rules, games, seed=0, steps=10**9):
    """Records of random matches (at most `steps` steps of them), all rows of a batch after each step."""
    env = batch.Batch(rules, games, seeds=seed, episode="match")
    actions = np.empty(games, np.int64)
    for step in range(steps):
        yield env
        if (env.status != 0).all():
            return
        batch.random_actions(env.states, env.table, np.uint64(seed + 1), step, actions)
        env.step(actions)
