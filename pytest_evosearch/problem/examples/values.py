"""Values of expressions in the source of a test, as far as they are known without a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Enum
from typing import TypeAlias

from pytest_evosearch.core.quick_dataclasses import dataclass


class Unknown(Enum):
    """The value of an expression that only a run would show."""

    UNKNOWN = "unknown"


UNKNOWN = Unknown.UNKNOWN


@dataclass(frozen=True)
class Answer:
    """The response to an earlier call of the same test, by its index."""

    call: int


@dataclass(frozen=True)
class Part:
    """A place in the response to an earlier call: ``created.json["id"]``."""

    call: int
    selector: tuple[str | int, ...]
    """As in `problem.http.exchanges.exchange.Selector`."""


@dataclass(frozen=True)
class Joined:
    """A text with some known pieces: ``f"/notes/{note.id}"``."""

    pieces: tuple[str | Part | Unknown, ...]


@dataclass(frozen=True)
class Encoded:
    """A value written as JSON: ``json.dumps({...})``."""

    value: object


@dataclass(frozen=True)
class Address:
    """The address of a named endpoint: ``url_for("blog.show", id=1)``."""

    name: str
    values: Mapping[str, object]


Target: TypeAlias = "str | Joined | Address"


@dataclass(frozen=True)
class ExampleCall:
    """One request that a test sends."""

    method: str
    target: Target
    """The path, with the query behind ``?`` if there is one."""
    options: Mapping[str, object] = field(default_factory=dict)
    """Keyword arguments of the client: ``json``, ``data``, ``headers``, ``query_string`` ..."""


@dataclass(frozen=True)
class ExampleTest:
    """The requests of one test, in the order of its source."""

    name: str
    calls: tuple[ExampleCall, ...]


def joined(pieces: list[object]) -> str | Joined:
    """Return the text that the pieces make, a plain one when all of them are known."""
    flat: list[str | Part | Unknown] = []
    for piece in pieces:
        for one in piece.pieces if isinstance(piece, Joined) else (piece,):
            text = _as_piece(one)
            if isinstance(text, str) and flat and isinstance(flat[-1], str):
                flat[-1] += text
            elif text != "":
                flat.append(text)
    if all(isinstance(piece, str) for piece in flat):
        return "".join(str(piece) for piece in flat)
    return Joined(tuple(flat))


def _as_piece(value: object) -> str | Part | Unknown:
    if isinstance(value, Part):
        return value
    if isinstance(value, (str, int, float)):
        return str(value)
    return UNKNOWN
