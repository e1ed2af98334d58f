"""The fields of a behaviour cloning run: defaults, meaning and checks; and what it logs."""

from dataclasses import dataclass, field
from typing import ClassVar

from agents.run_config import (
    ConfigError,
    EnvConfig,
    check_common,
    check_deals,
    check_least,
    check_positive,
    check_widths,
)
from tressette_env.errors import nearest

SCHEDULES = ("cosine", "linear", "constant")

# Every tag that only these runs log; docs/records.md prints this table. The others: agents.runlog.TAGS.
TAGS = {
    "losses/train": "cross-entropy of the labels over legal actions, nats, mean over the epoch as the weights change",
    "losses/validation": "the same on the validation episodes after the epoch",
    "charts/train_accuracy": "share of training decisions whose label was the most likely action, over the epoch",
    "charts/accuracy": "the same on the validation episodes after the epoch",
    "charts/samples_per_second": "training decisions per second",
    "charts/epochs_per_second": "passes over the training decisions per second",
}


@dataclass(frozen=True)
class BCConfig:
    """Behaviour cloning: the actor of PPO learns to choose as recorded players did, decision by decision."""

    env: EnvConfig = field(default_factory=EnvConfig)
    name: str = ""
    """Run folder under runs/; empty: made from rules, seed and time."""
    seed: int = 1
    """One seed for weights, minibatches and the choice of the validation episodes."""
    device: str = "cpu"
    """torch device: cpu, cuda, cuda:0, ..."""
    threads: int = 1
    """CPU threads of the network; more pay on idle cores only."""
    bf16: bool = True
    """bfloat16 autocast of the network (fp32 weights); pays on CPUs with AVX-512 BF16 or AMX."""
    data: str = "data/heuristic"
    """Folder or file of decisions: python -m agents.export --play heuristic --deals 100000 --out data/heuristic."""
    validation_fraction: float = 0.05
    """Share of the episodes, all their decisions together, that are only measured on."""
    total_epochs: int = 10
    """Passes over the training decisions until the run ends."""
    patience: int = 0
    """Epochs without a lower validation loss after which the run ends early; 0: never."""
    hidden: tuple[int, ...] = (256, 256, 256)
    """Widths of the hidden layers, as of PPO's actor."""
    canonical_suits: bool = True
    """Rename the suits by the acting seat's hand (longest first), so that relabelled positions are one input."""
    minibatch: int = 1024
    """Decisions of a gradient step."""
    learning_rate: float = 1e-3
    """AdamW step size at the start."""
    final_learning_rate: float = 1e-5
    """AdamW step size at the end (cosine, linear)."""
    schedule: str = "cosine"
    """How the step size falls over the run: cosine, linear; or constant."""
    weight_decay: float = 0.03
    """AdamW weight decay."""
    label_smoothing: float = 0.0
    """Share of the target that is spread evenly over the legal actions."""
    max_grad_norm: float = 1.0
    """Gradient norm clip."""
    eval_every: int = 0
    """Epochs between evaluations; 0: only at the end."""
    eval_deals: int = 500
    """Duplicate deals of an evaluation during training."""
    final_eval_deals: int = 2000
    """Duplicate deals of the closing evaluation."""
    eval_opponents: tuple[str, ...] = ("random", "simple", "heuristic")
    """Bots or networks (a run folder, file or shipped name) that evaluations play against."""
    checkpoint_every: int = 1
    """Epochs between checkpoints (the last is always saved)."""
    keep_checkpoints: int = 2
    """Latest checkpoints kept; their policy is the one with the lowest validation loss so far."""

    MAY_CHANGE_ON_RESUME: ClassVar[tuple[str, ...]] = (
        "total_epochs", "patience", "device", "threads", "data", "eval_every", "eval_deals", "final_eval_deals",
        "eval_opponents", "checkpoint_every", "keep_checkpoints",
    )  # fmt: skip

    def check(self) -> None:
        """Raise ``ConfigError`` at the first value out of range."""
        if self.schedule not in SCHEDULES:
            hint = nearest(self.schedule, list(SCHEDULES))
            raise ConfigError(f"schedule = {self.schedule!r} is unknown{hint}: use {', '.join(SCHEDULES)}")
        check_least(self, 1, ("total_epochs", "minibatch", "threads", "checkpoint_every", "keep_checkpoints"))
        check_least(self, 0, ("patience", "eval_every", "weight_decay", "final_learning_rate"))
        check_deals(self, "eval_deals", "final_eval_deals")
        check_positive(self, ("learning_rate", "max_grad_norm"))
        if not 0 < self.validation_fraction < 1:
            raise ConfigError(f"validation_fraction = {self.validation_fraction} must be above 0 and below 1")
        if not 0 <= self.label_smoothing < 1:
            raise ConfigError(f"label_smoothing = {self.label_smoothing} must be at least 0 and below 1")
        if not self.data.strip():
            raise ConfigError("data is empty: name a folder of decisions, made by python -m agents.export")
        check_common(self)
        check_widths(self, ("hidden",))
