"""Names responses by the role that they play: ``created``, ``listed``, ``deleted``."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_evosearch.problem.http.exchange import Exchange
from pytest_evosearch.write.resources import is_identifier
from pytest_evosearch.write.resources import resource_of
from pytest_evosearch.write.resources import singular
from pytest_evosearch.write.resources import template_segments
from pytest_evosearch.write.resources import words

ACTIONS = {
    "login": "logged_in",
    "signin": "logged_in",
    "tokens": "authenticated",
    "token": "authenticated",
    "logout": "logged_out",
    "signout": "logged_out",
    "register": "registered",
    "signup": "registered",
    "create": "created",
    "new": "created",
    "add": "added",
    "update": "updated",
    "edit": "updated",
    "delete": "deleted",
    "remove": "removed",
    "search": "found",
    "upload": "uploaded",
}
"""Last word of a URL -> the role of its response when it succeeds."""

_METHODS = {"POST": "created", "PUT": "updated", "PATCH": "updated", "DELETE": "deleted"}

_CLIENT_ERRORS = {401: "denied", 403: "denied", 404: "missing", 409: "conflict", 410: "gone"}


def role_of(exchange: Exchange, after_deletion: bool) -> str:
    """Return the role of one response; `after_deletion` says that something was deleted before."""
    request, status = exchange.request, exchange.status
    if status == 404 and after_deletion:
        return "gone"
    if status >= 400:
        return _CLIENT_ERRORS.get(status, "rejected" if status < 500 else "response")
    last = template_segments(request.template)[-1:] or [""]
    if request.method != "GET":
        acted = ACTIONS.get(words(last[0]))
        return acted or _METHODS.get(request.method, "response")
    if status >= 300:
        return "redirected"
    return "listed" if "{" not in request.template and _may_list(exchange) else "found"


def _may_list(exchange: Exchange) -> bool:
    """Say whether a response may be a collection: a page, or JSON that is no single object."""
    response = exchange.response
    return response is None or not response.body.lstrip().startswith(b"{")


def response_variables(exchanges: Sequence[Exchange], taken: Sequence[str] = ()) -> list[str]:
    """Return a variable for every response, distinct from each other and from `taken`."""
    if len(exchanges) == 1:
        return ["response"]
    names: list[str] = []
    deleted = False
    for exchange in exchanges:
        name = role_of(exchange, deleted)
        deleted = deleted or name in ("deleted", "removed")
        names.append(_distinct(name, exchange, [*names, *taken]))
    return names


def _distinct(name: str, exchange: Exchange, taken: Sequence[str]) -> str:
    if name not in taken:
        return name
    noun = singular(resource_of(exchange.request.template))
    longer = f"{name}_{noun}"
    if is_identifier(longer) and longer not in taken:
        return longer
    number = 2
    while f"{name}_{number}" in taken:
        number += 1
    return f"{name}_{number}"
