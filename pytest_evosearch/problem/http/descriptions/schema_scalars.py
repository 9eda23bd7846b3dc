"""Makes genes for the scalars of a schema: numbers with limits, formats, enumerations."""

from __future__ import annotations

import re
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.choice import EnumGene
from pytest_evosearch.genes.formats import Base64Gene
from pytest_evosearch.genes.formats import EmailGene
from pytest_evosearch.genes.formats import UrlGene
from pytest_evosearch.genes.formats import UuidGene
from pytest_evosearch.genes.optional import NullGene
from pytest_evosearch.genes.regex import RegexGene
from pytest_evosearch.genes.scalars import FloatGene
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.temporal import DateGene
from pytest_evosearch.genes.temporal import DateTimeGene
from pytest_evosearch.genes.temporal import TimeGene
from pytest_evosearch.problem.http.descriptions.schema_bounds import lower_bound
from pytest_evosearch.problem.http.descriptions.schema_bounds import multiple_of
from pytest_evosearch.problem.http.descriptions.schema_bounds import upper_bound
from pytest_evosearch.problem.http.descriptions.schema_suggestions import as_json

Schema: TypeAlias = Mapping[str, object]

FORMATS: Mapping[str, Gene] = {
    "date": DateGene(),
    "date-time": DateTimeGene(),
    "datetime": DateTimeGene(),
    "time": TimeGene(),
    "uuid": UuidGene(),
    "guid": UuidGene(),
    "email": EmailGene(),
    "idn-email": EmailGene(),
    "uri": UrlGene(),
    "url": UrlGene(),
    "iri": UrlGene(),
    "byte": Base64Gene(),
    "base64": Base64Gene(),
    "ipv4": RegexGene.compile(r"^(\d|[1-9]\d|1\d\d)(\.(\d|[1-9]\d|1\d\d)){3}$"),
    "ipv6": RegexGene.compile(r"^[1-9a-f][0-9a-f]{0,3}(:[1-9a-f][0-9a-f]{0,3}){7}$"),
    "hostname": RegexGene.compile(r"^[a-z]{1,8}\.example\.com$"),
}

_INTEGER_FORMAT = re.compile(r"(?P<unsigned>u?)int(?P<bits>8|16|32|64)", re.IGNORECASE)


def enumeration(options: Sequence[object]) -> Gene:
    """Return a gene that chooses among `options`."""
    present = tuple(as_json(option) for option in options if option is not None)
    return EnumGene(present) if present else NullGene()


def _range_of(form: str) -> tuple[int | None, int | None]:
    """Return the limits of ``int32``, ``uint8`` ..., None for any other format."""
    found = _INTEGER_FORMAT.fullmatch(form)
    if found is None:
        return None, None
    size = 2 ** int(found["bits"])
    return (0, size - 1) if found["unsigned"] else (-size // 2, size // 2 - 1)


def integer_gene(schema: Schema) -> Gene:
    """Return the gene of a whole number within the limits of a schema."""
    least, most = _range_of(str(schema.get("format", "")))
    minimum, maximum = lower_bound(schema, integral=True), upper_bound(schema, integral=True)
    step = multiple_of(schema)
    gene = IntegerGene(
        least if minimum is None else int(minimum),
        most if maximum is None else int(maximum),
        multiple_of=int(step) if step and float(step).is_integer() else None,
    )
    # 1 rather than 0: databases mostly count from 1, and 1 is a valid quantity.
    return gene.holding(1)


def number_gene(schema: Schema) -> Gene:
    """Return the gene of a number within the limits of a schema."""
    minimum, maximum = lower_bound(schema), upper_bound(schema)
    gene = FloatGene(
        None if minimum is None else float(minimum),
        None if maximum is None else float(maximum),
        special=False,
        multiple_of=multiple_of(schema),
    )
    return gene.holding(1.0)


def laid_out(gene: Gene, layout: object) -> Gene:
    """Return a date or time in the `strftime` layout that a caught validator requires."""
    if not isinstance(gene, (DateGene, DateTimeGene, TimeGene)) or not isinstance(layout, str):
        return gene
    laid_out = replace(gene, layout=layout)
    return laid_out.holding(laid_out.simplest())


def as_python(pattern: str) -> str:
    """Return an ECMAScript pattern in Python's syntax: often only named groups differ."""
    return re.sub(r"\(\?<(?=[A-Za-z_])", "(?P<", pattern)
