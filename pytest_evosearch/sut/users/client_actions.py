"""What is done with a client before its first request: log-ins, cookies that go, variables."""

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
    """What a client is called with, the method left out."""
    again: Callable[[str], str] = str
    """Makes a text anew by the clock, where it lasts for a moment only."""

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
    """Deletes cookies of a client, as a browser does that closes."""

    names: tuple[str, ...]

    def __call__(self, client: Any) -> None:
        """Delete them."""
        for name in self.names:
            client.delete_cookie(*server_argument(names_server_first()), name)


@dataclass(frozen=True)
class ToldByServer:
    """Lets each request of a client hold what a server in front would tell."""

    variables: Mapping[str, str]
    address: str | None = None
    """Where requests are sent, ``https://alder.localhost``; None where the usual one is meant."""

    def __call__(self, client: Any) -> None:
        """Change what the requests of `client` begin with."""
        client.environ_base = {**client.environ_base, **self.variables}
        if self.address is not None:
            client.open = partial(client.open, base_url=self.address)


@dataclass(frozen=True)
class InTurn:
    """Does several things with a client."""

    actions: tuple[Callable[[Any], object], ...]

    def __call__(self, client: Any) -> None:
        """Do them."""
        for action in self.actions:
            action(client)


def server_argument(comes_first: bool) -> tuple[str, ...]:
    """Return what a client's calls for cookies take before the name of the cookie."""
    return ("localhost",) if comes_first else ()
