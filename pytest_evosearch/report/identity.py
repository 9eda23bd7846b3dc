"""The stable name of a fault, which stays equal from run to run and after edits above it.

Only this module decides it: reports, the baseline and the memory of earlier runs ask here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from collections.abc import Sequence

from pytest_evosearch.report.outcome import FaultRow
from pytest_evosearch.report.outcome import Outcome

DIGITS = 12
"""Hexadecimal digits: ten thousand faults collide with a chance of 1 in 5 million."""


def fault_identities(outcome: Outcome) -> list[str]:
    """Return the identity of each fault of `outcome`, in their order.

    It consists of code, kind, file, the text of the line (never its number), and the functions on
    the way.  A fault without a line has its endpoint instead.  Lines of a file with equal text are
    counted from its top.  So an identity does not depend on the order in which faults are found, or
    on which other faults are found.
    """
    texts = {
        file.path: [line.strip() for line in file.text.split("\n")]
        for file in outcome.targets.sources
    }
    seen: dict[str, int] = {}
    found = []
    for fault in outcome.faults:
        place = fault.way or fault.endpoint
        parts = [fault.code, place, fault.kind, fault.file, *_line_of(fault, texts)]
        name = _digest(parts)
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else _digest([*parts, str(seen[name])]))
    return found


def _line_of(fault: FaultRow, texts: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the text of the fault's line, and its number among equal lines from the second on."""
    lines = texts.get(fault.file, ())
    if not 0 < fault.line <= len(lines):
        return [""]
    text = lines[fault.line - 1]
    place = lines[: fault.line].count(text)
    return [text] if place == 1 else [text, f"line {place}"]


def _digest(parts: list[str]) -> str:
    text = "\0".join(parts).encode("utf-8", "backslashreplace")
    return hashlib.sha256(text).hexdigest()[:DIGITS]
