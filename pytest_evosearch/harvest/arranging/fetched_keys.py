"""Lets tests read keys from a response, instead of sending them as literals.

A comparison shows the search the key of the application (``if key != settings.api_key``), which is
constant within one session. It was drawn when the session's database was created, so in the next
session a test with the literal is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Container
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import field
from dataclasses import replace
from functools import partial

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.oracles.sent import sent_texts
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Selector
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.links import LinkGene
from pytest_evosearch.problem.http.exchanges.links import link_of
from pytest_evosearch.problem.http.exchanges.responses import linkable_values

_DRAWN = re.compile(r"(?=.*[A-Za-z])(?=(?:.*\d){3})[\w.+=-]{16,}")
"""One word of letters and digits, too long for a name that a person chose."""

OTHERWISE = TextGene(current="a")
"""Value to send when the call that returns the key is missing: no key."""


def drawn_values(exchange: Exchange) -> Iterator[tuple[Selector, str]]:
    """Yield random-looking values of a response that its request did not send."""
    if exchange.response is not None:
        sent = {text for _place, text in sent_texts(exchange.request)}
        for selector, value in linkable_values(exchange.response):
            if is_drawn(value) and value not in sent:
                yield selector, str(value)


def is_drawn(value: object) -> bool:
    """Say whether a value looks random or signed."""
    return isinstance(value, str) and _DRAWN.fullmatch(value) is not None


@dataclass
class FetchedKeys:
    """Keys by their text, each with the call that returns it to any caller."""

    constants: Container[object] = frozenset()
    """Literals in the application's code, which are constant in all sessions."""
    _sources: dict[str, tuple[Call, Selector]] = field(default_factory=dict)

    def note(self, individual: Individual, exchanges: Sequence[Exchange]) -> None:
        """Remember the values that the first call of an executed test returns."""
        if not exchanges or individual.calls[0].user is not None:
            return
        for selector, value in drawn_values(exchanges[0]):
            if value not in self.constants:
                self._sources.setdefault(value, (individual.calls[0], selector))

    def fetched(self, individual: Individual) -> Individual:
        """Return the test with links in place of keys, and with the calls that the links need."""
        if not self._sources:
            return individual
        calls: list[Call] = []
        added: list[Call] = []
        for call in individual:
            label_of = partial(self._label, individual, calls, added)
            inputs = tuple(
                replace(given, gene=self._linked(given.gene, label_of)) for given in call.inputs
            )
            calls.append(replace(call, inputs=inputs))
        return Individual((*added, *calls))

    def _label(
        self, individual: Individual, earlier: Sequence[Call], added: list[Call], key: str
    ) -> int:
        """Return the label of the call that returns a key: an earlier one, or one to add."""
        source, _selector = self._sources[key]
        for call in (*earlier, *added):
            if (call.endpoint, call.inputs) == (source.endpoint, source.inputs):
                return call.label
        label = individual.next_label + len(added)
        added.append(replace(source, label=label, user=individual.calls[0].user))
        return label

    def _linked(self, gene: Gene, label_of: Callable[[str], int]) -> Gene:
        link = link_of(gene)
        if link is not None:
            return replace(link, fallback=OTHERWISE) if self._is_key(link.fallback) else link
        if self._is_key(gene):
            key = str(gene.value())
            return LinkGene(label_of(key), self._sources[key][1], OTHERWISE)
        for path, child in gene.children():
            linked = self._linked(child, label_of)
            if linked is not child:
                gene = gene.with_child(path, linked)
        return gene

    def _is_key(self, gene: Gene) -> bool:
        value = gene.value()
        return isinstance(value, str) and value in self._sources
