"""The command that writes decisions: from records, from bots; goes on, filters, one sentence for what is wrong."""

import os

import numpy as np
import pytest
from recorded import bot_records

from agents import export
from agents.decisions.parquet import COLUMNS, Decisions, part_paths, read
from agents.decisions.selfplay import play_games
from agents.export import main
from tressette_env.bots import make
from tressette_env.presets import preset
from tressette_env.records import observations, read_records, write_records

PLAY = ["--play", "heuristic", "random", "--rules", "mini_4p", "--seed", "7"]


@pytest.fixture
def records(tmp_path):
    path = tmp_path / "games.jsonl"
    write_records(path, bot_records("tressette", 3, bots=("heuristic", "simple")))
    names = '{"players": ["heuristic", "simple", "heuristic", "simple"]}\n'
    (tmp_path / "games.players.jsonl").write_text(3 * names)
    return path


def test_records_become_a_folder_of_decisions(records, tmp_path, capsys):
    assert main([str(records), "--out", str(tmp_path / "new" / "data")]) == 0
    found = read(tmp_path / "new" / "data")
    wanted = [row for record in read_records(records) for row in observations(record)]
    assert found["observation"].tobytes() == b"".join(row[1].tobytes() for row in wanted)
    assert found["player"].tolist() == [("heuristic", "simple")[seat % 2] for seat in found["seat"]]
    said = capsys.readouterr().out
    assert f"{len(wanted)} of {len(wanted)} decisions in 1 file," in said and "decisions/s" in said
    about = Decisions(tmp_path / "new" / "data").about
    assert about["source"] == {"records": "games.jsonl"}


def test_bots_play_and_one_of_them_is_labelled(tmp_path):
    assert main([*PLAY, "--deals", "600", "--label-of", "heuristic", "--out", str(tmp_path / "d")]) == 0
    found = read(tmp_path / "d")
    games = play_games([make("heuristic"), make("random")], preset("mini_4p"), 7, 0, 600)
    names = np.array([games.players[deal][seat] for deal, seat in zip(games.deal_of, games.seats, strict=True)])
    assert set(found["player"]) == {"heuristic"} and len(found["player"]) == (names == "heuristic").sum()
    assert found["action"].tolist() == games.actions[names == "heuristic"].tolist()


def test_flags_choose_decisions(records, tmp_path):
    flags = ["--seat", "0", "1", "--side", "0", "--winners-only", "--choices-only"]
    assert main([str(records), *flags, "--out", str(tmp_path / "d")]) == 0
    found = read(tmp_path / "d")
    assert set(found["seat"]) == {0} and found["action_mask"].sum(1).min() > 1
    first = {episode: value for episode, value in zip(found["episode"][::-1], found["return"][::-1], strict=True)}
    assert all(value > 0 for value in first.values())
    assert Decisions(tmp_path / "d").about["kept"] == {
        "seats": [0, 1], "sides": [0], "players": [], "winners_only": True, "choices_only": True,
    }  # fmt: skip


def test_nothing_kept_is_an_error(records, tmp_path, capsys):
    assert main([str(records), "--seat", "1", "--side", "0", "--out", str(tmp_path / "d")]) == 1
    assert "none of the 121 decisions was kept: choose other seats, sides or players" in capsys.readouterr().err
    assert not os.listdir(tmp_path / "d")


# ---------------------------------------------------------------- stopped and gone on with
def test_a_stopped_export_is_gone_on_with(tmp_path, capsys, monkeypatch):
    flags = [*PLAY, "--rows-per-file", "3000"]
    assert main([*flags, "--deals", "3000", "--out", str(tmp_path / "whole")]) == 0

    def stopped(players, rules, seed, first, end):
        if first >= 1536:
            raise KeyboardInterrupt
        return play_games(players, rules, seed, first, end)

    monkeypatch.setattr(export, "play_games", stopped)
    assert main([*flags, "--deals", "3000", "--out", str(tmp_path / "cut")]) == 130
    assert "stopped: 4 whole files are in" in capsys.readouterr().err
    assert sorted(os.listdir(tmp_path / "cut")) == [f"part-0000{part}.parquet" for part in range(4)]
    monkeypatch.undo()
    (tmp_path / "cut" / ".part-00004.parquet.123").write_bytes(b"what a kill leaves")
    assert main([*flags, "--deals", "3000", "--resume", "--out", str(tmp_path / "cut")]) == 0
    one, other = read(tmp_path / "whole"), read(tmp_path / "cut")
    assert all(np.array_equal(one[name], other[name]) for name in COLUMNS)
    assert [path.name for path in part_paths(tmp_path / "cut")] == sorted(os.listdir(tmp_path / "cut"))


