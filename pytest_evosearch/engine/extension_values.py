"""Small values with which hooks of a project are called."""

from __future__ import annotations

from dataclasses import field

from pytest_evosearch.core.quick_dataclasses import dataclass


@dataclass(frozen=True)
class EndpointInfo:
    """An endpoint: one method of one rule of the application."""

    method: str
    """The HTTP method: ``POST``."""
    path: str
    """The path with placeholders: ``/api/orders/{id}``."""
    name: str
    """Flask's name of the endpoint: ``orders.create``."""
    blueprint: str | None = None


@dataclass(frozen=True)
class ParameterInfo:
    """A parameter of an endpoint, or a field of its JSON body."""

    location: str
    """``path``, ``query``, ``header``, ``cookie``, ``form``, ``file``, ``json`` or ``text``.

    ``text`` means a whole raw body.
    """
    name: str
    """The name: ``quantity``; empty for a whole body."""
    path: tuple[str, ...]
    """The keys of a field of a JSON body, ``("items", "0", "quantity")``; otherwise the name."""


@dataclass
class OutgoingRequest:
    """A request before it is sent: headers, cookies, query and body may be changed in place.

    A name that is sent more than once has a list of values.  `endpoint`, `url_path` and `user`
    identify the request, and cannot be changed.
    """

    endpoint: EndpointInfo
    url_path: str
    """The path as it is sent, percent-encoded: ``/api/orders/7``."""
    user: str | None
    """Name of the user who sends it; None for an anonymous caller."""
    headers: dict[str, object] = field(default_factory=dict)
    """Headers, without those that the user's log-in or the client adds."""
    query: dict[str, object] = field(default_factory=dict)
    cookies: dict[str, object] = field(default_factory=dict)
    form: dict[str, object] = field(default_factory=dict)
    json: object = None
    """The JSON body; None for another body or none."""
    text: str | bytes | None = None
    """A raw body."""

    @property
    def method(self) -> str:
        """Return the HTTP method: ``POST``."""
        return self.endpoint.method


@dataclass(frozen=True)
class WrittenModule:
    """A module of tests before it is written."""

    name: str
    """Name of the file: ``test_evosearch_orders.py``."""
    text: str
    """Its source; it contains tests of earlier runs as they are on disk."""
