"""How fast learners get to `heuristic`: this project's runs, examples/cleanrl_ppo.py and sb3-contrib's MaskablePPO.

    python -m benchmarks.sample_efficiency --minutes 20 --runs runs/ppo runs/vine

The two peers learn on one thread for that long, evaluations left out, with hidden layers as wide as those of the runs'
defaults, each with its own settings otherwise; the runs were made by train.py (runs/sample_efficiency.sh makes them).
All play duplicate deals against `heuristic` now and then, the likeliest actions, one network for both partners. The
table tells when each first reached some margins, in seconds of training and in its own decisions: for PPO and CleanRL
those of all seats, for MaskablePPO those of its one seat (`heuristic` has the others), for vine the judged ones, each
of which costs several playouts on top. Prints the table and writes all points to `--out`.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.table import Table

from agents.arena import play_pair
from agents.checkpoint import NetworkPolicy, write_atomic
from agents.ppo.config import PPOConfig
from agents.provenance import describe_commit, describe_machine
from agents.run_config import check_deals, check_least, check_positive
from agents.training import EVAL_SEED
from examples import cleanrl_ppo
from examples.command import run_command
from tressette_env.bots import Policy, make
from tressette_env.envs.policies import ObservationPolicy
from tressette_env.errors import TressetteError
from tressette_env.presets import preset

MARGINS = (-5.0, -4.0, -3.0, -2.5, -2.0, -1.5, -1.0, -0.5, 0.0)  # over `heuristic`, points a deal
WIDTHS = PPOConfig().hidden


@dataclass(frozen=True)
class Options:
    """Compare how fast learners get to `heuristic`."""

    runs: tuple[Path, ...] = ()
    """Folders of runs by train.py with evaluations against heuristic."""
    rules: str = "tressette"
    """Preset that the peers learn."""
    seed: int = 1
    """Seed of the peers."""
    minutes: float = 20.0
    """Training time of each peer."""
    points: int = 20
    """Evaluations of each peer, evenly over its time."""
    deals: int = 1000
    """Duplicate deals of an evaluation."""
    out: Path = Path("benchmarks/sample_efficiency.json")
    """File for all points."""

    def check(self) -> None:
        """Raise ``TressetteError`` for a preset or a run that is not there."""
        preset(self.rules)
        check_positive(self, ("minutes",))
        check_least(self, 1, ("points",))
        check_least(self, 0, ("seed",))
        check_deals(self, "deals")
        for run in self.runs:
            read_run(run)


@dataclass(frozen=True)
class Point:
    """Where a learner is: seconds of training, decisions, points a deal over `heuristic`, 95 % half-width."""

    seconds: float
    decisions: int
    margin: float
    half_width: float


def read_run(folder: Path) -> list[Point]:
    """Return the evaluations of a run. Raises ``TressetteError`` where there are none."""
    found, seconds = [], 0.0
    path = folder / "metrics.jsonl"
    lines = path.read_text().splitlines() if path.is_file() else []
    for row in map(json.loads, lines):
        seconds = row.get("time/seconds", seconds)
        if "eval/heuristic_points" in row:
            found.append(Point(seconds, row["decisions"], row["eval/heuristic_points"], row["eval/heuristic_ci95"]))
    if not found:
        raise TressetteError(f"no evaluation against heuristic in {str(path)!r}: name a run folder of train.py")
    return found


# ---------------------------------------------------------------- the peers
def cleanrl(options: Options) -> Iterator[tuple[int, Policy]]:
    """Yield decisions and player after each iteration of the single-file example, its learning rate held."""
    args = cleanrl_ppo.Args(rules=options.rules, seed=options.seed, hidden=WIDTHS)
    rules = preset(options.rules)
    agent = cleanrl_ppo.Agent(rules, args.hidden)
    optimizer = torch.optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)
    player = NetworkPolicy(agent.actor, rules, "cleanrl", canonical=False)
    envs, decisions = cleanrl_ppo.make_envs(rules, args), 0
    while True:
        batch = cleanrl_ppo.play_deals(envs, agent, 1 / rules.whole_total)
        cleanrl_ppo.update(batch, agent, optimizer, args)
        decisions += len(batch.values)
        yield decisions, player


def maskable(options: Options) -> Iterator[tuple[int, Policy]]:
    """Yield decisions and player after each update of MaskablePPO on one seat; `heuristic` plays the others."""
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.env_util import make_vec_env

    from tressette_env.envs.single import TressetteSingle

    others = {"opponents": "heuristic", "partner": "heuristic"}
    envs = make_vec_env(lambda: TressetteSingle(options.rules, **others), 8, seed=options.seed)
    model = MaskablePPO(
        "MlpPolicy", envs, n_steps=256, batch_size=256, learning_rate=1e-3, gamma=1.0, seed=options.seed, device="cpu",
        policy_kwargs={"net_arch": {"pi": list(WIDTHS), "vf": list(WIDTHS)}},
    )  # fmt: skip

    def choose(observation: Any, action_mask: Any) -> int:
        return int(model.predict(observation, action_masks=action_mask, deterministic=True)[0])

    player = ObservationPolicy(choose, preset(options.rules), "maskable")
    while True:
        model.learn(2048, reset_num_timesteps=False)
        yield int(model.num_timesteps), player


def follow(learner: Iterator[tuple[int, Policy]], options: Options, report: Callable[[Point], None]) -> list[Point]:
    """Let a learner learn for the given time; return its points."""
    rules, found, spent = preset(options.rules), [], 0.0
    due = options.minutes * 60 / options.points
    while len(found) < options.points:
        began = time.perf_counter()
        decisions, player = next(learner)
        spent += time.perf_counter() - began
        if spent >= due * (len(found) + 1):
            pair = play_pair(player, make("heuristic"), rules, options.deals, EVAL_SEED)
            found.append(Point(spent, decisions, pair.mean, (pair.ci95[1] - pair.ci95[0]) / 2))
            report(found[-1])
    return found


# ---------------------------------------------------------------- the comparison
def first_at(points: Sequence[Point], margin: float) -> Point | None:
    """Return the first point at which a learner had a margin, None where it never had.

    >>> first_at([Point(1, 10, -3.0, 0.1), Point(2, 20, -1.9, 0.1)], -2.0)
    Point(seconds=2, decisions=20, margin=-1.9, half_width=0.1)
    """
    return next((point for point in points if point.margin >= margin), None)


def table_of(learners: dict[str, list[Point]]) -> Table:
    """Return when each learner first reached each margin."""
    table = Table(title="first evaluation at a margin over heuristic: seconds, decisions")
    table.add_column("points a deal", justify="right")
    for name in learners:
        table.add_column(name, justify="right")
    for margin in MARGINS:
        reached = [first_at(points, margin) for points in learners.values()]
        if any(reached):
            cells = (f"{p.seconds:,.0f} s, {p.decisions:,}" if p else "-" for p in reached)
            table.add_row(f"{margin:+.1f}", *cells)
    ends = (f"{p[-1].margin:+.2f} ± {p[-1].half_width:.2f}" for p in learners.values())
    table.add_section()
    table.add_row("at the end", *ends)
    table.add_row("after", *(f"{p[-1].seconds:,.0f} s, {p[-1].decisions:,}" for p in learners.values()))
    return table


def compare(options: Options) -> None:
    """Train the peers, read the runs, print the table, write the file."""
    torch.set_num_threads(1)
    learners = {run.name: read_run(run) for run in options.runs}
    for name, peer in (("cleanrl_ppo", cleanrl), ("MaskablePPO", maskable)):
        torch.manual_seed(options.seed)
        learners[name] = follow(peer(options), options, lambda point, name=name: print(f"{name}: {point}", flush=True))
    about = {"commit": describe_commit(), "machine": describe_machine(), "rules": options.rules, "seed": options.seed}
    points = {name: [asdict(point) for point in found] for name, found in learners.items()}
    write_atomic(options.out, (json.dumps(about | {"learners": points}, indent=1) + "\n").encode())
    Console(width=160, highlight=False).print(table_of(learners))


def main(args: Sequence[str] | None = None) -> int:
    """Run the comparison and return its exit code."""
    return run_command("benchmarks.sample_efficiency", Options, compare, args)


if __name__ == "__main__":
    sys.exit(main())
