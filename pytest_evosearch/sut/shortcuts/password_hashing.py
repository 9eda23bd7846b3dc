"""Makes password hashing cheap during a search and in verification runs.

Password hashing is slow on purpose, 50 to 300 ms a call: most of the time of a test that registers
and logs in. Each library gets its own shortcut:

    hashlib's keys      ``pbkdf2_hmac`` and ``scrypt``: each distinct call is computed once, and
                        a function that calls them always gets the same random bytes as salt
    libraries           `sut.passwords.password_libraries`

Existing hashes are really checked. An application can only notice that salts repeat, and that new
hashes have low costs.

A verification run loads a copy of this file as a plugin (``EVOSEARCH_VERIFY_HASHING=cheap``);
the run of the unchanged tests hashes with full cost (``late``) until it is too slow to finish all
tests: fixtures that create users and log them in take a second each time.  The other runs would
learn nothing from slow hashes.  What a copy imports of pytest-evosearch must load little.
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
from contextlib import ExitStack
from contextlib import contextmanager
from types import CodeType
from types import ModuleType
from typing import Any

from pytest_evosearch.sut.passwords.library import memoised
from pytest_evosearch.sut.passwords.password_libraries import LIBRARIES
from pytest_evosearch.sut.passwords.password_libraries import hashed_passwords
from pytest_evosearch.sut.patches import Patches

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
        _derive_keys_once(patches)
        for library in LIBRARIES:
            if library.cheapen and (module := _imported(library.module)):
                library.cheapen(patches, module)
        yield


def has_hashed() -> bool:
    """Say whether a password was hashed so far, as far as this shows here."""
    functions = (getattr(hashlib, name, None) for name in _KEY_DERIVATIONS)
    derived = any(getattr(function, "deriving", ()) for function in functions)
    return derived or bool(hashed_passwords())


def _derive_keys_once(patches: Patches) -> None:
    """Derive each key only once, and give functions that derive keys repeating salts."""
    deriving: set[object] = set()

    def once(original: Callable[..., Any]) -> Callable[..., Any]:
        remembered = memoised(original)

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


def _imported(name: str) -> ModuleType | None:
    """Return a module if it is installed; leave its warnings to the application."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return importlib.import_module(name)
    except ImportError:
        return None
