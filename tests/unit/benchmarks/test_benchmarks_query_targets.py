from __future__ import annotations

from benchmarks.query_targets import row


def test_row_tells_medians_and_how_likely_queries_are_better():
    line = row("accounts", [13, 15, 15], [17, 17, 15])
    assert line == "accounts: 15 -> 17 branches, A12 0.89"
