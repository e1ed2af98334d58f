"""`netsearch`: a network's likely actions compared in sampled worlds that the network plays on in.

What the worlds say is added to what the network thought: a policy trained at a temperature t puts an action that is x
points worse e^(-x/t) times less likely, so ``prior`` log-probabilities are points.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from typing import Any

import numba as nb
import numpy as np

from agents.arena import TILE
from agents.checkpoint import NetworkPolicy
from agents.features import to_engine_columns
from agents.search.beliefs import new_belief, prepare, sample
from agents.search.registry import NETSEARCH_OPTIONS, read_options
from agents.search.rollouts import MISSES
from agents.vine.playouts import NetworkPlayouts
from tressette_env.bots.base import BotError
from tressette_env.engine.randomness import key_of
from tressette_env.engine.view import redact

ROWS_A_CALL = 64  # most decisions whose worlds are played out together


@nb.njit(cache=True, nogil=True)
def draw_worlds(views, table, keys, number, out, found):
    """Fill out, STATE_DTYPE (B * number,), with worlds of the seats to act; found: bool (B * number,), where one is.

    views: STATE_DTYPE (B,), what is hidden from the seats to act is blanked first; keys: uint64 (B,).
    """
    belief = new_belief()
    scratch = views[:1].copy()
    own = scratch[0]
    for row in range(views.shape[0]):
        scratch[0] = views[row]
        redact(own, table[0], own["to_act"])
        prepare(own, table[0], belief)
        missed = 0
        for world in range(number):
            at = row * number + world
            out[at] = own
            found[at] = missed <= MISSES
            if found[at]:
                key = key_of(np.int64(keys[row] >> np.uint64(1)), world, 0)
                found[at] = sample(own, table[0], belief, key, out[at])
                missed += not found[at]


class NetworkSearch:
    """A network as a player that looks before it plays; same protocol as the bots."""

    def __init__(
        self, policy: NetworkPolicy, name: str, *, worlds: int, floor: float, prior: float, tricks: int
    ) -> None:
        self.policy = policy
        self.name = name
        self.hash = policy.hash
        self._worlds, self._floor, self._prior = worlds, floor, prior
        bot = "heuristic" if tricks >= 0 else ""
        self._playouts = NetworkPlayouts(
            policy.rules, canonical=policy.canonical, device=policy.device, bf16=False, bot=bot, tricks=tricks
        )

    def actions(self, views: np.ndarray, table: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """Return one legal action id per row, int64 (B,); see ``bots.Policy.actions``."""
        keys = np.asarray(keys, np.uint64)
        out = np.empty(len(views), np.int64)
        for first in range(0, len(views), ROWS_A_CALL):
            rows = slice(first, first + ROWS_A_CALL)
            out[rows] = self._search(views[rows], table, keys[rows])
        return out

    def act(self, view: np.ndarray, table: np.ndarray, key: int) -> int:
        """Return the action id for one view, STATE_DTYPE (1,)."""
        return int(self.actions(view, table, np.array([key], np.uint64))[0])

    def scores(self, views: np.ndarray, table: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """Return each action's score in points, float64 (B, A), -inf for what is illegal or was not tried."""
        logs = self._log_probs(views, table)
        tried = logs >= np.log(max(self._floor, 1e-30))
        tried[np.arange(len(views)), logs.argmax(1)] = True
        values = np.zeros_like(logs)
        rows = np.flatnonzero(tried.sum(1) > 1)
        if len(rows):
            values[rows] = self._values(views[rows], table, keys[rows], tried[rows])
        return np.where(tried, values + self._prior * logs, -np.inf)

    def _log_probs(self, views: np.ndarray, table: np.ndarray) -> np.ndarray:
        filled = np.arange(-(-len(views) // TILE) * TILE) % len(views)
        own = self.policy.log_probs(views[filled], table)[: len(views)].double().numpy()
        logs = np.empty_like(own)
        to_engine_columns(views, table, self.policy.canonical, own, logs)
        return logs

    def _search(self, views: np.ndarray, table: np.ndarray, keys: np.ndarray) -> np.ndarray:
        return self.scores(views, table, keys).argmax(1)

    def _values(self, views: np.ndarray, table: np.ndarray, keys: np.ndarray, tried: np.ndarray) -> np.ndarray:
        """Return the mean result of each tried action over the worlds, float64 (B, A), 0 for the others."""
        number = self._worlds
        worlds, found = np.empty(len(views) * number, views.dtype), np.empty(len(views) * number, np.bool_)
        draw_worlds(views, table, keys, number, worlds, found)
        width = int(tried.sum(1).max())
        actions = np.argsort(~tried, 1, kind="stable")[:, :width]
        valid = np.take_along_axis(tried, actions, 1)
        each, known = np.repeat(actions, number, 0), np.repeat(valid, number, 0) & found[:, None]
        results = self._playouts.play_out(self.policy.actor, worlds, each, known).astype(np.float64)
        count = np.maximum(found.reshape(-1, number).sum(1), 1)
        means = results.reshape(-1, number, width).sum(1) / count[:, None]
        values = np.zeros(tried.shape)
        np.put_along_axis(values, actions, np.where(valid, means, 0.0), 1)
        return values


def make_netsearch(text: str, load: Any) -> NetworkSearch:
    """Return the player for ``netsearch:policy=...,worlds=...``; ``load(entry)`` returns the policy that is named.

    Raises ``BotError`` for an unknown option, a value out of range and a policy that is no network.
    """
    what = "the bot 'netsearch'"
    given = read_options(text.strip().partition(":")[2], NETSEARCH_OPTIONS, what)
    if not given["policy"]:
        raise BotError(f"{what} needs a network: write netsearch:policy=NAME, such as netsearch:policy=distilled")
    policy = load(given["policy"])
    if not isinstance(policy, NetworkPolicy):
        raise BotError(f"{what} searches with a network, and {given['policy']!r} is none: name a trained policy")
    return NetworkSearch(
        policy, text.strip(), worlds=given["worlds"], floor=given["floor"] / 100, prior=given["prior"] / 100,
        tricks=given["tricks"],
    )  # fmt: skip
