"""Tells rules in sentences, from the fields of the rules object alone: no preset is named here."""

from collections.abc import Iterator

from docs.markdown import NUMBERS, count, listed, yaml_text
from tressette_env.cards import format_hand
from tressette_env.rules import BIDS_OF, Rules


# ---------------------------------------------------------------- table and deal
def players(rules: Rules) -> Iterator[str]:
    """Yield who sits at the table and who plays together."""
    seats = f"{NUMBERS[rules.num_seats].capitalize()} seats"
    if rules.auction == "chiamata":
        yield f"{seats}. An auction makes one of them the declarer, who plays alone or with a secret partner."
        yield "In counts of a deal side 0 is the declarer with its partner, side 1 the others; totals are kept by seat."
    elif rules.auction == "calabresella":
        yield f"{seats}. An auction makes one of them the declarer, who plays alone against the others."
        yield "In counts of a deal side 0 is the declarer, side 1 the others; totals are kept by seat."
    elif rules.num_sides == rules.num_seats:
        yield f"{seats}, each for itself: seat i is side i."
    else:
        sides = [[str(s) for s in range(rules.num_seats) if rules.sides[s] == side] for side in range(rules.num_sides)]
        yield f"{seats}: " + listed(f"seats {listed(own)} are side {i}" for i, own in enumerate(sides)) + "."


def cards(rules: Rules) -> Iterator[str]:
    """Yield the cards in play and how they are dealt."""
    missing = [card for card in range(40) if card not in rules.deck]
    if not missing:
        yield "The forty cards."
    elif len(missing) < len(rules.deck):
        yield f"{len(rules.deck)} cards: the pack without `{format_hand(missing)}`."
    else:
        yield f"{len(rules.deck)} cards: `{format_hand(rules.deck)}`."
    yield f"{count(rules.hand_size, 'card').capitalize()} to each seat."
    if rules.stock:
        shown = "shown to all" if rules.draw_shown else "seen by the drawer alone"
        yield (
            f"The other {count(rules.stock, 'card')} are the stock: after each trick its winner draws the next one, "
            f"then the others in order of play, until none is left; drawn cards are {shown}."
        )
    if rules.monte:
        yield f"The other {count(rules.monte, 'card')} lie face down as the monte."
    if rules.trump == "last_dealt":
        yield "The last card dealt, one of the dealer's, lies open and is then held as any other; its suit is trump."
    yield "The seat after the dealer is the eldest; the deal passes to the next seat."


# ---------------------------------------------------------------- before the first card
def annul(rules: Rules) -> Iterator[str]:
    """Yield how a deal can be called off for a poor hand."""
    if rules.annul == "below_one_point":
        yield (
            "*Monte.* From the eldest, each seat whose hand is worth less than a point is asked: `monte` ends the "
            "asking and the same dealer deals anew, `play on` is known to that seat alone."
        )


def auction(rules: Rules) -> Iterator[str]:
    """Yield the bids and the call."""
    if rules.auction == "none":
        return
    bids = " < ".join(f"`{bid}`" for bid in ("pass", *BIDS_OF[rules.auction]))
    yield (
        f"*Bids.* One round from the eldest, each bid higher than the last: {bids}; the highest ends the round. "
        "The highest bidder is the declarer. If all pass, the next dealer deals anew."
    )
    called = (
        "*Call*, after `chiamo`. The declarer names a card that it does not hold, of the highest rank of which it lacks"
        " one: a 3, with all four of them a 2, and so on."
    )
    if rules.auction == "chiamata":
        yield called + " Its holder is the partner, and nobody else knows until the card is played."
        return
    yield called + " Its holder hands it over."
    yield (
        "*Give.* The declarer gives any other card of its hand for it, face up. A card called from the monte has no "
        "holder: there is nothing to give and no second call."
    )


