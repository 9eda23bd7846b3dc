"""Connects calls: values from earlier responses, and values that calls share."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace

from pytest_evosearch.core.english import words_of
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.core.vocabulary import LOGIN_NAME
from pytest_evosearch.core.vocabulary import PASSWORD
from pytest_evosearch.core.vocabulary import Certainty
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import replaced
from pytest_evosearch.genes.choice import EnumGene
from pytest_evosearch.genes.visit import leaves
from pytest_evosearch.problem.http.descriptions.endpoint_relations import prefix_of
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import operation_of
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.json_places import innermost_name
from pytest_evosearch.problem.http.exchanges.links import LinkGene
from pytest_evosearch.problem.http.exchanges.links import PrefixedGene
from pytest_evosearch.problem.http.exchanges.links import link_of
from pytest_evosearch.problem.http.exchanges.links import unwrapped
from pytest_evosearch.problem.http.learning.challenges import BasicGene
from pytest_evosearch.problem.http.learning.challenges import basic_from
from pytest_evosearch.problem.http.learning.forgery import ForgeryTokens
from pytest_evosearch.problem.http.learning.forgery import PageToken
from pytest_evosearch.problem.http.learning.producers import Candidate
from pytest_evosearch.problem.http.learning.producers import ProducerCatalog

_LINK_SHARE = 0.9
_BODY_LINK_SHARE = 0.6
_SHARED_SHARE = 0.9
"""How often a call repeats an earlier call's value for one name, where this is likely."""

_OLDER_SHARE = 0.5
"""How often it does where a newer resource of the same kind was made since."""

_LATEST_SHARE = 0.7
"""How often a link uses the latest of several calls of one endpoint."""

_CREDENTIALS = frozenset((*LOGIN_NAME.words(Certainty.LIKELY), *PASSWORD.words()))


class Linker:
    """Links the inputs of a call to earlier calls, by the known products of endpoints."""

    def __init__(
        self, model: EndpointModel, catalog: ProducerCatalog, tokens: ForgeryTokens
    ) -> None:
        self._model = model
        self._catalog = catalog
        self._tokens = tokens

    def connected(self, call: Call, earlier: Sequence[Call], rng: Random) -> Call:
        """Return `call` with links and shared values from the `earlier` calls."""
        if not earlier or not call.inputs:
            return call
        shared = _SharedValues(earlier)
        inputs = tuple(
            self._connected_input(call, given, earlier, shared, rng) for given in call.inputs
        )
        return replace(call, inputs=inputs)

    def _connected_input(
        self,
        call: Call,
        given: Input,
        earlier: Sequence[Call],
        shared: _SharedValues,
        rng: Random,
    ) -> Input:
        if given.location in (Location.ROW, Location.ANSWER):
            return given
        if given.location is Location.JSON:
            return self._connected_body(call, given, earlier, shared, rng)
        gene = shared.gene_for(call, given.location, given.name)
        if isinstance(given.gene, BasicGene):
            gene = basic_from(shared.credentials)
        link = self.link_for(call, given, earlier, rng)
        outdated = link is not None and gene is not None and link_of(gene) is None
        share = _OLDER_SHARE if gene is not None and _is_older(gene, earlier) else _SHARED_SHARE
        if gene is not None and not outdated and rng.random() < share:
            return replace(given, gene=gene)
        share = _LINK_SHARE if given.location is Location.PATH else _BODY_LINK_SHARE
        if self._token_for(call, given) is not None:
            share = 1.0  # any other value is refused before the application reads the request
        if link is not None and rng.random() < share:
            return replace(given, gene=link)
        return given

    def _token_for(self, call: Call, given: Input) -> PageToken | None:
        """Return the place of the CSRF token that an input needs, or None."""
        if given.location not in (Location.FORM, Location.HEADER):
            return None
        return self._tokens.wanted_by(call.endpoint, call.user).get(given.key)

    def _connected_body(
        self,
        call: Call,
        given: Input,
        earlier: Sequence[Call],
        shared: _SharedValues,
        rng: Random,
    ) -> Input:
        gene = given.gene
        for value_path, gene_path, leaf in list(leaves(gene)):
            name = innermost_name(value_path)
            if not name:
                continue
            known = shared.gene_for(call, Location.JSON, name)
            if known is not None and rng.random() < _SHARED_SHARE:
                gene = replaced(gene, gene_path, known)
                continue
            named = Input(Location.JSON, name, leaf)
            link = self.link_for(call, named, earlier, rng)
            share = _BODY_LINK_SHARE
            if operation_of(call.endpoint) and words_of(name)[-1:] == ["id"]:
                share = _LINK_SHARE  # a value that is part of a path elsewhere
            if link is not None and rng.random() < share:
                gene = replaced(gene, gene_path, link)
        return replace(given, gene=gene)

    def link_for(
        self, call: Call, given: Input, earlier: Sequence[Call], rng: Random
    ) -> Gene | None:
        """Return a link from an earlier call for an input of `call`, or None when none fits."""
        if link_of(given.gene) is not None:
            return None
        labels = _labels_by_endpoint(earlier)
        token = self._token_for(call, given)
        if token is not None and token.page in labels:
            return LinkGene(labels[token.page][-1], token.selector, given.gene)
        fitting = [
            candidate
            for candidate in self._catalog.candidates(call.endpoint, given.location, given.name)
            if candidate.product.producer in labels and _suits(candidate, given.gene)
        ]
        if not fitting:
            return None
        chosen = rng.choices(fitting, [candidate.weight for candidate in fitting])[0]
        known = labels[chosen.product.producer]
        label = known[-1] if rng.random() < _LATEST_SHARE else rng.choice(known)
        return _link(chosen, label, given.gene)

    def any_link(self, given: Input, earlier: Sequence[Call], rng: Random) -> Gene | None:
        """Return a link to any value of an earlier response, whatever its name, or None."""
        producing = [call for call in earlier if self._catalog.products(call.endpoint)]
        if not producing or link_of(given.gene) is not None:
            return None
        call = rng.choice(producing)
        product = rng.choice(self._catalog.products(call.endpoint))
        candidate = Candidate(product, 1.0)
        return _link(candidate, call.label, given.gene) if _suits(candidate, given.gene) else None


