from __future__ import annotations

import pytest

from pytest_evosearch.search.algorithms import ALGORITHMS
from pytest_evosearch.search.conformance import run_conformance


@pytest.mark.parametrize("name", ALGORITHMS.names)
def test_every_algorithm_conforms(name: str) -> None:
    factory = ALGORITHMS.get(name)
    run_conformance(lambda context: factory(context))
