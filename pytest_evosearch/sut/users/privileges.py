"""Estimates which of several users may do most.

Applications store rights in many ways: a column ``is_admin``, a text ``role``, a row in another
table with one column for each right. All of these are read, but no other data of a user.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress

MIGHTY = re.compile(r"admin|super|root|owner|staff|manager", re.IGNORECASE)
RIGHTS = re.compile(r"role|group|permission|right|rank|level|type", re.IGNORECASE)
"""Relations of a user that hold rights; others (posts, comments) may be long."""

MIGHTY_WEIGHT = 10
"""One word like ``admin`` counts more than any number of unrelated rights."""

_ROLE = re.compile(r"[A-Za-z][A-Za-z_-]{1,19}")
"""Form of a role's name."""

_FLAG = re.compile(r"^(is|has|can)_")

LONGEST_TEXT = 40
"""Most characters of a text that is read: hashes of passwords are longer."""

MOST_RELATED = 10
"""Most rows of a relation that are read."""


def privilege(user: object) -> int:
    """Return a number that is larger for users with more rights; for comparisons only.

    It reads attributes that may query the database, so it needs the application's context.
    """
    return _weight(user) + sum(map(_weight, _related(user)))


def role(user: object) -> str:
    """Return the role of a user, such as ``admin``; empty when unknown.

    It is the value of a column like ``role``, or the name of a true flag like ``is_admin``.
    """
    values = list(_attributes(user))
    texts = [value for name, value in values if RIGHTS.search(name) and _is_word(value)]
    flags = [_FLAG.sub("", name) for name, value in values if value is True]
    return next((str(text) for text in texts), next(filter(MIGHTY.search, flags), ""))


def _is_word(value: object) -> bool:
    return isinstance(value, str) and _ROLE.fullmatch(value) is not None


def _weight(row: object) -> int:
    return _weight_of("", row) + sum(_weight_of(*one) for one in _attributes(row))


def _weight_of(name: str, value: object) -> int:
    if value is True:
        return MIGHTY_WEIGHT if MIGHTY.search(name) else 1
    if isinstance(value, str) and len(value) <= LONGEST_TEXT and MIGHTY.search(value):
        return MIGHTY_WEIGHT
    return 0


def _attributes(row: object) -> Iterator[tuple[str, object]]:
    """Yield the columns of a mapped object, the attributes of any other."""
    mapper = getattr(type(row), "__mapper__", None)
    if mapper is None:
        yield from getattr(row, "__dict__", {}).items()
        yield from getattr(row, "__data__", {}).items()  # peewee's columns
        return
    for name in mapper.column_attrs.keys():  # noqa: SIM118 (no dict)
        with suppress(Exception):
            yield name, getattr(row, name)


def _related(user: object) -> Iterator[object]:
    """Yield the values of relations and collections that are named after rights."""
    mapper = getattr(type(user), "__mapper__", None)
    names = mapper.relationships.keys() if mapper is not None else [*getattr(user, "__dict__", ())]
    for name in names:
        if not RIGHTS.search(name):
            continue
        value: object = None
        with suppress(Exception):
            value = getattr(user, name)
        if isinstance(value, (list, tuple)):
            yield from value[:MOST_RELATED]
        elif value is not None:
            yield value
