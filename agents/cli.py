"""Command line of train.py: find the config, read the flags, run the algorithm, one sentence for each error."""

import argparse
import os
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import tyro

from agents.config import ConfigError, build, find_config, read_yaml
from agents.ppo.config import PPOConfig
from tressette_env.errors import TressetteError, nearest


def _algorithms() -> dict[str, tuple[type[Any], Any]]:
    from agents.ppo.run import run

    return {"ppo": (PPOConfig, run)}


def _first_flags(argv: list[str]) -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--config", default=None, help="YAML file; a bare name is looked up in configs/")
    parser.add_argument("--resume", default=None, help="run folder to go on in")
    return parser.parse_known_args(argv)


def train_main(argv: list[str]) -> int:
    """Run train.py with some flags; return the exit code: 0 ok, 1 failed, 2 bad usage."""
    first, rest = _first_flags(argv)
    try:
        if int(os.environ.get("WORLD_SIZE", "1")) > 1:
            raise ConfigError(
                f"WORLD_SIZE = {os.environ['WORLD_SIZE']}: training in more than one process is not built yet, "
                "start train.py without torchrun"
            )
        resume = _run_folder(first.resume) if first.resume is not None else None
        # A resumed run goes on exactly, so its own resolved config.yaml stands in for --config.
        path = resume / "config.yaml" if resume else find_config(first.config or "ppo.yaml")
        values = read_yaml(path)
        algorithms = _algorithms()
        algorithm = str(values.pop("algorithm", "ppo"))
        if algorithm not in algorithms:
            known = ", ".join(algorithms)
            hint = nearest(algorithm, list(algorithms))
            raise ConfigError(f"unknown algorithm {algorithm!r}{hint} in {str(path)!r}: use {known}")
        cls, run = algorithms[algorithm]
        default = build(cls, values)
        config = tyro.cli(cls, default=default, args=rest, prog="train.py", description=__doc__)
        config.check()
        if resume is not None:
            _check_resumed(default, config)
    except TressetteError as error:
        print(f"train.py: {error}", file=sys.stderr)
        return 2
    try:
        run(config, resume)
    except TressetteError as error:
        print(f"train.py: {error}", file=sys.stderr)
        return 1
    except OSError as error:  # a full disk met by the logs: checkpoints have their own sentence
        where = f" at {str(error.filename)!r}" if error.filename else ""
        print(
            f"train.py: cannot write the run{where} ({error.strerror}): free some space, then --resume", file=sys.stderr
        )
        return 1
    except KeyboardInterrupt:
        print("train.py: stopped at once; the last checkpoint is intact", file=sys.stderr)
        return 130
    return 0


def _check_resumed(before: Any, config: Any) -> None:
    """Raise ``ConfigError`` when a flag would make the rest of a resumed run another run."""
    for name in (f.name for f in fields(before) if f.name not in config.MAY_CHANGE_ON_RESUME):
        if getattr(before, name) != getattr(config, name):
            raise ConfigError(
                f"{name} = {getattr(config, name)!r} differs from {getattr(before, name)!r} of the run to resume: "
                f"leave it out, or start a new run (on resume only {', '.join(config.MAY_CHANGE_ON_RESUME)} may change)"
            )


def _run_folder(name: str) -> Path:
    if not name.strip():
        raise ConfigError("--resume is empty: give a run folder such as runs/NAME")
    for path in (Path(name), Path("runs") / name):
        if (path / "config.yaml").is_file():
            return path
    known = sorted(path.parent.name for path in Path("runs").glob("*/config.yaml"))
    raise ConfigError(
        f"no run folder {name!r}{nearest(name, known)}: the runs here are {', '.join(known) or 'none yet'}"
    )
