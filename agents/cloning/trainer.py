"""A behaviour cloning run: passes over recorded decisions, measured on other episodes; resumes exactly."""

import copy
import math
import time
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from agents.checkpoint import (
    CheckpointError,
    NetworkPolicy,
    optimiser_state,
    optimiser_tensors,
    part,
    save_policy,
)
from agents.cloning.config import BCConfig
from agents.cloning.samples import Batch, Samples, check_data, split
from agents.decisions.parquet import Decisions
from agents.distributed import ALONE, Group
from agents.networks import autocast, masked_log_probs, mlp
from agents.training import BaseTrainer, TrainingError
from tressette_env.observation import layout

MEASURED = 8192  # validation decisions at a time


class BCTrainer(BaseTrainer):
    """One run: its data, its network, its folder. Stopped within an epoch it goes on from the next minibatch."""

    UNIT: ClassVar[str] = "epochs"
    config: BCConfig

    def __init__(self, config: BCConfig, folder: Path, group: Group = ALONE) -> None:
        super().__init__(config, folder, group)
        torch.set_num_threads(config.threads)
        data = Decisions(config.data)
        check_data(data, self.rules, canonical_suits=config.canonical_suits)
        self.samples = Samples(data, canonical_suits=config.canonical_suits)
        self.learned, self.measured = split(self.samples.episodes, config.validation_fraction, config.seed)
        self.checksum = self.samples.checksum
        self.device = torch.device(config.device)
        torch.manual_seed(config.seed)
        size, width = layout(self.rules).size, self.rules.blocks.num_actions
        self.actor = mlp(size, config.hidden, width, 0.01).to(self.device)
        self.best = copy.deepcopy(self.actor)
        self.optimiser = torch.optim.AdamW(
            self.actor.parameters(), lr=config.learning_rate, weight_decay=config.weight_decay, fused=True
        )
        self.epoch = 0
        self.done = 0  # minibatches of the epoch under way
        self.sums = [0.0, 0.0, 0.0]  # over its decisions: loss, right ones, and seconds
        self.lowest = math.inf  # validation loss, of `best`
        self.stale = 0  # epochs since

    # ---- how far ----
    @property
    def steps(self) -> int:
        """Epochs so far."""
        return self.epoch

    @property
    def total(self) -> int:
        """Where the run ends: at the last epoch, or here when the validation loss has not fallen for long."""
        patience = self.config.patience
        return self.epoch if patience and self.stale >= patience else self.config.total_epochs

    # ---- an epoch ----
    def _iterate(self) -> dict[str, float]:
        """Learn to the end of the epoch, or up to a signal; return what is logged of a whole epoch."""
        config = self.config
        order = np.random.default_rng([config.seed, 2, self.epoch]).permutation(self.learned)
        batches = [order[start : start + config.minibatch] for start in range(0, len(order), config.minibatch)]
        began = time.perf_counter()
        rate = 0.0
        while self.done < len(batches) and not (self.stopped_by and self.done):
            rate = self._rate((self.epoch + self.done / len(batches)) / config.total_epochs)
            self._learn(self.samples.batch(batches[self.done]), rate)
            self.done += 1
        self.seconds += time.perf_counter() - began
        self.sums[2] += time.perf_counter() - began
        if self.done < len(batches):
            return {}
        loss, right, seconds = self.sums
        validation, accuracy = self._measure(self.actor)
        self._check_finite("losses/validation", validation)
        self.epoch, self.done, self.sums = self.epoch + 1, 0, [0.0, 0.0, 0.0]
        self._keep(validation)
        return {
            "losses/train": loss / len(order),
            "losses/validation": validation,
            "charts/train_accuracy": right / len(order),
            "charts/accuracy": accuracy,
            "charts/learning_rate": rate,
            "charts/samples_per_second": len(order) / seconds,
            "charts/epochs_per_second": 1 / seconds,
            "time/seconds": self.seconds,
        }

    def _rate(self, progress: float) -> float:
        """Return the step size at a share of the run, 0 to 1."""
        first, last = self.config.learning_rate, self.config.final_learning_rate
        if self.config.schedule == "constant":
            return first
        fallen = progress if self.config.schedule == "linear" else (1 - math.cos(math.pi * progress)) / 2
        return first + min(fallen, 1.0) * (last - first)

    def _log_probs(self, actor: nn.Module, batch: Batch) -> Tensor:
        with autocast(self.device, self.config.bf16):
            logits = actor(batch.observations.to(self.device)).float()
        return masked_log_probs(logits, batch.masks.to(self.device))

    def _learn(self, batch: Batch, rate: float) -> None:
        """Take a gradient step."""
        config = self.config
        actions = batch.actions.to(self.device)
        log_probs = self._log_probs(self.actor, batch)
        chosen = log_probs.gather(1, actions[:, None]).squeeze(1)
        loss = -chosen.mean()
        if config.label_smoothing:
            legal = batch.masks.to(self.device)
            even = (log_probs * legal).sum(1) / legal.sum(1)
            loss = (1 - config.label_smoothing) * loss - config.label_smoothing * even.mean()
        self._check_finite("losses/train", loss.item())
        self.optimiser.param_groups[0]["lr"] = rate
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.actor.parameters(), config.max_grad_norm)
        self.optimiser.step()
        self.sums[0] -= float(chosen.detach().sum())
        self.sums[1] += float((log_probs.argmax(1) == actions).sum())

    def _check_finite(self, name: str, value: float) -> None:
        """Raise ``TrainingError`` where a number that is logged is no longer finite."""
        if not math.isfinite(value):
            raise TrainingError(
                f"{name} became NaN or infinite in epoch {self.epoch + 1}: the checkpoints in {str(self.folder)!r} "
                f"stay as they are; start again with a learning_rate below {self.config.learning_rate:g}"
            )

    @torch.no_grad()
    def _measure(self, actor: nn.Module) -> tuple[float, float]:
        """Return a network's loss and accuracy on the validation episodes."""
        loss = right = 0.0
        for start in range(0, len(self.measured), MEASURED):
            batch = self.samples.batch(self.measured[start : start + MEASURED])
            actions = batch.actions.to(self.device)
            log_probs = self._log_probs(actor, batch)
            loss -= float(log_probs.gather(1, actions[:, None]).sum())
            right += float((log_probs.argmax(1) == actions).sum())
        return loss / len(self.measured), right / len(self.measured)

    def _keep(self, validation: float) -> None:
        """Keep the network if it is the best so far."""
        if validation < self.lowest:
            self.lowest, self.stale = validation, 0
            self.best.load_state_dict(self.actor.state_dict())
        else:
            self.stale += 1

    # ---- what comes out ----
    @property
    def chosen(self) -> nn.Module:
        """The network with the lowest validation loss after an epoch; before the first, the one that learns."""
        return self.best if math.isfinite(self.lowest) else self.actor

    def policy(self) -> NetworkPolicy:
        """Return the chosen network as a greedy player (a frozen copy)."""
        return NetworkPolicy(copy.deepcopy(self.chosen), self.rules, "policy", self.config.canonical_suits)

    def closing(self, results: dict[str, float]) -> list[str]:
        """Return what the closing table cannot say."""
        loss, accuracy = self._measure(self.chosen)
        early = self.config.total_epochs - self.epoch
        return [
            f"validation: loss {loss:.4f}, accuracy {100 * accuracy:.2f} % over {len(self.measured):,} of "
            f"{len(self.samples):,} decisions with a choice{f', {early} epochs early' if early > 0 else ''}"
        ]

    def _save_policy(self, path: Path) -> None:
        save_policy(path, self.chosen, self.describe(decisions=self.epoch * len(self.learned)))

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """Return all that going on needs."""
        tensors = {f"actor.{k}": v for k, v in self.actor.state_dict().items()}
        tensors |= {f"best.{k}": v for k, v in self.best.state_dict().items()}
        tensors |= optimiser_tensors("optimiser.", self.optimiser.state_dict())
        numbers = ("epoch", "done", "sums", "stale", "seconds", "checksum")
        lowest = self.lowest if math.isfinite(self.lowest) else None
        return tensors, {name: getattr(self, name) for name in numbers} | {"lowest": lowest}

    def take_up(self, tensors: dict[str, Tensor], meta: dict[str, Any]) -> None:
        """Take up what ``state`` returned. Raises ``CheckpointError`` where it does not fit."""
        if meta.get("checksum") != self.checksum:
            raise CheckpointError(
                f"the data in {self.config.data!r} are not those that {str(self.folder)!r} has learned from: "
                "give --data with those, or start a new run"
            )
        try:
            self.actor.load_state_dict(part(tensors, "actor."))
            self.best.load_state_dict(part(tensors, "best."))
            self.optimiser.load_state_dict(optimiser_state(tensors, "optimiser.", self.optimiser.state_dict()))
            self.epoch, self.done, self.sums = meta["epoch"], meta["done"], list(meta["sums"])
            self.stale, self.seconds = meta["stale"], meta["seconds"]
            self.lowest = math.inf if meta["lowest"] is None else meta["lowest"]
        except (RuntimeError, KeyError, ValueError) as error:
            raise self.misfit(error) from None
