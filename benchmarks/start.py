"""Cold and warm start: seconds of a new process from nothing to the first step of an environment."""

import os
import subprocess
import sys
import tempfile
import time

_FIRST_STEP = """
from tressette_env import tressette_v0
env = tressette_v0.env()
env.reset(seed=0)
env.step(int(env.last()[0]["action_mask"].argmax()))
"""


def seconds(cache_dir: str) -> float:
    """Return the wall seconds of one process that takes the first step, compiled kernels kept in ``cache_dir``."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", _FIRST_STEP], check=True, env=os.environ | {"NUMBA_CACHE_DIR": cache_dir})
    return time.perf_counter() - start


def cold_and_warm(repeats: int = 3) -> tuple[float, float]:
    """Return the seconds with an empty cache, and the best of ``repeats`` with the one that left."""
    with tempfile.TemporaryDirectory() as cache_dir:
        cold = seconds(cache_dir)
        return cold, min(seconds(cache_dir) for _ in range(repeats))
