"""The picture in README is what the environment draws, and the commands it names exist."""

import re
from pathlib import Path

import pytest
import yaml

import tressette_env
from tressette_env import tressette_v0

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_drawn_trick_is_what_render_prints():
    env = tressette_v0.env(render_mode="ansi")
    env.reset(seed=5)
    for _ in range(14):
        observation, *_ = env.last()
        env.step(int(observation["action_mask"].argmax()))
    picture = re.search(r"```text\n(.*?)```", README, re.DOTALL)[1]
    assert picture in env.render() + "\n"


@pytest.mark.parametrize("name", ["README.md", "docs/index.md"])
def test_the_first_example_comes_out_as_it_says(name, capsys):
    block = re.search(r"^```python\n(.*?)^```$", (ROOT / name).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)[1]
    exec(block, {})
    assert block.splitlines()[-1].partition("  # ")[2] == capsys.readouterr().out.strip() != ""


def test_the_citation_names_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == tressette_env.__version__


def test_named_targets_and_files_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"`?make ([a-z]+)", README):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    for name in re.findall(r"\]\(([^):]+)\)", README) + re.findall(r"^(runs/\S+\.sh)", README, re.MULTILINE):
        assert (ROOT / name).exists(), name
