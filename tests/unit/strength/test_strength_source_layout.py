"""Functions and statements of a source text."""

from __future__ import annotations

import pytest

from pytest_evosearch.strength.source_layout import layout_of

SOURCE = """\
def make(config):
    app = {
        "debug": True,
    }

    @app.route("/")
    def index():
        return "hello"

    class Form:
        size = 3

        def check(self):
            return self.size

    if config:
        with app:
            try:
                return (
                    app
                )
            except ValueError:
                return 1
    match config:
        case 2: return 2
    return app
"""


@pytest.mark.parametrize(
    ("line", "function"),
    [
        (1, None),
        (2, "make"),
        (7, "make"),
        (8, "make.index"),
        (11, "make"),
        (14, "make.Form.check"),
        (19, "make"),
        (23, "make"),
        (25, "make"),
    ],
)
def test_a_line_belongs_to_the_innermost_function(line: int, function: str | None) -> None:
    found = layout_of(SOURCE).function_at(line)

    assert (found.name if found is not None else None) == function


@pytest.mark.parametrize(
    ("line", "statement"),
    [
        (3, range(2, 5)),
        (16, range(16, 17)),
        (20, range(19, 22)),
        (6, range(6, 8)),
        (26, range(26, 27)),
    ],
)
def test_a_line_belongs_to_a_statement(line: int, statement: range) -> None:
    assert layout_of(SOURCE).statement_at(line) == statement
