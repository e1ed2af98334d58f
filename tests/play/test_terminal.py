"""The terminal driven by scripted lines: whole deals, both languages, wrong lines, keys, and every way to stop."""

import io
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from agents.play.__main__ import main
from agents.play.saving import RecordFile
from agents.play.table import Table
from agents.play.terminal import Terminal
from agents.play.words import WORDS
from tressette_env.presets import preset
from tressette_env.records import read_records, replay

ROOT = Path(__file__).resolve().parents[2]


class Script:
    """A person: gives the lines in turn, then answers every question by ``habit``; keeps what it was asked."""

    def __init__(self, words, lines=(), habit=None):
        self.lines = list(lines)
        self.habit = {words("number"): "1", words("signal_prompt"): "", words("another"): "q", words("next"): ""}
        self.habit |= habit or {}
        self.asked = []

    def __call__(self, prompt):
        self.asked.append(prompt)
        if self.lines:
            line = self.lines.pop(0)
            if isinstance(line, BaseException):
                raise line
            return line
        return self.habit[prompt]


def sit(rules="tressette", lines=(), language="en", file=None, habit=None, **options):
    """Play by a script; return the table, what was shown, and the script."""
    words = WORDS[language]
    table = Table(preset(rules), **({"seed": 3, "against": ["heuristic"]} | options))
    shown = io.StringIO()
    script = Script(words, lines, habit)
    console = Console(file=shown, width=120, highlight=False, force_terminal=False)
    try:
        Terminal(table, words, file, script, console).run()
    except KeyboardInterrupt:
        shown.write("<stopped>")
    return table, shown.getvalue(), script


# ---------------------------------------------------------------- whole deals
@pytest.mark.parametrize("language", ["en", "it"])
@pytest.mark.parametrize(
    "rules",
    ["tressette", "treseta_croatian", "bolognese", "due_pagat", "calabresella", "chiamata", "traversone", "a_tre"],
)
def test_a_whole_deal_in_both_languages(rules, language, tmp_path):
    file = RecordFile(tmp_path / "games.jsonl")
    table, shown, script = sit(rules, language=language, file=file)
    assert table.over and script.asked[-1] == WORDS[language]("another")
    (record,) = read_records(file.path)
    assert replay(record).results == table.game.results
    assert WORDS[language]("ask_play") in shown and WORDS[language]("bye") in shown
    other = WORDS["it" if language == "en" else "en"]
    assert other("ask_play") not in shown and other("players") not in shown and other.cards[9] not in shown


def test_a_match_goes_from_deal_to_deal(tmp_path):
    file = RecordFile(tmp_path / "games.jsonl")
    table, shown, script = sit("mini_4p", file=file, episode="match", against=["random"])
    assert script.asked.count(WORDS["en"]("next")) == len(table.game.results) - 1 > 0
    assert "Winner of the match: " in shown
    assert [len(record["results"]) for record in read_records(file.path)] == [len(table.game.results)]


def test_one_deal_after_another_each_with_its_record(tmp_path):
    file = RecordFile(tmp_path / "games.jsonl")
    ends = iter(["", "", "q"])
    table = Table(preset("mini_4p"), against=["random"], seed=1)
    script = Script(WORDS["en"])
    read = lambda prompt: next(ends) if prompt == WORDS["en"]("another") else script(prompt)  # noqa: E731
    Terminal(table, WORDS["en"], file, read, Console(file=io.StringIO())).run()
    records = list(read_records(file.path))
    assert [record["deals"][0]["k"] for record in records] == [0, 1, 2]
    assert {record["status"] for record in records} == {"finished"}


# ---------------------------------------------------------------- lines
def test_wrong_lines_are_answered_and_change_nothing():
    table, shown, script = sit(lines=["xyz", "99", "0", "3c", "tre di coppe", "q"])
    assert table.turn == 0 and len(script.asked) == 6
    assert "'xyz' means nothing here: type a number from 1 to 4, an action such as 4b, or ? for help." in shown
    assert "'99' means nothing here" in shown and "'0' means nothing here" in shown
    assert "3c is not allowed now: choose from the list above." in shown


