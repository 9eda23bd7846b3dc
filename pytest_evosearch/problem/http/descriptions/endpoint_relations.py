"""How endpoints are related: which one creates what another needs, which one logs in.

Everything here follows from methods and path templates, before any request is sent.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from functools import cached_property

from pytest_evosearch.core.english import singular
from pytest_evosearch.core.english import words_of
from pytest_evosearch.core.vocabulary import ADMINISTRATOR
from pytest_evosearch.core.vocabulary import CREATE
from pytest_evosearch.core.vocabulary import DELETE
from pytest_evosearch.core.vocabulary import JOINING
from pytest_evosearch.core.vocabulary import LOG_IN
from pytest_evosearch.core.vocabulary import READ
from pytest_evosearch.core.vocabulary import REGISTER
from pytest_evosearch.core.vocabulary import UPDATE
from pytest_evosearch.core.vocabulary import Certainty
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import address_of
from pytest_evosearch.problem.http.exchanges.endpoint import operation_of
from pytest_evosearch.problem.http.exchanges.graphql_gene import OperationGene

_CREATE_WORDS = frozenset(CREATE.words(Certainty.LIKELY))
_ADMINISTRATION = frozenset(ADMINISTRATOR.words(Certainty.LIKELY))
_DEEDS = _CREATE_WORDS | {
    *UPDATE.words(),
    *DELETE.words(),
    *READ.words(),
    *JOINING.words(Certainty.LIKELY),
}
"""Words in the names of operations that do not name a resource."""

_VERSIONS = frozenset({"api", "rest", "v"})


def resource_words(template: str) -> frozenset[str]:
    """Return the words of a template's static segments, in the singular."""
    if operation_of(template):
        return operation_nouns(template)
    words: set[str] = set()
    for segment in template.split("/"):
        if segment and "{" not in segment:
            words.update(singular(word) for word in words_of(segment))
    return frozenset(words - _VERSIONS)


def operation_nouns(template: str) -> frozenset[str]:
    """Return the resources of a GraphQL operation: ``user`` for ``mutation.createUsers``."""
    words = words_of(operation_of(template).partition(".")[2])
    return frozenset(map(singular, words)) - _DEEDS


def prefix_of(template: str, placeholder: str) -> str:
    """Return the path before a placeholder: ``/xs/`` for ``id`` in ``/xs/{id}/ys``."""
    return template.partition("{" + placeholder + "}")[0]


def collection_of(template: str, placeholder: str) -> str:
    """Return the path before a placeholder without its final slash: ``/xs``."""
    return prefix_of(template, placeholder).rstrip("/")


def administrative_prefix(template: str) -> str | None:
    """Return the path up to its first segment for administrators, or None."""
    segments = template.split("/")
    for index, segment in enumerate(segments):
        if "{" not in segment and _ADMINISTRATION & set(words_of(segment)):
            return "/".join(segments[: index + 1])
    return None


def owner_words(template: str, placeholder: str) -> frozenset[str]:
    """Return the words of the nearest static segment before a placeholder, in the singular."""
    for segment in reversed(collection_of(template, placeholder).split("/")):
        if segment and "{" not in segment:
            return frozenset(singular(word) for word in words_of(segment))
    return frozenset()


