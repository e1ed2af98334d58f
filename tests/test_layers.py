"""Imports go one way, the installed package stays free of torch, and the wheel holds the package alone."""

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).resolve().parent.parent


def test_import_contracts_hold():
    code = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports())"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("tressette_env", "torch agents rich"),
        ("tressette_env.tressette_v0", "torch agents rich"),
        ("tressette_env.bots", "torch agents"),
    ],
)
def test_import_brings_in_nothing_more(module, absent):
    code = f"import sys, {module}; sys.exit(' '.join(n for n in '{absent}'.split() if n in sys.modules) or 0)"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_wheel_holds_the_package_alone(tmp_path):
    from hatchling.builders.wheel import WheelBuilder

    wheel = next(WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"]))
    tops = {name.split("/")[0] for name in ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"tressette_env"}
