"""The stable name of a fault, the same from run to run and after edits above it."""

from __future__ import annotations

import hashlib

from pytest_evosearch.report.outcome import Outcome

DIGITS = 12
"""Hexadecimal digits: a collision among ten thousand faults has a chance of 1 in 5 million."""


def fault_identities(outcome: Outcome) -> list[str]:
    """Return the identity of each fault of `outcome`, in their order.

    It is made of code, endpoint, kind, file and the text of the line, never of its number;
    faults on two lines with the same text are told apart by their order.
    """
    texts = {file.path: file.text.split("\n") for file in outcome.sources}
    seen: dict[str, int] = {}
    found = []
    for fault in outcome.faults:
        lines = texts.get(fault.file, [])
        line = lines[fault.line - 1].strip() if 0 < fault.line <= len(lines) else ""
        parts = [fault.code, fault.endpoint, fault.kind, fault.file, line]
        name = _digest(parts)
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else _digest([*parts, str(seen[name])]))
    return found


def _digest(parts: list[str]) -> str:
    text = "\0".join(parts).encode("utf-8", "backslashreplace")
    return hashlib.sha256(text).hexdigest()[:DIGITS]
