"""What the cookie of a session holds."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from flask import Flask
from flask import session

from pytest_evosearch.sut.clients.session_cookies import session_reader


def cookie_of(app: Flask, fields: dict[str, Any]) -> str:
    @app.get("/enter")
    def enter() -> str:
        session.update(fields)
        return "in"

    client = app.test_client()
    client.get("/enter")
    return client.get_cookie("session").value


@pytest.fixture
def app() -> Flask:
    app = Flask("desk")
    app.secret_key = "of this machine"
    return app


def test_fields_of_the_application_s_own_session_are_read(app: Flask) -> None:
    fields = {"user_id": 7, "role": "admin", "rooms": [1, 2], "is_new": False}
    value = cookie_of(app, fields)
    assert session_reader(app)("session", value) == fields
    assert session_reader(app)("other", value) is None
    assert session_reader(app)("session", f"{value}x") is None
    other = Flask("other")
    other.secret_key = "of another machine"
    assert session_reader(other)("session", value) is None
    assert session_reader(Flask("without a key"))("session", value) is None


def test_a_session_that_no_literal_tells_is_left_a_cookie(app: Flask) -> None:
    value = cookie_of(app, {"since": datetime.datetime(2024, 5, 6, tzinfo=datetime.timezone.utc)})
    assert session_reader(app)("session", value) is None
