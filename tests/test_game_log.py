"""Games of an evaluation as records: every preset replays, who sat where is told, files hold whole lines only."""

import json
from itertools import combinations

import numpy as np
import pytest

from agents import evaluate_cli, game_log
from agents.arena import play_block
from agents.evaluate_cli import main
from agents.game_log import Lines, RecordFiles, lines_of, players_path
from agents.rooms import num_rooms, seating
from agents.tournament import evaluate
from tressette_env.bots import make
from tressette_env.engine.batch import Batch, encode_rows, masks_all
from tressette_env.engine.state import BID
from tressette_env.errors import TressetteError
from tressette_env.notation import parse_action
from tressette_env.presets import PRESETS, make_rules, preset
from tressette_env.records import observations, parse_record, read_records, replay, replay_steps

NAMES = ("ann", "ben")


def played(players, rules, first, end, seed):
    """The records of some deals, who sat where in them, and the games at their end."""
    log = []
    seats = seating(rules, first, end)
    _, states = play_block(players, rules, seats, seed, log=log)
    lines = lines_of(rules, NAMES, seats, seed, log)
    records = [parse_record(line) for line in lines.records.decode().splitlines()]
    return records, [json.loads(line) for line in lines.players.decode().splitlines()], states


@pytest.mark.parametrize("name", PRESETS)
def test_records_of_every_preset_replay_to_the_same_games(name):
    rules = preset(name)
    records, about, states = played((make("random"), make("heuristic")), rules, 2, 4, seed=5)
    assert len(records) == len(about) == len(states) == 2 * num_rooms(rules)
    for record, line, state in zip(records, about, states, strict=True):
        game = replay(record)
        assert game.states[0].tobytes() == state.tobytes()
        assert record["seed"] == 5 and line["checksum"] == record["checksum"] and line["pair"] == ["ann", "ben"]
    assert [(line["deal"], line["room"]) for line in about] == [
        (deal, room) for deal in (2, 3) for room in range(num_rooms(rules))
    ]


@pytest.mark.parametrize("name", ["mini_4p_12", "chiamata", "mini_due"])
def test_observations_of_a_record_are_bit_equal_to_what_the_games_showed(name):
    rules = preset(name)
    records, _, _ = played((make("random"), make("simple")), rules, 0, 1, seed=9)
    games = Batch(rules, len(records), seeds=np.full(len(records), 9))
    games.start(ks=0, dealers=0)
    shown = [observations(record) for record in records]
    while (games.status == 0).any():
        actions = np.zeros(len(records), np.int64)
        masks = games.masks()
        for row in np.flatnonzero(games.status == 0):
            seat, observation, mask, actions[row] = next(shown[row])
            wanted = np.empty((1, len(observation)), np.float32)
            encode_rows(games.states, games.table, np.array([row]), np.array([seat]), False, wanted)
            assert seat == games.states[row]["to_act"]
            assert observation.tobytes() == wanted[0].tobytes() and (mask == masks[row]).all()
        games.step(actions)
    assert all(next(rest, None) is None for rest in shown)


class Passes:
    """Never bids; deals are cut after too many redeals."""

    name = "passes"

    def actions(self, views, table, keys):
        assert (views["phase"] == BID).all()
        masks = np.zeros((len(views), int(table[0]["num_actions"])), np.int8)
        masks_all(views, table, masks)
        return masks.argmax(1).astype(np.int64)


def test_redeals_and_a_deal_cut_after_too_many_are_in_the_record():
    rules = preset("calabresella")
    records, _, _ = played((Passes(), Passes()), rules, 1, 2, seed=6)
    for record in records:
        assert record["status"] == "truncated" and len(record["deals"]) == rules.num_seats and record["results"] == []
        assert [deal["k"] for deal in record["deals"]] == [3, 4, 5] and not any(d["given"] for d in record["deals"])
        replay(record)


def test_monte_is_in_the_record():
    """Hands below a point are rare: some of 300 deals have one, and the deal after it begins a new one."""
    records, _, _ = played((make("heuristic"), make("heuristic")), preset("bolognese"), 0, 300, seed=1)
    assert any(len(record["deals"]) > 1 for record in records)


@pytest.mark.parametrize("name", ["tressette", "calabresella", "a_tre"])
def test_who_sat_where(name):
    """The players told are those who decided: heuristic never plays random's cards."""
    rules = make_rules(name)
    _, about, _ = played((make("random"), make("heuristic")), rules, 0, 1, seed=3)
    if name == "tressette":
        assert [line["players"] for line in about] == [["ann", "ben"] * 2, ["ben", "ann"] * 2]
        return
    alone = [["ann" if seat == place else "ben" for seat in range(3)] for place in range(3)]
    swapped = [["ben" if seat == place else "ann" for seat in range(3)] for place in range(3)]
    assert [line["players"] for line in about] == alone + swapped


def test_the_recorded_choices_are_those_of_the_player_named():
    """Asked again with the seat's view, the player said to sit there chooses the recorded card."""
    rules = preset("traversone_3p")
    players = dict(zip(NAMES, (make("simple"), make("heuristic")), strict=True))
    records, about, _ = played(tuple(players.values()), rules, 0, 1, seed=3)
    for record, line in zip(records, about, strict=True):
        for game, (seat, text) in zip(replay_steps(record), record["actions"], strict=False):
            chosen = players[line["players"][seat]].act(game.view(seat), game.table, 0)
            assert chosen == parse_action(text, rules)


