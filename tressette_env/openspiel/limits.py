"""How long a deal of some rules may last and what it may pay: the bounds that an OpenSpiel game states."""

from tressette_env.cards import RANK_SIXTHS
from tressette_env.rules import BIDS_OF, Rules

_DECLARED = (7, 8, 9)  # ranks A, 2, 3


def is_zero_sum(rules: Rules) -> bool:
    """Return whether the payments to all seats add up to 0: not where fixed sides have different sizes."""
    if isinstance(rules.sides, str):
        return True
    return len({rules.sides.count(side) for side in rules.sides}) == 1


def declarable(rules: Rules) -> tuple[int, list[int]]:
    """Return how many napoletane the deck holds, and how many cards of each rank that sets are made of (3 or 4)."""
    if rules.declare == "off" or rules.hand_size < 3:
        return 0, []
    deck = set(rules.deck)
    napoletane = sum(all(10 * suit + rank in deck for rank in _DECLARED) for suit in range(4))
    ranks = [sum(10 * suit + rank in deck for suit in range(4)) for rank in _DECLARED]
    return napoletane, [count for count in ranks if count >= 3]


def max_decisions(rules: Rules) -> int:
    """Return a bound of the decisions in a deal; a seat with k combinations takes at most k to declare or say done.

    >>> from tressette_env.presets import preset
    >>> max_decisions(preset("mini_2p")), max_decisions(preset("tressette"))
    (6, 47)
    """
    decisions = rules.num_seats * rules.num_tricks
    if rules.declare == "voluntary":
        napoletane, sets = declarable(rules)
        decisions += napoletane + len(sets)
    if rules.annul != "off":
        decisions += rules.num_seats
    if rules.auction != "none":
        decisions += rules.num_seats + 1 + bool(rules.blocks.give) + rules.exchange_cards
    return decisions


def max_declared(rules: Rules) -> int:
    """Return the most points that one side can declare.

    All four napoletane (12) and fours of all three ranks (12) take one hand of twelve cards. In smaller hands a fourth
    napoletana lies in another hand, so that the sets have three cards, or there are three napoletane and the fours.
    """
    napoletane, sets = declarable(rules)
    return min(3 * napoletane + sum(sets), 24 if rules.hand_size >= 12 else 21)


def utility_range(rules: Rules) -> tuple[float, float]:
    """Return the least and the most points that a deal can pay a seat.

    >>> from tressette_env.presets import preset
    >>> utility_range(preset("tressette")), utility_range(preset("a_tre")), utility_range(preset("calabresella"))
    ((-32.0, 32.0), (-17.5, 35.0), (-6.0, 6.0))
    """
    if rules.auction != "none":
        stake = float(len(BIDS_OF[rules.auction]) * (rules.num_seats - 1))
        return -stake, stake
    total = float(rules.whole_total)
    if rules.remainder == "exact":
        total = (sum(RANK_SIXTHS[card % 10] for card in rules.deck) + rules.bonus_sixths) / 6
    others = rules.num_sides - 1
    if rules.objective == "min":  # the least: one takes all; the most: nothing, or all where that shoots
        return -total, total if rules.cappotto == "shoot" or rules.revoke != "masked" else total / others
    most = {"double": 2 * total, "plus_one": max(total, rules.whole_total + 1.0)}.get(rules.cappotto, total)
    most += max_declared(rules)
    return -most / others, most
