"""What a project is asked about, as small values that say what it needs to know."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field


@dataclass(frozen=True)
class EndpointInfo:
    """An endpoint: one method of one rule of the application."""

    method: str
    """``POST``."""
    path: str
    """With placeholders: ``/api/orders/{id}``."""
    name: str
    """Flask's endpoint name, ``orders.create``."""
    blueprint: str | None = None


@dataclass(frozen=True)
class ParameterInfo:
    """A parameter of an endpoint, or a field of its JSON body."""

    location: str
    """``path``, ``query``, ``header``, ``cookie``, ``form``, ``file``, ``json``, or ``text`` for a
    whole raw body."""
    name: str
    """``quantity``; empty for a whole body."""
    path: tuple[str, ...]
    """The keys down to a field of a JSON body, ``("items", "0", "quantity")``; else the name."""


@dataclass
class OutgoingRequest:
    """A request before it is sent: headers, cookies, query and body may be changed in place.

    A name that is sent more than once has a list of values.  `endpoint`, `url_path` and `user` say
    what it is, and stay.
    """

    endpoint: EndpointInfo
    url_path: str
    """As it is sent, percent-encoded: ``/api/orders/7``."""
    user: str | None
    """Name of the user that sends it, None for an anonymous caller."""
    headers: dict[str, object] = field(default_factory=dict)
    """Without those that the user's log-in or the client adds."""
    query: dict[str, object] = field(default_factory=dict)
    cookies: dict[str, object] = field(default_factory=dict)
    form: dict[str, object] = field(default_factory=dict)
    json: object = None
    """The JSON body, None for another body or none."""
    text: str | bytes | None = None
    """A raw body."""

    @property
    def method(self) -> str:
        """``POST``."""
        return self.endpoint.method


@dataclass(frozen=True)
class WrittenModule:
    """A module of tests before it is written."""

    name: str
    """File name: ``test_evosearch_orders.py``."""
    text: str
    """Its source; tests of earlier runs stand in it as they lie on disk."""
