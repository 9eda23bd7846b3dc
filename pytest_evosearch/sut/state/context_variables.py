"""Notices context variables that a request leaves for the next one in its context.

A server gives most requests a context of their own, while the tests of one process share one. An
application may set a variable and leave it set (``bind_contextvars``, a tenant, whether a header
was checked). Then its response to the second request of a test run differs from the first.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from typing import ParamSpec
from typing import TypeVar

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

HARMLESS = frozenset(("decimal_context", "flask.app_ctx", "flask.request_ctx"))
"""Names of variables without any effect on the next request.

Contexts of Flask stay when a client keeps them on purpose (``with client:``).
"""


_length = len
"""Kept, because a handler may have replaced `len`."""


def with_leftovers(
    function: Callable[Parameters, Result], *args: Parameters.args, **kwargs: Parameters.kwargs
) -> tuple[Result, bool]:
    """Call `function`; say also whether it leaves a context variable newly set."""
    before = copy_context()
    result = function(*args, **kwargs)
    after = copy_context()
    grown = _length(after) > _length(before)
    return result, grown and any(
        variable not in before and variable.name not in HARMLESS for variable in after
    )
