"""The page in a real browser: a whole deal by mouse and by keys, hints, languages, a phone's width."""

import threading
from contextlib import contextmanager

import pytest
from play.browser_support import fits, open_page
from werkzeug.serving import make_server

from agents.play.table import Table
from agents.play.web import Room, make_app
from tressette_env.presets import preset

CARD = ".hand .legal"
BUTTON = ".ask button"
ANY = f"{CARD}, {BUTTON}, #next"


@contextmanager
def served(rules="tressette", **options):
    """A table that a server shows; yields it and the page's address."""
    table = Table(preset(rules), **({"seed": 3, "against": ["heuristic"]} | options))
    server = make_server("127.0.0.1", 0, make_app(Room(table)), threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield table, f"http://127.0.0.1:{server.port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("rules", ["tressette", "calabresella", "chiamata"])
def test_a_whole_deal_by_clicking(rules):
    with open_page(reduced_motion="reduce") as (page, noted), served(rules) as (table, url):
        page.goto(url)
        for _ in range(60):
            page.wait_for_selector(ANY)
            turn = table.turn
            if page.query_selector("#next"):
                break
            page.click(f"{CARD} >> nth=0" if page.query_selector(CARD) else f"{BUTTON} >> nth=0")
            if table.turn == turn and page.query_selector(f"{CARD}.chosen"):
                page.click(f"{BUTTON} >> nth=0")  # in silence
            page.wait_for_function("(turn) => Number(document.body.dataset.turn) > turn", arg=turn)
        assert table.over
        shown = page.inner_text(".result")
        assert "Points of the deal" in shown
        record = page.request.get(url + "api/record").text()
        assert '"finished"' in record
        over_at = table.turn
        page.click("#next")
        page.wait_for_function("(turn) => Number(document.body.dataset.turn) > turn", arg=over_at)
        assert not table.over and page.query_selector(".result") is None
        assert noted["errors"] == []
        assert all(asked.startswith((url, "data:")) for asked in noted["requests"])


def test_keys_alone_play_a_card_with_a_signal():
    deal = "Ac4c5cKc4d5d6d4s5s4b | 6c7cJcCc7dJdCd6s7sJs | 2c3c2d3d2s3s2b3b5b6b | AdAsAbKdKsKbCsCb7bJb"
    options = {"deal": deal, "dealer": 3}
    with open_page(reduced_motion="reduce") as (page, noted), served("treseta", options=options) as (table, url):
        page.goto(url)
        page.wait_for_selector(CARD)
        for _ in range(10):
            page.keyboard.press("ArrowRight")
            if page.evaluate("() => document.activeElement.dataset.card") == "0":  # 4c
                break
        page.keyboard.press("Enter")
        page.wait_for_selector(f"{CARD}.chosen")
        offered = [text.split("\n")[0] for text in page.locator(BUTTON).all_inner_texts()]
        assert offered == [
            "in silence",
            "busso",
            "striscio",
            "back",
        ]
        page.keyboard.press("Escape")
        assert page.query_selector(f"{CARD}.chosen") is None
        page.keyboard.press("Enter")
        page.wait_for_selector(f"{CARD}.chosen")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_function("() => Number(document.body.dataset.turn) > 0")
        assert [0, "4c busso"] in table.record()["actions"]
        assert noted["errors"] == []


def test_hints_languages_and_the_last_trick():
    with open_page(reduced_motion="reduce") as (page, noted), served() as (table, url):
        page.goto(url)
        page.wait_for_selector(CARD)
        page.click("#hints")
        page.wait_for_selector(".hint.best")
        best = page.get_attribute(f"{CARD}:has(.hint.best)", "data-card")
        assert int(best) == table.hint().ranked[0].action % 40
        assert page.inner_text(".hint.best") == "100%"
        page.click("#language")
        assert page.evaluate("() => document.documentElement.lang") == "it"
        assert "Quale carta giochi?" in page.inner_text("#ask")
        assert "compagno" in page.inner_text("#table")
        page.click(f"{CARD} >> nth=0")
        page.wait_for_function("() => Number(document.body.dataset.turn) > 0")
        page.keyboard.press("l")
        assert page.locator("#look img").count() == 4
        page.keyboard.press("Escape")
        page.reload()
        page.wait_for_selector(CARD)
        assert page.evaluate("() => document.documentElement.lang") == "it"
        assert noted["errors"] == []


@pytest.mark.parametrize("rules", ["tressette", "chiamata", "traversone_3p", "due"])
def test_a_phone_shows_all_of_it(rules):
    with open_page(360, 740, reduced_motion="reduce") as (page, noted), served(rules) as (_, url):
        page.goto(url)
        page.wait_for_selector(f"{CARD}, {BUTTON}")
        assert fits(page)
        for seat in page.locator(".seat").all():
            assert seat.is_visible()
        boxes = [card.bounding_box() for card in page.locator(".hand .cardbutton").all()]
        assert all(box["x"] >= 0 and box["x"] + box["width"] <= 360 for box in boxes)
        assert noted["errors"] == []


@pytest.mark.parametrize("rules", ["tressette", "chiamata", "traversone"])
def test_a_phone_shows_the_whole_result(rules):
    with open_page(360, 740, reduced_motion="reduce") as (page, noted), served(rules) as (table, url):
        while not table.over:
            table.go_on() if table.deal_over else table.act(min(table.legal()))
        page.goto(url)
        page.wait_for_selector("#next")
        felt, result = page.locator("#table").bounding_box(), page.locator(".result").bounding_box()
        assert felt["y"] <= result["y"] and result["y"] + result["height"] <= felt["y"] + felt["height"]
        assert felt["x"] <= result["x"] and result["x"] + result["width"] <= felt["x"] + felt["width"]
        for part in page.locator(".result p, .result button, .result a").all():
            box = part.bounding_box()
            assert result["y"] <= box["y"] and box["y"] + box["height"] <= result["y"] + result["height"]
        assert fits(page) and noted["errors"] == []


@pytest.mark.parametrize("rules", ["tressette", "due", "traversone"])
def test_a_low_window_keeps_the_hand_in_sight(rules):
    with open_page(1366, 650, reduced_motion="reduce") as (page, _), served(rules) as (_, url):
        page.goto(url)
        page.wait_for_selector(f"{CARD}, {BUTTON}")
        boxes = [card.bounding_box() for card in page.locator(".hand .cardbutton").all()]
        assert all(box["y"] + box["height"] <= 650 for box in boxes)


def test_the_others_cards_come_one_by_one_and_a_click_hurries_them():
    with open_page() as (page, _), served() as (table, url):
        page.goto(url)
        page.wait_for_selector(CARD)
        page.click(f"{CARD} >> nth=0")
        page.wait_for_function("() => document.querySelectorAll('.played').length === 4")
        assert page.query_selector(CARD) is None  # still on the way to the person's next turn
        page.click("#table", position={"x": 20, "y": 20})
        page.wait_for_selector(CARD)
        assert table.turn == 1
