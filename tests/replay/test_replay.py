"""A record shown again: the command, what each viewer may read, and the page in a real browser."""

import json
import re
from fractions import Fraction

import pytest
from family import NAMES, rules_of
from play.browser_support import fits, open_page

from agents.explain import explainer_of
from agents.replay.__main__ import main
from agents.replay.page import page_of
from agents.replay.steps import story_of
from agents.search.regret import judge
from tressette_env.bots import make
from tressette_env.engine.game import Game
from tressette_env.engine.randomness import key_of
from tressette_env.presets import make_rules
from tressette_env.records import write_records


def played(rules, seed=0, episode="deal", bot="heuristic", plies=10**6):
    """A game that bots played, at most some plies of it."""
    game, policy = Game(rules, seed=seed, episode=episode), make(bot)
    while game.to_act >= 0 and len(game.actions) < plies:
        key = key_of(seed, len(game.actions), 9)
        game.step(policy.act(game.view(game.to_act), game.table, key))
    return game


@pytest.fixture
def games(tmp_path):
    path = tmp_path / "games.jsonl"
    write_records(path, [played("tressette", seed).record() for seed in (3, 4)])
    return path


def data_of(page):
    return json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.DOTALL)[1])


# ---------------------------------------------------------------- the story
@pytest.mark.parametrize("name", NAMES)
def test_every_preset_becomes_a_page(name):
    record = played(rules_of(name), 2, bot="random").record()
    data = data_of(page_of(story_of(record)))
    assert len(data["views"]) == 1 + rules_of(name).num_seats
    assert all(view["moments"] for view in data["views"])
    assert data["status"] == record["status"]


def test_losses_are_those_of_the_judge():
    game = played("tressette", 5)
    lost = [step.explanation.lost for step in story_of(game.record(), regret=True).steps if step.explanation]
    assert lost == [card.lost for card in judge(game)[0].cards]
    assert len(lost) == 40
    assert sum(lost) > Fraction(0)


def test_a_players_probabilities_are_told_for_every_decision():
    game = played("tressette", 5)
    story = story_of(game.record(), explainer_of("heuristic", game.rules))
    told = [step.explanation for step in story.steps if step.done is not None]
    assert len(told) == len(game.actions)
    for explanation, (_, action) in zip(told, game.actions, strict=True):
        chosen = [choice.action for choice in explanation.choices if choice.probability == 1]
        assert chosen == [action]  # heuristic explains its own play
        assert explanation.taken == action


def test_what_one_seat_may_see_holds_nothing_of_hidden_cards():
    """Two deals that differ in cards that seat 0 cannot know give it the same page, byte for byte."""
    first = Game("tressette", seed=1)
    hands = first.deal_text().split(" | ")
    pages = []
    for order in ((0, 1, 2, 3), (0, 3, 2, 1)):
        game = Game("tressette", seed=1)
        game.reset(seed=1, options={"deal": " | ".join(hands[seat] for seat in order), "dealer": 3})
        pages.append([page_of(story_of(game.record()), viewer) for viewer in (0, 1)])
    assert pages[0][0] == pages[1][0]
    assert pages[0][1] != pages[1][1]


def test_a_seat_reads_the_explanations_of_its_own_decisions_only():
    game = played("tressette", 6)
    story = story_of(game.record(), explainer_of("heuristic", game.rules))
    own = data_of(page_of(story, 2))
    assert own["explanations"]
    seats = {game.actions[int(number) - 1][0] for number in own["explanations"]}
    assert seats == {2}
    assert len(data_of(page_of(story))["explanations"]) == len(game.actions)


def test_a_game_broken_off_says_so():
    data = data_of(page_of(story_of(played("tressette", 1, plies=7).record())))
    assert data["status"] == "running"
    assert len(data["views"][0]["moments"]) == 8


def test_a_match_goes_on_from_deal_to_deal():
    game = played("mini_4p", 3, episode="match")
    data = data_of(page_of(story_of(game.record())))
    assert len(data["views"][0]["results"]) == len(game.results) > 1


