"""Makes tests for oracles, which a search for coverage rarely makes.

    follow-ups   read a resource before and after it is changed, deleted or created
    attacks      send a text that must not become code, a path or an address, or a number at
                 the edge, in place of values that the application accepted

Nothing here is random, and nothing depends on the existing oracles: `Attack.code` is a name that
the engine compares.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import unquote
from urllib.parse import urlsplit

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import gene_at
from pytest_evosearch.genes.base import replaced
from pytest_evosearch.genes.choice import ConstantGene
from pytest_evosearch.genes.formats import UuidGene
from pytest_evosearch.genes.regex import RegexGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.genes.visit import leaves
from pytest_evosearch.problem.http.descriptions.endpoint_relations import resource_words
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import LinkGene
from pytest_evosearch.problem.http.inquiries.edited_calls import sequence

_UNSEEN = frozenset({Location.HEADER, Location.COOKIE, Location.ENVIRON, Location.FILE})
"""Locations of inputs that no page shows."""

MISSING_NUMBER = 2147480009
"""An identifier that no resource has; it fits into 32 bits."""
MISSING_UUID = "00000000-0000-4000-8000-00000000dead"

SCRIPT = "<script>evosearch()</script>"
"""Markup that no page contains by itself."""

STRANGE_HOST = "elsewhere.invalid"
"""A host that no application knows; ``.invalid`` never resolves (RFC 2606)."""

MOST_PAGES = 5
"""Most pages in which a stored text is searched."""


@dataclass(frozen=True)
class Attack:
    """A value to send, and the code of the oracle that judges its effect."""

    code: str
    value: str | int
    stored: bool = False
    """Whether the value may appear in a later page."""
    narrow: bool = False
    """Whether to send it only where it `reaches` the place where it does harm."""

    def turns_up_in(self, exchange: Exchange) -> bool:
        """Say whether a page, a statement, a file or a host may contain what was sent."""
        value, evidence = self.value, exchange.evidence
        if not isinstance(value, str):
            return False
        response = exchange.response
        if response is not None:
            leads_away = STRANGE_HOST in value and STRANGE_HOST in (response.location or "")
            if leads_away or value.encode() in response.body:
                return True
        if any(host in value for host in evidence.contacted):
            return True
        return any(value in text for text in (*evidence.statements, *evidence.opened))

    def reaches(self, accepted: Exchange) -> bool:
        """Say whether the inputs of a call may get to the place where this attack does harm."""
        evidence = accepted.evidence
        sinks = {
            "sql-injection": evidence.statements,
            "path-traversal": evidence.opened,
            "request-forgery": evidence.contacted,
            "open-redirect": accepted.response is not None and accepted.response.location,
        }
        return bool(sinks.get(self.code, ()))


ATTACKS = (
    Attack("script-injection", SCRIPT, stored=True),
    Attack("sql-injection", "evo'search"),
    Attack("sql-injection", 'evo"search', narrow=True),
    Attack("path-traversal", "../../../../../../etc/hostname"),
    Attack("request-forgery", f"http://{STRANGE_HOST}/"),
    Attack("request-forgery", STRANGE_HOST),
    Attack("open-redirect", f"http://{STRANGE_HOST}/", narrow=True),
    Attack("open-redirect", f"//{STRANGE_HOST}/", narrow=True),
    Attack("open-redirect", f"/\\{STRANGE_HOST}/", narrow=True),
    Attack("server-error", 0),
    Attack("server-error", -1),
)
"""Values without harm when they succeed: a missing script, a name, an unknown host."""


@dataclass(frozen=True)
class Growth:
    """One input in three sizes; the middle one decides whether to try the others."""

    small: str | int
    middle: str | int
    large: str | int


GROWTHS = (
    Growth(*("a" * size + "!" for size in (2000, 4000, 8000))),
    Growth(*(" " * size + "!" for size in (2000, 4000, 8000))),
    Growth(10**4, 10**5, 10**6),
)
"""Texts that make nested repetitions in expressions slow, and numbers to count to."""


class Inquirer:
    """Makes tests from one that works up to its last call."""

    def __init__(self, model: EndpointModel) -> None:
        self._model = model
        self._readers = model.readers

    def follow_ups(self, base: Individual, act: Exchange) -> Iterator[Individual]:
        """Yield tests that check the effect of `base`'s last call, with the exchange `act`."""
        call = base.calls[-1]
        method, _, template = call.endpoint.partition(" ")
        if act.response is not None and act.status == 201 and act.response.location:
            yield from self._at_location(base, act.response.location)
        reader = self._readers.get(template)
        if reader is None:
            return
        before = base.calls[:-1]
        if method == "DELETE" and template.endswith("}"):
            missing, read = self._missing(call, reader), self._read(call, reader)
            yield sequence(before, missing, read, call, read)

    def attacks(self, base: Individual, attack: Attack) -> Iterator[Individual]:
        """Yield `base` with all suitable values of its last call replaced, then one at a time."""
        call = base.calls[-1]
        full = self._with_missing(call, attack.value)
        places = list(_places(full, attack.value, rows=attack.code == "server-error"))
        together = [place for place in places if full.inputs[place[0]].location.value != "path"]
        if together:
            yield self._attacked(base, full, together, attack)
        if len(places) > 1 or not together:
            for place in places:
                yield self._attacked(base, full, [place], attack)

    def enlarged(self, base: Individual, growth: Growth) -> Iterator[tuple[Individual, Individual]]:
        """Yield (a test with one large value, the test that sends it in every size, twice)."""
        call = self._with_missing(base.calls[-1], growth.middle)
        for place in _places(call, growth.middle):
            calls = [
                self._with_value(call, [place], value)
                for value in (growth.small, growth.middle, growth.large)
            ]
            before = base.calls[:-1]
            again = [replace(one, label=0) for one in (*calls, *calls)]
            yield sequence(before, calls[1]), sequence(before, *again)

    def _attacked(
        self,
        base: Individual,
        call: Call,
        places: Sequence[tuple[int, tuple[str | int, ...]]],
        attack: Attack,
    ) -> Individual:
        changed = self._with_value(call, places, attack.value)
        after = self._pages_for(changed) if attack.stored else ()
        return sequence(base.calls[:-1], changed, *after)

    @staticmethod
    def _with_value(
        call: Call, places: Sequence[tuple[int, tuple[str | int, ...]]], value: str | int
    ) -> Call:
        for index, gene_path in places:
            changed = _holding(call.inputs[index].gene, gene_path, value)
            call = call.with_gene(index, (), changed)
        return call

    def _with_missing(self, call: Call, value: object) -> Call:
        """Add the optional inputs of queries and forms that could hold this value."""
        known = {given.key for given in call.inputs}
        sends_form = any(given.location is Location.FORM for given in call.inputs)
        added = tuple(
            Input(parameter.location, parameter.name, parameter.gene)
            for parameter in self._model.endpoint(call.endpoint).parameters
            if parameter.key not in known
            and _is_alike(parameter.gene.value(), value)
            and (
                parameter.location is Location.QUERY
                or (parameter.location is Location.FORM and sends_form)
            )
        )
        return replace(call, inputs=(*call.inputs, *added))

    def _pages_for(self, call: Call) -> Sequence[Call]:
        """Return reading calls that may show what `call` has stored."""
        method, _, template = call.endpoint.partition(" ")
        if method not in ("POST", "PUT", "PATCH"):
            return ()
        words = resource_words(template)
        pages = []
        for endpoint in self._model.endpoints:
            if endpoint.method != "GET":
                continue
            if not endpoint.placeholders:
                related = bool(words & resource_words(endpoint.template))
                pages.append((not related, len(endpoint.template), Call(endpoint.key, (), 0)))
            elif endpoint.template.rpartition("/")[0] == template.rstrip("/"):
                pages.append((False, 0, self._item_of(call, endpoint)))
            elif endpoint.template == template:
                pages.append((False, 0, self._read(call, endpoint.key)))
        pages.sort(key=lambda page: page[:2])
        return [replace(page, user=call.user) for _unrelated, _length, page in pages[:MOST_PAGES]]

    def _item_of(self, call: Call, endpoint: Endpoint) -> Call:
        """Return the reading of the item that `call` created, by the identifier in the response."""
        inputs = [given for given in call.inputs if given.location is Location.PATH]
        link = LinkGene(call.label, ("json", "id"), TextGene(current="1"))
        inputs.append(Input(Location.PATH, endpoint.placeholders[-1], link))
        return Call(endpoint.key, tuple(inputs), 0)

    def _read(self, call: Call, reader: str) -> Call:
        inputs = tuple(given for given in call.inputs if given.location is Location.PATH)
        return Call(reader, inputs, 0, call.user)

    def _missing(self, call: Call, reader: str) -> Call:
        """Return the reading of a resource that does not exist."""
        read = self._read(call, reader)
        endpoint = self._model.endpoint(reader)
        name = endpoint.placeholders[-1]
        value = missing_value(endpoint, name)
        return read.with_input(Input(Location.PATH, name, ConstantGene(current=value)))

    def _at_location(self, base: Individual, location: str) -> Iterator[Individual]:
        """Yield the test with a read of the address in its last response's Location."""
        try:
            path = urlsplit(location).path
        except ValueError:
            return
        call = base.calls[-1]
        for template, reader in self._readers.items():
            found = re.fullmatch(_pattern_of(template), path)
            if found is None:
                continue
            names = self._model.endpoint(reader).placeholders
            inputs = []
            for name, value in zip(names, found.groups(), strict=False):
                gene: Gene = TextGene(current=unquote(value))
                if name == names[-1] and template.endswith("}"):
                    gene = LinkGene(call.label, ("location", -1), gene)
                inputs.append(Input(Location.PATH, name, gene))
            read = Call(reader, tuple(inputs), 0, call.user)
            yield sequence(base.calls, read)
            return