# ---------------------------------------------------------------- files
def test_evaluate_records_every_game_of_every_pair(tmp_path, capsys):
    games, out = tmp_path / "games.jsonl", tmp_path / "out.json"
    entries = ["random", "simple", "heuristic"]
    assert main([*entries, "--deals", "5", "--rules", "mini_4p", "--record", str(games), "--json", str(out)]) == 0
    assert main([*entries, "--deals", "5", "--rules", "mini_4p", "--json", str(tmp_path / "plain.json")]) == 0
    rows = [json.loads(line) for line in (tmp_path / "games.players.jsonl").read_text().splitlines()]
    records = list(read_records(games))
    assert [row["checksum"] for row in rows] == [record["checksum"] for record in records]
    pairs = [list(pair) for pair in combinations(entries, 2)]
    assert [row["pair"] for row in rows] == [pair for pair in pairs for _ in range(10)]
    recorded, plain = (json.loads((tmp_path / name).read_text()) for name in ("out.json", "plain.json"))
    assert recorded["pairs"] == plain["pairs"]
    for pair in recorded["pairs"]:
        won = []
        for row, record in zip(rows, records, strict=True):
            if row["pair"] == [pair["a"], pair["b"]]:
                side = row["players"].index(pair["a"])
                won.append(record["results"][0]["points"][side] - record["results"][0]["points"][1 - side])
        assert np.mean(won) == pytest.approx(pair["mean"])


def test_a_file_of_records_is_never_written_over(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    args = ["random", "simple", "--deals", "2", "--rules", "mini_4p"]
    for there in ("games.jsonl", "games.players.jsonl"):
        (tmp_path / there).write_text("mine")
        assert main([*args, "--record", "games.jsonl"]) == 2
        assert f"--record never writes over '{there}': name a new file" in capsys.readouterr().err
        assert (tmp_path / there).read_text() == "mine"
        (tmp_path / there).unlink()
    for there in ("games.jsonl", "games.players.jsonl"):
        assert main([*args, "--record", "games.jsonl", "--json", there]) == 2
        assert f"--record and --json both write '{there}'" in capsys.readouterr().err
    assert main([*args, "--record", "nowhere/games.jsonl"]) == 2
    assert "--record 'nowhere/games.jsonl' cannot be written: there is no folder" in capsys.readouterr().err
    assert main(["random", "--rules", "mini_2p", "--exploit", "--record", "games.jsonl"]) == 2
    assert "one player alone plays none" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_file_made_by_somebody_else_meanwhile_survives(tmp_path):
    path = tmp_path / "games.jsonl"
    players_path(path).write_text("theirs")
    with pytest.raises(TressetteError, match="--record cannot write .*games.players.jsonl"), RecordFiles(path):
        raise AssertionError
    assert [file.name for file in tmp_path.iterdir()] == ["games.players.jsonl"]


def test_ctrl_c_while_writing_leaves_whole_lines_of_the_same_games(tmp_path, monkeypatch):
    path = tmp_path / "games.jsonl"
    real = game_log._write_all

    def stop(file, data):
        if data == b"third\n":
            file.write(b"th")
            raise KeyboardInterrupt
        real(file, data)

    monkeypatch.setattr(game_log, "_write_all", stop)
    for third in (Lines(b"third\n", b"3\n"), Lines(b"three\n", b"third\n")):
        with pytest.raises(KeyboardInterrupt), RecordFiles(path) as files:
            files.write(Lines(b"first\nsecond\n", b"1\n2\n"))
            files.write(third)
        assert path.read_bytes() == b"first\nsecond\n" and players_path(path).read_bytes() == b"1\n2\n"
        path.unlink()
        players_path(path).unlink()


def test_ctrl_c_keeps_the_records_of_whole_blocks(tmp_path, monkeypatch, capsys):
    def interrupted(*args, on_progress, **keywords):
        def stop(pair):
            if pair.n >= 20:
                raise KeyboardInterrupt

        return evaluate(*args, block=10, on_progress=stop, **keywords)

    monkeypatch.setattr(evaluate_cli, "evaluate", interrupted)
    path = tmp_path / "games.jsonl"
    assert main(["random", "heuristic", "--rules", "mini_4p", "--deals", "40", "--record", str(path)]) == 130
    assert len(list(read_records(path))) == len(players_path(path).read_text().splitlines()) == 40


def test_a_player_that_fails_before_the_first_block_leaves_no_files(tmp_path, monkeypatch, capsys):
    def fail(*args, **keywords):
        raise TressetteError("no more")

    monkeypatch.setattr("agents.playing.play_block", fail)
    path = tmp_path / "games.jsonl"
    assert main(["random", "simple", "--deals", "4", "--rules", "mini_4p", "--record", str(path)]) == 1
    assert capsys.readouterr().err == "evaluate.py: no more\n" and list(tmp_path.iterdir()) == []


def test_a_full_disk_is_one_sentence_and_leaves_whole_lines(tmp_path, monkeypatch, capsys):
    real, calls = game_log._write_all, []

    def full(file, data):
        calls.append(1)
        if len(calls) == 3:
            raise OSError(28, "No space left on device")
        real(file, data)

    monkeypatch.setattr(game_log, "_write_all", full)
    path = tmp_path / "games.jsonl"
    assert main(["random", "simple", "--deals", "40", "--rules", "mini_4p", "--record", str(path)]) == 1
    assert f"--record cannot write {str(path)!r}: No space left on device" in capsys.readouterr().err
    assert len(list(read_records(path))) == len(players_path(path).read_text().splitlines()) == 8
