"""Actions on a client before its first request: log-ins, deleted cookies, WSGI variables."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping
from dataclasses import field
from functools import partial
from typing import Any

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.deeds import Deed


@dataclass(frozen=True)
class FieldOfPage:
    """A field of a form, such as a token against forgery, on a page that was shown before."""

    page: int
    """Which request of a log-in shows it, counted from 0."""
    name: str

    @property
    def mark(self) -> str:
        """What stands for its value until that is read."""
        return f"(field {self.name} of page {self.page})"

    @property
    def pattern(self) -> str:
        """Finds the value, whatever comes first in the tag."""
        return f'(?=[^>]*name="{self.name}")[^>]*value="([^"]*)"'


@dataclass(frozen=True)
class LogIn:
    """The request that logs a user in."""

    method: str
    arguments: Mapping[str, object]
    """Arguments for the client, without the method."""
    read: Mapping[str, FieldOfPage] = field(default_factory=dict)
    """The fields whose marks the arguments contain."""


@dataclass(frozen=True)
class LogIns:
    """The requests that log a user in, as the lines of a fixture."""

    name: str
    """What the lines call the client."""
    deed: Deed

    def __call__(self, client: Any) -> None:
        """Log `client` in."""
        self.deed.run(app=client.application, **{self.name: client})


@dataclass(frozen=True)
class ServerVariables:
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
