"""Faults found by pytest-evosearch 0.1.0: each test fails today and is marked so.

When you fix one, pytest reports XPASS(strict) as a failure: delete its ``xfail``
mark and the test guards the fix.  See them all with:  pytest -rx

Regenerate with:  pytest --evosearch=30m
Tests you edit or rename are kept when the file is regenerated.
These tests are in the public domain (CC0): use them in any way.
"""

import pytest


@pytest.mark.xfail(
    raises=OverflowError,
    strict=True,
    reason="flaskr/blog.py:42: Python int too large to convert to SQLite INTEGER",
)
def test_get_update_huge_id_does_not_raise_overflow_error(client, auth):
    auth.login()

    response = client.get("/9223372036854775808/update")

    assert response.status_code < 500
