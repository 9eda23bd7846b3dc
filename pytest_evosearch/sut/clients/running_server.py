"""A running server that is searched from outside: how it is reached, and whether it is still there.

Nothing of it is loaded, watched or brought back.  What `stand_in` gives has its place where an
application is looked at: a Flask application without routes, databases, templates or mails.
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
"""Seconds after a request for which there was no connection: a reloader needs about one."""

PATIENCE = 30
"""Requests in a row without a connection after which the server is given up."""


def stand_in() -> Flask:
    """Return an application in which there is nothing to be found."""
    return Flask(__name__, static_folder=None, template_folder=None)


def check_host(url: str, allowed: Sequence[str]) -> None:
    """Raise `InvalidSetting` for a server beyond loopback that is not allowed by its name.

    A search writes and deletes what it can: that must not happen to a server of others by a
    slip of the pen, or by an address that was left in an ini file.
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
    """Makes clients that share connections, and notes when the server stops answering."""

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
        """Raise `InvalidSetting` when the server cannot be asked."""
        reason = self._missing()
        if reason:
            raise InvalidSetting(
                f"--evosearch-url={self.url}: the server does not answer ({reason}): start it first"
            )

    def absence(self) -> str:
        """Ask whether the server is still there, and return why not; empty when it is."""
        reason = self._missing()
        since = f", since {self._last}" if self._last else ""
        return reason and f"the server at {self.url} does not answer any more{since} ({reason})"

    def _missing(self) -> str:
        """Return why there is no answer, whatever it says; a page that takes long is one, too."""
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
        """Why the search should stop: the server is gone; None while it is there."""
        if self._failures < PATIENCE:
            return None
        return f"the server at {self.url} does not answer any more, since {self._last}"

    def note_answer(self) -> None:
        """Take the server for alive."""
        self._failures, self._last = 0, ""

    def note_silence(self, call: str) -> None:
        """Count a request for which there was no connection, and give the server time."""
        self._last = call if not self._failures else self._last
        self._failures += 1
        time.sleep(PAUSE)

    def close(self) -> None:
        """Close the connections."""
        self._connections.close()


class _WatchedSession(requests.Session):
    """Tells its server how requests went."""

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
