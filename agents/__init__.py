"""Agents that learn and search, the arena and the command lines: repo-level, not in the wheel."""

from pathlib import Path

from tressette_env.engine.cache import drop_stale

drop_stale(Path(__file__).resolve().parent)  # its kernels are compiled from the engine's too
