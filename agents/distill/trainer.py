"""A distillation run: chunks of labelled deals played again and learned from; resumes exactly after any chunk."""

import copy
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

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
from agents.distill.config import DistillConfig
from agents.distill.labels import LabelsError, block_paths, load_block, positions
from agents.distill.targets import spread
from agents.distributed import ALONE, Group
from agents.features import actor_features
from agents.networks import autocast, masked_log_probs
from agents.suit_network import make_actor
from agents.training import BaseTrainer, TrainingError, stream_seed
from tressette_env.observation import layout
from tressette_env.rules import Rules

_ORDER, _SHUFFLE = 1, 2  # random streams of an epoch


class Chunk(NamedTuple):
    """Labelled decisions: inputs (N, F), masks bool (N, A), targets float32 (N, A), worth float32 (N, A)."""

    observations: Tensor
    masks: Tensor
    targets: Tensor
    worth: Tensor


def read_chunk(paths: Sequence[Path], rules: Rules, temperature: float, *, canonical: bool, bf16: bool) -> Chunk:
    """Return the decisions of some blocks. Raises ``LabelsError`` for a damaged one or other rules."""
    parts: list[Chunk] = []
    table, size, width = rules.table(), layout(rules).size, rules.blocks.num_actions
    for path in paths:
        block, about = load_block(path)
        if Rules.from_dict(about["rules"]) != rules:
            raise LabelsError(
                f"the labels {str(path)!r} are of other rules than {rules.name!r}: set env.rules to theirs"
            )
        for states, places in positions(block, rules):
            n = len(places)
            obs, mask = np.empty((n, size), np.float32), np.empty((n, width), np.int8)
            actor_features(states, np.arange(n), table, canonical, obs, mask)
            targets, worth = np.empty((n, width), np.float32), np.empty((n, width), np.float32)
            spread(states, table, canonical, block.actions[places], block.values[places], temperature, targets, worth)
            shown = torch.from_numpy(obs)
            shown = shown.bfloat16() if bf16 else shown
            parts.append(Chunk(shown, torch.from_numpy(mask > 0), torch.from_numpy(targets), torch.from_numpy(worth)))
    return Chunk(*(torch.cat(columns) for columns in zip(*parts, strict=True)))


