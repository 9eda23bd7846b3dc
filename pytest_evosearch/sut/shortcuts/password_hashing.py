"""Makes password hashing cheap during a search and in verification runs.

Password hashing is slow on purpose, 50 to 300 ms a call: most of the time of a test that registers
and logs in. Each library gets its own shortcut:

    Werkzeug            our salts repeat; hashes with them are a cheap digest of the same format
    hashlib's keys      ``pbkdf2_hmac`` and ``scrypt``: each distinct call is computed once, and
                        a function that calls them always gets the same random bytes as salt
    bcrypt, passlib     new hashes use the fewest rounds, which are part of the hash
    argon2              new hashes use the least time and memory

Existing hashes are really checked. An application can only notice that salts repeat, and that new
hashes have low costs.

A verification run loads a copy of this file as a plugin (``EVOSEARCH_VERIFY_HASHING=cheap``);
the run of the unchanged tests hashes with full cost (``late``) until it is too slow to finish all
tests: fixtures that create users and log them in take a second each time.  The other runs would
learn nothing from slow hashes.  A copy can import nothing from pytest-evosearch.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import secrets
import sys
import time
import warnings
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import ExitStack
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from types import CodeType
from types import ModuleType
from typing import Any

import werkzeug.security

from pytest_evosearch.sut.patches import Patches

MEMORY = 4096
"""Most distinct calls that are remembered for each function."""

FEWEST_ROUNDS = 4
"""bcrypt's minimum, as a power of two; its default of 12 takes 200 ms."""

_SALT_CHARACTER = "a"
"""The only character of our salts, which identifies their hashes."""

LEAST_KIBIBYTES = 8
"""The least memory that argon2 takes."""

_RANDOM_BYTES = ((os, "urandom"), (secrets, "token_bytes"), (secrets, "token_hex"))
_KEY_DERIVATIONS = ("pbkdf2_hmac", "scrypt")

_configured = ExitStack()

# The application may replace it, and `time-machine` moves the clock.
_monotonic = time.monotonic
_BEGAN = _monotonic()


def pytest_configure(config: Any) -> None:
    """Make hashing cheap in a verification run that asks for it, or once it is late."""
    wanted = os.environ.get("EVOSEARCH_VERIFY_HASHING")
    seconds = os.environ.get("EVOSEARCH_VERIFY_SECONDS")
    if wanted == "cheap":
        _configured.enter_context(cheap_password_hashing())
    elif wanted == "late" and seconds:
        config.pluginmanager.register(Pace(_BEGAN + float(seconds), _monotonic))


def pytest_unconfigure() -> None:
    """Restore everything."""
    _configured.close()


class Pace:
    """Makes hashing cheap as soon as the tests that are left would take too long otherwise."""

    def __init__(self, end: float, now: Callable[[], float]) -> None:
        self._end = end
        self._now = now
        self._left = 0
        self._timed = -1
        """Tests since the first one, which sets up what all share."""
        self._began = 0.0

    def pytest_collection_finish(self, session: Any) -> None:
        """Note how many tests there are."""
        self._left = len(session.items)

    def pytest_runtest_logfinish(self) -> None:
        """Compare the pace of the tests with the time that is left."""
        self._left -= 1
        self._timed += 1
        now = self._now()
        if self._timed == 0:
            self._began = now
        elif self._left and self._is_late(now):
            _configured.enter_context(cheap_password_hashing())
            self._end = float("inf")

    def _is_late(self, now: float) -> bool:
        return (now - self._began) / self._timed * self._left > self._end - now


@contextmanager
def cheap_password_hashing() -> Iterator[None]:
    """Make password hashing cheap inside the block; enter it before the application is loaded."""
    with Patches() as patches:
        security = werkzeug.security
        if hasattr(security, "_hash_internal"):
            patches.wrap(security, "_hash_internal", _cheap_for_our_salts)
            patches.wrap(security, "gen_salt", _constant_for_hashing)
        _derive_keys_once(patches)
        if bcrypt := _imported("bcrypt"):
            patches.wrap(bcrypt, "gensalt", _with_few_rounds)
            patches.wrap(bcrypt, "hashpw", _noting_passwords)
            for name in ("checkpw", "gensalt"):
                patches.wrap(bcrypt, name, _memoised)
        if passlib := _imported("passlib.utils.handlers"):
            patches.wrap(passlib.HasRounds, "_generate_rounds", _fewest_rounds)
        if argon2 := _imported("argon2"):
            patches.wrap(argon2.PasswordHasher, "__init__", _with_little_work)
        yield


