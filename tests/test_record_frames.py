"""Records as frames: a tiny game by hand, every preset, statistics, files."""

import json

import numpy as np
import pandas as pd
import pytest
from recorded import bot_records, random_game

from agents.record_frames import DEAL_COLUMNS, PLAY_COLUMNS, deal_frames, deals_frame, main, play_frames, plays_frame
from tressette_env.engine.game import Game
from tressette_env.notation import COMBINATION_TEXTS, parse_action
from tressette_env.presets import PRESETS, preset
from tressette_env.records import write_records


@pytest.fixture
def tiny():
    """3dKd | AcAd | 3c4d | Kc4c: seat 2 takes Ac 3c 4c Kd, seat 0 takes 4d Kc 3d Ad and with it the last trick."""
    game = Game("mini_4p")
    game.reset(5, {"deal": "3dKd | AcAd | 3c4d | Kc4c", "dealer": 0})
    for text in ("Ac volo", "3c", "4c", "Kd", "4d", "Kc", "3d", "Ad"):
        game.step(parse_action(text, game.rules))
    return game.record()


# ---------------------------------------------------------------- by hand
def test_the_deals_of_a_tiny_record(tiny):
    frame = deals_frame([tiny])
    wanted = {
        "episode": [0, 0], "deal": [0, 0], "rules": ["mini_4p", "mini_4p"], "seed": [5, 5], "k": [0, 0],
        "dealer": [0, 0], "redeals": [0, 0], "competitor": [0, 1], "side": [0, 1], "points": [4.0, 0.0],
        "captured_sixths": [20, 0], "declared": [0.0, 0.0], "last_trick": [True, False], "cappotto": [False, True],
        "net": [4.0, -4.0], "total": [4.0, 0.0], "decisions": [8, 8], "cards": [8, 8],
    }  # fmt: skip
    assert {name: frame[name].tolist() for name in wanted} == wanted
    assert frame["captured"].tolist() == pytest.approx([10 / 3, 0])
    assert frame[["player", "bid", "declarer"]].isna().all(axis=None)


def test_the_plays_of_a_tiny_record(tiny):
    frame = plays_frame([tiny])
    wanted = {
        "ply": list(range(8)), "trick": [1, 1, 1, 1, 2, 2, 2, 2], "seat": [1, 2, 3, 0, 2, 3, 0, 1],
        "side": [1, 0, 1, 0, 0, 1, 0, 1], "phase": ["play"] * 8, "kind": ["play"] * 8,
        "card": ["Ac", "3c", "4c", "Kd", "4d", "Kc", "3d", "Ad"], "suit": list("cccddcdd"), "rank": list("A34K4K3A"),
        "led": [True, False, False, False, True, False, False, False], "action": [87, 9, 0, 16, 10, 6, 19, 17],
        "won": [False, True, False, False, False, False, True, False], "legal": [4, 1, 2, 2, 1, 1, 1, 1],
    }  # fmt: skip
    assert {name: frame[name].tolist() for name in wanted} == wanted
    assert frame["signal"].tolist()[0] == "volo" and frame["signal"].isna().sum() == 7
    left = 4 - 10 / 6  # of side 0 after the first trick
    np.testing.assert_allclose(frame["return"], [-4, 4, -4, 4, left, -left, left, -left])
    assert frame["rank"].max() == "3" and frame["rank"].min() == "4"  # by strength


def test_players_of_a_side_are_joined(tiny, tmp_path):
    path = tmp_path / "games.jsonl"
    write_records(path, [tiny, tiny])
    (tmp_path / "games.players.jsonl").write_text(
        "".join(f'{{"players": ["a", "b", "{last}", "b"]}}\n' for last in "ac")
    )
    assert deals_frame(path)["player"].tolist() == ["a", "b", "a + c", "b"]
    assert plays_frame(path)["player"].tolist() == [*"babaabab", *"bcbacbab"]


