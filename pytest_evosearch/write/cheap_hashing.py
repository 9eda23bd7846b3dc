"""A pytest plugin for verification runs: passwords are hashed within microseconds.

Hashing a password takes 50 to 300 ms on purpose, which is most of the time of tests that log
in.  The run of the tests as they are pays for it; the runs under other circumstances would
learn nothing from paying again.  Only hashes that are made in the same process are cheap: what
a database or a constant holds is checked for real.

Like every plugin of a verification run it is copied, and imports nothing of pytest-evosearch.

    EVOSEARCH_VERIFY_HASHING   ``cheap`` to hash so
"""

from __future__ import annotations

import hashlib
import importlib
import os
from functools import partial
from types import ModuleType
from typing import Any

CHEAPEST_ROUNDS = 4
"""The least that bcrypt takes, as a power of two."""


class CheapHashes:
    """Stands for the hashing of ``werkzeug.security``."""

    def __init__(self, security: Any) -> None:
        self._hash_internal, self._gen_salt = security._hash_internal, security.gen_salt
        self._salts: set[str] = set()
        self._shapes: dict[str, tuple[int, str]] = {}
        """Method -> bytes of its hashes, and its full name (``pbkdf2:sha256:600000``)."""

    def gen_salt(self, length: int) -> str:
        """Return a salt as always, and remember it."""
        salt = str(self._gen_salt(length))
        self._salts.add(salt)
        return salt

    def hash_internal(self, method: str, salt: str, password: str) -> tuple[str, str]:
        """Return a digest in the form of the real hash where the salt is of this process."""
        if salt not in self._salts or not isinstance(password, str):
            return self._hash_internal(method, salt, password)  # type: ignore[no-any-return]
        if method not in self._shapes:
            example, full_method = self._hash_internal(method, salt, "")
            self._shapes[method] = self._shapes[full_method] = (len(example) // 2, full_method)
        length, full_method = self._shapes[method]
        if not length:  # the method ``plain`` keeps the password
            return self._hash_internal(method, salt, password)  # type: ignore[no-any-return]
        text = f"{full_method}${salt}${password}".encode()
        return hashlib.shake_256(text).hexdigest(length), full_method


def pytest_configure() -> None:
    """Make hashing cheap for the rest of the process, when asked to."""
    if os.environ.get("EVOSEARCH_VERIFY_HASHING") != "cheap":
        return
    security: Any = _imported("werkzeug.security")
    if hasattr(security, "_hash_internal") and hasattr(security, "gen_salt"):
        hashes = CheapHashes(security)
        security._hash_internal, security.gen_salt = hashes.hash_internal, hashes.gen_salt
    bcrypt: Any = _imported("bcrypt")
    if hasattr(bcrypt, "gensalt"):
        bcrypt.gensalt = partial(_cheap_salt, bcrypt.gensalt)


def _cheap_salt(original: Any, rounds: int = 12, prefix: bytes = b"2b") -> bytes:
    """Return a salt of bcrypt that asks for no more than `CHEAPEST_ROUNDS`."""
    return bytes(original(min(rounds, CHEAPEST_ROUNDS), prefix))


def _imported(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None
