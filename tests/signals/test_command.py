"""`evaluate.py --signals` from the outside: tables, pictures, JSON, and one sentence per mistake."""

import json

import pytest
import torch

from agents.checkpoint import save_policy
from agents.evaluate_cli import main
from agents.networks import mlp
from tressette_env.observation import layout
from tressette_env.presets import make_rules


def network(path, spec, seed):
    rules = make_rules(spec)
    torch.manual_seed(seed)
    actor = mlp(layout(rules).size, (8,), rules.blocks.num_actions, 1.0)
    about = {"rules": rules.to_dict(), "hidden": [8], "canonical_suits": True}
    save_policy(path, actor, about)
    return str(path)


@pytest.fixture(scope="module")
def networks(tmp_path_factory):
    folder = tmp_path_factory.mktemp("networks")
    free, silent = {"preset": "tressette", "signal_mode": "free"}, {"preset": "tressette", "signal_sides": []}
    specs = {"free1": free, "free2": free, "silent1": silent, "silent2": silent}
    return [network(folder / f"{name}.safetensors", spec, i) for i, (name, spec) in enumerate(specs.items())]


@pytest.mark.slow
def test_arms_of_networks(networks, tmp_path, capsys):
    out = tmp_path / "out.json"
    args = [
        "--signals",
        *networks,
        "--deals",
        "100",
        "--seed",
        "3",
        "--plots",
        str(tmp_path / "plots"),
        "--json",
        str(out),
    ]
    assert main(args) == 0
    shown = " ".join(capsys.readouterr().out.split())
    for words in ("what is said", "whom it moves", "trained without", "renamed as suits the", "code 2 3 1"):
        assert words in shown
    found = json.loads(out.read_text())["signals"]
    assert [arm["label"] for arm in found["arms"]] == ["tressette, free", "tressette, silent"]
    free, silent = found["arms"]
    assert silent["spoken"] == {} and silent["ablated"] == {} and silent["cross_play"]["matrix"]
    assert list(free["retrained"]) == ["tressette, silent"] and free["retrained"]["tressette, silent"]["seeds"] == 2
    assert set(free["ablated"]) == {"mute", "deaf", "misled", "forbidden"}
    assert free["suits"]["mean"] == pytest.approx(0, abs=0.05), (
        "canonical suits: only hands with two suits alike differ"
    )
    assert sorted(path.name for path in (tmp_path / "plots").iterdir()) == [
        "cross_play.png",
        "influence.png",
        "information.png",
        "worth.png",
    ]
    assert main([*args[:-1], str(tmp_path / "again.json"), "--workers", "2"]) == 0
    assert json.loads((tmp_path / "again.json").read_text()) == json.loads(out.read_text())


def test_one_bot(tmp_path, capsys):
    out = tmp_path / "out.json"
    assert main(["--signals", "heuristic", "--deals", "100", "--plots", str(tmp_path / "p"), "--json", str(out)]) == 0
    arm = json.loads(out.read_text())["signals"]["arms"][0]
    row = arm["spoken"]["heuristic"]
    assert sum(row["rates"].values()) == pytest.approx(1)
    assert row["influence"]["kl"] == [None, None, None], "infinite: a bot rules out what it does not do"
    assert arm["ad_hoc"]["strict"] == 0 and arm["cross_play"] is None
    assert (tmp_path / "p" / "worth.png").stat().st_size > 1000


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["heuristic", "--rules", "no_signals"], "'no_signals' have no signals"),
        (["heuristic", "--rules", "due"], "have no signals"),
        (["mc:worlds=5"], "does not tell its probabilities"),
        (["heuristic", "--regret"], "--regret does not go with --signals"),
        (["heuristic", "--exploit"], "--exploit does not go with --signals"),
        (["heuristic", "--record", "x.jsonl"], "--record does not go with --signals"),
        (["heuristic", "--deals", "99"], "from 100 to 20000"),
        (["heuristic", "--deals", "20001"], "from 100 to 20000"),
        (["heuristic", "--seed", str(2**62)], "below 2**62"),
        (["heuristic", "heuristic"], "name it once"),
        (["heuristic", "--rules", "{preset: tressette, sides: [0, 0, 1, 1]}"], "no partners face to face"),
        (["heuristic", "--rules", "{preset: mini_4p, hand_size: 1, deck: 4cKcAc3c}"], "one card a hand"),
        (["heuristic", "--plots", "p", "--json", "p/worth.png"], "there is no folder"),
        (["nobody"], "unknown bot 'nobody'"),
        (["runs/nobody"], "there is no 'runs/nobody'"),
        ([], "at least one player"),
    ],
)
def test_mistakes(args, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["--signals", *args]) in (1, 2)
    error = capsys.readouterr().err
    assert words in error and len(error.strip().splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_plots_that_are_a_file(tmp_path, capsys):
    (tmp_path / "plots").write_text("mine")
    assert main(["--signals", "heuristic", "--plots", str(tmp_path / "plots")]) == 2
    assert "name a folder" in capsys.readouterr().err and (tmp_path / "plots").read_text() == "mine"
    assert main(["--signals", "heuristic", "--plots", str(tmp_path / "plots/sub")]) == 2
    assert "name a folder" in capsys.readouterr().err
    (tmp_path / "folder").mkdir()
    json = str(tmp_path / "folder/worth.png")
    assert main(["--signals", "heuristic", "--plots", str(tmp_path / "folder"), "--json", json]) == 2
    assert "one of the pictures" in capsys.readouterr().err


@pytest.mark.slow
def test_arms_of_other_games_are_not_compared(networks, tmp_path, capsys):
    spec = {"preset": "tressette", "signal_sides": [], "signals": ["volo"]}
    other = network(tmp_path / "other.safetensors", spec, 7)
    files = ["--plots", str(tmp_path / "p"), "--json", str(tmp_path / "out.json")]
    assert main(["--signals", networks[0], other, "--deals", "100", *files]) == 0
    arms = json.loads((tmp_path / "out.json").read_text())["signals"]["arms"]
    assert [arm["retrained"] for arm in arms] == [{}, {}]


def test_plots_alone(tmp_path, capsys):
    assert main(["heuristic", "simple", "--deals", "4", "--plots", str(tmp_path)]) == 2
    assert "goes with --signals only" in capsys.readouterr().err
