"""Learns what services answer: which calls an endpoint makes, and what it reads of the answers.

a call to a service        a parameter of the endpoint, at the location ANSWER
a call of a host           another one, with the ways in which the host cannot be reached
a read of the answer       a place in the answer, as for the body of a request
an error about a type      another kind of value at the place that was read last
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from decimal import InvalidOperation
from urllib.parse import urlsplit

from pytest_evosearch.core.exception_texts import NO_OBJECT
from pytest_evosearch.core.http_words import EXAMPLE_HOST
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import Path
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.descriptions.service_answers import BODY
from pytest_evosearch.problem.http.descriptions.service_answers import FORMAT
from pytest_evosearch.problem.http.descriptions.service_answers import KINDS
from pytest_evosearch.problem.http.descriptions.service_answers import answer_gene
from pytest_evosearch.problem.http.descriptions.service_answers import continued
from pytest_evosearch.problem.http.descriptions.service_answers import host_gene
from pytest_evosearch.problem.http.descriptions.service_answers import with_object
from pytest_evosearch.problem.http.descriptions.service_answers import with_other_kind
from pytest_evosearch.problem.http.descriptions.service_answers import with_read
from pytest_evosearch.problem.http.descriptions.service_answers import with_text
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import Parameter
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.outgoing_calls import host_of
from pytest_evosearch.problem.http.exchanges.outgoing_calls import texts_of
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash
from pytest_evosearch.problem.http.exchanges.seen_inside import Read

SOURCE = "service"

MOST_TURNS = 3
"""How many answers of one call are varied; later ones repeat the last."""

MOST_CHANGES = 12
"""Most changes of a place after errors about types: then the search is left to try kinds."""

_UNREAD_CALLS = 2
"""After so many calls whose answer no parser has read, it may also be a text."""

_TURN = re.compile(r" \d+$")

_TYPE_ERRORS = frozenset(
    one.__name__ for one in (TypeError, AttributeError, ValueError, InvalidOperation)
)


class AnswerLearner:
    """Adds what services are asked to the parameters of endpoints."""

    def __init__(self, model: EndpointModel, first: Callable[[str], object] | None = None) -> None:
        self._model = model
        self._first = first or (lambda _name: None)
        """Returns the document that a call gets at first, None where that is not known."""
        self._seen: dict[tuple[str, Path, str | None], int] = {}
        self._changes: dict[tuple[str, Path], int] = {}
        self._unread: dict[tuple[str, str], int] = {}
        """Endpoint and name of a call -> how often its answer came, and no parser read it."""
        self._fresh: dict[str, list[Path]] = {}
        """Name of a parameter -> its places that the present exchange has changed."""

    def learn(self, call: Call, exchange: Exchange) -> Call | None:
        """Learn from what one call asked and read; return it with what it has lacked.

        The result is None when nothing was new.
        """
        key = exchange.request.endpoint
        self._fresh = {}
        texts = texts_of(exchange.request) if exchange.outgoing else ()
        for asked in exchange.outgoing:
            # A host that the caller names is another one in each test, but for ours.
            host = host_of(asked)
            if host == EXAMPLE_HOST or not any(host in text.lower() for text in texts):
                self._note_call(key, asked.name, asked.url if asked.method else "")
        reads = [read for read in exchange.reads if read.location == Location.ANSWER.value]
        for read in reads:
            identity = (key, read.path, read.type_name)
            times = self._seen[identity] = self._seen.get(identity, 0) + 1
            if times == 1 or (times <= MOST_CHANGES and read.type_name in KINDS):
                self._grow(key, read)
        self._note_unread(key, exchange, reads)
        if reads and not self._fresh and exchange.crash is not None:
            self._correct(key, exchange.crash, reads)
        return self._continued(call) if self._fresh else None

    def _continued(self, call: Call) -> Call:
        """Return a call with answers that have everything that is known."""
        given = {one.name: one for one in call.inputs if one.location is Location.ANSWER}
        for parameter in self._model.endpoint(call.endpoint).parameters:
            if parameter.location is Location.ANSWER:
                gene, known = parameter.gene, given.get(parameter.name)
                if known is not None:
                    gene = continued(gene, known.gene, self._fresh.get(parameter.name, ()))
                call = call.with_input(Input(*parameter.key, gene))
        return call

    def _note_call(self, key: str, name: str, url: str) -> None:
        if not url or self._model.parameter(key, (Location.ANSWER, name)) is not None:
            return
        turn = _TURN.search(name)
        if turn is not None and int(turn[0]) > MOST_TURNS:
            return
        known = self._model.parameter(key, (Location.ANSWER, base_name(name)))
        document = self._first(base_name(name)) if known is None else None
        gene: Gene = answer_gene(document) if known is None else known.gene
        self._model.add(key, Parameter(Location.ANSWER, name, gene, required=True, source=SOURCE))
        self._fresh.setdefault(name, [])
        host = urlsplit(url).netloc
        self._model.add(key, Parameter(Location.ANSWER, host, host_gene(), source=SOURCE))

    def _note_unread(self, key: str, exchange: Exchange, reads: list[Read]) -> None:
        """Let an answer be a text, too, where no parser reads it; a parsed one is none."""
        parsed = {read.path[0] for read in reads if read.path[1] in (BODY, FORMAT)}
        for name in {base_name(asked.name) for asked in exchange.outgoing if not asked.failure}:
            place = (key, name)
            if name in parsed:
                self._unread[place] = -1
            elif self._unread.get(place, 0) >= 0:
                self._unread[place] = self._unread.get(place, 0) + 1
            if self._unread.get(place) not in (-1, _UNREAD_CALLS):
                continue
            for parameter in self._parameters(key, name):
                gene = with_text(parameter.gene, is_text=name not in parsed)
                if gene != parameter.gene:
                    self._model.confirm(key, replace(parameter, gene=gene))

    def _grow(self, key: str, read: Read) -> None:
        path = read.path[1:]
        for parameter in self._parameters(key, str(read.path[0])):
            gene = with_read(parameter.gene, path, read.type_name, read.default)
            self._put(key, parameter, gene, path)

    def _correct(self, key: str, crash: Crash, reads: list[Read]) -> None:
        """Prefer another kind of value where the code could not use the present one."""
        if crash.type_name not in _TYPE_ERRORS:
            return
        last = reads[-1].path
        place = (key, last)
        self._changes[place] = self._changes.get(place, 0) + 1
        if self._changes[place] > MOST_CHANGES:
            return
        for parameter in self._parameters(key, str(last[0])):
            if NO_OBJECT.search(crash.message):
                gene = with_object(parameter.gene, last[1:])
            else:
                gene = parameter.gene
            if gene == parameter.gene:
                gene = with_other_kind(gene, last[1:])
            self._put(key, parameter, gene, last[1:])

    def _parameters(self, key: str, name: str) -> list[Parameter]:
        """Return the parameters of all turns of a call."""
        return [
            one
            for one in self._model.endpoint(key).parameters
            if one.location is Location.ANSWER and base_name(one.name) == name
        ]

    def _put(self, key: str, parameter: Parameter, gene: Gene, place: Path) -> None:
        if gene != parameter.gene:
            self._fresh.setdefault(parameter.name, []).append(place)
            self._model.confirm(key, replace(parameter, gene=gene))


def base_name(name: str) -> str:
    """Return the name of a call without its turn."""
    return _TURN.sub("", name)
