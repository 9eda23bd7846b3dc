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
from pytest_evosearch.genes.formats import UuidGene
from pytest_evosearch.genes.regex import RegexGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.http.descriptions.schema_scalars import enumeration
from pytest_evosearch.problem.http.descriptions.schema_scalars import integer_gene
from pytest_evosearch.problem.http.descriptions.schema_scalars import number_gene
from pytest_evosearch.problem.http.exchanges.segments import SegmentGene

_LENGTHS = re.compile(r"\[\^/\]\{(\d+)(,(\d*))?\}", re.ASCII)


def gene_for_converter(converter: BaseConverter) -> Gene:
    """Return a gene whose samples the converter accepts.

    A path segment must not be empty to reach a handler, so texts have at least one character.
    """
    if isinstance(converter, AnyConverter):
        return enumeration(sorted(converter.items))
    if isinstance(converter, UUIDConverter):
        return UuidGene()
    if isinstance(converter, (IntegerConverter, FloatConverter)):
        return _number_gene(converter)
    if isinstance(converter, PathConverter):
        return TextGene(minimum_length=1, current="a")
    if isinstance(converter, UnicodeConverter):
        return _text_gene(converter.regex)
    return _custom_gene(converter.regex)


def _number_gene(converter: IntegerConverter | FloatConverter) -> Gene:
    if converter.fixed_digits:
        return RegexGene.compile(rf"[0-9]{{{converter.fixed_digits}}}")
    least = converter.min if converter.signed else max(converter.min or 0, 0)
    make = integer_gene if isinstance(converter, IntegerConverter) else number_gene
    return make({"minimum": least, "maximum": converter.max})


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