class DistillTrainer(BaseTrainer):
    """One run: its labels, its network, its folder. An iteration is a chunk of blocks."""

    UNIT: ClassVar[str] = "decisions"
    config: DistillConfig

    def __init__(self, config: DistillConfig, folder: Path, group: Group = ALONE) -> None:
        super().__init__(config, folder, group)
        torch.set_num_threads(config.threads)
        found = block_paths(Path(config.labels))
        if len(found) <= config.validation_blocks:
            raise LabelsError(
                f"{config.labels!r} holds {len(found)} blocks and validation_blocks = {config.validation_blocks}: "
                "label more deals"
            )
        self.paths = found[: -config.validation_blocks]
        self._measured = self._read(found[-config.validation_blocks :])
        self.device = torch.device(config.device)
        torch.manual_seed(config.seed)
        self.actor = make_actor(self.rules, config.hidden, config.network).to(self.device)
        self.optimiser = torch.optim.AdamW(
            self.actor.parameters(), lr=config.learning_rate, weight_decay=config.weight_decay, fused=True
        )
        self.iteration = 0
        self.decisions = 0

    def _read(self, paths: Sequence[Path]) -> Chunk:
        config = self.config
        return read_chunk(paths, self.rules, config.temperature, canonical=config.canonical_suits, bf16=config.bf16)

    @property
    def steps(self) -> int:
        """Labelled decisions learned from so far."""
        return self.decisions

    # ---- a chunk ----
    def _iterate(self) -> dict[str, float]:
        config = self.config
        began = time.perf_counter()
        chunk = self._read(self._paths_of(self.iteration))
        rng = np.random.default_rng(stream_seed(config.seed, self.iteration, _SHUFFLE))
        order = torch.from_numpy(rng.permutation(len(chunk.targets)))
        loss = 0.0
        for start in range(0, len(order), config.minibatch):
            progress = min((self.decisions + start) / config.total_decisions, 1.0)
            rate = config.learning_rate + progress * (config.final_learning_rate - config.learning_rate)
            loss += self._learn(Chunk(*(column[order[start : start + config.minibatch]] for column in chunk)), rate)
        self.iteration += 1
        self.decisions += len(order)
        seconds = time.perf_counter() - began
        self.seconds += seconds
        validation, lost = self._measure()
        return {
            "losses/distill": loss / len(order),
            "losses/distill_validation": validation,
            "charts/teacher_loss": lost,
            "charts/learning_rate": rate,
            "charts/labels_per_second": len(order) / seconds,
            "charts/decisions_per_second": len(order) / seconds,
            "time/seconds": self.seconds,
        }

    def _paths_of(self, iteration: int) -> list[Path]:
        """Return the blocks of an iteration: every epoch takes all of them once, in an order of its own."""
        chunks = math.ceil(len(self.paths) / self.config.chunk_blocks)
        epoch, place = divmod(iteration, chunks)
        order = np.random.default_rng(stream_seed(self.config.seed, epoch, _ORDER)).permutation(len(self.paths))
        first = place * self.config.chunk_blocks
        return [self.paths[i] for i in order[first : first + self.config.chunk_blocks]]

    def _log_probs(self, chunk: Chunk) -> Tensor:
        with autocast(self.device, self.config.bf16):
            logits = self.actor(chunk.observations.to(self.device)).float()
        return masked_log_probs(logits, chunk.masks.to(self.device))

    def _learn(self, batch: Chunk, rate: float) -> float:
        """Take a gradient step; return the summed loss."""
        loss = -(batch.targets.to(self.device) * self._log_probs(batch)).sum()
        if not math.isfinite(loss.item()):
            raise TrainingError(
                f"losses/distill became NaN or infinite in iteration {self.iteration}: the checkpoints in "
                f"{str(self.folder)!r} stay as they are; start again with a smaller learning_rate"
            )
        self.optimiser.param_groups[0]["lr"] = rate
        self.optimiser.zero_grad(set_to_none=True)
        (loss / len(batch.targets)).backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.actor.parameters(), self.config.max_grad_norm)
        self.optimiser.step()
        return loss.item()

    @torch.no_grad()
    def _measure(self) -> tuple[float, float]:
        """Return the loss on the validation blocks, and the points a decision that the teacher sees lost there."""
        loss = lost = 0.0
        judged = 0
        rows = torch.arange(len(self._measured.targets)).split(8192)
        for places in rows:
            batch = Chunk(*(column[places] for column in self._measured))
            log_probs = self._log_probs(batch).cpu()
            loss -= float((batch.targets * log_probs).sum())
            worth = batch.worth.gather(1, log_probs.argmax(1)[:, None])
            known = torch.isfinite(worth)
            lost -= float(worth[known].sum())
            judged += int(known.sum())
        return loss / len(self._measured.targets), lost / max(judged, 1)

    # ---- playing and saving ----
    def policy(self) -> NetworkPolicy:
        """Return the current policy as a greedy player (a frozen copy)."""
        return NetworkPolicy(copy.deepcopy(self.actor), self.rules, "policy", self.config.canonical_suits)

    def _save_policy(self, path: Path) -> None:
        save_policy(path, self.actor, self.describe(decisions=self.decisions))

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """Return all that going on needs."""
        tensors = {f"actor.{key}": value for key, value in self.actor.state_dict().items()}
        tensors |= optimiser_tensors("optimiser.", self.optimiser.state_dict())
        meta = {"iteration": self.iteration, "decisions": self.decisions, "seconds": self.seconds}
        return tensors, meta | {"blocks": len(self.paths)}

    def take_up(self, tensors: dict[str, Tensor], meta: dict[str, Any]) -> None:
        """Take up what ``state`` returned. Raises ``CheckpointError`` where it does not fit."""
        if meta.get("blocks") != len(self.paths):
            raise CheckpointError(
                f"the run in {str(self.folder)!r} learned from {meta.get('blocks')} blocks, {self.config.labels!r} now "
                f"has {len(self.paths)}: start a new run, which may take more of them"
            )
        try:
            self.actor.load_state_dict(part(tensors, "actor."))
            moments = optimiser_state(tensors, "optimiser.", self.optimiser.state_dict())
            self.optimiser.load_state_dict(moments)
            self.iteration, self.decisions, self.seconds = meta["iteration"], meta["decisions"], meta["seconds"]
        except (KeyError, RuntimeError, ValueError) as error:
            raise self.misfit(error) from None