def exchange(rules: Rules) -> Iterator[str]:
    """Yield what the declarer takes from the monte and puts away."""
    if rules.exchange_cards == 0:
        return
    away = f"and discards {NUMBERS[rules.exchange_cards]} of its hand, one at a time, face down"
    if rules.exchange_cards == 4:
        text = f"After `chiamo` the monte is turned face up; the declarer takes the four cards {away}."
        text += " After `solo` the same, but the others do not see the monte. After `solissimo` it is not used."
    else:
        text = f"After every bid the declarer takes the first two cards of the monte, unseen by the others, {away}."
    if rules.monte > rules.exchange_cards:
        text += f" The other {count(rules.monte - rules.exchange_cards, 'card')} stay face down."
    yield f"*Exchange.* {text}"


WHEN = {
    "before_first_lead": "before the first lead, from the eldest; a seat ends with `done`",
    "own_first_turn": "before its own first card; playing it ends the chance",
    "end_first_trick": "after the first trick, from the eldest, of the hand as dealt; a seat ends with `done`",
}


def declarations(rules: Rules) -> Iterator[str]:
    """Yield what may be declared and when."""
    if rules.declare == "automatic":
        yield "*Declarations.* Every combination dealt is declared for its holder before the first lead."
    elif rules.declare == "voluntary":
        yield f"*Declarations.* A seat may declare its combinations {WHEN[rules.declare_when]}."
    if rules.declare != "off":
        yield (
            "They are: napoletana (3, 2 and A of a suit) 3 points; three aces, twos or threes 3 points, all four 4. "
            "The table hears the suit of a napoletana and the missing suit of a three."
        )


# ---------------------------------------------------------------- tricks
REVOKE = {
    "take_all": "Any card can be played, but a revoke ends the deal: the offender counts {whole}, all others 0.",
    "flat_11": "Any card can be played, but a revoke ends the deal: the offender counts {whole}, the others what they "
    "took in tricks.",
}


def tricks(rules: Rules) -> Iterator[str]:
    """Yield how tricks are led, followed and won."""
    yield f"{count(rules.num_tricks, 'trick').capitalize()}; the eldest leads the first, the winner of each the next."
    if rules.follow == "free_while_stock":
        yield (
            "While cards are left in the stock any card may be played; afterwards whoever can must follow the suit led."
        )
    else:
        yield "Whoever can must follow the suit led; otherwise any card may be played."
    if rules.revoke != "masked":
        yield REVOKE[rules.revoke].format(whole=rules.whole_total)
    if rules.trump != "none":
        yield "The highest trump wins, else the highest card of the suit led."
    else:
        yield "The highest card of the suit led wins."


def signals(rules: Rules) -> Iterator[str]:
    """Yield which signals there are and when they may be given."""
    if not rules.offered_signals:
        yield "None."
        return
    who = "The leader of a trick" if rules.signal_seat == "leader" else "Any seat (busso: the leader of a trick)"
    heard = "all" if rules.signal_heard_by == "all" else "partners only"
    yield f"{who} may give one with a card, heard by {heard}, but not with the last card of a hand."
    if rules.signal_sides != "all":
        yield f"Only sides {yaml_text(rules.signal_sides)} may signal."
    if rules.signal_noise:
        what = "lost" if rules.signal_noise_kind == "drop" else "taken for another"
        yield f"{rules.signal_noise} of 100 signals are {what}."
    if rules.signal_mode == "free":
        yield f"They need not be true: {listed(rules.offered_signals)}."
        return
    yield "A signal must be true of the cards of its suit left in the hand:"
    yield "; ".join(f"{name} {_truth(name, rules)}" for name in rules.offered_signals) + "."


def _truth(signal: str, rules: Rules) -> str:
    if signal == "busso":
        return f"at least {NUMBERS[rules.busso_min_rest]}"
    if signal == "volo":
        return "none"
    if signal == "striscio":
        honours = ", no 3, 2 or A among them" if rules.striscio_no_honours else ""
        return f"at least {NUMBERS[rules.striscio_min_rest]}{honours}"
    if signal == "striscio_corto":
        return f"{rules.striscio_corto_min_rest} to {rules.striscio_lungo_min_rest - 1}"
    return f"at least {NUMBERS[rules.striscio_lungo_min_rest]}"


