"""The table as a web page for this machine alone: one page, a small JSON API, one table for all open tabs.

The API tells what the person at the table may know and nothing else: the record, which holds all hands, is handed out
only once the game is over.
"""

import socket
import sys
import threading
import webbrowser
from typing import Any, NoReturn

from agents.flags import UsageError
from agents.play.facts import action_facts, explanation_facts, table_facts
from agents.play.pages import asset, card_png, data_text, fill, words_data
from agents.play.phrases import event_line
from agents.play.saving import RecordFile
from agents.play.table import StaleError, Table
from agents.play.words import WORDS, both
from tressette_env.cards import NUM_CARDS
from tressette_env.engine.state import PHASES
from tressette_env.errors import IllegalActionError, MissingExtraError, TressetteError
from tressette_env.records import format_record

try:
    from flask import Flask, Response, abort, request
    from werkzeug.exceptions import HTTPException
    from werkzeug.serving import WSGIRequestHandler, make_server
except ImportError as error:
    raise MissingExtraError("web pages", "Flask", "agents") from error

HOST = "127.0.0.1"
_HOSTS = (HOST, "localhost")  # names that a browser may call the page by
_FILES = {"table.css": "text/css", "table.js": "text/javascript", "play.css": "text/css", "play.js": "text/javascript"}
_POLICY = "default-src 'self'; img-src 'self' data:"


