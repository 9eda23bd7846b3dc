"""Targets: what a search tries to reach, each named by a readable text.

A target is anything with a score in [0, 1]: a statement, one side of a branch, an HTTP status of an
endpoint, a fault.  The archive and the algorithms treat all kinds in one way.  A name is stable
across runs of one source, sorts in one order, and is readable in reports:

    line shop/pricing.py:12
    branch shop/pricing.py:12 true
    branch shop/pricing.py:12#2 false        the second condition on line 12
    status GET /api/orders/{id} 404
    fault shop/views.py price > shop/pricing.py total ZeroDivisionError shop/pricing.py:12
    fault GET /api/orders/{id} 5xx unknown
    effect POST /api/orders 201 in GET /api/orders 200     what a later read shows of a call
    query shop/views.py:31 none                            statements of SQL that find no row
    statement shop/views.py:31 select orders 3fa2 none     one of the statements of a line
    predicate shop/views.py:31 select orders 3fa2 total > ? true    one of its conditions
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeAlias

TargetId: TypeAlias = str
"""The readable, stable name of a target."""

LINE = "line"
BRANCH = "branch"
STATUS = "status"
FAULT = "fault"
EFFECT = "effect"
QUERY = "query"
STATEMENT = "statement"
PREDICATE = "predicate"

LOOKUP = ("found", "missing")
CONVERSION = ("returned", "raised")
"""Labels of branches inside an expression."""

GUIDES = frozenset({STATEMENT, PREDICATE})
"""Kinds of targets that guide a search and get no written test.

A line that builds its SQL statement has many of these targets, which differ little.
"""


def line_target(path: str, line: int) -> TargetId:
    """Name the statement that starts on `line` of the file `path` (relative, forward slashes)."""
    return f"{LINE} {path}:{line}"


def branch_target(path: str, line: int, label: str, ordinal: int = 1) -> TargetId:
    """Name one side (`label`, for example ``true``) of the `ordinal`-th condition on `line`."""
    position = f"{path}:{line}" if ordinal == 1 else f"{path}:{line}#{ordinal}"
    return f"{BRANCH} {position} {label}"


def status_target(endpoint: str, status: int) -> TargetId:
    """Name the response status of an endpoint such as ``GET /api/orders/{id}``."""
    return f"{STATUS} {endpoint} {status}"


def fault_target(place: str, kind: str, position: str) -> TargetId:
    """Name a fault by its `kind` (exception type) and `position` (``file:line``).

    `place` is the endpoint, or the functions on the way to the position.
    """
    return f"{FAULT} {place} {kind} {position}"


def effect_target(endpoint: str, status: int, reader: str, shown: int) -> TargetId:
    """Name what a later read shows of a call.

    `status` is the call's, `shown` is that of the `reader`. A search does not aim at effects.  A
    written test asserts them in addition to what it covers.
    """
    return f"{EFFECT} {endpoint} {status} in {reader} {shown}"


def query_target(place: str, outcome: str) -> TargetId:
    """Name an outcome (``rows``, ``none`` or ``accepted``) of any statement that a line runs."""
    return f"{QUERY} {place} {outcome}"


def statement_target(statement: str, outcome: str) -> TargetId:
    """Name an outcome of one statement, whose name includes its place."""
    return f"{STATEMENT} {statement} {outcome}"


def predicate_target(statement: str, predicate: str, outcome: bool) -> TargetId:
    """Name an outcome of one condition of a statement."""
    return f"{PREDICATE} {statement} {predicate} {str(outcome).lower()}"


def tables_of(target: TargetId) -> tuple[str, ...]:
    """Return the tables of a statement, read from the name of one of its targets.

    ``statement shop/views.py:31 select orders+customers 3fa2 none`` gives ``orders``,
    ``customers``.
    """
    found = _TABLES.search(target)
    return tuple(found[1].split("+")) if found is not None else ()


_TABLES = re.compile(r":\d+ (?:select|update|delete) (\S+) [0-9a-f]{4} ")


_SUBJECT = re.compile(r"^\w+ (?P<path>.+?):(?P<line>\d+)(?:#\d+)?(?: (?P<label>.+))?$")


def subject_of(target: TargetId) -> tuple[str, int, str]:
    """Return (path, line, label) of a target of the source; the label of a line is empty."""
    found = _SUBJECT.match(target)
    if found is None:
        return "", 0, ""
    return found["path"], int(found["line"]), found["label"] or ""


def kind_of(target: TargetId) -> str:
    """Return the first word of a target's name: ``line``, ``branch``, ``status``, ``statement``."""
    return target.partition(" ")[0]


def is_inner(target: TargetId) -> bool:
    """Say whether a target is how one expression comes out, such as a look-up of a key."""
    return kind_of(target) == BRANCH and target.endswith((*LOOKUP, *CONVERSION))


def code_in(targets: Iterable[TargetId]) -> frozenset[TargetId]:
    """Return the lines, and the sides of branches that are not inside an expression."""
    return frozenset(one for one in targets if kind_of(one) in (LINE, BRANCH) and not is_inner(one))
