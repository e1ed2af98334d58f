"""The fields of a PPO run: defaults, meaning and checks."""

from dataclasses import dataclass, field
from typing import ClassVar

from agents.run_config import (
    EnvConfig,
    check_common,
    check_deals,
    check_least,
    check_network,
    check_positive,
    check_shares,
    check_widths,
)


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
    init_from: str = ""
    """Run folder, policy file or name of a shipped policy that the run begins with; empty: new weights."""
    critic_warmup: int = 0
    """Iterations at the start in which only the critic learns: with init_from it knows nothing of the actor yet."""
    hidden: tuple[int, ...] = (256, 256, 256)
    """Widths of the actor's hidden layers."""
    critic_hidden: tuple[int, ...] = (256, 256, 256)
    """Widths of the critic's hidden layers."""
    network: str = "mlp"
    """Kind of network: mlp, or suits: the same weights for every suit (hidden: multiples of 32)."""
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
    magnet_kl: float = 0.0
    """Weight of KL(policy, magnet), which draws the policy to an earlier one (magnetic mirror descent); 0: none."""
    magnet_fades: bool = False
    """Let that weight go to 0 at the end (linear); otherwise it stays."""
    magnet_every: int = 10
    """Iterations after which the magnet becomes the policy of that moment; 0: it stays the first policy."""
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
    """Bots or networks (a run folder, file or shipped name) that evaluations play against."""
    eval_exact: bool = False
    """Toys only: also measure exactly what the mixed policy leaves to gain (exploitability, NashConv)."""
    eval_signals: bool = True
    """Also measure what the signals tell, whom they move and what they are worth, where partners have any."""
    checkpoint_every: int = 1_000_000
    """Decisions between checkpoints (the last is always saved)."""
    keep_checkpoints: int = 5
    """Latest checkpoints kept."""

    MAY_CHANGE_ON_RESUME: ClassVar[tuple[str, ...]] = (
        "total_decisions", "device", "threads", "eval_every", "eval_deals", "final_eval_deals", "eval_opponents",
        "checkpoint_every", "keep_checkpoints", "eval_exact", "eval_signals",
    )  # fmt: skip

    def check(self) -> None:
        """Raise ``ConfigError`` at the first value out of range."""
        check_least(self, 1, (
            "total_decisions", "deals_per_iteration", "epochs", "minibatch", "threads", "keep_checkpoints",
            "pool_every", "checkpoint_every",
        ))  # fmt: skip
        check_deals(self, "eval_deals", "final_eval_deals")
        check_positive(self, ("learning_rate", "clip", "max_grad_norm", "reward_scale_points"))
        check_least(self, 0, (
            "final_learning_rate", "entropy", "final_entropy", "target_kl", "pool_size", "eval_every", "magnet_kl",
            "magnet_every", "critic_warmup",
        ))  # fmt: skip
        check_shares(self, ("gamma", "gae_lambda", "pool_fraction"))
        check_common(self)
        check_network(self)
        check_widths(self, ("hidden", "critic_hidden"))
