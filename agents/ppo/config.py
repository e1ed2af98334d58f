"""The fields of a PPO run: defaults, meaning and checks."""

import math
from dataclasses import dataclass, field
from typing import ClassVar

from agents.arena import MAX_DEALS
from tressette_env.errors import TressetteError

# The most that whole numbers may be: by name, else MOST, which the names of checkpoints have room for.
MOST = 900_000_000_000
LIMITS = {
    "threads": 1024,
    "deals_per_iteration": 2**20,
    "minibatch": 2**30,
    "eval_deals": MAX_DEALS,
    "final_eval_deals": MAX_DEALS,
}
MAX_WIDTH, MAX_LAYERS = 8192, 32


class ConfigError(TressetteError):
    """A configuration key or value that cannot be used."""


@dataclass(frozen=True)
class EnvConfig:
    """The game that is played."""

    rules: str = "tressette"
    """Preset name, path of a YAML file, or a mapping of overrides such as "{preset: tressette, target: 31}"."""


@dataclass(frozen=True)
class PPOConfig:
    """A self-play PPO run. Sources and measured settings: docs/training.md."""

    env: EnvConfig = field(default_factory=EnvConfig)
    name: str = ""
    """Run folder under runs/; empty: made from rules, seed and time."""
    seed: int = 1
    """One seed for deals, players, weights and minibatches."""
    device: str = "cpu"
    """torch device: cpu, cuda, cuda:0, ..."""
    threads: int = 2
    """CPU threads: with 2 or more, deals are played in two halves and actor and critic learn side by side."""
    bf16: bool = True
    """bfloat16 autocast of the networks (fp32 weights); pays on CPUs with AVX-512 BF16 or AMX."""
    total_decisions: int = 4_000_000
    """Environment decisions (every action of every seat) until the run ends."""
    deals_per_iteration: int = 1024
    """Deals played in lock step for one iteration."""
    hidden: tuple[int, ...] = (256, 256, 256)
    """Widths of the actor's hidden layers."""
    critic_hidden: tuple[int, ...] = (256, 256, 256)
    """Widths of the critic's hidden layers."""
    canonical_suits: bool = True
    """Rename the suits by the acting seat's hand (longest first), so that relabelled positions are one input."""
    central_critic: bool = True
    """The critic sees all hands (state()); otherwise the acting seat's own observation."""
    augment_critic: bool = False
    """Train the critic on a random one of the 24 suit relabellings of each sample."""
    epochs: int = 3
    """Passes over the data of one iteration."""
    minibatch: int = 1024
    """Decisions per gradient step."""
    learning_rate: float = 3e-4
    """Adam step size at the start."""
    final_learning_rate: float = 1e-5
    """Adam step size at the end (linear in decisions)."""
    entropy: float = 0.02
    """Entropy bonus at the start."""
    final_entropy: float = 0.002
    """Entropy bonus at the end (linear)."""
    gamma: float = 1.0
    """Discount per own decision."""
    gae_lambda: float = 0.95
    """GAE lambda over a seat's own decisions."""
    clip: float = 0.2
    """PPO ratio clip."""
    max_grad_norm: float = 0.5
    """Gradient norm clip of each network."""
    target_kl: float = 0.05
    """Stop the actor's epochs when the approximate KL of a pass exceeds this; 0: never."""
    reward_scale_points: float = 5.0
    """Points that make a reward of 1."""
    normalise_values: bool = True
    """Learn values in units of the running spread of returns."""
    pool_size: int = 0
    """Past policies kept as opponents; 0: pure self-play."""
    pool_fraction: float = 0.2
    """Share of deals in which one side is played by a pool member."""
    pool_every: int = 50
    """Iterations between additions to the pool."""
    eval_every: int = 1_000_000
    """Decisions between evaluations; 0: only at the end."""
    eval_deals: int = 500
    """Duplicate deals of an evaluation during training, each in two rooms, or in two per place where more compete."""
    final_eval_deals: int = 2000
    """Duplicate deals of the closing evaluation."""
    eval_opponents: tuple[str, ...] = ("random", "simple", "heuristic")
    """Bots that evaluations play against."""
    checkpoint_every: int = 1_000_000
    """Decisions between checkpoints (the last is always saved)."""
    keep_checkpoints: int = 5
    """Latest checkpoints kept."""

    MAY_CHANGE_ON_RESUME: ClassVar[tuple[str, ...]] = (
        "total_decisions", "device", "threads", "eval_every", "eval_deals", "final_eval_deals", "eval_opponents",
        "checkpoint_every", "keep_checkpoints",
    )  # fmt: skip

    def check(self) -> None:
        """Raise ``ConfigError`` at the first value out of range."""
        for name in (
            "total_decisions", "deals_per_iteration", "epochs", "minibatch", "threads", "keep_checkpoints",
            "pool_every", "checkpoint_every",
        ):  # fmt: skip
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} = {getattr(self, name)} must be at least 1")
        for name in ("eval_deals", "final_eval_deals"):
            if getattr(self, name) < 2:
                raise ConfigError(f"{name} = {getattr(self, name)} is too few for an interval: give at least 2")
        for name in ("learning_rate", "clip", "max_grad_norm", "reward_scale_points"):
            if not getattr(self, name) > 0:
                raise ConfigError(f"{name} = {getattr(self, name)} must be above 0")
        for name in ("final_learning_rate", "entropy", "final_entropy", "target_kl", "pool_size", "eval_every"):
            if getattr(self, name) < 0:
                raise ConfigError(f"{name} = {getattr(self, name)} must not be negative")
        for name in ("gamma", "gae_lambda", "pool_fraction"):
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigError(f"{name} = {getattr(self, name)} must be between 0 and 1")
        for name, value in vars(self).items():
            if isinstance(value, float) and not math.isfinite(value):
                raise ConfigError(f"{name} = {value} is not a finite number")
        if not 0 <= self.seed < 2**30:
            raise ConfigError(f"seed = {self.seed} is out of range: a whole number from 0 to {2**30 - 1}")
        if self.name != self.name.strip() or any(letter in self.name for letter in "/\\\0") or self.name in (".", ".."):
            raise ConfigError(f"name = {self.name!r} is no folder name: leave out slashes and outer blanks")
        self._check_sizes()

    def _check_sizes(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, int) and value > LIMITS.get(name, MOST):
                raise ConfigError(f"{name} = {value} is too large: give at most {LIMITS.get(name, MOST)}")
        for name in ("hidden", "critic_hidden"):
            widths = getattr(self, name)
            if not 1 <= len(widths) <= MAX_LAYERS or not all(1 <= width <= MAX_WIDTH for width in widths):
                shown = widths if len(widths) <= MAX_LAYERS else f"{len(widths)} layers"
                raise ConfigError(f"{name} = {shown} must name 1 to {MAX_LAYERS} widths from 1 to {MAX_WIDTH}")
