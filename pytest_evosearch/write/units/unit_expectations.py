"""What a test of a unit asserts of a value, or of a message."""

from __future__ import annotations

import builtins
import math
import re
from itertools import islice

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.genes.constructed import Made
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.genes.constructed import is_held
from pytest_evosearch.genes.constructed import recipes_in
from pytest_evosearch.problem.units.public_places import public_module
from pytest_evosearch.problem.units.results import FIRST
from pytest_evosearch.problem.units.results import ITEMS
from pytest_evosearch.problem.units.results import LAST
from pytest_evosearch.problem.units.results import LENGTH
from pytest_evosearch.problem.units.results import Instance
from pytest_evosearch.problem.units.results import Raised
from pytest_evosearch.problem.units.results import is_known
from pytest_evosearch.problem.units.results import parts_of
from pytest_evosearch.write.code.literals import Atom
from pytest_evosearch.write.code.literals import Node
from pytest_evosearch.write.code.literals import Text
from pytest_evosearch.write.code.literals import call
from pytest_evosearch.write.code.literals import one_line
from pytest_evosearch.write.content.environment import bound_to
from pytest_evosearch.write.units.spelled_values import Spelling

MOST_ATTRIBUTES = 6
"""Most attributes of one object that a test asserts."""

LONGEST_MATCH = 90
"""Most characters of an exception's message that a test asserts."""

EXACT_DIGITS = 4
"""Longest fraction of a float, in digits, that is compared exactly: more comes from rounding."""

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,}|/tmp/|evosearch-")
"""Parts of texts that differ between two runs."""


@dataclass(frozen=True)
class Expected:
    """What is asserted of a value: an operator, and the node on its right."""

    operator: str
    right: Node
    is_exact: bool = True


def expected_of(value: object, spelling: Spelling) -> Expected | None:
    """Return what is asserted of a whole value; None where only parts can be asserted."""
    if value is None or isinstance(value, bool):
        return Expected("is", Atom(repr(value)))
    if isinstance(value, Named):
        return Expected("is", spelling.node(value))
    if not is_asserted(value):
        return None
    if has_fractions(value) and needs_tolerance(value):
        return Expected("==", call("pytest.approx", spelling.node(value)), is_exact=False)
    return Expected("==", spelling.node(value))


def is_asserted(value: object) -> bool:
    """Say whether a test can assert a value as a whole, and again in another run."""
    inside = list(parts_of(value))
    is_number = all(not isinstance(one, float) or not math.isnan(one) for one in inside)
    return is_known(value) and _is_stable(inside) and is_number


def _is_stable(inside: list[object]) -> bool:
    texts = (one for one in inside if isinstance(one, str))
    made = (one for part in inside for one in recipes_in(part))
    given = (str(one.arguments) for one in made if isinstance(one, Made))
    return not any(map(_is_bound, (*texts, *given)))


def _is_bound(text: str) -> bool:
    """Say whether a text is another one in another run, or on another machine."""
    return _ADDRESS.search(text) is not None or bool(bound_to(text))


def has_fractions(value: object) -> bool:
    """Say whether a value is a float, or a flat list of numbers with a float."""
    numbers = list(value) if isinstance(value, (list, tuple)) else [value]
    are_numbers = all(type(one) in (int, float) for one in numbers)
    return are_numbers and any(isinstance(one, float) for one in numbers)


def needs_tolerance(value: object) -> bool:
    """Say whether one of these numbers has a fraction that comes from rounding."""
    numbers = list(value) if isinstance(value, (list, tuple)) else [value]
    return any(isinstance(one, float) and _is_rounded(one) for one in numbers)


def _is_rounded(number: float) -> bool:
    return math.isfinite(number) and len(repr(number).partition(".")[2]) > EXACT_DIGITS


def pattern_of(raised: Raised) -> str:
    """Return the code of a pattern for a message of the project; others say what Python does."""
    return match_of(raised.message) if raised.is_own else ""


def match_of(message: str) -> str:
    """Return the code of a pattern for a message; empty where the message says nothing."""
    text = message.strip().splitlines()[0] if message.strip() else ""
    if not text or _is_bound(text):
        return ""
    if len(text) > LONGEST_MATCH:
        text = text[: LONGEST_MATCH + 1].rpartition(" ")[0] or text[:LONGEST_MATCH]
    escaped = re.escape(text).replace(r"\ ", " ").replace("\\'", "'")
    if escaped == text:
        return one_line(Text(escaped))
    quote = "'" if '"' in escaped else '"'
    plain = escaped.isprintable() and quote not in escaped and not escaped.endswith("\\")
    return f"r{quote}{escaped}{quote}" if plain else one_line(Text(escaped))


def is_importable(kind: Named) -> bool:
    """Say whether a test can import a class."""
    if kind.module == "builtins":
        return hasattr(builtins, kind.name)
    module = public_module(kind.module, kind.name)
    parts = (*module.split("."), *kind.name.split("."))
    is_private = any(part.startswith("_") for part in parts)
    return not is_private and is_held(Named(module, kind.name))


def shown_attributes(value: Instance, spelling: Spelling) -> dict[str, Expected]:
    """Return the attributes of an object that a test asserts."""
    told = ((name, expected_of(one, spelling)) for name, one in value.attributes)
    known = {name: expected for name, expected in told if expected is not None}
    return dict(islice(known.items(), MOST_ATTRIBUTES))


def reading(subject: str, attribute: str) -> str:
    """Return the code that reads an attribute."""
    return _READING.get(attribute, f"{{}}.{attribute}").format(subject)


_READING = {
    "__str__": "str({})",
    "__repr__": "repr({})",
    ITEMS: "dict({})",
    LENGTH: "len({}.splitlines())",
    FIRST: "{}.splitlines()[0]",
    LAST: "{}.splitlines()[-1]",
}
"""What stands for an attribute -> the code that reads it."""
