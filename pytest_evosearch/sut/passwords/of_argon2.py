"""Passwords of argon2-cffi: new hashes use the least time and memory."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from pytest_evosearch.sut.passwords.library import Maker
from pytest_evosearch.sut.passwords.library import PasswordLibrary
from pytest_evosearch.sut.passwords.library import Passwords
from pytest_evosearch.sut.passwords.library import passing_method
from pytest_evosearch.sut.patches import Patches
from pytest_evosearch.sut.patches import Replacement

LEAST_KIBIBYTES = 8
"""The least memory that argon2 takes."""


def _cheapen(patches: Patches, argon2: Any) -> None:
    patches.wrap(argon2.PasswordHasher, "__init__", _with_little_work)


def _with_little_work(original: Callable[..., None]) -> Callable[..., None]:
    """Return an initializer for ``PasswordHasher`` with the least work."""

    def initialize(hasher: Any, *arguments: Any, **keywords: Any) -> None:
        original(hasher, *arguments, **keywords)
        hasher._parameters = replace(
            hasher._parameters, time_cost=1, memory_cost=LEAST_KIBIBYTES, parallelism=1
        )

    return initialize


def _watch(patches: Patches, argon2: Any, passwords: Passwords) -> Iterable[Replacement]:
    hasher = argon2.PasswordHasher
    patches.wrap(hasher, "hash", passwords.noted)
    patches.wrap(
        hasher,
        "verify",
        lambda check: passwords.checked(check, _MAKER, hash_first=True, method=True),
    )
    return ()


_MAKER = Maker("argon2.PasswordHasher", lambda hasher, password: hasher.hash(password))

ARGON2 = PasswordLibrary(
    "argon2-cffi",
    "argon2",
    _watch,
    passing_method("argon2", "PasswordHasher"),
    cheapen=_cheapen,
    maker=_MAKER,
)
