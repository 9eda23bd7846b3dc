"""Notices what a request leaves in context variables, for the next one in the same context.

A server gives most requests a context of their own; the tests of one process share theirs.  An
application that sets a variable and leaves it there (``bind_contextvars``, a tenant, whether a
header was checked) answers the second request of a test run otherwise than the first.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from typing import ParamSpec
from typing import TypeVar

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

HARMLESS = frozenset(("decimal_context", "flask.app_ctx", "flask.request_ctx"))
"""Names of variables that carry nothing to the next request.

The contexts of Flask stay where a client keeps them on purpose (``with client:``).
"""


_length = len
"""A handler may have replaced `len`."""


def with_leftovers(
    function: Callable[Parameters, Result], *args: Parameters.args, **kwargs: Parameters.kwargs
) -> tuple[Result, bool]:
    """Call `function`; say also whether a context variable is set that was not before."""
    before = copy_context()
    result = function(*args, **kwargs)
    after = copy_context()
    grown = _length(after) > _length(before)
    return result, grown and any(
        variable not in before and variable.name not in HARMLESS for variable in after
    )
