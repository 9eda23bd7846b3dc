"""A refusal that many addresses share is told once, whatever its status."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")

CLOSED = """
from hashlib import sha256

from flask import Flask
from flask import Response
from flask import request

app = Flask(__name__)


def answer(inner, status="ok"):
    text = f'<reply status="{status}">{inner}</reply>'
    return Response(text, mimetype="text/xml")


@app.before_request
def who():
    token = request.args.get("t", "").encode()
    if sha256(token).hexdigest() != "5e88":
        return answer('<error code="40">wrong token</error>', "failed")


@app.get("/songs")
def songs():
    return answer("<song/>" * int(request.args.get("n", 2)))


@app.get("/songs/<int:n>")
def song(n):
    return answer(f'<song id="{n}"/>')


@app.get("/lists")
def lists():
    return answer("<list/>" if request.args else "")


@app.post("/stars")
def star():
    return answer("<star/>")


@app.get("/users")
def users():
    return answer("".join(f'<user name="{name}"/>' for name in "ab"))
"""


@pytest.fixture
def engine(project):
    """The project fixture, with the real engine."""
    project.plugins = ["-p", "pytest_evosearch.plugin"]
    return project


def test_wall_is_one_table_and_the_first_line_of_the_summary(engine) -> None:
    engine.write(closed=CLOSED)
    result = engine.run(
        "--evosearch=150x", "--evosearch-app=closed:app", "--evosearch-seed=1", once=True
    )
    assert result.ret == 0
    lines = result.outlines
    summary = next(number for number, line in enumerate(lines) if " evosearch " in line)
    assert lines[summary + 1].startswith("no one was let in (5 of 5 endpoints refuse)")

    written = sorted(path.name for path in (engine.path / "evosearch").glob("test_*.py"))
    assert written == ["test_evosearch_access.py"]
    text = (engine.path / "evosearch" / written[0]).read_text()
    assert text.count("\ndef test_") == 1
    assert "def test_anonymous_is_refused(client, method, path):" in text
    assert text.count('("GET", "/') == 4
    assert text.count('("POST", "/stars")') == 1
    assert 'assert xml.attrib == {"status": "failed"}' in text
    assert 'assert xml.findtext("error") == "wrong token"' in text
