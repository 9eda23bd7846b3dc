"""The signed message of a request, composed of the request's parts.

The message that the application signed is divided into parts of the request: its body and headers.
The remaining literals are constant for all requests.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence

from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.problem.http.exchanges.exchange import Request

BODY = "body"
HEADER = "header"
MOMENT = "moment"
"""The present time, which stands beside the signature."""

LITERAL = ""

SHORTEST_VALUE = 4
"""Fewest characters of a header that is searched for in a message."""


@dataclass(frozen=True)
class Piece:
    """A part of a message."""

    kind: str
    text: bytes = b""
    """The text of a literal, or the name of a header."""


BODY_ALONE = (Piece(BODY),)


def pieces_of(message: bytes, request: Request, body: bytes) -> tuple[Piece, ...]:
    """Return the parts of a message, () where it contains neither body nor headers of the request.

    Where a request has no body, assume that other requests sign theirs at the end.
    """
    pieces: list[Piece] = [Piece(LITERAL, message)]
    for piece in _parts(request):
        pieces = list(_divided(pieces, piece, _value(piece, request, body)))
    kinds = {piece.kind for piece in pieces}
    if (BODY if body else HEADER) not in kinds:
        return ()
    return tuple(pieces) if body else (*pieces, Piece(BODY))


def message_of(pieces: Iterable[Piece], request: Request, body: bytes) -> bytes:
    """Return the bytes to sign for a request."""
    return b"".join(_value(piece, request, body) for piece in pieces)


def with_moment(pieces: Iterable[Piece], moment: bytes) -> tuple[Piece, ...]:
    """Return the parts of a message, with a time in it as one of them."""
    return tuple(_divided(pieces, Piece(MOMENT, moment), moment))


def at_moment(pieces: Iterable[Piece], moment: bytes) -> tuple[Piece, ...]:
    """Return the parts of a message with another time."""
    return tuple(Piece(MOMENT, moment) if one.kind == MOMENT else one for one in pieces)


def code_of(pieces: Sequence[Piece], moment: str, variable: str) -> str:
    """Return the expression for a message; `variable` holds the value of the input `moment`."""
    written, text = [], ""
    for piece in (*pieces, None):
        if piece is not None and piece.kind != BODY and _is_text(piece):
            text += _code(piece, moment, variable)
            continue
        if text:
            written.append(f'f"{text}".encode()' if "{" in text else f'b"{text}"')
            text = ""
        if piece is not None:
            written.append("request.get_data()" if piece.kind == BODY else repr(piece.text))
    return " + ".join(written)


def _is_text(piece: Piece) -> bool:
    return piece.kind != LITERAL or (piece.text.isascii() and b"{" not in piece.text)


def _code(piece: Piece, moment: str, variable: str) -> str:
    if piece.kind == LITERAL:
        return str(json.dumps(piece.text.decode())[1:-1])
    if piece.kind == MOMENT:
        return f"{{{variable}}}"
    name = piece.text.decode()
    return f"{{{variable}}}" if name == moment else f"{{request.headers.get('{name}', '')}}"


def _parts(request: Request) -> Iterator[Piece]:
    """Yield the possible parts of a message, the longest texts first."""
    yield Piece(BODY)
    held = [(value, name) for name, value in request.headers]
    for value, name in sorted(held, key=lambda one: (-len(one[0]), one)):
        if len(value) >= SHORTEST_VALUE:
            yield Piece(HEADER, name.encode())


def _value(piece: Piece, request: Request, body: bytes) -> bytes:
    if piece.kind in (LITERAL, MOMENT):
        return piece.text
    if piece.kind == BODY:
        return body
    return dict(request.headers).get(piece.text.decode(), "").encode()


def _divided(pieces: Iterable[Piece], part: Piece, value: bytes) -> Iterator[Piece]:
    """Yield the pieces with the last occurrence of `value` replaced by `part`."""
    pieces = list(pieces)
    place = max(
        (
            index
            for index, piece in enumerate(pieces)
            if value and piece.kind == LITERAL and value in piece.text
        ),
        default=None,
    )
    for index, piece in enumerate(pieces):
        if index != place:
            yield piece
            continue
        before, _, after = piece.text.rpartition(value)
        yield from ([Piece(LITERAL, before)] if before else [])
        yield part
        yield from ([Piece(LITERAL, after)] if after else [])
