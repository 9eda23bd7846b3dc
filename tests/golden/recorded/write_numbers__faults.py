"""Faults found by pytest-evosearch 0.1.0: each test fails today and is marked so.

When you fix one, pytest reports XPASS(strict) as a failure: delete its ``xfail``
mark and the test guards the fix.  See them all with:  pytest -rx

Regenerate with:  pytest --evosearch=30m
Tests you edit or rename are kept when the file is regenerated.
These tests are in the public domain (CC0): use them in any way.
"""

import pytest


@pytest.mark.xfail(
    raises=Exception,
    strict=True,
    reason="numbers.py:7: value out of range",
)
def test_get_bessj_huge_n_does_not_raise_data_error(client):
    response = client.get("/api/bessj/1000000000000")

    assert response.status_code < 500


@pytest.mark.xfail(raises=Exception, strict=True, reason='numbers.py:9: bad "value"')
def test_get_expint_negative_n_does_not_raise_overflow(client):
    response = client.get("/api/expint/-1")

    assert response.status_code < 500


@pytest.mark.xfail(
    raises=AssertionError,
    strict=True,
    reason='numbers.py:9: bad "value"',
)
def test_get_remainder_zero_n_does_not_raise_overflow(client):
    response = client.get("/api/remainder/0")

    assert response.status_code < 500
