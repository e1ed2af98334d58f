"""What the reset of many rows asks for: seeds, deals, dealers and histories, all checked before any row changes."""

import secrets
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from tressette_env.engine.game import MAX_SEED, RESET_OPTIONS, Game, checked_seed
from tressette_env.errors import GameOverError, TressetteError, nearest


class Beginning(NamedTuple):
    """The beginning of one row's episode that reset options asked for."""

    row: int
    state: np.void  # STATE_DTYPE
    k: int
    status: int
    plies: int
    held: bool  # it has a history, and may be over before the seat had a decision


def checked_options(options: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Return the reset options. Raises ``TressetteError`` for a misspelt one; foreign ones pass."""
    known = [*RESET_OPTIONS, "reset_mask"]
    for name in options or {}:
        hint = "" if name in known else nearest(str(name), known)
        if hint:
            raise TressetteError(f"unknown reset option {name!r}{hint}: use {', '.join(known)}")
    return options or {}


def row_seeds(seed: Any, num_envs: int) -> list[int | None]:
    """Return the seed of every row, None to go on with its own, from None, an int (plus row number) or a list.

    Raises ``TressetteError`` for anything else.
    """
    if seed is None:
        return [None] * num_envs
    if isinstance(seed, (list, tuple, np.ndarray)):
        if len(seed) != num_envs:
            raise TressetteError(f"{len(seed)} seeds do not fit {num_envs} rows: give one per row")
        return [None if value is None else checked_seed(value) for value in seed]
    first, high = checked_seed(seed), MAX_SEED - num_envs
    if first > high:
        raise TressetteError(f"seed = {first} is out of range: give a whole number from 0 to {high}")
    return [first + i for i in range(num_envs)]


def seeded(given: list[int | None], rows: np.ndarray, seeds: np.ndarray, ks: np.ndarray, anew: bool) -> None:
    """Set seed and last deal number, int64 (B,) each, where a row is given a seed (with `anew` the others draw one)."""
    for i in np.flatnonzero(rows):
        value = given[i]
        if value is None and anew:
            value = secrets.randbits(62)
        if value is not None:
            seeds[i], ks[i] = value, -1


def beginnings(
    game: Game, rows: np.ndarray, seeds: np.ndarray, ks: np.ndarray, options: Mapping[str, Any]
) -> list[Beginning]:
    """Return the beginnings that options ask for, made by a single game (overwritten) as a single environment does.

    Raises ``TressetteError`` or ``GameOverError`` that names the first row whose options do not fit.
    """
    values = {name: _per_row(name, options[name], rows.size) for name in RESET_OPTIONS if options.get(name) is not None}
    found = []
    for i in np.flatnonzero(rows) if values else ():
        own = {name: of_rows[i] for name, of_rows in values.items() if of_rows[i] is not None}
        if "deal" in own and not isinstance(own["deal"], str):
            raise TressetteError(f"row {i}: the option deal = {own['deal']!r} is not a text: give one deal per row")
        game.seed, game.k = int(seeds[i]), int(ks[i])
        try:
            game.reset(None, own)
        except (TressetteError, GameOverError) as error:
            raise type(error)(f"row {i}: {error}") from None
        held = bool(own.get("history"))
        found.append(Beginning(int(i), game.states[0].copy(), game.k, game.status, len(game.actions), held))
    return found


def _per_row(name: str, value: Any, num_envs: int) -> list[Any]:
    """Return an option's value for every row: one for all, or one per row."""
    sequence = isinstance(value, (list, tuple, np.ndarray))
    one = all(isinstance(text, str) for text in value) if name == "history" and sequence else not sequence
    if one:
        return [value] * num_envs
    if len(value) != num_envs:
        raise TressetteError(
            f"the option {name} has {len(value)} values for {num_envs} rows: give one for all rows or one per row"
        )
    return list(value)
