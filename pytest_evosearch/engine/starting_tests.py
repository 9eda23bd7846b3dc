"""The first tests of a search: tests that are known to be useful.

    written earlier     by runs with another seed, budget or algorithm
    the project's own

Both have been recorded while they ran (`bridge.recorded_tests`).  A run that is repeated starts as
it did the first time, without the tests that it wrote itself.  So it finds the same again.  Any
other run builds on these tests, and need not find again what they cover.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_evosearch.engine.preparing.ready_search import Prepared
from pytest_evosearch.engine.preparing.recorded_examples import examples_from
from pytest_evosearch.problem.http.exchanges.individual import Individual


def examples(ready: Prepared) -> Iterator[Individual]:
    """Yield the requests of earlier written tests and of the project's own, each sequence once."""
    return ready.problem.individuals_from(examples_from(ready.handle.tests.recorded))
