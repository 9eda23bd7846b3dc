"""Tells whether a JSON web token is signed with a setting of this machine.

On another machine, or with another ``.env``, the same token has a wrong signature.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
from collections.abc import Container
from collections.abc import Iterable
from collections.abc import Mapping

WEB_TOKEN = re.compile(r"eyJ[\w-]+\.[\w-]+\.[\w-]+")

_HASHES = (hashlib.sha256, hashlib.sha384, hashlib.sha512)


def machine_keys(settings: Mapping[str, object], constants: Container[object]) -> list[bytes]:
    """Return the texts among settings that the code does not contain: other machines differ."""
    held = (value for value in settings.values() if value and value not in constants)
    texts = [value.encode() if isinstance(value, str) else value for value in held]
    return [text for text in texts if isinstance(text, bytes)]


def is_signed_with(text: str, keys: Iterable[bytes]) -> bool:
    """Say whether a text contains a token that is signed with one of the keys."""
    tokens = WEB_TOKEN.findall(text)
    return any(_is_signed(token, key) for token in tokens for key in keys)


def _is_signed(token: str, key: bytes) -> bool:
    said, _, signature = token.rpartition(".")
    try:
        sent = base64.urlsafe_b64decode(signature + "=" * (-len(signature) % 4))
    except (binascii.Error, ValueError):
        return False
    return any(hmac.digest(key, said.encode(), one().name) == sent for one in _HASHES)
