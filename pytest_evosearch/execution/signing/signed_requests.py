"""Signs requests that hold a signature anew, in the search and in written tests.

A signature stands in a header and covers the body, with other headers or a time beside it
(`signed_messages`). A time in the message is renewed with each signature.
"""

from __future__ import annotations

import hmac
import re
from base64 import b64decode
from base64 import b64encode
from base64 import urlsafe_b64encode
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import field
from dataclasses import replace
from typing import Any

from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.execution.signing.signed_messages import BODY_ALONE
from pytest_evosearch.execution.signing.signed_messages import HEADER
from pytest_evosearch.execution.signing.signed_messages import Piece
from pytest_evosearch.execution.signing.signed_messages import at_moment
from pytest_evosearch.execution.signing.signed_messages import code_of
from pytest_evosearch.execution.signing.signed_messages import message_of
from pytest_evosearch.execution.signing.signed_messages import pieces_of
from pytest_evosearch.execution.signing.signed_messages import with_moment
from pytest_evosearch.execution.transport import client_arguments
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.moments import MomentForm
from pytest_evosearch.problem.http.exchanges.moments import form_of
from pytest_evosearch.problem.http.exchanges.moments import present
from pytest_evosearch.problem.http.exchanges.signed_text import SignedText
from pytest_evosearch.sut.clients.fast_client import ordinary_environ
from pytest_evosearch.sut.users.origins import Origin
from pytest_evosearch.sut.watching.keyed_digests import KeyedDigest

FIXTURE = '''\
@pytest.fixture
def signed():
    """Give a client that signs {what}."""
{imports}
    def signed(client):
        app, signing = client.application, copy(client)

        def send(*args, **kwargs):
{sending}

        signing.open = send
        return signing

    return signed
'''

THE_BODY = """\
            body = EnvironBuilder(app, *args, **kwargs).get_request().get_data()
            digest = hmac.new({key}, body, "{algorithm}")
            headers = {{**kwargs.pop("headers", {{}}), "{header}": {value}}}
            return client.open(*args, headers=headers, **kwargs)"""

THE_REQUEST = """\
            headers = dict(kwargs.pop("headers", {{}}))
{moment}            builder = EnvironBuilder(app, *args, headers=headers, **kwargs)
            request = builder.get_request()
            message = {message}
            digest = hmac.new({key}, message, "{algorithm}")
            headers["{header}"] = {value}
            return client.open(*args, headers=headers, **kwargs)"""

_WORDS = re.compile(r"[\w:+.-]+")
_DIGITS = re.compile(r"[A-Za-z0-9+/_-]{22,128}={0,2}")


@dataclass(frozen=True)
class Spelling:
    """How the bytes of a digest become a text."""

    of: Callable[[bytes], str]
    read: Callable[[str], bytes]
    code: str
    imports: str = ""

    def __reduce__(self) -> tuple[Callable[[int], Spelling], tuple[int]]:
        """Pickle a spelling by its index: its functions cannot be sent to another process."""
        return _spelling_at, (SPELLINGS.index(self),)


def _spelling_at(place: int) -> Spelling:
    return SPELLINGS[place]


def _base64_spelling(
    encode: Callable[[bytes], bytes], alphabet: bytes, is_padded: bool = True
) -> Spelling:
    def spelt(raw: bytes) -> str:
        text = encode(raw).decode()
        return text if is_padded else text.rstrip("=")

    def read(text: str) -> bytes:
        padded = text + "=" * (-len(text) % 4)
        return b64decode(padded, alphabet, validate=True)

    stripped = "" if is_padded else '.rstrip("=")'
    code = f"{encode.__name__}(digest.digest()).decode(){stripped}"
    return Spelling(spelt, read, code, f"from base64 import {encode.__name__}")


SPELLINGS = (
    Spelling(bytes.hex, bytes.fromhex, "digest.hexdigest()"),
    _base64_spelling(b64encode, b"+/"),
    _base64_spelling(urlsafe_b64encode, b"-_"),
    _base64_spelling(urlsafe_b64encode, b"-_", is_padded=False),
    _base64_spelling(b64encode, b"+/", is_padded=False),
)
"""The most usual first: two spellings of some digests are equal. Only addresses omit padding."""


