"""Players as distributions over actions: what the measures need to know of who speaks and who listens."""

from copy import copy
from typing import Any, Protocol

import numpy as np

from tressette_env.bots import BOTS, BotError, KernelPolicy, Policy
from tressette_env.bots.base import parse_options
from tressette_env.engine.batch import masks_all

ROWS = 8192  # views that a network is asked at once


class Speaker(Protocol):
    """A player whose probabilities are known; ``name`` is the player's."""

    name: str

    def probabilities(self, views: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Return the probability of every action id for views, STATE_DTYPE (B,): float64 (B, A)."""


def speaker_of(policy: Policy) -> Speaker:
    """Return a player's probabilities: a network's softmax (also of one that plays greedily), a table's, a bot's.

    Raises ``BotError`` for players that search: what they would do elsewhere is known by searching alone.
    """
    if hasattr(policy, "probabilities"):
        mixed: Any = copy(policy)
        mixed.greedy = False
        return _InParts(mixed)
    kind = str(policy.name).strip().partition(":")[0]
    if isinstance(policy, KernelPolicy) and kind in BOTS:
        return _Random(policy) if kind == "random" else _Certain(policy)
    raise BotError(f"the player {policy.name!r} does not tell its probabilities: name a network, a table or a bot")


class _InParts:
    """A network or a table, asked for so many rows at once."""

    def __init__(self, policy: Any) -> None:
        self.name = str(policy.name)
        self._policy = policy

    def probabilities(self, views: np.ndarray, table: np.ndarray) -> np.ndarray:
        parts = [self._policy.probabilities(views[at : at + ROWS], table) for at in range(0, len(views), ROWS)]
        return np.concatenate(parts) if parts else np.empty((0, int(table[0]["num_actions"])))


class _Certain:
    """A bot that never draws: everything on one action."""

    def __init__(self, policy: Policy) -> None:
        self.name = policy.name
        self._policy = policy

    def probabilities(self, views: np.ndarray, table: np.ndarray) -> np.ndarray:
        taken = self._policy.actions(views, table, np.zeros(len(views), np.uint64))
        out = np.zeros((len(views), int(table[0]["num_actions"])))
        out[np.arange(len(views)), taken] = 1.0
        return out


class _Random:
    """`random`: an even draw among what it allows itself."""

    def __init__(self, policy: KernelPolicy) -> None:
        self.name = policy.name
        options = parse_options(policy.name.strip().partition(":")[2], BOTS["random"].options, "the bot 'random'")
        self._silent = not options["signals"]

    def probabilities(self, views: np.ndarray, table: np.ndarray) -> np.ndarray:
        mask = np.empty((len(views), int(table[0]["num_actions"])), np.int8)
        masks_all(views, table, mask)
        if self._silent:
            mask[:, 40 : 40 * (1 + int(table[0]["num_signals"]))] = 0
        even: np.ndarray = mask / mask.sum(1, keepdims=True)
        return even
