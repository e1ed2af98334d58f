"""The person's legal actions as numbered items, and what a line of input means among them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from agents.play.words import Words
from tressette_env.actions import Action, action_texts
from tressette_env.cards import NUM_RANKS
from tressette_env.rules import Rules
from tressette_env.scene import by_suit


class InputError(ValueError):
    """A line that means no action, with the sentence to answer it, in the person's language."""


@dataclass(frozen=True)
class Item:
    """One numbered choice: a card with its plays, the silent one first, or a single other action."""

    actions: tuple[int, ...]
    card: int  # of a play, -1 for anything else


def items(legal: Mapping[int, Action]) -> list[Item]:
    """Return the choices in the order they are numbered: cards as a hand is held, then the rest by action id."""
    by_card: dict[int, list[int]] = {}
    for action, parts in legal.items():
        if parts.kind == "play":
            by_card.setdefault(parts.card, []).append(action)
    rest = [Item((action,), -1) for action, parts in legal.items() if parts.kind != "play"]
    return [Item(tuple(by_card[card]), card) for card in by_suit([*by_card])] + rest


def item_lines(choices: Sequence[Item], legal: Mapping[int, Action], rules: Rules, words: Words) -> Iterator[str]:
    """Yield the lines that show the choices: a line of cards for each suit, a line for each other action."""
    texts = action_texts(rules)
    numbered = list(enumerate(choices, 1))
    for suit, name in enumerate(words.suits):
        cards = [(n, item) for n, item in numbered if item.card >= 0 and item.card // NUM_RANKS == suit]
        if cards:
            shown = (
                f"{n} {words.rank(item.card)} {texts[item.card]}{_signals(item, legal, words)}" for n, item in cards
            )
            yield f"{name.ljust(max(map(len, words.suits)))}  {'   '.join(shown)}"
    for number, item in numbered:
        if item.card < 0:
            yield f"{number} {words.action(legal[item.actions[0]])}"


def _signals(item: Item, legal: Mapping[int, Action], words: Words) -> str:
    named = [words.signal(legal[action].signal) for action in item.actions if legal[action].signal]
    return f" ({', '.join(named)})" if named else ""


def read_item(line: str, choices: Sequence[Item], legal: Mapping[int, Action], rules: Rules, words: Words) -> Item:
    """Return the choice that a line means: a number, an action's text, or words such as ``three of cups``.

    An action's text is that action alone. Raises ``InputError`` for a line that is no choice here.
    """
    said = " ".join(line.split()).casefold()
    if said.isdecimal() and 1 <= int(said) <= len(choices):
        return choices[int(said) - 1]
    for action, parts in legal.items():
        if said in (action_texts(rules)[action].casefold(), words.action(parts).casefold()):
            return Item((action,), parts.card if parts.kind == "play" else -1)
    if said in (text.casefold() for text in action_texts(rules)) or said in words.cards:
        raise InputError(words("not_allowed", what=line.strip()))
    example = action_texts(rules)[next(iter(legal))]
    raise InputError(words("unknown_input", text=line.strip(), n=len(choices), example=example))


def read_signal(line: str, item: Item, legal: Mapping[int, Action], words: Words) -> int:
    """Return the action of a card that a second line means: empty or 0 for silence, a number, or a signal's name.

    Raises ``InputError`` for anything else.
    """
    said = " ".join(line.split()).casefold() or "0"
    for number, action in enumerate(item.actions):
        if said in (str(number), words.signal(legal[action].signal)):
            return action
    raise InputError(words("bad_signal", text=line.strip(), n=len(item.actions) - 1))
