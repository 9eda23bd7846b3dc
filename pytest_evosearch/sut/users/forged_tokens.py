"""Makes forgeries of a signed token, which must not be accepted.

    changed signature   one letter of the signature differs
    changed payload     the payload says more (JWT), or is spelled otherwise; the signature stays
    alg none            a JWT without a signature, which says so
    expired             the claims of the token, which ended long ago; signed as they have to be
    wrong audience      the claims of the token for another audience; signed as they have to be

The last two are only made when the token has that claim and its key was seen.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import field
from typing import Any

from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.quick_dataclasses import dataclass

LATE = 4102444800
"""End of a changed token: the year 2100, so that its end is no reason to refuse it."""

LONG_AGO = 86_400
"""End of an expired token: the second day of 1970."""

ANOTHER_AUDIENCE = "another-audience"

DIGESTS = frozenset({20, 28, 32, 48, 64})
"""Lengths of itsdangerous signatures in bytes: SHA-1 to SHA-512."""

MOST_FORGED = 512
"""Most tokens that are remembered."""

Sign = Callable[[Mapping[str, Any]], str]
"""Signs claims as the application would."""


@dataclass
class ForgedTokens:
    """Forges tokens, and remembers the kind of each."""

    signers: Mapping[str, Sign] = field(default_factory=dict)
    """Accepted token -> function that signs other claims for the same check."""
    known: dict[str, str] = field(default_factory=dict)
    """Forged token -> its kind."""

    def forge(self, token: str) -> list[str]:
        """Return forgeries of a token; none for any other text."""
        found = []
        for kind, forged in forgeries(token, self.signers.get(token)):
            if forged != token and len(self.known) < MOST_FORGED:
                self.known[forged] = kind
                found.append(forged)
        return found


def forgeries(token: str, sign: Sign | None = None) -> Iterator[tuple[str, str]]:
    """Yield kinds of forgeries and tokens; none for a text that is no signed token."""
    claims = claims_of(token)
    if claims is not None:
        yield from _of_jwt(token, claims, sign)
    elif _is_signed(token):
        payload, _, signature = token.rpartition(".")
        yield "changed signature", f"{payload}.{_changed(signature)}"
        respelled = _respelled(payload)
        if respelled:
            yield "changed payload", f"{respelled}.{signature}"


def _of_jwt(token: str, claims: Mapping[str, Any], sign: Sign | None) -> Iterator[tuple[str, str]]:
    head, _payload, signature = token.split(".")
    lasting = {**claims, **({"exp": LATE} if "exp" in claims else {})}
    said = _encoded({**lasting, "forged": True})
    yield "alg none", f"{_encoded({'alg': 'none', 'typ': 'JWT'})}.{_encoded(lasting)}."
    yield "changed payload", f"{head}.{said}.{signature}"
    signed = _signed(sign, lasting) or token
    yield "changed signature", f"{signed.rpartition('.')[0]}.{_changed(signed.rpartition('.')[2])}"
    if "exp" in claims and (expired := _signed(sign, {**claims, "exp": LONG_AGO})):
        yield "expired", expired
    if "aud" in claims and (other := _signed(sign, {**lasting, "aud": ANOTHER_AUDIENCE})):
        yield "wrong audience", other


def _signed(sign: Sign | None, claims: Mapping[str, Any]) -> str:
    if sign is not None:
        with suppress(Exception):  # a library that the application has chosen
            return sign(claims)
    return ""


def claims_of(token: str) -> dict[str, Any] | None:
    """Return the claims of a JWT, None for any other text."""
    parts = token.split(".")
    if len(parts) != 3:
        return None
    head, claims = (_decoded(part) for part in parts[:2])
    is_token = isinstance(head, dict) and "alg" in head and isinstance(claims, dict)
    return claims if is_token and isinstance(claims, dict) else None


def _is_signed(token: str) -> bool:
    """Say whether a text looks signed by itsdangerous."""
    payload, _, signature = token.rpartition(".")
    return bool(payload) and len(_bytes_of(signature)) in DIGESTS


def _respelled(payload: str) -> str:
    """Return an itsdangerous payload with one more blank in its JSON; empty for any other."""
    said, dot, time = payload.partition(".")
    value = _decoded(said)
    if value is None:
        return ""
    return f"{_encoded(value, separators=(', ', ' : '))}{dot}{time}"


def _changed(signature: str) -> str:
    """Return a signature with another letter in its middle: the last may hold unused bits."""
    place = len(signature) // 2
    letter = "A" if signature[place : place + 1] != "A" else "B"
    return f"{signature[:place]}{letter}{signature[place + 1 :]}"


def _decoded(part: str) -> Any:
    with suppress(ValueError):
        return json.loads(_bytes_of(part))
    return None


def _bytes_of(part: str) -> bytes:
    with suppress(ValueError, binascii.Error):
        return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    return b""


def _encoded(value: object, separators: tuple[str, str] = (",", ":")) -> str:
    text = json.dumps(value, separators=separators)
    return base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()
