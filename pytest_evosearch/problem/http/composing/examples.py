"""Requests that were sent before: a test of the project, or a link of a page."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from dataclasses import field

from pytest_evosearch.core.quick_dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """A place in the response to an earlier call."""

    call: int
    """Its index in the test."""
    selector: tuple[str | int, ...]
    """As in `problem.http.exchanges.exchange.Selector`."""


@dataclass(frozen=True)
class Joined:
    """A text of several pieces: ``/notes/`` and the id that an earlier response gave."""

    pieces: tuple[str | Part, ...]


@dataclass(frozen=True)
class ExampleCall:
    """One request of a test."""

    method: str
    target: str | Joined
    """The path, with the query behind ``?`` if there is one."""
    options: Mapping[str, object] = field(default_factory=dict)
    """``json`` or ``data``, ``headers``, ``cookies`` and ``query_string``, as a client takes them.

    A `Part` may stand for any text, also within a body.
    """


@dataclass(frozen=True)
class ExampleTest:
    """The requests of one test, in their order."""

    name: str
    calls: tuple[ExampleCall, ...]


def joined(pieces: Iterable[str | Part]) -> str | Joined:
    """Return the text that the pieces make, a plain one without parts of responses."""
    flat: list[str | Part] = []
    for piece in pieces:
        if isinstance(piece, str) and flat and isinstance(flat[-1], str):
            flat[-1] += piece
        elif piece != "":
            flat.append(piece)
    texts = [piece for piece in flat if isinstance(piece, str)]
    return "".join(texts) if len(texts) == len(flat) else Joined(tuple(flat))
