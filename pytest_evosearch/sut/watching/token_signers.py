"""Signs claims with the library that checks a token, by the key of the check."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.watching.token_claims import text_of

KEY = "<key>"
"""Marks the key in the code of a token."""

CLAIMS = "<claims>"
"""Marks the claims in the code of a token."""

ANY_KEY = "any key will do, for nothing asks which it was"


@dataclass(frozen=True)
class Signer:
    """Signs claims so that one check accepts them."""

    sign: Callable[[Mapping[str, Any]], str]
    imports: str
    code: str
    """Code that signs; `KEY` and `CLAIMS` mark both."""
    key: str


def pyjwt_signer(given: Mapping[str, Any]) -> Signer | None:
    """Return a signer for a check of PyJWT, None when no key for it is known."""
    import jwt

    key: Any = given.get("key")
    algorithms = given.get("algorithms") or ()
    if is_unverified(given):
        algorithms, key = ("HS256",), ANY_KEY
    if isinstance(key, jwt.PyJWK):
        algorithms, key = algorithms or (key.algorithm_name,), key.key

    for algorithm in algorithms if text_of(key) else ():
        sign = partial(_encoded, key=key, algorithm=algorithm)
        with suppress(Exception):  # errors about a key that does not fit
            sign({})
            code = f'jwt.encode({CLAIMS}, {KEY}, algorithm="{algorithm}")'
            return Signer(sign, "import jwt", code, text_of(key))
    return None


def _encoded(claims: Mapping[str, Any], **options: Any) -> str:
    import jwt

    return jwt.encode(dict(claims), **options)


def is_unverified(given: Mapping[str, Any]) -> bool:
    """Say whether a call of PyJWT only reads a token, without a check of its signature."""
    return not (given.get("options") or {}).get("verify_signature", True)