# ---------------------------------------------------------------- the command
def test_all_that_can_be_made(games, tmp_path, capsys):
    html, gif, png = tmp_path / "game.html", tmp_path / "game.gif", tmp_path / "png"
    flags = ["--number", "1", "--html", str(html), "--gif", str(gif), "--png", str(png), "--text"]
    assert main([str(games), *flags, "--explain", "heuristic", "--regret"]) == 0
    assert html.read_text().startswith("<!doctype html>")
    assert "http://" not in re.sub(r"http://www\.w3\.org/\S+", "", html.read_text())
    assert "https://" not in html.read_text()
    assert gif.read_bytes()[:6] == b"GIF89a"
    assert len(list(png.glob("*.png"))) == 11  # one a trick, and the result
    out, err = capsys.readouterr()
    assert out.count("trick ") >= 10
    assert err == f"wrote {html}, {gif}, {png}\n"


def test_italian(games, capsys):
    assert main([str(games), "--text", "--names", "it"]) == 0
    out = capsys.readouterr().out
    assert any(name in out for name in ("di coppe", "di denari", "di spade", "di bastoni"))


@pytest.mark.parametrize(
    ("flags", "code", "says"),
    [
        ([], 2, "nothing to make: add --html FILE, --gif FILE, --png FOLDER or --text"),
        (["--gif", "a.gif", "--regret"], 2, "--explain and --regret are shown by --html and --text"),
        (["--text", "--number", "9"], 2, "--number 9 is past the end"),
        (["--text", "--number", "0"], 2, "--number 0 is no record: count from 1"),
        (["--text", "--seat", "4"], 2, "--seat 4 is no seat of 'tressette': give one from 0 to 3"),
        (["--text", "--explain", "nobody"], 2, "unknown bot 'nobody'"),
        (["--html", "none/there.html"], 2, "'none/there.html' cannot be written"),
    ],
)
def test_bad_usage(games, capsys, flags, code, says):
    assert main([str(games), *flags]) == code
    assert says in capsys.readouterr().err


def test_a_damaged_record_is_named(games, tmp_path, capsys):
    broken = tmp_path / "broken.jsonl"
    broken.write_text(games.read_text().replace('"seed":3', '"seed":5').replace('"seed": 3', '"seed": 5'))
    assert main([str(broken), "--number", "1", "--html", str(tmp_path / "out.html")]) == 1
    assert "broken.jsonl, line 1: " in capsys.readouterr().err
    assert not (tmp_path / "out.html").exists()


def test_rules_without_open_hand_values_are_refused(tmp_path, capsys):
    path = tmp_path / "games.jsonl"
    write_records(path, [played("a_tre", 1).record()])
    assert main([str(path), "--text", "--regret"]) == 2
    assert "a_tre" in capsys.readouterr().err


# ---------------------------------------------------------------- the page
@pytest.mark.parametrize("width", [1100, 390])
def test_the_page_steps_to_the_end_without_a_network(games, tmp_path, width):
    html = tmp_path / "game.html"
    assert main([str(games), "--html", str(html), "--explain", "heuristic", "--regret"]) == 0
    with open_page(width=width) as (page, noted):
        page.goto(html.as_uri())
        total = int(page.inner_text("#count").split("/")[1])
        assert page.inner_text("#count") == f"0 / {total}"
        page.keyboard.press("ArrowRight")
        assert page.is_visible("#decision")
        assert page.locator(".choice.taken").count() == 1
        for _ in range(total - 1):
            page.click("#forward")
        assert page.inner_text("#count") == f"{total} / {total}"
        assert page.is_disabled("#forward")
        assert page.is_visible("#deals")
        assert fits(page)
        page.keyboard.press("Home")
        page.select_option("#view", "1")  # what seat 0 saw
        assert page.locator("#table img[src]").count() > 0
        page.click("#language")
        assert "Italiano" not in page.inner_text("#language")
        page.click("#run")
        page.wait_for_function("() => !document.getElementById('count').textContent.startsWith('0 ')")
        assert noted["errors"] == []
        assert [url for url in noted["requests"] if not url.startswith(("file:", "data:"))] == []


def test_rules_of_ones_own_are_replayed():
    rules = make_rules({"preset": "tressette", "signal_mode": "free", "name": "cheap talk"})
    data = data_of(page_of(story_of(played(rules, 2).record())))
    assert data["views"][0]["moments"][0]["table"]["rules"] == "cheap talk"
