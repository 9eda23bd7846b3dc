"""Finds the private half of a key pair in what the application keeps.

A check knows the public half alone.  The application that issues such tokens has the private half,
too: as PEM in a setting, as a key of `cryptography`, or as one of Authlib or joserfc.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from dataclasses import field
from typing import Any

MOST_LOOKS = 3
"""How often a key is looked for: it may be loaded late."""

_PEM = "-----BEGIN "
_PRIVATE = "PRIVATE KEY-----"


@dataclass
class KeyPairs:
    """Remembers which private half belongs to a public one."""

    held: Callable[[], Iterable[object]] = tuple
    """Everything that the application keeps."""
    _found: dict[bytes, object] = field(default_factory=dict)
    _looks: dict[bytes, int] = field(default_factory=dict)

    def private_half(self, key: object) -> object | None:
        """Return what the application keeps of a pair, as it is kept; None where it is not."""
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
    """Say whether something is a private key, in one of the forms that are known."""
    return key_of(key, "private") is not None


def public_part(key: object) -> bytes | None:
    """Return the public half of a key in one form for all; None where it is none of a pair."""
    from cryptography.hazmat.primitives.serialization import Encoding
    from cryptography.hazmat.primitives.serialization import PublicFormat

    with suppress(Exception):  # what looks like a key need not be one
        private = key_of(key, "private")
        public: Any = private.public_key() if private is not None else key_of(key, "public")
        return bytes(public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))
    return None


def key_of(key: object, half: str) -> Any:
    """Return a half of a pair as a key of `cryptography`, None where there is none."""
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
        return key_of(key.key, half)  # a key of a set of PyJWT
    if package == "authlib":
        return key_of(getattr(key, f"get_{half}_key")(), half)
    return key_of(getattr(key, f"{half}_key"), half) if package == "joserfc" else None
