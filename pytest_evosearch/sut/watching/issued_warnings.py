"""Notes the warnings that calls issue, so that a written test allows them from the start.

Where warnings are errors, a test shows one class of warnings after the other: each hides the next,
and costs a run of the tests.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager
from typing import Any

EVERY_TIME: Any = ("always", None, Warning, None, 0)
"""A filter that hides no warning."""

SHOWING = "_showwarnmsg"
"""The function of `warnings` to which the interpreter passes each warning that it does not hide."""


@contextmanager
def warnings_noted() -> Iterator[set[str]]:
    """Yield the classes of the block's warnings, as filters name them; show none of them."""
    classes: set[str] = set()

    def note(message: Any) -> None:
        if name := filter_name(message.category):
            classes.add(name)

    filters, shows = warning_filters(), getattr(warnings, SHOWING)
    set_warning_filters((warnings.filters, EVERY_TIME))
    setattr(warnings, SHOWING, note)
    try:
        yield classes
    finally:
        setattr(warnings, SHOWING, shows)
        set_warning_filters(filters)


def warning_filters() -> Sequence[Any]:
    """Return the list of filters of warnings, and after it what it holds."""
    return (warnings.filters, *warnings.filters)


def set_warning_filters(known: Sequence[Any]) -> None:
    """Set the list of filters of warnings, and what it holds."""
    warnings.filters = known[0]
    known[0][:] = known[1:]
    getattr(warnings, "_filters_mutated", lambda: None)()


def filter_name(category: type[Warning]) -> str:
    """Return the name of a class of warnings in the syntax of filters.

    It is empty for a class that cannot be imported, and for warnings of destructors, which come by
    chance.
    """
    module, name = category.__module__, category.__qualname__
    known = getattr(sys.modules.get(module), name, None)
    if known is not category or module == "__main__" or issubclass(category, ResourceWarning):
        return ""
    return name if module == "builtins" else f"{module}.{name}"
