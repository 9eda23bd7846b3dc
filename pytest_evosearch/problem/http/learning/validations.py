"""Learns parameters of endpoints from validators that handlers call themselves."""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.choice import ConstantGene
from pytest_evosearch.genes.choice import EnumGene
from pytest_evosearch.genes.collections import ArrayGene
from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.optional import Field
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.genes.text import TextualGene
from pytest_evosearch.problem.http.descriptions.guesses import gene_by_name
from pytest_evosearch.problem.http.descriptions.json_schema import ANYTHING
from pytest_evosearch.problem.http.descriptions.json_schema import gene_from_schema
from pytest_evosearch.problem.http.descriptions.json_shape import around
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.descriptions.parameters import parameters_of
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import Parameter
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.seen_inside import Validation

SOURCE = "validator"


class ValidationLearner:
    """Merges caught rules with earlier declarations, reads and guesses.

    A document may be outdated, but adds to a validator's rules; a guess does not.
    """

    def __init__(self, model: EndpointModel) -> None:
        self._model = model
        self._learnt: dict[str, tuple[Validation, ...]] = {}

    def learn(self, exchange: Exchange) -> None:
        """Learn what one exchange shows for the first time about its endpoint."""
        key, found = exchange.request.endpoint, exchange.validations
        known = self._learnt.get(key, ())
        if found is known or not exchange.routed or key not in self._model:
            return
        # Another process sends the rules of one execution, not all earlier ones.
        news = [validation for validation in found if validation not in known]
        self._learnt[key] = (*known, *news) if len(known) + len(news) != len(found) else found
        for validation in news:
            self._learn_one(key, validation)

    def _learn_one(self, key: str, validation: Validation) -> None:
        gene = gene_from_schema(validation.schema, validation.schema).present()
        if validation.location == Location.JSON.value:
            gene = around(validation.path, gene, Field)
            self._confirm(key, Parameter(Location.JSON, "", gene, True, SOURCE))
        elif isinstance(gene, ObjectGene):
            for parameter in parameters_of(gene, Location(validation.location), SOURCE):
                self._confirm(key, parameter)

    def _confirm(self, key: str, parameter: Parameter) -> None:
        known = self._model.parameter(key, parameter.key)
        in_json = parameter.location is Location.JSON
        if known is not None and known.source == "schema":
            gene = known.gene.merged(parameter.gene)
            parameter = replace(known, required=known.required or parameter.required)
        else:
            before = None if known is None else known.gene
            gene = refined(parameter.gene, before, parameter.name, in_json)
        self._model.confirm(key, replace(parameter, gene=gene))


def refined(caught: Gene, known: Gene | None, name: str, in_json: bool) -> Gene:
    """Return a gene with a validator's rules, and with earlier knowledge where it has none.

    Fields that it does not name stay, as optional ones: handlers read them elsewhere.
    """
    around = caught.with_inside(lambda inside: refined(inside, known, name, in_json))
    if around is not None:
        return around
    return _filled_in(caught, None if known is None else known.present(), name, in_json)


@singledispatch
def _filled_in(caught: Gene, known: Gene | None, name: str, in_json: bool) -> Gene:
    if caught == ANYTHING:
        return gene_by_name(name, in_json) if known is None else known
    if isinstance(known, EnumGene) and not isinstance(caught, (EnumGene, ConstantGene)):
        return known  # the options that a page offers are valid
    if isinstance(caught, TextGene):
        return _refined_text(caught, known, name, in_json)
    return caught


@_filled_in.register
def _filled_in_object(caught: ObjectGene, known: Gene | None, _name: str, _in_json: bool) -> Gene:
    before = {} if known is None else known.named_parts()
    fields = [
        replace(field, gene=refined(field.gene, before.get(field.name), field.name, True))
        for field in caught.fields
    ]
    names = [field.name for field in fields]
    added = [Field.optional(*part) for part in before.items() if part[0] not in names]
    return replace(caught, fields=(*fields, *added))


@_filled_in.register
def _filled_in_array(caught: ArrayGene, known: Gene | None, name: str, in_json: bool) -> Gene:
    template = None if known is None else known.element()
    inner = refined(caught.template, template, name.rstrip("s"), in_json)
    return replace(caught, template=inner, elements=(inner,) * len(caught.elements))


def _refined_text(caught: TextGene, known: Gene | None, name: str, in_json: bool) -> Gene:
    """Return a text of the kind that its name suggests, as far as the limits allow."""
    guess = gene_by_name(name, in_json) if known is None else known
    textual = (one for one in guess.kinds() if isinstance(one, TextualGene))
    meant = next(textual, None)
    if meant is None:
        return caught
    if caught.specificity() <= 1:
        return meant
    return caught.holding(meant.current) if caught.allows_length(len(meant.current)) else caught