# ---------------------------------------------------------------- all rules
@pytest.mark.parametrize("name", PRESETS)
def test_every_presets_records_make_frames(name):
    rules = preset(name)
    games = [random_game(name, seed, episode="match") for seed in range(2)]
    records = [game.record() for game in games]
    deals, plays = deals_frame(records), plays_frame(records)
    assert {column: str(kind) for column, kind in deals.dtypes.items()} == {c: k for c, (k, _) in DEAL_COLUMNS.items()}
    assert {column: str(kind) for column, kind in plays.dtypes.items()} == {c: k for c, (k, _) in PLAY_COLUMNS.items()}
    results = [result for game in games for result in game.results]
    assert len(deals) == len(results) * rules.num_competitors
    for place, result in enumerate(results):
        rows = deals.iloc[place * rules.num_competitors : (place + 1) * rules.num_competitors]
        side = rows["side"].to_numpy()
        for column, key in (("points", "points"), ("captured_sixths", "captured_sixths"), ("cappotto", "cappotto")):
            assert rows[column].tolist() == pytest.approx(np.array(result[key])[side].tolist())
        assert rows["declared"].tolist() == pytest.approx(np.array(result["declaration_points"])[side].tolist())
        assert rows["total"].tolist() == pytest.approx(result["totals"])
        assert rows["net"].sum() == pytest.approx(0, abs=1e-9)
    assert deals.groupby("episode")["net"].size().tolist() == [len(g.results) * rules.num_competitors for g in games]
    assert plays["seat"].tolist() == [seat for game in games for seat, _ in game.actions]
    assert plays["action"].tolist() == [action for game in games for _, action in game.actions]
    tricks = plays[plays["won"].notna()].groupby(["episode", "deal", "trick"])["won"].sum()
    assert (tricks == 1).all()  # each trick has one winner


def test_signals_bids_and_declarations_are_told_apart():
    tressette = plays_frame(bot_records("tressette", 20))
    assert set(tressette["signal"].dropna()) <= {"busso", "volo", "striscio"}
    assert set(tressette.loc[tressette["kind"] == "declare", "combination"]) <= set(COMBINATION_TEXTS)
    assert tressette.loc[tressette["kind"] == "done", ["card", "combination"]].isna().all(axis=None)
    auction = plays_frame(bot_records("calabresella", 6))
    assert set(auction.loc[auction["phase"] == "bid", "bid"]) <= {"pass", "chiamo", "solo", "solissimo"}
    deals = deals_frame(bot_records("calabresella", 6))
    assert (deals.groupby(["episode", "deal"])["declarer"].sum() == 1).all()
    assert (deals["declarer"] == (deals["side"] == 0)).all() and deals["bid"].notna().all()


def test_a_record_that_stops_has_plays_but_no_deal():
    records = [random_game("mini_4p", 1, plies=5).record()]
    assert len(deals_frame(records)) == 0 and list(deals_frame(records).columns) == list(DEAL_COLUMNS)
    plays = plays_frame(records)
    assert plays["won"].notna().tolist() == [True] * 4 + [False]
    assert plays["return"].isna().all()


def test_no_record_makes_an_empty_frame():
    assert list(deals_frame([]).columns) == list(DEAL_COLUMNS) and len(deals_frame([])) == 0
    assert {c: str(k) for c, k in plays_frame([]).dtypes.items()} == {c: k for c, (k, _) in PLAY_COLUMNS.items()}


def test_pieces_add_up_to_the_whole():
    records = bot_records("mini_4p", 9) + bot_records("mini_2p", 3)
    for pieces, whole in ((deal_frames, deals_frame), (play_frames, plays_frame)):
        parts = list(pieces(records, decisions=20))
        assert len(parts) == 4
        together = pd.concat([part.astype(object) for part in parts], ignore_index=True)
        pd.testing.assert_frame_equal(together, whole(records).astype(object))
    assert set(deals_frame(records)["rules"].cat.categories) == {"mini_4p", "mini_2p"}


# ---------------------------------------------------------------- the command
def written(tmp_path, records):
    path = tmp_path / "games.jsonl"
    write_records(path, records)
    return str(path)


