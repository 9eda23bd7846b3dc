"""Unset environment variables that an application reads while it is created.

The failure mostly names a missing setting (``Either 'SQLALCHEMY_DATABASE_URI' or ...``), or
nothing, and rarely the variable. For three kinds of variables a harmless value is enough: the
address for SQLAlchemy, the secret for signatures, and what the code turns into a number. A library
may read for the application (``config("DATABASE_URL")`` of python-decouple).

Where the failure does name the variable, a text may be enough. A client of a service reads its key
itself (``the api_key option must be set ... or the GROQ_API_KEY environment variable``).
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import contextmanager
from contextlib import suppress
from linecache import getline
from pathlib import Path
from types import FrameType
from typing import Any

from pytest_evosearch.core.english import words_of
from pytest_evosearch.sut.surroundings import is_project_file

MOST_NAMES = 6
"""Most names in one line for the user."""

NOT_SET = "not set, but read by the application: "

DOTENV_ADVICE = ".env has them: install python-dotenv, with which the flask command reads it"

_DATABASE = re.compile(
    r"(^|_)(database|db|sqlalchemy|postgres(ql)?|mysql)(_\w+)?_(url|uri)$", re.IGNORECASE
)
_SECRET = re.compile(r"(^|_)(secret|secret_key|jwt_secret|jwt_secret_key|salt)$", re.IGNORECASE)

_NUMBER = re.compile(r"\b(int|float)\b")
"""``int(os.environ["PORT"])``, ``config("PORT", cast=int)``, ``env.int("PORT")``."""

_DEFAULT = re.compile(r"\bdefault\s*=\s*(?!None\b)|^\s*,\s*(?!None\b)(?![\w.]+\s*=[^=])[^\s)]")
"""``config("PORT", default=5, cast=int)``, ``env.int("PORT", 5)``: what follows the name."""

MOST_FRAMES = 8
"""Most frames of a library between its read of a variable and the project."""

_ADDRESS = "http://localhost"
_SCHEME = re.compile(r"['\"(]([a-z][a-z0-9+.-]*://)")
"""``Invalid URI scheme: URI must begin with 'mongodb://' or ...``."""

_VALUES = (
    (("port",), "8000"),
    (("host", "hostname", "server", "domain"), "localhost"),
    (("url", "uri", "endpoint"), _ADDRESS),
    (("email", "mail", "sender"), "inga@example.org"),
    (("dir", "folder", "directory", "path"), "."),
    (("timeout", "size", "limit", "count", "number", "workers"), "1"),
    (("debug", "enabled", "verbose"), "0"),
)
"""Values by the last word of a variable's name, for code that uses the value."""

IN_MEMORY = "sqlite://"
SECRET = "a-secret-that-only-tests-have-0123456789"
"""Long enough for every signature: PyJWT warns about fewer than 32 bytes."""

_BETWEEN = (os.getenv.__code__.co_filename, "_collections_abc.py")
"""Ends of file names whose frames lie between the read of a variable and its caller."""


class UnsetVariables(dict[str, str]):
    """The names that were read without a value or a default, each with the line that reads it."""

    def __init__(self) -> None:
        super().__init__()
        self.required: set[str] = set()
        """Those without which the read itself raises ``KeyError``."""
        self.of_libraries: set[str] = set()
        """Further names, of which any is needed only if a failure names it.

        Libraries read them for themselves while the project calls them, or code asks for them.
        """


@contextmanager
def noted_unset_variables(root: Path) -> Iterator[UnsetVariables]:
    """Yield the names that code below `root` reads without a value or a default."""
    names = UnsetVariables()
    real: Any = type(os.environ)
    reader = _Reader(root)

    class Environ(real):  # type: ignore[misc] # a class of the standard library's that has no name
        def __getitem__(self, key: str) -> Any:
            try:
                return super().__getitem__(key)
            except KeyError:
                if self._note(key):
                    names.required.add(key)
                raise

        def __contains__(self, key: object) -> bool:
            try:
                super().__getitem__(key)
            except KeyError:
                reader.note_question(names, str(key), sys._getframe(1))
                return False
            return True

        def get(self, key: str, default: Any = None) -> Any:
            try:
                return super().__getitem__(key)
            except KeyError:
                if default in (None, ""):  # an empty text replaces no other value
                    self._note(key)
                return default

        def _note(self, key: str) -> bool:
            return reader.note(names, key, sys._getframe(2))

    environment: Any = os.environ
    environment.__class__ = Environ
    try:
        yield names
    finally:
        environment.__class__ = real