@dataclass(frozen=True)
class Signature:
    """How a header signs its request."""

    header: str
    before: str
    spelling: Spelling
    key: bytes
    algorithm: str
    pieces: tuple[Piece, ...] = BODY_ALONE
    """The signed message."""
    time_source: str = ""
    """The header with the present time, which is signed, too; empty without one."""
    form: MomentForm | None = None
    moment: str = ""
    """The present time before the signature, ``t=...,v1=...``; empty where there is none."""

    def at(self, moment: str) -> Signature:
        """Return the signature for another time."""
        before = self.before.replace(self.moment, moment)
        pieces = at_moment(self.pieces, moment.encode())
        return replace(self, before=before, pieces=pieces, moment=moment)

    def of(self, request: Request, body: bytes) -> str:
        """Return the value of the header for a request."""
        message = message_of(self.pieces, request, body)
        return self.before + self.spelling.of(hmac.new(self.key, message, self.algorithm).digest())

    def fits(self, request: Request, body: bytes) -> bool:
        """Say whether a request has this signature."""
        bare = self.without_signature(request)
        return any(
            self._as_of(value).of(bare, body) == value
            for name, value in request.headers
            if name == self.header
        )

    def _as_of(self, value: str) -> Signature:
        """Return the signature for the time that a value contains."""
        if not self.moment:
            return self
        start, _, end = map(re.escape, self.before.partition(self.moment))
        found = re.match(f"{start}(.+?){end}", value)
        return self.at(found.group(1)) if found else self

    def without_signature(self, request: Request) -> Request:
        """Return a request without its signature; the time stays."""
        return replace(self, time_source=self.header).taken_from(request)

    def taken_from(self, request: Request) -> Request:
        """Return a request without the inputs of the signature."""
        names = (self.header, self.time_source)
        held = tuple(pair for pair in request.headers if pair[0] not in names)
        return replace(request, headers=held)

    def added_to(self, request: Request, name: str, value: str) -> Request:
        """Return a request with one more header."""
        return replace(request, headers=(*request.headers, (name, value)))


