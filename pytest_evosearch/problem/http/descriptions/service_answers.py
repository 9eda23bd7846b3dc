"""What services may answer, as genes: how they look at first, and how they grow.

    of a call   {"status": 200, "json": {...}, "failure": ""}
                and where the code asks for it: "format": "xml", "headers": {"Retry-After": 1}
    of a host   {"failure": ""}

Statuses and failures are in the order in which a service gives them, the usual ones first. Values
of unknown members are unique for each place: a comparison in the code then leads back to it.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from collections.abc import Collection
from dataclasses import replace

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import Path
from pytest_evosearch.genes.base import replaced
from pytest_evosearch.genes.choice import ChoiceGene
from pytest_evosearch.genes.collections import ArrayGene
from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.collections import gene_for
from pytest_evosearch.genes.likely import LikelyChoiceGene
from pytest_evosearch.genes.likely import LikelyGene
from pytest_evosearch.genes.optional import Field
from pytest_evosearch.genes.optional import OptionalGene
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.genes.visit import find
from pytest_evosearch.genes.visit import leaves
from pytest_evosearch.problem.http.descriptions.guesses import gene_by_name
from pytest_evosearch.problem.http.descriptions.json_shape import with_leaf
from pytest_evosearch.problem.http.exchanges.seen_inside import FAILURE_PHRASES

STATUS, BODY, FAILURE = "status", "json", "failure"
FORMAT, HEADERS, TEXT = "format", "headers", "text"
INNER_TEXT = "#text"
"""The text of an element that has attributes, too; the value of another one is its text."""

STATUSES = (200, 404, 500, 401, 429, 204, 503, 201, 400, 403, 409, 502)
_NAMES = tuple(FAILURE_PHRASES)
FAILURES = ("", *_NAMES[2::-1])
HOST_FAILURES = ("", _NAMES[3], _NAMES[2], *_NAMES[4:])

NEEDED = "needed"
ITERATED = "iterated"
OBJECT = "object"
NUMBER = "number"
ANY_MEMBER = "any member"
"""How the code used a value (`sut.outgoing.answer_reads`)."""


def answer_gene(document: object = None) -> ObjectGene:
    """Return the gene of an answer of which nothing was read yet; a `document` may be known."""
    body = ObjectGene() if document is None else gene_for(document)
    return ObjectGene(
        fields=(
            Field(STATUS, LikelyGene(STATUSES), required=False),
            Field(BODY, body, required=False),
            Field(FAILURE, LikelyGene(FAILURES, closed=True), required=False),
        )
    )


def host_gene() -> ObjectGene:
    """Return the gene of a host: whether it can be reached."""
    return ObjectGene(
        fields=(Field(FAILURE, LikelyGene(HOST_FAILURES, closed=True), required=False),)
    )


def continued(known: Gene, given: Gene, fresh: Collection[Path]) -> Gene:
    """Return an answer with the places of `known` and the values of `given`.

    Places in `fresh`, above and below, have the values of `known`: a text where an object is needed
    would hide what was learnt in it.
    """
    for value_path, _gene_path, leaf in leaves(given):
        if isinstance(leaf, ObjectGene | ArrayGene):  # empty, and may have gained members since
            continue
        if any(value_path[: len(one)] == one[: len(value_path)] for one in fresh):
            continue
        place = find(known, value_path)
        if place is not None:
            known = replaced(known, place, leaf)
    return known


def with_text(gene: Gene, is_text: bool) -> Gene:
    """Return an answer that may also be a text, or one that never is."""
    if not isinstance(gene, ObjectGene) or (gene.field(TEXT) is not None) == is_text:
        return gene
    if is_text:
        text = OptionalGene(TextGene(current="a text 1"), active=False)
        return replace(gene, fields=(*gene.fields, Field(TEXT, text, required=False)))
    return replace(gene, fields=tuple(one for one in gene.fields if one.name != TEXT))


def with_status(drawn: Gene, learnt: Gene) -> Gene:
    """Return a drawn answer with the status of the learnt one, and without a failure."""
    for name in (STATUS, FAILURE):
        known = learnt.named_parts().get(name)
        if known is not None:
            drawn = drawn.with_child(name, known)
    return drawn


def with_read(gene: Gene, path: Path, use: str | None, default: object) -> Gene:
    """Return an answer with a place for what was read; `path` begins with its part."""
    if use in _AS_KIND:
        is_element = path[-1:] == (INNER_TEXT,) and find(gene, path) is None
        return _changed(gene, path[:-1] if is_element else path, _AS_KIND[use])
    if path[0] == FORMAT:
        return _with_part(gene, FORMAT, LikelyGene((default,), closed=True))
    if len(path) < 2:
        return gene
    if path[0] == HEADERS:
        return with_leaf(gene, path, _header_leaf(str(path[1])))
    if use == ANY_MEMBER:
        gene = _changed(gene, path[:-1], as_object)
    grown = with_leaf(gene, path, _leaf(path, default))
    for depth in (at for at, key in enumerate(path) if isinstance(key, int)):
        grown = _changed(grown, path[:depth], _like_template)
    return _needed(grown, path) if use == NEEDED else grown


def _with_part(gene: Gene, name: str, value: Gene) -> Gene:
    """Return an answer with another value of one of its parts."""
    if not isinstance(gene, ObjectGene):
        return gene
    others = tuple(one for one in gene.fields if one.name != name)
    return replace(gene, fields=(*others, Field(name, value, required=False)))


def _header_leaf(name: str) -> Gene:
    """Return the gene of a header; in its text, ``{url}`` is the address that was asked."""
    if name.lower() == "link":
        return LikelyGene(('<{url}?page=2>; rel="next"',), closed=True)
    return TextGene(current="{url}/1") if name.lower() == "location" else _leaf((name,), None)


def _like_template(known: Gene) -> Gene:
    """Return an array whose elements have the places of its template."""
    kinds = [
        replace(one, elements=(one.template,)) if isinstance(one, ArrayGene) else one
        for one in known.kinds()
    ]
    if isinstance(known, ChoiceGene):
        return replace(known, alternatives=tuple(kinds))
    return kinds[0]


def _leaf(path: Path, default: object) -> Gene:
    """Return the gene of a member of which only the name is known, or a default."""
    name = next((str(one) for one in reversed(path) if isinstance(one, str)), "")
    if isinstance(default, list | dict):
        return gene_for(default)
    unique = zlib.crc32(repr(path).encode()) % 900 + 100
    text = TextGene(current=f"{name} {unique}")
    number = IntegerGene(current=unique)
    if isinstance(default, bool):
        return gene_for(default)
    if isinstance(default, int | float):
        return LikelyChoiceGene((gene_for(default), text))
    if isinstance(default, str):
        return LikelyChoiceGene((text, number))
    guessed = gene_by_name(name, in_json=True)
    if isinstance(guessed, ArrayGene):
        guessed = ArrayGene(template=text, elements=(text,))
    if guessed.chosen().is_numeric:
        return LikelyChoiceGene((number, text))
    if isinstance(guessed, TextGene):
        return LikelyChoiceGene((text, number))
    return LikelyChoiceGene((guessed, text, number))


def _as_list(known: Gene) -> Gene:
    """Prefer a list: the code asks for one member after another."""
    element = ObjectGene() if isinstance(known, ObjectGene) else _text_of(known)
    return _preferring(known, ArrayGene(template=element, elements=(element,)))


def _as_number(known: Gene) -> Gene:
    """Prefer a number: the code calculates with it."""
    return _preferring(known, IntegerGene(current=1))


def as_object(known: Gene) -> Gene:
    """Prefer an object: the code asks for a member of it."""
    return _preferring(known, ObjectGene())


_AS_KIND: dict[str | None, Callable[[Gene], Gene]] = {
    ITERATED: _as_list,
    OBJECT: as_object,
    NUMBER: _as_number,
}


KINDS = frozenset(_AS_KIND)
"""Uses that tell which kind of value the code expects."""


def _preferring(known: Gene, made: Gene) -> Gene:
    """Return a choice that begins with the alternative of the type of `made`."""
    kinds = list(known.kinds())
    first = next((one for one in kinds if type(one) is type(made)), made)
    return LikelyChoiceGene((first, *(one for one in kinds if one is not first)))


def _text_of(known: Gene) -> Gene:
    return next((one for one in known.kinds() if isinstance(one, TextGene)), TextGene(current="a"))


def other_kind(known: Gene) -> Gene:
    """Prefer the next kind of value: the present one led to an error about its type."""
    if not isinstance(known, ChoiceGene) or len(known.alternatives) < 2:
        return known
    first, *others = known.alternatives
    return replace(known, alternatives=(*others, first), index=0)


def with_other_kind(gene: Gene, path: Path) -> Gene:
    """Return an answer with another kind of value at a place."""
    return _changed(gene, path, other_kind)


def with_object(gene: Gene, path: Path) -> Gene:
    """Return an answer with an object at a place."""
    return _changed(gene, path, as_object)


def _needed(gene: Gene, path: Path) -> Gene:
    """Return an answer that always has the member at `path`."""
    if not path:
        return gene.sent() if isinstance(gene, OptionalGene) else gene
    return _changed(gene, path, lambda known: known, always=True)


def _changed(gene: Gene, path: Path, change: Callable[[Gene], Gene], always: bool = False) -> Gene:
    """Return a copy in which the gene at a path of values is changed."""
    if isinstance(gene, OptionalGene):
        inside = _changed(gene.gene, path, change, always)
        return inside if always and not path else replace(gene, gene=inside)
    if not path:
        return change(gene)
    if isinstance(gene, ChoiceGene):
        wanted = ArrayGene if isinstance(path[0], int) else ObjectGene
        kinds = [
            _changed(one, path, change, always) if isinstance(one, wanted) else one
            for one in gene.alternatives
        ]
        return replace(gene, alternatives=tuple(kinds))
    if isinstance(gene, ArrayGene) and isinstance(path[0], int):
        template = _changed(gene.template, path[1:], change, always)
        elements = tuple(_changed(one, path[1:], change, always) for one in gene.elements)
        return replace(gene, template=template, elements=elements)
    if isinstance(gene, ObjectGene) and gene.field(str(path[0])) is not None:
        fields = tuple(
            replace(
                one,
                gene=_changed(one.gene, path[1:], change, always),
            )
            if one.name == path[0]
            else one
            for one in gene.fields
        )
        return replace(gene, fields=fields)
    return gene
