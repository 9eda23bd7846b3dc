"""Tries other forms of a call's text, where comparisons show that its form is wrong.

timed          a time, where a number or a date is asked for; the present, where code knows it
shaped         a text that fits the pattern by which the text was matched
named parts    ``t=tulip,v1=rose``, where the code looks for parts by names
taken apart    one part more, where a part was compared that was not sent
encoded        base64 or hexadecimal, where nothing was compared at all
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.regex import RegexGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.instrument.distances.predicates import converts
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.problem.http.doors.stored_values import EQUALITIES
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.moments import asks_for_the_present
from pytest_evosearch.problem.http.exchanges.moments import is_example
from pytest_evosearch.problem.http.exchanges.moments import with_the_present
from pytest_evosearch.problem.http.exchanges.moments import written_times

_SEPARATORS = "= :."
"""Characters that separate parts of a text, where code looked for a missing part."""

_LIST_SEPARATORS = ",;& "
"""Characters between named parts of a text."""

_PART = "tulip"

SAMPLES = 4
"""Number of texts that fit a pattern; the longest is sent, so its parts can be distinguished."""

SHORTEST_PART = 4
"""Fewest characters of a part that is searched for in a text."""

_SINGLE_TEXTS = (Location.HEADER, Location.COOKIE, Location.QUERY, Location.ENVIRON)

Changed: TypeAlias = "tuple[Call, tuple[Location, str]]"
"""A call, and its changed input."""


def reshaped(call: Call, compared: Sequence[Comparison], rng: Random) -> Iterator[Changed]:
    """Yield a call with other forms of its texts, the best supported ones first."""
    yield from _timed(call, compared)
    yield from _shaped(call, compared, rng)
    yield from _named_parts(call, compared)
    yield from _taken_apart(call, compared)
    yield from _encoded(call, compared)


def _timed(call: Call, compared: Sequence[Comparison]) -> Iterator[Changed]:
    """Yield a time in a text that code read as a number or a date.

    A signed message often has its time beside it, and old requests are refused.  `EXAMPLE` is sent
    first, which shows that code compares with the present, or that something else is compared.
    """
    operands = [one for each in compared for one in (each.observed, each.wanted)]
    is_asked = any(map(asks_for_the_present, operands)) or not any(map(is_example, operands))
    for given in call.inputs:
        if given.location in (*_SINGLE_TEXTS, Location.FORM):
            whole = str(given.gene.value())
            present = with_the_present(whole) if is_asked else None
            if present is not None:
                yield _with_text(call, given, present)
            for part, fits in _asked_of(whole, compared):
                for text in written_times(fits):
                    yield _with_text(call, given, whole.replace(part, text))


def _asked_of(
    text: str, compared: Sequence[Comparison]
) -> Iterator[tuple[str, Callable[[str], bool]]]:
    """Yield the tests that code applied to a text or to a part of it, as functions."""
    for comparison in compared:
        part = comparison.observed
        if not isinstance(part, str) or not (part == text or _is_part(part, text)):
            continue
        if comparison.relation == "parse":
            name, _, detail = str(comparison.wanted).partition(":")
            yield part, partial(converts, name, detail=detail)
        elif comparison.relation.startswith("is") and hasattr(str, comparison.relation):
            yield part, getattr(str, comparison.relation)


def _shaped(call: Call, compared: Sequence[Comparison], rng: Random) -> Iterator[Changed]:
    for given in call.inputs:
        whole = str(given.gene.value()) if given.location in _SINGLE_TEXTS else ""
        for comparison in compared if whole else ():
            is_match = comparison.relation in ("match", "fullmatch", "search")
            if is_match and comparison.observed == whole:
                with suppress(ValueError):
                    grammar = RegexGene.compile(str(comparison.wanted))
                    texts = [str(grammar.sample(rng).value()) for _ in range(SAMPLES)]
                    yield _with_text(call, given, max(texts, key=len))


def _named_parts(call: Call, compared: Sequence[Comparison]) -> Iterator[Changed]:
    """Yield texts with parts under the names that code has looked for."""
    for given, whole in _single_texts(call):
        for comparison in compared:
            name, wanted = comparison.observed, comparison.wanted
            if comparison.relation == "contains" and _is_part(name, whole):
                if isinstance(wanted, str) and len(wanted) == 1:
                    yield _with_text(call, given, f"{whole}{wanted}{_PART}")
            elif comparison.relation in ("in", "key") and isinstance(name, str):
                members = wanted if isinstance(wanted, tuple) else ()
                parts = [one for one in members if isinstance(one, str) and one and one in whole]
                if name and parts and len(parts) == len(members) and name not in parts:
                    for text in _called(whole, name, parts):
                        yield _with_text(call, given, text)


def _called(whole: str, name: str, parts: Sequence[str]) -> Iterator[str]:
    """Yield a text with a renamed part, or with one more part."""
    unknown = next((one for one in parts if _is_part(one, whole)), None)
    if unknown is not None:
        yield whole.replace(unknown, name)
    joined = whole.partition(parts[-1])[2][:1] or "="
    for separator in _LIST_SEPARATORS:
        yield f"{whole}{separator}{name}{joined}{_PART}{len(parts)}"


def _taken_apart(call: Call, compared: Sequence[Comparison]) -> Iterator[Changed]:
    if any(
        "" in (each.observed, each.wanted) or b"" in (each.observed, each.wanted)
        for each in compared
    ):
        for given, whole in _single_texts(call):
            for separator in _SEPARATORS:
                yield _with_text(call, given, f"{whole}{separator}{_PART}")


def _encoded(call: Call, compared: Sequence[Comparison]) -> Iterator[Changed]:
    """Yield an encoded text: code refuses one that it cannot decode before any comparison."""
    if any(each.relation in EQUALITIES for each in compared):
        return
    for given, whole in _single_texts(call):
        for text in (b64encode(whole.encode()).decode(), whole.encode().hex()):
            yield _with_text(call, given, text)


def _single_texts(call: Call) -> Iterator[tuple[Input, str]]:
    for given in call.inputs:
        if given.location in _SINGLE_TEXTS and type(given.gene) is TextGene:
            yield given, str(given.gene.current)


def _is_part(part: object, text: str) -> bool:
    return isinstance(part, str) and len(part) >= SHORTEST_PART and part in text


def _with_text(call: Call, given: Input, text: str) -> Changed:
    return call.with_input(replace(given, gene=TextGene(current=text))), given.key
