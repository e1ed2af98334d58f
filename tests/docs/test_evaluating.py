"""docs/evaluating.md: its commands run, its answers are given, and it names every key of the JSON."""

import doctest
import json
import re
import shlex
from pathlib import Path

import pytest
import torch

from agents.checkpoint import save_policy
from agents.evaluate_cli import main
from agents.evaluate_options import Options
from agents.flags import flag_names
from agents.networks import mlp
from tressette_env.observation import layout
from tressette_env.presets import preset

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "evaluating.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
COMMANDS = [line for language, block in BLOCKS if language == "sh" for line in block.splitlines()]
PREFIX = ".venv/bin/python evaluate.py "


def keys(data, prefix=""):
    """The paths of plain data, list places left out; what is named by rules or kinds of signals counts as one."""
    found = set()
    for key, value in data.items():
        value, mark = (value[0], "[]") if isinstance(value, list) and isinstance(value[0], dict) else (value, "")
        if isinstance(value, dict) and key != "rules_values" and not key.startswith("signals_"):
            found |= keys(value, f"{prefix}{key}{mark}.")
        else:
            found.add(prefix + key)
    return found


def table_keys(heading):
    """The names in the first column of the first table after a heading."""
    rows = PAGE.split(f"\n## {heading}\n")[1].split("| --- | --- |\n")[1].split("\n\n")[0].splitlines()
    return {name for row in rows for name in re.findall(r"`([^`]+)`", row.split("|")[1])}


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder with a run folder as the page names it."""
    monkeypatch.chdir(tmp_path)
    rules = preset("tressette")
    torch.manual_seed(0)
    actor = mlp(layout(rules).size, (8,), rules.blocks.num_actions, 0.01)
    meta = {"rules": rules.to_dict(), "hidden": [8], "canonical_suits": False, "decisions": 0, "commit": "none"}
    save_policy(tmp_path / "runs" / "NAME" / "checkpoints" / "step_000004000000.safetensors", actor, meta)
    return tmp_path


def test_every_command_runs_with_fewer_deals(here, capsys):
    run = 0
    for line in COMMANDS:
        if not line.startswith(PREFIX):
            assert line.startswith("cat games1."), line
            continue
        words = shlex.split(line.removeprefix(PREFIX))
        few = 100 if "--signals" in words else 6  # what signals tell takes 100 at least
        for flag, most in (("--deals", few), ("--regret-deals", 2), ("--workers", 1)):
            if flag in words:
                words[words.index(flag) + 1] = str(min(most, int(words[words.index(flag) + 1])))
        assert main(words) == 0, line + capsys.readouterr().err
        run += 1
    assert run > 10


def test_every_flag_is_on_the_page():
    for flag in flag_names(Options):
        assert flag.startswith("--no-") or flag == "--entries" or flag in PAGE, flag


def test_the_keys_of_the_json_are_those_of_the_page(here):
    assert (
        main(["random", "simple", "--deals", "4", "--rules", "mini_4p", "--json", "x.json", "--record", "x.jsonl"]) == 0
    )
    assert keys(json.loads(Path("x.json").read_text())) == table_keys("The results as JSON")
    assert set(json.loads(Path("x.players.jsonl").read_text().splitlines()[0])) == table_keys("Every game as a record")


def test_the_shown_answers_are_given():
    shown = "\n".join(block for language, block in BLOCKS if language == "pycon")
    test = doctest.DocTestParser().get_doctest(shown, {}, "docs/evaluating.md", None, None)
    report = []
    assert len(test.examples) > 5
    assert doctest.DocTestRunner().run(test, out=report.append).failed == 0, "".join(report)
    assert {language for language, _ in BLOCKS} == {"sh", "python", "pycon"}
