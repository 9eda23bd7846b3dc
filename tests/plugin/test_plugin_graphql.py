"""An application that answers GraphQL is searched operation by operation, without configuration."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")

APPLICATION = Path(__file__).parents[1] / "apps" / "shelf_graphql.py"


def test_operations_are_asked_for_and_failing_resolvers_are_reported(project) -> None:
    project.plugins = ["-p", "pytest_evosearch.plugin", "-p", "no:randomly"]
    project.write(shelf=APPLICATION.read_text(encoding="utf-8"))
    project.pytester.syspathinsert()
    result = project.run(
        "--evosearch=90x",
        "--evosearch-seed=1",
        "--evosearch-app=shelf:app",
        "--evosearch-oracles=server-error",
        once=True,
    )
    assert result.ret == 0, result.stdout.str()
    result.stdout.fnmatch_lines(
        [
            "*schema*GraphQL at /graphql (5 operations)*",
            "*6 of 6 endpoints reached*",
            "*ZeroDivisionError: division by zero*",
            "*POST /graphql#query.averagePrice*",
        ]
    )
    text = "\n".join(
        path.read_text() for path in sorted((project.path / "evosearch").glob("test_*.py"))
    )
    assert 'client.post(\n        "/graphql",' in text
    assert "#" not in "".join(line for line in text.splitlines() if "client." in line)
    assert "def test_add_book_title_is_too_short_returns_errors(client):" in text
    assert '.json["errors"][0]["message"] == "the title is too short"' in text
    assert 'json={"query": "{ averagePrice }"}' in text
    assert "def test_query_average_price_does_not_raise_zero_division_error(client):" in text
    assert 'assert "division by zero" not in response.text' in text
    assert '.json["data"]["addBook"]["book"]["id"]' in text
    assert "LookupError" not in text  # raised for callers
