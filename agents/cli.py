"""Command line of train.py: find the config, read the flags, run the algorithm, one sentence for each error."""

import argparse
import sys
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from agents.cfr import run as cfr_run
from agents.cfr.config import CFRConfig
from agents.cloning import run as bc_run
from agents.cloning.config import BCConfig
from agents.config import build, find_config, read_yaml
from agents.deep_cfr import run as deep_cfr_run
from agents.deep_cfr.config import DeepCFRConfig
from agents.distill import run as distill_run
from agents.distill.config import DistillConfig
from agents.distributed import GroupError, is_first, num_processes
from agents.flags import UsageError, parse_flags
from agents.ppo import run as ppo_run
from agents.ppo.config import PPOConfig
from agents.run_config import ConfigError
from agents.run_folder import RUNS, check_newest, find_source
from agents.vine import run as vine_run
from agents.vine.config import VineConfig
from tressette_env.errors import TressetteError, nearest

ALGORITHMS: dict[str, tuple[Any, Callable[..., Any], Callable[..., int]]] = {
    "ppo": (PPOConfig, ppo_run.prepare, ppo_run.run),
    "cfr": (CFRConfig, cfr_run.prepare, cfr_run.run),
    "deep_cfr": (DeepCFRConfig, deep_cfr_run.prepare, deep_cfr_run.run),
    "distill": (DistillConfig, distill_run.prepare, distill_run.run),
    "bc": (BCConfig, bc_run.prepare, bc_run.run),
    "vine": (VineConfig, vine_run.prepare, vine_run.run),
}
HELP = """Train an agent; any field of the configuration by flag.
--config FILE: a YAML file, or a bare name in configs/ (default ppo.yaml).
--resume RUN: go on in a run folder from its newest checkpoint; with --name NEW, go on from RUN or from one of its
checkpoints in runs/NEW.
"""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


def train_main(argv: list[str]) -> int:
    """Run train.py with some flags; return the exit code.

    0 ok, 1 failed, 2 bad usage, 130 stopped by Ctrl-C (143 by SIGTERM).
    """
    try:
        try:
            job = _job(argv)
        except (TressetteError, OSError) as error:  # OSError: names that no file can have
            return _fail(error, 2)
        return job()
    except TressetteError as error:
        return _fail(error, 1)
    except OSError as error:  # a full disk met by the logs: checkpoints have their own sentence
        where = f" at {str(error.filename)!r}" if error.filename else ""
        return _fail(f"cannot write the run{where} ({error.strerror}): mend that, then --resume", 1)
    except (MemoryError, RuntimeError) as error:
        if not isinstance(error, MemoryError) and "memory" not in str(error):  # torch's way to say it
            raise
        return _fail(
            "the memory is too small: lower deals_per_iteration, minibatch, hidden, the memories or the deck", 1
        )
    except KeyboardInterrupt:
        return _fail("stopped at once; checkpoints saved before are intact", 130)


def _fail(error: object, code: int) -> int:
    if is_first() or isinstance(error, GroupError):
        print(f"train.py: {error}", file=sys.stderr)
    return code


def _job(argv: list[str]) -> Callable[[], int]:
    """Return what the flags ask for, everything checked. Raises ``TressetteError`` or ``OSError`` for bad usage."""
    parser = _Parser(prog="train.py", add_help=False, allow_abbrev=False)
    parser.add_argument("--config", default=None)
    parser.add_argument("--resume", default=None)
    first, rest = parser.parse_known_args(argv)
    source = find_source(first.resume) if first.resume is not None else None
    # A resumed run goes on exactly, so its own resolved config.yaml stands in for --config.
    path = source.folder / "config.yaml" if source else find_config(first.config or "ppo.yaml")
    (cls, prepare_run, run_it), default = _read(path)
    if num_processes() > 1 and cls is not PPOConfig:
        raise ConfigError(f"{str(path)!r} trains in one process: start train.py without torchrun (PPO knows several)")
    config = parse_flags(cls, rest, "train.py", ("--config", "--resume"), default=default, description=HELP)
    goes_on = source is not None and config.name == default.name
    if source is not None:
        _check_resumed(default, config)
        if goes_on:
            check_newest(source)
        if first.config is not None:
            _say_what_is_passed_over(find_config(first.config), path, default)
    config = prepare_run(config)
    folder = source.folder if source is not None and goes_on else RUNS / config.name
    return partial(run_it, config, folder, source)


def _read(path: Path) -> tuple[Any, Any]:
    """Return the algorithm that a file names and its config."""
    values = read_yaml(path)
    algorithm = str(values.pop("algorithm", "ppo"))
    if algorithm not in ALGORITHMS:
        hint = nearest(algorithm, list(ALGORITHMS))
        raise ConfigError(f"unknown algorithm {algorithm!r}{hint} in {str(path)!r}: use {', '.join(ALGORITHMS)}")
    return ALGORITHMS[algorithm], build(ALGORITHMS[algorithm][0], values)


def _check_resumed(before: Any, config: Any) -> None:
    """Raise ``ConfigError`` when a flag would make the rest of a resumed run another run."""
    may_change = (*config.MAY_CHANGE_ON_RESUME, "name")
    for name in (f.name for f in fields(before) if f.name not in may_change):
        if getattr(before, name) != getattr(config, name):
            raise ConfigError(
                f"{name} = {getattr(config, name)!r} differs from {getattr(before, name)!r} of the run to resume: "
                f"leave it out, or start a new run (on resume only {', '.join(may_change)} may change)"
            )


def _say_what_is_passed_over(given: Path, used: Path, config: Any) -> None:
    """Say which settings of ``--config`` are not those of the resumed run, which keeps its own."""
    other = _read(given)[1]
    names = [name for name in read_yaml(given) if name != "algorithm" and getattr(other, name) != getattr(config, name)]
    if names:
        print(f"train.py: {used} decides, not {given}, which differs in {', '.join(names)}", file=sys.stderr)
