"""Exception types: each carries one sentence that names the value and the fix."""


class TressetteError(ValueError):
    """Base of every error this package raises for bad input."""


class NotationError(TressetteError):
    """A card, hand, deal, action or record text that cannot be read."""


class RulesError(TressetteError):
    """An unknown preset, an unknown field or an inconsistent rules object."""


class IllegalActionError(TressetteError):
    """An action that the seat to act may not take now."""


class MissingExtraError(TressetteError, ImportError):
    """A package of an optional extra that cannot be imported."""

    def __init__(self, what: str, package: str, extra: str) -> None:
        super().__init__(f"{what} need {package}, which cannot be imported: run pip install '.[{extra}]' in a clone")


class GameOverError(RuntimeError):
    """A finished game was asked for another step."""


def nearest(word: str, known: list[str]) -> str:
    """Return a hint ``(did you mean 'x'?)`` for a misspelt word, or an empty string.

    >>> nearest("tresette", ["tressette", "due"])
    " (did you mean 'tressette'?)"
    """
    found = closest(word, known)
    return f" (did you mean {found!r}?)" if found else ""


def closest(word: str, known: list[str]) -> str:
    """Return the known word that is spelt much like another, or an empty string.

    >>> closest("DUE", ["tressette", "due"])
    'due'
    """
    from difflib import get_close_matches

    same = [name for name in known if name.casefold() == word.casefold()]
    return next(iter(get_close_matches(word, known, n=1) or same), "")
