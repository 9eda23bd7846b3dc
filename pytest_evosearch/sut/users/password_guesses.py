"""Guesses passwords of accounts that an earlier run of the application stored.

An earlier start of the application has stored its first accounts in a file, where only their hashes
are readable. But the source may contain the accounts, ``User("admin",
generate_password_hash("cat"))``, or a password may equal the user's name.

    for each row with a name and a hash
        the name, then the texts in places of passwords, those nearest to the name in its
        file first
"""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from werkzeug.security import check_password_hash

from pytest_evosearch.sut.finding.project_scan import parsed
from pytest_evosearch.sut.finding.project_scan import read_source
from pytest_evosearch.sut.finding.project_scan import source_files
from pytest_evosearch.sut.users.accounts import Person

MOST_GUESSES = 40
"""Most passwords that are checked: each takes 60 (scrypt) to 170 ms (pbkdf2)."""

GUESSES_PER_PERSON = 4

_PASSWORD = re.compile(r"passw|pwd|hash", re.IGNORECASE)
_OF_WERKZEUG = ("pbkdf2:", "scrypt:")


@dataclass(frozen=True)
class _Text:
    """A text in the project's source."""

    file: Path
    line: int
    value: str


def with_guessed_passwords(people: Sequence[Person], root: Path) -> Iterator[Person]:
    """Yield those of `people` whose hashed password is found."""
    texts: list[_Text] = []
    secrets: list[_Text] = []
    for path in source_files(root, tests=False):
        source = read_source(path)
        if _PASSWORD.search(source):
            tree = parsed(source)
            texts += _texts(path, tree)
            secrets += _secrets(path, tree)
    left = MOST_GUESSES
    for person in people:
        for guess in _guesses(person, texts, secrets):
            if left <= 0:
                return
            left -= 1
            if _fits(guess, person.password):
                yield Person(person.names, guess, person.row)
                break


def _guesses(person: Person, texts: Sequence[_Text], secrets: Sequence[_Text]) -> list[str]:
    """Return possible passwords of a user, the likeliest first."""
    places = [text for text in texts if text.value in person.names]

    def distance(secret: _Text) -> tuple[bool, int]:
        lines = [abs(secret.line - one.line) for one in places if one.file == secret.file]
        return not lines, min(lines, default=0)

    near = (secret.value for secret in sorted(secrets, key=distance))
    return list(dict.fromkeys([person.names[0], *near]))[:GUESSES_PER_PERSON]


def _texts(path: Path, tree: ast.AST) -> Iterator[_Text]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
            value = node.value
            text = value if isinstance(value, str) else value.decode("utf-8", "replace")
            yield _Text(path, node.lineno, text)


def _secrets(path: Path, tree: ast.AST) -> Iterator[_Text]:
    """Yield texts that are hashed, or passed to a parameter with the name of a password."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            if _PASSWORD.search(_name_of(node.func)):
                yield from (text for one in node.args for text in _texts(path, one))
            for keyword in node.keywords:
                if _PASSWORD.search(keyword.arg or ""):
                    yield from _texts(path, keyword.value)
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and _PASSWORD.search(str(key.value)):
                    yield from _texts(path, value)
        elif isinstance(node, ast.Assign) and any(map(_is_called_password, node.targets)):
            yield from _texts(path, node.value)


def _is_called_password(target: ast.expr) -> bool:
    return _PASSWORD.search(_name_of(target)) is not None


def _name_of(node: ast.expr) -> str:
    """Return the last name of a call, as in ``user.set_password``."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _fits(password: str, stored: str) -> bool:
    with suppress(Exception):
        if stored.startswith(_OF_WERKZEUG):
            return check_password_hash(stored, password)
        if stored.startswith(("$2a$", "$2b$", "$2y$")):
            bcrypt = importlib.import_module("bcrypt")
            return bool(bcrypt.checkpw(password.encode(), stored.encode()))
    return False
