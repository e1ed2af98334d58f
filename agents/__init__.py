"""Agents that learn and search, the arena and the command lines: repo-level, not in the wheel."""

from pathlib import Path

from tressette_env.engine.cache import drop_stale

_HERE = Path(__file__).resolve().parent
drop_stale(_HERE, _HERE, _HERE / "search")  # its kernels are compiled from the engine's and from each other
