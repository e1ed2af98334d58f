"""Hands, deals and actions as text, both ways: ``parse(format(x)) == x`` for each of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tressette_env.cards import CARD_TEXTS, SUITS, format_cards, format_hand, parse_card, parse_cards
from tressette_env.errors import NotationError, nearest
from tressette_env.rules import BIDS_OF, Rules

COMBINATION_TEXTS = (*(f"napoletana {suit}" for suit in SUITS), "A", "2", "3")  # in the order of their action ids


# ---------------------------------------------------------------- hands and deals
@dataclass(frozen=True)
class Deal:
    """Where every card lies before the first decision: card ids of each seat's hand (rising), stock, monte, trump."""

    hands: tuple[tuple[int, ...], ...]
    stock: tuple[int, ...] = ()  # next drawn first
    monte: tuple[int, ...] = ()
    trump_card: int = -1  # the dealer's exposed card, -1 without


def parse_hand(text: str) -> tuple[int, ...]:
    """Return the card ids of a hand, rising; blanks and order do not matter.

    Raises ``NotationError`` for an unknown or a repeated card.

    >>> parse_hand("3c2cAc 7d")
    (7, 8, 9, 13)
    """
    return tuple(sorted(parse_cards(text)))


def format_deal(deal: Deal) -> str:
    """Return a deal as text: hands from seat 0, split by `` | ``, then stock, monte, trump where there are any.

    >>> format_deal(Deal(((7, 9), (0, 14)), monte=(3,)))
    '3cAc | 4c Jd / monte 7c'
    """
    text = " | ".join(format_hand(hand) for hand in deal.hands)
    if deal.stock:
        text += f" / stock {format_cards(deal.stock)}"
    if deal.monte:
        text += f" / monte {format_cards(deal.monte)}"
    if deal.trump_card >= 0:
        text += f" / trump {CARD_TEXTS[deal.trump_card]}"
    return text


def parse_deal(text: str, rules: Rules) -> Deal:
    """Return the deal that a text describes under some rules; the cards must be exactly those of the rules' deck.

    Raises ``NotationError`` for unknown, repeated, missing or foreign cards, wrong counts and wrong parts.

    >>> toy = Rules(deck=(0, 1, 2, 3), num_seats=2, sides=(0, 1), hand_size=2)
    >>> parse_deal("4c5c | 6c7c", toy).hands
    ((0, 1), (2, 3))
    """
    if not isinstance(text, str):
        raise NotationError(f"the deal {text!r} is not a text: write the hands of all seats, such as '3c2c | Ac7d'")
    body, *tails = text.split("/")
    parts = _parts(tails, text)
    hands = tuple(parse_hand(hand) for hand in body.split("|"))
    if len(hands) != rules.num_seats:
        raise NotationError(f"the deal {text!r} has {len(hands)} hands: it takes {rules.num_seats}, split by ' | '")
    for seat, hand in enumerate(hands):
        if len(hand) != rules.hand_size:
            raise NotationError(f"the hand of seat {seat} in {text!r} has {len(hand)} cards, not {rules.hand_size}")
    stock = tuple(parse_cards(parts.get("stock", "")))
    monte = tuple(parse_cards(parts.get("monte", "")))
    for name, cards, wanted in (("stock", stock, rules.stock), ("monte", monte, rules.monte)):
        if len(cards) != wanted:
            raise NotationError(f"the {name} in {text!r} has {len(cards)} cards: these rules have {wanted}")
    _check_deck([card for hand in hands for card in hand] + [*stock, *monte], text, rules)
    return Deal(hands, stock, monte, _trump_card(parts.get("trump"), hands, text, rules))


