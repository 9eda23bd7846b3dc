"""Finds the private half of a key pair among the application's values.

A check only uses the public half. An application that issues tokens has the private half, too: as
PEM in a setting, or as a key of `cryptography`, Authlib or joserfc.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import field
from typing import Any

from pytest_evosearch.core.quick_dataclasses import dataclass

MOST_LOOKS = 3
"""Most searches for a key, which may be loaded late."""

_PEM = "-----BEGIN "
_PRIVATE = "PRIVATE KEY-----"


@dataclass
class KeyPairs:
    """Remembers the private half for each public one."""

    held: Callable[[], Iterable[object]] = tuple
    """Returns all values of the application."""
    _found: dict[bytes, object] = field(default_factory=dict)
    _looks: dict[bytes, int] = field(default_factory=dict)

    def private_half(self, key: object) -> object | None:
        """Return the private half of a pair in its stored form, None when there is none."""
        public = public_part(key)
        if public is None:
            return None
        looks = self._looks.get(public, 0)
        if public not in self._found and looks < MOST_LOOKS:
            self._looks[public] = looks + 1
            for value in self.held():
                if is_private(value) and public_part(value) == public:
                    self._found[public] = value
                    break
        return self._found.get(public)


def is_private(key: object) -> bool:
    """Say whether a value is a private key in a known form."""
    return key_of(key, "private") is not None


def public_part(key: object) -> bytes | None:
    """Return the public half of a key in a common form; None when it is not part of a pair."""
    from cryptography.hazmat.primitives.serialization import Encoding
    from cryptography.hazmat.primitives.serialization import PublicFormat

    with suppress(Exception):  # something that looks like a key need not be one
        private = key_of(key, "private")
        public: Any = private.public_key() if private is not None else key_of(key, "public")
        return bytes(public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))
    return None


def key_of(key: object, half: str) -> Any:
    """Return one half of a pair as a key of `cryptography`, None when there is none."""
    with suppress(Exception):
        if isinstance(key, (str, bytes)):
            return _loaded(key if isinstance(key, bytes) else key.encode(), half)
        return _held_half(key, half)
    return None


def _loaded(text: bytes, half: str) -> Any:
    from cryptography.hazmat.primitives import serialization

    if _PEM.encode() not in text or (_PRIVATE.encode() in text) != (half == "private"):
        return None
    if half == "private":
        return serialization.load_pem_private_key(text, None)
    return serialization.load_pem_public_key(text)


def _held_half(key: Any, half: str) -> Any:
    package = type(key).__module__.partition(".")[0]
    if package == "cryptography":
        is_private = hasattr(key, "private_bytes")
        return key if hasattr(key, f"{half}_bytes") and is_private == (half == "private") else None
    if package == "jwt":
        return key_of(key.key, half)  # a key of a PyJWT key set
    if package == "authlib":
        return key_of(getattr(key, f"get_{half}_key")(), half)
    return key_of(getattr(key, f"{half}_key"), half) if package == "joserfc" else None
