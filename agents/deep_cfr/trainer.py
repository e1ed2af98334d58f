"""A Deep CFR or ESCHER run: walk for every seat, learn the advantages, save; resumes exactly.

All seats walk against the same strategies, then learn at once, with one network for all: an observation is relative to
its seat and says who is eldest, so that nothing is mixed up and what holds for one place helps the others.
"""

import math
import time
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from agents.cfr.picture import draw_curve
from agents.checkpoint import CheckpointError, NetworkPolicy, part, save_policy
from agents.deep_cfr.config import DeepCFRConfig
from agents.deep_cfr.escher import escher, value_lines
from agents.deep_cfr.fit import cross_entropy, fit, fresh, squared_error
from agents.deep_cfr.memory import MemoryMismatchError, Reservoir, joined
from agents.deep_cfr.strategy import Players
from agents.deep_cfr.walks import Harvest, external, externally, probing
from agents.distributed import ALONE, Group
from agents.runlog import RunLog
from agents.training import BaseTrainer, TrainingError, stream_seed
from tressette_env.engine.batch import Batch
from tressette_env.observation import layout

DEALS, WALKS, ADVANTAGES, STRATEGY, VALUES = range(5)  # random streams of an iteration


class DeepCFRTrainer(BaseTrainer):
    """One run: its networks, its memories, its folder."""

    UNIT: ClassVar[str] = "iterations"
    config: DeepCFRConfig

    def __init__(self, config: DeepCFRConfig, folder: Path, group: Group = ALONE) -> None:
        super().__init__(config, folder, group)
        torch.set_num_threads(config.threads)
        self.iteration = 0
        self.device = torch.device(config.device)
        self.external = externally(self.rules, config.sampling)
        self.players = Players(self.rules, config.canonical_suits, self.device, config.bf16)
        self.size, self.num_actions = layout(self.rules).size, self.rules.blocks.num_actions
        self.advantages: nn.Module | None = None
        self.values: nn.Module = self._fresh(1, VALUES)
        self.memories = {
            "advantage": Reservoir(self.rules, self.num_actions, config.advantage_memory),
            "strategy": Reservoir(self.rules, self.num_actions, config.strategy_memory),
            "value": Reservoir(self.rules, 1, config.value_memory, recent=True),
        }
        self._average: tuple[int, nn.Module] | None = None  # of which iteration

    @property
    def steps(self) -> int:
        """Iterations so far."""
        return self.iteration

    # ---- randomness: pure functions of (seed, iteration, stream) ----
    def _key(self, stream: int) -> int:
        return stream_seed(self.config.seed, self.iteration, stream)

    def _rng(self, stream: int) -> np.random.Generator:
        return np.random.default_rng([self.config.seed, self.iteration, stream])

    def _fresh(self, outputs: int, stream: int) -> nn.Module:
        return fresh(self.size, self.config.hidden, outputs, self._key(stream)).to(self.device)

    def _deals(self, number: int, stream: int) -> tuple[np.ndarray, np.ndarray]:
        """Return new deals, each once for every seat, STATE_DTYPE (number * seats,), and the seats, int64."""
        # Training deals live above 2**32, so that no evaluation seed below it ever meets one of them.
        seeds = ((self.config.seed + 1) << 32) + (stream << 20) + np.arange(number)
        batch = Batch(self.rules, number, seeds=seeds)
        batch.start(ks=self.iteration)
        seats = self.rules.num_seats
        return np.repeat(batch.states, seats), np.tile(np.arange(seats), number)

    # ---- an iteration ----
    def _iterate(self) -> dict[str, float]:
        config = self.config
        began = time.perf_counter()
        self.iteration += 1
        logs: dict[str, float] = {}
        played = 0
        if config.method == "escher":
            loss, played = self._learn_values()
            logs["losses/history_value_loss"] = loss
        harvest = self._walk()
        played += harvest.decisions
        rng = self._rng(WALKS + 10)
        for name, parts in (("advantage", harvest.regrets), ("strategy", harvest.strategies)):
            self.memories[name].add(joined(parts, self.size, self.num_actions), self.iteration, rng)
        walked = time.perf_counter()
        logs["losses/advantage_loss"] = self._learn_advantages()
        spent = time.perf_counter() - began
        self.seconds += spent
        self._check_finite(logs)
        return logs | {
            "charts/iterations_per_second": 1 / spent,
            "charts/decisions_per_second": played / spent,
            "charts/deals": float(self.iteration * config.traversals_per_iteration),
            "charts/advantage_samples": float(self.memories["advantage"].seen),
            "charts/strategy_samples": float(self.memories["strategy"].seen),
            "charts/advantage_spread": self.memories["advantage"].spread() if self.memories["advantage"].seen else 0.0,
            "time/learning_share": 1 - (walked - began) / spent,
            "time/seconds": self.seconds,
        }

    def _walk(self) -> Harvest:
        config, players = self.config, self.players
        rng = self._rng(WALKS)
        states, seats = self._deals(config.traversals_per_iteration, DEALS)
        if config.method == "escher":
            return escher(players, self.values, states, seats, rng, config.explore)
        if self.external:
            return external(players, states, seats, rng)
        return probing(players, states, seats, rng, config.explore, config.rollouts)

    def _learn_values(self) -> tuple[float, int]:
        """Play this iteration's deals for history values and learn; return the loss and the decisions played."""
        config, harvest = self.config, Harvest()
        rng = self._rng(VALUES)
        states, seats = self._deals(config.value_deals, VALUES)
        lines = value_lines(self.players, states, seats, rng, config.explore, harvest)
        memory = self.memories["value"]
        memory.add(lines, 1, rng)  # all count alike
        return self._fit(self.values, "value", squared_error(1.0), config.value_steps, VALUES + 10), harvest.decisions

    def _learn_advantages(self) -> float:
        """Learn advantages, which all seats play from then on; return the loss in shares of the targets' square."""
        memory = self.memories["advantage"]
        if self.advantages is None or self.config.from_scratch:
            self.advantages = self._fresh(self.num_actions, ADVANTAGES)
        loss = squared_error(memory.spread() if len(memory) else 1.0)
        found = self._fit(self.advantages, "advantage", loss, self.config.advantage_steps, ADVANTAGES)
        self.players.advantages = self.advantages
        return found

    def _fit(self, network: nn.Module, name: str, loss: Any, steps: int, stream: int) -> float:
        config, memory = self.config, self.memories[name]
        if not len(memory):  # nobody has had a choice yet
            return 0.0
        return fit(
            network, memory, loss, steps=steps, minibatch=config.minibatch, learning_rate=config.learning_rate,
            device=self.device, bf16=config.bf16, rng=self._rng(stream),
        )  # fmt: skip

    def _check_finite(self, logs: dict[str, float]) -> None:
        bad = [key for key, value in logs.items() if not math.isfinite(value)]
        if bad:
            raise TrainingError(
                f"{', '.join(bad)} became NaN or infinite in iteration {self.iteration}: the checkpoints in "
                f"{str(self.folder)!r} stay as they are; start again with a learning_rate below "
                f"{self.config.learning_rate:g}"
            )

    # ---- the average strategy ----
    def average(self) -> nn.Module:
        """Return the network of the average strategy, learned anew from the memory once an iteration."""
        if self._average is None or self._average[0] != self.iteration:
            network = self._fresh(self.num_actions, STRATEGY)
            loss = self._fit(network, "strategy", cross_entropy, self.config.policy_steps, STRATEGY)
            self._check_finite({"losses/average_policy_loss": loss})
            self._average = (self.iteration, network)
        return self._average[1]

    def policy(self, *, greedy: bool = True) -> NetworkPolicy:
        """Return the average strategy as a player: greedy, or drawing from its probabilities."""
        return NetworkPolicy(self.average(), self.rules, "policy", self.config.canonical_suits, greedy=greedy)

    def evaluate(self, deals: int, seed: int) -> dict[str, float]:
        """Play against the bots, greedily; with ``eval_exact`` also measure what the mixed policy leaves to gain."""
        results = super().evaluate(deals, seed)
        if self.config.eval_exact:
            results |= self.exact(self.policy(greedy=False))
        return results

    def draw(self, log: RunLog) -> None:
        """Draw ``exploitability.png`` where it is measured."""
        if self.config.eval_exact:
            draw_curve(log.path, self.folder / "exploitability.png", self.config.method)

    def closing(self, results: dict[str, float]) -> list[str]:
        """Return what the closing table cannot say."""
        if "eval/exploitability" in results:
            return [f"exploitability of the mixed average strategy: {results['eval/exploitability']:.4f} points"]
        return []

    # ---- saving ----
    def _save_policy(self, path: Path) -> None:
        about = self.describe(iterations=self.iteration, method=self.config.method)
        save_policy(path, self.average(), about)

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """Return all that going on needs."""
        tensors = {f"memory.{name}": memory.state() for name, memory in self.memories.items()}
        tensors |= {f"values.{key}": weights for key, weights in self.values.state_dict().items()}
        if self.advantages is not None:
            tensors |= {f"advantages.{key}": weights for key, weights in self.advantages.state_dict().items()}
        seen = {name: memory.seen for name, memory in self.memories.items()}
        meta = {"iteration": self.iteration, "seconds": self.seconds, "method": self.config.method, "seen": seen}
        return tensors, meta

    def take_up(self, tensors: dict[str, Tensor], meta: dict[str, Any]) -> None:
        """Take up what ``state`` returned. Raises ``CheckpointError`` where it does not fit."""
        try:
            if meta["method"] != self.config.method:
                raise MemoryMismatchError(f"it is of {meta['method']}")
            for name, memory in self.memories.items():
                memory.restore(tensors[f"memory.{name}"], int(meta["seen"][name]))
            self.values.load_state_dict(part(tensors, "values."))
            self.iteration, self.seconds = int(meta["iteration"]), float(meta["seconds"])
            if self.iteration:
                self.advantages = self._fresh(self.num_actions, ADVANTAGES)
                self.advantages.load_state_dict(part(tensors, "advantages."))
        except (KeyError, RuntimeError, MemoryMismatchError) as error:
            raise CheckpointError(
                f"the trainer state in {str(self.folder)!r} does not fit its config.yaml "
                f"({str(error).splitlines()[-1].strip()}): resume with the rules, method and sizes it was trained with"
            ) from None
        self.players.advantages = self.advantages
