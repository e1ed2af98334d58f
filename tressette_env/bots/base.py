"""What a policy is, and the kernel-backed kind that the bots of this package are."""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from tressette_env.errors import TressetteError


class BotError(TressetteError):
    """An unknown bot name or an option it does not take."""


class Policy(Protocol):
    """Anything that plays: row i of a call is one decision, made from the acting seat's own view and key alone."""

    name: str

    def actions(self, views: np.ndarray, table: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """Return one legal action id per row, int64 (B,).

        views: the redacted record of the seat to act (``engine.view.redact``), STATE_DTYPE (B,).
        table: the rules as kernels read them, RULES_DTYPE (1,). keys: the rows' randomness, uint64 (B,).
        """

    def act(self, view: np.ndarray, table: np.ndarray, key: int) -> int:
        """Return the action id for one view, STATE_DTYPE (1,)."""


class KernelPolicy:
    """A policy whose batch call is one compiled loop ``kernel(views, table, keys, option, out)``."""

    def __init__(self, name: str, kernel: Callable[..., None], option: int = 0) -> None:
        self.name = name
        self._kernel = kernel
        self._option = option

    def __repr__(self) -> str:
        """Return the text that ``make`` would read."""
        return f"make({self.name!r})"

    def actions(self, views: np.ndarray, table: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """Return one legal action id per row, int64 (B,); see ``Policy.actions``."""
        out = np.empty(len(views), np.int64)
        self._kernel(views, table, np.asarray(keys, np.uint64), self._option, out)
        return out

    def act(self, view: np.ndarray, table: np.ndarray, key: int) -> int:
        """Return the action id for one view, STATE_DTYPE (1,)."""
        return int(self.actions(view, table, np.array([key], np.uint64))[0])


def parse_options(text: str, allowed: dict[str, Any], what: str) -> dict[str, Any]:
    """Return the options of ``name:key=value,...``, read as the type of their default.

    Raises ``BotError`` for a key that is not allowed or a value that cannot be read.

    >>> parse_options("worlds=20", {"worlds": 10}, "the bot 'pimc'")
    {'worlds': 20}
    """
    from tressette_env.errors import nearest

    values = dict(allowed)
    given = set()
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not value:
            raise BotError(f"cannot read the option {part!r} of {what}: write key=value")
        if key in given:
            raise BotError(f"the option {key!r} of {what} is given twice: leave one out")
        if key not in allowed:
            known = ", ".join(allowed) or "none"
            raise BotError(f"{what} has no option {key!r}{nearest(key, list(allowed))}: its options are {known}")
        values[key] = _read(value, allowed[key], key, what)
        given.add(key)
    return values


def _read(value: str, default: Any, key: str, what: str) -> Any:
    if isinstance(default, bool):
        words = {"on": True, "true": True, "1": True, "off": False, "false": False, "0": False}
        if value.lower() not in words:
            raise BotError(f"the option {key} = {value!r} of {what} is not on or off")
        return words[value.lower()]
    try:
        return type(default)(value)
    except ValueError:
        wanted = {int: "a whole number", float: "a number"}.get(type(default), type(default).__name__)
        raise BotError(f"the option {key} = {value!r} of {what} is not {wanted}") from None
