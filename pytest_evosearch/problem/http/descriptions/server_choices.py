"""Fields that a server chooses for a new object: its identifier, and its creation time.

A handler that creates an object often refuses these fields, while the handler that replaces the
object requires them. Everything here follows from names.
"""

from __future__ import annotations

from pytest_evosearch.core.english import singular
from pytest_evosearch.core.english import words_of
from pytest_evosearch.core.vocabulary import IDENTIFIER
from pytest_evosearch.core.vocabulary import MOMENT
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.problem.http.descriptions.endpoint_relations import resource_words
from pytest_evosearch.problem.http.descriptions.parameters import BODY_LOCATIONS
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import Parameter


def is_left_to_server(endpoint: Endpoint, parameter: Parameter) -> bool:
    """Say whether the server chooses this field of a form for a new object."""
    if parameter.location is Location.JSON or parameter.location not in BODY_LOCATIONS:
        return False
    return _is_chosen(parameter.name, resource_words(endpoint.template))


def fields_left_to_server(key: str, body: Gene) -> frozenset[str]:
    """Return the fields of a JSON body that the server chooses for a new object."""
    nouns = resource_words(key.partition(" ")[2])
    return frozenset(name for name in body.sent().named_parts() if _is_chosen(name, nouns))


def leaves_something(endpoint: Endpoint) -> bool:
    """Say whether a creating request omits fields of its body for the server to choose."""
    return endpoint.method == "POST" and any(
        is_left_to_server(endpoint, parameter)
        or (
            parameter.location is Location.JSON
            and bool(fields_left_to_server(endpoint.key, parameter.gene))
        )
        for parameter in endpoint.parameters
    )


def _is_chosen(name: str, nouns: frozenset[str]) -> bool:
    words = words_of(name)
    if not words:
        return False
    if IDENTIFIER.is_meant_by(name):
        return {singular(word) for word in words[:-1]} <= nouns
    return MOMENT.is_meant_by(name) and any(
        word.startswith(("creat", "updat", "modif")) for word in words
    )