def _parts(tails: Sequence[str], text: str) -> dict[str, str]:
    """Return the named parts behind the hands, each at most once."""
    parts: dict[str, str] = {}
    for tail in tails:
        name, _, value = tail.strip().partition(" ")
        if name not in ("stock", "monte", "trump") or name in parts:
            raise NotationError(
                f"cannot read the part {tail.strip()!r} of {text!r}: after the hands come '/ stock', '/ monte' "
                "and '/ trump', each at most once"
            )
        parts[name] = value
    return parts


def _check_deck(cards: list[int], text: str, rules: Rules) -> None:
    for i, card in enumerate(cards):
        if card in cards[:i]:
            raise NotationError(f"the card {CARD_TEXTS[card]!r} stands twice in the deal {text!r}: each card once")
    foreign = set(cards) - set(rules.deck)
    if foreign:
        raise NotationError(f"the deal {text!r} has {format_hand(foreign)!r}, not in the deck of these rules")


def _trump_card(part: str | None, hands: tuple[tuple[int, ...], ...], text: str, rules: Rules) -> int:
    if (part is not None) != (rules.trump != "none"):
        raise NotationError(
            f"the deal {text!r} {'names' if part is not None else 'lacks'} a trump: these rules have "
            f"trump = {rules.trump!r}, so {'leave it out' if part is not None else 'add one, such as / trump Cd'}"
        )
    if part is None:
        return -1
    card = parse_card(part.strip())
    if not any(card in hand for hand in hands):
        raise NotationError(f"the trump {part.strip()!r} of {text!r} is in no hand: it is one of the dealer's cards")
    return card


# ---------------------------------------------------------------- actions
@lru_cache(maxsize=64)
def action_texts(rules: Rules) -> tuple[str, ...]:
    """Return the text of every action id of some rules.

    >>> action_texts(Rules())[49], action_texts(Rules())[-1]
    ('3c busso', 'done')
    """
    blocks = rules.blocks
    texts = [card + signal for signal in ("", *(f" {s}" for s in rules.offered_signals)) for card in CARD_TEXTS]
    if blocks.declarations:
        texts += [*(f"declare {combination}" for combination in COMBINATION_TEXTS), "done"]
    if blocks.annul:
        texts += ["monte", "play on"]
    if blocks.bids:
        texts += [f"bid {bid}" for bid in ("pass", *BIDS_OF[rules.auction])]
    for verb, block in (("call", blocks.call), ("give", blocks.give), ("discard", blocks.discard)):
        if block:
            texts += [f"{verb} {card}" for card in CARD_TEXTS]
    return tuple(texts)


@lru_cache(maxsize=64)
def _action_ids(rules: Rules) -> dict[str, int]:
    return {text: action for action, text in enumerate(action_texts(rules))}


def format_action(action: int, rules: Rules) -> str:
    """Return the text of an action id. Raises ``NotationError`` for an id that these rules lack.

    >>> format_action(160, Rules())
    'declare napoletana c'
    """
    texts = action_texts(rules)
    if not 0 <= action < len(texts):
        raise NotationError(f"there is no action {action}: the ids of these rules are 0..{len(texts) - 1}")
    return texts[action]


def parse_action(text: str, rules: Rules) -> int:
    """Return the id of an action text; blanks at the ends and runs of blanks are ignored.

    Raises ``NotationError`` for a text that is no action under these rules.

    >>> parse_action("3c busso", Rules())
    49
    """
    if not isinstance(text, str):
        raise NotationError(f"the action {text!r} is not a text: write one such as '3c' or '3c busso'")
    ids = _action_ids(rules)
    action = ids.get(text) if text in ids else ids.get(" ".join(text.split()))
    if action is None:
        raise NotationError(
            f"unknown action {text!r}{nearest(text, list(ids))} under the rules {rules.name!r}: "
            "write one such as '3c', with what these rules offer"
        )
    return action


def format_actions(actions: Iterable[int], rules: Rules) -> str:
    """Return the texts of some action ids, split by commas.

    >>> format_actions([9, 49], Rules())
    '3c, 3c busso'
    """
    return ", ".join(format_action(action, rules) for action in actions)
