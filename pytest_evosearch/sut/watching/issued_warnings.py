"""Notes the warnings that calls issue, so that a written test allows them from the start.

Where warnings are errors, a test shows one class of warnings after the other: each hides the next,
and costs a run of the tests.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pytest_evosearch.core.folder_names import INSTALLED

EVERY_TIME: Any = ("always", None, Warning, None, 0)
"""A filter that hides no warning."""

SHORTEST_BEGINNING = 8
"""Fewest characters that a warning is told by."""

_BEGINNING = re.compile(r"(?:[A-Za-z_.,'-]+ ?)+")
"""The words of a warning before numbers and signs, which filters read as patterns."""

SHOWING = "_showwarnmsg"
"""The function of `warnings` to which the interpreter passes each warning that it does not hide."""


@contextmanager
def warnings_noted() -> Iterator[set[str]]:
    """Yield the block's warnings as filters name them, by their class or words; show none."""
    classes: set[str] = set()

    def note(message: Any) -> None:
        if name := filter_name(message.category):
            classes.add(by_its_words(str(message.message), message.category) or name)

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


def by_its_words(message: str, category: type[Warning]) -> str:
    """Return the end of a filter for a warning of a library: how it begins, and Python's class.

    An older version of the library may lack the class, which ends pytest.  It is empty for other
    warnings, and for words that are too few to tell one.
    """
    file = getattr(sys.modules.get(category.__module__), "__file__", None) or ""
    begins = _BEGINNING.match(message)
    words = begins[0].rstrip() if begins is not None else ""
    if INSTALLED.isdisjoint(Path(file).parts) or len(words) < SHORTEST_BEGINNING:
        return ""
    base = next(one for one in category.__mro__ if one.__module__ == "builtins")
    return f"{words}:{base.__name__}"


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
