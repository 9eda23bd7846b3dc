from __future__ import annotations

import io

import pytest
import time_machine
from flask import Flask
from flask import Response
from flask import request
from flask import session
from flask.testing import FlaskClient

from pytest_evosearch.sut.clients.client import send
from pytest_evosearch.sut.clients.fast_client import LeanSender

CORPUS = [
    {"path": "/echo"},
    {"path": "/echo", "method": "DELETE"},
    {"path": "/echo/a%20b%2Fc%25", "query_string": "x=1&x=2&y=%C3%A9"},
    {"path": "/echo/%ff%fe"},
    {"path": "/echo/caf\u00e9"},
    {"path": "/echo//double"},
    {"path": "//echo/host"},
    {"path": "/echo?in=path"},
    {"path": "/echo", "query_string": "é=ü"},
    {"path": "/echo", "query_string": {"a": "b"}},
    {"path": "/echo", "headers": [("X-Key", "a"), ("x-key", "b"), ("Accept", "text/html")]},
    {"path": "/echo", "headers": [("Cookie", "sent=by hand"), ("Content-Type", "text/odd")]},
    {"path": "/echo", "headers": [("Host", "other.example"), ("User-Agent", "me")]},
    {"path": "/echo", "headers": {"X-Key": "mapping"}},
    {"path": "/echo", "headers": [("X-Key", "broken\nvalue")]},
    {"path": "/echo", "method": "POST", "json": {"é": [1, None, {"a": 1.5}]}},
    {"path": "/echo", "method": "POST", "json": "text"},
    {"path": "/echo", "method": "POST", "json": None},
    {"path": "/echo", "method": "POST", "json": {"a": "\ud800"}},
    {"path": "/echo", "method": "POST", "json": object()},
    {"path": "/echo", "method": "POST", "json": {}, "content_type": "application/x+json"},
    {"path": "/echo", "method": "POST", "data": {"a": ["1", "2"], "b": "x y&é"}},
    {"path": "/echo", "method": "POST", "data": {"a": [1]}},
    {"path": "/echo", "method": "POST", "data": {"a": "\ud800"}},
    {"path": "/echo", "method": "POST", "data": {}},
    {"path": "/echo", "method": "POST", "data": b"\x00\xff", "content_type": "text/plain"},
    {"path": "/echo", "method": "POST", "data": b"raw"},
    {"path": "/echo", "method": "POST", "data": b"", "content_type": "text/plain"},
    {"path": "/echo", "method": "POST", "data": "text", "content_type": "text/plain"},
    {"path": "/echo", "base_url": "https://other.example/app"},
    {"path": "/set", "method": "POST", "data": {"name": "first"}},
    {"path": "/echo"},
    {"path": "/set", "method": "POST", "data": {"name": "second"}},
    {"path": "/echo/deep"},
    {"path": "/unset", "method": "POST"},
    {"path": "/echo"},
    {"path": "/moved"},
    {"path": "/echo", "method": "HEAD"},
    {"path": "/echo", "method": "OPTIONS"},
    {"path": "/absent"},
    {"path": "/crash"},
    {"path": "/stream"},
    {"path": "/endless"},
    {"path": "/events"},
    {"path": "/status"},
    {"path": "/odd-cookie"},
]


def make_app(**config):
    app = Flask(__name__)
    app.secret_key = "fixed"
    app.config.update(config)
    app.seen = []

    @app.route("/echo", methods=["GET", "POST", "DELETE"])
    @app.route("/echo/<path:rest>")
    def echo(rest=""):
        environ = {key: value for key, value in request.environ.items() if key[0] != "w"}
        plain = {key: value for key, value in request.environ.items() if key.startswith("wsgi.")}
        app.seen.append((environ, {**plain, "wsgi.input": request.get_data()}))
        return {
            "rest": rest,
            "args": request.args.to_dict(flat=False),
            "form": request.form.to_dict(flat=False),
            "headers": list(request.headers),
            "cookies": request.cookies,
            "user": session.get("user"),
        }

    @app.post("/set")
    def set_cookies():
        session["user"] = request.form["name"]
        response = Response("set", 201)
        response.set_cookie("deep", "1", path="/echo/deep")
        response.set_cookie("other", "1", domain="other.example")
        return response

    @app.post("/unset")
    def unset():
        session.clear()
        response = Response()
        response.delete_cookie("deep", path="/echo/deep")
        return response

    @app.get("/moved")
    def moved():
        return "", 302, {"Location": "/echo"}

    @app.get("/crash")
    def crash():
        return 1 / 0

    @app.get("/stream")
    def stream():
        def chunks():
            yield b"first"
            raise ValueError("middle")

        return Response(chunks())

    @app.get("/endless")
    def endless():
        return Response(b"x" * 70_000 for _ in iter(int, 1))

    @app.get("/events")
    def events():
        return Response((b"data: 1\n\n" for _ in iter(int, 1)), mimetype="text/event-stream")

    @app.get("/status")
    def status():
        return Response("odd", status="799 Odd")

    @app.get("/odd-cookie")
    def odd_cookie():
        return "", 200, {"Set-Cookie": "=a"}

    return app


