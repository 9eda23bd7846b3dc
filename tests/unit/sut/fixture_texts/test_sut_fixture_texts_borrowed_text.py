"""The written sources of borrowed fixtures."""

from __future__ import annotations

import ast

import pytest

from pytest_evosearch.sut.fixture_texts.borrowed_text import client_of_connexion
from pytest_evosearch.sut.fixture_texts.borrowed_text import client_of_fixture

ROWS = ("default_settings", "admin_user", "moderator_user", "forum_category", "topic_of_user")


@pytest.mark.parametrize("isolated", [False, True])
def test_client_asks_for_the_application_and_the_rows(isolated: bool) -> None:
    for source in (
        client_of_fixture("application", isolated, ROWS),
        client_of_connexion("application", "application.app", isolated, ROWS),
    ):
        (function,) = ast.parse(source).body
        assert isinstance(function, ast.FunctionDef)
        assert [one.arg for one in function.args.args] == ["application", *ROWS]
        # As black breaks it: one to a line, and no line is long.
        assert "def client(\n    application,\n    default_settings,\n" in source
        assert max(map(len, source.splitlines())) <= 79


def test_few_rows_stay_on_one_line() -> None:
    assert "def client(application, user):\n" in client_of_fixture("application", False, ("user",))
