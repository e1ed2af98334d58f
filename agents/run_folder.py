"""The folder of a run: found by what a person writes, locked while a process writes to it, taken over, branched."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from agents.checkpoint import write_atomic
from tressette_env.errors import TressetteError, nearest

try:
    import fcntl
except ImportError:  # a system without it: two processes in one folder are not kept apart
    fcntl = None  # type: ignore[assignment]

RUNS = Path("runs")


class RunError(TressetteError):
    """A run folder that is not there, in use, or not to be written to."""


@dataclass(frozen=True)
class Source:
    """What a run goes on from: a run folder, and a trainer state in it or None for the newest that can be read."""

    folder: Path
    state: Path | None = None


def find_source(text: str) -> Source:
    """Return what ``--resume`` names: a run folder, its name under runs/, a checkpoint in it. Raises ``RunError``."""
    if not text.strip():
        raise RunError("--resume is empty: give a run folder such as runs/NAME")
    for path in (Path(text), RUNS / text):
        if (path / "config.yaml").is_file():
            return Source(path)
        if path.is_file() and (path.parent.parent / "config.yaml").is_file():
            state = path.with_suffix(".trainer")
            if not state.is_file():
                raise RunError(f"{text!r} has no trainer state {state.name!r} beside it: resume another checkpoint")
            return Source(path.parent.parent, state)
    known = sorted(path.parent.name for path in RUNS.glob("*/config.yaml"))
    raise RunError(f"no run folder {text!r}{nearest(text, known)}: the runs here are {', '.join(known) or 'none yet'}")


def trainer_states(folder: Path) -> list[Path]:
    """Return the trainer states of a run folder, newest first."""
    return sorted((folder / "checkpoints").glob("step_*.trainer"), reverse=True)


def check_newest(source: Source) -> None:
    """Raise ``RunError`` if going on from the source would overwrite what its run has learned since."""
    states = trainer_states(source.folder)
    if source.state is not None and states and source.state.name < states[0].name:
        raise RunError(
            f"{str(source.state)!r} is older than {states[0].name!r}: add --name NEW to go on from it in runs/NEW, "
            f"or give --resume {source.folder}"
        )


def finished_at(folder: Path, total: int, unit: str = "decisions") -> int | None:
    """Return the step, in its unit, at which a run was finished and summed up, None if there are more to make."""
    try:
        done = json.loads((folder / "summary.json").read_text(encoding="utf-8"))[unit]
    except (OSError, ValueError, KeyError, TypeError):  # not there, or not what a run writes
        return None
    return done if isinstance(done, int) and done >= total else None


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other processes out of the folder until the block or the process ends. Raises ``RunError`` if one is in."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("a") as file:
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise RunError(
                    f"another process is writing to the run folder {str(folder)!r}: wait for it or stop it"
                ) from None
            except OSError:
                pass  # a file system without locks
        yield


def claim(folder: Path) -> None:
    """Empty a folder that a run left before its first checkpoint. Raises ``RunError`` if it holds a run's results."""
    checkpoints = list((folder / "checkpoints").glob("step_*"))
    if checkpoints or (folder / "summary.json").exists():
        raise RunError(f"the run folder {str(folder)!r} exists: choose another --name or use --resume {folder}")
    for pattern in ("config.yaml", "metrics.jsonl", "*.png", "events.out.tfevents.*"):
        for left in folder.glob(pattern):
            left.unlink()


def branch(source: Source, folder: Path) -> Source:
    """Copy a state, its policy and the log so far into another folder; return the source there. Raises ``RunError``."""
    states = [source.state] if source.state is not None else trainer_states(source.folder)[:1]
    if not states:
        raise RunError(f"the run folder {str(source.folder)!r} has no checkpoint: start it anew with its --name")
    copied = [states[0].with_suffix(".safetensors"), source.folder / "metrics.jsonl", states[0]]
    for path in copied:
        if path.is_file():
            write_atomic(folder / path.relative_to(source.folder), path.read_bytes())
    return Source(folder, folder / states[0].relative_to(source.folder))
