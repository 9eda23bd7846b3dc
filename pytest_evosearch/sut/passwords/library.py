"""What the search and written tests need of a library that hashes passwords."""

from __future__ import annotations

import sys
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from functools import wraps
from typing import TYPE_CHECKING
from typing import Any

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.patches import Patches
from pytest_evosearch.sut.patches import Replacement

if TYPE_CHECKING:
    from pytest_evosearch.instrument.probing.weighing import Scales

MEMORY = 4096
"""Most distinct calls, or hashes with their passwords, that are remembered for each function."""

Check = Callable[..., Any]


@dataclass(frozen=True)
class Maker:
    """How a library hashes a password: in the search, and in a written test."""

    name: str
    """Name for a call in a test; empty when the test should contain the hash."""
    make: Callable[[Any, str], Any]
    """Takes the first argument of the check, and the password."""
    imports: str = ""
    code: str = ""
    """The call in a fixture, with ``{password}``; empty when the test should contain the hash."""


@dataclass(frozen=True)
class PasswordLibrary:
    """One library, or a part of one that applications use by itself."""

    name: str
    """Name of the library for the user."""
    module: str
    """Module that is loaded where the application uses the library."""
    watch: Callable[[Patches, Any, Passwords], Iterable[Replacement]]
    """Lets the checks of the loaded module report; returns functions to replace everywhere."""
    any_password: str
    """The text of a fixture that accepts any password."""
    binding: str = ""
    """Name that modules of the application import, where this shows that they use the library."""
    cheapen: Callable[[Patches, Any], None] | None = None
    """Makes new hashes of the module, which is imported for this, cheap."""
    maker: Maker | None = None
    noting: str = ""
    """Function of the module that remembers passwords once it is cheap (`noted`)."""

    @property
    def passwords(self) -> Mapping[str, str]:
        """The passwords that were hashed or checked so far, by their stored hash."""
        function = getattr(sys.modules.get(self.module), self.noting or "?", None)
        return getattr(function, "passwords", {})


class Passwords:
    """Knows the passwords of hashes, and wraps functions that check them."""

    def __init__(self, scales: Scales, hashed: Callable[[], Mapping[str, str]]) -> None:
        self.scales = scales
        self._hashed = hashed
        self._known: dict[str, str] = {}

    def noted(self, make: Check) -> Check:
        """Return a wrapper of a method that hashes its first argument after the receiver."""

        @wraps(make)
        def hashed(receiver: Any, secret: Any, *arguments: Any, **keywords: Any) -> Any:
            result = make(receiver, secret, *arguments, **keywords)
            key, password = text_of(result), text_of(secret)
            if key is not None and password is not None and len(self._known) < MEMORY:
                self._known[key] = password
            return result

        return hashed

    def checked(
        self, check: Check, maker: Maker, *, hash_first: bool, method: bool = False
    ) -> Check:
        """Return a wrapper of a function that checks a password with a hash.

        `maker` makes a hash of this kind from a password.
        """

        @wraps(check)
        def checked(*arguments: Any, **keywords: Any) -> Any:
            try:
                passed = check(*arguments, **keywords)
            except Exception:
                self._report(arguments, maker, hash_first, method)
                raise
            if passed:
                self.scales.note_passed()
            else:
                self._report(arguments, maker, hash_first, method)
            return passed

        return checked

    def _report(
        self, arguments: tuple[Any, ...], maker: Maker, hash_first: bool, method: bool
    ) -> None:
        compared = arguments[method:]
        if not self.scales.in_use or len(compared) < 2:
            return
        hashed, password = compared[:2] if hash_first else compared[1::-1]
        wanted = self.behind(hashed)
        observed, stored = text_of(password), text_of(hashed)
        if wanted is not None and observed is not None:
            self.scales.weigh(observed, wanted)
        elif observed is not None and stored is not None:
            with suppress(Exception):  # the application may have passed anything
                made = text_of(maker.make(arguments[0], observed))
                if made is not None:
                    self.scales.weigh_hash(observed, made, maker.name, stored)

    def behind(self, hashed: object) -> str | None:
        """Return the password of a hash that was made in this run, or None."""
        key = text_of(hashed)
        if key is None:
            return None
        return self._known.get(key) or self._hashed().get(key)


def memoised(original: Callable[..., Any]) -> Callable[..., Any]:
    """Remember the results of `original`; pass through arguments that cannot be remembered."""
    remembered = lru_cache(MEMORY)(original)

    def call(*arguments: Any, **keywords: Any) -> Any:
        try:
            return remembered(*arguments, **keywords)
        except TypeError:  # unhashable, or a wrong call: the original decides
            return original(*arguments, **keywords)

    return call


def text_of(value: object) -> str | None:
    """Return a text, also of bytes; None for anything else."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if isinstance(value, str) else None


def passing_function(module: str, function: str) -> str:
    """Return the text of a fixture that lets a function for checks accept any password."""
    return f'''\
@pytest.fixture
def any_password(monkeypatch):
    """Let any password pass: of those that the application knows there are hashes only."""
    import sys

    import {module}

    check = {module}.{function}

    def any_password():
        for module in list(sys.modules.values()):
            if vars(module).get("{function}") is check:
                monkeypatch.setattr(module, "{function}", lambda *_, **__: True)

    return any_password
'''


def passing_method(module: str, owner: str) -> str:
    """Return the text of a fixture that lets the method ``verify`` accept any password."""
    return f'''\
@pytest.fixture
def any_password(monkeypatch):
    """Let any password pass: of those that the application knows there are hashes only."""
    from {module} import {owner}

    def any_password():
        monkeypatch.setattr({owner}, "verify", staticmethod(lambda *_, **__: True))

    return any_password
'''
