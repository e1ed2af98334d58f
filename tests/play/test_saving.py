"""Saved games: one line each, appended; a file that was there is never harmed."""

import os

import pytest

from agents.play.saving import RecordFile, SaveError
from tressette_env.engine.game import Game
from tressette_env.errors import TressetteError
from tressette_env.records import format_record, read_records


def game(seed, actions=2):
    made = Game("mini_4p", seed=seed)
    for _ in range(actions):
        made.step(made.legal_actions()[0])
    return made


def test_a_game_saved_again_takes_its_own_line(tmp_path):
    path = tmp_path / "games.jsonl"
    first, second = game(1), game(2)
    RecordFile(path).save(first.record())
    file = RecordFile(path)
    file.save(second.record())
    second.step(second.legal_actions()[0])
    file.save(second.record())
    assert list(read_records(path)) == [first.record(), second.record()]
    file.save(game(3).record())
    assert [record["seed"] for record in read_records(path)] == [1, 2, 3]


def test_what_stood_in_the_file_stays_byte_for_byte(tmp_path):
    path = tmp_path / "games.jsonl"
    before = b"not a record, and no line end \xff"
    path.write_bytes(before)
    RecordFile(path).save(game(1).record())
    assert path.read_bytes() == before + b"\n" + format_record(game(1).record()).encode() + b"\n"


def test_lines_that_others_added_meanwhile_stay(tmp_path):
    path = tmp_path / "games.jsonl"
    mine, other = RecordFile(path), RecordFile(path)
    mine.save(game(1, 1).record())
    other.save(game(2).record())
    mine.save(game(1, 2).record())
    assert [len(record["actions"]) for record in read_records(path)] == [1, 2, 2]


def test_a_link_stays_a_link(tmp_path):
    real = tmp_path / "real.jsonl"
    link = tmp_path / "link.jsonl"
    real.write_text("")
    link.symlink_to(real)
    RecordFile(link).save(game(1).record())
    assert link.is_symlink() and len(list(read_records(real))) == 1


def test_a_write_that_fails_leaves_the_file_alone(tmp_path, monkeypatch):
    path = tmp_path / "games.jsonl"
    RecordFile(path).save(game(1).record())
    before = path.read_bytes()

    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(TressetteError, match="No space left on device"):
        RecordFile(path).save(game(2).record())
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["games.jsonl"]


def test_paths_that_cannot_be_used(tmp_path):
    with pytest.raises(SaveError, match="is a folder: name a file"):
        RecordFile(tmp_path)
    with pytest.raises(SaveError, match="there is no folder"):
        RecordFile(tmp_path / "nowhere" / "games.jsonl")
    with pytest.raises(SaveError, match="is a pipe or a device"):
        RecordFile("/dev/null")
