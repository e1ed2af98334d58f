"""The page's API from Flask's test client: whole deals, what is refused, and that no hidden card is ever told."""

import json
import random
import re
import urllib.error
import urllib.request
from io import BytesIO

import pytest
from PIL import Image
from twins import exchange, random_past, twin_of

from agents.play import web
from agents.play.saving import RecordFile
from agents.play.table import Table
from agents.play.web import Room, make_app
from tressette_env.cards import CARD_TEXTS, parse_cards
from tressette_env.notation import parse_deal
from tressette_env.presets import preset
from tressette_env.records import parse_record, read_records, replay

RULES = ("tressette", "due", "calabresella", "chiamata", "traversone")


def client_of(rules="tressette", file=None, language="en", **options):
    room = Room(Table(preset(rules), **({"seed": 3, "against": ["heuristic"]} | options)), file)
    return make_app(room, language).test_client(), room


def act(client, state, choose=min):
    action = choose(one["id"] for one in state["actions"])
    answer = client.post("/api/act", json={"action": action, "turn": state["turn"]})
    assert answer.status_code == 200, answer.text
    return answer.json


# ---------------------------------------------------------------- whole deals
@pytest.mark.parametrize("rules", RULES)
def test_a_whole_deal(rules, tmp_path):
    client, room = client_of(rules, RecordFile(tmp_path / "games.jsonl"), seat=1)
    state = client.get("/api/state").json
    while not state["deal_over"]:
        assert state["due"] and state["actions"] and state["ask"]["it"]
        own = state["table"]["seats"][0]
        assert own["seat"] == 1 and own["relation"] == "you" and len(own["cards"]) == own["count"]
        assert client.get("/api/record").status_code == 409  # it would show all hands
        state = act(client, state)
    assert state["over"] and not state["due"] and state["actions"] == []
    assert state["table"]["result"]["en"]
    record = parse_record(client.get("/api/record").text)
    assert replay(record).results == room.table.game.results
    assert list(read_records(tmp_path / "games.jsonl")) == [record]
    following = client.post("/api/next", json={"turn": state["turn"]}).json
    assert following["due"] and following["turn"] == state["turn"] + 1 and following["table"]["result"] is None


def test_a_match_goes_on_from_the_result_on_show():
    client, _ = client_of("mini_4p", episode="match")
    state = client.get("/api/state").json
    deals = 0
    while not state["over"]:
        while not state["deal_over"]:
            state = act(client, state)
        deals += 1
        assert state["table"]["deal"] == deals and len(state["table"]["tricks"]) == 2
        if not state["over"]:
            assert client.get("/api/record").status_code == 409  # the next deal is in it
            state = client.post("/api/next", json={"turn": state["turn"]}).json
    assert deals > 1 and any("match" in line for line in state["table"]["result"]["en"])


def test_all_tabs_see_one_table():
    client, room = client_of()
    other = make_app(room).test_client()
    state = act(client, client.get("/api/state").json)
    assert other.get("/api/state").json == state


# ---------------------------------------------------------------- nothing hidden
def deal_text(past):
    deal = past.deal
    text = " | ".join("".join(hand) for hand in deal["hands"])
    for part in ("stock", "monte"):
        text += f" / {part} {''.join(deal[part])}" if deal[part] else ""
    return text + (f" / trump {deal['trump_card']}" if "trump_card" in deal else "")


def told(past, seat):
    """All that the API says to a seat at the end of a past, byte for byte."""
    options = {"deal": deal_text(past), "dealer": past.dealer, "history": [text for _, text in past.actions]}
    room = Room(Table(past.rules, seat, ["random"], hints="mc:worlds=2", seed=5, options=options))
    client = make_app(room).test_client()
    assert room.table.turn == 0 and room.table.due
    answers = [client.get("/api/state").data, client.get("/api/hint").data, client.get("/api/record").data]
    illegal = next(action for action in range(40) if action not in room.table.legal())
    answers.append(client.post("/api/act", json={"action": illegal, "turn": 0}).data)
    return answers


