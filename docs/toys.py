"""`make toys`: solve `mini_2p` by tables and by networks, measured alike; write docs/toys.json and a picture.

Runs that are finished are kept; `--fresh` starts anew.
"""

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from agents.checkpoint import write_atomic
from agents.provenance import describe_commit, describe_machine
from docs.markdown import table

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "docs" / "toys.json"
PICTURE = ROOT / "docs" / "img" / "exploitability_mini_2p.png"
RULES, SEED = "mini_2p", 1
TREE = ["--config", "cfr.yaml", "--total-iterations", "10000"]
RUNS = {
    "cfr": [*TREE, "--method", "cfr"],
    "cfr+": [*TREE, "--method", "cfr+"],
    "lcfr": [*TREE, "--method", "lcfr"],
    "dcfr": [*TREE, "--method", "dcfr"],
    "pcfr+": [*TREE, "--method", "pcfr+"],
    "es_mccfr": ["--config", "cfr.yaml", "--method", "es_mccfr", "--total-iterations", "1000000"],
    "os_mccfr": ["--config", "cfr.yaml", "--method", "os_mccfr", "--total-iterations", "10000000"],
    "deep_cfr": ["--config", "deep_cfr_toy.yaml"],
    "escher": ["--config", "escher_toy.yaml"],
    "ppo": ["--config", "ppo_toy.yaml"],
}
COLOURS = {"deep_cfr": "dimgray", "escher": "darkgray", "ppo": "black"}  # networks in grey


def train(name: str, fresh: bool) -> dict[str, Any]:
    """Train unless that is done already; return what the curve and the table need."""
    folder = ROOT / "runs" / f"toy_{name.replace('+', 'plus')}"
    if fresh:
        shutil.rmtree(folder, ignore_errors=True)
    if not (folder / "summary.json").exists():
        shutil.rmtree(folder, ignore_errors=True)
        flags = [*RUNS[name], "--env.rules", RULES, "--name", folder.name, "--seed", str(SEED)]
        subprocess.run([sys.executable, "train.py", *flags], cwd=ROOT, check=True)
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
    curve, seconds = [], 0.0
    for row in rows:
        seconds = row.get("time/seconds", seconds)
        if "eval/exploitability" in row:
            curve.append([seconds, row.get("iterations", row.get("decisions")), row["eval/exploitability"]])
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    return {
        "unit": "iterations" if "iterations" in rows[0] else "decisions",
        "curve": curve,
        "value": summary["results"]["eval/value"],
        "heuristic": [summary["results"]["eval/heuristic_points"], summary["results"]["eval/heuristic_ci95"]],
        "commit": summary["commit"],
    }


def draw(runs: dict[str, Any]) -> None:
    """Draw exploitability over seconds of training."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    for name, run in runs.items():
        points = [(seconds, gap) for seconds, _, gap in run["curve"] if seconds > 0 and gap > 0]
        axes.loglog(*zip(*points, strict=True), label=name, linewidth=1.2, color=COLOURS.get(name))
    axes.set(xlabel="seconds of training, one thread", ylabel="exploitability, points a deal", title=RULES)
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend(ncols=2)
    figure.savefig(PICTURE, dpi=120)
    plt.close(figure)


def toys_results_table() -> str:
    """Return one line per recorded run."""
    result = json.loads(RESULTS.read_text(encoding="utf-8"))
    rows = []
    for name, run in result["runs"].items():
        seconds, steps, gap = run["curve"][-1]
        best = min(point[2] for point in run["curve"])
        mean, half = run["heuristic"]
        below = next((f"{point[0]:.2f} s" for point in run["curve"] if point[2] < 0.008), "not reached")
        made = f"{steps:,} {run['unit']}, {seconds:.0f} s"
        value, margin = f"{run['value']:+.4f}", f"{mean:+.2f} ± {half:.2f}"
        rows.append((f"`{name}`", made, f"{gap:.2g}", f"{best:.2g}", below, value, margin))
    headers = ("method", "trained", "exploitability", "its lowest", "below 0.008 after", "value", "against `heuristic`")
    return table(headers, rows)


def main() -> int:
    """Train what is missing and write the file and the picture."""
    parser = argparse.ArgumentParser(prog="python -m docs.toys", description=__doc__)
    parser.add_argument("--fresh", action="store_true", help="train every run anew")
    args = parser.parse_args()
    runs = {name: train(name, args.fresh) for name in RUNS}
    result = {"rules": RULES, "seed": SEED, "commit": describe_commit(), "machine": describe_machine(), "runs": runs}
    write_atomic(RESULTS, (json.dumps(result, indent=1) + "\n").encode())
    draw(runs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
