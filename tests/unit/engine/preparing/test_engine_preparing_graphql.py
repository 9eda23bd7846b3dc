from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hosts import OneApplication

from pytest_evosearch.engine.preparing.graphql import graphql_operations

SHELF = Path(__file__).parents[3] / "apps" / "shelf_graphql.py"


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("asked_shelf", SHELF)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module


def test_asking_for_a_schema_leaves_nothing_behind(shelf: ModuleType) -> None:
    """What a request leaves would be there in the search, and not in the written tests."""

    @shelf.app.before_request
    def count() -> None:
        shelf.BOOKS["counted"] = {}

    handle = OneApplication(shelf.app).load_app()
    operations, places = graphql_operations(handle, None, (), [shelf])

    assert len(operations) == 5
    assert places == ["GraphQL at /graphql (5 operations)"]
    assert shelf.BOOKS == {}