@pytest.mark.parametrize("name", [*RULES, "bolognese", "briscola", "due_pagat", "calabresella_two", "a_tre"])
def test_deals_that_differ_in_hidden_cards_alone_give_the_same_bytes(name):
    rules, compared = preset(name), 0
    for seed in range(60):
        rng = random.Random(seed)
        past = random_past(
            rules, seed, rng, rng.randrange(3 + rules.num_seats * rules.num_tricks), lambda texts, r: r.choice(texts)
        )
        game = past.reference()
        if game.to_act is None:
            continue
        seat = game.to_act
        for _ in range(4):
            twin = twin_of(past, game, seat, exchange(past, game, seat, rng, rng.choice((2, 4, 30))))
            if twin is not None:
                assert told(past, seat) == told(twin, seat)
                compared += 1
        if compared > 8:
            break
    assert compared > 8


@pytest.mark.parametrize("rules", RULES)
def test_no_card_of_anothers_hand_is_named_anywhere_in_a_state(rules):
    client, room = client_of(rules, against=["random"])
    state = client.get("/api/state").json
    while not state["deal_over"]:
        known = set(state["table"]["seats"][0]["cards"]) | {
            action["card"] for action in state["actions"] if action["kind"] == "call"
        }
        hidden = set()
        for seat, hand in enumerate(room.table.game.states[0]["hands"].tolist()):
            if seat:
                hidden |= {card for card in range(40) if hand >> card & 1}
        named = {value for value in _cards_in(state)}
        auction = state["table"]["auction"] or {}
        open_ones = set(auction.get("monte", [])) | {auction.get("called"), auction.get("given")}
        assert not (named - known - open_ones) & hidden
        state = act(client, state, max)


def _cards_in(value):
    """Every card id in a state, by the keys that hold some."""
    if isinstance(value, dict):
        for key, part in value.items():
            if key in ("card", "called", "given", "trump"):
                yield part
            elif key in ("cards", "monte", "discards"):
                yield from part
            else:
                yield from _cards_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from _cards_in(part)


def test_an_illegal_action_is_refused_without_telling_the_deal():
    client, room = client_of()
    state = client.get("/api/state").json
    legal = {action["id"] for action in state["actions"]}
    illegal = next(action for action in range(40) if action not in legal)
    answer = client.post("/api/act", json={"action": illegal, "turn": 0})
    assert answer.status_code == 409 and answer.json["kind"] == "illegal"
    assert "is not legal for seat 0: choose one of" in answer.json["error"]
    assert room.table.game.deal_text() not in answer.text and "deal" not in answer.json["error"]
    named = set(
        parse_cards("".join(re.findall(r"\b[4567JCKA23][cdsb]\b", answer.json["error"].partition("choose")[2])))
    )
    assert named == {action % 40 for action in legal}
    assert client.get("/api/state").json == state


# ---------------------------------------------------------------- what is refused
def test_a_double_click_is_stale():
    client, _ = client_of()
    state = client.get("/api/state").json
    body = {"action": state["actions"][0]["id"], "turn": state["turn"]}
    assert client.post("/api/act", json=body).status_code == 200
    again = client.post("/api/act", json=body)
    assert again.status_code == 409 and again.json["kind"] == "stale" and "moved on" in again.json["error"]


@pytest.mark.parametrize(
    ("path", "sent", "code", "sentence"),
    [
        ("/api/act", {"json": {"turn": 0}}, 400, "action = None is not a whole number"),
        ("/api/act", {"json": {"action": "3c", "turn": 0}}, 400, "action = '3c' is not a whole number"),
        ("/api/act", {"json": {"action": True, "turn": 0}}, 400, "action = True"),
        ("/api/act", {"json": {"action": 10**30, "turn": 0}}, 409, "is not legal"),
        ("/api/act", {"json": [1]}, 400, "is not an object"),
        ("/api/act", {"data": "{", "content_type": "application/json"}, 400, "could not understand"),
        ("/api/act", {"data": {"action": "1"}}, 415, "Content-Type"),
        ("/api/next", {"json": {"turn": 0}}, 409, "the deal is not over"),
        ("/api/save", {"json": {}}, 400, "start with --save FILE"),
        ("/api/other", {"json": {}}, 404, "not found"),
    ],
)
def test_wrong_requests_get_one_sentence_as_json(path, sent, code, sentence):
    client, room = client_of()
    before = room.table.game.get_state().tobytes()
    answer = client.post(path, **sent)
    assert answer.status_code == code and sentence in answer.json["error"]
    assert room.table.game.get_state().tobytes() == before


