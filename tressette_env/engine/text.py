"""What one seat knows as text (its information state), built from the redacted record alone; and plays as text."""

from collections.abc import Iterator

import numpy as np

from tressette_env.cards import CARD_TEXTS, SUITS, format_hand, from_bits
from tressette_env.engine.state import DONE, NUM_COMBINATIONS, PHASES
from tressette_env.notation import COMBINATION_TEXTS
from tressette_env.rules import BIDS_OF, Rules

_RANK_A = 1 << 7 | 1 << 17 | 1 << 27 | 1 << 37
assert len(COMBINATION_TEXTS) == NUM_COMBINATIONS == DONE


def plays(view: np.void, rules: Rules) -> Iterator[tuple[int, str]]:
    """Yield (seat, text of the play with its signal) for every card played so far, in order."""
    played = [int(bits) for bits in view["played"][: rules.num_seats]]
    signalled = [int(bits) for bits in view["signalled"][: len(rules.offered_signals)]]
    for card in view["order"][: view["num_played"]].tolist():
        seat = next(seat for seat, bits in enumerate(played) if bits >> card & 1)
        signals = [name for name, bits in zip(rules.offered_signals, signalled, strict=True) if bits >> card & 1]
        yield seat, " ".join([CARD_TEXTS[card], *signals])


def declarations(view: np.void, rules: Rules) -> Iterator[tuple[int, str]]:
    """Yield (seat, what was announced) for every declaration, seats in number order, each seat's in its own order.

    A triple announces its missing suit: ``'A without s'``; a set of four says ``'A all'``.
    """
    for seat in range(rules.num_seats):
        places = view["declared"][seat * NUM_COMBINATIONS : (seat + 1) * NUM_COMBINATIONS].tolist()
        for _, combination in sorted((place, i) for i, place in enumerate(places) if place):
            text = COMBINATION_TEXTS[combination]
            if combination >= 4:
                shown = int(view["exposed"][seat]) & (_RANK_A << (combination - 4))
                missing = [suit for i, suit in enumerate(SUITS) if not shown >> (10 * i + 3 + combination) & 1]
                text += f" without {missing[0]}" if missing else " all"
            yield seat, text


def draws(view: np.void, rules: Rules) -> Iterator[tuple[int, int]]:
    """Yield (seat, card) for the cards drawn from the stock that the view shows, in order."""
    for card in view["undealt"][: min(rules.stock, int(view["num_drawn"]))].tolist():
        if card >= 0:
            held = view["hands"] | view["played"] | view["exposed"]
            yield next(seat for seat in range(rules.num_seats) if int(held[seat]) >> card & 1), card


def auction(view: np.void, rules: Rules) -> Iterator[str]:
    """Yield what the view shows of the auction: bids from the eldest, call, handing over, monte, discards."""
    if view["extra"]:
        yield "extra deals"
    order = [(int(view["dealer"]) + 1 + i) % rules.num_seats for i in range(rules.num_seats)]
    names = ("", "pass", *BIDS_OF[rules.auction])
    bids = [f"{seat} {names[view['bids'][seat]]}" for seat in order if view["bids"][seat]]
    if bids:
        yield f"bid {', '.join(bids)}"
    if view["called"] >= 0:
        yield f"called {CARD_TEXTS[view['called']]}"
    if view["partner"] >= 0:
        yield f"partner {view['partner']}"
    if view["called_from"] >= 0:
        yield f"handed over by {view['called_from']}"
    if view["given"] >= 0:
        yield f"gave {CARD_TEXTS[view['given']]}"
    taken = view["undealt"][rules.stock : rules.stock + int(view["exchanged"])].tolist()
    if any(card >= 0 for card in taken):
        yield f"monte {' '.join(CARD_TEXTS[card] for card in taken)}"
    if view["exchanged"]:
        yield f"{view['exchanged'] - view['discards_due']} discarded"
    own = [CARD_TEXTS[card] for card in view["discards"].tolist() if card >= 0]
    if own:
        yield f"discarded {' '.join(own)}"


def points(sixths: int) -> int | float:
    """Return sixths of a point as points: an int when whole."""
    return sixths // 6 if sixths % 6 == 0 else sixths / 6


def information_state(view: np.void, rules: Rules, seat: int) -> str:
    """Return all that a seat knows, with perfect recall, from its redacted record: equal texts, equal knowledge."""
    parts = [
        f"rules {rules.name}",
        f"seat {seat}",
        f"dealer {view['dealer']}",
        f"totals {' '.join(str(points(int(t))) for t in view['totals'][: rules.num_competitors])}",
        f"redeals {view['redeals']}",
    ]
    if rules.objective == "min":
        parts.append(f"contenders {int(view['contenders']):b}")
    if view["trump_card"] >= 0:
        parts.append(f"trump {CARD_TEXTS[view['trump_card']]}")
    parts.append(f"dealt {format_hand(from_bits(int(view['dealt'][seat])))}")
    if view["played_on"] >> seat & 1:
        parts.append("said play on")
    if rules.auction != "none":
        parts += list(auction(view, rules))
    declared = [f"{other} {text}" for other, text in declarations(view, rules)]
    if declared:
        parts.append(f"declared {', '.join(declared)}")
    if view["closed"] >> seat & 1:
        parts.append("said done")
    shown = [f"{other} {text}" for other, text in plays(view, rules)]
    if shown:
        parts.append(f"played {', '.join(shown)}")
    drawn = [f"{other} {CARD_TEXTS[card]}" for other, card in draws(view, rules)]
    if drawn:
        parts.append(f"drew {', '.join(drawn)}")
    if view["to_act"] == seat:
        parts.append(f"to {PHASES[view['phase']]}")
    elif PHASES[view["phase"]] == "over":
        parts.append("over")
    return "; ".join(parts)
