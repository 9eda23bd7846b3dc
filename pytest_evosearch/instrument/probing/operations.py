"""Performs operations of the application without frames in its tracebacks.

A probe that evaluates an operation itself must not appear in the traceback of its exception. So it
returns, and the exception is raised at the place of the operation. Either the truth of a `Failure`
raises it, which the condition evaluates at once, or a call of the probe's result (``PROBES.c1(a,
b)()``). Both are C code, which has no frame.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from collections.abc import Iterator
from functools import partial
from types import TracebackType
from typing import Any

from pytest_evosearch.core import comparison_signs
from pytest_evosearch.core.comparison_signs import ORDERINGS
from pytest_evosearch.core.comparison_signs import SIGNS
from pytest_evosearch.instrument.probing.set_wishes import SET_OPERATIONS

same: Callable[[Any], Any] = partial({}.get, None)
"""The identity function, in C: `dict.get` of a missing key."""


def raiser(error: BaseException) -> Callable[[], Any]:
    """Return a C function that raises `error` with its present traceback, without our frames."""
    error.__traceback__ = _without_our_frames(error.__traceback__)
    # A finished generator raises a thrown exception at its caller.
    finished = _nothing()
    next(finished, None)
    return partial(finished.throw, error)  # type: ignore[attr-defined]


def _nothing() -> Iterator[None]:
    yield from ()


def _without_our_frames(traceback: TracebackType | None) -> TracebackType | None:
    while traceback is not None and traceback.tb_frame.f_code.co_filename in OUR_FILES:
        traceback = traceback.tb_next
    return traceback


class Failure:
    """Raises an exception when its truth is evaluated."""

    __slots__ = ("raiser",)

    def __init__(self, error: BaseException) -> None:
        self.raiser = raiser(error)

    __bool__ = property(operator.attrgetter("raiser"))


def is_member(value: object, container: Any) -> Any:
    """Return ``value in container``, or a `Failure`."""
    try:
        return value in container
    except BaseException as error:
        return Failure(error)


def is_no_member(value: object, container: Any) -> Any:
    """Return ``value not in container``, or a `Failure`."""
    try:
        return value not in container
    except BaseException as error:
        return Failure(error)


def truth(value: Any) -> Any:
    """Return the truth of `value`, or a `Failure`."""
    try:
        return bool(value)
    except BaseException as error:
        return Failure(error)


OPERATIONS = {text: sign.operate for text, sign in SIGNS.items()}
"""Operations that a live probe performs."""


def _defer_member(value: object, container: Any) -> Callable[[], Any]:
    return partial(operator.contains, container, value)


def _defer_no_member(value: object, container: Any) -> Callable[[], Any]:
    try:
        return partial(operator.not_, value in container)
    except BaseException as error:
        return raiser(error)


ORDERS = sorted(ORDERINGS)


def within(
    first: Callable[[Any, Any], Any],
    second: Callable[[Any, Any], Any],
    left: Any,
    middle: Any,
    right: Any,
) -> Any:
    """Return ``left first middle second right``, or a `Failure`."""
    try:
        result = first(left, middle)
        return second(middle, right) if result else result
    except BaseException as error:
        return Failure(error)


def _defer_within(*operands: Any) -> Callable[[], Any]:
    result = within(*operands)
    return result.raiser if type(result) is Failure else partial(same, result)


DEAD_VALUES: dict[str, Any] = {
    "": None,
    "truth": operator.truth,
    "identity": same,
    **OPERATIONS,
    **SET_OPERATIONS,
    "in": is_member,
    "not in": is_no_member,
    **{f"deferred {name}": partial(partial, operate) for name, operate in OPERATIONS.items()},
    "deferred in": _defer_member,
    "deferred not in": _defer_no_member,
    **{
        f"{prefix}{first} {second}": partial(operate, OPERATIONS[first], OPERATIONS[second])
        for prefix, operate in (("", within), ("deferred ", _defer_within))
        for first in ORDERS
        for second in ORDERS
    },
}
"""Values of a dead slot: None where a guard checks it, otherwise the plain operation."""

OUR_FILES = frozenset(
    (
        is_member.__code__.co_filename,
        __file__.replace("operations.py", "conditions.py"),
        __file__.replace("operations.py", "set_conditions.py"),
        comparison_signs.__file__,
    )
)
"""Source files whose frames may be between the application and its exception."""