@dataclass
class SignedRequests:
    """Knows which requests a fixture of the written tests can sign, and writes that fixture."""

    app: Any
    known: Mapping[str, KeyedDigest]
    find: Callable[[str], Origin | None]
    signature: Signature | None = None
    ways: dict[Signature, None] = field(default_factory=dict)
    """The ways in which requests were signed, the first one first."""

    def renewed(self, request: Request) -> Request:
        """Return a request with its present signature and time; as it is where nothing signs it."""
        for _name, value in request.headers:
            if isinstance(value, SignedText) and isinstance(value.way, Signature):
                return self._signed_anew(request, value.way)
        return request

    def way_of(self, request: Request, name: str) -> Signature | None:
        """Return how an input of a request signs it, None where it does not."""
        for one in self._signatures(request):
            if one.header == name:
                self.ways.setdefault(one)
                return one
        return None

    def _signed_anew(self, request: Request, signature: Signature) -> Request:
        unsigned = signature.taken_from(request)
        if signature.form is not None and signature.moment:
            signature = signature.at(signature.form.make(present()))
        elif signature.form is not None:
            now = signature.form.make(present())
            unsigned = signature.added_to(unsigned, signature.time_source, now)
        body = self._body(unsigned)
        if body is None:
            return request
        value = signature.of(unsigned, body)
        return signature.added_to(unsigned, signature.header, value)

    def look_at(self, requests: Iterable[Request]) -> None:
        """Learn how most of the signed requests are signed."""
        if not self.known:
            return
        held = [(one, self._body(one)) for one in requests]
        found = dict.fromkeys(sign for one, _body in held for sign in self._signatures(one))
        reached = [one for one in (*self.ways, *found) if self._origin(one.key) is not None]

        def fitting(signature: Signature) -> int:
            return sum(body is not None and signature.fits(one, body) for one, body in held)

        self.signature = max(reached, key=fitting, default=None)

    def holds_signature(self, value: str) -> bool:
        """Say whether a header holds a hash with a key of the application."""
        return any(self._made_for(value, digest) for _spelling, _text, digest in _digests(value))

    def _made_for(self, value: str, digest: str) -> KeyedDigest | None:
        """Return the hashed message; None for a token, which signs its own content."""
        made = self.known.get(digest)
        return None if made is None or made.message in value.encode() else made

    def unsigned(self, request: Request) -> Request | None:
        """Return a request without its signature, None where it has no known signature."""
        signature = self.signature
        body = self._body(request) if signature is not None else None
        if signature is None or body is None:
            return None
        return signature.taken_from(request) if signature.fits(request, body) else None

    @property
    def source(self) -> str | None:
        """The text of the fixture, None where nothing is signed."""
        if self.signature is None:
            return None
        signature, origin = self.signature, self._origin(self.signature.key)
        assert origin is not None
        is_text = not origin.expression.endswith(".decode()")
        key = f"{origin.expression}.encode()" if is_text else origin.expression[: -len(".decode()")]
        digits = signature.spelling.code
        before = json.dumps(signature.before)
        if signature.moment:
            before = f"f{before.replace(signature.moment, '{now}')}"
        value = f"{before} + {digits}" if signature.before else digits
        imports = [
            "import hmac",
            "from copy import copy",
            "from flask.testing import EnvironBuilder",
        ]
        imports += [signature.spelling.imports] if signature.spelling.imports else []
        imports += signature.form.imports if signature.form is not None else ()
        place = signature.time_source or ("it" if signature.moment else "")
        described = f", with the time in {place}" if place else ""
        return FIXTURE.format(
            what=f"the body of each request in the header {signature.header}{described}",
            imports="".join(f"    {line}\n" for line in _sorted({*imports, *origin.imports})),
            sending=_sending(signature, key, value),
        )

    def _origin(self, key: bytes) -> Origin | None:
        with suppress(UnicodeDecodeError):
            return self.find(key.decode())
        return None

    def _signatures(self, request: Request) -> Iterator[Signature]:
        """Yield how headers of a request sign it."""
        for name, value in request.headers:
            for spelling, text, digest in _digests(value):
                made = self._made_for(value, digest)
                body = self._body(request) if made is not None and value.endswith(text) else None
                if made is None or body is None:
                    continue
                before = value[: -len(text)]
                signature = Signature(name, before, spelling, made.key, made.algorithm)
                bare = signature.without_signature(request)
                if made.message == body:
                    yield signature
                elif pieces := pieces_of(made.message, bare, body):
                    yield _timed(replace(signature, pieces=pieces), request)

    def _body(self, request: Request) -> bytes | None:
        if request.files:
            return None
        with suppress(Exception):
            arguments = client_arguments(request, ())
            environ = ordinary_environ(self.app.test_client(), arguments)
            content: bytes = environ["wsgi.input"].read()
            return content
        return None


def _sending(signature: Signature, key: str, value: str) -> str:
    """Return the statements that sign and send; `key` and `value` are expressions."""
    moment = ""
    if signature.moment and signature.form is not None:
        moment = f"            now = {signature.form.code}\n"
    elif signature.form is not None:
        moment = f'            headers["{signature.time_source}"] = now = {signature.form.code}\n'
    template = THE_BODY if signature.pieces == BODY_ALONE else THE_REQUEST
    return template.format(
        moment=moment,
        message=code_of(signature.pieces, signature.time_source, "now"),
        header=signature.header,
        key=key,
        algorithm=signature.algorithm,
        value=value,
    )


def _sorted(imports: Iterable[str]) -> list[str]:
    """Return imports in the order of import sorters: whole modules first."""
    return sorted(imports, key=lambda line: (line.startswith("from"), line))


def _timed(signature: Signature, request: Request) -> Signature:
    """Return a signature with its source of the present time: a header, or its own beginning."""
    names = [piece.text.decode() for piece in signature.pieces if piece.kind == HEADER]
    for name, value in request.headers:
        if name in names and (form := form_of(value)) is not None:
            return replace(signature, time_source=name, form=form)
    for word in _WORDS.findall(signature.before):
        pieces = with_moment(signature.pieces, word.encode())
        if (form := form_of(word)) is not None and pieces != signature.pieces:
            return replace(signature, moment=word, form=form, pieces=pieces)
    return signature


def _digests(value: str) -> Iterator[tuple[Spelling, str, str]]:
    """Yield possible digests in a header: spelling, text, and hexadecimal digits."""
    for text in _DIGITS.findall(value):
        for spelling in SPELLINGS:
            with suppress(ValueError):
                raw = spelling.read(text)
                if spelling.of(raw) == text:
                    yield spelling, text, raw.hex()
