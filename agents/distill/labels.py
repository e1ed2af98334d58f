"""Labelled deals on disk: what was played, and what a search thought of every candidate, a file for a block of deals.

A block is played again to get its positions back, so a decision costs some tens of bytes, not an observation.
"""

import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from agents.checkpoint import write_atomic
from agents.distill.judge import Judge
from tressette_env.engine.batch import RUNNING, Batch, views_acting
from tressette_env.engine.randomness import key_of, unit
from tressette_env.errors import TressetteError
from tressette_env.rules import Rules

FORMAT = "tressette-labels-1"
_JUDGE, _EXPLORE, _WHICH = 11, 12, 13  # streams of a decision's key


class LabelsError(TressetteError):
    """Labelled deals that are missing, of other rules, or damaged."""


@dataclass(frozen=True)
class Block:
    """Deals 0, 1, ... of ``seed + first``: what was played, and the labels of the decisions in order of play.

    played: int16 (T, B), -1 where a deal was over. rows: int32 (N,) deal of each decision; steps: int16 (N,) its time.
    actions: int16 (N, K) candidates, -1 past the end; values: float32 (N, K) points, NaN past the end or where a
    candidate is alone. Decisions with one legal action are left out.
    """

    seed: int
    played: np.ndarray
    rows: np.ndarray
    steps: np.ndarray
    actions: np.ndarray
    values: np.ndarray


def label_deals(judge: Judge, rules: Rules, seed: int, deals: int, explore: float) -> Block:
    """Play deals by the judge's best candidate, a share ``explore`` by a random one, and label every decision."""
    batch = Batch(rules, deals, seeds=seed + np.arange(deals))
    batch.start(ks=0)
    played, rows_of, actions_of, values_of, steps_of = [], [], [], [], []
    step = 0
    while (batch.status == RUNNING).any():
        rows = np.flatnonzero(batch.status == RUNNING)
        views = batch.states[rows]
        views_acting(batch.states[rows], batch.table, views)
        choices = batch.masks()[rows].sum(1) > 1
        keys = [key_of(seed + row, step, _JUDGE) for row in rows]
        actions, values = judge.judge(views, batch.table, np.array(keys, np.uint64))
        chosen = _choose(actions, values, seed + rows, step, explore)
        line = np.full(deals, -1, np.int16)
        line[rows] = chosen
        played.append(line)
        rows_of.append(rows[choices].astype(np.int32))
        steps_of.append(np.full(int(choices.sum()), step, np.int16))
        actions_of.append(actions[choices].astype(np.int16))
        values_of.append(values[choices].astype(np.float32))
        batch.step(line.astype(np.int64))
        step += 1
    actions, values = np.concatenate(actions_of), np.concatenate(values_of)
    width = int((actions >= 0).sum(1).max())
    rows, steps = np.concatenate(rows_of), np.concatenate(steps_of)
    return Block(seed, np.stack(played), rows, steps, actions[:, :width], values[:, :width])


def _choose(actions: np.ndarray, values: np.ndarray, seeds: np.ndarray, step: int, explore: float) -> np.ndarray:
    """Return the action played in each row: the best candidate, or sometimes any."""
    best = np.where(np.isnan(values), -np.inf, values).argmax(1)
    counts = (actions >= 0).sum(1)
    for row, seed in enumerate(seeds):
        if unit(np.uint64(key_of(seed, step, _EXPLORE))) < explore:
            best[row] = int(unit(np.uint64(key_of(seed, step, _WHICH))) * counts[row])
    return actions[np.arange(len(actions)), best]


# ---------------------------------------------------------------- files
def save_block(path: Path, block: Block, meta: dict[str, Any]) -> None:
    """Save a block whole or not at all; ``meta``: rules, teacher, explore."""
    file = BytesIO()
    arrays = {name: getattr(block, name) for name in ("played", "rows", "steps", "actions", "values")}
    about = json.dumps({"format": FORMAT, "seed": block.seed} | meta)
    np.savez_compressed(file, about=np.frombuffer(about.encode(), np.uint8), **arrays)
    write_atomic(path, file.getvalue())


def load_block(path: Path) -> tuple[Block, dict[str, Any]]:
    """Return a saved block and what it says of itself. Raises ``LabelsError``."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        about = json.loads(arrays.pop("about").tobytes())
        if about.get("format") != FORMAT:
            raise LabelsError(f"{str(path)!r} has format {about.get('format')!r}, not {FORMAT!r}: another kind of file")
        return Block(about["seed"], **arrays), about
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise LabelsError(
            f"the labels {str(path)!r} cannot be read ({error}): delete the file and make it anew"
        ) from None


def block_paths(folder: Path) -> list[Path]:
    """Return the blocks of a folder in order. Raises ``LabelsError`` when there is none."""
    found = sorted(folder.glob("deals-*.npz"))
    if not found:
        raise LabelsError(f"no labelled deals in {str(folder)!r}: make some with python -m agents.distill")
    return found


def positions(block: Block, rules: Rules) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Play a block again; yield the whole records, STATE_DTYPE (n,), of each time's decisions, and their places."""
    batch = Batch(rules, block.played.shape[1], seeds=block.seed + np.arange(block.played.shape[1]))
    batch.start(ks=0)
    for step, line in enumerate(block.played):
        places = np.flatnonzero(block.steps == step)
        if len(places):
            yield batch.states[block.rows[places]], places
        batch.step(line.astype(np.int64))
