"""A search that sees how far rows are from what statements look for covers more."""

from __future__ import annotations

import pytest

from benchmarks.query_targets import FOLDER
from benchmarks.query_targets import Task
from benchmarks.query_targets import modules
from benchmarks.query_targets import searched

pytest.importorskip("sqlglot")


@pytest.mark.slow("a search of hundreds of evaluations for each case")
@pytest.mark.parametrize("module", ["accounts", "catalogue"])
def test_queries_as_targets_lead_to_more_branches(module):
    without, including = searched([Task(module, 1, queries, 350) for queries in ("off", "on")])
    assert including > without


def test_there_are_eight_applications():
    assert len(modules()) == 8
    assert all((FOLDER / f"{module}.py").is_file() for module in modules())
