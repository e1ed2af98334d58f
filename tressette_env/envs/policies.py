"""The other seats of the single-agent views: policies by name or object, and the keys that drive them."""

from importlib import import_module
from pathlib import Path
from typing import Any

import numba as nb
import numpy as np

from tressette_env.bots import BOTS, Policy, make
from tressette_env.engine.dealing import key_of
from tressette_env.errors import RulesError, TressetteError
from tressette_env.rules import Rules

_FIRST_STREAM = 1000  # streams of (seed, k) that belong to the other seats, one per ply


@nb.njit(cache=True)
def policy_keys(seeds, ks, plies, out):  # type: ignore[no-untyped-def]
    """Write one key per row, uint64 (R,): a pure function of (seed, k, number of actions so far)."""
    for i in range(seeds.shape[0]):
        out[i] = key_of(seeds[i], ks[i], _FIRST_STREAM + plies[i])


def resolve_policy(policy: Any, rules: Rules) -> Policy:
    """Return a policy from a bot's name, an object with ``act`` and ``actions``, or a checkpoint or run path.

    A path needs the repository's ``agents`` package. Raises ``TressetteError`` for anything else.
    """
    if not isinstance(policy, (str, Path)):
        if hasattr(policy, "act") and hasattr(policy, "actions"):
            return policy  # type: ignore[no-any-return]
        raise TressetteError(f"the policy {policy!r} is no name, path or object with the methods act and actions")
    text = str(policy)
    if text.partition(":")[0] in BOTS or not Path(text).exists():
        return make(text)
    try:
        entries = import_module("agents.entries")
    except ImportError:
        raise TressetteError(f"the policy {text!r} is a path: that needs the repository's agents package") from None
    return entries.resolve(text, rules)  # type: ignore[no-any-return]


def other_seats(rules: Rules, seat: int, partner: Any, opponents: Any) -> list[Policy | None]:
    """Return the policy of every seat, None at the own one; partner and opponents are told apart by side.

    Raises ``RulesError`` for a seat that the rules lack.
    """
    if isinstance(seat, bool) or not isinstance(seat, (int, np.integer)) or not 0 <= seat < rules.num_seats:
        raise RulesError(f"seat = {seat!r} is not a seat of these rules: give one from 0 to {rules.num_seats - 1}")
    friend, foe = resolve_policy(partner, rules), resolve_policy(opponents, rules)
    sides = (0,) * rules.num_seats if isinstance(rules.sides, str) else rules.sides
    return [None if s == seat else friend if sides[s] == sides[seat] else foe for s in range(rules.num_seats)]
