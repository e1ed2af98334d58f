"""What an action id means: its kind and arguments, both ways. Texts of actions: `notation`."""

from dataclasses import dataclass
from functools import lru_cache

from tressette_env.cards import NUM_CARDS
from tressette_env.errors import NotationError
from tressette_env.notation import COMBINATION_TEXTS, action_texts, format_action, parse_action
from tressette_env.rules import BIDS_OF, Rules

__all__ = ["KINDS", "Action", "action_texts", "decode", "encode", "format_action", "parse_action"]

KINDS = ("play", "declare", "done", "monte", "play_on", "bid", "call", "give", "discard")


@dataclass(frozen=True)
class Action:
    """One action by its parts; fields that its kind has no use for keep their defaults."""

    kind: str  # one of KINDS
    card: int = -1  # card id of a play, call, give or discard
    signal: str = ""  # of a play; empty when silent
    combination: str = ""  # of a declare: "napoletana c", ..., "A", "2", "3"
    bid: str = ""  # "pass" or one of the auction's bids


@lru_cache(maxsize=64)
def _all(rules: Rules) -> tuple[Action, ...]:
    blocks = rules.blocks
    actions = [Action("play", card, signal) for signal in ("", *rules.offered_signals) for card in range(NUM_CARDS)]
    if blocks.declarations:
        actions += [Action("declare", combination=combination) for combination in COMBINATION_TEXTS]
        actions.append(Action("done"))
    if blocks.annul:
        actions += [Action("monte"), Action("play_on")]
    if blocks.bids:
        actions += [Action("bid", bid=bid) for bid in ("pass", *BIDS_OF[rules.auction])]
    for kind, block in (("call", blocks.call), ("give", blocks.give), ("discard", blocks.discard)):
        if block:
            actions += [Action(kind, card) for card in range(NUM_CARDS)]
    return tuple(actions)


@lru_cache(maxsize=64)
def _ids(rules: Rules) -> dict[Action, int]:
    return {action: i for i, action in enumerate(_all(rules))}


def decode(action: int, rules: Rules) -> Action:
    """Return kind and arguments of an action id. Raises ``NotationError`` for an id that these rules lack.

    >>> decode(49, Rules())
    Action(kind='play', card=9, signal='busso', combination='', bid='')
    """
    actions = _all(rules)
    if not 0 <= action < len(actions):
        raise NotationError(f"there is no action {action}: the ids of these rules are 0..{len(actions) - 1}")
    return actions[action]


def encode(action: Action, rules: Rules) -> int:
    """Return the id of an action. Raises ``NotationError`` for one that these rules lack.

    >>> encode(Action("play", card=9, signal="busso"), Rules())
    49
    """
    try:
        return _ids(rules)[action]
    except KeyError:
        raise NotationError(f"{action} is no action under the rules {rules.name!r}: see the kinds {KINDS}") from None
