"""The fields of a vine run: defaults, meaning and checks; and what it logs."""

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
    check_shares,
    check_widths,
)
from agents.search.rollouts import PLAYOUTS
from tressette_env.errors import nearest

SELF = "self"  # among the opponents: the learner itself at every seat
# Every tag that only these runs log. The others: agents.runlog.TAGS.
TAGS = {
    "losses/regret": "points a decision that the policy, as it draws, gets less than the best action in hindsight",
    "charts/temperature": "weight of the entropy, points",
    "charts/judged": "decisions judged so far",
    "charts/playouts": "playouts so far",
    "charts/playouts_per_second": "playouts per second of the iteration",
}


@dataclass(frozen=True)
class VineConfig:
    """Self-play in which every legal action of a decision is played out with the cards as they lie."""

    env: EnvConfig = field(default_factory=EnvConfig)
    name: str = ""
    """Run folder under runs/; empty: made from rules, seed and time."""
    seed: int = 1
    """One seed for deals, players, weights and minibatches."""
    device: str = "cpu"
    """torch device: cpu, cuda, cuda:0, ..."""
    threads: int = 1
    """CPU threads: with 2 or more, deals are played in two halves, side by side; two runs use two cores better."""
    bf16: bool = True
    """bfloat16 autocast of the network (fp32 weights); pays on CPUs with AVX-512 BF16 or AMX."""
    total_decisions: int = 3_000_000
    """Judged decisions learned from until the run ends; playouts come on top (charts/playouts)."""
    deals_per_iteration: int = 1024
    """Deals played in lock step for one iteration."""
    init_from: str = ""
    """Run folder, policy file or name of a shipped policy that the run begins with; empty: new weights."""
    playouts: str = "heuristic"
    """Who plays on after each action: policy (its likeliest actions), or a bot: heuristic, simple, random."""
    own_tricks: int = -1
    """Before a bot plays on, the policy finishes the trick and plays so many more; -1: the bot plays on at once."""
    opponents: tuple[str, ...] = (SELF,)
    """Whom the policy meets, in equal shares of the deals: self (at all seats), bots or networks (on one side)."""
    judged: float = 1.0
    """Share of the decisions that are judged; the others are only played."""
    play_warmth: float = 0.0
    """Deals are played by the policy's probabilities to the power 1 / this: 1 as they are, 0 the likeliest action."""
    floor: float = 0.0
    """Actions less likely than this are not tried; decisions with fewer than two others are not judged."""
    merge_equals: bool = True
    """Play equal neighbours (the six and the five of a hand that has both) out once; do not judge among them alone."""
    explore: float = 0.1
    """Share of decisions played at random, so that positions after mistakes are among them."""
    hidden: tuple[int, ...] = (256, 256, 256)
    """Widths of the hidden layers."""
    network: str = "mlp"
    """Kind of network: mlp, or suits: the same weights for every suit (hidden: multiples of 32)."""
    canonical_suits: bool = True
    """Rename the suits by the acting seat's hand (longest first), so that relabelled positions are one input."""
    temperature: float = 0.3
    """Weight of the policy's entropy at the start, points: what a worse action costs that is e times less likely."""
    final_temperature: float = 0.03
    """The same at the end (linear in decisions)."""
    epochs: int = 2
    """Passes over the decisions of one iteration."""
    minibatch: int = 1024
    """Decisions of a gradient step."""
    learning_rate: float = 1e-3
    """Adam step size at the start."""
    final_learning_rate: float = 1e-5
    """Adam step size at the end (linear in decisions)."""
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
            "total_decisions", "deals_per_iteration", "epochs", "minibatch", "threads", "checkpoint_every",
            "keep_checkpoints",
        ))  # fmt: skip
        check_least(self, 0, ("eval_every", "final_learning_rate", "temperature", "final_temperature", "play_warmth"))
        check_deals(self, "eval_deals", "final_eval_deals")
        check_positive(self, ("learning_rate", "max_grad_norm", "judged"))
        check_shares(self, ("judged", "explore", "floor"))
        check_least(self, -1, ("own_tricks",))
        if not self.opponents:
            raise ConfigError("opponents is empty: name whom the policy meets, self for its own play at all seats")
        known = ("policy", *PLAYOUTS)
        if self.playouts not in known:
            raise ConfigError(
                f"playouts = {self.playouts!r} is not known{nearest(self.playouts, list(known))}: {', '.join(known)}"
            )
        check_common(self)
        check_network(self)
        check_widths(self, ("hidden",))
