"""Self-play: whole deals in lock step on the batched engine, recorded as each seat's own chain of decisions."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numba as nb
import numpy as np
import torch
from torch import nn

from agents.distributed import ALONE, Group
from agents.features import actor_features, legal_ids, to_engine_actions
from agents.networks import autocast, masked_log_probs, sample
from agents.rooms import competitors
from tressette_env.engine.batch import RUNNING, Batch, count_legal, nth_legal
from tressette_env.engine.kernels import NUM_WORDS, legal
from tressette_env.engine.randomness import key_of, mix, unit
from tressette_env.engine.state import OVER
from tressette_env.errors import TressetteError
from tressette_env.observation import layout
from tressette_env.rules import MAX_SEATS, Rules


class DivergedError(TressetteError):
    """The policy's outputs cannot be sampled from."""


@dataclass
class Rollout:
    """The decisions of one iteration in time order; N rows. Forced moves (one legal action) are not recorded."""

    states: np.ndarray  # STATE_DTYPE (N,), before the decision
    observations: torch.Tensor  # float32 or bfloat16 (N, F), the acting seat's, suits in the networks' order
    legal: torch.Tensor  # int64 (N, K), ids of the legal actions, 0 past the end
    valid: torch.Tensor  # bool (N, K), where `legal` holds an id
    choices: torch.Tensor  # int64 (N,), column of `legal` that was taken
    log_probs: torch.Tensor  # float32 (N,)
    rewards: np.ndarray  # float64 (N,), points until the seat's next own decision
    successors: np.ndarray  # int64 (N,), index of that decision or -1
    games: np.ndarray  # int64 (N,), the number of the deal among those of all processes
    learner: np.ndarray  # bool (N,), decided by the learning policy (not by a pool member)
    num_decisions: int  # engine actions, forced ones too
    deal_returns: np.ndarray  # float64 (B,), points of side 0 minus side 1 as rewarded
    env_seconds: float
    inference_seconds: float


@nb.njit(cache=True, nogil=True)
def split_rows(states, rules, forced, choosing):
    """Sort unfinished rows: forced[i] is the single legal action or -1; returns the number of rows in `choosing`."""
    words = np.empty(NUM_WORDS, np.int64)
    chosen = 0
    for i in range(states.shape[0]):
        forced[i] = -1
        if states[i]["phase"] == OVER:
            continue
        legal(states[i], rules[0], words)
        if count_legal(words) == 1:
            forced[i] = nth_legal(words, rules[0], 0)
        else:
            choosing[chosen] = i
            chosen += 1
    return chosen


@nb.njit(cache=True, nogil=True)
def link(states, rows, first, latest, successors):
    """Chain the decisions first, first + 1, ... of `rows` to the same seat's previous one through `latest` (B, S)."""
    for j in range(rows.shape[0]):
        seat = states[rows[j]]["to_act"]
        before = latest[rows[j], seat]
        if before >= 0:
            successors[before] = first + j
        latest[rows[j], seat] = first + j


@nb.njit(cache=True, nogil=True)
def credit(step_rewards, latest, rewards):
    """Add what each seat got in this step to its latest decision (rewards before the first decision have no owner)."""
    for i in range(latest.shape[0]):
        for seat in range(latest.shape[1]):
            if latest[i, seat] >= 0:
                rewards[latest[i, seat]] += step_rewards[i, seat]


@nb.njit(cache=True, nogil=True)
def uniforms(seed, games, time, out):
    """Fill out, float32 (R, K), with numbers in [0, 1): a pure function of seed, deal, time and column."""
    for i in range(games.shape[0]):
        key = key_of(seed, games[i], time)
        for j in range(out.shape[1]):
            out[i, j] = min(unit(mix(key + np.uint64(j))), 1.0 - 2.0**-24)