def hashed_passwords() -> Mapping[str, str]:
    """Return the passwords that were hashed or checked so far, by their stored hash."""
    hashing = (
        getattr(werkzeug.security, "_hash_internal", None),
        getattr(sys.modules.get("bcrypt"), "hashpw", None),
    )
    found: dict[str, str] = {}
    for function in hashing:
        found |= getattr(function, "passwords", {})
    return found


def has_hashed() -> bool:
    """Say whether a password was hashed so far, as far as this shows here."""
    functions = (getattr(hashlib, name, None) for name in _KEY_DERIVATIONS)
    derived = any(getattr(function, "deriving", ()) for function in functions)
    return derived or bool(hashed_passwords())


def _cheap_for_our_salts(original: Callable[..., Any]) -> Callable[..., Any]:
    """Replace a password hash with our salt by a digest that takes microseconds."""
    real = _memoised(original)
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


def _memoised(original: Callable[..., Any]) -> Callable[..., Any]:
    """Remember the results of `original`; pass through arguments that cannot be remembered."""
    remembered = lru_cache(MEMORY)(original)

    def call(*arguments: Any, **keywords: Any) -> Any:
        try:
            return remembered(*arguments, **keywords)
        except TypeError:  # unhashable, or a wrong call: the original decides
            return original(*arguments, **keywords)

    return call


def _noting_passwords(original: Callable[..., bytes]) -> Callable[..., bytes]:
    """Remember the results of ``bcrypt.hashpw``, and their passwords."""
    remembered = _memoised(original)
    passwords: dict[str, str] = {}

    def hashpw(password: bytes, salt: bytes) -> bytes:
        hashed: bytes = remembered(password, salt)
        if len(passwords) < MEMORY:
            passwords[hashed.decode("ascii")] = password.decode("utf-8", "replace")
        return hashed

    hashpw.passwords = passwords  # type: ignore[attr-defined]
    return hashpw


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


def _derive_keys_once(patches: Patches) -> None:
    """Derive each key only once, and give functions that derive keys repeating salts."""
    deriving: set[object] = set()

    def once(original: Callable[..., Any]) -> Callable[..., Any]:
        remembered = _memoised(original)

        def derive(*arguments: Any, **keywords: Any) -> Any:
            deriving.add(_function(sys._getframe(1).f_code))
            return remembered(*arguments, **keywords)

        derive.deriving = deriving  # type: ignore[attr-defined]
        return derive

    def repeating(original: Callable[..., Any]) -> Callable[..., Any]:
        drawn: dict[object, Any] = {}

        def draw(*arguments: Any, **keywords: Any) -> Any:
            drawing = _function(sys._getframe(1).f_code)
            if drawing not in deriving:
                return original(*arguments, **keywords)
            key = (drawing, arguments, tuple(keywords.items()))
            if key not in drawn:
                drawn[key] = original(*arguments, **keywords)
            return drawn[key]

        return draw

    for name in _KEY_DERIVATIONS:
        if hasattr(hashlib, name):  # some builds of OpenSSL lack scrypt
            patches.wrap(hashlib, name, once)
    for module, name in _RANDOM_BYTES:
        patches.wrap(module, name, repeating)


def _function(code: CodeType) -> tuple[str, int, str]:
    """Return what identifies a function; its code object changes with its probes."""
    return code.co_filename, code.co_firstlineno, code.co_name


def _with_few_rounds(original: Callable[..., bytes]) -> Callable[..., bytes]:
    """Return a source of bcrypt's salts whose hashes take a millisecond."""

    def gensalt(rounds: int = FEWEST_ROUNDS, prefix: bytes = b"2b") -> bytes:
        return original(min(rounds, FEWEST_ROUNDS), prefix)

    return gensalt


def _fewest_rounds(_original: object) -> Any:
    """Return the choice of rounds for passlib's hashes: the minimum."""

    def generate_rounds(handler: Any) -> int:
        return int(handler.min_desired_rounds or handler.min_rounds or 1)

    return classmethod(generate_rounds)


def _with_little_work(original: Callable[..., None]) -> Callable[..., None]:
    """Return an initializer for argon2's ``PasswordHasher`` with the least work."""

    def initialize(hasher: Any, *arguments: Any, **keywords: Any) -> None:
        original(hasher, *arguments, **keywords)
        hasher._parameters = replace(
            hasher._parameters, time_cost=1, memory_cost=LEAST_KIBIBYTES, parallelism=1
        )

    return initialize


def _imported(name: str) -> ModuleType | None:
    """Return a module if it is installed; leave its warnings to the application."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return importlib.import_module(name)
    except ImportError:
        return None
