"""The libraries that hash passwords: a further one is a module, and a row here."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from typing import TYPE_CHECKING

from pytest_evosearch.sut.passwords.library import Maker
from pytest_evosearch.sut.passwords.library import Passwords
from pytest_evosearch.sut.passwords.of_argon2 import ARGON2
from pytest_evosearch.sut.passwords.of_bcrypt import BCRYPT
from pytest_evosearch.sut.passwords.of_passlib import HANDLERS
from pytest_evosearch.sut.passwords.of_passlib import HTPASSWD
from pytest_evosearch.sut.passwords.of_werkzeug import WERKZEUG

if TYPE_CHECKING:
    from pytest_evosearch.instrument.probing.weighing import Scales

LIBRARIES = (WERKZEUG, BCRYPT, HTPASSWD, HANDLERS, ARGON2)
"""Those that others build on come first."""


def _makers() -> Iterator[Maker]:
    for library in LIBRARIES:
        if library.maker is not None and library.maker.code:
            yield library.maker


MAKERS: Mapping[str, Maker] = {maker.name: maker for maker in _makers()}
"""Function that hashes a password -> how a fixture does it."""


def fixture_code(maker: str) -> tuple[str, str]:
    """Return the import and the call by which a fixture makes a hash; empty for other makers."""
    known = MAKERS.get(maker)
    return (known.imports, known.code) if known is not None else ("", "")


def hashed_passwords() -> Mapping[str, str]:
    """Return the passwords that were hashed or checked so far, by their stored hash."""
    return {key: text for library in LIBRARIES for key, text in library.passwords.items()}


def passwords_for(scales: Scales) -> Passwords:
    """Return what knows the passwords of hashes, and reports checks to `scales`."""
    return Passwords(scales, hashed_passwords)
