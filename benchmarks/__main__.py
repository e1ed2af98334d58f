"""`python -m benchmarks`: prints the table, writes benchmarks/results.json; progress goes to stderr."""

import argparse
import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from agents.provenance import describe_commit, describe_machine, describe_versions
from benchmarks import aec, solver, start, stepping
from benchmarks.timing import Speeds, interleave, rate_text

GAMES = 4096
VERSIONS = ("numpy", "numba", "gymnasium", "pettingzoo", "torch", "open-spiel", "rlcard", "sb3-contrib")
Row = dict[str, Any]


def compare(speeds: Speeds, name: str, unit: str, peer: str | None = None, target: float | None = None) -> Row:
    """Return one line of the table: the median rate and, with a peer, the ratio within a round."""
    row: Row = {"name": name, "unit": unit, "rate": speeds.median(name)}
    if peer is not None:
        median, low, high = speeds.ratio(name, peer)
        row |= {"peer": peer, "peer_rate": speeds.median(peer), "ratio": median, "ratio_range": [low, high]}
    if target is not None:
        row |= {"target": target, "met": row["ratio"] >= target}
    return row


def engine_rows(rounds: int) -> list[Row]:
    """Measure batched stepping against OpenSpiel and numpy, play inside the kernel, and copies."""
    listed, buffer = "OpenSpiel Spades, arrays", "OpenSpiel Spades, buffer observer, no mask"
    floats, packed = f"{GAMES} games, mask + float32 observation", f"{GAMES} games, mask + packed observation"
    plain, peer = f"{GAMES} plain games, mask", "tuned numpy, plain games in step, mask"
    inside, inside_plain, copy = "inside the kernel", "inside the kernel, plain game", "copies of a state"
    speeds = interleave(
        {
            listed: stepping.spades(fastest=False),
            buffer: stepping.spades(fastest=True),
            floats: stepping.floats(GAMES, "tressette"),
            packed: stepping.packed(GAMES, "tressette"),
            plain: stepping.plain(GAMES),
            peer: stepping.numpy_plain(GAMES),
            inside: stepping.inside_kernel("tressette"),
            inside_plain: stepping.inside_kernel("gamelake"),
            copy: stepping.copies(GAMES),
        },
        rounds,
        "engine",
    )
    return [
        compare(speeds, floats, "decisions", listed, 40),
        compare(speeds, packed, "decisions", listed, 80),
        compare(speeds, floats, "decisions", buffer),
        compare(speeds, packed, "decisions", buffer),
        compare(speeds, plain, "decisions", peer),
        compare(speeds, inside, "decisions"),
        compare(speeds, inside_plain, "decisions"),
        compare(speeds, copy, "copies"),
    ]


def aec_rows(rounds: int) -> list[Row]:
    """Measure the AEC environment, raw and wrapped, against PettingZoo's Leduc."""
    raw, wrapped = "raw_env, agent_iter and last", "env, agent_iter and last"
    leduc, leduc_wrapped = "PettingZoo raw Leduc", "PettingZoo wrapped Leduc"
    speeds = interleave(
        {
            raw: aec.tressette(),
            leduc: aec.leduc(),
            wrapped: aec.tressette(wrapped=True),
            leduc_wrapped: aec.leduc(wrapped=True),
        },
        rounds,
        "aec",
    )
    return [compare(speeds, raw, "steps", leduc, 8), compare(speeds, wrapped, "steps", leduc_wrapped)]


def start_rows(rounds: int) -> list[Row]:
    """Measure the cold and the warm start."""
    print("start", file=sys.stderr)
    cold, warm = start.cold_and_warm(rounds)
    return [
        {"name": "cold start to the first step", "unit": "seconds", "rate": cold},
        {"name": "warm start to the first step", "unit": "seconds", "rate": warm, "target": 2.0, "met": warm < 2.0},
    ]


def ppo_rows(rounds: int) -> list[Row]:
    """Measure the trainer against other PPO loops."""
    from benchmarks import ppo_peers  # brings in torch, which the other parts do without

    return ppo_peers.rows(rounds)


def cfr_rows(rounds: int) -> list[Row]:
    """Measure CFR against OpenSpiel's."""
    from benchmarks import cfr

    return cfr.rows(rounds)


PARTS = {
    "engine": engine_rows,
    "aec": aec_rows,
    "start": start_rows,
    "solver": solver.rows,
    "cfr": cfr_rows,
    "ppo": ppo_rows,
}


def show(rows: list[Row]) -> None:
    """Print the table to stdout."""
    table = Table(title="Speed: medians, ratios within one interleaved run")
    for heading in ("measured", "rate", "peer", "peer rate", "ratio", "target"):
        table.add_column(heading, justify="left" if heading in ("measured", "peer") else "right", overflow="fold")
    for row in rows:
        most = row["unit"] in ("seconds", "ms", "share")  # the target is an upper bound
        rate = rate_text(row)
        ratio = f"{row['ratio']:.1f}x" if "ratio" in row else ""
        target = (
            f"{'<=' if most else '>='} {row['target']:g} {'met' if row['met'] else 'MISSED'}" if "target" in row else ""
        )
        peer_rate = f"{row['peer_rate']:,.0f}" if "peer_rate" in row else ""
        table.add_row(row["name"], rate, row.get("peer", ""), peer_rate, ratio, target)
    Console().print(table)


def main() -> int:
    """Run the chosen parts, print the table, write the file."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help=f"what to measure, of {', '.join(PARTS)} (default: all)"
    )
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each interleaved run (default 5)")
    parser.add_argument("--out", default=str(Path(__file__).with_name("results.json")), help="where the JSON goes")
    args = parser.parse_args()
    unknown = [part for part in args.parts if part not in PARTS]
    if unknown or args.rounds < 1:
        parser.error(f"unknown part {unknown[0]!r}" if unknown else f"--rounds {args.rounds} must be at least 1")
    rows = [row for part in args.parts or PARTS for row in PARTS[part](args.rounds)]
    show(rows)
    result = {
        "commit": describe_commit(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": describe_machine(()),
        "versions": describe_versions(VERSIONS),
        "rounds": args.rounds,
        "rows": rows,
    }
    Path(args.out).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
