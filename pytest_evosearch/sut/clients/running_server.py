"""A running server that is searched from outside: connections to it, and whether it still responds.

Its code is not loaded, its state neither watched nor restored. Where other code needs an
application, `stand_in` returns a Flask application without routes, databases, templates or mails.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

import requests
from flask import Flask
from requests.adapters import HTTPAdapter

from pytest_evosearch.core.isolation import time
from pytest_evosearch.errors import InvalidSetting
from pytest_evosearch.sut.clients.server_client import Client

PAUSE = 0.1
"""Seconds to wait after a request without a connection: a reloader needs about one."""

PATIENCE = 30
"""Requests in a row without a connection after which the search gives up."""


def stand_in() -> Flask:
    """Return an application without routes or state."""
    return Flask(__name__, static_folder=None, template_folder=None)


def check_host(url: str, allowed: Sequence[str]) -> None:
    """Raise `InvalidSetting` for a server beyond loopback that is not explicitly allowed.

    A search writes and deletes whatever it can. A typing error, or an address left in an ini file,
    must not direct it to the server of others.
    """
    host = urlsplit(url).hostname or ""
    if host != "localhost" and not _is_loopback(host) and host not in allowed:
        raise InvalidSetting(
            f"--evosearch-url={url} is beyond this machine, and a search changes the data of the "
            f"server: if that is meant, add --evosearch-allow-net={host}"
        )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class RunningServer:
    """Makes clients that share connections, and notes when the server stops responding."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._connections = HTTPAdapter()
        self._failures = 0
        self._last = ""

    def make_client(self) -> Client:
        """Return a client without cookies."""
        client = Client(self.url)
        client.session = _WatchedSession(self)
        for scheme in ("http://", "https://"):
            client.session.mount(scheme, self._connections)
        return client

    def check(self) -> None:
        """Raise `InvalidSetting` when the server cannot be reached."""
        reason = self._missing()
        if reason:
            raise InvalidSetting(
                f"--evosearch-url={self.url}: the server does not answer ({reason}): start it first"
            )

    def absence(self) -> str:
        """Return why the server does not respond; empty when it does."""
        reason = self._missing()
        since = f", since {self._last}" if self._last else ""
        return reason and f"the server at {self.url} does not answer any more{since} ({reason})"

    def _missing(self) -> str:
        """Return why there is no response; a slow page counts as a response."""
        client = Client(self.url)
        try:
            client.get("/")
        except requests.ReadTimeout:
            return ""
        except requests.RequestException as error:
            return _reason(error)
        finally:
            client.close()
        return ""

    @property
    def silence(self) -> str | None:
        """Why the search should stop: the server is gone. None while it responds."""
        if self._failures < PATIENCE:
            return None
        return f"the server at {self.url} does not answer any more, since {self._last}"

    def note_answer(self) -> None:
        """Note that the server responds."""
        self._failures, self._last = 0, ""

    def note_silence(self, call: str) -> None:
        """Count a request without a connection, and give the server time."""
        self._last = call if not self._failures else self._last
        self._failures += 1
        time.sleep(PAUSE)

    def close(self) -> None:
        """Close the connections."""
        self._connections.close()


class _WatchedSession(requests.Session):
    """Reports to its server how requests ended."""

    def __init__(self, server: RunningServer) -> None:
        super().__init__()
        self.trust_env = False
        self._server = server

    def request(self, method: Any, url: Any, *arguments: Any, **options: Any) -> requests.Response:
        """Send one request."""
        try:
            response = super().request(method, url, *arguments, **options)
        except requests.ConnectionError:
            self._server.note_silence(f"{method} {urlsplit(url).path}")
            raise
        self._server.note_answer()
        return response


def _reason(error: BaseException) -> str:
    """Return the innermost reason of a failed connection: ``Connection refused``."""
    while True:
        inner = error.__cause__ or error.__context__
        if inner is None:
            break
        error = inner
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
