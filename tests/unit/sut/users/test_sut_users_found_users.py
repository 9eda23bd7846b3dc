"""Users of found keys, and the fixtures that make a written test the same user."""

from __future__ import annotations

import pytest
from flask import Flask
from flask import Response
from flask import request

from pytest_evosearch.sut.clients.cookie_call import names_server_first
from pytest_evosearch.sut.deeds import Deed
from pytest_evosearch.sut.users.client_actions import FieldOfPage
from pytest_evosearch.sut.users.client_actions import LogIn
from pytest_evosearch.sut.users.client_actions import LogIns
from pytest_evosearch.sut.users.client_actions import logged_in_by
from pytest_evosearch.sut.users.found_users import HeldKey
from pytest_evosearch.sut.users.found_users import Preparation
from pytest_evosearch.sut.users.found_users import found_user
from pytest_evosearch.sut.users.found_users import free_name
from pytest_evosearch.sut.users.found_users import user_with
from pytest_evosearch.sut.users.key_code import KeyWriter
from pytest_evosearch.sut.users.origins import Origin
from pytest_evosearch.sut.users.origins import origin_of


@pytest.fixture
def app():
    """An application that answers with what it was sent, and keeps keys."""
    app = Flask("echo")
    app.config["KEYS"] = {"editor": "ink-441"}
    app.config["MEMBERS"] = {"mira": "k-12"}

    @app.get("/echo")
    def echo():
        return {
            "headers": dict(request.headers),
            "query": request.args.to_dict(),
            "cookies": request.cookies,
        }

    return app


def made(app, *keys, taken=()):
    return found_user(list(keys), lambda text: origin_of(text, app, []), "client", taken)


def answered(app, found):
    """Return what the client of the written fixture sends."""
    namespace: dict[str, object] = {"pytest": _NoFixtures}
    exec(found.source, namespace)
    fixture = namespace[found.user.name]
    assert callable(fixture)
    return fixture(app.test_client()).get("/echo", query_string={"size": 3}).json


class _NoFixtures:
    """Stands in for pytest: a fixture is the function itself."""

    @staticmethod
    def fixture(function):
        return function


def test_basic_is_sent_with_the_password_read_from_the_settings(app):
    found = made(app, HeldKey("header", "Authorization", "Basic bWlyYTprLTEy", ("mira", "k-12")))
    assert found.user.name == "mira"
    assert "k-12" not in found.source
    assert answered(app, found)["headers"]["Authorization"] == "Basic bWlyYTprLTEy"
    assert found.door == 'HTTP Basic, app.config["MEMBERS"]["mira"]'


def test_lone_key_is_called_by_whose_it_is(app):
    found = made(app, HeldKey("header", "X-Key", "Token ink-441"))
    assert found.user.name == "editor"
    assert "ink-441" not in found.source
    assert answered(app, found)["headers"]["X-Key"] == "Token ink-441"


def test_query_goes_along_with_what_a_test_sends(app):
    found = made(app, HeldKey("query", "u", "mira"), HeldKey("query", "k", "k-12"))
    assert found.user.name == "mira"
    assert answered(app, found)["query"] == {"u": "mira", "k": "k-12", "size": "3"}


def test_cookie_is_set_and_told_where_it_is_kept_nowhere(app):
    found = made(app, HeldKey("cookie", "pass", "unknown-1"))
    assert found.user.name == "key_holder"
    assert found.literals == ("unknown-1",)
    assert answered(app, found)["cookies"] == {"pass": "unknown-1"}


@pytest.mark.parametrize(
    ("wished", "taken", "name"),
    [
        ("mira", (), "mira"),
        ("mira", ("mira",), "mira_2"),
        ("class", (), "user_class"),
        ("client", (), "user_client"),
        ("7up", (), "user_7up"),
        ("", (), "key_holder"),
        ("a b-c", (), "a_b_c"),
    ],
)
def test_names_are_fit_for_fixtures_and_free(wished, taken, name):
    assert free_name(wished, taken) == name


def test_code_that_lasts_for_a_moment_is_made_whenever_it_is_sent():
    codes = iter(["731", "904"])
    key = HeldKey("header", "X-Code", "118", again=lambda: next(codes))
    headers = user_with("mira", [key], Preparation(), LogIns("mira", Deed(()))).headers
    assert [headers["X-Code"], headers["X-Code"]] == ["731", "904"]


def test_log_in_sends_the_code_of_the_moment_and_lists_as_they_are():
    sent = []

    class Client:
        application = None

        def post(self, path, **arguments):
            sent.append((path, arguments))

    now = Origin('str(int("730") + 1)', ("import sys",), is_setting=True)
    writer = KeyWriter({"118": now}.get)
    log_in = LogIn("POST", {"path": "/in", "json": {"code": "118", "roles": ["boss"]}})
    log_ins = logged_in_by("mira", [log_in], writer)
    log_ins(Client())
    assert sent == [("/in", {"json": {"code": "731", "roles": ["boss"]}})]
    assert log_ins.deed.imports == ("import sys",)


@pytest.mark.parametrize(
    "field",
    [
        '<input type="hidden" name="csrf" value="t-1">',
        '<input type="hidden" value="t-1" name="csrf">',
    ],
)
def test_field_of_a_form_is_read_from_the_page_before(app, field):
    @app.get("/form")
    def form():
        return f'<form method="post"><input name="nick" value="?">{field}</form>'

    @app.post("/form")
    def enter():
        answer = Response("in")
        answer.set_cookie("session", request.form["csrf"] + request.form["nick"])
        return answer

    token = FieldOfPage(0, "csrf")
    data = {"csrf": token.mark, "nick": "mira"}
    second = LogIn("POST", {"path": "/form", "data": data}, read={token.mark: token})
    prepared = Preparation(log_ins=(LogIn("GET", {"path": "/form"}), second), name="mira")
    found = found_user([], lambda _text: None, "client", (), names_server_first(), prepared)
    assert 'page = mira.get("/form")' in found.source
    assert answered(app, found)["cookies"] == {"session": "t-1mira"}
    client = app.test_client()
    found.user.login(client)
    assert client.get("/echo").json["cookies"] == {"session": "t-1mira"}


def test_key_of_a_tenant_is_called_by_the_tenant_and_asks_at_its_host(app):
    app.config["TENANTS"] = {"alder": {"key": "a-4711"}}
    host = HeldKey("environ", "HTTP_HOST", "alder")
    found = made(app, host, HeldKey("header", "X-Key", "a-4711"))
    assert found.user.name == "alder"
    sent = answered(app, found)["headers"]
    assert (sent["Host"], sent["X-Key"]) == ("alder", "a-4711")


def test_key_that_is_sent_by_https_alone_asks_there(app):
    found = made(app, HeldKey("environ", "wsgi.url_scheme", "https"))
    assert 'base_url="https://localhost"' in found.source
