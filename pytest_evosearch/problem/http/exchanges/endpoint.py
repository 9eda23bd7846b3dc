"""Endpoints and their parameters: the inputs that the application accepts, as far as known."""

from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Mapping
from dataclasses import field
from enum import Enum

from pytest_evosearch.core.http_words import SAFE
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.genes.base import Gene


class Location(str, Enum):
    """Where in a request a parameter travels."""

    PATH = "path"
    QUERY = "query"
    HEADER = "header"
    COOKIE = "cookie"
    ENVIRON = "environ"
    """Set by a server or a layer in front of the application: ``REMOTE_USER``."""
    FORM = "form"
    FILE = "file"
    JSON = "json"
    """The whole JSON body; the parameter's name is empty."""
    TEXT = "text"
    """The whole raw body; the parameter's name is empty."""
    ROW = "row"
    """Not sent: a row that the test puts into a table first. The parameter's name is the model."""
    ANSWER = "answer"
    """Not sent: what another service answers. The name is that of the application's call."""


@dataclass(frozen=True)
class Parameter:
    """One input of an endpoint; identity is (`location`, `name`)."""

    location: Location
    name: str
    gene: Gene
    """Type, constraints and a default value."""
    required: bool = False
    source: str = "url_map"
    """Where it was learnt.

    One of ``url_map``, ``schema``, ``validator`` (caught), ``read`` (recorded), ``html``, ``user``.
    """
    content_type: str | None = None
    """Content type of a TEXT body; None elsewhere."""

    @property
    def key(self) -> tuple[Location, str]:
        """The parameter's identity inside its endpoint."""
        return (self.location, self.name)


@dataclass(frozen=True)
class View:
    """The place of the function that answers requests to an endpoint."""

    file: str
    first: int
    """First line, with decorators."""
    last: int
    names: tuple[str, ...] = field(default=(), compare=False)
    """Texts of its code that may name what it takes from a request."""

    @property
    def inside(self) -> range:
        """Return its lines; the first one of a longer function only defines it."""
        return range(self.first + (self.first != self.last), self.last + 1)


SAFE_METHODS = frozenset(SAFE)
"""HTTP methods that change nothing."""

PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
"""A path parameter inside a template."""


OPERATION = "#"
"""What precedes a GraphQL operation in a template: a fragment, which no client sends.

``/graphql#mutation.createUser``: one address serves all operations, and each is an endpoint.
"""

QUERY = f"{OPERATION}query."
"""The beginning of an operation that only reads."""


def address_of(template: str) -> str:
    """Return the part of a template that is sent."""
    return template.partition(OPERATION)[0]


def path_with(
    template: str, values: Mapping[str, object], spelled: Callable[[object], str] = str
) -> str:
    """Return a template with its placeholders filled."""
    return PLACEHOLDER.sub(lambda match: spelled(values.get(match[1], "")), template)


def operation_of(template: str) -> str:
    """Return the operation of GraphQL at the end of a template: ``mutation.createUser``, or ""."""
    return template.partition(OPERATION)[2]


def is_safe(key: str) -> bool:
    """Say whether calls of the endpoint `key` change nothing, by method or operation."""
    return key.partition(" ")[0] in SAFE_METHODS or QUERY in key


@dataclass(frozen=True)
class Endpoint:
    """One method of one URL rule."""

    method: str
    template: str
    """The path with placeholders: ``/api/orders/{id}``."""
    name: str
    """Flask's endpoint name, ``blog.update``."""
    parameters: tuple[Parameter, ...] = ()
    statuses: tuple[int, ...] = ()
    """Statuses that a schema declares; empty when none does."""
    blueprint: str | None = None
    host: str | None = None
    """Host to request, under host matching or a subdomain; None for the default."""
    summary: str = field(default="", compare=False)
    view: View | None = field(default=None, compare=False)
    """Where the function is that answers; None when unknown."""
    responses: Mapping[str, object] = field(default_factory=dict, compare=False, repr=False)
    """Declared status (``200``, ``4XX``, ``default``) -> its part of the OpenAPI document."""
    operation: Mapping[str, object] = field(default_factory=dict, compare=False, repr=False)
    """The endpoint's part of the OpenAPI document; empty when none describes it.

    It includes the `security` in effect here.
    """
    fields: Mapping[str, Mapping[str, object]] = field(
        default_factory=dict, compare=False, repr=False
    )
    """Declared fields of a JSON body, by name."""

    @property
    def key(self) -> str:
        """The stable name of the action, as in targets and reports: ``GET /api/orders/{id}``."""
        return f"{self.method} {self.template}"

    @property
    def placeholders(self) -> list[str]:
        """Names of the path parameters, in order."""
        return PLACEHOLDER.findall(self.template)


def pattern_of(template: str) -> str:
    """Return the regular expression of the paths of `template`, with a group for each parameter."""
    return "([^/]+)".join(re.escape(part) for part in PLACEHOLDER.split(template)[::2])
