"""Makes genes for the converters of URL rules."""

from __future__ import annotations

import re

from werkzeug.routing import AnyConverter
from werkzeug.routing import BaseConverter
from werkzeug.routing import FloatConverter
from werkzeug.routing import IntegerConverter
from werkzeug.routing import PathConverter
from werkzeug.routing import UnicodeConverter
from werkzeug.routing import UUIDConverter

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.choice import EnumGene
from pytest_evosearch.genes.formats import UuidGene
from pytest_evosearch.genes.regex import RegexGene
from pytest_evosearch.genes.scalars import FloatGene
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.http.exchanges.segments import SegmentGene

_LENGTHS = re.compile(r"\[\^/\]\{(\d+)(,(\d*))?\}", re.ASCII)


def gene_for_converter(converter: BaseConverter) -> Gene:
    """Return a gene whose samples the converter accepts.

    A path segment must not be empty to reach a handler, so texts have at least one character.
    """
    if isinstance(converter, AnyConverter):
        return EnumGene(options=tuple(sorted(converter.items)))
    if isinstance(converter, UUIDConverter):
        return UuidGene()
    if isinstance(converter, IntegerConverter):
        return _integer_gene(converter)
    if isinstance(converter, FloatConverter):
        return _float_gene(converter)
    if isinstance(converter, PathConverter):
        return TextGene(minimum_length=1, current="a")
    if isinstance(converter, UnicodeConverter):
        return _text_gene(converter.regex)
    return _custom_gene(converter.regex)


def _integer_gene(converter: IntegerConverter) -> Gene:
    if converter.fixed_digits:
        return RegexGene.compile(rf"[0-9]{{{converter.fixed_digits}}}")
    minimum = converter.min
    if not converter.signed:
        minimum = max(minimum or 0, 0)
    return IntegerGene(minimum=minimum, maximum=converter.max, current=_one(minimum, converter.max))


def _float_gene(converter: FloatConverter) -> Gene:
    minimum = converter.min
    if not converter.signed:
        minimum = max(minimum or 0, 0)
    return FloatGene(
        minimum=minimum,
        maximum=converter.max,
        special=False,
        current=float(_one(minimum, converter.max)),
    )


def _one(minimum: int | None, maximum: int | None) -> int:
    """Return 1, the first identifier of most databases, or the nearest permitted number."""
    value = 1 if minimum is None else max(minimum, 1)
    return value if maximum is None else min(value, maximum)


def _text_gene(pattern: str) -> Gene:
    match = _LENGTHS.fullmatch(pattern)
    if match is None:
        return _custom_gene(pattern)
    shortest = max(int(match[1]), 1)
    longest = None if match[2] == "," else int(match[3] or match[1])
    return SegmentGene(minimum_length=shortest, maximum_length=longest, current="a" * shortest)


def _custom_gene(pattern: str) -> Gene:
    # Patterns of converters that span segments and accept any text.
    if pattern in (".*", ".*?", ".+", "[^/].*?"):
        return TextGene(minimum_length=1, current="a")
    if pattern == "[^/]+":
        return SegmentGene()
    try:
        return RegexGene.compile(pattern)
    except ValueError:
        return SegmentGene()
