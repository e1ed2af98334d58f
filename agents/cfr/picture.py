"""The curve of a CFR run: NashConv or exploitability over iterations, both on logarithmic scales."""

import json
from pathlib import Path


def draw_curve(metrics: Path, target: Path, label: str) -> None:
    """Draw what a run's metrics.jsonl measured; nothing is drawn without a measure."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    rows = [json.loads(line) for line in metrics.read_text(encoding="utf-8").splitlines()]
    tag = "eval/exploitability" if any("eval/exploitability" in row for row in rows) else "eval/nash_conv"
    points = [(row["iterations"], row[tag]) for row in rows if row.get(tag, 0) > 0]
    if not points:
        return
    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    axes.loglog(*zip(*points, strict=True), marker="o", markersize=3, label=label)
    name = "exploitability" if tag == "eval/exploitability" else "unilateral NashConv"
    axes.set(xlabel="iterations", ylabel=f"{name}, points", title=metrics.parent.name)
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend()
    figure.savefig(target, dpi=120)
    plt.close(figure)
