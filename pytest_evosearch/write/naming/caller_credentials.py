"""The credentials in a request: headers and cookies that identify the caller."""

from __future__ import annotations

import re

from pytest_evosearch.core.english import snake_case
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.write.content.inputs import Slot
from pytest_evosearch.write.content.inputs import slots_of

STRANGER = "stranger"
"""Category of conditions about the caller."""

ANONYMOUS = "anonymous"
WRONG_CREDENTIALS = "wrong_credentials"

PASSWORD = "password"
"""Part of the names of secret inputs."""

AUTHORIZATION = "authorization"

_TELLING = re.compile(r"(?:^|_)(?:auth|authorization|token|key|apikey|secret|session)(?:_|$)")
_AGAINST_FORGERY = re.compile("csrf|xsrf|idempot")


def credentials_of(request: Request) -> dict[Slot, object]:
    """Return the headers and cookies that identify the caller."""
    return {
        slot: value
        for slot, value in slots_of(request).items()
        if slot[0] in ("header", "cookie")
        and _TELLING.search(snake_case(slot[1]))
        and not _AGAINST_FORGERY.search(snake_case(slot[1]))
    }