def test_hints_wait_for_the_persons_turn():
    client, _ = client_of("mini_4p")
    state = client.get("/api/state").json
    hint = client.get("/api/hint").json
    assert hint["player"] == "heuristic" and hint["turn"] == state["turn"]
    assert {choice["id"] for choice in hint["choices"]} == {action["id"] for action in state["actions"]}
    while not state["deal_over"]:
        state = act(client, state)
    assert client.get("/api/hint").status_code == 400


def test_only_this_machine_by_name_is_served():
    client, _ = client_of()
    for host, code in (("127.0.0.1:8000", 200), ("localhost:5", 200), ("localhost", 200), ("evil.example", 403)):
        assert client.get("/api/state", headers={"Host": host}).status_code == code, host
    assert "default-src 'self'" in client.get("/").headers["Content-Security-Policy"]


# ---------------------------------------------------------------- files
def test_the_page_asks_for_nothing_from_elsewhere():
    client, _ = client_of(language="it")
    page = client.get("/").text
    assert '<html lang="it">' in page
    links = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert links and all(link.startswith(("/assets/", "data:")) for link in links)
    for link in links:
        if link.startswith("/"):
            answer = client.get(link)
            assert answer.status_code == 200 and "http" not in re.sub(r"http://www.w3.org/\S+", "", answer.text)
    words = json.loads(re.search(r'<script id="words" type="application/json">(.*?)</script>', page, re.DOTALL)[1])
    assert words["it"]["cards"][9] == "tre di coppe" and words["en"]["cards"][9] == "three of cups"
    assert client.get("/assets/play.html").status_code == 404


def test_cards_are_pictures():
    client, _ = client_of()
    pictures = {}
    for name in ("0", "39", "back"):
        answer = client.get(f"/cards/{name}.png")
        assert answer.mimetype == "image/png"
        pictures[name] = answer.data
        assert Image.open(BytesIO(answer.data)).height == 300
    assert len(set(pictures.values())) == 3
    for name in ("40", "-1", "x", "²"):
        assert client.get(f"/cards/{name}.png").status_code == 404


def test_saving_from_the_page(tmp_path):
    path = tmp_path / "games.jsonl"
    client, _ = client_of(file=RecordFile(path))
    state = act(client, client.get("/api/state").json)
    assert state["saves"] == str(path)
    assert client.post("/api/save", json={}).json == {"saved": str(path)}
    act(client, state)
    client.post("/api/save", json={})
    (record,) = read_records(path)
    assert sum(seat == 0 for seat, _ in record["actions"]) == 2


# ---------------------------------------------------------------- serving
def test_a_port_that_is_taken_is_named(capsys):
    from agents.play.__main__ import main

    taken = web._listen(0)
    port = taken.getsockname()[1]
    assert main(["--web", "--no-browser", "--port", str(port), "--rules", "mini_4p"]) == 2
    assert f"--port {port} cannot be used" in capsys.readouterr().err
    taken.close()


def test_the_server_answers_and_ctrl_c_saves_the_game(tmp_path):
    import signal
    import subprocess
    import sys
    from pathlib import Path

    path = tmp_path / "games.jsonl"
    command = [
        sys.executable,
        "-m",
        "agents.play",
        "--web",
        "--no-browser",
        "--port",
        "0",
        "--save",
        str(path),
        "--seed",
        "3",
    ]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path(web.__file__).parents[2]
    ) as server:
        url = re.search(r"http://127.0.0.1:\d+/", server.stderr.readline())[0]
        with urllib.request.urlopen(url + "api/state") as answer:
            state = json.load(answer)
        body = json.dumps({"action": state["actions"][0]["id"], "turn": 0}).encode()
        asked = urllib.request.Request(url + "api/act", body, {"Content-Type": "application/json"})
        urllib.request.urlopen(asked).close()
        with pytest.raises(urllib.error.HTTPError, match="409"):
            urllib.request.urlopen(asked)
        server.send_signal(signal.SIGINT)
        _, errors = server.communicate(timeout=30)
    assert server.returncode == 130 and "Traceback" not in errors
    (record,) = read_records(path)
    assert record["status"] == "running"


def test_deal_texts_of_the_twins_are_deals():
    past = random_past(preset("briscola"), 1, random.Random(1), 3, lambda texts, r: texts[0])
    assert parse_deal(deal_text(past), past.rules).trump_card == CARD_TEXTS.index(past.deal["trump_card"])
