"""Makes text of the application safe to show.

Responses, exceptions and requests may contain anything: control characters, marks that reverse the
direction of reading, halves of surrogate pairs, and subclasses of `str` that claim to be safe HTML.
"""

from __future__ import annotations

import re

_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)
"""Control characters except tab and newline, direction marks, lone surrogates, non-characters."""


def plain(text: str) -> str:
    """Return `text` as a real `str`, with every invisible character written as an escape."""
    exact = str.__str__(text).replace("\r\n", "\n")
    return _UNPRINTABLE.sub(lambda match: _escaped(match[0]), exact)


def _escaped(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def first_line(text: str) -> str:
    """Return the first line of `text` that is not blank, made plain."""
    return next((line.strip() for line in plain(text).splitlines() if line.strip()), "")


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: ``1 fault`` or ``2 faults``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
