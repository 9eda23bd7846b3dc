"""One application has its branches and planted faults found on each of three databases."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from benchmarks.three_databases import FAULTS
from benchmarks.three_databases import Task
from benchmarks.three_databases import addresses
from benchmarks.three_databases import searched

pytest.importorskip("sqlglot")
pytest.importorskip("sqlalchemy", minversion="2")

BRANCHES = 48
"""Of those that a search of this length covers on SQLite, less 2 %."""


@pytest.fixture(scope="module")
def known() -> Iterator[dict[str, str]]:
    with addresses() as found:
        yield found


@pytest.mark.slow("a search of hundreds of evaluations for each case")
@pytest.mark.parametrize("name", ["SQLite", "PostgreSQL", "MariaDB"])
def test_branches_and_faults_are_found_on_every_database(name, known):
    if name not in known:
        pytest.skip(f"{name} is not installed")
    result = searched(Task(known[name], seed=1))
    assert result.faults == set(FAULTS)
    assert len(result.branches) >= BRANCHES