class Room:
    """The table behind the page: one request at a time, each game saved when it ends where a file was named."""

    def __init__(self, table: Table, file: RecordFile | None = None) -> None:
        self.table, self.file = table, file
        self.lock = threading.Lock()

    def state(self) -> dict[str, Any]:
        """Return all that the page shows, JSON-ready, a function of what the person knows."""
        table = self.table
        phase = PHASES[table.row["phase"]]
        return {
            "turn": table.turn,
            "due": table.due,
            "deal_over": table.deal_over,
            "over": table.over,
            "episode": table.game.episode,
            "table": table_facts(table.row, table.rules, table.seat, table.deal_number),
            "players": ["" if player is None else player.name for player in table.players],
            "ask": both(lambda words: words(f"ask_{phase}")) if table.due else None,
            "actions": [action_facts(action, table.rules) for action in table.legal()],
            "events": [both(lambda words, e=e: event_line(e, table.seat, words)) for e in table.events],  # type: ignore[misc]
            "saves": None if self.file is None else str(self.file.path),
            "hinter": table.hinter.name,
        }

    def act(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Apply the person's action and return the new state."""
        self.table.act(_number(asked, "action"), _number(asked, "turn"))
        if self.table.over:
            self.keep()
        return self.state()

    def go_on(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Go on to the next deal and return the new state."""
        self.table.go_on(_number(asked, "turn"))
        return self.state()

    def hint(self) -> dict[str, Any]:
        """Return what the hinting player makes of the person's decision."""
        return {"turn": self.table.turn} | explanation_facts(self.table.hint(), self.table.rules)

    def save(self) -> dict[str, Any]:
        """Save the game so far on this machine's disk."""
        if self.file is None:
            raise TressetteError("no file was named to save in: start with --save FILE")
        self.file.save(self.table.record())
        return {"saved": str(self.file.path)}

    def record(self) -> str:
        """Return the game's record, a line of JSON, once the game is over."""
        if not self.table.over:
            raise StaleError("the record holds all hands: it can be downloaded once the game is over")
        return format_record(self.table.record()) + "\n"

    def keep(self) -> None:
        """Save the game so far where a file was named and the person took part."""
        if self.file is not None and self.table.played:
            self.file.save(self.table.record())


def _number(asked: dict[str, Any], key: str) -> int:
    value = asked.get(key)
    if not isinstance(value, int) or isinstance(value, bool):
        raise TressetteError(f"{key} = {value!r} is not a whole number: send one under the key {key!r}")
    return value


def make_app(room: Room, language: str = "en") -> Flask:
    """Return the web application of a room; its page begins in a language."""
    app = Flask(__name__, static_folder=None)
    page = fill("play.html", language=language, words=data_text(words_data()))

    @app.before_request
    def refuse_other_hosts() -> None:
        if request.host.rpartition(":")[0] not in _HOSTS and request.host not in _HOSTS:
            abort(403, f"this page is served as {HOST} only: open it under that name")

    @app.after_request
    def close_to_others(response: Response) -> Response:
        response.headers["Content-Security-Policy"] = _POLICY
        response.headers.setdefault("Cache-Control", "no-store")
        return response

    @app.errorhandler(TressetteError)
    def refused(error: TressetteError) -> tuple[dict[str, str], int]:
        kind = (
            "stale" if isinstance(error, StaleError) else "illegal" if isinstance(error, IllegalActionError) else "bad"
        )
        return {"error": _sentence(error), "kind": kind}, 400 if kind == "bad" else 409

    @app.errorhandler(HTTPException)
    def failed(error: HTTPException) -> tuple[dict[str, str], int]:
        return {"error": str(error.description), "kind": "http"}, error.code or 500

    _add_files(app, page)
    _add_api(app, room)
    return app


def _sentence(error: TressetteError) -> str:
    """Return an error without the position behind it, which would tell the hidden cards."""
    return str(error).partition("; position:")[0]


def _add_files(app: Flask, page: str) -> None:
    @app.get("/")
    def index() -> str:
        return page

    @app.get("/assets/<name>")
    def file(name: str) -> Response:
        if name not in _FILES:
            abort(404, f"there is no file {name!r}")
        return Response(asset(name), mimetype=_FILES[name])

    @app.get("/cards/<name>.png")
    def card(name: str) -> Response:
        known = name == "back" or (name.isdecimal() and int(name) < NUM_CARDS)
        if not known:
            abort(404, f"there is no card {name!r}: give an id from 0 to {NUM_CARDS - 1}, or back")
        headers = {"Cache-Control": "max-age=86400"}
        return Response(card_png(None if name == "back" else int(name)), mimetype="image/png", headers=headers)


def _add_api(app: Flask, room: Room) -> None:
    def asked() -> dict[str, Any]:
        body = request.get_json()  # another site's form cannot send this content type
        if not isinstance(body, dict):
            raise TressetteError(f"the request's body {body!r} is not an object with keys")
        return body

    @app.get("/api/state")
    def state() -> dict[str, Any]:
        with room.lock:
            return room.state()

    @app.post("/api/act")
    def act() -> dict[str, Any]:
        body = asked()
        with room.lock:
            return room.act(body)

    @app.post("/api/next")
    def go_on() -> dict[str, Any]:
        body = asked()
        with room.lock:
            return room.go_on(body)

    @app.get("/api/hint")
    def hint() -> dict[str, Any]:
        with room.lock:
            return room.hint()

    @app.post("/api/save")
    def save() -> dict[str, Any]:
        asked()
        with room.lock:
            return room.save()

    @app.get("/api/record")
    def record() -> Response:
        with room.lock:
            headers = {"Content-Disposition": "attachment; filename=game.jsonl"}
            return Response(room.record(), mimetype="application/jsonl", headers=headers)


class _Silent(WSGIRequestHandler):
    """Writes no line for every request."""

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Write nothing."""


def serve(table: Table, language: str, file: RecordFile | None, port: int, browser: bool) -> NoReturn:
    """Serve the page until Ctrl-C, then save the game on the table where a file was named.

    Raises ``UsageError`` for a port that is taken, ``KeyboardInterrupt`` after Ctrl-C.
    """
    room = Room(table, file)
    listening = _listen(port)
    server = make_server(
        HOST, port, make_app(room, language), threaded=True, request_handler=_Silent, fd=listening.fileno()
    )
    url = f"http://{HOST}:{listening.getsockname()[1]}/"
    print(WORDS[language]("served", url=url), file=sys.stderr, flush=True)
    if browser:
        threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
    try:
        server.serve_forever()
    finally:
        server.server_close()
        with room.lock:
            room.keep()
    raise KeyboardInterrupt  # which the server takes as its sign to close


def _listen(port: int) -> socket.socket:
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
    except OSError as error:
        raise UsageError(f"--port {port} cannot be used ({error.strerror}): choose another, or 0 for any") from None
    listening.listen()
    return listening