class _Reader:
    """Finds the line of the project that reads a variable.

    A library may read thousands of variables while it is imported (pytz: one for each time zone),
    so the place of each file is looked up once.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._is_own: dict[str, bool] = {}
        """File of a frame -> whether it belongs to the project."""

    def note(self, names: UnsetVariables, key: str, frame: FrameType) -> bool:
        """Note that `frame` reads a variable; say whether it does so for the project."""
        line = self.line_of_project(frame) or self.line_through_library(frame, key)
        if line:
            names.setdefault(key, line)
        elif self.is_called_by_project(frame):
            names.of_libraries.add(key)
        return bool(line)

    def note_question(self, names: UnsetVariables, key: str, frame: FrameType) -> None:
        """Note that `frame` asks whether a variable is set.

        The project's own code that asks works without it, unless a failure then names it.
        """
        if line := self.line_through_library(frame, key):
            names.setdefault(key, line)
        elif self.is_called_by_project(frame):
            names.of_libraries.add(key)

    def line_of_project(self, frame: FrameType | None) -> str:
        """Return the line of the project that reads a variable itself, else an empty text."""
        while frame is not None and frame.f_code.co_filename.endswith(_BETWEEN):
            frame = frame.f_back
        if frame is None or not self._belongs(frame.f_code.co_filename):
            return ""
        return getline(frame.f_code.co_filename, frame.f_lineno) or "?"

    def line_through_library(self, frame: FrameType | None, name: str) -> str:
        """Return the line of the project that has a library read a variable, else an empty text.

        The line names the variable, and gives no default. Libraries read variables of their own,
        too.
        """
        is_library = False
        for _ in range(MOST_FRAMES):
            line = self.line_of_project(frame)
            if line:
                named = re.search(rf"""["']{re.escape(name)}["']""", line)
                needed = named is not None and not _DEFAULT.search(line[named.end() :])
                return line if is_library and needed else ""
            if frame is None:
                break
            is_library |= not frame.f_code.co_filename.endswith(_BETWEEN)
            frame = frame.f_back
        return ""

    def is_called_by_project(self, frame: FrameType | None) -> bool:
        """Say whether the project calls the code that reads a variable; it may do so by others."""
        for _ in range(MOST_FRAMES):
            if frame is None or self._belongs(frame.f_code.co_filename):
                break
            frame = frame.f_back
        return frame is not None and self._belongs(frame.f_code.co_filename)

    def _belongs(self, file: str) -> bool:
        if file not in self._is_own:
            self._is_own[file] = is_project_file(Path(file), self._root)
        return self._is_own[file]


def is_secret(name: str) -> bool:
    """Say whether a variable or a setting of that name holds a secret for signatures."""
    return bool(_SECRET.search(name))


def stand_ins(names: Mapping[str, str], database: str | None = None) -> dict[str, str]:
    """Return values for those variables for which any value is enough.

    `names` has the line that reads each of them. `database` is the address for variables of
    databases; the default is SQLite.
    """
    found = {}
    for name, line in names.items():
        if is_secret(name):
            found[name] = SECRET
        elif _DATABASE.search(name) and (database or "sqlalchemy" in sys.modules):
            found[name] = database or IN_MEMORY
        elif _NUMBER.search(line):
            found[name] = "1"
    return found


def stand_ins_named(names: UnsetVariables, said: str) -> dict[str, str]:
    """Return texts for those variables that a failure names."""
    every = (*names, *sorted(names.of_libraries - names.keys()))
    return {name: stand_in(name) for name in every if re.search(rf"\b{re.escape(name)}\b", said)}


def stand_in(name: str) -> str:
    """Return a text for a variable of the environment."""
    words = words_of(name.lower())
    for endings, text in _VALUES:
        if words and words[-1] in endings:
            return text
    return "a-text-that-only-tests-have-0123456789"


def with_demanded_scheme(given: Mapping[str, str], said: str) -> dict[str, str]:
    """Return variables, the addresses with the scheme that a failure demands; none without one."""
    demanded = _SCHEME.search(said)
    if demanded is None or _ADDRESS not in given.values():
        return {}
    address = f"{demanded[1]}localhost"
    return {name: address if value == _ADDRESS else value for name, value in given.items()}


def unset_again(names: Iterable[str]) -> None:
    """Remove variables from the environment."""
    for name in names:
        os.environ.pop(name, None)


def describe_unset_variables(names: Iterable[str], root: Path) -> list[str]:
    """Return the phrase for the user, none when every variable is set."""
    listed = list(names)
    if not listed:
        return []
    more = ", ..." if len(listed) > MOST_NAMES else ""
    phrase = f"{NOT_SET}{', '.join(listed[:MOST_NAMES])}{more}"
    text = ""
    with suppress(OSError):
        text = (root / ".env").read_text(encoding="utf-8", errors="replace")
    is_there = any(name in text for name in listed)
    return [f"{phrase} ({DOTENV_ADVICE})" if is_there else phrase]