# ---------------------------------------------------------------- what it comes to
REMAINDER = {
    "floor_each": "Each side drops the fraction of a point left over.",
    "last_trick_takes_rest": "Each side drops the fraction of a point left over, but the side of the last trick counts "
    "{whole} minus what the others count.",
    "exact": "Fractions of a point are kept.",
}
CAPPOTTO = {
    "none": "It is recorded and pays nothing extra.",
    "double": "If all others are capotted, the points of a side's tricks count twice.",
    "plus_one": "If all others are capotted, a side counts {more} for its tricks.",
    "shoot": "It counts 0 and every other side {whole}.",
    "ends_match": "It counts 0, every other side {whole}, and it wins the match at once.",
}


def scoring(rules: Rules) -> Iterator[str]:
    """Yield what cards, the last trick and a cappotto are worth."""
    bonus = {0: "nothing", 0.5: "half a point", 1: "1 point"}[rules.last_trick_bonus]
    total = count(rules.whole_total, "whole point")
    yield f"An ace is 1 point, a 3, 2, K, C or J a third, the last trick {bonus}: {total} in a deal."
    if rules.monte:
        yield f"{_left_over(rules)} for the winner of the last trick."
    whole, more = rules.whole_total, rules.whole_total + 1
    yield REMAINDER[rules.remainder].format(whole=whole)
    taken = "no whole point in tricks" if rules.objective == "max" else f"all {whole} whole points"
    yield f"Cappotto: a side with {taken}. {CAPPOTTO[rules.cappotto].format(whole=whole, more=more)}"
    yield from payoffs(rules)


def _left_over(rules: Rules) -> str:
    if rules.exchange_cards == 0:
        return "The monte counts"
    if rules.exchange_cards == 4:
        return "The discards (after `solissimo` the monte) count"
    return "The discards and the rest of the monte count"


def payoffs(rules: Rules) -> Iterator[str]:
    """Yield what the seats win and lose after an auction."""
    if rules.auction == "none":
        return
    yield f"The declarer's side wins with at least {rules.whole_total // 2 + 1} of {rules.whole_total} points."
    others = rules.num_seats - 1
    shown = []
    for stake, bid in enumerate(BIDS_OF[rules.auction], 1):
        helped = rules.auction == "chiamata" and bid == "chiamo"
        if helped:
            seats = f"declarer +{stake * (others - 2)}, partner +{stake}, each of the others -{stake}"
        else:
            seats = f"declarer +{stake * others}, each of the others -{stake}"
        shown.append(f"`{bid}` {seats}")
    yield f"It is then paid: {'; '.join(shown)}. If it loses, the signs are reversed."


def match(rules: Rules) -> Iterator[str]:
    """Yield how a match ends."""
    who, counted = ("seat", " of payoffs") if rules.auction != "none" else ("side", "")
    best = "highest" if rules.objective == "max" else "lowest"
    reached = f"a {who} has a total{counted} of at least {rules.target}"
    yield f"Deals go on until {reached} at the end of one; the {best} total wins."
    if rules.objective == "max":
        yield f"If the highest total is shared, further deals are played until one {who} is strictly ahead."
    else:
        yield "If the lowest total is shared, further deals are played by all, but only those who shared it can win."


# ---------------------------------------------------------------- all of it
def sentences(rules: Rules) -> list[str]:
    """Return the paragraphs that tell some rules in full."""
    phases = [*annul(rules), *auction(rules), *exchange(rules)]
    spoken = " ".join(declarations(rules))
    course = [*phases, *([spoken] if spoken else []), f"*Tricks.* {' '.join(tricks(rules))}"]
    return [
        f"**Players.** {' '.join(players(rules))}",
        f"**Deal.** {' '.join(cards(rules))}",
        "**Course of a deal.**",
        "\n".join(f"{i}. {text}" for i, text in enumerate(course, 1)),
        f"**Signals.** {' '.join(signals(rules))}",
        f"**Points.** {' '.join(scoring(rules))}",
        f"**Match.** {' '.join(match(rules))}",
    ]
