"""Shards: shares of the deals played apart, and merged to exactly what one evaluation finds."""

import json
from copy import deepcopy

import pytest

from agents.evaluate_cli import main
from agents.shards import Shard, parse_shard

TOY = ["random", "heuristic", "simple", "--rules", "mini_4p", "--seed", "4"]


def untimed(data):
    """An evaluation's JSON without seconds."""
    data = deepcopy(data)
    for player in data["players"]:
        del player["decisions_per_second"]
    return data


def play(args, path):
    assert main([*args, "--json", str(path)]) == 0
    return json.loads(path.read_text())


def play_shards(args, number, folder):
    paths = [folder / f"part{i}.json" for i in range(1, number + 1)]
    for i, path in enumerate(paths, 1):
        play([*args, "--shard", f"{i}/{number}"], path)
    return paths


# ---------------------------------------------------------------- which deals
def test_shares_are_disjoint_and_complete_and_of_nearly_one_size():
    for total in (2, 7, 30, 1000):
        for number in (1, 2, 3, 7):
            if number > total:
                continue
            shares = [parse_shard(f"{i}/{number}", total).deals(total) for i in range(1, number + 1)]
            assert [deal for share in shares for deal in share] == list(range(total))
            assert max(map(len, shares)) - min(map(len, shares)) <= 1
    assert str(Shard(2, 3)) == "2/3"


@pytest.mark.parametrize(
    "text", ["", "1", "0/3", "4/3", "-1/3", "1/0", "1/3/3", "a/b", "1.0/3", " 1/3", "1/3\n", "١/٣"]
)
def test_what_is_no_shard(text, capsys, tmp_path):
    assert main([*TOY, "--deals", "6", "--shard", text, "--json", str(tmp_path / "x.json")]) == 2
    assert f"--shard {text!r} is not a share: write i/n with i from 1 to n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--shard", "1/3"], "--shard 1/3 needs --json FILE"),
        (["--shard", "1/9", "--json", "x.json"], "leaves shares of 6 deals empty: give at most 6 shares"),
        (["--shard", "1/3", "--json", "x.json", "--exploit"], "--exploit does not go with --shard"),
        (["--merge", "a.json", "--json", "x.json"], "'random' does not go with --merge"),
    ],
)
def test_flags_that_do_not_go_together(args, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main([*TOY, "--deals", "6", *args]) == 2
    streams = capsys.readouterr()
    assert said in streams.err and len(streams.err.strip().splitlines()) == 1 and streams.out == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("flag", [["--deals", "5"], ["--record", "x.jsonl"], ["--workers", "2"], ["--shard", "1/2"]])
def test_flags_that_say_nothing_to_a_merge(flag, capsys):
    assert main(["--merge", "a.json", "b.json", *flag]) == 2
    assert f"{flag[0]!r} does not go with --merge, which plays nothing" in capsys.readouterr().err


# ---------------------------------------------------------------- exactly the same
@pytest.mark.parametrize(
    "args",
    [
        [*TOY, "--deals", "20", "--regret", "--regret-deals", "9"],
        ["heuristic", "random", "--rules", "calabresella", "--deals", "7"],
        ["random", "heuristic", "simple", "--rules", "traversone_3p", "--deals", "6"],
        ["random", "simple", "--rules", "{preset: mini_due, remainder: exact}", "--deals", "9", "--regret"],
    ],
    ids=["two sides", "auction", "each alone", "thirds"],
)
def test_merged_shards_equal_one_evaluation(args, tmp_path, capsys):
    whole = play(args, tmp_path / "whole.json")
    parts = play_shards(args, 3, tmp_path)
    capsys.readouterr()
    merged = tmp_path / "merged.json"
    assert main(["--merge", *map(str, reversed(parts)), "--json", str(merged)]) == 0
    streams = capsys.readouterr()
    assert streams.err == "" and "points per deal" in streams.out
    assert untimed(json.loads(merged.read_text())) == untimed(whole)
    assert "shard" not in whole and whole["interrupted"] is False


def test_a_part_is_an_evaluation_of_its_share(tmp_path, capsys):
    part = play([*TOY, "--deals", "10", "--shard", "2/3", "--regret", "--regret-deals", "5"], tmp_path / "part.json")
    assert part["deals"] == 10 and {pair["n"] for pair in part["pairs"]} == {3}
    assert {tuple(pair["deals"]) for pair in part["pairs"]} == {(3, 6)}
    assert part["regret"]["deals_a_pair"] == 2
    assert "deals 3 to 5 of 10" in " ".join(capsys.readouterr().out.split())
    assert part["shard"]["index"] == 2 and part["shard"]["of"] == 3 and part["shard"]["commit"]


def test_records_of_the_shards_are_those_of_one_evaluation(tmp_path):
    args = [*TOY, "--deals", "7"]
    play([*args, "--record", str(tmp_path / "whole.jsonl")], tmp_path / "whole.json")
    for i in (1, 2):
        play([*args, "--shard", f"{i}/2", "--record", str(tmp_path / f"{i}.jsonl")], tmp_path / f"{i}.json")
    for kind in ("jsonl", "players.jsonl"):
        lines = [(tmp_path / f"{name}.{kind}").read_text().splitlines() for name in ("whole", "1", "2")]
        assert sorted(lines[0]) == sorted(lines[1] + lines[2])


# ---------------------------------------------------------------- what does not fit
@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("parts")
    return play_shards([*TOY, "--deals", "6"], 3, folder)


def refused(paths, capsys):
    """The one sentence about parts that cannot be merged."""
    capsys.readouterr()
    assert main(["--merge", *map(str, paths)]) == 2
    streams = capsys.readouterr()
    assert streams.out == "" and len(streams.err.strip().splitlines()) == 1
    return streams.err


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (["--seed", "5"], "differ in --seed (4 and 5): merge parts of one evaluation"),
        (["--deals", "8"], "differ in --deals (6 and 8)"),
        (["--rules", "mini_4p_12"], "differ in rules ('name: mini_4p' and 'name: mini_4p_12')"),
        (["--rules", "{preset: mini_4p, target: 31}"], "differ in rules ('name: mini_4p' and 'name: mini_4p*')"),
        (["--mixed"], "differ in --mixed (False and True)"),
        (["--regret", "--regret-deals", "3"], "differ in --regret and --regret-deals (None and 3)"),
        (["--regret"], "differ in --regret and --regret-deals (None and 6)"),
    ],
)
def test_parts_of_different_evaluations(change, said, parts, tmp_path, capsys):
    other = tmp_path / "other.json"
    play([*TOY, "--deals", "6", *change, "--shard", "2/3"], other)
    assert said in refused([parts[0], other, parts[2]], capsys)


