"""Other values for the input that a refused call read last: the likeliest reason to refuse it.

These are values known by its name, words of the refusal itself ("a day is like 2024-05-06"), texts
of earlier calls of the test, and common values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Sequence

from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.json_places import innermost_name
from pytest_evosearch.problem.http.exchanges.links import Link
from pytest_evosearch.problem.http.filling.hints import Hint
from pytest_evosearch.problem.http.filling.pool import ValuePool
from pytest_evosearch.problem.http.filling.sent_values import READABLE
from pytest_evosearch.problem.http.filling.sent_values import place_of
from pytest_evosearch.problem.http.filling.sent_values import sent_values
from pytest_evosearch.problem.http.filling.sent_values import value_on_wire

KNOWN_VALUES = 4
EARLIER_VALUES = 6
"""Texts of earlier calls of the test: a password may be asked for again."""

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

_NAMED = (
    Location.FORM,
    Location.QUERY,
    Location.HEADER,
    Location.COOKIE,
    Location.ENVIRON,
)


def likely_values(
    pool: ValuePool, individual: Individual, exchanges: Sequence[Exchange]
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
    for value in (*pool.known(name)[:KNOWN_VALUES], *named, *earlier, *common):
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
