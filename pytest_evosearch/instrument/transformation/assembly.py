"""Converts code objects to plain tuples and back, with live probes for placeholders.

In this form, reading creates each code object only once. Replacing constants in code that `marshal`
has created would create every code object again.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from operator import attrgetter
from types import CodeType
from typing import Any

from pytest_evosearch.instrument.transformation.nodes import unit_of

BEFORE = attrgetter(
    *("co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_nlocals", "co_stacksize"),
    *("co_flags", "co_code"),
)
QUALIFIED = sys.version_info >= (3, 11)
AFTER = attrgetter(
    *("co_names", "co_varnames", "co_filename", "co_name"),
    *(("co_qualname",) if QUALIFIED else ()),
    *("co_firstlineno", "co_linetable"),
    *(("co_exceptiontable",) if QUALIFIED else ()),
    *("co_freevars", "co_cellvars"),
)
"""The arguments of `CodeType` around the constants, in order."""

Parts = tuple[Any, ...]
"""The parts of one code object: a plain tuple, because only that can be marshalled.

They are the arguments before the constants; the constants, with None for nested code and probes;
the arguments after them; (index, parts) of nested code; (index, unit) of probes.
"""


def taken_apart(code: CodeType) -> Parts:
    """Return the parts of compiled code with placeholders."""
    units = [(place, unit_of(constant)) for place, constant in enumerate(code.co_consts)]
    probes = tuple((place, unit) for place, unit in units if unit is not None)
    nested = tuple(
        (place, taken_apart(constant))
        for place, constant in enumerate(code.co_consts)
        if isinstance(constant, CodeType)
    )
    constants = list(code.co_consts)
    for place, _ in probes + nested:
        constants[place] = None
    return BEFORE(code), tuple(constants), AFTER(code), nested, probes


def put_together(parts: Parts, slots: Sequence[object]) -> CodeType:
    """Create the code of `parts`, with the slots of each unit at their places."""
    before, constants, after, nested, probes = parts
    if nested or probes:
        filled = list(constants)
        for place, inner in nested:
            filled[place] = put_together(inner, slots)
        for place, unit in probes:
            filled[place] = slots[unit]
        constants = tuple(filled)
    return CodeType(*before, constants, *after)  # type: ignore[call-arg]
