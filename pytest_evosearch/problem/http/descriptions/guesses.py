"""Guesses a parameter's type first, from its name and from how the handler reads it.

A guess only decides which values are tried first. Mutation sometimes tries other types, and what
the search learns from comparisons replaces the guess.
"""

from __future__ import annotations

from pytest_evosearch.core import vocabulary
from pytest_evosearch.core.english import words_of
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.choice import ChoiceGene
from pytest_evosearch.genes.collections import ArrayGene
from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.collections import gene_for
from pytest_evosearch.genes.formats import EmailGene
from pytest_evosearch.genes.formats import UrlGene
from pytest_evosearch.genes.formats import UuidGene
from pytest_evosearch.genes.scalars import BooleanGene
from pytest_evosearch.genes.scalars import FloatGene
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.temporal import DateGene
from pytest_evosearch.genes.temporal import DateTimeGene
from pytest_evosearch.genes.temporal import TimeGene
from pytest_evosearch.genes.text import TextGene

PASSWORD = "Passw0rd-1"
"""Has lower-case and upper-case letters, a digit and a sign; long enough for most rules."""

MAIL_WORDS = frozenset({"email", "mail"})

# Names suggest a type before anything runs. A form or a query has only texts, and a handler that
# converts them looks like one that stores them. No entry holds a value that an application checks
# for; where the guess is wrong, comparisons and conversions replace it.
_GUESSES: tuple[tuple[frozenset[str], Gene], ...] = (
    (frozenset({"uuid", "guid"}), UuidGene()),
    (MAIL_WORDS, EmailGene()),
    (frozenset(vocabulary.PASSWORD.words()), TextGene(current=PASSWORD)),
    (frozenset({"url", "uri", "href", "website", "homepage"}), UrlGene()),
    (frozenset({"datetime", "timestamp"}), DateTimeGene()),
    (frozenset({"date", "day", "birthday", "deadline", "dob"}), DateGene()),
    (frozenset({"time"}), TimeGene()),
    (
        frozenset({"price", "rate", "lat", "lon", "lng", "latitude", "longitude", "weight"}),
        FloatGene(current=1.0),
    ),
    (
        frozenset(
            {
                "id",
                "page",
                "limit",
                "offset",
                "size",
                "count",
                "num",
                "number",
                "qty",
                "quantity",
                "amount",
                "age",
                "year",
                "month",
                "width",
                "height",
                "n",
                "index",
                "level",
                "priority",
                "position",
                "stock",
                "total",
                "days",
                "hours",
                "minutes",
                "seconds",
                "port",
                "per",
                "rating",
                "score",
            }
        ),
        IntegerGene(current=1),
    ),
    (
        frozenset(
            {
                "is",
                "has",
                "enabled",
                "enable",
                "active",
                "done",
                "completed",
                "complete",
                "flag",
                "published",
                "public",
                "private",
                "admin",
                "deleted",
                "archived",
                "checked",
            }
        ),
        BooleanGene(True),
    ),
)
_PLURALS = frozenset({"tags", "items", "ids", "list", "values", "roles", "labels", "categories"})

TEXT = TextGene(current="a")
"""Initial value of an unknown text: readable, and not empty."""


def gene_by_name(name: str, in_json: bool = False) -> Gene:
    """Guess a gene from a parameter's name; text when the name says nothing.

    Outside JSON, booleans and arrays are not guessed: there they are sent as texts.
    """
    words = words_of(name)
    if in_json and words and words[-1] in _PLURALS:
        return ArrayGene(template=TEXT, elements=(TEXT,))
    for meant, gene in _GUESSES:
        if words and (words[-1] in meant or words[0] in meant & {"is", "has"}):
            if gene.is_truth and not in_json:
                break
            return _choice_of(gene)
    return TEXT


def _choice_of(gene: Gene) -> Gene:
    """Let a guessed number also be text: the guess may be wrong."""
    if gene.is_numeric:
        return ChoiceGene(alternatives=(gene, TEXT))
    return gene


_BY_TYPE: dict[str, Gene] = {
    "int": IntegerGene(current=1),
    "float": FloatGene(current=1.0),
    "complex": FloatGene(current=1.0),
    "decimal": FloatGene(current=1.0, special=False),
    "bool": BooleanGene(True),
    "date": DateGene(),
    "datetime": DateTimeGene(),
    "uuid": UuidGene(),
}
"""Lower-case name of a type -> gene of its values."""


def gene_by_type(name: str) -> Gene | None:
    """Return the gene for a type or for its constructor; None for an unknown one."""
    plain = name.lower().removesuffix(".fromisoformat").rpartition(".")[2]
    return _BY_TYPE.get(plain)


def gene_by_read(name: str, type_name: str | None, default: object, in_json: bool) -> Gene:
    """Guess a gene from a recorded read: by its type function, its default, or its name."""
    if type_name == "list":
        element = gene_by_name(name.rstrip("s"), in_json)
        return ArrayGene(template=element, elements=(element,))
    if type_name == "dict":
        return ObjectGene()
    typed = gene_by_type(type_name) if type_name is not None else None
    if typed is not None:
        return typed
    if default is None or default == "":
        return gene_by_name(name, in_json)
    return gene_holding(default) if in_json else _text_or_number(default)


def _text_or_number(default: object) -> Gene:
    typed = _BY_TYPE.get(type(default).__name__)
    if typed is not None and typed.is_numeric:
        return ChoiceGene(alternatives=(typed.adopt(default) or typed, TEXT))
    gene = gene_holding(default)
    return gene if isinstance(gene, (TextGene, ArrayGene)) else TEXT


def gene_holding(value: object) -> Gene:
    """Return a gene that holds `value`: any text, as code tells what it is when it converts it.

    What an object holds is undeclared, so that mutations leave it out.
    """
    if isinstance(value, str):
        return TextGene(current=value)
    return ObjectGene().adopt(value) or gene_for(value)
