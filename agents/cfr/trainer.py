"""A tabular CFR run: iterate, measure on a logarithmic scale, save; resumes exactly."""

import time
from math import floor, log10
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from agents.cfr.best_response import expected_values, nash_conv
from agents.cfr.config import CFRConfig
from agents.cfr.picture import draw_curve
from agents.cfr.policy import TablePolicy, policy_of_store, policy_of_tree, save_table
from agents.cfr.sampling import SAMPLERS, MCCFRSolver
from agents.cfr.tabular import CFRSolver
from agents.cfr.tree import GameTree, TreeError, deal_tree
from agents.checkpoint import CheckpointError
from agents.distributed import ALONE, Group
from agents.provenance import describe_commit
from agents.runlog import RunLog
from agents.training import BaseTrainer

_STEP_S = 1.0  # seconds of iterations between two looks at Ctrl-C, about


class CFRTrainer(BaseTrainer):
    """One run: its solver, the tree to measure on where there is one, its folder."""

    UNIT: ClassVar[str] = "iterations"
    config: CFRConfig

    def __init__(self, config: CFRConfig, folder: Path, group: Group = ALONE) -> None:
        super().__init__(config, folder, group)
        self.tree: GameTree | None = self._tree_to_measure() if config.method in SAMPLERS else deal_tree(self.rules)
        self._new_solver().iterate()  # compiles what is not yet: no part of the time
        self.solver = self._new_solver()
        self._chunk = 1

    def _new_solver(self) -> CFRSolver | MCCFRSolver:
        config = self.config
        if config.method in SAMPLERS:
            return MCCFRSolver(self.rules, config.method, seed=config.seed, explore=config.explore)
        assert self.tree is not None
        return CFRSolver(self.tree, config.method, alternating=config.alternating)

    def _tree_to_measure(self) -> GameTree | None:
        try:
            return deal_tree(self.rules, self.config.measure_nodes)
        except TreeError:
            return None

    @property
    def steps(self) -> int:
        """Iterations so far."""
        return self.solver.iteration

    def _iterate(self) -> dict[str, float]:
        """Run iterations up to the next measurement, the end, or for about a second."""
        times = max(1, min(self._chunk, self._measure_after(self.steps) - self.steps, self.total - self.steps))
        began = time.perf_counter()
        self.solver.iterate(times)
        spent = max(time.perf_counter() - began, 1e-9)
        self.seconds += spent
        self._chunk = max(1, min(2 * self._chunk, int(times * _STEP_S / spent)))
        if isinstance(self.solver, MCCFRSolver):
            sets = float(self.solver.store.num_sets)
        else:
            sets = float(self.solver.tree.num_sets)
        return {
            "charts/iterations_per_second": times / spent,
            "charts/information_sets": sets,
            "time/seconds": self.seconds,
        }

    def _measure_after(self, step: int) -> int:
        """Return the first iteration after a step at which something is measured; the last where that is the end."""
        per_decade = self.config.evals_per_decade
        if not per_decade:
            return self.total
        place = floor(per_decade * log10(max(1, step)))
        while round(10 ** (place / per_decade)) <= step:
            place += 1
        return round(10 ** (place / per_decade))

    def _evaluates(self, before: int) -> bool:
        return bool(self.config.evals_per_decade) and self.steps >= self._measure_after(before)

    # ---- measures ----
    def strategy(self) -> np.ndarray:
        """Return the average strategy on the tree, float64 (K,)."""
        assert self.tree is not None
        return (
            self.solver.store.on_tree(self.tree)
            if isinstance(self.solver, MCCFRSolver)
            else self.solver.average_strategy()
        )

    def policy(self) -> TablePolicy:
        """Return the average strategy as a player."""
        if isinstance(self.solver, MCCFRSolver):
            return policy_of_store(self.solver.store, self.rules, "policy")
        return policy_of_tree(self.solver.tree, self.solver.average_strategy(), self.rules, "policy")

    def evaluate(self, deals: int, seed: int) -> dict[str, float]:
        """Return exact measures where the game has a tree, and points per deal against the bots for deals above 0."""
        results: dict[str, float] = {}
        if self.tree is not None:
            strategy = self.strategy()
            gap = nash_conv(self.tree, strategy)
            results["eval/nash_conv"] = gap
            if self.tree.num_players == 2:
                results["eval/exploitability"] = gap / 2
            results["eval/value"] = float(expected_values(self.tree, strategy)[0])
        return results | (super().evaluate(deals, seed) if deals else {})

    def draw(self, log: RunLog) -> None:
        """Draw ``exploitability.png`` and, where bots were met, ``curve.png``."""
        draw_curve(log.path, self.folder / "exploitability.png", self.config.method)
        if self.config.eval_deals:
            log.curve()

    def closing(self, results: dict[str, float]) -> list[str]:
        """Return what the closing table cannot say."""
        if "eval/exploitability" in results:
            span = float(np.ptp(self.tree.payoffs[:, 0])) if self.tree is not None else 1.0
            share = results["eval/exploitability"] / span
            return [
                f"exploitability {results['eval/exploitability']:.6f} points, {share:.1e} of the range of payoffs; "
                f"value for eldest hand {results['eval/value']:+.6f}"
            ]
        if "eval/nash_conv" in results:
            return [
                f"unilateral NashConv {results['eval/nash_conv']:.6f} points over {self.rules.num_seats} seats "
                "(what partners could gain together is another question: evaluate.py --exploit)"
            ]
        return ["no exact measure: the game is too large for a tree"]

    # ---- saving ----
    def _save_policy(self, path: Path) -> None:
        meta = {
            "rules": self.rules.to_dict(),
            "method": self.config.method,
            "iterations": self.steps,
            "seed": self.config.seed,
            "commit": describe_commit(),
        }
        save_table(path, self.policy(), meta)

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """Return all that going on needs."""
        tensors = {name: torch.from_numpy(array) for name, array in self.solver.state().items()}
        return tensors, {"seconds": self.seconds, "method": self.config.method}

    def take_up(self, tensors: dict[str, Tensor], meta: dict[str, Any]) -> None:
        """Take up what ``state`` returned. Raises ``CheckpointError`` where it does not fit."""
        arrays = {name: tensor.numpy() for name, tensor in tensors.items()}
        wanted = {name: array.shape for name, array in self.solver.state().items()}
        same = isinstance(self.solver, MCCFRSolver) or all(
            name in arrays and arrays[name].shape == shape for name, shape in wanted.items()
        )
        if not same or set(wanted) != set(arrays) or meta.get("method") != self.config.method:
            raise CheckpointError(
                f"the trainer state in {str(self.folder)!r} does not fit its config.yaml: resume with the rules and "
                "the method it was trained with"
            )
        self.solver.restore(arrays)
        self.seconds = float(meta["seconds"])
