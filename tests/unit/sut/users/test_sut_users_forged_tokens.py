"""Forgeries of signed tokens, and what the libraries say of them."""

from __future__ import annotations

import jwt
import pytest
from itsdangerous import BadSignature
from itsdangerous import URLSafeSerializer
from itsdangerous import URLSafeTimedSerializer

from pytest_evosearch.sut.users.forged_tokens import ForgedTokens
from pytest_evosearch.sut.users.forged_tokens import forgeries

KEY = "a key of more than thirty-two bytes, for tests"


def signed(claims):
    return jwt.encode(dict(claims), KEY, algorithm="HS256")


def test_no_forgery_of_a_jwt_passes_its_check():
    token = signed({"sub": "ann", "exp": 4102444799, "aud": "desk"})
    found = dict(forgeries(token, signed))
    assert list(found) == [
        "alg none",
        "changed payload",
        "changed signature",
        "expired",
        "wrong audience",
    ]
    jwt.decode(token, KEY, algorithms=["HS256"], audience="desk")
    for forged in found.values():
        with pytest.raises(jwt.InvalidTokenError):
            jwt.decode(forged, KEY, algorithms=["HS256"], audience="desk")


def test_forgeries_name_whom_the_token_names():
    token = signed({"sub": "ann"})
    for kind, forged in forgeries(token, signed):
        claims = jwt.decode(forged, options={"verify_signature": False})
        assert claims["sub"] == "ann", kind
        assert "exp" not in claims, "a token without an end does not expire"


@pytest.mark.parametrize("maker", [URLSafeSerializer, URLSafeTimedSerializer])
def test_no_forgery_of_itsdangerous_passes_its_check(maker):
    serializer = maker(KEY)
    token = serializer.dumps({"name": "ann"})
    found = dict(forgeries(token))
    assert list(found) == ["changed signature", "changed payload"]
    for forged in found.values():
        assert serializer.loads_unsafe(forged) == (False, {"name": "ann"})
        with pytest.raises(BadSignature):
            serializer.loads(forged)


@pytest.mark.parametrize("text", ["", "hunter2", "a.b.c", "tk-9f31", "1.2.3.4", "mail@example.org"])
def test_other_texts_are_no_tokens(text):
    assert ForgedTokens().forge(text) == []


def test_forged_tokens_are_known_again():
    tokens = ForgedTokens()
    found = tokens.forge(signed({"sub": "ann", "exp": 4102444799}))
    assert [tokens.known[one] for one in found] == [
        "alg none",
        "changed payload",
        "changed signature",
    ], "its key was not seen"
