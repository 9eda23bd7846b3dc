"""Guides calls of endpoints that never succeeded by how they handled earlier calls.

A handler that checks its inputs one by one reports only the first problem. Shared checks are
covered early, so no target guides the search there. So this module examines them again for each
endpoint without success. A new response shows progress. The last comparison of the call, and the
value read last, are likely causes of the refusal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Sequence
from itertools import islice

from pytest_evosearch.core.chance import shape
from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.instrument.probing.weighing import INDIRECT
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.json_places import innermost_name
from pytest_evosearch.problem.http.exchanges.links import Link
from pytest_evosearch.problem.http.filling.hints import Evidence
from pytest_evosearch.problem.http.filling.hints import Hint
from pytest_evosearch.problem.http.filling.hints import work_out
from pytest_evosearch.problem.http.filling.pool import ValuePool
from pytest_evosearch.problem.http.filling.sent_values import READABLE
from pytest_evosearch.problem.http.filling.sent_values import Sent
from pytest_evosearch.problem.http.filling.sent_values import place_of
from pytest_evosearch.problem.http.filling.sent_values import sent_values
from pytest_evosearch.problem.http.filling.sent_values import value_on_wire

GUIDED_AT_FIRST = 30
GUIDED_AFTER_NEWS = 20
"""Guided calls of an endpoint: at first, and again after each new response."""

MOST_ANSWERS = 40
"""Most responses of an endpoint that count as new: pages may never repeat themselves."""

BLAMED_COMPARISONS = 6
HINTS_PER_BLAMED = 5
KNOWN_VALUES = 4
EARLIER_VALUES = 6
"""Texts of earlier calls of the test: a password may be asked for again."""

LONGEST_ANSWER = 400
"""Most characters of a body that are compared."""

_JSON_VALUES: tuple[object, ...] = (
    1,
    "a",
    True,
    10,
    "aaaaaaaa",
    1.5,
    ["a"],
    [1],
    {},
    "2030-01-15",
    "a@example.org",
)
_TEXT_VALUES: tuple[object, ...] = (
    "1",
    "aaaaaaaa",
    "10",
    "true",
    "2030-01-15",
    "a@example.org",
    "1.5",
)
_WORD = re.compile(r"[\w./:@+-]+")
_DIGIT = re.compile(r"\d")

LONGEST_REFUSAL = 300
"""Most bytes of a refusal that are read for examples; longer ones are pages."""

MOST_EXAMPLES = 4
LAST_WORDS = 3

LONGEST_PAGE = 4000
_NAMED = (
    Location.FORM,
    Location.QUERY,
    Location.HEADER,
    Location.COOKIE,
    Location.ENVIRON,
)


@dataclass(frozen=True)
class GuidedTrial:
    """A test to make: this individual with a hint applied."""

    individual: Individual
    hint: Hint
    mark: tuple[object, ...]
    """Identifies equal trials: place, value, and how far the call had got."""


class Guidance:
    """Watches endpoints until they succeed, and proposes the next calls."""

    def __init__(self, pool: ValuePool) -> None:
        self._pool = pool
        self._answers: dict[str, set[tuple[int, int, str]]] = {}
        self._remaining: dict[str, int] = {}
        self._tried: set[tuple[object, ...]] = set()

    def is_wanted(self, key: str) -> bool:
        """Say whether a call of this unsuccessful endpoint is worth a closer look."""
        return self._remaining.get(key, GUIDED_AT_FIRST) > 0

    def is_news(self, exchange: Exchange) -> bool:
        """Say whether the endpoint gave a new response; numbers and tokens do not count."""
        key = exchange.request.endpoint
        known = self._answers.setdefault(key, set())
        text = "" if exchange.response is None else exchange.response.text[:LONGEST_PAGE]
        plain = shape(text)[:LONGEST_ANSWER]
        answer = (exchange.status, values_read(exchange), plain)
        if answer in known or len(known) >= MOST_ANSWERS:
            return False
        known.add(answer)
        return True

    def trials(self, individual: Individual, observation: Observation) -> list[GuidedTrial]:
        """Return the trials that follow from a call with a new response."""
        key = individual.calls[-1].endpoint
        self._remaining[key] = max(self._remaining.get(key, GUIDED_AT_FIRST), GUIDED_AFTER_NEWS)
        found = []
        for hint in self._hints(individual, observation):
            place = (hint.endpoint, hint.key, hint.value_path)
            trial = GuidedTrial(individual, hint, (*place, repr(hint.value), observation.reach))
            if trial.mark not in self._tried:
                found.append(trial)
        return found

    def begin(self, trial: GuidedTrial) -> bool:
        """Note that a trial is made; say whether it is the first of its kind."""
        is_first = trial.mark not in self._tried
        self._tried.add(trial.mark)
        return is_first

    def count(self, key: str) -> None:
        """Count one guided call of an endpoint."""
        self._remaining[key] = self._remaining.get(key, GUIDED_AT_FIRST) - 1

    def _hints(self, individual: Individual, observation: Observation) -> Iterator[Hint]:
        last = len(individual.calls) - 1
        sent = sent_values(individual, observation.exchanges)
        linked = [each for each in sent if isinstance(each.gene.value(), Link)]
        blamed = (each for each in reversed(observation.guidance) if each.relation not in INDIRECT)
        for comparison in islice(blamed, BLAMED_COMPARISONS):
            hints = self._hints_of(comparison, individual, observation.exchanges)
            fitting = (hint for hint in hints if hint.call == last and not _follows(hint, linked))
            yield from islice(fitting, HINTS_PER_BLAMED)
        yield from self._values_for_culprit(individual, observation.exchanges)

    def _hints_of(
        self, comparison: Comparison, individual: Individual, exchanges: Sequence[Exchange]
    ) -> list[Hint]:
        evidence = Evidence(individual, exchanges, 0.0, [comparison])
        return work_out(comparison.target, evidence)

    def _values_for_culprit(
        self, individual: Individual, exchanges: Sequence[Exchange]
    ) -> Iterator[Hint]:
        """Yield other values for the input read last: it is the likeliest reason to refuse."""
        exchange = exchanges[-1]
        for read in reversed(exchange.reads):
            if read.path and read.location in READABLE:
                key, value_path = place_of(read)
                break
        else:
            return
        location = key[0]
        if location not in (Location.JSON, *_NAMED):
            return
        name = innermost_name(value_path) or key[1]
        sent = value_on_wire(exchange, *key, value_path)
        common = _JSON_VALUES if location is Location.JSON else _TEXT_VALUES
        if location in (Location.HEADER, Location.COOKIE, Location.ENVIRON):
            common = ()
        earlier = texts_sent(individual, exchanges)[:EARLIER_VALUES]
        named = examples_in(exchange) if common else ()
        for value in (*self._pool.known(name)[:KNOWN_VALUES], *named, *earlier, *common):
            if value != sent or type(value) is not type(sent):
                yield Hint(
                    "",
                    len(individual.calls) - 1,
                    exchange.request.endpoint,
                    key,
                    (),
                    value_path,
                    value,
                )


def _follows(hint: Hint, linked: Sequence[Sent]) -> bool:
    """Say whether a hint would cut a link, or copy the value of a link, which changes each time."""
    return any(
        (each.call, each.key, each.gene_path) == (hint.call, hint.key, hint.gene_path)
        or (isinstance(each.value, str) and each.value in str(hint.value))
        for each in linked
    )


def values_read(exchange: Exchange) -> int:
    """Return how many different values the handler has read."""
    return len({(read.location, read.path) for read in exchange.reads})


def depth_of(observation: Observation) -> tuple[int, int]:
    """Return how far the handler of the last call got: by its code, else by its reads."""
    return observation.reach, values_read(observation.exchanges[-1])


def examples_in(exchange: Exchange) -> list[str]:
    """Return words of a refusal that may be values: "a day is like 2024-05-06", "a, b or c"."""
    response = exchange.response
    if response is None or response.status < FIRST_REFUSAL or len(response.body) > LONGEST_REFUSAL:
        return []
    words = [word.strip(".:") for word in _WORD.findall(response.text)]
    words = list(dict.fromkeys(word for word in words if len(word) > 1))
    examples = [word for word in words if _DIGIT.search(word)]
    return [*examples[:MOST_EXAMPLES], *words[-LAST_WORDS:]]


def texts_sent(individual: Individual, exchanges: Sequence[Exchange]) -> list[object]:
    """Return the texts that earlier calls sent, those of the latest call first."""
    last = len(individual.calls) - 1
    sent = sent_values(individual, exchanges)
    texts = [
        each.value
        for each in sent
        if each.call < last
        and isinstance(each.value, str)
        and not isinstance(each.gene.value(), Link)
    ]
    return list(dict.fromkeys(texts))
