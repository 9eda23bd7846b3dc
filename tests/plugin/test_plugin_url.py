"""``--evosearch-url``: a running server is searched from outside, and its tests ask it again."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests
from flask import Flask
from servers import serving
from servers import unused_address

SERVER = """
import itertools
import os
import sys
from flask import Flask, abort, jsonify, request
from werkzeug.serving import make_server

app = Flask(__name__, static_folder=None)
numbers = itertools.count(1)
requests_sent = itertools.count(1)
notes = {}
once_only = {}


def fill():
    notes.clear()
    once_only["left"] = True
    notes[next(numbers)] = "the note of somebody"


PATH = {"name": "note_id", "in": "path", "required": True, "schema": {"type": "integer"}}
NAME = {"name": "name", "in": "path", "required": True, "schema": {"type": "string"}}
BODY = {"content": {"application/json": {"schema": {
    "type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}}}}
ANSWERS = {"200": {"description": "fine"}}
DOCUMENT = {"openapi": "3.0.0", "info": {}, "paths": {
    "/notes": {"get": {"responses": ANSWERS}, "post": {"requestBody": BODY, "responses": ANSWERS}},
    "/notes/{note_id}": {"parameters": [PATH], "get": {"responses": ANSWERS},
                         "delete": {"responses": ANSWERS}},
    "/mine": {"get": {"responses": ANSWERS}},
    "/broken": {"get": {"responses": ANSWERS}},
    "/once": {"post": {"responses": ANSWERS}},
    "/settings/{name}": {"put": {"parameters": [NAME], "responses": ANSWERS}},
}}


@app.get("/openapi.json")
def document():
    return jsonify(DOCUMENT)


@app.get("/notes")
def list_notes():
    return jsonify(sorted(notes))


@app.post("/notes")
def create():
    body = request.get_json(silent=True)
    text = body.get("text") if isinstance(body, dict) else None
    if not isinstance(text, str) or not text:
        abort(400)
    number = next(numbers)
    notes[number] = text
    return jsonify(id=number, text=text), 201


@app.get("/notes/<int:number>")
def show(number):
    return jsonify(id=number, text=notes.get(number) or abort(404))


@app.delete("/notes/<int:number>")
def delete(number):
    notes.pop(number, None) or abort(404)
    return "", 204


@app.get("/mine")
def mine():
    if request.headers.get("X-Key") != "k1":
        abort(401)
    return jsonify(owner="ann")


@app.post("/once")
def once():
    return "", 409 if once_only.pop("left", None) is None else 201


@app.put("/settings/<name>")
def set_value(name):
    return jsonify(name=name)


@app.get("/broken")
def broken():
    raise KeyError("no such key")


@app.post("/fill")
def refill():
    fill()
    return ""


@app.before_request
def end():
    if sys.argv[1:] and next(requests_sent) > int(sys.argv[1]):
        os._exit(1)


fill()
server = make_server("127.0.0.1", 0, app, threaded=True)
print(server.server_port, flush=True)
server.serve_forever()
"""

RESET = """
import pytest
import requests


@pytest.fixture
def evosearch_reset():
    return lambda: requests.post("{url}/fill", timeout=5)


@pytest.fixture
def evosearch_users():
    return {{"ann": {{"X-Key": "k1"}}}}
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server in a process of its own."""
    script = tmp_path_factory.mktemp("server") / "server.py"
    script.write_text(SERVER)
    with started(script) as url:
        yield url


@contextmanager
def started(script: Path, *arguments: str) -> Iterator[str]:
    """Run a server in a process of its own, and give its address."""
    with subprocess.Popen(
        [sys.executable, str(script), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        process.kill()


@pytest.fixture
def outside(project):
    """A project without an application, and the real engine."""
    project.plugins = ["-p", "pytest_evosearch.plugin", "-p", "no:randomly"]
    return project


def search(outside, url: str, *arguments: str, budget: str = "70x") -> pytest.RunResult:
    given = [f"--evosearch={budget}", "--evosearch-seed=1", f"--evosearch-url={url}"]
    result: pytest.RunResult = outside.run(*given, *arguments)
    return result


def passing(outside, *arguments: str) -> dict[str, int]:
    """Run the written tests without the plugin, and count how they ended."""
    result = outside.pytester.runpytest_subprocess("-p", "no:evosearch", "-q", *arguments)
    return dict(result.parseoutcomes())


def test_a_server_is_searched_and_its_tests_hold_time_and_again(outside, address: str) -> None:
    requests.post(f"{address}/fill", timeout=5)
    theirs = requests.get(f"{address}/notes", timeout=5).json()[0]
    result = search(outside, address, "-v")
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            f"evosearch: budget=70x algorithm=mio url={address} --evosearch-seed=1",
            f"evosearch: app      {address} *--evosearch-url: its data will change",
            "*source   none (black box) *endpoints 8 (4 with parameters)",
            "*schema   served at /openapi.json",
            "*state    not brought back",
            "faults: 1",
            "  server-error: 5xx: answered 500",
            "    GET /broken *",
            "  1 because it did not happen again: the server keeps what was sent to it",
            "    status POST /once 201",
            "  1 because it would change something on the server that it has not made",
            "    status PUT /settings/{name} 200",
        ]
    )
    assert "the written tests cover" not in result.stdout.str()
    assert "measuring" not in result.stdout.str()
    texts = [path.read_text() for path in (outside.path / "evosearch").glob("test_*.py")]
    assert any('client.delete(f"/notes/' in text for text in texts)
    assert any('reason="answered 500"' in text for text in texts)
    # A note that was there before may be gone by now, but no written test asks for its removal.
    requests.post(f"{address}/fill", timeout=5)
    theirs = requests.get(f"{address}/notes", timeout=5).json()[0]
    outcomes = passing(outside)
    assert outcomes["xfailed"] == 1
    assert outcomes["passed"] >= 3  # bare statuses, which cover nothing here, are left out
    assert outcomes.keys() == {"passed", "xfailed"}
    assert passing(outside, "-W", "error", "--strict-markers") == outcomes
    assert requests.get(f"{address}/notes/{theirs}", timeout=5).status_code == 200


@pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")
def test_the_written_tests_ask_the_server_that_the_environment_names(
    outside, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert search(outside, address, "--evosearch-only=GET /notes", budget="5x").ret == 0
    assert passing(outside) == {"passed": 1}
    monkeypatch.setenv("EVOSEARCH_URL", unused_address())
    assert passing(outside) == {"failed": 1}


@pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")
def test_users_and_the_reset_of_the_project_count_here_too(outside, address: str) -> None:
    outside.write(conftest=RESET.format(url=address))
    result = search(outside, address, "--evosearch-skip=GET /broken")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*auth ann", "*state    brought back by the project"])
    assert "nothing restores the state" not in result.stdout.str()
    conftest = (outside.path / "evosearch" / "conftest.py").read_text()
    assert "def reset_server(evosearch_reset):" in conftest
    texts = [path.read_text() for path in (outside.path / "evosearch").glob("test_*.py")]
    assert any('headers=evosearch_users["ann"]' in text for text in texts)
    assert passing(outside).keys() == {"passed"}


@pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")
def test_a_server_that_goes_away_ends_the_search(outside, tmp_path: Path) -> None:
    script = tmp_path / "server.py"
    script.write_text(SERVER)
    with started(script, "100") as url:
        result = search(outside, url, budget="5000x")
    assert result.ret == 2
    line = f"notice: the server at {url} does not answer any more, since * (Connection refused)"
    result.stdout.fnmatch_lines(["files: none written", line])
    assert "it did not happen again" not in result.stdout.str()


def refusal(outside, url: str, *arguments: str) -> str:
    """Return the one line that explains why nothing was done."""
    result = search(outside, url, *arguments)
    assert result.ret == 4
    assert "Traceback" not in result.stdout.str() + result.stderr.str()
    (line,) = [line for line in result.errlines if line.startswith("ERROR: evosearch: ")]
    assert "paste this" not in result.stdout.str()
    return line


def test_a_server_that_does_not_answer(outside) -> None:
    url = unused_address()
    line = refusal(outside, url)
    assert line == (
        f"ERROR: evosearch: --evosearch-url={url}: the server does not answer "
        "(Connection refused): start it first"
    )


def test_a_server_beyond_loopback_has_to_be_allowed(outside) -> None:
    line = refusal(outside, "https://staging.example.org")
    assert line.endswith("if that is meant, add --evosearch-allow-net=staging.example.org")


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("127.0.0.1:5000", "is not the address of a server"),
        ("ftp://127.0.0.1", "is not the address of a server"),
        ("http://127.0.0.1:99999", "is not the address of a server"),
        ("http://127.0.0.1:5000/shop", "without a path"),
        ("http://ann:secret@127.0.0.1", "no password in the address of 127.0.0.1"),
    ],
)
def test_an_address_that_cannot_be_used(outside, url: str, complaint: str) -> None:
    line = refusal(outside, url)
    assert complaint in line
    assert "secret" not in line


@pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")
def test_a_server_that_says_nothing_of_itself(outside) -> None:
    with serving(Flask("silent", static_folder=None)) as url:
        line = refusal(outside, url)
    assert line == (
        f"ERROR: evosearch: {url} serves neither an OpenAPI document at the usual places nor "
        "a page at /: name the document, a file or a route, with --evosearch-schema"
    )


@pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")
def test_tests_of_an_application_and_of_a_server_do_not_share_a_folder(
    outside, address: str
) -> None:
    outside.write(evosearch__conftest="import pytest\n")
    line = refusal(outside, address)
    assert "conftest.py is for tests of an application in their own process" in line
    assert line.endswith("name another folder with --evosearch-output")


def test_no_other_search_imports_requests() -> None:
    program = (
        "import sys; import pytest_evosearch.bridge.session, pytest_evosearch.engine.run; "
        "sys.exit('requests' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
