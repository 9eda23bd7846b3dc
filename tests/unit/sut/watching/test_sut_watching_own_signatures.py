"""A token that a setting of this machine signs is another one elsewhere."""

from __future__ import annotations

import base64
import hashlib
import hmac

import pytest

from pytest_evosearch.sut.watching.own_signatures import is_signed_with
from pytest_evosearch.sut.watching.own_signatures import machine_keys


def token(key: str) -> str:
    said = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0"
    signature = hmac.digest(key.encode(), said.encode(), hashlib.sha256().name)
    return f"{said}.{base64.urlsafe_b64encode(signature).decode().rstrip('=')}"


@pytest.mark.parametrize(
    ("text", "is_bound"),
    [
        (f"Bearer {token('from-dotenv')}", True),
        (f"Bearer {token('in the code')}", False),
        (f"Bearer {token('of another')}", False),
        ("Bearer a", False),
        ("eyJh.eyJz.a", False),
    ],
)
def test_a_token_is_bound_to_a_machine_by_a_key_that_the_code_lacks(
    text: str, *, is_bound: bool
) -> None:
    settings = {"SECRET_KEY": "from-dotenv", "OTHER_KEY": "in the code", "TESTING": True}

    assert is_signed_with(text, machine_keys(settings, {"in the code"})) is is_bound
