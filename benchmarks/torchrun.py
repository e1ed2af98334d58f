"""`python -m benchmarks.torchrun`: PPO in two processes that torchrun starts, against two threads in one process.

Both train the default recipe on two cores: one process with `--threads 2`, then two processes of one thread each, which
share the same deals and the same minibatches. Every round runs one after the other. A rate is decisions per second of
wall clock, as the run counts them itself, without the first iteration, evaluations and the start of the processes.
Prints medians over the rounds and the ratio within a round. Flags that are not its own go to train.py.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from agents.provenance import ROOT, describe_commit, describe_machine
from benchmarks.timing import Case, interleave

ONE, TWO = "one process, --threads 2", "torchrun --nproc_per_node 2, --threads 1"
LAUNCH: dict[str, tuple[list[str], int]] = {  # what stands before train.py, and the threads of each process
    ONE: ([], 2),
    TWO: (["-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2"], 1),
}
UNMEASURED = ["--eval-every", "0", "--eval-opponents", "random", "--final-eval-deals", "2"]


class MeasurementError(RuntimeError):
    """A run that was to be measured failed, or was too short."""


def training(launch: Sequence[str], flags: Sequence[str]) -> Case:
    """Return a run of train.py from its start; its decisions and seconds are those after the first iteration."""

    def case() -> tuple[int, float]:
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [sys.executable, *launch, str(ROOT / "train.py"), *flags, "--name", "measured"],
                cwd=folder,
                env=os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
                capture_output=True,
                text=True,
            )
            if done.returncode:
                raise MeasurementError(done.stderr.strip())
            return after_the_first((Path(folder) / "runs" / "measured" / "metrics.jsonl").read_text(encoding="utf-8"))

    return case


def after_the_first(metrics: str) -> tuple[int, float]:
    """Return the decisions of a run after its first iteration, and the seconds they took, from its metrics.jsonl."""
    rows = [row for row in map(json.loads, metrics.splitlines()) if "time/seconds" in row]
    if len(rows) < 2:
        raise MeasurementError(f"{len(rows)} iteration leaves nothing to measure: give more --decisions")
    first, last = rows[0], rows[-1]
    return last["decisions"] - first["decisions"], last["time/seconds"] - first["time/seconds"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run both in turn and print their rates; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.torchrun",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--rounds", type=int, default=5, help="rounds, after one to warm up (default 5)")
    parser.add_argument("--decisions", type=int, default=400_000, help="decisions of every run (default 400000)")
    args, flags = parser.parse_known_args(argv)
    if args.rounds < 1:
        parser.error(f"--rounds {args.rounds} must be at least 1")
    flags = [*UNMEASURED, *flags, "--total-decisions", str(args.decisions)]
    cases = {name: training(launch, [*flags, "--threads", str(threads)]) for name, (launch, threads) in LAUNCH.items()}
    try:
        speeds = interleave(cases, args.rounds, "torchrun")
    except MeasurementError as error:
        print(f"torchrun: {error}", file=sys.stderr)
        return 1
    for name in cases:
        print(f"{name}: {speeds.median(name):,.0f} decisions/s")
    ratio, low, high = speeds.ratio(TWO, ONE)
    machine = describe_machine(("torch",))
    print(f"ratio {ratio:.2f}, {low:.2f} to {high:.2f} in {args.rounds} rounds")
    print(f"commit {describe_commit()}, {machine['cores']} cores of {machine['cpu']}, torch {machine['torch']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
