"""Agents that learn and search, the arena and the command lines: repo-level, not in the wheel."""

from pathlib import Path

from tressette_env.engine.cache import drop_stale

_HERE = Path(__file__).resolve().parent
# Its kernels are compiled from the engine's and from each other.
drop_stale(_HERE, _HERE, *(path for path in _HERE.iterdir() if (path / "__init__.py").is_file()))
