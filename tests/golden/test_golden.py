"""The golden files are what the engine plays today, the reference agrees, each shows what it was chosen for."""

import copy
import re

import pytest
from engine_support import reference_rules
from golden.deals import DEALS
from golden.perft import POSITIONS, perft_text, start
from golden.replay import Replay
from golden.rewrite import FOLDER
from golden.sheet import played
from reference import ReferenceGame

from tressette_env.cards import CARD_TEXTS, from_bits
from tressette_env.presets import PRESETS, make_rules

COUNTED = 1500  # perft counts up to this are also made by the reference


def golden(name):
    return (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def test_there_is_a_golden_deal_for_each_preset_and_no_stray_file():
    assert {path.stem for path in FOLDER.glob("*.txt")} == {*DEALS, "perft"}, "run make golden and read the diff"
    assert all(DEALS[name].rules == name for name in PRESETS)


@pytest.mark.parametrize("name", DEALS)
def test_golden_deals_are_current(name):
    assert golden(name) == played(DEALS[name]), f"{name}: run make golden and read the diff"


@pytest.mark.parametrize("name", DEALS)
def test_golden_deals_show_what_they_were_chosen_for(name):
    for pattern in DEALS[name].shows:
        assert re.search(pattern, golden(name)), pattern


def replayed(name):
    rules = make_rules(DEALS[name].rules)
    replay = Replay(reference_rules(rules), golden(name))
    assert replay.lines[0] == f"rules {rules.name}"
    replay.run()
    return replay


@pytest.mark.parametrize("name", DEALS)
def test_the_reference_confirms_every_line(name):
    replay = replayed(name)
    assert (replay.game.result is None) == ("no result, episode cut" in golden(name))


def test_a_wrong_line_is_noticed():
    """The replay would be worth nothing if it passed over what a sheet says."""
    text = golden("calabresella")
    rules = reference_rules(make_rules("calabresella"))
    for number, line in enumerate(text.splitlines()):
        if line.startswith(("rules", "no result")):
            continue
        wrong = text.splitlines()
        wrong[number] = re.sub(r"\d(?=\D*$)", lambda digit: str((int(digit[0]) + 1) % 3), line)
        if wrong[number] == line:
            continue
        with pytest.raises((AssertionError, ValueError, KeyError, IndexError)):
            Replay(rules, "\n".join(wrong) + "\n").run()


def test_suit_need_not_be_followed_while_the_stock_lasts():
    assert replayed("due").free_discards > 0 and replayed("traversone_2p").free_discards > 0
    assert replayed("due_pagat").free_discards == 0


def test_the_published_deal():
    """Worked example 15: winners 3 0 1 2 1 3 2 2 2 2, thirds by seat 4 4 20 7 with the last trick, 8 - 3."""
    tricks = [line for line in golden("published").splitlines() if line.startswith("trick")]
    assert [int(line.split("-> seat ")[1][0]) for line in tricks] == [3, 0, 1, 2, 1, 3, 2, 2, 2, 2]
    assert tricks[-1].endswith("thirds 4 4 17 7")  # and 3 thirds for the last trick
    assert "points 8 3" in golden("published").splitlines()


# ---------------------------------------------------------------- perft
def test_perft_counts_are_current():
    assert golden("perft") == perft_text(), "run make golden and read the diff"


def reference_game(rules, seed):
    state = start(rules, seed)[0]
    hands = [[CARD_TEXTS[card] for card in from_bits(state["hands"][seat])] for seat in range(rules.num_seats)]
    undealt = [CARD_TEXTS[card] for card in state["undealt"][: rules.stock + rules.monte]]
    stock, monte = undealt[: rules.stock], undealt[rules.stock :]
    return ReferenceGame(reference_rules(rules), hands, int(state["dealer"]), stock=stock, monte=monte)


def reference_perft(game, depth):
    texts = game.legal()
    if depth == 0 or not texts:
        return 1
    if depth == 1:
        return len(texts)
    total = 0
    for text in texts:
        child = copy.deepcopy(game)
        child.step(text)
        total += reference_perft(child, depth - 1)
    return total


@pytest.mark.parametrize("line", golden("perft").splitlines(), ids=lambda line: line.split(":")[0])
def test_the_reference_counts_the_same(line):
    name, seed, counts = re.fullmatch(r"(.*), seed (\d): (.*)", line).groups()
    game = reference_game(make_rules(POSITIONS[name][0]), int(seed))
    small = [int(count) for count in counts.split() if int(count) <= COUNTED]
    assert len(small) >= 3
    deepest = len(small)  # counts rise, so these are the first ones
    for depth in {1, 2, 3, deepest}:
        assert reference_perft(game, depth) == small[depth - 1]
