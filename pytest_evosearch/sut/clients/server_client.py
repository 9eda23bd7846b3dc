"""A client for a running server, with the interface of Flask's test client.

The written tests of a server need this client, so that they send exactly what the search sends. So
`client_source` returns the text of both classes for their conftest.py. The classes depend on
``requests``, and not on this package.

Calls and responses look like Flask's (``client.post(path, json=...)``, ``response.json["id"]``). So
a project that moves its tests into the process, or out of it, changes one fixture and no test.
"""

from __future__ import annotations

import inspect
from functools import partialmethod
from typing import Any

import requests

from pytest_evosearch.sut.fixture_texts.support_text import URL_VARIABLE

CLIENT_IMPORTS = ("from functools import partialmethod", "from typing import Any")
"""Imports from the standard library that `client_source` needs."""


class Response:
    """An answer of the server, spelled as Flask's test client spells it."""

    def __init__(self, answer: requests.Response, url: str) -> None:
        self.status_code = answer.status_code
        self.headers = answer.headers
        self.data = answer.content
        self._answer = answer
        location = self.headers.get("Location", "")
        if location.startswith(f"{url}/"):
            # A path, whatever the address of the server is.
            self.headers["Location"] = location.removeprefix(url)

    @property
    def location(self) -> str | None:
        """Where a redirect leads."""
        return self.headers.get("Location")

    @property
    def mimetype(self) -> str:
        """The content type without its parameters."""
        return self.headers.get("Content-Type", "").partition(";")[0].strip().lower()

    @property
    def text(self) -> str:
        """The body as text."""
        return self.data.decode("utf-8", "replace")

    @property
    def json(self) -> Any:
        """What the JSON body says."""
        return self._answer.json()


class Client:
    """Asks the server, with cookies of its own; does not follow redirects."""

    timeout = 30
    """Seconds without a sign of life of the server."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.session = requests.Session()
        # No proxies, and no passwords of ~/.netrc.
        self.session.trust_env = False

    def request(
        self,
        path: str,
        method: str = "GET",
        query_string: Any = None,
        json: Any = None,
        data: Any = None,
        content_type: str | None = None,
        headers: Any = (),
        auth: Any = None,
    ) -> Response:
        """Send one request."""
        files = []
        if isinstance(data, dict):
            # A form: texts, and files as (stream, name, content type).
            pairs = [
                (name, value)
                for name, values in data.items()
                for value in (values if isinstance(values, list) else [values])
            ]
            data = [pair for pair in pairs if not isinstance(pair[1], tuple)]
            files = [
                (name, (value[1], value[0], *value[2:]))
                for name, value in pairs
                if isinstance(value, tuple)
            ]
        elif isinstance(data, str):
            data = data.encode()
        sent = dict(headers)
        if content_type is not None:
            sent["Content-Type"] = content_type
        if auth is not None:
            auth = requests.auth.HTTPBasicAuth(auth[0].encode(), auth[1].encode())
        answer = self.session.request(
            method,
            self.url + path,
            params=query_string,
            json=json,
            data=data,
            files=files,
            headers=sent,
            auth=auth,
            allow_redirects=False,
            timeout=self.timeout,
        )
        return Response(answer, self.url)

    open = request
    get = partialmethod(request, method="GET")
    post = partialmethod(request, method="POST")
    put = partialmethod(request, method="PUT")
    patch = partialmethod(request, method="PATCH")
    delete = partialmethod(request, method="DELETE")
    head = partialmethod(request, method="HEAD")
    options = partialmethod(request, method="OPTIONS")
    trace = partialmethod(request, method="TRACE")

    def set_cookie(self, *names: str) -> None:
        """Send a cookie from now on: its name and its value."""
        self.session.cookies.set(*names[-2:])

    def close(self) -> None:
        """Close the connections."""
        self.session.close()


def client_source() -> str:
    """Return the source of the classes `Response` and `Client`."""
    return f"{inspect.getsource(Response)}\n\n{inspect.getsource(Client)}"


_CONFTEST = '''\
"""Fixtures for the tests in this folder, written once by pytest-evosearch.

Edit them as you like: pytest-evosearch never overwrites this file.  The tests ask the
running server that the variable {variable} names, else {url}
"""

import os
{imports}

import pytest
import requests

URL = os.environ.get("{variable}", "{url}").rstrip("/")


{client}

@pytest.fixture
def client():
    """A client without cookies, which speaks as Flask's test client does."""
    client = Client(URL)
    yield client
    client.close()
'''

_RESET = '''

@pytest.fixture(autouse=True)
def reset_server({reset}):
    """Bring the state of the server back, as the search does before each test."""
    {reset}()
'''


def conftest_of_server(url: str, reset: str | None = None) -> str:
    """Return the text of a conftest.py for tests of the server at `url`.

    `reset` is the name of the project's fixture that returns a function to restore its state.
    """
    text = _CONFTEST.format(
        variable=URL_VARIABLE, url=url, imports="\n".join(CLIENT_IMPORTS), client=client_source()
    )
    return text + (_RESET.format(reset=reset) if reset else "")
