"""Reads the claims of a JWT without a key, to keep tokens that expire out of later tests."""

from __future__ import annotations

import base64
import re
from contextlib import suppress
from typing import Any

from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.isolation import time

LATE = 4102444800
"""A token that expires after this time counts as permanent: the year 2100."""

_SHAPE = re.compile(r"eyJ[\w-]+\.eyJ[\w-]+\.[\w-]*")
"""Header and claims are objects: in base64 they begin alike."""


def claims_of(token: str) -> dict[str, Any] | None:
    """Return the claims of a token without a check of its signature, None for any other text."""
    parts = token.split(".")
    if len(parts) == 3:
        with suppress(ValueError):
            decoded = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
            if isinstance(decoded, dict):
                return decoded
    return None


def holds_ending_token(text: str) -> bool:
    """Say whether a text contains a JWT that is valid today and expires later.

    An expired one is always refused, so it does not count.
    """
    return any(_ends(claims_of(found[0]) or {}) for found in _SHAPE.finditer(text))


def _ends(claims: dict[str, Any]) -> bool:
    end = claims.get("exp")
    return isinstance(end, (int, float)) and time.time() < end < LATE
