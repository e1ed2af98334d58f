"""Parquet files of decisions: what the environment showed, to the bit; whole files only; what does not fit, refused."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from recorded import bot_records, random_game
from torch.utils.data import DataLoader

from agents.decisions.games import ABANDONED, PLAYED, record_games
from agents.decisions.parquet import KEY, DataError, Decisions, Writer, part_paths, read
from agents.decisions.rows import COLUMNS, Filter, FilterError
from agents.decisions.selfplay import play_games
from agents.decisions.stream import DecisionStream
from tressette_env.bots import make
from tressette_env.observation import describe
from tressette_env.presets import PRESETS, preset
from tressette_env.records import observations

ROOT = Path(__file__).resolve().parents[2]


def written(folder, games, kept=None, rows_per_file=10_000):
    folder.mkdir(exist_ok=True)
    with Writer(folder, games.rules, kept or Filter(), {"test": 1}, rows_per_file) as writer:
        writer.add(games)
    return folder


@pytest.fixture(scope="module")
def games():
    return play_games([make("heuristic"), make("random")], preset("mini_4p"), 3, 0, 300)


@pytest.fixture(scope="module")
def folder(games, tmp_path_factory):
    return written(tmp_path_factory.mktemp("data"), games, rows_per_file=1000)


# ---------------------------------------------------------------- what is written
@pytest.mark.parametrize("name", PRESETS)
def test_every_presets_decisions_are_the_environments_to_the_bit(name, tmp_path):
    records = [random_game(name, seed, episode="match" if seed else "deal").record() for seed in range(2)]
    for rest, record in enumerate(records):
        (games,) = record_games([record])
        found = read(written(tmp_path / str(rest), games))
        wanted = list(observations(record))
        assert found["observation"].dtype == np.float32 and found["action_mask"].dtype == np.int8
        assert found["observation"].tobytes() == b"".join(row[1].tobytes() for row in wanted)
        assert found["action_mask"].tobytes() == b"".join(row[2].tobytes() for row in wanted)
        assert found["action"].tolist() == [row[3] for row in wanted]
        assert found["seat"].tolist() == [row[0] for row in wanted]
        np.testing.assert_array_equal(found["return"], games.returns.astype(np.float32))
        assert not found["episode"].any() and found["player"].tolist() == [None] * len(wanted)
        assert found["deal"].tolist() == games.number[games.deal_of].tolist()
        assert found["ply"].tolist() == games.plies.tolist()


def test_parts_hold_whole_episodes_in_order(games, folder):
    assert [path.name for path in part_paths(folder)] == [
        "part-00000.parquet",
        "part-00001.parquet",
        "part-00002.parquet",
    ]
    parts = [read(path, ["episode", "player"]) for path in part_paths(folder)]
    assert [len(part["episode"]) for part in parts] == [1000, 1000, 400]
    assert np.concatenate([part["episode"] for part in parts]).tolist() == games.episode[games.deal_of].tolist()
    assert set(parts[0]["player"]) == {"heuristic", "random"}
    assert not set(parts[0]["episode"]) & set(parts[1]["episode"])
    assert sorted(os.listdir(folder)) == [path.name for path in part_paths(folder)]


def test_a_part_ends_with_the_episode_that_fills_it(games, tmp_path):
    written(tmp_path, games, rows_per_file=1001)
    assert [len(read(path, ["ply"])["ply"]) for path in part_paths(tmp_path)] == [1008, 1008, 384]


def test_any_reader_of_parquet_will_do(games, folder):
    table = pq.read_table(folder)
    assert table.column_names == list(COLUMNS)
    assert table.schema.field("observation").type == pa.list_(pa.float32(), 688)
    assert table.schema.field("action_mask").type == pa.list_(pa.int8(), 160)
    assert table.num_rows == len(games.actions)
    about = Decisions(folder).about
    assert about["rules"] == games.rules.to_dict() and about["source"] == {"test": 1}
    assert about["actions"][47] == "Ac busso" and len(about["actions"]) == 160
    assert [part["name"] for part in about["observation"]] == [part.name for part in describe("mini_4p")]
    assert "commit" not in str(about)


# ---------------------------------------------------------------- what is kept
def test_filters(games, tmp_path):
    everything = read(written(tmp_path / "all", games))
    for place, (choice, wanted) in enumerate(
        [
            ({"seats": (1, 2)}, np.isin(everything["seat"], (1, 2))),
            ({"sides": (0,)}, everything["seat"] % 2 == 0),
            ({"players": ("heuristic",)}, everything["player"] == "heuristic"),
            ({"winners_only": True}, games.payoffs[games.deal_of, games.seats] > 0),
            ({"choices_only": True}, everything["action_mask"].sum(1) > 1),
            ({"seats": (1,), "choices_only": True}, (everything["seat"] == 1) & (everything["action_mask"].sum(1) > 1)),
        ]
    ):
        found = read(written(tmp_path / str(place), games, Filter(**choice)))
        assert 0 < wanted.sum() < len(wanted)
        for name in ("observation", "action", "episode"):
            assert found[name].tobytes() == everything[name][wanted].tobytes()


def test_a_side_of_an_auction_is_the_one_it_came_to(tmp_path):
    games = play_games([make("random")], preset("chiamata"), 1, 0, 100)
    found = read(written(tmp_path / "d", games, Filter(sides=(0,))), ["episode", "seat", "side"])
    played = games.outcome == PLAYED
    declarers = dict(zip(games.episode[played], games.ends["declarer"][played], strict=True))
    partners = dict(zip(games.episode[played], games.ends["partner"][played], strict=True))
    assert set(found["side"]) == {0}
    assert all(
        seat in (declarers[episode], partners[episode])
        for episode, seat in zip(found["episode"], found["seat"], strict=True)
    )
    assert ABANDONED in games.outcome  # all passed
    assert -1 in read(written(tmp_path / "a", games), ["side"])["side"]


def test_deals_without_an_end_are_left_out(tmp_path):
    records = [random_game("mini_4p", 1, plies=5).record(), bot_records("mini_4p", 1)[0]]
    (games,) = record_games(records)
    assert len(games.actions) == 13
    assert read(written(tmp_path, games), ["episode"])["episode"].tolist() == [1] * 8


def test_a_seat_or_side_that_is_not_there():
    with pytest.raises(FilterError, match="seat 4 is not one of 'mini_4p': they are 0 to 3"):
        Filter(seats=(4,)).check(preset("mini_4p"))
    with pytest.raises(FilterError, match="side 2 is not one of 'mini_4p': they are 0 to 1"):
        Filter(sides=(0, 2)).check(preset("mini_4p"))


# ---------------------------------------------------------------- whole files only
def test_an_error_drops_the_part_under_way(games, tmp_path):
    with pytest.raises(ZeroDivisionError), Writer(tmp_path, games.rules, Filter(), {}, 1000) as writer:
        writer.add(games)
        1 / 0  # noqa: B018
    assert sorted(os.listdir(tmp_path)) == ["part-00000.parquet", "part-00001.parquet"]


@pytest.mark.slow
def test_a_kill_leaves_whole_files_and_the_rest_can_be_made(tmp_path):
    flags = ["--play", "heuristic", "--rules", "mini_4p", "--rows-per-file", "8000"]
    command = [sys.executable, "-m", "agents.export", *flags, "--out", str(tmp_path / "cut")]
    with subprocess.Popen([*command, "--deals", "1000000"], cwd=ROOT, stdout=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 60
        while len(part_paths(tmp_path / "cut")) < 3 and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
    there = len(Decisions(tmp_path / "cut"))
    assert there >= 24_000 and there % 8000 == 0
    deals = there // 8 + 1500
    subprocess.run([*command, "--deals", str(deals), "--resume"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    command[-1] = str(tmp_path / "whole")
    subprocess.run([*command, "--deals", str(deals)], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    one, other = read(tmp_path / "cut"), read(tmp_path / "whole")
    assert all(one[name].tobytes() == other[name].tobytes() for name in COLUMNS if name != "player")
    assert sorted(os.listdir(tmp_path / "cut")) == [path.name for path in part_paths(tmp_path / "cut")]


# ---------------------------------------------------------------- what is refused
def test_what_is_not_there_or_not_ours(folder, tmp_path):
    with pytest.raises(DataError, match="no decisions in '.*none': make some with python -m agents.export"):
        Decisions(tmp_path / "none")
    pq.write_table(pa.table({"action": [1]}), tmp_path / "part-00000.parquet")
    with pytest.raises(DataError, match="is no file of decisions"):
        Decisions(tmp_path)
    with pytest.raises(DataError, match=r"no column 'actoin' \(did you mean 'action'\?\): there are observation"):
        read(folder, ["actoin"])


def test_a_damaged_file(folder, tmp_path):
    data = part_paths(folder)[0].read_bytes()
    path = tmp_path / "part-00000.parquet"
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(DataError, match=r"part-00000.parquet' cannot be read \(.*\): export it anew"):
        Decisions(tmp_path)
    middle = len(data) // 4
    path.write_bytes(data[:middle] + bytes(200) + data[middle + 200 :])
    with pytest.raises(DataError, match="cannot be read"):
        read(tmp_path)


def test_parts_of_other_rules_or_columns(games, tmp_path):
    written(tmp_path, games)
    other = play_games([make("random")], preset("mini_2p"), 1, 0, 10)
    written(tmp_path / "two", other)
    (tmp_path / "two" / "part-00000.parquet").rename(tmp_path / "part-00001.parquet")
    with pytest.raises(DataError, match="part-00001.parquet' is of other rules than 'part-00000.parquet'"):
        Decisions(tmp_path)
    table = pq.read_table(tmp_path / "part-00000.parquet")
    pq.write_table(table.drop_columns("ply"), tmp_path / "part-00001.parquet")
    assert KEY in pq.read_metadata(tmp_path / "part-00001.parquet").metadata
    with pytest.raises(DataError, match="part-00001.parquet' has other columns than observation"):
        Decisions(tmp_path)


# ---------------------------------------------------------------- for torch
@pytest.mark.parametrize("workers", [0, 2])
def test_a_stream_gives_every_row_once(games, folder, workers):
    stream = DecisionStream(folder, 128, seed=5, columns=("observation", "action", "episode", "ply"))
    found = list(DataLoader(stream, batch_size=None, num_workers=workers))
    assert found[0]["observation"].shape == (128, 688) and found[0]["observation"].dtype == torch.float32
    order = torch.cat([batch["episode"] * 100 + batch["ply"] for batch in found]).numpy()
    assert sorted(order) == (games.episode[games.deal_of] * 100 + games.plies).tolist()
    assert not (np.diff(order) == 1).mean() > 0.1


def test_a_stream_is_shuffled_anew_in_each_pass_and_the_same_for_a_seed(folder):
    streams = [DecisionStream(folder, 500, seed=seed, columns=("action",)) for seed in (5, 5, 6)]
    passes = [[torch.cat([batch["action"] for batch in stream]).tolist() for _ in range(2)] for stream in streams]
    assert passes[0] == passes[1] and passes[0][0] != passes[0][1] and passes[0] != passes[2]
    later = DecisionStream(folder, 500, seed=5, columns=("action",))
    later.epoch = 1
    assert torch.cat([batch["action"] for batch in later]).tolist() == passes[0][1]
    plain = torch.cat([batch["action"] for batch in DecisionStream(folder, 500, columns=("action",))]).tolist()
    assert plain == read(folder, ["action"])["action"].tolist()


def test_a_stream_of_what_no_tensor_holds(folder):
    with pytest.raises(DataError, match="'player' is text"):
        DecisionStream(folder, 8, columns=("player",))
    with pytest.raises(DataError, match="batch_size = 0 must be at least 1"):
        DecisionStream(folder, 0)
    with pytest.raises(DataError, match="no column 'mask'"):
        DecisionStream(folder, 8, columns=("mask",))
