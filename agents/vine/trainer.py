"""A vine run: play, judge, learn; resumes exactly after any iteration.

The loss of a decision is minus the mean value of its actions under the policy, minus temperature times its entropy. It
is linear in the values, so what one deal leaves to luck averages out, and its minimum is the softmax of the actions'
mean values over the temperature.
"""

import copy
import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from agents.checkpoint import (
    NetworkPolicy,
    actor_tensors,
    optimiser_state,
    optimiser_tensors,
    part,
    save_policy,
)
from agents.distributed import ALONE, Group
from agents.entries import resolve
from agents.networks import autocast, entropy, masked_log_probs
from agents.suit_network import make_actor, untied
from agents.training import BaseTrainer, TrainingError, stream_seed
from agents.vine.collect import Collector, Judged
from agents.vine.config import SELF, VineConfig

_PLAY, _SHUFFLE = 1, 2  # random streams of an iteration


class VineTrainer(BaseTrainer):
    """One run: its network, its deals, its folder."""

    config: VineConfig

    def __init__(self, config: VineConfig, folder: Path, group: Group = ALONE) -> None:
        super().__init__(config, folder, group)
        torch.set_num_threads(1)
        torch.manual_seed(config.seed)
        self.device = torch.device(config.device)
        self.actor = make_actor(self.rules, config.hidden, config.network).to(self.device)
        self.optimiser = torch.optim.Adam(self.actor.parameters(), lr=config.learning_rate, eps=1e-5, fused=True)
        self.collector = Collector(
            self.rules, config.deals_per_iteration, config.seed, config.playouts, config.own_tricks,
            [None if name == SELF else resolve(name, self.rules, config.device) for name in config.opponents],
            canonical=config.canonical_suits, bf16=config.bf16, device=self.device, threads=config.threads,
            merge=config.merge_equals,
        )  # fmt: skip
        self.iteration = self.decisions = self.playouts = 0

    @property
    def steps(self) -> int:
        """Judged decisions learned from so far."""
        return self.decisions

    def begin(self) -> None:
        """Take the weights of ``init_from``. Raises ``CheckpointError`` where they do not fit."""
        config = self.config
        if config.init_from:
            self.actor.load_state_dict(actor_tensors(config.init_from, self.rules, config))

    # ---- an iteration ----
    def _iterate(self) -> dict[str, float]:
        config = self.config
        began = time.perf_counter()
        judged = self.collector.collect(
            self._playing(), self.iteration, stream_seed(config.seed, self.iteration, _PLAY), config.judged,
            config.explore, config.floor, config.play_warmth,
        )  # fmt: skip
        collected = time.perf_counter()
        logs = self._learn(judged)
        ended = time.perf_counter()
        self.iteration += 1
        self.decisions += len(judged.values)
        self.playouts += judged.playouts
        self.seconds += ended - began
        return logs | {
            "charts/decisions_per_second": len(judged.values) / (ended - began),
            "charts/playouts_per_second": judged.playouts / (ended - began),
            "charts/deals": float(self.iteration * config.deals_per_iteration),
            "charts/judged": float(self.decisions),
            "charts/playouts": float(self.playouts),
            "time/learning_share": (ended - collected) / (ended - began),
            "time/seconds": self.seconds,
        }

    def _playing(self) -> nn.Module:
        """Return the network as it plays: plain layers, rounded once where autocast would round them at each call."""
        plain = untied(self.actor)
        return copy.deepcopy(plain).bfloat16() if self.config.bf16 else plain

    def _learn(self, judged: Judged) -> dict[str, float]:
        config, n = self.config, len(judged.values)
        rng = np.random.default_rng(stream_seed(config.seed, self.iteration, _SHUFFLE))
        progress = min(self.decisions / config.total_decisions, 1.0)
        rate = config.learning_rate + progress * (config.final_learning_rate - config.learning_rate)
        warmth = config.temperature + progress * (config.final_temperature - config.temperature)
        self.optimiser.param_groups[0]["lr"] = rate
        sums = np.zeros(3)
        for _ in range(config.epochs):
            order = torch.from_numpy(rng.permutation(n))
            for rows in order.split(config.minibatch):
                sums += self._step(judged, rows, warmth)
        if not np.isfinite(sums).all():
            raise TrainingError(
                f"the loss became NaN or infinite in iteration {self.iteration}: the checkpoints in "
                f"{str(self.folder)!r} stay as they are; start again with a smaller learning_rate"
            )
        regret, spread, norm = sums / max(n * config.epochs, 1)
        return {
            "losses/regret": regret,
            "losses/entropy": spread,
            "losses/actor_grad_norm": norm,
            "charts/learning_rate": rate,
            "charts/temperature": warmth,
        }

    def _step(self, judged: Judged, rows: Tensor, warmth: float) -> np.ndarray:
        """Take a gradient step; return sums over the rows: regret, entropy, the gradient's norm."""
        device = self.device
        with autocast(device, self.config.bf16):
            logits = self.actor(judged.observations.index_select(0, rows).to(device)).float()
        columns = (judged.legal, judged.valid, judged.tried, judged.values)
        legal, valid, tried, values = (column.index_select(0, rows).to(device) for column in columns)
        log_probs = masked_log_probs(logits.gather(1, legal), valid)
        probs = log_probs.exp() * tried
        shares = probs.detach()
        mean = (shares * values).sum(1, keepdim=True) / shares.sum(1, keepdim=True).clamp_min(1e-9)
        gained = (probs * (values - mean)).sum()
        spread = entropy(log_probs).sum()
        self.optimiser.zero_grad(set_to_none=True)
        (-(gained + warmth * spread) / len(rows)).backward()  # type: ignore[no-untyped-call]
        norm = nn.utils.clip_grad_norm_(self.actor.parameters(), self.config.max_grad_norm)
        self.optimiser.step()
        best = values.masked_fill(~tried, -math.inf).max(1).values
        regret = (best - mean.squeeze(1)).sum().item()
        return np.array([regret, spread.item(), norm.item() * len(rows)])

    # ---- playing and saving ----
    def policy(self) -> NetworkPolicy:
        """Return the current policy as a greedy player (a frozen copy)."""
        return NetworkPolicy(copy.deepcopy(self.actor), self.rules, "policy", self.config.canonical_suits)

    def _save_policy(self, path: Path) -> None:
        save_policy(path, self.actor, self.describe(decisions=self.decisions, playouts=self.playouts))

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """Return all that going on needs."""
        tensors = {f"actor.{key}": value for key, value in self.actor.state_dict().items()}
        tensors |= optimiser_tensors("optimiser.", self.optimiser.state_dict())
        names = ("iteration", "decisions", "playouts", "seconds")
        return tensors, {name: getattr(self, name) for name in names}

    def take_up(self, tensors: dict[str, Tensor], meta: dict[str, Any]) -> None:
        """Take up what ``state`` returned. Raises ``CheckpointError`` where it does not fit."""
        try:
            self.actor.load_state_dict(part(tensors, "actor."))
            moments = optimiser_state(tensors, "optimiser.", self.optimiser.state_dict())
            self.optimiser.load_state_dict(moments)
            for name in ("iteration", "decisions", "playouts", "seconds"):
                setattr(self, name, meta[name])
        except (KeyError, RuntimeError, ValueError) as error:
            raise self.misfit(error) from None
