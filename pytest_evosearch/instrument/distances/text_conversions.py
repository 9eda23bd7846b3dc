"""Conversions of texts: the texts that each accepts, their characters, and their names."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from datetime import datetime
from datetime import time
from decimal import Decimal
from fractions import Fraction
from ipaddress import ip_address
from typing import NamedTuple
from uuid import UUID

from pytest_evosearch.core.isolation import json

DIGITS = "0123456789"
HEXADECIMAL = "0123456789abcdefABCDEF"

STRPTIME = "datetime.strptime"
"""The conversion with its format in the call."""


class TextConversion(NamedTuple):
    """A function that converts a text or refuses it."""

    name: str
    """The last words of a call to it."""
    convert: Callable[[str], object]
    samples: tuple[str, ...]
    """Texts that it accepts, the most usual first."""
    alphabet: str = ""
    """The characters of its texts, where nothing else is known."""
    template: str = ""
    """``d`` is any digit, ``x`` any hexadecimal digit; other characters represent themselves."""


CONVERSIONS = {
    one.name: one
    for one in (
        TextConversion("int", int, ("1", "0", "-1"), DIGITS + "-"),
        TextConversion("float", float, ("1.5", "0", "-1"), DIGITS + ".-"),
        TextConversion("Decimal", Decimal, ("1.5", "0"), DIGITS + ".-"),
        TextConversion("complex", complex, ("1",), DIGITS + ".-j"),
        TextConversion("Fraction", Fraction, ("1/2", "0"), DIGITS + "/-"),
        TextConversion("UUID", UUID, ("12345678-1234-4678-9234-567812345678",), template="x" * 32),
        TextConversion("bytes.fromhex", bytes.fromhex, ("61",), HEXADECIMAL),
        TextConversion("ip_address", ip_address, ("127.0.0.1", "::1"), DIGITS + "."),
        TextConversion("json.loads", json.loads, ("{}", "[]", "1")),
        TextConversion(
            "date.fromisoformat", date.fromisoformat, ("2024-01-15",), template="dddd-dd-dd"
        ),
        TextConversion(
            "datetime.fromisoformat",
            datetime.fromisoformat,
            ("2024-01-15T12:30:00", "2024-01-15"),
            template="dddd-dd-ddTdd:dd:dd",
        ),
        TextConversion(
            "time.fromisoformat", time.fromisoformat, ("12:30:00",), template="dd:dd:dd"
        ),
    )
}


def _in_module(one: TextConversion) -> str:
    """Return the name of a class with its module: ``uuid.UUID``."""
    return f"{getattr(one.convert, '__module__', '')}.{one.name}"


_BY_CALL = {
    **CONVERSIONS,
    **{_in_module(one): one for one in CONVERSIONS.values() if "." not in one.name},
}


def conversion_called(name: str) -> str:
    """Return the conversion for a call with the (last two) words `name`; empty for none."""
    found = _BY_CALL.get(name)
    return found.name if found is not None else ""


def samples_of(name: str) -> tuple[str, ...]:
    """Return texts that the conversion of that name accepts, with any spelling of the name."""
    words = name.strip().lower().split(".")
    ends = {".".join(words[-length:]) for length in (1, 2)}
    return next((one.samples for key, one in CONVERSIONS.items() if key.lower() in ends), ())