def described(response):
    error = response.error
    return (
        response.status,
        response.headers,
        response.body,
        response.entered,
        response.truncated,
        response.live,
        response.late,
        error and (type(error), str(error)[:60].replace("ordinary", "lean")),
    )


def jar_of(client):
    """The cookies of a client, of Werkzeug before and since 2.3."""
    return client._cookies if hasattr(client, "_cookies") else list(map(str, client.cookie_jar))


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"PROPAGATE_EXCEPTIONS": True},
        {"SERVER_NAME": "shop.example:8080", "APPLICATION_ROOT": "/app"},
        {"PREFERRED_URL_SCHEME": "https"},
    ],
    ids=["plain", "propagating", "server name", "https"],
)
def test_both_ways_are_the_same(config):
    ordinary_app, lean_app = make_app(**config), make_app(**config)
    ordinary, lean = ordinary_app.test_client(), lean_app.test_client()
    sender = LeanSender(lean_app)

    # A signed session holds the second in which it was signed.
    with time_machine.travel("2026-11-28 12:00", tick=False):
        for arguments in CORPUS:
            expected = described(send(ordinary, **arguments))
            found = described(sender.send(lean, **arguments))
            assert found == expected, arguments
            assert jar_of(lean) == jar_of(ordinary)

    assert lean_app.seen == ordinary_app.seen
    assert len(lean_app.seen) > 5


def test_most_requests_take_the_short_way(monkeypatch):
    app = make_app()
    if not hasattr(app.test_client(), "_cookies"):
        pytest.skip("Werkzeug before 2.3 takes the ordinary way")
    sender = LeanSender(app)
    monkeypatch.setattr(app, "test_client_class", None)
    monkeypatch.setattr(FlaskClient, "open", lambda *_args, **_keywords: pytest.fail("long way"))
    client = app.test_client()

    for arguments in (
        {"method": "GET", "path": "/echo/a", "query_string": "a=1", "headers": [("X", "1")]},
        {"method": "POST", "path": "/echo", "json": {"a": 1}},
        {"method": "POST", "path": "/echo", "data": {"a": ["1"]}},
        {"method": "POST", "path": "/set", "data": {"name": "x"}},
        {"method": "GET", "path": "/echo"},
    ):
        assert sender.send(client, **arguments).status < 500


def test_clients_of_the_project_take_the_long_way():
    class OwnClient(FlaskClient):
        def open(self, *arguments, **keywords):
            headers = [*keywords.pop("headers", ()), ("X-Csrf", "token")]
            return super().open(*arguments, headers=headers, **keywords)

    app = make_app()
    app.test_client_class = OwnClient
    response = LeanSender(app).send(app.test_client(), path="/echo")
    assert b'["X-Csrf","token"]' in response.body


def test_files_and_presets_of_the_client_arrive():
    app = make_app()
    client = app.test_client()
    client.environ_base["HTTP_X_PRESET"] = "yes"
    sender = LeanSender(app)

    upload = sender.send(client, method="POST", path="/echo", data={"f": [(io.BytesIO(b"a"), "a")]})
    assert upload.status == 200
    assert b'["X-Preset","yes"]' in sender.send(client, path="/echo").body


def test_own_exceptions_pass():
    class OutOfTime(BaseException):
        pass

    app = make_app()

    @app.get("/late")
    def late():
        raise OutOfTime

    with pytest.raises(OutOfTime):
        LeanSender(app).send(app.test_client(), passing=(OutOfTime,), path="/late")
