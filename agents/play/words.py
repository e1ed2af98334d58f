"""Every text that a person at the table reads, in English and in Italian: cards, actions, messages."""

from collections.abc import Callable
from typing import TypeVar

from agents.play.texts import TEXTS
from tressette_env.actions import Action
from tressette_env.cards import NUM_CARDS, NUM_RANKS, SUITS

LANGUAGES = ("en", "it")
SUIT_NAMES = {"en": ("cups", "coins", "swords", "clubs"), "it": ("coppe", "denari", "spade", "bastoni")}
# By strength, weakest first.
RANK_NAMES = {
    "en": ("four", "five", "six", "seven", "jack", "knight", "king", "ace", "two", "three"),
    "it": ("quattro", "cinque", "sei", "sette", "fante", "cavallo", "re", "asso", "due", "tre"),
}
_MANY = {"en": {"A": "aces", "2": "twos", "3": "threes"}, "it": {"A": "assi", "2": "due", "3": "tre"}}


T = TypeVar("T")


class Words:
    """The texts of one language: ``words(key, ...)`` is a text with its blanks filled in.

    >>> WORDS["it"].card(9), WORDS["en"].action(Action("play", 9, "busso"))
    ('tre di coppe', 'three of cups, busso')
    """

    def __init__(self, language: str) -> None:
        self.language = language
        place = LANGUAGES.index(language)
        self.texts = {key: texts[place] for key, texts in TEXTS.items()}
        self.suits, self.ranks = SUIT_NAMES[language], RANK_NAMES[language]
        self.cards = tuple(
            f"{self.ranks[card % NUM_RANKS]} {self.texts['of']} {self.suits[card // NUM_RANKS]}"
            for card in range(NUM_CARDS)
        )

    def __call__(self, key: str, **blanks: object) -> str:
        """Return the text of a key with its blanks filled in."""
        return self.texts[key].format(**blanks)

    def card(self, card: int) -> str:
        """Return the name of a card id."""
        return self.cards[card]

    def rank(self, card: int) -> str:
        """Return the rank of a card id."""
        return self.ranks[card % NUM_RANKS]

    def signal(self, name: str) -> str:
        """Return a signal's name, which is Italian in every language."""
        return name.replace("_", " ")

    def seat(self, seat: int) -> str:
        """Return what a seat is called."""
        return self("seat", n=seat)

    def bid(self, bid: str) -> str:
        """Return a bid: only the pass is translated."""
        return self("pass") if bid == "pass" else bid

    def combination(self, combination: str) -> str:
        """Return a combination of the action block: ``napoletana c``, ``A``, ``2``, ``3``."""
        if combination.startswith("napoletana"):
            return self("napoletana", suit=self.suits[SUITS.index(combination[-1])])
        return _MANY[self.language][combination]

    def declared(self, text: str) -> str:
        """Return what was announced, from the engine's text: ``napoletana c``, ``A all``, ``A without s``."""
        first, *rest = text.split()
        if first == "napoletana":
            return self.combination(text)
        ranks = _MANY[self.language][first]
        if rest == ["all"]:
            return self("four_of", ranks=ranks)
        return self("three_of", ranks=ranks, suit=self.suits[SUITS.index(rest[-1])])

    def action(self, action: Action) -> str:
        """Return an action in words; a discard without its card (-1) is face down."""
        if action.kind == "play":
            signal = f", {self.signal(action.signal)}" if action.signal else ""
            return self.card(action.card) + signal
        if action.kind == "declare":
            return self("declare", what=self.combination(action.combination))
        if action.kind == "bid":
            return self.bid(action.bid)
        if action.kind in ("call", "give", "discard"):
            return self(action.kind, card=self.card(action.card)) if action.card >= 0 else self("discard_hidden")
        return self(action.kind)


WORDS = {language: Words(language) for language in LANGUAGES}


def both(text: Callable[[Words], T]) -> dict[str, T]:
    """Return a text, or texts, in every language: what a page shows when its reader changes the language.

    >>> both(lambda words: words.card(9))
    {'en': 'three of cups', 'it': 'tre di coppe'}
    """
    return {language: text(words) for language, words in WORDS.items()}
