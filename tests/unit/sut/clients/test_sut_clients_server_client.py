from __future__ import annotations

import ast
import io
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from flask import jsonify
from flask import redirect
from flask import request
from flask import session
from servers import serving

from pytest_evosearch.sut.clients.server_client import Client
from pytest_evosearch.sut.clients.server_client import conftest_of_server
from pytest_evosearch.sut.fixture_texts.support_text import asks_server


def make_app() -> Flask:
    app = Flask(__name__)
    app.secret_key = "known"

    @app.route("/echo", methods=("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"))
    def echo() -> Any:
        return jsonify(
            method=request.method,
            query=request.args.to_dict(flat=False),
            form=request.form.to_dict(flat=False),
            files=[
                [n, f.filename, f.mimetype, f.read().decode()] for n, f in request.files.items()
            ],
            json=request.get_json(silent=True),
            body=request.get_data(as_text=True),
            type=request.content_type,
            mark=request.headers.get("X-Mark"),
            cookies=request.cookies,
            user=request.authorization
            and [
                request.authorization.username,
                request.authorization.password,
            ],
        )

    @app.get("/away")
    def away() -> Any:
        return redirect(request.args["to"])

    @app.get("/visits")
    def visits() -> Any:
        session["visits"] = session.get("visits", 0) + 1
        return str(session["visits"])

    @app.get("/umlaut")
    def umlaut() -> Any:
        return "ä".encode(), 200, {"Content-Type": "text/plain"}

    return app


def client_of_conftest(url: str) -> Any:
    """Return the client that the written tests have."""
    names: dict[str, Any] = {}
    exec(compile(conftest_of_server(url), "conftest.py", "exec"), names)
    return names["Client"](url)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(make_app()) as address:
        yield address


@pytest.fixture(params=[Client, client_of_conftest], ids=["of the search", "of the tests"])
def client(request: pytest.FixtureRequest, url: str) -> Iterator[Any]:
    made = request.param(url)
    yield made
    made.close()


CALLS: tuple[dict[str, Any], ...] = (
    {"query_string": {"q": "a b", "n": [1, 2]}},
    {"query_string": "q=a+b&q=c"},
    {"json": {"a": ["é", None]}, "method": "POST"},
    {"data": {"a": "x y", "b": ["1", "2"]}, "method": "PUT"},
    {"data": "grüße", "content_type": "text/plain", "method": "PATCH"},
    {"data": b"\x01", "content_type": "application/x", "method": "POST"},
    {"headers": {"X-Mark": "here"}, "method": "DELETE"},
    {"headers": [("X-Mark", "here")], "method": "OPTIONS"},
    {"auth": ("ann", "pässword")},
)


@pytest.mark.parametrize("arguments", CALLS, ids=lambda call: next(iter(call)))
def test_requests_arrive_as_those_of_flasks_client(client: Any, arguments: dict[str, Any]) -> None:
    expected = make_app().test_client().open("/echo", **arguments)
    answer = client.open("/echo", **arguments)
    assert answer.json == expected.json
    assert (answer.status_code, answer.mimetype) == (200, "application/json")


def test_files_are_sent_with_name_and_type(client: Any) -> None:
    upload = (io.BytesIO(b"content"), "a.txt", "text/x-a")
    plain = (io.BytesIO(b"more"), "b.txt")
    answer = client.post("/echo", data={"note": "n", "one": upload, "two": [plain]})
    assert answer.json["form"] == {"note": ["n"]}
    assert answer.json["files"][0] == ["one", "a.txt", "text/x-a", "content"]
    assert answer.json["files"][1][:2] == ["two", "b.txt"]


@pytest.mark.parametrize("method", ["get", "post", "put", "patch", "delete", "options", "trace"])
def test_every_method_has_a_name(client: Any, method: str) -> None:
    assert getattr(client, method)("/echo").json["method"] == method.upper()


def test_head_has_no_body(client: Any) -> None:
    assert client.head("/echo").data == b""


@pytest.mark.parametrize("place", ["/there?a=1", "https://example.org/there"])
def test_redirects_are_not_followed(client: Any, place: str) -> None:
    answer = client.get("/away", query_string={"to": place})
    assert answer.status_code == 302
    assert answer.location == answer.headers["location"] == place


def test_a_redirect_within_the_server_is_a_path(client: Any, url: str) -> None:
    inside = client.get("/away", query_string={"to": f"{url}/there"})
    assert inside.location == inside.headers["Location"] == "/there"
    other = f"{url[:-1]}/there"
    assert client.get("/away", query_string={"to": other}).location == other


def test_cookies_are_kept_by_one_client_alone(client: Any, url: str) -> None:
    assert [client.get("/visits").text, client.get("/visits").text] == ["1", "2"]
    other = Client(url)
    assert other.get("/visits").text == "1"
    other.close()


@pytest.mark.parametrize("names", [("mark", "x"), ("localhost", "mark", "x")])
def test_cookies_can_be_set_as_every_werkzeug_wants_it(client: Any, names: Any) -> None:
    client.set_cookie(*names)
    assert client.get("/echo").json["cookies"] == {"mark": "x"}


def test_text_without_a_charset_is_utf_8(client: Any) -> None:
    assert client.get("/umlaut").text == "ä"


def test_passwords_of_netrc_and_proxies_are_not_used(
    client: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login ann password secret\n")
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    assert client.get("/echo").json["user"] is None


def test_the_written_conftest_is_plain_python_of_its_own() -> None:
    text = conftest_of_server("http://127.0.0.1:5000", "evosearch_reset")
    imported = {
        name.name
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Import)
        for name in node.names
    }
    assert imported == {"os", "pytest", "requests"}
    assert "pytest_evosearch" not in text
    assert 'os.environ.get("EVOSEARCH_URL", "http://127.0.0.1:5000")' in text
    assert max(map(len, text.splitlines())) <= 88
    assert "def reset_server(evosearch_reset):" in text
    assert "reset_server" not in conftest_of_server("http://127.0.0.1:5000")


def test_a_conftest_says_what_its_tests_ask() -> None:
    assert asks_server(conftest_of_server("http://127.0.0.1:5000"))
    assert not asks_server("import pytest\n")


@pytest.mark.parametrize("line", ["import requests", "import requests_mock"])
def test_a_conftest_that_uses_requests_for_something_else_asks_no_server(line: str) -> None:
    assert not asks_server(f"import pytest\n{line}\n")