def test_records_are_gone_on_with_after_the_last_whole_file(records, tmp_path):
    folder = tmp_path / "d"
    assert main([str(records), "--rows-per-file", "1", "--out", str(folder)]) == 0
    assert len(part_paths(folder)) == 3
    whole = read(folder)
    part_paths(folder)[2].unlink()
    assert main([str(records), "--rows-per-file", "1", "--resume", "--out", str(folder)]) == 0
    assert np.array_equal(read(folder)["episode"], whole["episode"])
    assert main([str(records), "--resume", "--out", str(folder)]) == 0  # nothing more to do
    assert len(part_paths(folder)) == 3


def test_more_deals_can_be_added(tmp_path):
    for deals, resume in (("300", []), ("700", ["--resume"])):
        assert main([*PLAY, "--deals", deals, *resume, "--out", str(tmp_path / "d")]) == 0
    assert np.unique(read(tmp_path / "d", ["episode"])["episode"]).tolist() == list(range(700))


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ([*PLAY], "holds part-00000.parquet already: choose another folder, or add --resume"),
        ([*PLAY, "--seed", "8", "--resume"], "holds decisions of another command (source"),
        (["--play", "random", "--rules", "mini_4p", "--seed", "7", "--resume"], "of another command (source"),
        ([*PLAY, "--rules", "mini_2p", "--resume"], "of another command (rules"),
        ([*PLAY, "--seat", "1", "--resume"], "of another command (kept"),
    ],
)
def test_a_folder_of_other_decisions_is_not_written_to(tmp_path, capsys, flags, said):
    out = ["--deals", "20", "--out", str(tmp_path / "d")]
    assert main([*PLAY, *out]) == 0
    before = part_paths(tmp_path / "d")[0].read_bytes()
    capsys.readouterr()
    assert main([*flags, *out]) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1
    assert [path.read_bytes() for path in part_paths(tmp_path / "d")] == [before]


# ---------------------------------------------------------------- what is refused
@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--play", "heuristic"], "--out is missing: name the folder"),
        (["--out", "d"], "name either a file of records or --play with bots"),
        (["games.jsonl", "--play", "random", "--out", "d"], "name either a file of records or --play"),
        (["nothing.jsonl", "--out", "d"], "there is no file of records 'nothing.jsonl'"),
        (["games.jsonl", "--out", "games.jsonl"], "--out 'games.jsonl' is a file: name a folder"),
        (["--play", "heuristc", "--out", "d"], "unknown bot 'heuristc' (did you mean 'heuristic'?)"),
        (["--play", "heuristic", "--rules", "tresette", "--out", "d"], "unknown rules preset 'tresette'"),
        (["--play", "heuristic", "--label-of", "simple", "--out", "d"], "--label-of 'simple' is none of the players"),
        (["--play", "heuristic", "--deals", "0", "--out", "d"], "--deals 0 is out of range"),
        (["--play", "heuristic", "--rows-per-file", "0", "--out", "d"], "--rows-per-file 0 is out of range"),
        (["--play", "heuristic", "--seed", "-1", "--out", "d"], "--seed -1 is out of range"),
        (["games.jsonl", "--seat", "4", "--out", "d"], "seat 4 is not one of 'tressette': they are 0 to 3"),
        (["games.jsonl", "--outt", "d"], "unknown flag '--outt' (did you mean '--out'?)"),
        (["empty.jsonl", "--out", "d"], "'empty.jsonl' holds no record"),
        (["broken.jsonl", "--out", "d"], "broken.jsonl, line 1: the record is not JSON"),
    ],
)
def test_what_is_wrong_gets_one_sentence(records, tmp_path, monkeypatch, capsys, flags, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.jsonl").write_text("\n")
    (tmp_path / "broken.jsonl").write_text("{\n")
    assert main(flags) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1 and error.startswith("agents.export: ")
    assert not (tmp_path / "d").exists()


def test_records_of_other_rules_end_the_export(tmp_path, capsys):
    path = tmp_path / "games.jsonl"
    write_records(path, [*bot_records("mini_4p", 2), *bot_records("mini_2p", 1)])
    assert main([str(path), "--rows-per-file", "1", "--out", str(tmp_path / "d")]) == 1
    assert "record 3 is of the rules 'mini_2p', those before of 'mini_4p'" in capsys.readouterr().err
    assert np.unique(read(tmp_path / "d", ["episode"])["episode"]).tolist() == [0, 1]


def test_a_full_disk_leaves_whole_files(tmp_path, capsys, monkeypatch):
    calls = []

    def full(number):
        calls.append(number)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("tressette_env.files.os.fsync", full)
    assert main([*PLAY, "--deals", "600", "--rows-per-file", "1000", "--out", str(tmp_path / "d")]) == 1
    error = capsys.readouterr().err
    assert "part-00001.parquet' (No space left on device): free some space" in error and error.count("\n") == 1
    assert os.listdir(tmp_path / "d") == ["part-00000.parquet"]
