from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field

import pytest

from pytest_evosearch.sut.watching.statement_checks import statement_check


@dataclass
class Seen:
    in_use: bool = True
    pairs: list[tuple[object, str]] = field(default_factory=list)
    statements: set[str] = field(default_factory=set)

    def weigh_with_column(self, observed: object, column: str, statement: str) -> None:
        self.pairs.append((observed, column))
        self.statements.add(statement)


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("SELECT a FROM t WHERE code = 'acorn'", [("acorn", "code")]),
        ("SELECT a FROM t WHERE t.\"code\"='it''s' AND n = 3", [("it's", "code")]),
        ("UPDATE t SET code = 'acorn'", []),
    ],
)
def test_texts_that_a_statement_looks_for_are_told_with_their_columns(statement, expected):
    seen = Seen()
    statement_check(seen)(statement)
    assert seen.pairs == expected
    assert seen.statements == ({statement} if expected else set())


def test_no_statement_is_read_while_nobody_asks():
    seen = Seen(in_use=False)
    statement_check(seen)("SELECT a FROM t WHERE code = 'acorn'")
    assert seen.pairs == []
