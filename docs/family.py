"""`make family`: train a policy on every preset for the same short budget and write docs/family.json.

Goes on where it stopped: runs that are finished are kept, one that was cut short is resumed. `--fresh` starts anew.
"""

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from agents.arena import play_pair
from agents.checkpoint import write_atomic
from agents.entries import resolve
from agents.provenance import describe_commit, describe_machine
from agents.rooms import num_rooms
from agents.training import FINAL_SEED
from docs.markdown import table
from tressette_env.bots import make
from tressette_env.presets import PRESETS, preset

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "docs" / "family.json"
DECISIONS, DEALS, SEED = 1_000_000, 2000, 1
BOTS = ("random", "simple", "heuristic")
BOT_PAIR = "heuristic - random"


def train(name: str, fresh: bool) -> dict[str, Any]:
    """Train on a preset with train.py unless that is done already; return the summary of its run."""
    folder = ROOT / "runs" / f"family_{name}"
    if fresh:
        shutil.rmtree(folder, ignore_errors=True)
    summary = folder / "summary.json"
    if not summary.exists():
        if any((folder / "checkpoints").glob("*.trainer")):
            flags = ["--resume", str(folder)]
        else:
            shutil.rmtree(folder, ignore_errors=True)
            flags = ["--config", "ppo.yaml", "--env.rules", name, "--name", folder.name, "--seed", str(SEED)]
            flags += ["--total-decisions", str(DECISIONS), "--eval-every", "0", "--final-eval-deals", "100"]
        subprocess.run([sys.executable, "train.py", *flags], cwd=ROOT, check=True)
    found: dict[str, Any] = json.loads(summary.read_text(encoding="utf-8"))
    return found


def measure(name: str, fresh: bool) -> dict[str, Any]:
    """Return a preset's row: the learned policy against each bot and the heuristic against random, [mean, half]."""
    summary = train(name, fresh)
    rules = preset(name)
    learned = resolve(str(ROOT / "runs" / f"family_{name}"), rules)
    pairs = {bot: (learned, make(bot)) for bot in BOTS} | {BOT_PAIR: (make("heuristic"), make("random"))}
    margins = {}
    for key, players in pairs.items():
        pair = play_pair(*players, rules, DEALS, FINAL_SEED)
        margins[key] = [pair.mean, (pair.ci95[1] - pair.ci95[0]) / 2]
    return {
        "rooms": num_rooms(rules),
        "decisions": summary["decisions"],
        "training_seconds": summary["training_seconds"],
        "commit": summary["commit"],
        "margins": margins,
    }


def _margin(pair: list[float]) -> str:
    return f"{pair[0]:+.2f} ± {pair[1]:.2f}"


def family_table() -> str:
    """Return the recorded results, one line per preset."""
    recorded = json.loads(RESULTS.read_text(encoding="utf-8"))
    rows = []
    for name, row in recorded["presets"].items():
        margins = (_margin(row["margins"][key]) for key in (*BOTS, BOT_PAIR))
        rows.append((f"`{name}`", *margins, row["rooms"], f"{row['training_seconds']:.0f} s"))
    heads = ("preset", *(f"learned - `{bot}`" for bot in BOTS), "`heuristic` - `random`", "rooms", "training")
    return table(heads, rows)


def main() -> int:
    """Measure every preset that is named (default: all) and write the results after each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("presets", nargs="*", help="presets to measure; default: all")
    parser.add_argument("--fresh", action="store_true", help="train again where a finished run exists")
    options = parser.parse_args()
    unknown = [name for name in options.presets if name not in PRESETS]
    if unknown:
        parser.error(f"unknown preset {unknown[0]!r}: choose from {', '.join(PRESETS)}")
    recorded = json.loads(RESULTS.read_text(encoding="utf-8"))["presets"] if RESULTS.exists() else {}
    for name in options.presets or PRESETS:
        recorded[name] = measure(name, options.fresh)
        result = {
            "commit": describe_commit(),
            "machine": describe_machine(),
            "settings": {"decisions": DECISIONS, "deals": DEALS, "seed": SEED, "deal_seed": FINAL_SEED},
            "presets": {key: recorded[key] for key in PRESETS if key in recorded},
        }
        write_atomic(RESULTS, (json.dumps(result, indent=1) + "\n").encode())
    print(family_table())
    return 0


if __name__ == "__main__":
    sys.exit(main())
