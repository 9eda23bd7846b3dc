"""Requests that hold a signature of their body: how a written test signs them itself."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from dataclasses import replace
from typing import Any

from pytest_evosearch.core.isolation import json
from pytest_evosearch.execution.transport import client_arguments
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.sut.clients.fast_client import ordinary_environ
from pytest_evosearch.sut.users.origins import Origin
from pytest_evosearch.sut.watching.keyed_digests import KeyedDigest
from pytest_evosearch.sut.watching.keyed_digests import digests_in

FIXTURE = '''\
@pytest.fixture
def signed():
    """Give a client that signs the body of each request in the header {header}."""
{imports}
    def signed(client):
        app, signing = client.application, copy(client)

        def send(*args, **kwargs):
            body = EnvironBuilder(app, *args, **kwargs).get_request().get_data()
            digest = hmac.new({key}, body, "{algorithm}")
            headers = {{**kwargs.pop("headers", {{}}), "{header}": {value}}}
            return client.open(*args, headers=headers, **kwargs)

        signing.open = send
        return signing

    return signed
'''


@dataclass(frozen=True)
class Signature:
    """How a header signs the body of its request."""

    header: str
    before: str
    is_hex: bool
    key: bytes
    algorithm: str


@dataclass
class SignedRequests:
    """Tells which requests a fixture of the written tests can sign, and writes that fixture."""

    app: Any
    known: Mapping[str, KeyedDigest]
    find: Callable[[str], Origin | None]
    signature: Signature | None = None

    def look_at(self, requests: Iterable[Request]) -> None:
        """Find out by the first request that is signed how that is done."""
        if self.known:
            found = (one for request in requests for one in self._signatures(request))
            reached = (one for one in found if self._origin(one.key) is not None)
            self.signature = next(reached, None)

    def holds_signature(self, value: str) -> bool:
        """Say whether a header holds what was hashed with a key of the application."""
        return any(digest in self.known for _is_hex, _text, digest in digests_in(value))

    def unsigned(self, request: Request) -> Request | None:
        """Return a request without its signature, None where it is not signed so."""
        if self.signature is None or self.signature not in self._signatures(request):
            return None
        rest = tuple(pair for pair in request.headers if pair[0] != self.signature.header)
        return replace(request, headers=rest)

    @property
    def source(self) -> str | None:
        """The fixture, None where nothing is signed."""
        if self.signature is None:
            return None
        signature, origin = self.signature, self._origin(self.signature.key)
        assert origin is not None
        is_text = not origin.expression.endswith(".decode()")
        key = f"{origin.expression}.encode()" if is_text else origin.expression[: -len(".decode()")]
        digits = "digest.hexdigest()" if signature.is_hex else "b64encode(digest.digest()).decode()"
        value = f"{json.dumps(signature.before)} + {digits}" if signature.before else digits
        imports = [
            "import hmac",
            "from copy import copy",
            "from flask.testing import EnvironBuilder",
        ]
        imports += [] if signature.is_hex else ["from base64 import b64encode"]
        return FIXTURE.format(
            header=signature.header,
            key=key,
            algorithm=signature.algorithm,
            value=value,
            imports="".join(f"    {line}\n" for line in sorted({*imports, *origin.imports})),
        )

    def _origin(self, key: bytes) -> Origin | None:
        with suppress(UnicodeDecodeError):
            return self.find(key.decode())
        return None

    def _signatures(self, request: Request) -> Iterator[Signature]:
        """Yield how headers of a request sign its body."""
        for name, value in request.headers:
            for is_hex, text, digest in digests_in(value):
                made = self.known.get(digest)
                if (
                    made is not None
                    and value.endswith(text)
                    and made.message == self._body(request)
                ):
                    before = value[: -len(text)]
                    yield Signature(name, before, is_hex, made.key, made.algorithm)

    def _body(self, request: Request) -> bytes | None:
        if request.files:
            return None
        with suppress(Exception):
            arguments = client_arguments(request, ())
            environ = ordinary_environ(self.app.test_client(), arguments)
            content: bytes = environ["wsgi.input"].read()
            return content
        return None