def test_statistics_of_a_tiny_record(tiny, tmp_path, capsys):
    assert main([written(tmp_path, [tiny, tiny]), "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["rules"]
    counts = ("rules", "episodes", "deals", "leads", "cards")
    assert [found[name] for name in counts] == ["mini_4p", 2, 2, 4, 16]
    assert found["places"] == [
        {"place": f"side {side}", "points": {"mean": points, "ci95": [points, points], "n": 2},
         "net": {"mean": net, "ci95": [net, net], "n": 2}}
        for side, points, net in ((0, 4.0, 4.0), (1, 0.0, -4.0))
    ]  # fmt: skip
    assert found["signals"]["volo"] == {"count": 2, "per_100_leads": 50.0, "per_100_cards": 12.5}
    assert found["signals"]["busso"]["count"] == 0
    assert (found["decisions_per_deal"], found["declarations"], found["players"]) == (8, {}, [])


def test_statistics_are_those_of_the_frames(tmp_path, capsys):
    records = bot_records("tressette", 30)
    assert main([written(tmp_path, records), "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["rules"]
    deals, plays = deals_frame(records), plays_frame(records)
    own = deals[deals["side"] == 0]["net"]
    low, high = found["places"][0]["net"]["ci95"]
    assert found["places"][0]["net"]["mean"] == pytest.approx(own.mean())
    assert (high - low) / 2 == pytest.approx(2.0452 * own.std() / 30**0.5, rel=1e-4)  # Student's t of 29 degrees
    assert found["declared_points_per_deal"] == pytest.approx(deals["declared"].sum() / 30)
    assert sum(found["declarations"].values()) == (plays["kind"] == "declare").sum() > 0
    assert found["leads"] == 300


def test_tables_for_people(tiny, tmp_path, capsys):
    path = written(tmp_path, [tiny, *bot_records("bolognese", 3), random_game("mini_4p", 1, plies=3).record()])
    (tmp_path / "games.players.jsonl").write_text(5 * '{"players": ["ann", "bob", "ann", "bob"]}\n')
    assert main([path]) == 0
    said = capsys.readouterr().out
    counted = ("ann", "side 1", "volo", "cards per deal", "deals unfinished")
    for text in ("mini_4p: 2 games, 1 deals", "bolognese: 3 games", *counted):
        assert text in said


def test_rows_are_written_whole(tmp_path, capsys):
    records = bot_records("mini_4p", 4)
    path = written(tmp_path, records)
    assert main([path, "--csv", str(tmp_path / "d.csv"), "--parquet", str(tmp_path / "d.parquet")]) == 0
    assert f"wrote {tmp_path / 'd.csv'}, {tmp_path / 'd.parquet'}\n" in capsys.readouterr().err
    assert main([path, "--plays", "--csv", str(tmp_path / "p.csv"), "--parquet", str(tmp_path / "p.parquet")]) == 0
    for kind, frame in (("d", deals_frame(records)), ("p", plays_frame(records))):
        read = pd.read_parquet(tmp_path / f"{kind}.parquet")
        assert [str(dtype) for dtype in read.dtypes] == [str(dtype) for dtype in frame.dtypes]
        pd.testing.assert_frame_equal(read.astype(object), frame.astype(object))
        text = pd.read_csv(tmp_path / f"{kind}.csv")
        assert list(text.columns) == list(frame.columns) and len(text) == len(frame)
    names = {"games.jsonl", "d.csv", "d.parquet", "p.csv", "p.parquet"}
    assert {path.name for path in tmp_path.iterdir()} == names


def test_a_wrong_record_leaves_no_file(tmp_path, capsys):
    path = written(tmp_path, bot_records("mini_4p", 2))
    with open(path, "a") as file:
        file.write("{}\n")
    (tmp_path / "d.csv").write_text("before")
    assert main([path, "--csv", str(tmp_path / "d.csv"), "--parquet", str(tmp_path / "d.parquet")]) == 1
    error = capsys.readouterr().err
    assert "games.jsonl, line 3: the record has format" in error and error.count("\n") == 1
    assert (tmp_path / "d.csv").read_text() == "before" and not (tmp_path / "d.parquet").exists()


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["none.jsonl"], "there is no file of records 'none.jsonl'"),
        (["games.jsonl", "--plays"], "--plays says which rows are written: add --csv FILE or --parquet FILE"),
        (["games.jsonl", "--csv", "."], "--csv '.' is a folder: name a file"),
        (["games.jsonl", "--parquet", "no/d.parquet"], "is in 'no', which is no folder"),
        (["games.jsonl", "--jsn"], "unknown flag '--jsn' (did you mean '--json'?)"),
    ],
)
def test_what_is_wrong_gets_one_sentence(tmp_path, monkeypatch, capsys, flags, said):
    monkeypatch.chdir(tmp_path)
    written(tmp_path, bot_records("mini_2p", 1))
    assert main(flags) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1


def test_an_empty_file_says_so(tmp_path, capsys):
    assert main([written(tmp_path, [])]) == 1
    assert "holds no record: there is nothing to say" in capsys.readouterr().err
