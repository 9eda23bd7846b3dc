"""What a JWT says of itself, without a key: a value that ends is of no use later."""

from __future__ import annotations

import base64
import re
from contextlib import suppress
from typing import Any

from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.isolation import time

LATE = 4102444800
"""When a token ends that is meant to stay: the year 2100."""

_SHAPE = re.compile(r"eyJ[\w-]+\.eyJ[\w-]+\.[\w-]*")
"""Header and claims are objects: in base64 they begin alike."""


def claims_of(token: str) -> dict[str, Any] | None:
    """Return the claims of a token, None where it is no JWT; no signature is checked."""
    parts = token.split(".")
    if len(parts) == 3:
        with suppress(ValueError):
            decoded = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
            if isinstance(decoded, dict):
                return decoded
    return None


def holds_ending_token(text: str) -> bool:
    """Say whether a text holds a JWT that is believed today, and some day it is not.

    One that has ended is refused for ever.
    """
    return any(_ends(claims_of(found[0]) or {}) for found in _SHAPE.finditer(text))


def _ends(claims: dict[str, Any]) -> bool:
    end = claims.get("exp")
    return isinstance(end, (int, float)) and time.time() < end < LATE
