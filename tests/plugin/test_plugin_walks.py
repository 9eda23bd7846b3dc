"""A shop whose order is reached page by page: what a walk leaves is written and passes."""

from __future__ import annotations

from pathlib import Path

import pytest

SHOP = Path(__file__).parents[1] / "quality" / "pages" / "shop.py"


@pytest.mark.slow("a search of pages, and interpreters for what it writes")
def test_what_walks_find_is_written_as_tests_that_pass(orders) -> None:
    orders.write(orders=SHOP.read_text())
    result = orders.search_with("", budget="600x")
    assert result.ret == 0
    written = orders.written
    assert 'client.post("/address", data={"street":' in written
    assert 'client.post("/order")' in written
    assert "Thank you" in written
    assert orders.passes_without_plugin()


def test_the_plan_tells_of_walks_only_where_there_are_pages(orders) -> None:
    result = orders.search_with("", "--evosearch-plan")
    assert "over pages" not in result.stdout.str()
    orders.write(orders=SHOP.read_text())
    result = orders.search_with("", "--evosearch-plan")
    result.stdout.fnmatch_lines(["*walks *over pages, 20% of the requests"])
