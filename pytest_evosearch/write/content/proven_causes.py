"""The proven causes of an answer: parts of a request whose repair changes it.

The harvest proves them by executions (`harvest.proving`).  Names say nothing else about causes.
"""

from __future__ import annotations

from enum import Enum

from pytest_evosearch.core.quick_dataclasses import dataclass


class Nothing(Enum):
    """The value of a part that is not sent."""

    NOT_SENT = "not sent"


NOT_SENT = Nothing.NOT_SENT

USER, BEFORE, WHOLE_BODY, ROW = "user", "before", "body", "row"
"""Locations besides those of inputs: who sends it, earlier calls, the whole body, a stored row."""

STORED = "stored"
"""The usual value of a missing row with which a call gets further."""

ALL_ROWS = WHOLE_QUERY = ""
"""The name of a cause that is all stored rows together, or the whole query."""


@dataclass(frozen=True)
class Cause:
    """A part of the request under test that alone decides about the answer."""

    location: str
    """Location of an input, as in `write.content.inputs.slots_of`, or one of those above."""
    name: str = ""
    """Of a whole body, its kind, as in ``json list``; then `usual` is the kind of the good one."""
    value: object = NOT_SENT
    """What the test sends."""
    usual: object = NOT_SENT
    """The good value with which the answer was another one."""
    asked_by: str = ""
    """Of a row, the one input under whose name such a row has what is sent."""
    is_any: bool = False
    """Whether a number that no row has fails like this one, so that the number itself is usual."""
    hides_another: bool = False
    """Whether the repaired call is refused, too, for a part that is looked at after this one."""
