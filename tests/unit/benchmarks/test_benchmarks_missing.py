from __future__ import annotations

import json

from benchmarks import missing


def result(seed, *rows, tool="mio", application="shop"):
    keys = ("target", "kind", "reason")
    uncovered = [dict(zip(keys, row, strict=True)) for row in rows]
    return {
        "application": application,
        "tool": tool,
        "budget": "60s",
        "seed": seed,
        "report": {"report.json": {"uncovered": uncovered}},
    }


FULL = ("branch shop/carts.py:7 true", "condition", "`if full` was never true")
EMPTY = ("branch shop/carts.py:9#1 false", "condition", "`if empty` was never false")
MAIL = ("branch shop/mail.py:3 true", "external-call", "depends on another system")
LINE = ("line shop/carts.py:8", "behind", "behind `if full`")


def test_what_every_run_misses_is_counted():
    found = missing.misses_of([result(1, FULL, EMPTY, MAIL, LINE), result(2, MAIL, FULL, LINE)])

    assert [(miss.place, miss.kind) for miss in found] == [
        ("shop/carts.py:7", "condition"),
        ("shop/mail.py:3", "external-call"),
    ]


def test_tables_begin_with_the_largest_class(tmp_path, capsys):
    runs = [
        result(1, MAIL, FULL, EMPTY),
        result(1, FULL, tool="random"),
        result(1, application="ncs"),
    ]
    for number, run in enumerate(runs):
        (tmp_path / f"{number}.json").write_text(json.dumps(run))

    missing.main(["--results", str(tmp_path)])

    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "| application | missed | condition | external-call |"
    assert lines[2:5] == ["| shop | 3 | 2 | 1 |", "| ncs | 0 | 0 | 0 |", "| all | 3 | 2 | 1 |"]
    assert "- **condition** (2)" in lines
    assert "  - `shop/carts.py:9` `if empty` was never false" in lines
