"""A PPO run: collect, learn, save; resumes exactly."""

import copy
import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from agents.checkpoint import (
    CheckpointError,
    NetworkPolicy,
    actor_tensors,
    optimiser_state,
    optimiser_tensors,
    part,
    save_policy,
)
from agents.distributed import ALONE, Group
from agents.ppo.config import PPOConfig
from agents.ppo.learner import Learner
from agents.ppo.rollout import Collector, DivergedError, Rollout
from agents.signals.scalars import signal_scalars
from agents.suit_network import make_actor, untied
from agents.training import BaseTrainer, TrainingError, stream_seed


class Trainer(BaseTrainer):
    """One run: its learner, its data, its folder."""

    config: PPOConfig

    def __init__(self, config: PPOConfig, folder: Path, group: Group = ALONE) -> None:
        super().__init__(config, folder, group)
        torch.set_num_threads(1)
        torch.manual_seed(config.seed)
        self.learner = Learner(config, self.rules, group)
        device = self.learner.device
        self.collector = Collector(
            self.rules,
            config.deals_per_iteration,
            config.seed,
            config.canonical_suits,
            device,
            config.bf16,
            config.threads,
            group,
        )
        self.iteration = 0
        self.decisions = 0
        self.pool: list[dict[str, Tensor]] = []

    @property
    def steps(self) -> int:
        """Decisions so far."""
        return self.decisions

    def begin(self) -> None:
        """Take the weights of ``init_from``. Raises ``CheckpointError`` where they do not fit."""
        config = self.config
        if config.init_from:
            tensors = actor_tensors(config.init_from, self.rules, config)
            self.learner.actor.load_state_dict(tensors)
            self.learner.pull()

    # ---- an iteration ----
    def _iterate(self) -> dict[str, float]:
        config, learner = self.config, self.learner
        began = time.perf_counter()
        backup = self._snapshot()
        rollout = self._collect()
        collected = time.perf_counter()
        progress = min(self.decisions / config.total_decisions, 1.0)
        logs = learner.update(rollout, self._key(2), progress, critic_only=self.iteration < config.critic_warmup)
        if not all(math.isfinite(value) for value in logs.values()):
            self._restore(backup)
            if self.group.leads:
                self.save()
            bad = ", ".join(key for key, value in logs.items() if not math.isfinite(value))
            raise TrainingError(
                f"{bad} became NaN or infinite in iteration {self.iteration}: the state before it is saved in "
                f"{str(self.folder)!r}; lower learning_rate (now {logs['charts/learning_rate']:.1e}) and resume"
            )
        decisions, choices = np.sum(self.group.tell_all((rollout.num_decisions, len(rollout.choices))), 0).tolist()
        ended = time.perf_counter()
        self.iteration += 1
        if config.magnet_every and self.iteration % config.magnet_every == 0:
            learner.pull()
        self.decisions += decisions
        if config.pool_size and self.iteration % config.pool_every == 0:
            self.pool = [*self.pool, copy.deepcopy(learner.actor.state_dict())][-config.pool_size :]
        self.seconds += ended - began
        logs["charts/decisions_per_second"] = decisions / (ended - began)
        logs["charts/choices_fraction"] = choices / decisions
        logs["charts/deal_return_std"] = float(self.group.gather(rollout.deal_returns).std())
        return logs | self._times(rollout, collected - began, ended - collected)

    def _collect(self) -> Rollout:
        """Return an iteration's decisions. Raises ``TrainingError``, in all processes where one failed."""
        config, rollout, problem = self.config, None, ""
        pool = self._pool_member()
        try:
            rollout = self.collector.collect(
                untied(self.learner.actor), self.iteration, self._key(1), pool, config.pool_fraction
            )
        except DivergedError as error:
            problem = str(error)
        problem = next(filter(None, self.group.tell_all(problem)), "")
        if rollout is None or problem:
            raise TrainingError(
                f"{problem} in iteration {self.iteration}: the checkpoints in {str(self.folder)!r} stay as "
                f"they are; start again with a learning_rate below {config.learning_rate:g}"
            )
        return rollout

    def _times(self, rollout: Rollout, collecting: float, learning: float) -> dict[str, float]:
        """Return where this process's time went."""
        whole = collecting + learning
        return {
            "charts/deals": float(self.iteration * self.config.deals_per_iteration),
            "time/env_share": rollout.env_seconds / whole,
            "time/inference_share": rollout.inference_seconds / whole,
            "time/learning_share": learning / whole,
            "time/seconds": self.seconds,
        }

    def _key(self, stream: int) -> int:
        return stream_seed(self.config.seed, self.iteration, stream)

    def _pool_member(self) -> torch.nn.Module | None:
        if not self.pool:
            return None
        rng = np.random.default_rng(self._key(3))
        member = self.pool[rng.integers(len(self.pool))]
        actor = make_actor(self.rules, self.config.hidden, self.config.network)
        actor.load_state_dict(member)
        return untied(actor.to(self.learner.device))

    # ---- evaluation ----
    def policy(self) -> NetworkPolicy:
        """Return the current policy as a greedy player (a frozen copy)."""
        actor = copy.deepcopy(self.learner.actor)
        return NetworkPolicy(actor, self.rules, "policy", self.config.canonical_suits)

    def evaluate(self, deals: int, seed: int) -> dict[str, float]:
        """Play against the bots, greedily; also measure the signals and, with ``eval_exact``, what is left to gain."""
        results = super().evaluate(deals, seed)
        if self.config.eval_signals:
            results |= signal_scalars(self.policy(), self.rules, deals, seed)
        if self.config.eval_exact:
            actor = copy.deepcopy(self.learner.actor)
            mixed = NetworkPolicy(actor, self.rules, "policy", self.config.canonical_suits, greedy=False)
            results |= self.exact(mixed)
        return results

    # ---- saving ----
    def _snapshot(self) -> dict[str, Any]:
        learner = self.learner
        return copy.deepcopy(
            {"actor": learner.actor.state_dict(), "critic": learner.critic.state_dict(), "rest": learner.state_dict()}
        )

    def _restore(self, snapshot: dict[str, Any]) -> None:
        learner = self.learner
        learner.actor.load_state_dict(snapshot["actor"])
        learner.critic.load_state_dict(snapshot["critic"])
        learner.load_rest(snapshot["rest"])

    def _save_policy(self, path: Path) -> None:
        save_policy(path, self.learner.actor, self.describe(decisions=self.decisions))

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """Return all that going on needs."""
        learner = self.learner
        tensors = {f"actor.{k}": v for k, v in learner.actor.state_dict().items()}
        tensors |= {f"critic.{k}": v for k, v in learner.critic.state_dict().items()}
        if learner.magnet is not None:
            tensors |= {f"magnet.{k}": v for k, v in learner.magnet.state_dict().items()}
        rest = learner.state_dict()
        for which in ("actor_optimiser", "critic_optimiser"):
            tensors |= optimiser_tensors(f"{which}.", rest[which])
        for i, member in enumerate(self.pool):
            tensors |= {f"pool.{i}.{k}": v for k, v in member.items()}
        meta = {
            "iteration": self.iteration,
            "decisions": self.decisions,
            "seconds": self.seconds,
            "scale": rest["scale"],
            "pool": len(self.pool),
        }
        return tensors, meta

    def take_up(self, tensors: dict[str, Tensor], meta: dict[str, Any]) -> None:
        """Take up what ``state`` returned. Raises ``CheckpointError`` where it does not fit."""
        learner = self.learner
        missing = [key for key in ("iteration", "decisions", "seconds", "scale", "pool") if key not in meta]
        if missing or (meta["iteration"] and not part(tensors, "actor_optimiser.")):
            what = missing[0] if missing else "actor_optimiser"
            raise CheckpointError(f"the trainer state in {str(self.folder)!r} lacks {what!r}: use an earlier one")
        rest = learner.state_dict()
        for which in ("actor_optimiser", "critic_optimiser"):
            rest[which] = optimiser_state(tensors, f"{which}.", rest[which])
        rest["scale"] = meta["scale"]
        try:
            self._restore({"actor": part(tensors, "actor."), "critic": part(tensors, "critic."), "rest": rest})
            if learner.magnet is not None:
                learner.magnet.load_state_dict(part(tensors, "magnet."))
        except (RuntimeError, KeyError, ValueError) as error:
            raise self.misfit(error) from None
        self.pool = [part(tensors, f"pool.{i}.") for i in range(meta["pool"])]
        self.iteration, self.decisions, self.seconds = meta["iteration"], meta["decisions"], meta["seconds"]
