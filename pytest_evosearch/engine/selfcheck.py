"""Checks that the application's state came back: equal requests before and after a search.

    remember        each page without parameters is requested, as each user and anonymously
    disagreements   these requests again; a page that was stable before must be unchanged

What depends on the clock or on random numbers is left out, because it differs in any case.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import field
from itertools import islice

from pytest_evosearch.core.clock import Clock
from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.execution.repetitions import OTHER_SEEDS
from pytest_evosearch.execution.repetitions import other_randomness
from pytest_evosearch.execution.repetitions import shifted_clock
from pytest_evosearch.execution.repetitions import unchanged
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual

PAGES = 20
"""Endpoints that are requested, at most, so that the check takes little of the budget."""

ASKERS = 3
"""Callers, at most, with the anonymous one: state that stays is visible to the first or to none."""

MOST_HANGING = 2
"""Pages that may hang: each takes as much of the budget as thousands of others."""

LOOKS = 6
"""About how often each page is requested before the search."""

FIRST_PAGES = 2
"""Pages whose time tells how long the other pages will take."""

SHOWN = 3
"""Disagreements that are shown, at most."""

Repeat = Callable[[Individual, Callable[[], AbstractContextManager[None]]], Sequence[Exchange]]
"""The signature of `HttpExecutor.repeat`: execute from the restored state under a condition."""

Answer = tuple[str, int, bytes]
"""Endpoint, status (0 for an exception) and body."""


def reference_individuals(
    endpoints: Sequence[Endpoint], users: Iterable[str | None]
) -> list[Individual]:
    """Return for each of the first users one test that requests all pages without parameters."""
    pages = [page for page in endpoints if page.method == "GET" and not page.placeholders][:PAGES]
    if not pages:
        return []
    return [
        Individual(tuple(Call(page.key, (), label, user) for label, page in enumerate(pages)))
        for user in islice(users, ASKERS)
    ]


def answers_of(exchanges: Sequence[Exchange]) -> list[Answer]:
    """Return the comparable part of `exchanges`."""
    return [
        (
            exchange.request.endpoint,
            exchange.response.status if exchange.response is not None else 0,
            exchange.response.body if exchange.response is not None else b"",
        )
        for exchange in exchanges
    ]


def stable_answers(observed: Sequence[Sequence[Answer]]) -> dict[int, Answer]:
    """Return the responses that are equal in all observations, by position."""
    first = observed[0]
    return {
        index: answer
        for index, answer in enumerate(first)
        if all(index < len(other) and other[index] == answer for other in observed[1:])
    }


def changed_answers(before: Mapping[int, Answer], after: Sequence[Answer]) -> list[str]:
    """Return a phrase for each response that has changed."""
    found = []
    for index, (endpoint, status, body) in before.items():
        _endpoint, status_now, body_now = after[index] if index < len(after) else ("", 0, b"")
        if status_now != status:
            found.append(f"{endpoint} answers {status_now}, not {status}")
        elif body_now != body:
            found.append(f"{endpoint} answers another text")
    return found


@dataclass
class SelfCheck:
    """Requests pages before the search and after it."""

    repeat: Repeat
    individuals: list[Individual]
    patience: float = math.inf
    """Seconds that the pages of all callers may take before the search.

    Where pages are slow, some are left out.
    """
    clock: Clock = monotonic
    hanging: list[str] = field(default_factory=list)
    """Endpoints whose page did not come in time."""
    _before: list[dict[int, Answer]] = field(default_factory=list)

    def remember(self) -> None:
        """Record the responses before the search; a second call replaces the first record."""
        self._before.clear()
        conditions = (unchanged, shifted_clock, other_randomness(OTHER_SEEDS[0]))
        asked, self.individuals = self.individuals, []
        each = self.patience / max(1, len(asked) * LOOKS)
        for individual in asked:
            prompt, first = self._prompt_within(each, individual)
            if first:
                others = [answers_of(self.repeat(prompt, each)) for each in conditions]
                self.individuals.append(prompt)
                self._before.append(stable_answers([answers_of(first), *others]))

    def _prompt_within(
        self, seconds: float, individual: Individual
    ) -> tuple[Individual, Sequence[Exchange]]:
        """Request as many pages as fit into `seconds`, as far as the first ones show."""
        if math.isfinite(seconds):
            beginning = Individual(individual.calls[:FIRST_PAGES])
            started = self.clock()
            self._prompt(beginning)
            each = (self.clock() - started) / max(1, len(beginning))
            most = max(FIRST_PAGES, int(seconds / max(each, 1e-6)))
            individual = Individual(individual.calls[:most])
        return self._prompt(individual)

    def _prompt(self, individual: Individual) -> tuple[Individual, Sequence[Exchange]]:
        """Leave out calls that do not end in time, because every check would take as long.

        A test ends with such a call.  After a few such calls, the rest of the test is left out,
        too.
        """
        calls = [call for call in individual.calls if call.endpoint not in self.hanging]
        while True:
            exchanges = self.repeat(Individual(tuple(calls)), unchanged) if calls else ()
            frozen = next((at for at, one in enumerate(exchanges) if one.frozen), None)
            if frozen is None:
                return Individual(tuple(calls)), exchanges
            self.hanging.append(calls[frozen].endpoint)
            enough = len(self.hanging) >= MOST_HANGING
            calls = calls[:frozen] if enough else [*calls[:frozen], *calls[frozen + 1 :]]

    def remembered(self) -> Iterable[tuple[Individual, Mapping[int, Answer]]]:
        """Return the requests, with the stable responses by position."""
        return zip(self.individuals, self._before, strict=False)

    def notices(self, hindrance: str = "") -> list[str]:
        """Request the pages again, and return notices about differences.

        `hindrance` says why forked processes cannot help.
        """
        found: dict[str, None] = {}
        for individual, before in self.remembered():
            now = answers_of(self.repeat(individual, unchanged))
            found.update(dict.fromkeys(changed_answers(before, now)))
        if not found:
            return []
        named = "; ".join(list(found)[:SHOWN])
        more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        cure = "give a fixture evosearch_reset that brings it back"
        aside = f" (no forked processes: {hindrance})" if hindrance else ""
        return [f"the application's state did not come back ({named}{more}): {cure}{aside}"]
