"""The fields of a tabular CFR run: defaults, meaning and checks."""

from dataclasses import dataclass, field
from typing import ClassVar

from agents.cfr.sampling import SAMPLERS
from agents.cfr.tabular import VARIANTS
from agents.run_config import ConfigError, EnvConfig, check_common, check_deals, check_least, check_shares
from tressette_env.errors import nearest

METHODS = (*VARIANTS, *SAMPLERS)


@dataclass(frozen=True)
class CFRConfig:
    """Counterfactual regret minimisation on one deal, the last seat dealing."""

    env: EnvConfig = field(default_factory=lambda: EnvConfig("mini_2p"))
    name: str = ""
    """Run folder under runs/; empty: made from rules, method, seed and time."""
    seed: int = 1
    """Seed of the sampling methods and of the evaluations; the others have no randomness."""
    method: str = "cfr+"
    """cfr, cfr+, lcfr (linear), dcfr (discounted), pcfr+ (predictive) on a tree; es_mccfr, os_mccfr sampled."""
    alternating: bool = True
    """The players learn in turn, each against what the others do now; otherwise all at once (tree methods)."""
    explore: float = 0.6
    """Share of random actions of the seat that learns (os_mccfr)."""
    total_iterations: int = 1000
    """Iterations until the run ends: one sweep, or one sampled traversal, for every seat."""
    evals_per_decade: int = 10
    """Measurements while the iterations grow tenfold, evenly on a logarithmic scale; 0: only at the end."""
    eval_deals: int = 0
    """Duplicate deals against each bot at every measurement; 0: exact measures only."""
    final_eval_deals: int = 2000
    """Duplicate deals of the closing evaluation."""
    eval_opponents: tuple[str, ...] = ("random", "simple", "heuristic")
    """Bots or networks (a run folder, file or shipped name) that evaluations play against."""
    measure_nodes: int = 3_000_000
    """Largest tree, in nodes, compiled to measure a sampling method exactly."""
    checkpoint_every: int = 100_000
    """Iterations between checkpoints (the last is always saved)."""
    keep_checkpoints: int = 2
    """Latest checkpoints kept."""

    MAY_CHANGE_ON_RESUME: ClassVar[tuple[str, ...]] = (
        "total_iterations", "evals_per_decade", "eval_deals", "final_eval_deals", "eval_opponents", "checkpoint_every",
        "keep_checkpoints", "measure_nodes",
    )  # fmt: skip

    def check(self) -> None:
        """Raise ``ConfigError`` at the first value out of range."""
        if self.method not in METHODS:
            hint = nearest(self.method, list(METHODS))
            raise ConfigError(f"method = {self.method!r} is unknown{hint}: use {', '.join(METHODS)}")
        check_least(self, 1, ("total_iterations", "checkpoint_every", "keep_checkpoints"))
        check_least(self, 0, ("evals_per_decade", "eval_deals", "measure_nodes"))
        check_deals(self, "final_eval_deals", *(["eval_deals"] if self.eval_deals else []))
        check_shares(self, ("explore",))
        if self.method == "os_mccfr" and self.explore == 0:
            raise ConfigError("explore = 0 would leave actions untried for good: give a share above 0, such as 0.6")
        check_common(self)
