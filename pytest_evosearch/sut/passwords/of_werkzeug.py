"""Passwords of Werkzeug: our salts repeat, and hashes with them are a cheap digest."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from collections.abc import Iterator
from typing import Any

import werkzeug.security

from pytest_evosearch.sut.passwords.library import MEMORY
from pytest_evosearch.sut.passwords.library import Maker
from pytest_evosearch.sut.passwords.library import PasswordLibrary
from pytest_evosearch.sut.passwords.library import Passwords
from pytest_evosearch.sut.passwords.library import memoised
from pytest_evosearch.sut.passwords.library import passing_function
from pytest_evosearch.sut.patches import Patches
from pytest_evosearch.sut.patches import Replacement

_SALT_CHARACTER = "a"
"""The only character of our salts, which identifies their hashes."""


def _cheapen(patches: Patches, security: Any) -> None:
    if hasattr(security, "_hash_internal"):
        patches.wrap(security, "_hash_internal", _cheap_for_our_salts)
        patches.wrap(security, "gen_salt", _constant_for_hashing)


def _watch(_patches: Patches, security: Any, passwords: Passwords) -> Iterator[Replacement]:
    checked = passwords.checked(security.check_password_hash, _MAKER, hash_first=True)
    yield Replacement((security,), "check_password_hash", checked)


def _cheap_for_our_salts(original: Callable[..., Any]) -> Callable[..., Any]:
    """Replace a password hash with our salt by a digest that takes microseconds."""
    real = memoised(original)
    passwords: dict[str, str] = {}

    def hash_internal(method: str, salt: str, password: str) -> tuple[str, str]:
        if salt.strip(_SALT_CHARACTER) or not isinstance(password, str):
            return real(method, salt, password)  # type: ignore[no-any-return]
        example, actual_method = real(method, salt, "")
        if not example:  # the method ``plain`` of old Werkzeug versions keeps the password
            return real(method, salt, password)  # type: ignore[no-any-return]
        text = f"{actual_method}${salt}${password}".encode()
        digest = hashlib.shake_256(text).hexdigest(len(example) // 2)
        if len(passwords) < MEMORY:
            passwords[f"{actual_method}${salt}${digest}"] = password
        return digest, actual_method

    hash_internal.passwords = passwords  # type: ignore[attr-defined]
    return hash_internal


def _constant_for_hashing(original: Callable[..., str]) -> Callable[..., str]:
    """Return a salt source that repeats itself only for password hashes.

    Applications use `gen_salt` for tokens, too, which must differ.
    """
    hashing = werkzeug.security.generate_password_hash.__code__

    def gen_salt(length: int) -> str:
        if length > 0 and sys._getframe(1).f_code is hashing:
            return _SALT_CHARACTER * length
        return original(length)

    return gen_salt


_MAKER = Maker(
    "werkzeug.security.generate_password_hash",
    lambda _receiver, password: werkzeug.security.generate_password_hash(password),
    "from werkzeug.security import generate_password_hash",
    "generate_password_hash({password})",
)

WERKZEUG = PasswordLibrary(
    "Werkzeug",
    "werkzeug.security",
    _watch,
    passing_function("werkzeug.security", "check_password_hash"),
    binding="check_password_hash",
    cheapen=_cheapen,
    maker=_MAKER,
    noting="_hash_internal",
)
