"""Running an example as a person would: its command line, in a folder of its own."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def run_example(tmp_path):
    """Run `python -m examples.NAME` with some flags in an empty folder; return what it printed."""

    def run(name, *flags):
        done = subprocess.run(
            [sys.executable, "-m", f"examples.{name}", *map(str, flags)],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=500,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture
def least_margin():
    """Return a function that reads the lower end of a match's 95 % interval out of what an example printed."""

    def read(printed, pair):
        lows = re.findall(rf"{pair}: \S+ points a deal, 95 % interval (\S+) to \S+, \d+ duplicate deals", printed)
        assert lows, printed
        return float(lows[-1])

    return read
