from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_evosearch.write.modules.ledger import LEDGER
from pytest_evosearch.write.modules.ledger import Ledger
from pytest_evosearch.write.modules.ledger import digest
from pytest_evosearch.write.modules.ledger import parse_existing

if TYPE_CHECKING:
    from conftest import Project

GENERATED = '''"""Tests."""


def test_get_index_returns_200(client):
    response = client.get("/")

    assert response.status_code == 200
    assert response.text == "somebody"
'''


def generate(shop: Project) -> None:
    shop.write(evosearch__test_evosearch_app=GENERATED)
    tests = parse_existing(GENERATED).tests
    known = {f"test_evosearch_app.py::{name}": digest(text) for name, text in tests.items()}
    (shop.path / "evosearch" / LEDGER).write_text(Ledger(known).dump())


def module(shop: Project) -> str:
    return (shop.path / "evosearch" / "test_evosearch_app.py").read_text()


def test_assertions_get_the_values_of_today(shop: Project) -> None:
    generate(shop)

    result = shop.run("--evosearch-update")

    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            "--- a/evosearch/test_evosearch_app.py",
            '-    assert response.text == "somebody"',
            '+    assert response.text == "nobody"',
            "evosearch: evosearch/: 1 refreshed",
        ]
    )
    assert module(shop) == GENERATED.replace("somebody", "nobody")


@pytest.mark.slow("whole commands run")
def test_plan_shows_the_diff_alone(shop: Project) -> None:
    generate(shop)

    result = shop.run("--evosearch-update", "--evosearch-plan")

    result.stdout.fnmatch_lines(["evosearch: evosearch/: 1 to be refreshed"])
    assert module(shop) == GENERATED


def test_nothing_generated_is_exit_code_5(shop: Project) -> None:
    result = shop.run("--evosearch-update")

    assert result.ret == 5
    result.stdout.fnmatch_lines(["evosearch: no generated tests to update were collected*"])


def test_update_and_search_exclude_each_other(shop: Project) -> None:
    result = shop.run("--evosearch-update", "--evosearch=5x")

    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: evosearch: --evosearch-update refreshes existing tests*"])
