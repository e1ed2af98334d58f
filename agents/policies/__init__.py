"""Trained networks that come with the repository, by name: ``evaluate.py ppo heuristic``.

One name stands for one network per set of rules; the rules played choose. `index.yaml` says how each was made and how
it did; docs/policies.md prints it.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from tressette_env.errors import TressetteError
from tressette_env.observation import layout
from tressette_env.presets import make_rules
from tressette_env.rules import Rules

FOLDER = Path(__file__).resolve().parent
TEST_SEED = 4004  # deals of the results in index.yaml, used for no choice; their cards: tests/test_test_deals.py


class ShippedError(TressetteError):
    """A network that does not come with the repository for these rules."""


@dataclass(frozen=True)
class Shipped:
    """One network: its name, the rules it was trained for, its file, and its card as plain data."""

    name: str
    rules: Any
    file: str
    summary: str
    hash: str
    recipe: tuple[str, ...]  # commands, in order
    commit: str
    machine: str
    seed: int
    decisions: int
    core_minutes: int
    results: tuple[dict[str, Any], ...]  # of evaluate.py: rules, opponent, deals, seed, mean, ci95
    notes: str = ""

    @property
    def path(self) -> Path:
        """Where its weights are."""
        return FOLDER / self.file


@lru_cache(maxsize=1)
def shipped() -> tuple[Shipped, ...]:
    """Return all networks that come with the repository."""
    rows = yaml.safe_load((FOLDER / "index.yaml").read_text(encoding="utf-8"))
    return tuple(
        Shipped(**{key: tuple(value) if isinstance(value, list) else value for key, value in row.items()})
        for row in rows
    )


def names() -> tuple[str, ...]:
    """Return the names that networks go by."""
    return tuple(dict.fromkeys(row.name for row in shipped()))


def find(name: str, rules: Rules) -> Shipped:
    """Return the network of a name for some rules: one trained for them, else the first whose spaces are the same.

    Raises ``ShippedError`` where there is none.
    """
    rows = [row for row in shipped() if row.name == name]
    for row in rows:
        if game_of(make_rules(row.rules)) == game_of(rules):
            return row
    for row in rows:
        trained = make_rules(row.rules)
        if trained.blocks == rules.blocks and layout(trained) == layout(rules):
            return row
    known = ", ".join(make_rules(row.rules).name for row in rows)
    raise ShippedError(
        f"no network {name!r} was trained for {rules.name!r}: it comes for {known}; train one by train.py"
    )


def game_of(rules: Rules) -> dict[str, Any]:
    """Return what of some rules a deal depends on."""
    return {key: value for key, value in rules.to_dict().items() if key not in ("name", "target")}
