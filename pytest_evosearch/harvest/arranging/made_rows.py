"""Lets calls create the row that a test would otherwise store itself.

The search adds a row when a target was open for long (`problem.http.composing.rows`). Once the
target is covered, the search does not look for calls that create the row, although some often do:

    tests of the archive show who hands out what the act takes, and which calls change it
    for a test whose act needs rows, without these rows:
        the call that hands it out, then the act
        the call that hands it out, one to MOST_CHANGES times a call that changes it, then the act
        any other call that changes something, then the act

Each variant is executed; the first one that covers the duty of the test replaces it.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import field
from dataclasses import replace
from itertools import chain
from itertools import islice

from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.minimize.cores import with_what_feeds
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import is_safe
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Selector
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import LinkGene
from pytest_evosearch.problem.http.exchanges.links import link_of
from pytest_evosearch.problem.http.exchanges.links import unwrapped
from pytest_evosearch.problem.http.learning.recombination import adopted_block

MOST_CHANGES = 3
"""Most changes by one call to a created resource: an order is paid, sent and received."""

MOST_VARIANTS = 24
"""Most executions for one test; few tests need rows."""

Place = tuple[str, Location, str]
"""Endpoint, location and name of an input."""


@dataclass(frozen=True)
class _Maker:
    """The calls that return a value."""

    calls: tuple[Call, ...]
    """The last one returns the value; the others prepare it."""
    selector: Selector

    @property
    def key(self) -> tuple[str, Selector]:
        """Return the common key of makers of one kind of value."""
        return self.calls[-1].endpoint, self.selector


@dataclass
class MadeRows:
    """The creating calls in tests of the archive."""

    _makers: dict[Place, _Maker] = field(default_factory=dict)
    """Input -> the shortest way to a value for it."""
    _changes: dict[tuple[str, Selector], dict[str, tuple[Call, Input]]] = field(
        default_factory=dict
    )
    """Kind of value -> endpoints that change its resource: a call, and its linked input."""
    _others: dict[str, tuple[Call, ...]] = field(default_factory=dict)
    """Endpoint that changes something -> the shortest test with its success."""

    def note(self, individual: Individual, exchanges: Sequence[Exchange]) -> None:
        """Learn from an executed test what its calls create, and which inputs use it."""
        for at, (call, exchange) in enumerate(zip(individual, exchanges, strict=False)):
            served = _is_served(exchange)
            if served and not is_safe(call.endpoint) and not _has_rows(call):
                needed = _needed(individual, at, exchanges)
                known = self._others.get(call.endpoint)
                if needed and (known is None or len(needed) < len(known)):
                    self._others[call.endpoint] = needed
            for given in call.inputs:
                link = link_of(given.gene)
                if link is not None:
                    self._note_link(individual, exchanges, at, given, link, served)

    def _note_link(
        self,
        individual: Individual,
        exchanges: Sequence[Exchange],
        at: int,
        given: Input,
        link: LinkGene,
        served: bool,
    ) -> None:
        call = individual.calls[at]
        labels = [one.label for one in individual.calls[:at]]
        if link.label not in labels:
            return
        needed = _needed(individual, labels.index(link.label), exchanges)
        if not needed:
            return
        maker = _Maker(needed, link.selector)
        place = (call.endpoint, *given.key)
        known = self._makers.get(place)
        if known is None or len(needed) < len(known.calls):
            self._makers[place] = maker
        if served and not is_safe(call.endpoint) and not _has_rows(call):
            self._changes.setdefault(maker.key, {}).setdefault(call.endpoint, (call, given))

    def variants(self, individual: Individual) -> Iterator[Individual]:
        """Yield tests in which calls create what `individual` stores, short ones first."""
        act = individual.calls[-1]
        if not _has_rows(act):
            return
        kept = tuple(given for given in act.inputs if given.location is not Location.ROW)
        bare = Individual((*individual.calls[:-1], replace(act, inputs=kept)))
        made = islice(chain(self._linked(bare), self._after_others(bare)), MOST_VARIANTS)
        yield from dict.fromkeys(made)

    def _linked(self, individual: Individual) -> Iterator[Individual]:
        """Yield tests whose act uses a value of a call, after changes by other calls."""
        act = individual.calls[-1]
        found = [
            (given, self._makers[place])
            for given in act.inputs
            if (place := (act.endpoint, *given.key)) in self._makers
        ]
        for count in range(MOST_CHANGES + 1):
            for given, maker in found:
                changes = self._changes.get(maker.key, {}).values() if count else [None]
                for change in changes:
                    yield _composed(individual, given, maker, change, count)

    def _after_others(self, individual: Individual) -> Iterator[Individual]:
        for calls in sorted(self._others.values(), key=len):
            yield Individual((*_before(calls, individual), *individual.calls))


def _is_served(exchange: Exchange) -> bool:
    return not exchange.is_broken and exchange.status < FIRST_REFUSAL


def _has_rows(call: Call) -> bool:
    return any(given.location is Location.ROW for given in call.inputs)


def _needed(individual: Individual, at: int, exchanges: Sequence[Exchange]) -> tuple[Call, ...]:
    """Return a call after those whose values it uses; () when one of them failed."""
    until = Individual(individual.calls[: at + 1])
    labels = with_what_feeds(until, [individual.calls[at]])
    taken = [
        (call, exchange)
        for call, exchange in zip(until, exchanges, strict=False)
        if call.label in labels
    ]
    if any(_has_rows(call) or not _is_served(exchange) for call, exchange in taken):
        return ()
    return tuple(call for call, _exchange in taken)


def _before(calls: Sequence[Call], individual: Individual) -> tuple[Call, ...]:
    """Return calls with labels and user for a place before those of a test."""
    adopted = adopted_block(calls, (), (), individual.next_label)
    return Individual(adopted).sent_by(individual.calls[-1].user).calls


def _composed(
    individual: Individual,
    given: Input,
    maker: _Maker,
    change: tuple[Call, Input] | None,
    count: int,
) -> Individual:
    """Return a test that creates something, changes it `count` times, and uses it in its act."""
    before = _before(maker.calls, individual)
    made = before[-1].label
    between: list[Call] = []
    if change is not None:
        call, its = change
        [changing] = _before([call], individual)
        changing = changing.with_input(_linked_to(its, made, maker.selector))
        between = [replace(changing, label=made + number) for number in range(1, count + 1)]
    *arranged, act = individual.calls
    act = act.with_input(_linked_to(given, made, maker.selector))
    return Individual((*before, *between, *arranged, act))


def _linked_to(given: Input, label: int, selector: Selector) -> Input:
    return replace(given, gene=LinkGene(label, selector, unwrapped(given.gene)))