def test_cards_are_taken_by_number_notation_and_name():
    for line in ("4", "4b", " 4B ", "four of clubs"):  # the hand is Cb Jb 7b 4b, clubs were led
        table, shown, _ = sit(lines=[line, "q"])
        assert table.record()["actions"][3] == [0, "4b"], line
        assert "you: four of clubs" in shown
    table, _, _ = sit(lines=["quattro di bastoni", "q"], language="it")
    assert table.record()["actions"][3] == [0, "4b"]


def test_a_number_asks_for_the_signal_and_writing_does_not():
    deal = "Ac4c5cKc4d5d6d4s5s4b | 6c7cJcCc7dJdCd6s7sJs | 2c3c2d3d2s3s2b3b5b6b | AdAsAbKdKsKbCsCb7bJb"
    start = {"options": {"deal": deal, "dealer": 3}}

    def first(*lines):
        table, shown, script = sit("treseta", lines=[*lines, "q"], **start)
        return table.record()["actions"], shown, script

    actions, shown, script = first("4c busso")
    assert [0, "4c busso"] in actions and WORDS["en"]("signal_prompt") not in script.asked
    actions, _, script = first("4c")
    assert [0, "4c"] in actions and WORDS["en"]("signal_prompt") not in script.asked
    number = next(n for n in range(1, 11) if f"{n} four 4c" in shown)
    for answer, text in (("", "4c"), ("0", "4c"), ("1", "4c busso"), ("striscio", "4c striscio")):
        actions, shown, _ = first(str(number), answer)
        assert [0, text] in actions, answer
    assert "four of cups: with a signal?" in shown and "1 busso: partner, play your highest" in shown
    actions, shown, _ = first(str(number), "7", "busso")
    assert [0, "4c busso"] in actions and "'7' is no signal here: type a number from 0 to 2" in shown


def test_keys():
    table, shown, _ = sit(lines=["l", "d", "?", "h", "s", "1", "l", "q"])
    assert table.turn == 1
    for text in (
        "No trick has been taken yet.",
        "Nothing has been declared.",
        "You can type",
        "What heuristic makes of it",
    ):
        assert text in shown
    assert "jack of clubs" in shown.partition("What heuristic")[2].splitlines()[2] and "100%" in shown
    assert "Type s and a file" in shown
    trick = "seat 1: six of clubs, striscio\nseat 2: two of clubs\nseat 3: ace of clubs\nyou: knight of clubs\n"
    assert trick + "trick 1: seat 2" in shown


def test_declared_combinations_are_listed():
    deal = "4c5c6c7c4d5d6d7d4s5s | AcAdAs2c3cJcCcKc6s7s | 2d3dJdCdKd2s3sJsCsKs | Ab2b3bJbCbKb7b6b5b4b"
    _, shown, _ = sit(lines=["d", "q"], options={"deal": deal, "dealer": 0})
    assert "seat 1: declare: three aces, without clubs" in shown
    assert "seat 1: napoletana of cups; three aces, without clubs" in shown
    assert "seat 3: napoletana of clubs" in shown


def test_hints_show_values_where_there_are_no_probabilities():
    _, shown, _ = sit(lines=["h", "q"], hints="mc:worlds=3")
    table = shown.partition("What mc:worlds=3 makes of it")[2]
    assert "value in points" in table and "probability" not in table


# ---------------------------------------------------------------- only what the person may know
def test_hands_of_others_are_never_shown():
    """Two deals that differ in what the others hold, nobody having played: the same text to the letter."""
    own = "Ac4c5cKc4d5d6d4s5s4b"
    others = ["6c7cJcCc7dJdCd6s7sJs", "2c3c2d3d2s3s2b3b5b6b", "AdAsAbKdKsKbCsCb7bJb"]
    shown = []
    for hands in (others, others[::-1]):
        deal = " | ".join([own, *hands])
        shown.append(sit("gamelake", lines=["?", "h", "l", "d", "q"], options={"deal": deal, "dealer": 3})[1])
    assert shown[0] == shown[1] and "10 cards" in shown[0]


