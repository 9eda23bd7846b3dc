"""Tokens that end are known by their claims, wherever they stand in a text."""

from __future__ import annotations

import base64
import json
import time

import pytest

from pytest_evosearch.genes.web_tokens import LATE
from pytest_evosearch.genes.web_tokens import claims_of
from pytest_evosearch.genes.web_tokens import holds_ending_token

DAY = 86_400
"""Seconds: longer than the tests of this project take after they were collected."""


def token(**claims: object) -> str:
    parts = [{"alg": "HS256"}, claims]
    shown = [base64.urlsafe_b64encode(json.dumps(one).encode()).rstrip(b"=") for one in parts]
    return b".".join([*shown, b"signature"]).decode()


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        (token(exp=time.time() + DAY), True),
        (f"Bearer {token(exp=int(time.time()) + DAY)}", True),
        (token(exp=LATE), False),
        (token(exp=1_000_000_000), False),
        (token(sub="mira"), False),
        ("eyJ.eyJ.", False),
        ("a word", False),
    ],
    ids=["soon", "in a header", "late", "has ended", "no end", "no token", "no dots"],
)
def test_tokens_that_end_are_known(text: str, ends: bool) -> None:
    assert holds_ending_token(text) is ends


def test_claims_are_read_whoever_has_signed_them() -> None:
    assert claims_of(token(sub="mira")) == {"sub": "mira"}
    assert claims_of("a.b.c") is None
    assert claims_of("word") is None
