"""The report of a laboratory as pictures."""

from pathlib import Path
from typing import Any

import numpy as np

from agents.signals.beliefs import LISTENERS
from agents.signals.findings import ArmFound, Report
from agents.signals.worth import Estimate
from tressette_env.errors import TressetteError

PICTURES = ("information", "influence", "worth", "cross_play")


def draw(report: Report, folder: Path) -> list[Path]:
    """Write the pictures of a report into a folder, which is made where it is missing; return their paths.

    Raises ``TressetteError`` for a folder that cannot be written to.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figures: dict[str, Any] = {}
    speaking = [found for found in report.arms if found.spoken]
    if speaking:
        figures["information"] = _bars(
            Figure(figsize=(9, 4), layout="constrained"), speaking, "bits about the rest of the suit",
            {who: [row.told[who].bits["rest"].raw for f in speaking for row in f.spoken.values()] for who in LISTENERS},
        )  # fmt: skip
        figures["influence"] = _bars(
            Figure(figsize=(9, 4), layout="constrained"), speaking, "total variation of the partner's next card",
            {"another message": [row.influence.total_variation[0] for f in speaking for row in f.spoken.values()]},
        )  # fmt: skip
    if rows := _worths(report):
        figures["worth"] = _forest(Figure(figsize=(9, 1 + 0.4 * len(rows)), layout="constrained"), rows)
    crossed = [found for found in report.arms if found.cross]
    if crossed:
        figures["cross_play"] = _matrices(Figure(figsize=(4.2 * len(crossed), 4), layout="constrained"), crossed)
    paths = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, figure in figures.items():
            FigureCanvasAgg(figure).print_png(folder / f"{name}.png")
            paths.append(folder / f"{name}.png")
    except OSError as error:
        raise TressetteError(f"cannot write pictures to {str(folder)!r}: {error.strerror}") from None
    return paths


def _bars(figure: Any, arms: list[ArmFound], label: str, groups: dict[str, list[float]]) -> Any:
    axes = figure.subplots()
    names = [name for found in arms for name in found.spoken]
    width = 0.8 / len(groups)
    for at, (group, values) in enumerate(groups.items()):
        axes.bar(np.arange(len(names)) + (at - (len(groups) - 1) / 2) * width, values, width, label=group)
    axes.set_xticks(np.arange(len(names)), names, rotation=30, ha="right", fontsize=8)
    axes.set_ylabel(label)
    if len(groups) > 1:
        axes.legend()
    return figure


def _worths(report: Report) -> list[tuple[str, Estimate]]:
    rows = []
    for found in report.arms:
        rows += [(f"{found.arm.label}: against itself {name}", row) for name, row in found.ablated.items()]
        rows += [(f"{found.arm.label}: against trained without", row) for row in found.retrained.values()]
    return rows


def _forest(figure: Any, rows: list[tuple[str, Estimate]]) -> Any:
    axes = figure.subplots()
    places = np.arange(len(rows))[::-1]
    means = np.array([row.mean for _, row in rows])
    spread = np.array([[row.mean - row.low, row.high - row.mean] for _, row in rows]).clip(0).T
    axes.errorbar(means, places, xerr=spread, fmt="o", capsize=3)
    axes.axvline(0, color="grey", linewidth=1)
    axes.set_yticks(places, [name for name, _ in rows], fontsize=8)
    axes.set_xlabel("points per deal, 95 % interval over seeds and deals")
    return figure


def _matrices(figure: Any, arms: list[ArmFound]) -> Any:
    every = [found.cross.matrix for found in arms if found.cross]
    low, high = min(matrix.min() for matrix in every), max(matrix.max() for matrix in every)
    panes = figure.subplots(1, len(arms), squeeze=False)[0]
    for axes, found, matrix in zip(panes, arms, every, strict=True):
        image = axes.imshow(matrix, vmin=low, vmax=high)
        axes.set_title(found.arm.label, fontsize=9)
        axes.set_xticks(range(len(matrix)), range(1, 1 + len(matrix)))
        axes.set_yticks(range(len(matrix)), range(1, 1 + len(matrix)))
        axes.set_xlabel("player 2")
        axes.set_ylabel("player 1")
        for (i, j), value in np.ndenumerate(matrix):
            axes.text(j, i, f"{value:+.2f}", ha="center", va="center", fontsize=7, color="white")
    figure.colorbar(image, ax=list(panes), label="points per deal")
    return figure
