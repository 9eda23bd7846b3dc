"""What docs/benchmarks/README.md says is what the lines in git say."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path
from statistics import median

import pytest

DOCS = Path(__file__).parents[3] / "docs" / "benchmarks"
ROWS = re.compile(r"^\| (\w+) \| (.+) \|$", re.MULTILINE)


def measured(folder):
    """The branches, faults and seconds of each application and tool, by seed."""
    found = defaultdict(list)
    for line in (DOCS / folder / "results.jsonl").read_text(encoding="utf-8").splitlines():
        run = json.loads(line)
        suite = run["suite"]
        values = (suite["covered"]["branches"], len(suite["faults"]), round(run["seconds"]))
        found[run["application"], run["tool"]].append(values)
    return {
        key: [span(values) for values in zip(*runs, strict=True)] for key, runs in found.items()
    }


def span(values):
    """``500 [458, 562]``: the median, the least and the most; one number where all are the same."""
    low, high = min(values), max(values)
    return f"{low}" if low == high else f"{median(values):g} [{low}, {high}]"


def published(heading):
    """The cells of the table below a heading, by application."""
    text = (DOCS / "README.md").read_text(encoding="utf-8").partition(heading)[2]
    table = text.partition("\n\n- **")[0].partition("\n\n**")[0]
    rows = {name: cells.split(" | ") for name, cells in ROWS.findall(table)}
    return {name: cells for name, cells in rows.items() if name != "application"}


def test_sixty_seconds():
    rows, runs = published("## Against Schemathesis"), measured("schemathesis")

    assert len(rows) == 12
    for name, cells in rows.items():
        assert cells[:5] == [*runs[name, "mio"], *runs[name, "schemathesis"][:2]], name


def test_three_hundred_seconds():
    rows, runs = published("### 300 seconds"), measured("300s-schemathesis")

    assert len(rows) == 12
    for name, cells in rows.items():
        assert cells[5:7] == runs[name, "schemathesis"][:2], name
    assert rows["flexget"][1:4] == runs["flexget", "mio"]


@pytest.mark.parametrize("folder", ["schemathesis", "300s-schemathesis"])
def test_five_seeds_of_each_application(folder):
    lines = (DOCS / folder / "results.jsonl").read_text(encoding="utf-8").splitlines()
    seeds = defaultdict(set)
    for run in map(json.loads, lines):
        seeds[run["application"], run["tool"]].add(run["seed"])

    rivals = [found for (_name, tool), found in seeds.items() if tool == "schemathesis"]
    assert rivals == [{1, 2, 3, 4, 5}] * 12
