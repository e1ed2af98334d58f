"""The other seats of the single-agent views: policies by name, object or function, and the keys that drive them."""

import operator
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numba as nb
import numpy as np

from tressette_env.bots import BOTS, Policy, make
from tressette_env.engine.batch import observe_acting
from tressette_env.engine.randomness import key_of
from tressette_env.errors import IllegalActionError, RulesError, TressetteError, nearest
from tressette_env.observation import layout
from tressette_env.rules import Rules

DEFAULT = "random"  # who plays a seat that nobody was named for
_FIRST_STREAM = 1000  # streams of (seed, k) that belong to the other seats, one per ply


@nb.njit(cache=True)
def policy_keys(seeds, ks, plies, out):  # type: ignore[no-untyped-def]
    """Write one key per row, uint64 (R,): a pure function of (seed, k, number of actions so far)."""
    for i in range(seeds.shape[0]):
        out[i] = key_of(seeds[i], ks[i], _FIRST_STREAM + plies[i])


class ObservationPolicy:
    """A policy made of a function ``(observation float32 (F,), action mask int8 (A,)) -> action id``.

    The function is called once per decision with fresh arrays of what the seat to act is shown, as the environment
    shows it; it brings its own randomness.
    """

    def __init__(self, choose: Callable[[np.ndarray, np.ndarray], Any], rules: Rules, name: str) -> None:
        self.name = name
        self._choose = choose
        self._shape = layout(rules).size, rules.blocks.num_actions

    def actions(self, views: np.ndarray, table: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """Return one legal action id per row, int64 (B,); see ``bots.Policy.actions``.

        Raises ``TressetteError`` when the function returns no id, ``IllegalActionError`` for one that is not legal.
        """
        size, num_actions = self._shape
        observations = np.empty((len(views), size), np.float32)
        masks = np.empty((len(views), num_actions), np.int8)
        observe_acting(views, table, masks, observations)
        return np.array([self._one(obs, mask) for obs, mask in zip(observations, masks, strict=True)], np.int64)

    def act(self, view: np.ndarray, table: np.ndarray, key: int) -> int:
        """Return the action id for one view, STATE_DTYPE (1,)."""
        return int(self.actions(view, table, np.array([key], np.uint64))[0])

    def _one(self, observation: np.ndarray, mask: np.ndarray) -> int:
        answer = self._choose(observation.copy(), mask.copy())
        try:
            action = operator.index(answer)
        except TypeError:
            raise TressetteError(
                f"the policy {self.name!r} returned {answer!r}: return one action id, an int"
            ) from None
        if not 0 <= action < mask.size or not mask[action]:
            raise IllegalActionError(
                f"the policy {self.name!r} chose action {action}, not legal there: return an id whose mask is 1"
            )
        return action


def resolve_policy(policy: Any, rules: Rules) -> Policy:
    """Return a policy from what ``partner=`` and ``opponents=`` take.

    That is a bot's name with options, a checkpoint or run path (these and the bots that search need the repository's
    ``agents`` package), an object with ``act`` and ``actions`` (`bots.Policy`), an object with
    ``predict(observation, mask)``, or a function of the two (`ObservationPolicy`). Raises
    ``TressetteError`` for anything else.
    """
    if isinstance(policy, (str, Path)):
        return _named(str(policy), rules)
    if not isinstance(policy, type):
        if hasattr(policy, "act") and hasattr(policy, "actions"):
            return policy  # type: ignore[no-any-return]
        choose = getattr(policy, "predict", policy)
        if callable(choose):
            return ObservationPolicy(choose, rules, getattr(policy, "__name__", type(policy).__name__))
    raise TressetteError(
        f"the policy {policy!r} is no name, path, object with act and actions or with predict(observation, mask), "
        "nor a function (observation, mask) -> action id"
    )


def _named(text: str, rules: Rules) -> Policy:
    if text.strip().partition(":")[0] in BOTS:
        return make(text)
    try:
        entries = import_module("agents.entries")
    except ImportError:
        if nearest(text.partition(":")[0], list(BOTS)) and not Path(text).exists():
            return make(text)  # says which bot may have been meant
        raise TressetteError(
            f"the policy {text!r} is none of the bots {', '.join(BOTS)}: a bot that searches or a path needs the "
            "repository's agents package"
        ) from None
    policy = entries.resolve(text, rules)
    if getattr(policy, "sees_all", False):
        raise TressetteError(f"the policy {text!r} sees all hands: only evaluate.py seats it, name a player instead")
    return policy  # type: ignore[no-any-return]


def checked_seat(seat: Any, rules: Rules) -> int:
    """Return a seat as an int. Raises ``RulesError`` for one that the rules lack."""
    if isinstance(seat, bool) or not isinstance(seat, (int, np.integer)) or not 0 <= seat < rules.num_seats:
        raise RulesError(f"seat = {seat!r} is not a seat of these rules: give one from 0 to {rules.num_seats - 1}")
    return int(seat)


def other_seats(rules: Rules, seat: int, partner: Any, opponents: Any) -> list[Policy | None]:
    """Return the policy of every seat, None at the own one; partner and opponents are told apart by side.

    Where the seat has no partner before play (two seats, each for themselves, a side alone, an auction) ``opponents``
    plays all other seats. Raises ``RulesError`` when a partner is named there.
    """
    foe = resolve_policy(opponents, rules)
    sides = rules.sides
    if isinstance(sides, str) or sides.count(sides[seat]) == 1:
        if not (isinstance(partner, str) and partner == DEFAULT):
            raise RulesError(
                f"partner = {partner!r} has no seat to play: under the rules {rules.name!r} seat {seat} has no fixed "
                "partner and opponents plays all other seats; leave partner out"
            )
        return [None if s == seat else foe for s in range(rules.num_seats)]
    friend = resolve_policy(partner, rules)
    return [None if s == seat else friend if sides[s] == sides[seat] else foe for s in range(rules.num_seats)]
