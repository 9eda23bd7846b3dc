from __future__ import annotations

from types import SimpleNamespace

import flask
from werkzeug.middleware.dispatcher import DispatcherMiddleware

from pytest_evosearch.sut.finding.unsearchable import unsearchable
from pytest_evosearch.sut.finding.unsearchable import unsearchable_summary


def test_an_application_of_pages_has_nothing_to_tell():
    assert unsearchable(flask.Flask(__name__)) == []
    assert unsearchable_summary([]) == ""


def test_events_web_sockets_and_foreign_mounts_are_found():
    app = flask.Flask(__name__)
    app.add_url_rule("/echo", "echo", lambda: "", websocket=True)
    handlers = {"/": {"chat": None}, "/rooms": {"join": None}}
    rooms = SimpleNamespace(namespace="/admin", on_kick=lambda: None)
    app.extensions["socketio"] = SimpleNamespace(
        handlers=[], server=SimpleNamespace(handlers=handlers, namespace_handlers={"/admin": rooms})
    )

    def plain(_environ, start_response):
        start_response("200 OK", [])
        return [b""]

    mounts = {"/plain": plain, "/inner": flask.Flask("inner")}
    app.wsgi_app = DispatcherMiddleware(app.wsgi_app, mounts)
    assert unsearchable_summary(unsearchable(app)) == (
        "3 events of Socket.IO (chat, join in /rooms, kick in /admin): not searched, as no request "
        "of HTTP sends it; 1 mounted application (/plain): not searched, as it is no Flask "
        "application; 1 web socket (/echo): not searched, as no request of HTTP opens it"
    )


def test_events_wait_for_their_server():
    app = flask.Flask(__name__)
    waiting = [("chat", None, "/")]
    app.extensions["socketio"] = SimpleNamespace(handlers=waiting, server=None)
    assert [one.name for one in unsearchable(app)] == ["chat"]