# ---------------------------------------------------------------- stopping
@pytest.mark.parametrize("stop", ["q", EOFError(), KeyboardInterrupt()])
def test_however_one_stops_the_game_so_far_is_saved(stop, tmp_path):
    file = RecordFile(tmp_path / "games.jsonl")
    _, shown, _ = sit(lines=["1", "1", stop], file=file)
    (record,) = read_records(file.path)
    assert record["status"] == "running" and sum(seat == 0 for seat, _ in record["actions"]) == 2
    assert f"The game is saved in {file.path}." in shown
    assert ("<stopped>" in shown) == isinstance(stop, KeyboardInterrupt)


def test_nothing_is_saved_where_the_person_did_nothing(tmp_path):
    file = RecordFile(tmp_path / "games.jsonl")
    sit(lines=[EOFError()], file=file)
    assert not file.path.exists()


def test_s_saves_where_it_is_told_and_goes_on(tmp_path):
    path = tmp_path / "own.jsonl"
    table, shown, _ = sit(lines=["1", f"s {path}", "1", "s", f"s {tmp_path}"])
    assert table.over
    (record,) = read_records(path)  # the same game, saved again at its end
    assert record["status"] == "finished"
    assert "Not saved: " in shown and "is a folder" in shown


# ---------------------------------------------------------------- the command
def run(*args, text=""):
    return subprocess.run(
        [sys.executable, "-m", "agents.play", *args], input=text, capture_output=True, text=True, cwd=ROOT, timeout=120
    )


def test_the_command_plays_from_a_pipe_and_ends_with_its_input(tmp_path):
    path = tmp_path / "games.jsonl"
    done = run("--rules", "mini_4p", "--seed", "1", "--against", "random", "--save", str(path), text="1\n1\n")
    assert done.returncode == 0 and done.stderr == "" and done.stdout.rstrip().endswith("Goodbye.")
    assert json.loads(path.read_text())["seed"] == 1


def test_ctrl_c_ends_the_command_with_130_and_the_game_saved(tmp_path):
    path = tmp_path / "games.jsonl"
    command = [sys.executable, "-u", "-m", "agents.play", "--seed", "3", "--save", str(path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
    ) as play:
        play.stdin.write("1\n")
        play.stdin.flush()
        shown = ""
        while "you: " not in shown:
            shown += play.stdout.readline()
        while "Which card" not in (line := play.stdout.readline()):
            assert line, "the command ended early"
        play.send_signal(signal.SIGINT)
        rest, errors = play.communicate(timeout=60)
    assert play.returncode == 130 and errors == ""
    assert "is saved in" in rest and rest.rstrip().endswith("Goodbye.")
    (record,) = read_records(path)
    assert record["status"] == "running"


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (["--agianst", "random"], "unknown flag '--agianst' (did you mean '--against'?)"),
        (["--names", "fr"], "--names"),
        (["--rules", "tresette"], "did you mean 'tressette'"),
        (["--rules", "{preset: [}"], "--rules '{preset: [}' is not a mapping"),
        (["--seat", "7"], "--seat 7 is no seat of 'tressette'"),
        (["--seed", "-1"], "seed = -1 is out of range"),
        (["--save", "/nowhere/games.jsonl"], "there is no folder '/nowhere'"),
        (["--port", "70000"], "--port 70000 is out of range"),
        (["--against", "runs/nowhere"], "no checkpoint at 'runs/nowhere'"),
        (["--hints", "mcc"], "unknown bot 'mcc'"),
    ],
)
def test_bad_usage_is_one_sentence_and_2(args, sentence, capsys):
    assert main(args) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and err.startswith("agents.play: ") and sentence in err
