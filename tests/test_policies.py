"""Networks that come with the repository: small, described, found by name and rules, and fit to play."""

import json

import pytest
import torch
import yaml

from agents import policies
from agents.arena import play_pair
from agents.checkpoint import load_actor, save_policy
from agents.entries import resolve
from agents.evaluate_cli import main
from agents.networks import mlp
from agents.policies import ShippedError, find, names, shipped
from tressette_env.bots import BotError, make
from tressette_env.observation import layout
from tressette_env.presets import make_rules, preset

MOST_BYTES = 5_000_000


@pytest.mark.parametrize("row", shipped(), ids=lambda row: row.file)
def test_every_network_is_small_and_is_the_one_described(row):
    rules = make_rules(row.rules)
    assert row.path.stat().st_size < MOST_BYTES
    _, about = load_actor(row.path, rules)
    assert resolve(row.name, rules).hash == row.hash, "the card is about this file"
    assert about["commit"] == row.commit and about["seed"] == row.seed
    assert row.recipe and row.results and row.summary[-1] != "."
    for result in row.results:
        low, high = result["ci95"]
        assert low < result["mean"] < high and result["deals"] >= 2000


@pytest.mark.parametrize("row", shipped(), ids=lambda row: row.file)
def test_every_network_beats_a_beginner(row):
    rules = make_rules(row.rules)
    result = play_pair(resolve(row.name, rules), make("simple"), rules, 60, seed=5)
    assert result.mean > 0 or result.ci95[1] > 0
    assert resolve(row.name, rules).name == row.name


def test_no_file_without_a_card():
    files = {path.name for path in policies.FOLDER.glob("*.safetensors")}
    assert files == {row.file for row in shipped()}


# ---------------------------------------------------------------- names, with networks made here
def network(folder, spec, seed):
    """Save an untrained network; return its row of the index."""
    rules = make_rules(spec)
    torch.manual_seed(seed)
    about = {"rules": rules.to_dict(), "hidden": [8], "canonical_suits": True, "seed": seed, "commit": "none"}
    file = f"ppo_{rules.name}.safetensors"
    save_policy(folder / file, mlp(layout(rules).size, (8,), rules.blocks.num_actions, 1.0), about)
    row = {"name": "ppo", "rules": spec, "file": file, "summary": "untrained", "hash": "", "recipe": ["none"]}
    return row | {"commit": "none", "machine": "any", "seed": seed, "decisions": 0, "core_minutes": 0, "results": []}


@pytest.fixture
def networks(tmp_path, monkeypatch):
    """A folder of two networks in place of those that come with the repository."""
    folder = tmp_path / "networks"
    folder.mkdir()
    rows = [network(folder, "tressette", 1), network(folder, "due", 2)]
    (folder / "index.yaml").write_text(yaml.safe_dump(rows))
    monkeypatch.setattr(policies, "FOLDER", folder)
    shipped.cache_clear()
    yield folder
    shipped.cache_clear()


def test_rules_choose_the_network(networks):
    assert names() == ("ppo",)
    tressette = find("ppo", preset("tressette"))
    assert find("ppo", make_rules({"preset": "tressette", "target": 31})) is tressette, "a match to more plays alike"
    assert find("ppo", make_rules({"preset": "tressette", "signal_noise": 10})) is tressette, "the spaces are the same"
    assert find("ppo", preset("due")).file == "ppo_due.safetensors"
    with pytest.raises(ShippedError, match="no network 'ppo' was trained for 'chiamata': it comes for tressette, due"):
        find("ppo", preset("chiamata"))


def test_names_on_the_command_line(networks, tmp_path, capsys):
    assert main(["ppo", "simple", "--deals", "4", "--json", str(tmp_path / "out.json")]) == 0
    assert json.loads((tmp_path / "out.json").read_text())["entries"] == ["ppo", "simple"]
    assert main(["ppo", "simple", "--deals", "4", "--rules", "due"]) == 0
    assert main(["--list"]) == 0 and "untrained (tressette)" in capsys.readouterr().out
    assert main(["ppo", "simple", "--deals", "10", "--rules", "chiamata"]) == 2
    assert "no network 'ppo' was trained for 'chiamata'" in capsys.readouterr().err
    assert main(["ppo:worlds=3", "simple", "--deals", "10"]) == 2
    assert "takes no options" in capsys.readouterr().err
    with pytest.raises(BotError, match="did you mean 'ppo'"):
        resolve("pppo", preset("tressette"))


def test_a_name_is_the_file_of_its_row(networks):
    player = resolve("ppo", preset("tressette"))
    assert player.name == "ppo"
    assert player.hash == resolve(str(networks / "ppo_tressette.safetensors"), preset("tressette")).hash
