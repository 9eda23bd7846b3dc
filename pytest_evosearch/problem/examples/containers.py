"""Applies methods of dictionaries and lists as tests call them: ``data.update(name="x")``."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence

from pytest_evosearch.problem.examples.values import UNKNOWN


def is_changing(receiver: object, method: str) -> bool:
    """Say whether `changed` supports this method of a container."""
    if isinstance(receiver, dict):
        return method in ("update", "setdefault", "pop", "copy")
    return isinstance(receiver, list) and method in ("append", "extend", "copy")


def changed(
    receiver: object, method: str, arguments: Sequence[object], options: Mapping[str, object]
) -> object:
    """Apply a test's method call to a dictionary or list; return the method's result."""
    first = arguments[0] if arguments else UNKNOWN
    if method == "copy":
        return copied(receiver)
    if isinstance(receiver, dict):
        return _changed_dictionary(receiver, method, arguments, options)
    if isinstance(receiver, list):
        receiver += (first if isinstance(first, list) else []) if method == "extend" else [first]
    return None


def _changed_dictionary(
    receiver: dict[object, object],
    method: str,
    arguments: Sequence[object],
    options: Mapping[str, object],
) -> object:
    first = arguments[0] if arguments else UNKNOWN
    if method == "update":
        receiver.update({**(first if isinstance(first, dict) else {}), **options})
        return None
    if not isinstance(first, (str, int)):
        return UNKNOWN
    if method == "pop":
        return receiver.pop(first, UNKNOWN)
    return receiver.setdefault(first, arguments[1] if len(arguments) > 1 else None)


def copied(value: object) -> object:
    """Return a copy of a container, which later changes do not affect; other values unchanged."""
    if isinstance(value, dict):
        return dict(value)
    return list(value) if isinstance(value, list) else value