def _pattern_of(template: str) -> str:
    return "".join(
        "([^/]+)" if part.startswith("{") else re.escape(part)
        for part in re.split(r"(\{[^{}]*\})", template)
    )


def missing_value(endpoint: Endpoint, name: str) -> int | str:
    """Return a value for the placeholder `name` that no resource has."""
    genes = {parameter.key: parameter.gene for parameter in endpoint.parameters}
    is_uuid = isinstance(genes.get((Location.PATH, name)), UuidGene)
    return MISSING_UUID if is_uuid else MISSING_NUMBER


def _places(
    call: Call, value: str | int, rows: bool = False
) -> Iterator[tuple[int, tuple[str | int, ...]]]:
    """Yield (index of the input, path of the gene) for each place that could hold `value`.

    Attackers cannot send rows that a test stores, but their numbers may cause a crash.
    """
    for index, given in enumerate(call.inputs):
        if given.location in _UNSEEN:
            continue
        if given.location is Location.ROW and not rows:
            continue
        for _value_path, gene_path, leaf in leaves(given.gene):
            if _is_alike(leaf.value(), value) and leaf.adopt(value) is not None:
                yield index, gene_path


def _is_alike(known: object, value: object) -> bool:
    """Say whether `known` is a text like `value`, or a number, perhaps written as a text."""
    if isinstance(value, str):
        return isinstance(known, str)
    if isinstance(known, str):
        return known.lstrip("-").isdecimal()
    return isinstance(known, (int, float)) and not isinstance(known, bool)


def _holding(gene: Gene, gene_path: tuple[str | int, ...], value: object) -> Gene:
    """Return `gene` with `value` at a place, unless another change has removed the place.

    Where a text must match a pattern, `value` stands inside a match, if the pattern allows that.
    """
    leaf = gene_at(gene, gene_path)
    if isinstance(leaf, RegexGene) and isinstance(value, str):
        value = leaf.around(value) or value
    adopted = None if leaf is None else leaf.adopt(value)
    return gene if adopted is None else replaced(gene, gene_path, adopted)
