"""What a run writes while it goes: TensorBoard events, metrics.jsonl, a learning-curve picture, a progress line."""

import json
import re
from pathlib import Path
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from torch.utils.tensorboard import SummaryWriter

from agents.checkpoint import write_atomic
from agents.run_folder import RunError

# Every tag a run logs and what it is; docs/training.md prints this table.
TAGS = {
    "charts/decisions_per_second": "engine decisions (forced ones too) per second of the iteration",
    "charts/choices_fraction": "share of decisions with more than one legal action; only these are learned from",
    "charts/deals": "deals played so far",
    "charts/deal_return_std": "spread of a deal's result over the iteration, points",
    "charts/learning_rate": "Adam step size",
    "charts/entropy_bonus": "weight of the entropy bonus",
    "charts/advantage_std": "spread of the advantages before normalisation, reward units",
    "losses/policy_loss": "clipped surrogate, mean over the minibatches of the iteration",
    "losses/value_loss": "squared error of the critic in units of the return spread",
    "losses/entropy": "entropy of the policy over legal actions, nats",
    "losses/approx_kl": "mean of ratio - 1 - log ratio against the policy that played",
    "losses/kl": "exact KL of the policy before the update to the one after, on one minibatch, nats",
    "losses/magnet_kl": "KL of the policy to the magnet, nats (magnet_kl above 0)",
    "losses/clip_fraction": "share of samples whose ratio was clipped",
    "losses/actor_grad_norm": "gradient norm of the actor before clipping",
    "losses/critic_grad_norm": "gradient norm of the critic before clipping",
    "losses/epochs": "actor passes made before the KL stop",
    "losses/explained_variance": "share of the variance of the value targets that the critic foresaw",
    "time/env_share": "share of the time in the engine and the encoders",
    "time/inference_share": "share of the time in the actor's forward pass and sampling while playing",
    "time/learning_share": "share of the time in the update",
    "time/seconds": "training time so far, without evaluations",
    "charts/iterations_per_second": "CFR iterations per second",
    "charts/information_sets": "information sets of the tree, or met so far by a sampling method",
    "charts/advantage_samples": "regrets sampled so far, a vector each (Deep CFR)",
    "charts/strategy_samples": "strategies sampled so far (Deep CFR)",
    "charts/advantage_spread": "root mean square of the sampled regrets in the memory, points (Deep CFR)",
    "losses/advantage_loss": "squared error of the advantages in shares of that square, summed over legal actions",
    "losses/history_value_loss": "squared error of the history values, points squared (escher)",
    "eval/exploitability": "two players: what a best opponent gains on the average strategy, points, mean of places",
    "eval/nash_conv": "the sum over seats of what each alone could gain, points",
    "eval/value": "what eldest hand gets when all play the average strategy, points",
    "eval/<bot>_points": "points per deal against a bot or a network, duplicate deals",
    "eval/<bot>_ci95": "half-width of the 95 % interval of that",
    "eval/<bot>_tricks": "the same without declarations and rounding: card points and last trick, less noise",
    "eval/<bot>_tricks_ci95": "half-width of the 95 % interval of that",
    "signals/<signal>_rate": "share of the chances to signal at which the policy, alone at all seats, gives it",
    "signals/entropy": "entropy of its messages, silence among them, bits",
    "signals/information": "what a message tells of the rest of the suit beyond trick and card, bits, bias taken off",
    "signals/influence": "total variation of the partner's next card when the leader's message is another one",
    "signals/causal": "mutual information of the message, as drawn, and the partner's next card, bits",
    "signals/worth": "points per deal won of itself without signals, card points and last trick",
}


def eval_tag(opponent: str) -> str:
    """Return how the tags of matches against a bot or a network begin.

    >>> eval_tag("heuristic"), eval_tag("runs/first")
    ('eval/heuristic', 'eval/runs-first')
    """
    return "eval/" + re.sub(r"[^\w.:,=-]+", "-", opponent)


