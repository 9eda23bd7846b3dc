"""Makes slow functions fast for the time of a search.

Password hashing is slow on purpose: 50 to 240 ms a call, which is most of the time of a test
that registers and logs in.  Hashes that are made during the search get a cheap digest of the
same form; hashes that existed before are checked for real, once for each password.  Looking up a
name without a network takes seconds where it is slow to fail.
"""

from __future__ import annotations

import hashlib
import importlib
import socket
import sys
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import ExitStack
from contextlib import contextmanager
from contextlib import suppress
from functools import lru_cache
from types import ModuleType
from typing import Any

import werkzeug.security

MEMORY = 4096
"""Distinct (method, salt, password) triples, or hosts, that are remembered."""

FEWEST_ROUNDS = 4
"""The least that bcrypt takes, as a power of two; its default of 12 takes 200 ms."""

_SALT_CHARACTER = "a"
"""Salts made during a search consist of it, which tells their hashes from real ones."""


@contextmanager
def memoised_password_hashing() -> Iterator[None]:
    """Make password hashing of Werkzeug, and of bcrypt where it is installed, cheap until the end.

    Changes nothing that an application can see, except that salts repeat, and that those of
    bcrypt ask for the fewest rounds.  The application is not loaded yet, nor is its bcrypt.
    """
    with ExitStack() as stack:
        security = werkzeug.security
        if hasattr(security, "_hash_internal"):
            stack.enter_context(_replaced(security, "_hash_internal", _cheap_for_our_salts))
            stack.enter_context(_replaced(security, "gen_salt", _constant_for_hashing))
        with suppress(ImportError):
            bcrypt = importlib.import_module("bcrypt")
            stack.enter_context(_replaced(bcrypt, "gensalt", _with_few_rounds))
            for name in ("hashpw", "checkpw", "gensalt"):
                stack.enter_context(_replaced(bcrypt, name, _memoised))
        yield


@contextmanager
def remembered_look_up_failures() -> Iterator[None]:
    """Let a host that could not be looked up fail the same way until the end, at once.

    Found ones are looked up again: addresses change.
    """
    with _replaced(socket, "getaddrinfo", _failing_again):
        yield


def _failing_again(original: Callable[..., Any]) -> Callable[..., Any]:
    failures: dict[object, tuple[Any, ...]] = {}

    def getaddrinfo(host: Any, port: Any, *arguments: Any, **keywords: Any) -> Any:
        key = (host, port, arguments, tuple(keywords.items()))
        if key in failures:
            raise socket.gaierror(*failures[key])
        try:
            return original(host, port, *arguments, **keywords)
        except socket.gaierror as failure:
            if len(failures) < MEMORY:
                failures[key] = failure.args
            raise

    return getaddrinfo


def hashed_passwords() -> Mapping[str, str]:
    """Return the passwords that were hashed or checked so far, by their hash as it is stored."""
    found = getattr(getattr(werkzeug.security, "_hash_internal", None), "passwords", None)
    return found if isinstance(found, dict) else {}


def _cheap_for_our_salts(original: Callable[..., Any]) -> Callable[..., Any]:
    """Replace the hash of passwords with our salt by a digest that takes microseconds."""
    real = _memoised(original)
    passwords: dict[str, str] = {}

    def hash_internal(method: str, salt: str, password: str) -> tuple[str, str]:
        if salt.strip(_SALT_CHARACTER) or not isinstance(password, str):
            return real(method, salt, password)  # type: ignore[no-any-return]
        example, actual_method = real(method, salt, "")
        if not example:  # the method ``plain`` of old Werkzeugs keeps the password
            return real(method, salt, password)  # type: ignore[no-any-return]
        text = f"{actual_method}${salt}${password}".encode()
        digest = hashlib.shake_256(text).hexdigest(len(example) // 2)
        if len(passwords) < MEMORY:
            passwords[f"{actual_method}${salt}${digest}"] = password
        return digest, actual_method

    hash_internal.passwords = passwords  # type: ignore[attr-defined]
    return hash_internal


def _memoised(original: Callable[..., Any]) -> Callable[..., Any]:
    """Remember the results of `original`; arguments that cannot be remembered pass through."""
    remembered = lru_cache(MEMORY)(original)

    def call(*arguments: Any, **keywords: Any) -> Any:
        try:
            return remembered(*arguments, **keywords)
        except TypeError:  # unhashable, or a wrong call: the original decides
            return original(*arguments, **keywords)

    return call


def _constant_for_hashing(original: Callable[..., str]) -> Callable[..., str]:
    """Return a salt source that repeats itself for password hashes, and for nobody else.

    Applications use `gen_salt` for tokens too, which have to stay different.
    """
    hashing = werkzeug.security.generate_password_hash.__code__

    def gen_salt(length: int) -> str:
        if length > 0 and sys._getframe(1).f_code is hashing:
            return _SALT_CHARACTER * length
        return original(length)

    return gen_salt


def _with_few_rounds(original: Callable[..., bytes]) -> Callable[..., bytes]:
    """Return a source of bcrypt's salts whose hashes take a millisecond."""

    def gensalt(rounds: int = FEWEST_ROUNDS, prefix: bytes = b"2b") -> bytes:
        return original(min(rounds, FEWEST_ROUNDS), prefix)

    return gensalt


@contextmanager
def _replaced(
    module: ModuleType, name: str, wrap: Callable[[Callable[..., Any]], Callable[..., Any]]
) -> Iterator[None]:
    original = getattr(module, name)
    setattr(module, name, wrap(original))
    try:
        yield
    finally:
        setattr(module, name, original)
