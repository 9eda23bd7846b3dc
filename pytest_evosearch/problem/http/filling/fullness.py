"""How many of an endpoint's inputs a call sends."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.choice import ChoiceGene
from pytest_evosearch.genes.scalars import FloatGene
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.http.descriptions.parameters import BODY_LOCATIONS
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import Parameter
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.segments import SegmentGene

PLAIN_TEXTS = (TextGene, SegmentGene)
"""Genes of texts without any known meaning."""


class Fullness(Enum):
    """How many of an endpoint's inputs a call sends, and with which values."""

    PLAIN = "required inputs with default values"
    FULL = "every input with default values"
    FRESH = "the same without what a server chooses for a new object"
    MINIMAL = "required inputs with random values"
    MIXED = "some inputs with random values"
    RICH = "every input with random values"


PRESET = (Fullness.PLAIN, Fullness.FULL, Fullness.FRESH)
"""Levels with default values."""

_DRAWN = (
    (Fullness.MIXED, 0.50),
    (Fullness.RICH, 0.38),
    (Fullness.MINIMAL, 0.08),
    (Fullness.FULL, 0.04),
)

_PRESENCE = {
    Location.PATH: 1.0,
    Location.QUERY: 0.5,
    Location.HEADER: 0.3,
    Location.COOKIE: 0.4,
    Location.ENVIRON: 0.4,
    Location.FORM: 0.85,
    Location.FILE: 0.7,
    Location.JSON: 0.95,
    Location.TEXT: 0.95,
    Location.ANSWER: 0.97,
}
"""Location -> how often a mixed call sends an optional input."""


def body_of(given: Input) -> Location | None:
    """Return the kind of body to which an input belongs, None for another part of a request."""
    location = Location.FORM if given.location is Location.FILE else given.location
    return location if location in BODY_LOCATIONS else None


def may_be_number(parameter: Parameter) -> bool:
    """Say whether a text has no known meaning."""
    known = parameter.location in (Location.PATH, Location.QUERY)
    return known and parameter.source in ("url_map", "read") and type(parameter.gene) in PLAIN_TEXTS


def numeric_input(parameter: Parameter, rng: Random, fullness: Fullness) -> Input:
    """Return an input that sends a number where a text of unknown meaning is taken."""
    integer, real = IntegerGene(current=1), FloatGene(current=1.0)
    gene = ChoiceGene(alternatives=(integer, real, parameter.gene))
    if fullness not in PRESET:
        index = 0 if rng.random() < 0.7 else 1
        alternatives = (integer.sample(rng), real.sample(rng), parameter.gene)
        gene = replace(gene, alternatives=alternatives, index=index)
    return Input(parameter.location, parameter.name, gene)


def belongs(parameter: Parameter, body: Location | None) -> bool:
    """Say whether a parameter is a part of this kind of body."""
    location = Location.FORM if parameter.location is Location.FILE else parameter.location
    return location is body


def is_sent(parameter: Parameter, fullness: Fullness, rng: Random) -> bool:
    """Draw whether a call sends a parameter."""
    if parameter.required or parameter.location is Location.PATH:
        return fullness is not Fullness.MIXED or _kept(parameter, rng)
    if fullness in (Fullness.FULL, Fullness.FRESH, Fullness.RICH):
        return True
    if fullness is Fullness.MIXED:
        return rng.random() < _PRESENCE[parameter.location]
    return False


def _kept(parameter: Parameter, rng: Random) -> bool:
    """Draw whether to send a required input: omitting it is rarely worth a try."""
    return parameter.location is Location.PATH or rng.random() < 0.97
