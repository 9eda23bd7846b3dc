"""Signs requests anew that a search has changed since their signature was learnt.

A webhook compares a header with the HMAC of the request.  What was wanted for one request is learnt
from the comparison, and sent; with another body it is wrong again, so that nothing behind such a
door could be varied.  But it is known which message was hashed with which key:

    after a call: each message that was hashed while it ran, and that consists of parts of the
        request (the body, the path, a header, digests of the body), becomes a recipe
    before a call: a header that holds a digest with a recipe gets the digest of this request

The header itself is never made up: a request without a signature stays without one, and one whose
signature is wrong on purpose stays wrong.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace
from typing import Any
from typing import NamedTuple

from flask.testing import EnvironBuilder

from pytest_evosearch.execution.transport import client_arguments
from pytest_evosearch.execution.transport import path_of
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.sut.watching.keyed_digests import DIGITS
from pytest_evosearch.sut.watching.keyed_digests import KeyedDigest
from pytest_evosearch.sut.watching.keyed_digests import digests_in

BODY = "body"
"""Name of the part of a request that most signatures are about."""

SHORTEST_PART = 4
"""Characters of a header from which it may be a part of a message: shorter ones occur by chance."""

MOST_LITERAL = 64
"""Bytes of a message that no part of the request explains: what else is hashed with a key, such as
the session, is no signature of a request."""

_WORDS = re.compile(r"[^\s,;=]+")


class Piece(NamedTuple):
    """Some bytes of a message: a part of the request by its name, else a literal."""

    part: str
    literal: bytes = b""


@dataclass(frozen=True)
class Recipe:
    """How a digest is made of a request."""

    key: bytes
    algorithm: str
    pieces: tuple[Piece, ...]

    def digest_for(self, parts: Mapping[str, bytes]) -> bytes | None:
        """Return the digest of a request with these parts, None where it lacks one."""
        message = b""
        for piece in self.pieces:
            found = parts.get(piece.part) if piece.part else piece.literal
            if found is None:
                return None
            message += found
        return hmac.new(self.key, message, self.algorithm).digest()


@dataclass
class Resigning:
    """Knows how requests of one application are signed."""

    app: Any
    known: Mapping[str, KeyedDigest]
    """Digest -> what was hashed; grows while the application runs."""
    _seen: int = 0
    _recipes: dict[str, Recipe] = field(default_factory=dict)
    """Digest -> how it is made."""

    def note(self, request: Request) -> None:
        """Learn from what was hashed while the application answered a request."""
        if len(self.known) == self._seen:
            return
        fresh = list(self.known.items())[self._seen :]
        self._seen = len(self.known)
        parts = self._parts(request)
        for digest, made in fresh:
            pieces = tuple(_pieces(made.message, parts))
            explained = any(piece.part for piece in pieces)
            if explained and sum(len(piece.literal) for piece in pieces) <= MOST_LITERAL:
                self._recipes[digest] = Recipe(made.key, made.algorithm, pieces)

    def signed(self, request: Request) -> Request:
        """Return a request with the signatures that belong to it."""
        if not self._recipes or not request.headers:
            return request
        headers = [(name, self._renewed(value, request)) for name, value in request.headers]
        if headers == list(request.headers):
            return request
        return replace(request, headers=tuple(headers))

    def _renewed(self, value: str, request: Request) -> str:
        for written in digests_in(value):
            recipe = self._recipes.get(written.digest)
            if recipe is not None:
                digest = recipe.digest_for(self._parts(request))
                if digest is not None:
                    value = value.replace(written.text, written.like(digest))
        return value

    def _parts(self, request: Request) -> dict[str, bytes]:
        """Return what a request consists of, by name; what explains more of a message first."""
        body = self._body(request)
        parts = {BODY: body} if body else {}
        for algorithm in DIGITS:
            digest = hashlib.new(algorithm, body, usedforsecurity=False)
            parts[f"{algorithm} of the body"] = digest.hexdigest().encode()
        for name, value in request.headers:
            for number, word in enumerate(_WORDS.findall(value)):
                if len(word) >= SHORTEST_PART and not any(digests_in(word)):
                    parts[f"{name} {number}"] = word.encode("latin-1", "ignore")
        path = path_of(request).encode()
        if len(path) > 1:
            parts["path"] = path
        return parts

    def _body(self, request: Request) -> bytes:
        if request.files:
            return b""  # its parts are separated by what is drawn for each request
        with suppress(Exception):
            builder = EnvironBuilder(self.app, **client_arguments(request, ()))
            try:
                content: bytes = builder.get_environ()["wsgi.input"].read()
                return content
            finally:
                builder.close()
        return b""


def _pieces(message: bytes, parts: Mapping[str, bytes]) -> Iterator[Piece]:
    """Yield a message as parts of a request, with literals between."""
    for name, content in parts.items():
        if content and content in message:
            before, _, after = message.partition(content)
            yield from _pieces(before, parts)
            yield Piece(name)
            yield from _pieces(after, parts)
            return
    if message:
        yield Piece("", message)