def _link(candidate: Candidate, label: int, present: Gene) -> Gene:
    link = LinkGene(label, candidate.product.selector, unwrapped(present))
    return PrefixedGene(link, candidate.prefix) if candidate.prefix else link


def _is_older(gene: Gene, calls: Sequence[Call]) -> bool:
    """Say whether the call that a gene links to was made again since."""
    link = link_of(gene)
    if link is None:
        return False
    makers = [call.endpoint for call in calls if call.label == link.label]
    return bool(makers) and _labels_by_endpoint(calls)[makers[0]][-1] != link.label


def _labels_by_endpoint(calls: Iterable[Call]) -> dict[str, list[int]]:
    labels: dict[str, list[int]] = {}
    for call in calls:
        labels.setdefault(call.endpoint, []).append(call.label)
    return labels


def _suits(candidate: Candidate, gene: Gene) -> bool:
    """Say whether a candidate suits a gene: texts do not suit inputs that must be numbers."""
    return candidate.product.numeric or not gene.is_numeric


class _SharedValues:
    """Values that earlier calls sent under a name that probably has one meaning."""

    def __init__(self, earlier: Sequence[Call]) -> None:
        self._paths: dict[tuple[str, str], Gene] = {}
        self._credentials: dict[str, Gene] = {}
        for call in earlier:
            for given in call.inputs:
                self._note(call, given)

    def _note(self, call: Call, given: Input) -> None:
        if given.location is Location.PATH:
            if isinstance(given.gene, EnumGene):  # it says what is done, and names no resource
                return
            self._paths[_prefix_in(call, given.name), given.name] = given.gene
        elif given.location is Location.FORM and given.name.lower() in _CREDENTIALS:
            self._credentials[given.name.lower()] = given.gene
        elif given.location is Location.JSON:
            for value_path, _gene_path, leaf in leaves(given.gene):
                name = innermost_name(value_path).lower()
                if name in _CREDENTIALS:
                    self._credentials[name] = leaf

    @property
    def credentials(self) -> Mapping[str, Gene]:
        """Names and passwords, by the lower-case names of their inputs."""
        return self._credentials

    def gene_for(self, call: Call, location: Location, name: str) -> Gene | None:
        """Return the gene that an earlier call used for this parameter, or None."""
        if location is Location.PATH:
            return self._paths.get((_prefix_in(call, name), name))
        if location is Location.FORM or location is Location.JSON:
            return self._credentials.get(name.lower())
        return None


def _prefix_in(call: Call, placeholder: str) -> str:
    return prefix_of(call.endpoint.partition(" ")[2], placeholder)
