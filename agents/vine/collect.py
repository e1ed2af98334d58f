"""Deals in lock step, played by the policy as it draws; some decisions are judged: every legal action is played out."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numba as nb
import numpy as np
import torch
from torch import Tensor, nn

from agents.features import actor_features, legal_ids, to_engine_actions
from agents.networks import autocast, masked_log_probs, sample
from agents.ppo.rollout import DivergedError, split_rows, uniforms
from agents.search.rollouts import PLAYOUTS
from agents.vine.equals import first_equals
from agents.vine.players import LEARNER, seat_players
from agents.vine.playouts import NetworkPlayouts, play_out_by_bot
from tressette_env.bots.base import Policy
from tressette_env.engine.batch import RUNNING, Batch
from tressette_env.engine.randomness import draw, key_of, unit
from tressette_env.observation import layout
from tressette_env.rules import Rules

_JUDGE, _EXPLORE = 1, 2  # streams of a decision's key, beside the numbers that actions are drawn with
JUDGE_ROWS = 4096  # decisions whose actions are played out together


@dataclass
class Judged:
    """Decisions and what each legal action came to; N rows, in order of time.

    observations: float32 or bfloat16 (N, F), suits in the networks' order; legal: int64 (N, K) ids, 0 past the end;
    valid: bool (N, K); tried: bool (N, K), the actions that were played out, two or more; values: float32 (N, K),
    points for the seat to act, 0 where not tried.
    """

    observations: Tensor
    legal: Tensor
    valid: Tensor
    tried: Tensor
    values: Tensor
    playouts: int = 0


@nb.njit(cache=True, nogil=True)
def _select(seed, games, time, share, out):
    """Write which decisions are judged, bool (R,): a share, by deal and time."""
    for i in range(games.shape[0]):
        out[i] = unit(key_of(key_of(seed, games[i], time) >> np.uint64(1), 0, _JUDGE)) < share


@nb.njit(cache=True, nogil=True)
def _explore(seed, games, time, share, valid, picked):
    """Replace a share of the picked columns, int64 (R,), by any legal one."""
    for i in range(games.shape[0]):
        key = key_of(key_of(seed, games[i], time) >> np.uint64(1), 0, _EXPLORE)
        if unit(key) < share:
            picked[i] = draw(key, 1, valid[i].sum())


class Collector:
    """Plays iterations of deals with one policy at all seats and judges a share of the decisions.

    ``playouts``: "policy" or a bot of ``rollouts.PLAYOUTS``; before the bot the policy plays the trick under way and
    ``own_tricks`` more, with -1 nothing. ``opponents`` each play one side of an equal share of the deals, None stands
    for the policy itself; only the policy's decisions are judged, and opponents play on in playouts too. With ``merge``
    plays of equal neighbours are played out once, and decisions among them alone are not judged. Deals are played in
    two halves, side by side with two threads; the numbers are the same either way.
    """

    HALVES = 2

    def __init__(
        self, rules: Rules, num_deals: int, seed: int, playouts: str, own_tricks: int = -1,
        opponents: Sequence[Policy | None] = (None,), *, canonical: bool, bf16: bool, device: torch.device,
        threads: int, merge: bool = False,
    ) -> None:  # fmt: skip
        # Training deals live above 2**32, so that no evaluation seed below it ever meets one of them.
        self._numbers = [part for part in np.array_split(np.arange(num_deals), self.HALVES) if len(part)]
        self._batches = [Batch(rules, len(part), seeds=((seed + 1) << 32) + part) for part in self._numbers]
        bot = playouts if playouts in PLAYOUTS else ""
        self._bot = PLAYOUTS.index(bot) if bot and own_tricks < 0 else -1
        others = [policy for policy in opponents if policy is not None]
        self._network = NetworkPlayouts(
            rules, canonical=canonical, device=device, bf16=bf16, bot=bot, tricks=own_tricks, opponents=others
        )
        self._seats = [
            seat_players(part, rules, len(others), len(opponents) - len(others)) if others else None
            for part in self._numbers
        ]
        self._canonical, self._bf16, self._device, self._threads = canonical, bf16, device, threads
        self._merge = merge
        self._size = layout(rules).size

    def collect(
        self, actor: nn.Module, iteration: int, seed: int, judged: float, explore: float, floor: float,
        warmth: float = 1.0,
    ) -> Judged:  # fmt: skip
        """Play one iteration of deals; judge a share of the decisions, play a share of them at random.

        Actions less likely than ``floor`` are not tried, decisions with fewer than two others not judged. The deals are
        played by the policy's probabilities to the power 1 / ``warmth``: 1 as they are, 0 the likeliest action.
        """

        def half(index: int) -> Judged:
            return self._collect(index, actor, iteration, seed, judged, explore, floor, warmth)

        halves = range(len(self._batches))
        if self._threads > 1:
            with ThreadPoolExecutor(self.HALVES) as side:
                return joined(list(side.map(half, halves)))
        return joined([half(index) for index in halves])

    def _collect(
        self, index: int, actor: nn.Module, iteration: int, seed: int, judged: float, explore: float, floor: float,
        warmth: float,
    ) -> Judged:  # fmt: skip
        batch, numbers, seats = self._batches[index], self._numbers[index], self._seats[index]
        batch.start(ks=iteration)
        forced, choosing = np.empty(batch.num_games, np.int64), np.empty(batch.num_games, np.int64)
        states_of: list[np.ndarray] = []
        seats_of: list[np.ndarray] = []
        parts: list[tuple[Tensor, np.ndarray, np.ndarray, np.ndarray]] = []
        step = 0
        while (batch.status == RUNNING).any():
            rows = choosing[: split_rows(batch.states, batch.table, forced, choosing)].copy()
            if seats is not None:
                own = seats[rows, batch.states["to_act"][rows]] == LEARNER
                forced[rows[~own]] = self._network.players.choose(actor, batch.states, rows[~own], seats)
                rows = rows[own]
            if n := len(rows):
                obs, masks = np.empty((n, self._size), np.float32), np.empty((n, batch.num_actions), np.int8)
                actor_features(batch.states, rows, batch.table, self._canonical, obs, masks)
                shown = torch.from_numpy(obs)
                shown = shown.bfloat16() if self._bf16 else shown
                ids, valid = legal_ids(masks)
                probs, picked = self._draw(actor, shown, ids, valid, numbers[rows], step, seed, explore, warmth)
                chosen = np.empty(n, np.int64)
                to_engine_actions(batch.states, rows, batch.table, self._canonical, _taken(ids, picked), chosen)
                forced[rows] = chosen
                keep = np.empty(n, np.bool_)
                _select(seed, numbers[rows], step, judged, keep)
                tried = valid & (probs >= floor)
                keep &= tried.sum(1) > 1
                if keep.any():
                    states_of.append(batch.states[rows[keep]])
                    seats_of += [] if seats is None else [seats[rows[keep]]]
                    parts.append((shown[torch.from_numpy(keep)], ids[keep], valid[keep], tried[keep]))
            batch.step(forced)
            step += 1
        return self._judged(actor, states_of, seats_of, parts, batch)

    @torch.no_grad()
    def _draw(
        self, actor: nn.Module, obs: Tensor, ids: np.ndarray, valid: np.ndarray, games: np.ndarray, step: int,
        seed: int, explore: float, warmth: float,
    ) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
        """Return the probabilities of the legal actions, float32 (R, K), and the columns drawn, int64 (R,)."""
        with autocast(self._device, self._bf16):
            logits = actor(obs.to(self._device)).float().cpu()
        log_probs = masked_log_probs(logits.gather(1, torch.from_numpy(ids)), torch.from_numpy(valid))
        if not bool(torch.isfinite(log_probs[:, 0]).all()):
            raise DivergedError("the policy's outputs are no longer finite numbers")
        uniform = np.empty(ids.shape, np.float32)
        uniforms(seed, games, step, uniform)
        drawn = sample(log_probs / warmth, torch.from_numpy(uniform)) if warmth else log_probs.argmax(1)
        picked = drawn.numpy()
        _explore(seed, games, step, explore, valid, picked)
        return log_probs.exp().numpy(), picked

    def _judged(
        self, actor: nn.Module, states_of: list[np.ndarray], seats_of: list[np.ndarray],
        parts: list[tuple[Tensor, np.ndarray, np.ndarray, np.ndarray]], batch: Batch,
    ) -> Judged:  # fmt: skip
        if not parts:
            flags, nothing = torch.empty(0, 1).bool(), torch.empty(0, self._size)
            return Judged(nothing, torch.empty(0, 1).long(), flags, flags, torch.empty(0, 1))
        width = max(part[1].shape[1] for part in parts)
        states = np.concatenate(states_of)
        seats = np.concatenate(seats_of) if seats_of else None
        ids, valid, tried = (np.concatenate([_widened(part[i], width) for part in parts]) for i in (1, 2, 3))
        actions, equals = self._engine_actions(states, batch.table, ids), np.empty_like(ids)
        equals[:] = np.arange(width)
        if self._merge:
            first_equals(states, batch.table, actions, tried, equals)
        apart = tried & (equals == np.arange(width))
        keep = apart.sum(1) > 1
        states, actions, apart = states[keep], actions[keep], apart[keep]
        seats = None if seats is None else seats[keep]
        values = np.empty(actions.shape, np.float32)
        for first in range(0, len(states), JUDGE_ROWS):
            rows = slice(first, first + JUDGE_ROWS)
            sitting = None if seats is None else seats[rows]
            values[rows] = self._play_out(actor, states[rows], batch.table, actions[rows], apart[rows], sitting)
        values = np.take_along_axis(values, equals[keep], 1)
        return Judged(
            torch.cat([part[0] for part in parts])[torch.from_numpy(keep)],
            *(torch.from_numpy(array) for array in (ids[keep], valid[keep], tried[keep], values)),
            int(apart.sum()),
        )

    def _engine_actions(self, states: np.ndarray, table: np.ndarray, ids: np.ndarray) -> np.ndarray:
        actions, column = np.empty_like(ids), np.empty(len(ids), np.int64)
        for k in range(ids.shape[1]):
            to_engine_actions(states, np.arange(len(ids)), table, self._canonical, ids[:, k].copy(), column)
            actions[:, k] = column
        return actions

    def _play_out(
        self, actor: nn.Module, states: np.ndarray, table: np.ndarray, actions: np.ndarray, tried: np.ndarray,
        seats: np.ndarray | None,
    ) -> np.ndarray:  # fmt: skip
        if self._bot < 0:
            return self._network.play_out(actor, states, actions, tried, seats)
        values = np.empty(actions.shape, np.float32)
        play_out_by_bot(states, table, actions, tried, self._bot, values)
        return values


def _taken(ids: np.ndarray, picked: np.ndarray) -> np.ndarray:
    return np.take_along_axis(ids, picked[:, None], 1)[:, 0]


def _widened(array: np.ndarray, width: int) -> np.ndarray:
    return np.pad(array, ((0, 0), (0, width - array.shape[1])))


def joined(parts: list[Judged]) -> Judged:
    """Return several parts as one."""
    width = max(part.legal.shape[1] for part in parts)

    def stacked(name: str) -> Tensor:
        return torch.cat([nn.functional.pad(t, (0, width - t.shape[1])) for t in (getattr(p, name) for p in parts)])

    observations = torch.cat([part.observations.to(parts[0].observations.dtype) for part in parts])
    return Judged(
        observations, stacked("legal"), stacked("valid"), stacked("tried"), stacked("values"),
        sum(part.playouts for part in parts),
    )  # fmt: skip