def test_parts_of_different_players_or_numbers_of_shards(parts, tmp_path, capsys):
    other = tmp_path / "other.json"
    play([*TOY[1:], "--deals", "6", "--shard", "2/3"], other)
    assert "differ in players (('random', 'heuristic', 'simple') and ('heuristic', 'simple'))" in refused(
        [parts[0], other, parts[2]], capsys
    )
    play([*TOY, "--deals", "6", "--shard", "2/2"], other)
    assert "are the shards 1/3 and 2/2: merge shares of the same number" in refused([parts[0], other], capsys)


def test_missing_and_repeated_shards(parts, capsys):
    assert "lacks the shard 2/3: give all parts" in refused([parts[0], parts[2]], capsys)
    assert "lacks the shard 1/3, 3/3" in refused([parts[1]], capsys)
    assert "are both the shard 1/3: give one" in refused([parts[0], parts[1], parts[0], parts[2]], capsys)


def changed(path, folder, change):
    """A copy of a part with something changed."""
    data = json.loads(path.read_text())
    change(data)
    copy = folder / "changed.json"
    copy.write_text(json.dumps(data))
    return copy


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: d["shard"].pop("commit"), "is damaged ('commit'): play the shard again"),
        (lambda d: d["shard"]["pairs"].pop(), "is damaged (2 pairs of 3 players)"),
        (lambda d: d["shard"]["pairs"][0]["room_margins"].pop(), "is damaged (margins of shapes (1, 2) and (2,))"),
        (lambda d: d["shard"]["pairs"][0]["trick_margins"].__setitem__(0, float("nan")), "that are not finite"),
        (lambda d: d["shard"]["pairs"][0]["usage"][0].pop("plays"), "is damaged ('plays')"),
        (lambda d: d["shard"].update(index=4), "is damaged (--shard '4/3' is not a share"),
        (lambda d: d["rules_values"].update(target="many"), "is damaged"),
        (lambda d: d["shard"].update(format="tressette-shard-0"), "is no part of an evaluation"),
        (lambda d: d.pop("shard"), "is no part of an evaluation: name files that --shard wrote with --json"),
        (lambda d: d.update(interrupted=True), "was stopped early: play the shard 2/3 again to its end"),
        (
            lambda d: d["players"][0].update(checkpoint_hash="abc"),
            "differ in checkpoints ((None, None, None) and ('abc'",
        ),
    ],
)
def test_parts_that_were_changed(change, said, parts, tmp_path, capsys):
    assert said in refused([parts[0], changed(parts[1], tmp_path, change), parts[2]], capsys)


def test_files_that_are_no_parts(parts, tmp_path, capsys):
    for content in ("", "{", "[1]", "null", "{}", '{"shard": 3}', "[" * 100_000):
        path = tmp_path / "x.json"
        path.write_text(content)
        assert repr(str(path)) in refused([parts[0], path], capsys)
    assert "cannot read the part" in refused([tmp_path / "nothing.json"], capsys)
    assert "cannot read the part" in refused([tmp_path], capsys)
    (tmp_path / "x.json").write_bytes(b"\xff\xfe")
    assert "is not JSON" in refused([tmp_path / "x.json"], capsys)


def test_other_code_is_a_warning(parts, tmp_path, capsys):
    other = changed(parts[1], tmp_path, lambda data: data["shard"].update(commit="0123456789ab"))
    assert main(["--merge", str(parts[0]), str(other), str(parts[2])]) == 0
    streams = capsys.readouterr()
    assert streams.err.startswith("evaluate.py: warning: the parts were played by different code (")
    assert "0123456789ab in" in streams.err and "points per deal" in streams.out


def test_a_share_stopped_early_cannot_be_merged(parts, tmp_path, capsys, monkeypatch):
    from agents import evaluate_cli
    from agents.tournament import evaluate

    def interrupted(*args, on_progress, **keywords):
        def stop(pair):
            raise KeyboardInterrupt

        return evaluate(*args, block=1, on_progress=stop, **keywords)

    monkeypatch.setattr(evaluate_cli, "evaluate", interrupted)
    path = tmp_path / "stopped.json"
    assert main([*TOY, "--deals", "6", "--shard", "2/3", "--regret", "--json", str(path)]) == 130
    assert "was stopped early: play the shard 2/3 again" in refused([parts[0], path, parts[2]], capsys)
