from __future__ import annotations

import pytest

from pytest_evosearch.oracles.leaks import secrets_of


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("SECRET_KEY", "k9-planted-secret-77", True),
        ("SECRET_KEY", b"192b9bdd22ab9ed4d12e236c", True),
        ("MAIL_PASSWORD", "correct horse battery staple", True),
        ("SECRET_KEY", "development", False),
        ("SECRET_KEY", "top-secret!", False),
        ("SECRET_KEY", "a1", False),
        ("SECRET_KEY", None, False),
        ("WTF_CSRF_SECRET_KEY_NAME", "csrf-token-0123", False),
        ("SERVER_NAME", "shop-01.example.com", False),
    ],
)
def test_only_secrets_that_would_be_recognised_count(name: str, value: object, found: bool) -> None:
    assert (name in secrets_of({name: value})) is found
