"""Finds the credentials that are missing or wrong in a refusal: ``without_token``.

Credentials are headers and cookies that identify the caller. Successful calls of the endpoint show
which ones it needs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pytest_evosearch.core.english import snake_case
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.write.content.inputs import LINKED
from pytest_evosearch.write.content.inputs import Slot
from pytest_evosearch.write.content.inputs import slots_of

STRANGER = "stranger"
"""Category of conditions about the caller."""

ANONYMOUS = "anonymous"
WRONG_CREDENTIALS = "wrong_credentials"

AUTHORIZATION = ("header", "authorization")

_TELLING = re.compile(r"(?:^|_)(?:auth|authorization|token|key|apikey|secret|session)(?:_|$)")
_AGAINST_FORGERY = re.compile("csrf|xsrf|idempot")
_BEARER = re.compile(r"(?:bearer|token|jwt)\b", re.IGNORECASE)
_BASIC = re.compile(r"basic\b", re.IGNORECASE)


def credentials_of(request: Request) -> dict[Slot, object]:
    """Return the headers and cookies that identify the caller."""
    return {
        slot: value
        for slot, value in slots_of(request).items()
        if slot[0] in ("header", "cookie")
        and _TELLING.search(snake_case(slot[1]))
        and not _AGAINST_FORGERY.search(snake_case(slot[1]))
    }


def is_known(exchange: Exchange) -> bool:
    """Say whether an earlier log-in identifies the caller, as far as known."""
    return exchange.user is not None or LINKED in credentials_of(exchange.request).values()


def refused_credentials(exchange: Exchange, siblings: Sequence[Exchange]) -> str:
    """Return ``wrong_admin_key`` or ``without_token``; empty when credentials are not at fault."""
    if exchange.user is not None:
        return ""
    mine = credentials_of(exchange.request)
    served = [other for other in siblings if other.status < 400 and other.user is None]
    accepted = [credentials_of(other.request) for other in served]
    wrong = [
        slot
        for slot, value in mine.items()
        if value != LINKED and not any(other.get(slot) == value for other in accepted)
    ]
    if wrong:
        return _wrong(wrong[0], exchange.request)
    if mine or not all(accepted):
        return ""
    return next((_missing(slot, served) for other in accepted for slot in other), "")


def _wrong(slot: Slot, request: Request) -> str:
    if slot != AUTHORIZATION:
        return f"wrong_{_spoken(slot)}"
    return WRONG_CREDENTIALS if _BASIC.match(_authorization(request)) else "invalid_authorization"


def _missing(slot: Slot, served: Sequence[Exchange]) -> str:
    if slot != AUTHORIZATION:
        return f"without_{_spoken(slot)}"
    bears = any(_BEARER.match(_authorization(one.request)) for one in served)
    return "without_token" if bears else ANONYMOUS


def _spoken(slot: Slot) -> str:
    return snake_case(slot[1]).removeprefix("x_")


def _authorization(request: Request) -> str:
    return next((text for name, text in request.headers if name.lower() == AUTHORIZATION[1]), "")


def made_by_another(exchange: Exchange, earlier: Sequence[Exchange]) -> bool:
    """Say whether a call requests a resource that another user created in an earlier call."""
    mine = _caller(exchange)
    makers = (
        _caller(earlier[origin.call])
        for place, origin in exchange.request.origins.items()
        if place[0] == "path" and origin.call < len(earlier)
    )
    return any(mine and maker and maker != mine for maker in makers)


def _caller(exchange: Exchange) -> tuple[str | None, str] | None:
    """Return the caller, as far as the request itself identifies one."""
    headers = {name.lower(): value for name, value in exchange.request.headers}
    credentials = exchange.user, headers.get("authorization", "")
    return credentials if any(credentials) else None