class RunLog:
    """Writes scalars to TensorBoard and metrics.jsonl; on resume, lines after ``steps`` are dropped first.

    ``unit``: what steps are, the key that holds them in metrics.jsonl. Raises ``RunError`` when metrics.jsonl holds a
    line that no run wrote.
    """

    def __init__(self, folder: Path, steps: int, unit: str = "decisions") -> None:
        self.unit = unit
        self.path = folder / "metrics.jsonl"
        self.folder = folder
        if self.path.exists():
            # What follows the last line break is a line cut off by a kill.
            lines = self.path.read_bytes().split(b"\n")[:-1]
            found = [_step_of(line, number, self.path, unit) for number, line in enumerate(lines, 1)]
            kept = [line + b"\n" for line, step in zip(lines, found, strict=True) if step <= steps]
            write_atomic(self.path, b"".join(kept))
        self._file = self.path.open("a", buffering=1)
        self._writer = SummaryWriter(str(folder), purge_step=steps + 1 if steps else None)  # type: ignore[no-untyped-call]

    def scalars(self, steps: int, values: dict[str, float]) -> None:
        """Log some values at a number of steps."""
        self._file.write(json.dumps({self.unit: steps} | values) + "\n")
        for tag, value in values.items():
            self._writer.add_scalar(tag, value, steps)  # type: ignore[no-untyped-call]

    def curve(self) -> None:
        """Draw ``curve.png``: points per deal against each bot over steps, with intervals."""
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot as plt

        rows = [json.loads(line) for line in self.path.read_text().splitlines()]
        tags = sorted({tag for row in rows for tag in row if tag.startswith("eval/") and tag.endswith("_points")})
        scale = 1e6 if self.unit == "decisions" else 1
        figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
        for tag in tags:
            points = [row for row in rows if tag in row]
            spread = tag.replace("_points", "_ci95")
            axes.errorbar(
                [row[self.unit] / scale for row in points],
                [row[tag] for row in points],
                [row[spread] for row in points],
                capsize=3,
                marker="o",
                markersize=3,
                label=f"against {tag[5:-7]}",
            )
        axes.axhline(0, color="grey", linewidth=0.8)
        label = f"million {self.unit}" if scale > 1 else self.unit
        axes.set(xlabel=label, ylabel="points per deal (duplicate, 95 %)", title=self.folder.name)
        if tags:
            axes.legend()
        figure.savefig(self.folder / "curve.png", dpi=120)
        plt.close(figure)

    def close(self) -> None:
        """Flush and close the files."""
        self._file.close()
        self._writer.close()  # type: ignore[no-untyped-call]


def _step_of(line: bytes, number: int, path: Path, unit: str) -> int:
    """Return the steps of a line. Raises ``RunError`` when it is not one that a run writes."""
    try:
        return int(json.loads(line)[unit])
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        raise RunError(
            f"line {number} of {str(path)!r} is no JSON object with {unit!r}: delete that line, then --resume"
        ) from None


class Progress:
    """A live line on stderr: speed, time left, latest evaluation."""

    def __init__(self, total: int, done: int, unit: str = "decisions") -> None:
        self._unit = unit
        self._bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}"),
            console=Console(stderr=True),
        )
        self._total = total
        self._task = self._bar.add_task("training", total=total, completed=done, note="")
        self._speed = ""
        self._eval = ""
        self._plain = not self._bar.console.is_terminal

    def __enter__(self) -> "Progress":
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def update(self, steps: int, values: dict[str, float]) -> None:
        """Show new numbers; without a terminal, print a line at each evaluation only."""
        speed = values.get(f"charts/{self._unit}_per_second")
        if speed is not None:
            self._speed = f"{speed / 1000:.1f} k {self._unit}/s" if speed >= 1000 else f"{speed:.0f} {self._unit}/s"
        evaluation = [
            f"{tag[5:-7]} {value:+.2f}±{values[tag.replace('_points', '_ci95')]:.2f}"
            for tag, value in values.items()
            if tag.startswith("eval/") and tag.endswith("_points")
        ]
        if evaluation:
            self._eval = " ".join(evaluation)
            if self._plain:
                self._bar.console.print(
                    f"{self._count(steps)} {self._unit}  {self._speed}  {self._eval}", highlight=False
                )
        self._bar.update(self._task, completed=min(steps, self._total), note=f"{self._speed}  {self._eval}")

    @staticmethod
    def _count(steps: int) -> str:
        return f"{steps / 1e6:6.2f} M" if steps >= 100_000 else f"{steps:8,}"
