"""The fields of a distillation run: defaults, meaning and checks; and what it logs."""

from dataclasses import dataclass, field
from typing import ClassVar

from agents.run_config import (
    ConfigError,
    EnvConfig,
    check_common,
    check_deals,
    check_least,
    check_network,
    check_positive,
    check_widths,
)

# Every tag that only these runs log. The others: agents.runlog.TAGS.
TAGS = {
    "losses/distill": "cross-entropy of the teacher's probabilities, nats, mean over the chunk as the weights change",
    "losses/distill_validation": "the same on the validation blocks",
    "charts/teacher_loss": "points a decision that the teacher sees lost by the greedy policy, validation blocks",
    "charts/labels_per_second": "labelled decisions learned from per second",
}


@dataclass(frozen=True)
class DistillConfig:
    """Distillation of a search: the actor of PPO learns what `mc` or `pimc` thought of every action."""

    env: EnvConfig = field(default_factory=EnvConfig)
    name: str = ""
    """Run folder under runs/; empty: made from rules, seed and time."""
    seed: int = 1
    """One seed for weights and the order of the decisions."""
    device: str = "cpu"
    """torch device: cpu, cuda, cuda:0, ..."""
    threads: int = 1
    """CPU threads of the network; more pay on idle cores only."""
    bf16: bool = True
    """bfloat16 autocast of the network (fp32 weights); pays on CPUs with AVX-512 BF16 or AMX."""
    labels: str = "data/mc"
    """Folder of labelled deals: python -m agents.distill --out data/mc."""
    temperature: float = 0.5
    """Points by which a worse action is e times less likely in the target."""
    validation_blocks: int = 4
    """Blocks of deals, the last of the folder, that are only measured on."""
    chunk_blocks: int = 8
    """Blocks whose decisions are shuffled together."""
    total_decisions: int = 10_000_000
    """Labelled decisions learned from until the run ends, repeated ones counted."""
    hidden: tuple[int, ...] = (256, 256, 256)
    """Widths of the hidden layers, as of PPO's actor."""
    network: str = "mlp"
    """Kind of network: mlp, or suits: the same weights for every suit (hidden: multiples of 32)."""
    canonical_suits: bool = True
    """Rename the suits by the acting seat's hand (longest first), so that relabelled positions are one input."""
    minibatch: int = 1024
    """Decisions of a gradient step."""
    learning_rate: float = 1e-3
    """AdamW step size at the start."""
    final_learning_rate: float = 1e-5
    """AdamW step size at the end (linear in decisions)."""
    weight_decay: float = 1e-3
    """AdamW weight decay."""
    max_grad_norm: float = 1.0
    """Gradient norm clip."""
    eval_every: int = 2_000_000
    """Decisions between evaluations; 0: only at the end."""
    eval_deals: int = 500
    """Duplicate deals of an evaluation during training."""
    final_eval_deals: int = 2000
    """Duplicate deals of the closing evaluation."""
    eval_opponents: tuple[str, ...] = ("random", "simple", "heuristic")
    """Bots or networks (a run folder, file or shipped name) that evaluations play against."""
    checkpoint_every: int = 2_000_000
    """Decisions between checkpoints (the last is always saved)."""
    keep_checkpoints: int = 2
    """Latest checkpoints kept."""

    MAY_CHANGE_ON_RESUME: ClassVar[tuple[str, ...]] = (
        "total_decisions", "device", "threads", "eval_every", "eval_deals", "final_eval_deals", "eval_opponents",
        "checkpoint_every", "keep_checkpoints",
    )  # fmt: skip

    def check(self) -> None:
        """Raise ``ConfigError`` at the first value out of range."""
        check_least(self, 1, (
            "total_decisions", "minibatch", "threads", "checkpoint_every", "keep_checkpoints", "validation_blocks",
            "chunk_blocks",
        ))  # fmt: skip
        check_least(self, 0, ("eval_every", "weight_decay", "final_learning_rate"))
        check_deals(self, "eval_deals", "final_eval_deals")
        check_positive(self, ("learning_rate", "max_grad_norm", "temperature"))
        if not self.labels.strip():
            raise ConfigError("labels is empty: name a folder of labelled deals, made by python -m agents.distill")
        check_common(self)
        check_network(self)
        check_widths(self, ("hidden",))
