"""The fields of a Deep CFR or ESCHER run: defaults, meaning and checks."""

from dataclasses import dataclass, field
from typing import ClassVar

from agents.run_config import (
    ConfigError,
    EnvConfig,
    check_common,
    check_deals,
    check_least,
    check_positive,
    check_shares,
    check_widths,
)
from tressette_env.errors import nearest

METHODS = ("deep_cfr", "escher")
SAMPLINGS = ("auto", "external", "probing")


@dataclass(frozen=True)
class DeepCFRConfig:
    """Neural counterfactual regret. The theory is for two players; with more it is a baseline that promises nothing."""

    env: EnvConfig = field(default_factory=lambda: EnvConfig("due"))
    name: str = ""
    """Run folder under runs/; empty: made from method, rules, seed and time."""
    seed: int = 1
    """One seed for deals, walks, weights and minibatches."""
    device: str = "cpu"
    """torch device: cpu, cuda, cuda:0, ..."""
    threads: int = 1
    """CPU threads of the networks; more pay on idle cores only."""
    bf16: bool = True
    """bfloat16 autocast of the networks (fp32 weights); pays on CPUs with AVX-512 BF16 or AMX."""
    method: str = "deep_cfr"
    """deep_cfr (Brown et al. 2019) or escher (McAleer et al. 2022: regrets from a network of history values)."""
    sampling: str = "auto"
    """deep_cfr: external (all actions of the traverser), probing (all at one choice, by rollouts); auto: either."""
    rollouts: int = 1
    """Rollouts of each action (probing)."""
    explore: float = 1.0
    """Share of lines whose traverser draws uniformly, not by its strategy; theory wants 1 (probing and escher)."""
    total_iterations: int = 50
    """Iterations until the run ends: walks for every seat, then new advantages."""
    traversals_per_iteration: int = 512
    """Deals of an iteration, each walked once for every seat."""
    value_deals: int = 1024
    """Deals of an iteration that history values are learned from, each played once for every seat (escher)."""
    advantage_memory: int = 400_000
    """Sampled regrets kept, a uniform sample of all; in due 360 bytes each, in memory and in every checkpoint."""
    strategy_memory: int = 400_000
    """Strategies kept, a uniform sample of all; as large."""
    value_memory: int = 100_000
    """Latest histories kept (escher)."""
    hidden: tuple[int, ...] = (256, 256)
    """Widths of the hidden layers of every network."""
    canonical_suits: bool = True
    """Rename the suits by the acting seat's hand (longest first), so that relabelled positions are one input."""
    from_scratch: bool = True
    """Advantages are learned from new weights in every iteration; otherwise from those before."""
    advantage_steps: int = 300
    """Gradient steps on the advantages in an iteration."""
    value_steps: int = 200
    """Gradient steps on the history values in an iteration, from the weights before (escher)."""
    policy_steps: int = 2000
    """Gradient steps on the average strategy, from new weights, whenever it is measured or saved."""
    minibatch: int = 1024
    """Rows of a gradient step."""
    learning_rate: float = 1e-3
    """Adam step size at the first step of a fit; it falls linearly to 0."""
    eval_every: int = 10
    """Iterations between evaluations; 0: only at the end."""
    eval_deals: int = 500
    """Duplicate deals of an evaluation during training."""
    final_eval_deals: int = 2000
    """Duplicate deals of the closing evaluation."""
    eval_opponents: tuple[str, ...] = ("random", "simple", "heuristic")
    """Bots or networks (a run folder, file or shipped name) that evaluations play against."""
    eval_exact: bool = False
    """Toys only: also measure exactly what the average strategy leaves to gain (exploitability, NashConv)."""
    checkpoint_every: int = 50
    """Iterations between checkpoints, which hold the memories (the last is always saved)."""
    keep_checkpoints: int = 2
    """Latest checkpoints kept."""

    MAY_CHANGE_ON_RESUME: ClassVar[tuple[str, ...]] = (
        "total_iterations", "device", "threads", "eval_every", "eval_deals", "final_eval_deals", "eval_opponents",
        "eval_exact", "policy_steps", "checkpoint_every", "keep_checkpoints",
    )  # fmt: skip

    def check(self) -> None:
        """Raise ``ConfigError`` at the first value out of range."""
        for name, known in (("method", METHODS), ("sampling", SAMPLINGS)):
            value = getattr(self, name)
            if value not in known:
                raise ConfigError(f"{name} = {value!r} is unknown{nearest(value, list(known))}: use {', '.join(known)}")
        check_least(self, 1, (
            "total_iterations", "traversals_per_iteration", "value_deals", "rollouts", "advantage_memory",
            "strategy_memory", "value_memory", "advantage_steps", "value_steps", "policy_steps", "minibatch", "threads",
            "checkpoint_every", "keep_checkpoints",
        ))  # fmt: skip
        check_least(self, 0, ("eval_every",))
        check_deals(self, "eval_deals", "final_eval_deals")
        check_positive(self, ("learning_rate",))
        check_shares(self, ("explore",))
        if self.explore == 0:
            raise ConfigError("explore = 0 would leave actions untried for good: give a share above 0, such as 0.5")
        check_common(self)
        check_widths(self, ("hidden",))
