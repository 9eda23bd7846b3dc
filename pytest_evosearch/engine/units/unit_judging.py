"""Judges results of units: the targets of a result, and whether an error is a fault.

An exception that the package of the unit raises by a ``raise`` statement or by `sys.exit`, or
defines, or that the unit's docstring names, is a refusal.  So is a failed look-up in an object that
behaves like a container.  Errors that show a mistake of a program (a division by zero, an index)
are faults, where hints, defaults, docstrings, callers or several uses confirm the types of all
arguments.  Errors about types are faults only where more than uses confirms them.  Otherwise they
are mistakes of the search, and show nothing.
"""

from __future__ import annotations

import re

from pytest_evosearch.core.targets import STATUS
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import fault_target
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.genes.constructed import resolved
from pytest_evosearch.problem.units.arguments import Confirmation
from pytest_evosearch.problem.units.results import End
from pytest_evosearch.problem.units.results import Raised
from pytest_evosearch.problem.units.results import Result
from pytest_evosearch.problem.units.results import Run
from pytest_evosearch.problem.units.unit import Unit
from pytest_evosearch.problem.units.unit import UnitTest

_MISTAKES = frozenset(
    (
        *("TypeError", "AttributeError", "NameError", "UnboundLocalError", "ZeroDivisionError"),
        *("IndexError", "KeyError", "RecursionError", "RuntimeError", "StopIteration"),
    )
)
"""Errors that show a mistake of a program, if its arguments are right."""

_OF_TYPES = frozenset({"TypeError", "AttributeError"})
"""Errors that arguments of a wrong type cause."""

_OF_LOOKING_UP = frozenset({"LookupError", "ValueError"})
"""Errors with which containers of Python say that something is not in them."""

_OF_THE_MACHINE = frozenset(
    {"MemoryError", "Refused", "BlockingIOError", "TimeoutError", "ImportError"}
)
"""Errors that our own limits cause, and those of what is installed on this machine."""

_SHOWS_NOTHING = re.compile(
    r"Working outside of |(not enough|too many) values to unpack|unknown encoding: "
    r"|not all arguments converted|not enough arguments for format|unsupported format character"
)
"""How messages begin of errors that are no fault of this code.

Flask says that code needs an application or a request; a tuple has another length than its type; a
text is no name of an encoding, or no format for these values.
"""

_MESSAGE = 120
"""Most characters of a message in the reason of a fault."""


def is_refusal(raised: Raised, unit: Unit) -> bool:
    """Say whether an exception is an answer of the unit, and no accident."""
    is_of_package = raised.kind.module.partition(".")[0] == unit.module.partition(".")[0]
    if raised.is_own or is_of_package or not unit.refusals.isdisjoint(raised.ancestors):
        return True
    name = unit.name.rpartition(".")[2]
    looks_up = bool(unit.owner) and any(hasattr(kind, name) for kind in (list, dict, set))
    return looks_up and not _OF_LOOKING_UP.isdisjoint(raised.ancestors)


def is_of_base(raised: Raised, unit: Unit) -> bool:
    """Say whether an exception only shows that subclasses have more than their base class.

    That is a `NotImplementedError` without a message, or a missing attribute of the base class.
    """
    if raised.kind.name == NotImplementedError.__name__ and not raised.message:
        return True
    kind = resolved(Named(unit.module, unit.name.rpartition(".")[0])) if unit.owner else None
    is_missing = f"'{getattr(kind, '__name__', '')}' object has no attribute" in raised.message
    return isinstance(kind, type) and is_missing and bool(kind.__subclasses__())


def _is_left_to_others(raised: Raised, unit: Unit) -> bool:
    """Say whether an operator has returned `NotImplemented`, and the other operand knows no answer.

    Python raises a TypeError then, outside of any searched code.
    """
    is_binary = unit.operator is not None and unit.operator.is_loose
    return is_binary and raised.kind.name == TypeError.__name__ and not raised.path


def _is_unready(raised: Raised, unit: Unit) -> bool:
    """Say whether a method misses what its object gets later: an attribute is still None."""
    return bool(unit.owner) and f"'{type(None).__name__}' object" in raised.message


def fault_of(unit: Unit, result: Result, confirmation: Confirmation) -> str | None:
    """Return why a result is a fault, an empty text for none; None when it shows nothing."""
    raised = result.raised
    if result.end is End.RETURNED:
        return ""
    if raised is None or not _OF_THE_MACHINE.isdisjoint(raised.ancestors):
        return None
    if _SHOWS_NOTHING.match(raised.message) or is_of_base(raised, unit):
        return None
    if is_refusal(raised, unit) or _is_left_to_others(raised, unit):
        return ""
    name = raised.kind.name
    if name in _OF_TYPES and (confirmation is not Confirmation.TOLD or _is_unready(raised, unit)):
        return None
    if name in _MISTAKES:
        if confirmation is Confirmation.NONE or not raised.path:
            return None  # the call itself was wrong
        place = f" at {raised.path}:{raised.line}"
        message = " ".join(raised.message.split())[:_MESSAGE]
        return f"{name}: {message}{place}" if message else f"{name}{place}"
    return None


def targets_of(
    test: UnitTest, run: Run, unit: Unit, confirmation: Confirmation
) -> dict[TargetId, float]:
    """Return the targets that the end of a test covers: how it ends, and a fault.

    An error that the unit does not raise itself is no end worth a test: it may be another one
    tomorrow.  Its test is only written if it alone covers something else.
    """
    last = run.last
    if last is None or len(run.results) < len(test) or run.harm:
        return {}
    why = fault_of(unit, last, confirmation)
    if why is None:
        return {}
    is_answer = last.raised is None or bool(why) or is_refusal(last.raised, unit)
    found = {f"{STATUS} {_ending(last, unit)}": 1.0} if is_answer else {}
    if why and last.raised is not None:
        place = f"{last.raised.path}:{last.raised.line}"
        found[fault_target(unit.key, last.raised.kind.name, place)] = 1.0
    return found


def _ending(result: Result, unit: Unit) -> str:
    """Return what the end of a test is: a refusal is one, whichever unit of several reaches it."""
    raised = result.raised
    if raised is None:
        return f"{unit.key} returned {result.outline}"
    place = f"{raised.path}:{raised.line}" if raised.is_own and raised.path else unit.key
    return f"{place} raised {raised.kind.name}"
