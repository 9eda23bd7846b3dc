from __future__ import annotations

from types import SimpleNamespace

import flask
import pytest
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


def test_an_address_that_several_hosts_have_is_searched_at_one_of_them():
    app = flask.Flask(__name__, host_matching=True, static_folder=None)
    app.add_url_rule("/", "api", lambda: "", host="api.example.org")
    app.add_url_rule("/", "shop", lambda tenant: tenant, host="<tenant>.example.org")
    app.add_url_rule("/only", "only", lambda: "", host="shop.example.org")
    app.add_url_rule("/", "save", lambda: "", host="api.example.org", methods=["POST"])
    assert unsearchable_summary(unsearchable(app)) == (
        "1 address at another host (GET / at <tenant>.example.org): not searched, as the same "
        "address is searched at the host of its first rule"
    )


def test_events_wait_for_their_server():
    app = flask.Flask(__name__)
    waiting = [("chat", None, "/")]
    app.extensions["socketio"] = SimpleNamespace(handlers=waiting, server=None)
    assert [one.name for one in unsearchable(app)] == ["chat"]


def test_handlers_of_flask_socketio_are_found():
    library = pytest.importorskip("flask_socketio")
    app = flask.Flask(__name__)
    sockets = library.SocketIO(app, async_mode="threading")
    sockets.on("chat")(lambda _text: None)
    sockets.on("join", namespace="/rooms")(lambda _room: None)

    class Admin(library.Namespace):
        def on_kick(self, name: str) -> None:
            pass

    sockets.on_namespace(Admin("/admin"))
    names = ["chat", "join in /rooms", "kick in /admin"]
    assert [one.name for one in unsearchable(app)] == names

    late = flask.Flask(__name__)
    unbound = library.SocketIO()
    unbound.on("chat")(lambda _text: None)
    unbound.init_app(late, async_mode="threading")
    assert [one.name for one in unsearchable(late)] == ["chat"]


def test_web_sockets_of_flask_sock_are_found():
    library = pytest.importorskip("flask_sock")
    app = flask.Flask(__name__)
    library.Sock(app).route("/echo")(lambda _socket: None)
    assert [one.name for one in unsearchable(app)] == ["/echo"]
