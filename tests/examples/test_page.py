"""docs/examples.md names every example, and its commands are ones that the examples take."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from agents.flags import parse_flags

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/examples.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"python -m examples\.(\w+)(.*)$", PAGE, re.MULTILINE)
LIBRARY = {"sb3_maskable_ppo": "sb3_contrib", "torchrl_pettingzoo": "torchrl", "openspiel_solver": "pyspiel"}
LIBRARY |= {"rllib_self_play": "ray"}


def test_every_example_is_on_the_page():
    names = {path.stem for path in (ROOT / "examples").glob("*.py")} - {"command"}
    assert {name for name, _ in COMMANDS} == names
    assert set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)) == names


@pytest.mark.parametrize(("name", "flags"), [row for row in COMMANDS if row[0] != "reinforce"])
def test_commands_are_ones_that_the_example_takes(name, flags):
    pytest.importorskip(LIBRARY.get(name, "torch"))
    module = import_module(f"examples.{name}")
    options = module.Args if hasattr(module, "Args") else module.Options
    parse_flags(options, flags.split(), name).check()


def test_the_shown_class_is_that_of_the_file():
    shown = re.search(r"```py3\n(.*?)```", PAGE, re.DOTALL)[1]
    assert shown in (ROOT / "examples/sb3_maskable_ppo.py").read_text(encoding="utf-8")
