"""`netsearch`: a network's likely actions compared in sampled worlds that the network plays on in.

What the worlds say is added to what the network thought: a policy trained at a temperature t puts an action that is x
points worse e^(-x/t) times less likely, so ``prior`` log-probabilities are points.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

import copy
from typing import Any

import numba as nb
import numpy as np
import torch

from agents.arena import TILE
from agents.checkpoint import NetworkPolicy
from agents.features import to_engine_columns
from agents.netsearch.past import MOST_CHOICES, add_log_chances, past_choices
from agents.search.beliefs import new_belief, prepare, sample
from agents.search.registry import NETSEARCH_OPTIONS, read_options
from agents.search.rollouts import MISSES
from agents.vine.playouts import NetworkPlayouts
from tressette_env.bots.base import BotError
from tressette_env.engine.randomness import key_of
from tressette_env.engine.view import redact

WORLDS_A_CALL = 4096  # most worlds that are played out together, those of one decision at least
CHUNK = 512  # rows that the network is asked at once in the worlds
LEAST_CHANCE = 0.01  # of a card that a world must explain: nobody plays exactly as the network does


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
        self, policy: NetworkPolicy, name: str, *, worlds: int, floor: float, prior: float, tricks: int,
        trust: float = 0.0, bf16: bool = False,
    ) -> None:  # fmt: skip
        self.policy = policy
        self.name = name
        self.hash = policy.hash
        self._worlds, self._floor, self._prior, self._trust = worlds, floor, prior, trust
        actor = copy.deepcopy(policy.actor).bfloat16() if bf16 else policy.actor
        self._quick = NetworkPolicy(actor, policy.rules, policy.name, policy.canonical)
        bot = "heuristic" if tricks >= 0 else ""
        self._playouts = NetworkPlayouts(
            policy.rules,
            canonical=policy.canonical,
            device=policy.device,
            bf16=bf16,
            bot=bot,
            tricks=tricks,
            chunk=CHUNK,
        )

    def actions(self, views: np.ndarray, table: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """Return one legal action id per row, int64 (B,); see ``bots.Policy.actions``."""
        keys = np.asarray(keys, np.uint64)
        out = np.empty(len(views), np.int64)
        together = max(WORLDS_A_CALL // self._worlds, 1)
        for first in range(0, len(views), together):
            rows = slice(first, first + together)
            out[rows] = self._search(views[rows], table, keys[rows])
        return out

    def act(self, view: np.ndarray, table: np.ndarray, key: int) -> int:
        """Return the action id for one view, STATE_DTYPE (1,)."""
        return int(self.actions(view, table, np.array([key], np.uint64))[0])

    def scores(self, views: np.ndarray, table: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """Return each action's score in points, float64 (B, A), -inf for what is illegal or was not tried."""
        logs = self._log_probs(self.policy, views, table, TILE)
        tried = logs >= np.log(max(self._floor, 1e-30))
        tried[np.arange(len(views)), logs.argmax(1)] = True
        values = np.zeros_like(logs)
        rows = np.flatnonzero(tried.sum(1) > 1)
        if len(rows):
            values[rows] = self._values(views[rows], table, keys[rows], tried[rows])
        return np.where(tried, values + self._prior * logs, -np.inf)

    def _log_probs(self, policy: NetworkPolicy, views: np.ndarray, table: np.ndarray, tile: int) -> np.ndarray:
        """Return log-probabilities by engine id, float64 (B, A); the network is asked ``tile`` views at a time."""
        filled = np.arange(-(-len(views) // tile) * tile) % len(views)
        parts = [policy.log_probs(views[filled[at : at + tile]], table) for at in range(0, len(filled), tile)]
        own = torch.cat(parts)[: len(views)].double().numpy()
        logs = np.empty_like(own)
        to_engine_columns(views, table, policy.canonical, own, logs)
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
        results = self._playouts.play_out(self._quick.actor, worlds, each, known).astype(np.float64)
        weights = self._weights(worlds, found, table).reshape(-1, number, 1)
        total = np.maximum(weights.sum(1), 1e-30)
        means = (results.reshape(-1, number, width) * weights).sum(1) / total
        values = np.zeros(tried.shape)
        np.put_along_axis(values, actions, np.where(valid, means, 0.0), 1)
        return values

    def _weights(self, worlds: np.ndarray, found: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Return what each world counts, float64 (B * number,): at most 1 among those of a decision, 0 if not found."""
        chances = np.where(found, 0.0, -np.inf)
        if self._trust:
            size = len(worlds) * MOST_CHOICES
            states, actions, owners = np.empty(size, worlds.dtype), np.empty(size, np.int64), np.empty(size, np.int64)
            some = past_choices(worlds, found, table, states, actions, owners)
            if some:
                logs = self._log_probs(self._quick, states[:some], table, CHUNK)
                add_log_chances(logs, actions[:some], owners[:some], np.log(LEAST_CHANCE), chances)
        of_decision = chances.reshape(-1, self._worlds)
        best = np.maximum(of_decision.max(1, keepdims=True), -1e30)
        with np.errstate(invalid="ignore"):
            weights = np.exp(self._trust * (of_decision - best))
        return np.where(found, weights.ravel(), 0.0)


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
        tricks=given["tricks"], trust=given["trust"] / 100, bf16=bool(given["bf16"]),
    )  # fmt: skip