class Resources:
    """Finds endpoints that create, share or guard the resource of another one.

    Applications may have thousands of endpoints. So each is looked up by its address, and no
    endpoint is compared with all others.
    """

    def __init__(self, endpoints: Iterable[Endpoint]) -> None:
        self._endpoints = {endpoint.key: endpoint for endpoint in endpoints}
        self._words = {
            key: _words_of_last_segment(endpoint.template)
            for key, endpoint in self._endpoints.items()
        }
        self.registrations = self._named(frozenset(REGISTER.words()))
        logins = self._named(frozenset(LOG_IN.words(Certainty.LIKELY)))
        self.logins = [key for key in logins if key not in self.registrations]
        self._creators: dict[str, list[str]] = {}
        self._siblings: dict[str, list[str]] = {}

    def creators(self, key: str) -> list[str]:
        """Return endpoints that may create the resources in `key`'s placeholders, best first."""
        if key not in self._creators:
            self._creators[key] = self._find_creators(key)
        return self._creators[key]

    def siblings(self, key: str) -> list[str]:
        """Return other endpoints of this resource: item, collection, actions on the item."""
        if key not in self._siblings:
            self._siblings[key] = self._find_siblings(key)
        return self._siblings[key]

    def _named(self, vocabulary: frozenset[str]) -> list[str]:
        return [
            key
            for key, endpoint in self._endpoints.items()
            if endpoint.method in ("POST", "PUT") and vocabulary & self._words[key]
        ]

    @cached_property
    def _adding(self) -> Mapping[str, Sequence[str]]:
        """Return the endpoints that add to each collection."""
        found: dict[str, list[str]] = {}
        for key, endpoint in self._endpoints.items():
            for collection in _collections_of(endpoint, self._words[key]):
                found.setdefault(collection, []).append(key)
        return found

    @cached_property
    def _under(self) -> Mapping[str, Sequence[str]]:
        """Return the endpoints at and below each address."""
        found: dict[str, list[str]] = {}
        for key, endpoint in self._endpoints.items():
            for address in _addresses_above(endpoint.template):
                found.setdefault(address, []).append(key)
        return found

    @cached_property
    def _of_blueprint(self) -> Mapping[str | None, Sequence[str]]:
        """Return the endpoints of each blueprint."""
        found: dict[str | None, list[str]] = {}
        for key, endpoint in self._endpoints.items():
            found.setdefault(endpoint.blueprint, []).append(key)
        return found

    @cached_property
    def _operations(self) -> Mapping[str, Mapping[str, frozenset[str]]]:
        """Return, for each address, its GraphQL operations with their resources."""
        found: dict[str, dict[str, frozenset[str]]] = {}
        for key, endpoint in self._endpoints.items():
            found.setdefault(address_of(endpoint.template), {})[key] = _nouns_of(endpoint)
        return found

    def _find_creators(self, key: str) -> list[str]:
        endpoint = self._endpoints[key]
        if operation_of(endpoint.template):
            alike = self._operations_like(endpoint)
            return [other for other in alike if _CREATE_WORDS & self._words[other]]
        found: dict[str, None] = {}
        for placeholder in reversed(endpoint.placeholders):
            collection = collection_of(endpoint.template, placeholder)
            found.update(dict.fromkeys(self._adding.get(collection, ())))
        return [other for other in found if other != key]

    def _find_siblings(self, key: str) -> list[str]:
        endpoint = self._endpoints[key]
        if operation_of(endpoint.template):
            return self._operations_like(endpoint)
        placeholders = endpoint.placeholders
        base = (
            collection_of(endpoint.template, placeholders[-1])
            if placeholders
            else endpoint.template.rstrip("/")
        )
        near = self._under.get(base, ()) if base else self._of_blueprint[endpoint.blueprint]
        return [other for other in near if other != key]

    def _operations_like(self, endpoint: Endpoint) -> list[str]:
        """Return the operations of this address with these resources."""
        there = self._operations[address_of(endpoint.template)]
        mine = there[endpoint.key]
        return [key for key, nouns in there.items() if key != endpoint.key and mine & nouns]


def _nouns_of(endpoint: Endpoint) -> frozenset[str]:
    """Return the resources of a GraphQL operation, from its name and the ids that it takes."""
    genes = [parameter.gene for parameter in endpoint.parameters]
    taken = [
        words_of(argument.name)
        for gene in genes
        if isinstance(gene, OperationGene)
        for argument in gene.operation.arguments
    ]
    named = {singular(words[-2]) for words in taken if words[1:] and words[-1] == "id"}
    return operation_nouns(endpoint.template) | named


def _words_of_last_segment(template: str) -> frozenset[str]:
    if operation_of(template):
        return frozenset(words_of(operation_of(template).partition(".")[2]))
    statics = [segment for segment in template.split("/") if segment and "{" not in segment]
    return frozenset(words_of(statics[-1])) if statics else frozenset()


def _collections_of(endpoint: Endpoint, words: frozenset[str]) -> Iterator[str]:
    """Yield the collections to which `endpoint` adds: POST /xs, or POST /xs/create."""
    if endpoint.method not in ("POST", "PUT"):
        return
    template = endpoint.template.rstrip("/")
    yield template
    head, _, last = template.rpartition("/")
    if "{" not in last and _CREATE_WORDS & words:
        yield head


def _addresses_above(template: str) -> Iterator[str]:
    """Yield the template without its final slash, and the path before each of its slashes."""
    bare = template.rstrip("/")
    yield bare
    for place in range(1, len(template)):
        if template[place] == "/" and template[:place] != bare:
            yield template[:place]
