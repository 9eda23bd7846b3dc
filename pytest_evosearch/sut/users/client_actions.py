"""Actions on a client before its first request: log-ins, deleted cookies, WSGI variables."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from pytest_evosearch.sut.clients.cookie_call import names_server_first


@dataclass(frozen=True)
class LogIn:
    """The request that logs a user in."""

    method: str
    arguments: Mapping[str, object]
    """Arguments for the client, without the method."""
    again: Callable[[str], str] = str
    """Renews a text by the clock, when it is valid only for a moment."""

    def __call__(self, client: Any) -> None:
        """Log `client` in."""
        arguments = {name: self._now(value) for name, value in self.arguments.items()}
        client.open(method=self.method, **arguments)

    def _now(self, value: object) -> Any:
        if isinstance(value, Mapping):
            return {name: self._now(held) for name, held in value.items()}
        if isinstance(value, list):
            return [self._now(held) for held in value]
        return self.again(value) if isinstance(value, str) else value


@dataclass(frozen=True)
class Forget:
    """Deletes cookies of a client, like a browser that is closed."""

    names: tuple[str, ...]

    def __call__(self, client: Any) -> None:
        """Delete them."""
        for name in self.names:
            client.delete_cookie(*server_argument(names_server_first()), name)


@dataclass(frozen=True)
class ToldByServer:
    """Adds to each request of a client the variables that a server in front would set."""

    variables: Mapping[str, str]
    address: str | None = None
    """Where requests are sent, ``https://alder.localhost``; None where the usual one is meant."""

    def __call__(self, client: Any) -> None:
        """Change the base environment of `client`."""
        client.environ_base = {**client.environ_base, **self.variables}
        if self.address is not None:
            client.open = partial(client.open, base_url=self.address)


@dataclass(frozen=True)
class InTurn:
    """Performs several actions on a client."""

    actions: tuple[Callable[[Any], object], ...]

    def __call__(self, client: Any) -> None:
        """Perform the actions."""
        for action in self.actions:
            action(client)


def server_argument(comes_first: bool) -> tuple[str, ...]:
    """Return the arguments before the cookie's name in a client's cookie methods."""
    return ("localhost",) if comes_first else ()
