"""Imports of modules that no statement can name."""

from __future__ import annotations

import ast

import pytest

from pytest_evosearch.sut.import_statements import importable
from pytest_evosearch.sut.import_statements import is_spelled


@pytest.mark.parametrize(
    ("module", "expected"), [("shop.models", True), ("my-shop.models", False), ("class", False)]
)
def test_a_module_is_spelled_when_a_statement_can_name_it(module: str, expected: bool) -> None:
    assert is_spelled(module) is expected


def test_code_that_python_accepts_stays_the_same() -> None:
    code = "import os\nfrom shop import app  # noqa: F401\n\n\ndef test(client):\n    app.run()\n"

    assert importable(code) == code


def test_names_of_an_unspelled_module_are_fetched_behind_the_other_imports() -> None:
    code = (
        "from my-shop.models import Book, db as held  # noqa: E402\nfrom flask import Flask\n\n"
        "run()\n"
    )

    assert importable(code) == (
        "from importlib import import_module\n\nfrom flask import Flask\n\n"
        'Book = import_module("my-shop.models").Book\n'
        'held = import_module("my-shop.models").db\n\nrun()\n'
    )


def test_a_function_imports_for_itself_unless_its_module_does() -> None:
    function = "\n\ndef client():\n    from my-shop import app\n\n    return app\n"
    alone = importable(f"import os\n{function}")
    beside = importable(f"from my-shop import db\n{function}")

    assert alone.count("from importlib import import_module") == 1
    assert beside.count("from importlib import import_module") == 1
    assert "    from importlib" in alone
    assert "    from importlib" not in beside
    ast.parse(alone)
    ast.parse(beside)
