"""The writer's input: minimised tests with their recorded exchanges."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import field
from typing import NamedTuple
from typing import TypeAlias

from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import FAULT
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import effect_target
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.problem.http.exchanges.consequences import Consequences
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault
from pytest_evosearch.write.content.proven_causes import Cause
from pytest_evosearch.write.content.telling_texts import Foils
from pytest_evosearch.write.content.telling_texts import Wording

FactPath: TypeAlias = "tuple[str | int, ...]"
"""A place in a response: ("status",), ("text",), ("json", "created_at"), ("header", "Location")."""

_READS = ("GET", "HEAD")

MOST_ACCEPTED = 200
"""Most accepted calls of an endpoint: they show most values that are valid."""

CORPUS_LIMIT = 64
"""Most distinct bodies of an endpoint: enough to distinguish branches, few enough to search."""


@dataclass(frozen=True)
class FollowUp:
    """A read after the call under test, which shows the effect of that call."""

    exchange: Exchange
    before: str = ""
    """The text of this read without the call under test."""


class Telling(NamedTuple):
    """What trials with changes of the code have shown about the facts of one answer."""

    further: tuple[FactPath, ...] = ()
    """Facts besides those that rules choose, as in ("length", "items")."""
    silent: frozenset[FactPath] = frozenset()
    """Facts that are not asserted: no change of the code made them fail."""


@dataclass(frozen=True)
class Specimen:
    """One minimised test: its requests and responses, and what is unstable in them."""

    exchanges: tuple[Exchange, ...]
    """The exchanges in the order of sending; the last call is the one under test."""
    targets: frozenset[TargetId] = frozenset()
    """The targets for which the test is kept."""
    unstable: Mapping[tuple[int, FactPath], str] = field(default_factory=dict)
    """(index of the call, place in its response) -> why the value cannot be asserted."""
    fault: Fault | None = None
    """The fault that the last call shows, None for a test of correct behaviour."""
    covered: frozenset[TargetId] = frozenset()
    """All targets that the test covers, including `targets`; empty when not measured."""

    again: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """Index of a call with an unstable page -> contents of the page at other times."""

    follow_up: FollowUp | None = None
    """Sent after the call under test; in `unstable`, it counts as the call after the last one."""

    consequences: Consequences = Consequences()

    before: str | None = None
    """The text of the act, a read, without the last write before it; None where that is refused.

    It is the act's own text where nothing differs that a test can assert.
    """

    telling: Telling = Telling()
    """Which facts about the last answer changes of the code make fail."""

    individual: Individual | None = field(default=None, compare=False, repr=False)
    """The calls that were executed; None where they are not known."""

    causes: tuple[Cause, ...] = ()
    """The parts of the call under test that alone decide about its answer, as executions showed."""

    @property
    def steps(self) -> tuple[Exchange, ...]:
        """Every call of the test, including the follow-up."""
        if self.follow_up is None:
            return self.exchanges
        return (*self.exchanges, self.follow_up.exchange)

    @property
    def act(self) -> Exchange:
        """The call under test."""
        return self.exchanges[-1]

    @property
    def is_unmoved(self) -> bool:
        """Whether the act, a read, shows nothing that it does not show without the write before."""
        return self.act.response is not None and self.before == self.act.response.text

    def text_before(self, index: int) -> str | None:
        """Return the text of a read without the write that it follows, None where it has none."""
        if index == len(self.exchanges) - 1:
            return self.before
        is_last = self.follow_up is not None and index == len(self.exchanges)
        return self.follow_up.before if is_last and self.follow_up is not None else None

    @property
    def effect(self) -> TargetId | None:
        """The target for the effect that the final read shows, None without one."""
        return None if self.follow_up is None else _effect(self.act, self.follow_up.exchange)

    @property
    def vouched(self) -> frozenset[TargetId]:
        """The targets that would be lost with this test, if no other test vouches for them.

        A test that is expected to fail vouches only for its fault, and no other test does: others
        may meet the fault without asserting it. A test that ends with a read also vouches for the
        effects of earlier calls that the read shows.
        """
        if self.fault is not None:
            return frozenset((self.fault.target,))
        covered = self.covered or self.targets
        found = frozenset(target for target in covered if kind_of(target) != FAULT)
        if self.follow_up is not None:
            return found | {_effect(self.act, self.follow_up.exchange)}
        if self.act.request.method not in _READS:
            return found
        writes = (one for one in self.exchanges[:-1] if one.request.method not in _READS)
        return found.union(_effect(one, self.act) for one in writes)

    def reason(self, call: int, path: FactPath) -> str | None:
        """Return why the fact at `path`, or a part of the response around it, is unstable."""
        for length in range(len(path), 0, -1):
            found = self.unstable.get((call, path[:length]))
            if found is not None:
                return found
        return None


@dataclass(frozen=True)
class Corpus:
    """Bodies of each endpoint; a distinctive text must not occur in the others."""

    texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    served: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Those of `texts` with a 2xx status."""
    wording: Wording = field(default_factory=Wording)
    """The texts in the application's templates."""
    accepted: Mapping[str, tuple[Exchange, ...]] = field(default_factory=dict)
    """Calls that were not refused: values in them are valid."""

    @classmethod
    def of(cls, seen: Iterable[Exchange]) -> Corpus:
        """Collect the distinct text bodies and the accepted calls, first seen first."""
        texts: dict[str, dict[str, None]] = {}
        served: dict[str, dict[str, None]] = {}
        accepted: dict[str, list[Exchange]] = {}
        for exchange in seen:
            response, endpoint = exchange.response, exchange.request.endpoint
            if response is None:
                continue
            _collect(texts, endpoint, response.text)
            if 200 <= response.status < 300:
                _collect(served, endpoint, response.text)
            if response.status < FIRST_REFUSAL:
                accepted.setdefault(endpoint, []).append(exchange)
        calls = {endpoint: tuple(found[:MOST_ACCEPTED]) for endpoint, found in accepted.items()}
        return cls(_as_tuples(texts), _as_tuples(served), accepted=calls)

    @classmethod
    def of_specimens(cls, specimens: Iterable[Specimen]) -> Corpus:
        """Collect the bodies of the specimens themselves."""
        return cls.of(exchange for specimen in specimens for exchange in specimen.exchanges)

    def joined(self, other: Corpus) -> Corpus:
        """Return the bodies of both."""
        wording = self.wording if self.wording.sources else other.wording
        texts, served = _united(self.texts, other.texts), _united(self.served, other.served)
        accepted = {
            endpoint: (*self.accepted.get(endpoint, ()), *other.accepted.get(endpoint, ()))
            for endpoint in dict.fromkeys((*self.accepted, *other.accepted))
        }
        return Corpus(texts, served, wording, accepted)

    def others(self, endpoint: str, body: str) -> tuple[str, ...]:
        """Return the bodies of `endpoint` that differ from `body`."""
        return tuple(text for text in self.texts.get(endpoint, ()) if text != body)

    def foils(self, request: Request, body: str) -> Foils:
        """Return the pages from which `body`, the response to `request`, must be distinguished."""
        shown = f"GET {request.template}"
        served = self.served.get(shown, ()) if request.endpoint != shown else ()
        strangers = pages_elsewhere(self.served, request.template)
        read = {key: texts for key, texts in self.served.items() if key.startswith("GET ")}
        shown_to_readers = "\n".join(pages_elsewhere(read, request.template))
        others = self.others(request.endpoint, body)
        return Foils(others, served, strangers, self.wording, shown_to_readers)


def _effect(call: Exchange, read: Exchange) -> TargetId:
    return effect_target(call.request.endpoint, call.status, read.request.endpoint, read.status)


def pages_elsewhere(served: Mapping[str, Sequence[str]], template: str) -> list[str]:
    """Return, for each address except `template`, the joined pages of its endpoints."""
    found: dict[str, list[str]] = {}
    for endpoint, texts in served.items():
        address = endpoint.partition(" ")[2]
        if address != template:
            found.setdefault(address, []).extend(texts)
    return ["\n".join(texts) for texts in found.values()]


def _collect(texts: dict[str, dict[str, None]], endpoint: str, text: str) -> None:
    bodies = texts.setdefault(endpoint, {})
    if len(bodies) < CORPUS_LIMIT:
        bodies.setdefault(text)


def _as_tuples(texts: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    return {endpoint: tuple(bodies) for endpoint, bodies in texts.items()}


def _united(
    one: Mapping[str, tuple[str, ...]], other: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    return {
        endpoint: tuple(dict.fromkeys((*one.get(endpoint, ()), *other.get(endpoint, ()))))
        for endpoint in dict.fromkeys((*one, *other))
    }
