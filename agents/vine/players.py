"""Who acts in the deals of a run: the learning network, or in a share of the deals another policy for one side."""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Sequence

import numba as nb
import numpy as np
import torch
from torch import nn

from agents.arena import TILE, asked
from agents.checkpoint import NetworkPolicy
from agents.features import actor_features, to_engine_actions
from agents.networks import autocast
from agents.rooms import competitors
from tressette_env.bots.base import Policy
from tressette_env.engine.batch import views_acting
from tressette_env.engine.randomness import key_of
from tressette_env.observation import layout
from tressette_env.rules import Rules

LEARNER = -1


@nb.njit(cache=True, nogil=True)
def best_legal(logits, masks, out):
    """Write the legal action with the greatest logit, the first of equals, int64 (R,)."""
    for j in range(masks.shape[0]):
        out[j] = -1
        for action in range(masks.shape[1]):
            if masks[j, action] and (out[j] < 0 or logits[j, action] > logits[j, out[j]]):
                out[j] = action


@nb.njit(cache=True, nogil=True)
def _keys(states, rows, out):
    """Write what a bot's choices in states[rows] are drawn from, uint64 (R,)."""
    for j in range(rows.shape[0]):
        out[j] = key_of(np.int64(rows[j]), np.int64(states[rows[j]]["num_played"]), np.int64(states[rows[j]]["to_act"]))


def seat_players(numbers: np.ndarray, rules: Rules, opponents: int, alone: int = 0) -> np.ndarray:
    """Return who sits where in each deal, int64 (G, S): ``LEARNER`` or the number of an opponent.

    Deals go to ``alone`` tables of the learner alone and to each opponent in turn; an opponent has one side (in auction
    games one seat), each side equally often.

    >>> seat_players(np.arange(4), Rules(), opponents=1, alone=1).tolist()
    [[-1, -1, -1, -1], [0, -1, 0, -1], [-1, -1, -1, -1], [-1, 0, -1, 0]]
    """
    kinds = alone + opponents
    kind, turn = numbers % kinds - alone, numbers // kinds
    side = turn % rules.num_competitors
    return np.where(competitors(rules) == side[:, None], np.maximum(kind, LEARNER)[:, None], LEARNER)


class Players:
    """The learner and its opponents; they choose greedily, on what the seats to act know.

    With ``chunk`` a network is asked exactly so many rows at a time, zeros filled in, so that what it says of a row
    depends to the last bit on that row alone.
    """

    def __init__(
        self, rules: Rules, opponents: Sequence[Policy] = (), *, canonical: bool, device: torch.device, bf16: bool,
        chunk: int = 0,
    ) -> None:  # fmt: skip
        self._table = rules.table()
        self._size, self._width = layout(rules).size, rules.blocks.num_actions
        self._canonical, self._device, self._bf16 = canonical, device, bf16
        self._opponents = tuple(opponents)
        self._chunk = chunk

    def choose(self, actor: nn.Module, states: np.ndarray, rows: np.ndarray, seats: np.ndarray | None) -> np.ndarray:
        """Return an action for states[rows], int64 (R,) engine ids; ``seats`` int64 (N, S) as in ``seat_players``."""
        if seats is None:
            return self._likeliest(actor, states, rows, self._canonical)
        who = seats[rows, states["to_act"][rows]]
        out = np.empty(len(rows), np.int64)
        for player in np.unique(who):
            own = who == player
            out[own] = (
                self._likeliest(actor, states, rows[own], self._canonical)
                if player == LEARNER
                else self._of(int(player), states, rows[own])
            )
        return out

    def _of(self, player: int, states: np.ndarray, rows: np.ndarray) -> np.ndarray:
        policy = self._opponents[player]
        if isinstance(policy, NetworkPolicy):
            return self._likeliest(policy.actor, states, rows, policy.canonical)
        views, keys = np.empty_like(states[rows]), np.empty(len(rows), np.uint64)
        views_acting(states[rows], self._table, views)
        _keys(states, rows, keys)
        return asked(policy, views, self._table, keys)

    @torch.no_grad()
    def _likeliest(self, actor: nn.Module, states: np.ndarray, rows: np.ndarray, canonical: bool) -> np.ndarray:
        tile = self._chunk or TILE
        obs = np.zeros((-(-len(rows) // tile) * tile, self._size), np.float32)
        masks = np.empty((len(rows), self._width), np.int8)
        actor_features(states, rows, self._table, canonical, obs, masks)
        with autocast(self._device, self._bf16):
            parts = torch.from_numpy(obs).to(self._device).split(self._chunk or len(obs))
            logits = torch.cat([actor(part).float() for part in parts]).cpu().numpy()
        chosen, out = np.empty(len(rows), np.int64), np.empty(len(rows), np.int64)
        best_legal(logits, masks, chosen)
        to_engine_actions(states, rows, self._table, canonical, chosen, out)
        return out
