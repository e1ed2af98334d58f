"""The training loop: collect, learn, evaluate, log, save; resumes exactly."""

import copy
import json
import math
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from agents.checkpoint import TRAINER_FORMAT as TRAINER
from agents.checkpoint import CheckpointError, NetworkPolicy, load_tensors, save_policy, save_tensors
from agents.config import rules_spec
from agents.networks import mlp
from agents.ppo.config import PPOConfig
from agents.ppo.learner import Learner
from agents.ppo.rollout import Collector, DivergedError, Rollout
from agents.provenance import describe_commit
from agents.run_folder import trainer_states
from agents.runlog import Progress, RunLog
from tressette_env.errors import TressetteError
from tressette_env.observation import layout
from tressette_env.presets import make_rules

EVAL_SEED = 1001  # deals of the evaluations during training
FINAL_SEED = 2002  # deals of the closing evaluation, used for no choice during a run


class TrainingError(TressetteError):
    """Training had to stop."""


class Trainer:
    """One run: its learner, its data, its folder."""

    def __init__(self, config: PPOConfig, folder: Path) -> None:
        config.check()
        torch.set_num_threads(1)
        torch.manual_seed(config.seed)
        self.config = config
        self.folder = folder
        self.rules = make_rules(rules_spec(config.env.rules))
        self.learner = Learner(config, self.rules)
        device = self.learner.device
        self.collector = Collector(
            self.rules,
            config.deals_per_iteration,
            config.seed,
            config.canonical_suits,
            device,
            config.bf16,
            config.threads,
        )
        self.iteration = 0
        self.decisions = 0
        self.pool: list[dict[str, Tensor]] = []
        self.seconds = 0.0
        self.stopped_by = 0  # the signal

    # ---- the loop ----
    def train(self, log: RunLog, progress: Progress) -> None:
        """Train until ``total_decisions``; Ctrl-C (or SIGTERM) ends after the current iteration. Always saves."""
        config = self.config
        handlers = {s: signal.signal(s, self._request_stop) for s in (signal.SIGINT, signal.SIGTERM)}
        try:
            while self.decisions < config.total_decisions and not self.stopped_by:
                before = self.decisions
                metrics = self._iterate()
                log.scalars(self.decisions, metrics)
                progress.update(self.decisions, metrics)
                if config.eval_every and self._crossed(before, config.eval_every):
                    results = self.evaluate(config.eval_deals, EVAL_SEED)
                    log.scalars(self.decisions, results)
                    progress.update(self.decisions, results)
                    log.curve()
                if self._crossed(before, config.checkpoint_every):
                    self.save()
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
        self.save()

    def _request_stop(self, number: int, frame: Any) -> None:
        if self.stopped_by:
            raise KeyboardInterrupt
        self.stopped_by = number

    def _crossed(self, before: int, every: int) -> bool:
        return before // every < self.decisions // every

    def _iterate(self) -> dict[str, float]:
        config, learner = self.config, self.learner
        began = time.perf_counter()
        backup = self._snapshot()
        pool = self._pool_member()
        try:
            rollout = self.collector.collect(learner.actor, self.iteration, self._key(1), pool, config.pool_fraction)
        except DivergedError as error:
            raise TrainingError(
                f"{error} in iteration {self.iteration}: the checkpoints in {str(self.folder)!r} stay as "
                f"they are; start again with a learning_rate below {config.learning_rate:g}"
            ) from None
        collected = time.perf_counter()
        progress = min(self.decisions / config.total_decisions, 1.0)
        logs = learner.update(rollout, self._key(2), progress)
        if not all(math.isfinite(value) for value in logs.values()):
            self._restore(backup)
            self.save()
            bad = ", ".join(key for key, value in logs.items() if not math.isfinite(value))
            raise TrainingError(
                f"{bad} became NaN or infinite in iteration {self.iteration}: the state before it is saved in "
                f"{str(self.folder)!r}; lower learning_rate (now {logs['charts/learning_rate']:.1e}) and resume"
            )
        ended = time.perf_counter()
        self.iteration += 1
        self.decisions += rollout.num_decisions
        if config.pool_size and self.iteration % config.pool_every == 0:
            self.pool = [*self.pool, copy.deepcopy(learner.actor.state_dict())][-config.pool_size :]
        self.seconds += ended - began
        return logs | self._speeds(rollout, collected - began, ended - collected)

    def _speeds(self, rollout: Rollout, collecting: float, learning: float) -> dict[str, float]:
        whole = collecting + learning
        return {
            "charts/decisions_per_second": rollout.num_decisions / whole,
            "charts/choices_fraction": len(rollout.choices) / rollout.num_decisions,
            "charts/deals": float(self.iteration * self.config.deals_per_iteration),
            "charts/deal_return_std": float(rollout.deal_returns.std()),
            "time/env_share": rollout.env_seconds / whole,
            "time/inference_share": rollout.inference_seconds / whole,
            "time/learning_share": learning / whole,
            "time/seconds": self.seconds,
        }

    def _key(self, stream: int) -> int:
        """Return the seed of a random stream of this iteration: a pure function of (seed, iteration, stream)."""
        return int(np.random.SeedSequence([self.config.seed, self.iteration, stream]).generate_state(1)[0])

    def _pool_member(self) -> torch.nn.Module | None:
        if not self.pool:
            return None
        rng = np.random.default_rng(self._key(3))
        member = self.pool[rng.integers(len(self.pool))]
        actor = mlp(layout(self.rules).size, self.config.hidden, self.rules.blocks.num_actions, 0.01)
        actor.load_state_dict(member)
        return actor.to(self.learner.device)

    # ---- evaluation ----
    def policy(self) -> NetworkPolicy:
        """Return the current policy as a greedy player (a frozen copy)."""
        actor = copy.deepcopy(self.learner.actor)
        return NetworkPolicy(actor, self.rules, "policy", self.config.canonical_suits)

    def evaluate(self, deals: int, seed: int) -> dict[str, float]:
        """Play duplicate deals against the configured bots; return points per deal and 95 % half-widths."""
        from agents.arena import play_pair
        from tressette_env.bots import make

        results: dict[str, float] = {}
        policy = self.policy()
        for name in self.config.eval_opponents:
            pair = play_pair(policy, make(name), self.rules, deals, seed)
            results[f"eval/{name}_points"] = pair.mean
            results[f"eval/{name}_ci95"] = (pair.ci95[1] - pair.ci95[0]) / 2
            results[f"eval/{name}_tricks"] = pair.trick_mean
            results[f"eval/{name}_tricks_ci95"] = (pair.trick_ci95[1] - pair.trick_ci95[0]) / 2
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

    def save(self) -> Path:
        """Save trainer state, then the policy, each atomically; drop checkpoints beyond ``keep_checkpoints``."""
        config = self.config
        folder = self.folder / "checkpoints"
        stem = f"step_{self.decisions:012d}"
        tensors, meta = self._trainer_state()
        save_tensors(folder / f"{stem}.trainer", tensors, TRAINER, meta)
        description = {
            "rules": self.rules.to_dict(),
            "hidden": list(config.hidden),
            "canonical_suits": config.canonical_suits,
            "decisions": self.decisions,
            "seed": config.seed,
            "commit": describe_commit(),
        }
        path = folder / f"{stem}.safetensors"
        save_policy(path, self.learner.actor, description)
        self._prune(path)
        return path

    def _prune(self, newest: Path) -> None:
        """Delete the checkpoints beyond ``keep_checkpoints``, and what a kill left of a save."""
        policies = sorted(newest.parent.glob("step_*.safetensors"))
        for old in policies[: policies.index(newest) + 1][: -self.config.keep_checkpoints]:
            old.unlink()
        for state in newest.parent.glob("step_*.trainer"):
            if state.name < newest.name and not state.with_suffix(".safetensors").exists():
                state.unlink()
        for partial in newest.parent.glob(".step_*"):
            partial.unlink()

    def _trainer_state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        learner = self.learner
        tensors = {f"actor.{k}": v for k, v in learner.actor.state_dict().items()}
        tensors |= {f"critic.{k}": v for k, v in learner.critic.state_dict().items()}
        rest = learner.state_dict()
        for which in ("actor_optimiser", "critic_optimiser"):
            for index, entry in rest[which]["state"].items():
                tensors |= {f"{which}.{index}.{k}": torch.as_tensor(v) for k, v in entry.items()}
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

    def resume(self, state: Path | None = None) -> list[str]:
        """Take up a trainer state, by default the newest of the folder that can be read.

        Returns a sentence for each newer one that could not. Raises ``CheckpointError`` when none can be read.
        """
        problems: list[str] = []
        for path in [state] if state is not None else trainer_states(self.folder):
            try:
                tensors, meta = load_tensors(path, TRAINER)
                self._load_trainer_state(tensors, meta)
                return problems
            except CheckpointError as error:
                problems.append(str(error))
        nothing = f"the run folder {str(self.folder)!r} has no checkpoint yet: start the run again with its --name"
        raise CheckpointError(problems[-1] if problems else nothing)

    def _load_trainer_state(self, tensors: dict[str, Tensor], meta: dict[str, Any]) -> None:
        def part(prefix: str) -> dict[str, Tensor]:
            return {k.removeprefix(prefix): v for k, v in tensors.items() if k.startswith(prefix)}

        learner = self.learner
        missing = [key for key in ("iteration", "decisions", "seconds", "scale", "pool") if key not in meta]
        if missing or (meta["iteration"] and not part("actor_optimiser.")):
            what = missing[0] if missing else "actor_optimiser"
            raise CheckpointError(f"the trainer state in {str(self.folder)!r} lacks {what!r}: use an earlier one")
        rest = learner.state_dict()
        for which in ("actor_optimiser", "critic_optimiser"):
            state: dict[int, dict[str, Tensor]] = {}
            for key, value in part(f"{which}.").items():
                index, name = key.split(".", 1)
                state.setdefault(int(index), {})[name] = value
            rest[which]["state"] = state
        rest["scale"] = meta["scale"]
        try:
            self._restore({"actor": part("actor."), "critic": part("critic."), "rest": rest})
        except (RuntimeError, KeyError, ValueError) as error:
            raise CheckpointError(
                f"the trainer state in {str(self.folder)!r} does not fit its config.yaml "
                f"({str(error).splitlines()[-1].strip()}): resume with the rules and widths it was trained with"
            ) from None
        self.pool = [part(f"pool.{i}.") for i in range(meta["pool"])]
        self.iteration, self.decisions, self.seconds = meta["iteration"], meta["decisions"], meta["seconds"]


def write_summary(folder: Path, summary: dict[str, Any]) -> None:
    """Write ``summary.json`` of a run folder atomically."""
    from agents.checkpoint import write_atomic

    write_atomic(folder / "summary.json", (json.dumps(summary, indent=2) + "\n").encode())
