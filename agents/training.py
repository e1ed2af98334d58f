"""What every kind of run has in common: the loop, evaluations, checkpoints and going on exactly."""

import json
import signal
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from torch import Tensor

from agents.cfr.measure import Exploiter
from agents.checkpoint import TRAINER_FORMAT as TRAINER
from agents.checkpoint import CheckpointError, load_tensors, save_tensors, write_atomic
from agents.config import rules_spec
from agents.distributed import ALONE, Group
from agents.provenance import describe_commit
from agents.run_folder import trainer_states
from agents.runlog import Progress, RunLog, eval_tag
from tressette_env.bots import Policy
from tressette_env.errors import TressetteError
from tressette_env.presets import make_rules

EVAL_SEED = 1001  # deals of the evaluations during training
FINAL_SEED = 2002  # deals of the closing evaluation, used for no choice during a run


class TrainingError(TressetteError):
    """Training had to stop."""


def stream_seed(seed: int, iteration: int, stream: int) -> int:
    """Return the seed of a random stream of an iteration: a pure function of the three."""
    return int(np.random.SeedSequence([seed, iteration, stream]).generate_state(1)[0])


class BaseTrainer(ABC):
    """One run and its folder. Subclasses say what an iteration is, what is saved and who plays."""

    UNIT: ClassVar[str] = "decisions"
    """What a run is counted in."""

    def __init__(self, config: Any, folder: Path, group: Group = ALONE) -> None:
        config.check()
        self.config = config
        self.folder = folder
        self.group = group
        self.rules = make_rules(rules_spec(config.env.rules))
        self.seconds = 0.0
        self._exploiter: Exploiter | None = None
        self.stopped_by = 0  # the signal

    # ---- what a subclass provides ----
    @property
    @abstractmethod
    def steps(self) -> int:
        """How far the run is, in its unit."""

    @abstractmethod
    def policy(self) -> Policy:
        """Return the current policy as a player (a frozen copy)."""

    @abstractmethod
    def _iterate(self) -> dict[str, float]:
        """Make a step of training; return what is logged."""

    @abstractmethod
    def _save_policy(self, path: Path) -> None:
        """Save the policy, atomically."""

    @abstractmethod
    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """Return all that going on needs, as tensors and plain data."""

    @abstractmethod
    def take_up(self, tensors: dict[str, Tensor], meta: dict[str, Any]) -> None:
        """Take up what ``state`` returned. Raises ``CheckpointError`` where it does not fit."""

    @property
    def total(self) -> int:
        """Where the run ends, in its unit."""
        return int(getattr(self.config, f"total_{self.UNIT}"))

    def begin(self) -> None:  # noqa: B027  most runs begin with new weights
        """Prepare a run that goes on from nothing."""

    # ---- the loop ----
    def train(self, log: RunLog | None, progress: Progress | None) -> None:
        """Train until ``total``; Ctrl-C (or SIGTERM) ends after the current iteration. Always saves.

        The first process of a group reports and saves; the others have neither log nor progress.
        """
        handlers = {s: signal.signal(s, self._request_stop) for s in (signal.SIGINT, signal.SIGTERM)}
        try:
            while self.steps < self.total and not self._stops():
                before = self.steps
                metrics = self._iterate()
                if log is not None and progress is not None:
                    self._report(before, metrics, log, progress)
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
        if self.group.leads:
            self.save()

    def _stops(self) -> bool:
        """Return whether a signal asked for the end, in any process."""
        self.stopped_by = max(self.group.tell_all(self.stopped_by))
        return bool(self.stopped_by)

    def _report(self, before: int, metrics: dict[str, float], log: RunLog, progress: Progress) -> None:
        """Log an iteration that began at ``before``; evaluate and save where that is due."""
        if metrics:
            log.scalars(self.steps, metrics)
        progress.update(self.steps, metrics)
        if self._evaluates(before):
            results = self.evaluate(self.config.eval_deals, EVAL_SEED)
            log.scalars(self.steps, results)
            progress.update(self.steps, results)
            self.draw(log)
        if self._crossed(before, self.config.checkpoint_every):
            self.save()

    def _request_stop(self, number: int, frame: Any) -> None:
        if self.stopped_by:
            raise KeyboardInterrupt
        self.stopped_by = number

    def _crossed(self, before: int, every: int) -> bool:
        return before // every < self.steps // every

    def _evaluates(self, before: int) -> bool:
        """Return whether an evaluation is due after the iteration that began at ``before``."""
        return bool(self.config.eval_every) and self._crossed(before, self.config.eval_every)

    def draw(self, log: RunLog) -> None:
        """Draw the run's pictures."""
        log.curve()

    def closing(self, results: dict[str, float]) -> list[str]:
        """Return lines to print below the closing table."""
        return []

    # ---- evaluation ----
    def evaluate(self, deals: int, seed: int) -> dict[str, float]:
        """Play duplicate deals against the configured opponents; return points per deal and 95 % half-widths."""
        from agents.arena import play_pair
        from agents.entries import resolve

        results: dict[str, float] = {}
        policy = self.policy()
        for name in self.config.eval_opponents:
            opponent = resolve(name, self.rules, getattr(self.config, "device", "cpu"))
            pair = play_pair(policy, opponent, self.rules, deals, seed)
            tag = eval_tag(name)
            results[f"{tag}_points"] = pair.mean
            results[f"{tag}_ci95"] = (pair.ci95[1] - pair.ci95[0]) / 2
            results[f"{tag}_tricks"] = pair.trick_mean
            results[f"{tag}_tricks_ci95"] = (pair.trick_ci95[1] - pair.trick_ci95[0]) / 2
        return results

    def exact(self, policy: Policy) -> dict[str, float]:
        """Return what best responses gain against a player on the game's tree."""
        self._exploiter = self._exploiter or Exploiter(self.rules)
        found = self._exploiter.measure(policy, team=False)
        results = {"eval/nash_conv": found.nash_conv, "eval/value": found.value}
        if found.exploitability is not None:
            results["eval/exploitability"] = found.exploitability
        return results

    # ---- saving ----
    def save(self) -> Path:
        """Save trainer state, then the policy, each atomically; drop checkpoints beyond ``keep_checkpoints``."""
        folder = self.folder / "checkpoints"
        stem = f"step_{self.steps:012d}"
        tensors, meta = self.state()
        save_tensors(folder / f"{stem}.trainer", tensors, TRAINER, meta)
        path = folder / f"{stem}.safetensors"
        self._save_policy(path)
        self._prune(path)
        return path

    def describe(self, **more: Any) -> dict[str, Any]:
        """Return what a saved network says of itself, for ``checkpoint.save_policy``."""
        config = self.config
        about = {"rules": self.rules.to_dict(), "hidden": list(config.hidden)}
        about |= {"network": config.network} if hasattr(config, "network") else {}
        about |= {"canonical_suits": config.canonical_suits, "seed": config.seed, "commit": describe_commit()}
        return about | more

    def misfit(self, error: Exception) -> CheckpointError:
        """Return the error for a trainer state that was made with other settings."""
        return CheckpointError(
            f"the trainer state in {str(self.folder)!r} does not fit its config.yaml "
            f"({str(error).splitlines()[-1].strip()}): resume with the rules and widths it was trained with"
        )

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

    def resume(self, state: Path | None = None) -> list[str]:
        """Take up a trainer state, by default the newest of the folder that can be read.

        Returns a sentence for each newer one that could not. Raises ``CheckpointError`` when none can be read.
        """
        problems: list[str] = []
        for path in [state] if state is not None else trainer_states(self.folder):
            try:
                tensors, meta = load_tensors(path, TRAINER)
                self.take_up(tensors, meta)
                return problems
            except CheckpointError as error:
                problems.append(str(error))
        nothing = f"the run folder {str(self.folder)!r} has no checkpoint yet: start the run again with its --name"
        raise CheckpointError(problems[-1] if problems else nothing)


def write_summary(folder: Path, summary: dict[str, Any]) -> None:
    """Write ``summary.json`` of a run folder atomically."""
    write_atomic(folder / "summary.json", (json.dumps(summary, indent=2) + "\n").encode())
