"""What numbers were made with: commit of the code, machine, versions. Free of torch."""

import os
import platform
import subprocess
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
CODE = ("tressette_env", "agents", "benchmarks", "configs", "train.py", "evaluate.py")
PACKAGES = ("numpy", "numba", "torch", "gymnasium", "pettingzoo")


def describe_commit() -> str:
    """Return the commit, with ``+`` when the code differs from it, or ``unknown`` outside a checkout."""
    try:
        return _git("rev-parse", "--short=12", "HEAD") + ("+" if _git("status", "--porcelain", "--", *CODE) else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(*args: str) -> str:
    return subprocess.run(["git", *args], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def describe_machine(packages: Sequence[str] = PACKAGES) -> dict[str, Any]:
    """Return processor, cores, system, Python and the versions of some packages."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.is_file():
        lines = info.read_text(encoding="utf-8").splitlines()
        model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), model)
    machine = {"cpu": model, "cores": os.cpu_count(), "system": platform.system(), "python": platform.python_version()}
    return machine | describe_versions(packages)


def describe_versions(packages: Sequence[str]) -> dict[str, str]:
    """Return the installed versions of some packages."""
    return {name: _version(name) for name in packages}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
