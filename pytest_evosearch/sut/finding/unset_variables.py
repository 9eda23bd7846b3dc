"""Variables of the environment that an application asks for while it is made, and that are not set.

What goes wrong names the setting that is missing (``Either 'SQLALCHEMY_DATABASE_URI' or ...``), or
nothing at all, rarely the variable that it should have come from.  Two kinds of variables can do
with a harmless value: where SQLAlchemy is to connect to, and what is to be signed with.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from collections.abc import Iterator
from contextlib import contextmanager
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

from pytest_evosearch.sut.surroundings import is_project_file

MOST_NAMES = 6
"""Names that fit into one line for the user."""

DOTENV_ADVICE = ".env sets them for the flask command only: pytest-dotenv does so for pytest"

_DATABASE = re.compile(
    r"(^|_)(database|db|sqlalchemy|postgres(ql)?|mysql)(_\w+)?_(url|uri)$", re.IGNORECASE
)
_SECRET = re.compile(r"(^|_)(secret|secret_key|jwt_secret|jwt_secret_key|salt)$", re.IGNORECASE)

IN_MEMORY = "sqlite://"
SECRET = "a-secret-that-only-tests-have-0123456789"
"""Long enough for whatever it signs: PyJWT warns of less than 32 bytes."""

_BETWEEN = (os.getenv.__code__.co_filename, "_collections_abc.py")
"""Ends of the files whose frames lie between a question and the one who asks."""


@contextmanager
def noted_unset_variables(root: Path) -> Iterator[dict[str, None]]:
    """Yield the names that code below `root` reads, and that have neither value nor default."""
    names: dict[str, None] = {}
    real: Any = type(os.environ)

    class Environ(real):  # type: ignore[misc] # a class of the standard library's that has no name
        def __getitem__(self, key: str) -> Any:
            try:
                return super().__getitem__(key)
            except KeyError:
                self._note(key)
                raise

        def __contains__(self, key: object) -> bool:  # who asks so goes on without it
            try:
                super().__getitem__(key)
            except KeyError:
                return False
            return True

        def get(self, key: str, default: Any = None) -> Any:
            try:
                return super().__getitem__(key)
            except KeyError:
                if default in (None, ""):  # an empty text is put in no other's place
                    self._note(key)
                return default

        def _note(self, key: str) -> None:
            if _is_asked_below(root, sys._getframe(2)):
                names.setdefault(key)

    environment: Any = os.environ
    environment.__class__ = Environ
    try:
        yield names
    finally:
        environment.__class__ = real


def _is_asked_below(root: Path, frame: FrameType | None) -> bool:
    while frame is not None and frame.f_code.co_filename.endswith(_BETWEEN):
        frame = frame.f_back
    return frame is not None and is_project_file(Path(frame.f_code.co_filename), root)


def is_secret(name: str) -> bool:
    """Say whether a variable or a setting of that name holds what is signed with."""
    return bool(_SECRET.search(name))


def stand_ins(names: Iterable[str], database: str | None = None) -> dict[str, str]:
    """Return values for those of the variables that can do with any.

    `database` is an address for those that name one; without it SQLite has to do.
    """
    found = {}
    for name in names:
        if is_secret(name):
            found[name] = SECRET
        elif _DATABASE.search(name) and (database or "sqlalchemy" in sys.modules):
            found[name] = database or IN_MEMORY
    return found


def unset_again(names: Iterable[str]) -> None:
    """Take variables out of the environment."""
    for name in names:
        os.environ.pop(name, None)


def describe_unset_variables(names: Iterable[str], root: Path) -> list[str]:
    """Return the phrase for the user, none where all that was asked for is set."""
    listed = list(names)
    if not listed:
        return []
    more = ", ..." if len(listed) > MOST_NAMES else ""
    phrase = f"not set, but read by the application: {', '.join(listed[:MOST_NAMES])}{more}"
    text = ""
    with suppress(OSError):
        text = (root / ".env").read_text(encoding="utf-8", errors="replace")
    is_there = any(name in text for name in listed)
    return [f"{phrase} ({DOTENV_ADVICE})" if is_there else phrase]
