"""evaluate.py from the outside: tables, JSON, exit codes and one sentence per mistake."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from agents import evaluate_cli
from agents.checkpoint import save_policy
from agents.evaluate_cli import main
from agents.networks import mlp
from tressette_env.observation import layout
from tressette_env.presets import PRESETS, preset

ROOT = Path(__file__).resolve().parent.parent


def test_end_to_end(tmp_path):
    out = tmp_path / "out.json"
    command = ["random", "heuristic", "simple", "--deals", "40", "--rules", "tressette", "--seed", "7", "--json"]
    done = subprocess.run(
        [sys.executable, ROOT / "evaluate.py", *command, out], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    for word in (
        "random",
        "heuristic",
        "points per deal, row minus column",
        "rating",
        "busso",
        "decisions/s",
        "seed 7",
    ):
        assert word in done.stdout
    data = json.loads(out.read_text())
    assert data["rules"] == "tressette" and data["deals"] == 40 and data["seed"] == 7
    assert data["entries"] == ["random", "heuristic", "simple"]
    assert [(p["a"], p["b"]) for p in data["pairs"]] == [
        ("random", "heuristic"),
        ("random", "simple"),
        ("heuristic", "simple"),
    ]
    for pair in data["pairs"]:
        low, high = pair["ci95"]
        assert low <= pair["mean"] <= high and pair["n"] == 40 and 0 <= pair["win_rate"] <= 1
        assert pair["trick_ci95"][0] <= pair["trick_mean"] <= pair["trick_ci95"][1]
    for player in data["players"]:
        assert math.isfinite(player["rating"]["mu"]) and player["decisions_per_second"] > 0
        assert set(player["signals_per_100_leads"]) == {"busso", "volo", "striscio"}
        assert player["checkpoint_hash"] is None
    assert data["interrupted"] is False and data["rooms"] == 2 and data["rules_values"]["target"] == 21
    assert list(tmp_path.iterdir()) == [out]


def test_same_command_same_numbers(tmp_path, capsys):
    results = []
    for name in ("a.json", "b.json"):
        assert main(["random", "simple", "--deals", "20", "--json", str(tmp_path / name)]) == 0
        results.append(json.loads((tmp_path / name).read_text())["pairs"])
    assert results[0] == results[1]


def test_list_names_bots_and_all_presets(capsys):
    assert main(["--list"]) == 0
    words = set(capsys.readouterr().out.split())
    assert {"random", "heuristic", *PRESETS} <= words


def test_table_and_json_say_how_many_rooms_a_deal_has(capsys, tmp_path):
    out = tmp_path / "out.json"
    args = ["random", "heuristic", "--deals", "6", "--json", str(out)]
    for rules, rooms, how in (
        ("due", 2, "places swapped"),
        ("traversone_3p", 6, "each alone at every place"),
        ("chiamata", 10, "each alone at every place"),
    ):
        assert main([*args, "--rules", rules]) == 0
        assert f"6 duplicate deals a pair, {rooms} rooms a deal ({how}), seed 0" in said(capsys)
        data = json.loads(out.read_text())
        assert data["rules"] == rules and data["rooms"] == rooms and data["pairs"][0]["n"] == 6


def said(capsys):
    """What was printed, without line breaks."""
    return " ".join(capsys.readouterr().out.split())


def test_rules_as_a_mapping_and_as_a_file(capsys, tmp_path):
    out = tmp_path / "out.json"
    file = tmp_path / "short.yaml"
    file.write_text("preset: tressette\ntarget: 31\n")
    for rules in ("{preset: tressette, target: 31}", '{"target": 31}', str(file)):
        assert main(["random", "simple", "--deals", "4", "--rules", rules, "--json", str(out)]) == 0
        data = json.loads(out.read_text())
        assert data["rules"] == "tressette*" and data["rules_values"]["target"] == 31


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        ([], 2, "name at least two players, not 0"),
        (["random"], 2, "name at least two players, not 1"),
        (["random", "heuristc"], 2, "unknown bot 'heuristc' (did you mean 'heuristic'?)"),
        (["random", "heuristic:signal=off"], 2, "has no option 'signal' (did you mean 'signals'?)"),
        (["random", "heuristic", "--rules", "tresette"], 2, "did you mean 'tressette'"),
        (["random", "heuristic", "--rules", "{target: 31"], 2, "--rules '{target: 31' is not a mapping"),
        (["random", "heuristic", "--rules", "{target: 2020-13-45}"], 2, "is not a mapping: write '{preset: tressette"),
        (["random", "heuristic", "--rules", "{tarlet: 31}"], 2, "did you mean 'target'"),
        (["random", "heuristic", "--rules", ""], 2, "unknown rules preset ''"),
        (["random", "heuristic", "--rules", "none.yaml"], 2, "cannot read the rules file 'none.yaml'"),
        (["random", "heuristic", "--deals", "1"], 2, "--deals 1 is too few"),
        (["random", "heuristic", "--deals", str(10**30)], 2, f"--deals {10**30} is too many: give at most 1000000"),
        (["random", "heuristic", "--device", "meta"], 2, "the device 'meta' cannot be used, try cpu"),
        (["random", "heuristic", "--device", "banana"], 2, "the device 'banana' cannot be used, try cpu"),
        (["random", "heuristic", "--device", "hpu"], 2, "the device 'hpu' cannot be used, try cpu"),
        (["random", "heuristic", "--seed", "-1"], 2, "--seed -1 is out of range"),
        (["random", "heuristic", "--json", "nowhere/x.json"], 2, "there is no folder 'nowhere'"),
        (["random", "heuristic", "--json", "."], 2, "is a folder: name a file"),
        (["random", "runs/nothing"], 2, "there is no 'runs/nothing'"),
        (["random", "nothing.safetensors"], 2, "there is no 'nothing.safetensors'"),
        (["a", "b", "--deals", "x"], 2, "cannot read --deals: invalid literal for int() with base 10: 'x'"),
        (["a", "b", "--deals"], 2, "missing value for argument '--deals'"),
        (["a", "b", "--deal", "3"], 2, "unknown flag '--deal' (did you mean '--deals'?)"),
        (["a", "--deals", "3", "b"], 2, "unexpected argument 'b'"),
    ],
)
def test_mistakes_get_one_sentence(args, code, said, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert main(args) == code
    streams = capsys.readouterr()
    assert streams.out == ""
    assert streams.err.startswith("evaluate.py: ") and said in streams.err
    assert len(streams.err.strip().splitlines()) == 1


def save_tiny_run(folder, rules):
    """A run folder with one checkpoint of an untrained network."""
    torch.manual_seed(0)
    actor = mlp(layout(rules).size, (8,), rules.blocks.num_actions, 0.01)
    (folder / "checkpoints").mkdir(parents=True)
    meta = {"rules": rules.to_dict(), "hidden": [8], "canonical_suits": False, "decisions": 0, "commit": "none"}
    save_policy(folder / "checkpoints" / "step_000000000.safetensors", actor, meta)


def test_run_folders_and_checkpoint_files(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save_tiny_run(tmp_path / "runs" / "tiny", preset("tressette"))
    file = "runs/tiny/checkpoints/step_000000000.safetensors"
    assert main(["runs/tiny", file, "tiny", "random", "--deals", "4", "--json", "out.json"]) == 0
    data = json.loads(Path("out.json").read_text())
    assert data["entries"] == ["tiny", "tiny/step_000000000", "tiny#2", "random"]
    hashes = [player["checkpoint_hash"] for player in data["players"]]
    assert hashes[0] and hashes[0] == hashes[1] == hashes[2] and hashes[3] is None
    assert data["pairs"][0]["mean"] == 0  # the same greedy network on both sides


def test_checkpoint_for_other_rules_and_unusable_device(tmp_path, capsys):
    save_tiny_run(tmp_path / "tiny", preset("tressette"))
    assert main(["random", str(tmp_path / "tiny"), "--rules", "gamelake", "--deals", "4"]) == 1
    assert "was trained for the rules 'tressette'" in capsys.readouterr().err
    assert main(["random", str(tmp_path / "tiny"), "--device", "nonsense", "--deals", "4"]) == 2
    assert "the device 'nonsense' cannot be used, try cpu" in capsys.readouterr().err


def test_rules_of_the_checkpoints_unless_others_are_named(tmp_path, capsys):
    for name in ("traversone_3p", "treseta", "tressette"):
        save_tiny_run(tmp_path / name, preset(name))
    save_tiny_run(tmp_path / "again", preset("traversone_3p"))
    solo, again, treseta, default = (
        str(tmp_path / name) for name in ("traversone_3p", "again", "treseta", "tressette")
    )
    end = ["--deals", "4"]
    for entries, rules in (
        ([solo, "random"], "traversone_3p"),
        ([solo, "random", again], "traversone_3p"),
        (["simple", treseta], "treseta"),
        ([default, treseta], "tressette"),
        ([default, "random"], "tressette"),
        (["random", "simple"], "tressette"),
    ):
        assert main([*entries, *end]) == 0
        assert f"{rules}: points per deal" in said(capsys)
    assert main([treseta, "simple", *end, "--rules", "tressette"]) == 0
    assert "tressette: points per deal" in said(capsys)
    assert main([solo, treseta, *end]) == 2
    error = capsys.readouterr().err
    assert f"the checkpoints were trained for different rules ({solo} for 'traversone_3p', {treseta} for" in error
    assert "give --rules" in error and len(error.strip().splitlines()) == 1


@pytest.mark.parametrize("content", [b"", b"not tensors", b"\xff" * 64])
def test_corrupt_checkpoint(content, capsys, tmp_path):
    path = tmp_path / "broken.safetensors"
    path.write_bytes(content)
    assert main(["random", str(path)]) == 1
    assert str(path) in capsys.readouterr().err


def test_a_flag_that_cannot_be_read_is_named_in_any_encoding():
    for encoding in ("utf-8", "latin-1"):
        done = subprocess.run(
            [sys.executable, ROOT / "evaluate.py", "a", "b", "--deals", "x"],
            capture_output=True, text=True, env=os.environ | {"PYTHONIOENCODING": encoding},
        )  # fmt: skip
        said = "evaluate.py: cannot read --deals: invalid literal for int() with base 10: 'x' (see evaluate.py --help)"
        assert (done.returncode, done.stdout, done.stderr) == (2, "", said + "\n")


def test_help_is_printed_and_is_no_error(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--help"])
    streams = capsys.readouterr()
    assert stop.value.code == 0 and "--deals INT" in streams.out and streams.err == ""


def test_ctrl_c_prints_what_is_done(monkeypatch, capsys, tmp_path):
    real = evaluate_cli.evaluate

    def interrupted(*args, on_progress, **keywords):
        def stop(pair):
            on_progress(pair)
            if pair.n >= 20:
                raise KeyboardInterrupt

        return real(*args, block=10, on_progress=stop, **keywords)

    monkeypatch.setattr(evaluate_cli, "evaluate", interrupted)
    out = tmp_path / "out.json"
    assert main(["random", "heuristic", "--deals", "40", "--json", str(out)]) == 130
    assert "20 duplicate deals a pair, 2 rooms a deal (places swapped), seed 0 (stopped early)" in said(capsys)
    data = json.loads(out.read_text())
    assert data["interrupted"] is True and data["pairs"][0]["n"] == 20


def test_ctrl_c_before_the_first_deal(monkeypatch, capsys):
    def interrupted(*args, **keywords):
        raise KeyboardInterrupt

    monkeypatch.setattr(evaluate_cli, "evaluate", interrupted)
    assert main(["random", "heuristic"]) == 130
    assert capsys.readouterr().err.strip() == "evaluate.py: stopped"


def test_ctrl_c_before_the_first_block_leaves_the_file_alone(monkeypatch, capsys, tmp_path):
    def interrupted(*args, **keywords):
        raise KeyboardInterrupt

    monkeypatch.setattr("agents.playing.play_block", interrupted)
    out = tmp_path / "out.json"
    out.write_text("mine")
    assert main(["random", "heuristic", "--json", str(out)]) == 130
    streams = capsys.readouterr()
    assert "stopped before the first deals were played out" in streams.err and streams.out == ""
    assert out.read_text() == "mine"


def test_results_survive_a_full_disk_as_an_error(monkeypatch, capsys, tmp_path):
    def full(path, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(evaluate_cli, "_write", full)
    assert main(["random", "simple", "--deals", "4", "--json", str(tmp_path / "x.json")]) == 1
    streams = capsys.readouterr()
    assert "points per deal" in streams.out and "No space left on device" in streams.err


def test_json_never_replaces_a_link_a_pipe_or_a_device(tmp_path, capsys):
    pipe, link, target = tmp_path / "pipe", tmp_path / "link", tmp_path / "target.json"
    os.mkfifo(pipe)
    target.write_text("kept")
    link.symlink_to(target)
    for path in (pipe, link):
        argv = ["random", "simple", "--deals", "2", "--rules", "mini_4p", "--json", str(path)]
        assert evaluate_cli.main(argv) == 2
        assert "is a link, pipe or device" in capsys.readouterr().err
    assert pipe.is_fifo() and link.is_symlink() and target.read_text() == "kept"
