"""Passwords of bcrypt: new hashes use the fewest rounds, which are part of the hash."""

from __future__ import annotations

import sys
from collections.abc import Callable
from collections.abc import Iterator
from typing import Any

from pytest_evosearch.sut.passwords.library import MEMORY
from pytest_evosearch.sut.passwords.library import Maker
from pytest_evosearch.sut.passwords.library import PasswordLibrary
from pytest_evosearch.sut.passwords.library import Passwords
from pytest_evosearch.sut.passwords.library import memoised
from pytest_evosearch.sut.passwords.library import passing_function
from pytest_evosearch.sut.patches import Patches
from pytest_evosearch.sut.patches import Replacement

FEWEST_ROUNDS = 4
"""bcrypt's minimum, as a power of two; its default of 12 takes 200 ms."""


def _cheapen(patches: Patches, bcrypt: Any) -> None:
    patches.wrap(bcrypt, "gensalt", _with_few_rounds)
    patches.wrap(bcrypt, "hashpw", _noting_passwords)
    for name in ("checkpw", "gensalt"):
        patches.wrap(bcrypt, name, memoised)


def _watch(_patches: Patches, bcrypt: Any, passwords: Passwords) -> Iterator[Replacement]:
    stand_in = passwords.checked(bcrypt.checkpw, _MAKER, hash_first=False)
    yield Replacement((bcrypt,), "checkpw", stand_in)


def _with_few_rounds(original: Callable[..., bytes]) -> Callable[..., bytes]:
    """Return a source of salts whose hashes take a millisecond."""

    def gensalt(rounds: int = FEWEST_ROUNDS, prefix: bytes = b"2b") -> bytes:
        return original(min(rounds, FEWEST_ROUNDS), prefix)

    return gensalt


def _noting_passwords(original: Callable[..., bytes]) -> Callable[..., bytes]:
    """Remember the results of ``bcrypt.hashpw``, and their passwords."""
    remembered = memoised(original)
    passwords: dict[str, str] = {}

    def hashpw(password: bytes, salt: bytes) -> bytes:
        hashed: bytes = remembered(password, salt)
        if len(passwords) < MEMORY:
            passwords[hashed.decode("ascii")] = password.decode("utf-8", "replace")
        return hashed

    hashpw.passwords = passwords  # type: ignore[attr-defined]
    return hashpw


def _hashed(_receiver: Any, password: str) -> Any:
    module = sys.modules["bcrypt"]
    return module.hashpw(password.encode(), module.gensalt())


_MAKER = Maker(
    "bcrypt.hashpw",
    _hashed,
    "import bcrypt",
    "bcrypt.hashpw({password}.encode(), bcrypt.gensalt()).decode()",
)

BCRYPT = PasswordLibrary(
    "bcrypt",
    "bcrypt",
    _watch,
    passing_function("bcrypt", "checkpw"),
    binding="checkpw",
    cheapen=_cheapen,
    maker=_MAKER,
    noting="hashpw",
)