class Collector:
    """Plays iterations of deals with one shared policy for all seats; deal k of the run is the same for any policy.

    Of several processes each plays an equal run of the deals, in two halves, side by side when ``threads`` allows.
    What is drawn depends on the deal and the time alone, so the numbers are the same either way.
    """

    HALVES = 2

    def __init__(
        self,
        rules: Rules,
        num_deals: int,
        seed: int,
        canonical: bool,
        device: torch.device,
        bf16: bool,
        threads: int = 1,
        group: Group = ALONE,
    ) -> None:
        mine = np.array_split(np.arange(num_deals), group.world)[group.rank]
        self.numbers = [part for part in np.array_split(mine, self.HALVES) if len(part)]
        # Training deals live above 2**32, so that no evaluation seed below it ever meets one of them.
        self.batches = [
            Batch(rules, len(part), seeds=((seed + 1) << 32) + part, reward="trick") for part in self.numbers
        ]
        self.canonical = canonical
        self.device = device
        self.bf16 = bf16
        self.threads = threads
        self.size = layout(rules).size

    def collect(
        self, actor: nn.Module, iteration: int, seed: int, pool: nn.Module | None = None, pool_fraction: float = 0.0
    ) -> Rollout:
        """Play one iteration of deals; in a share of them ``pool`` plays one side (in auction games one seat)."""

        def half(index: int) -> Rollout:
            batch, numbers = self.batches[index], self.numbers[index]
            played_by_pool = pool_places(numbers, pool_fraction if pool is not None else 0.0, batch.rules)
            return self._collect(batch, numbers, actor, iteration, seed, pool, played_by_pool)

        began = time.perf_counter()
        halves = range(len(self.batches))
        if self.threads > 1:
            with ThreadPoolExecutor(self.HALVES) as side:
                parts = list(side.map(half, halves))
        else:
            parts = [half(index) for index in halves]
        return _joined(parts, time.perf_counter() - began)

    def _collect(
        self,
        batch: Batch,
        numbers: np.ndarray,
        actor: nn.Module,
        iteration: int,
        seed: int,
        pool: nn.Module | None,
        played_by_pool: np.ndarray,
    ) -> Rollout:
        num_games = batch.num_games
        place_of = competitors(batch.rules)
        batch.start(ks=iteration)
        forced = np.empty(num_games, np.int64)
        choosing = np.empty(num_games, np.int64)
        latest = np.full((num_games, batch.rules.num_seats), -1, np.int64)
        step_rewards = np.zeros((num_games, MAX_SEATS))
        deal_returns = np.zeros(num_games)
        successors = np.empty(0, np.int64)
        rewards = np.empty(0)
        rows_of: list[Rows] = []
        count = decisions = steps = 0
        inference = 0.0
        began = time.perf_counter()
        while running := int((batch.status == RUNNING).sum()):
            decisions += running
            n = split_rows(batch.states, batch.table, forced, choosing)
            if n:
                rows = choosing[:n].copy()
                if count + n > len(rewards):
                    successors = np.concatenate([successors, np.full(16 * num_games, -1, np.int64)])
                    rewards = np.concatenate([rewards, np.zeros(16 * num_games)])
                observations = np.empty((n, self.size), np.float32)
                masks = np.empty((n, batch.num_actions), np.int8)
                actor_features(batch.states, rows, batch.table, self.canonical, observations, masks)
                mark = time.perf_counter()
                places = place_of[batch.states["to_act"][rows]]
                by_pool = places == played_by_pool[rows]
                obs = torch.from_numpy(observations)
                if self.bf16:  # what autocast would do at each use, done once
                    obs = obs.bfloat16()
                ids, places = legal_ids(masks)
                legal, valid = torch.from_numpy(ids), torch.from_numpy(places)
                uniform = np.empty(ids.shape, np.float32)
                uniforms(seed, numbers[rows], steps, uniform)
                picked, log_probs = self._choose(actor, pool, obs, legal, valid, by_pool, torch.from_numpy(uniform))
                inference += time.perf_counter() - mark
                chosen = np.take_along_axis(ids, picked.numpy()[:, None], 1)[:, 0]
                engine_actions = np.empty(n, np.int64)
                to_engine_actions(batch.states, rows, batch.table, self.canonical, chosen, engine_actions)
                forced[rows] = engine_actions
                link(batch.states, rows, count, latest, successors)
                rows_of.append(Rows(batch.states[rows], numbers[rows], ~by_pool, obs, legal, valid, picked, log_probs))
                count += n
            batch.step(forced, step_rewards)
            credit(step_rewards, latest, rewards)
            deal_returns += step_rewards[:, 0]
            steps += 1
        return Rollout(
            states=np.concatenate([part.states for part in rows_of]),
            observations=torch.cat([part.observations for part in rows_of]),
            legal=_stacked([part.legal for part in rows_of]),
            valid=_stacked([part.valid for part in rows_of]),
            choices=torch.cat([part.choices for part in rows_of]),
            log_probs=torch.cat([part.log_probs for part in rows_of]),
            rewards=rewards[:count],
            successors=successors[:count],
            games=np.concatenate([part.games for part in rows_of]),
            learner=np.concatenate([part.learner for part in rows_of]),
            num_decisions=decisions,
            deal_returns=deal_returns,
            env_seconds=time.perf_counter() - began - inference,
            inference_seconds=inference,
        )

    @torch.no_grad()
    def _choose(
        self,
        actor: nn.Module,
        pool: nn.Module | None,
        obs: torch.Tensor,
        legal: torch.Tensor,
        valid: torch.Tensor,
        by_pool: np.ndarray,
        uniform: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        with autocast(self.device, self.bf16):
            logits = actor(obs.to(self.device)).float().cpu()
            if pool is not None and by_pool.any():
                chosen = torch.from_numpy(by_pool)
                logits[chosen] = pool(obs[chosen].to(self.device)).float().cpu()
        log_probs = masked_log_probs(logits.gather(1, legal), valid)
        picked = sample(log_probs, uniform)
        taken = log_probs.gather(1, picked[:, None]).squeeze(1)
        if not bool(torch.isfinite(taken).all()) or not bool(valid.gather(1, picked[:, None]).all()):
            raise DivergedError("the policy's outputs are no longer finite numbers")
        return picked, taken


def pool_places(numbers: np.ndarray, fraction: float, rules: Rules) -> np.ndarray:
    """Return the place that a pool member takes in each deal, int64 (G,), -1 for none: evenly over deals and places."""
    before, after = (np.floor((numbers + i) * fraction).astype(np.int64) for i in (0, 1))
    return np.where(after > before, before % rules.num_competitors, -1)


class Rows(NamedTuple):
    """The decisions of one step of a batch."""

    states: np.ndarray
    games: np.ndarray
    learner: np.ndarray
    observations: torch.Tensor
    legal: torch.Tensor
    valid: torch.Tensor
    choices: torch.Tensor
    log_probs: torch.Tensor


def _stacked(parts: list[torch.Tensor]) -> torch.Tensor:
    """Return (R, K) parts one below the other, narrower ones filled up with zeros."""
    width = max(part.shape[1] for part in parts)
    return torch.cat([torch.nn.functional.pad(part, (0, width - part.shape[1])) for part in parts])


def _joined(parts: list[Rollout], wall: float) -> Rollout:
    """Return several rollouts as one; ``wall`` seconds are shared out as env and inference were inside the parts."""
    firsts = np.cumsum([0] + [len(part.choices) for part in parts])
    inference = sum(part.inference_seconds for part in parts)
    share = wall / (inference + sum(part.env_seconds for part in parts))
    return Rollout(
        states=np.concatenate([part.states for part in parts]),
        observations=torch.cat([part.observations for part in parts]),
        legal=_stacked([part.legal for part in parts]),
        valid=_stacked([part.valid for part in parts]),
        choices=torch.cat([part.choices for part in parts]),
        log_probs=torch.cat([part.log_probs for part in parts]),
        rewards=np.concatenate([part.rewards for part in parts]),
        successors=np.concatenate(
            [np.where(p.successors >= 0, p.successors + first, -1) for p, first in zip(parts, firsts[:-1], strict=True)]
        ),
        games=np.concatenate([part.games for part in parts]),
        learner=np.concatenate([part.learner for part in parts]),
        num_decisions=sum(part.num_decisions for part in parts),
        deal_returns=np.concatenate([part.deal_returns for part in parts]),
        env_seconds=wall - share * inference,
        inference_seconds=share * inference,
    )
