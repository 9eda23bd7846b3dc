"""What no search covers, and why: ``python -m benchmarks.missing --results FOLDER``.

Prints tables in Markdown of the branches that no run of an application covered, by the reason that
the tool gives for each, with the code where most of them are.  It runs nothing: it reads the raw
results of `benchmarks.run`.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.run import RAW
from benchmarks.summary import Result
from benchmarks.summary import group
from benchmarks.summary import report_of
from benchmarks.summary import table

TOOL = "mio"
BRANCH = "branch "

EXAMPLES = 3
"""Of each reason, at each application."""


@dataclass(frozen=True)
class Miss:
    """A branch that no run of an application covered."""

    target: str
    kind: str
    """Why, as a class."""
    reason: str
    """Why, as a clause."""

    @property
    def place(self) -> str:
        """Return ``shop/orders.py:12``, without the side."""
        return self.target.removeprefix(BRANCH).split(" ")[0].partition("#")[0]


def misses_of(runs: Sequence[Result]) -> list[Miss]:
    """Return the branches that none of `runs` covered, with the first run's reasons."""
    uncovered = []
    for run in runs:
        report = report_of(run)
        rows = report["uncovered"] if report is not None else []
        uncovered.append({row["target"]: row for row in rows if row["target"].startswith(BRANCH)})
    if not uncovered:
        return []
    common = set.intersection(*(set(rows) for rows in uncovered))
    return [
        Miss(target, row["kind"], row["reason"])
        for target, row in uncovered[0].items()
        if target in common
    ]


def counted(misses: Mapping[str, Sequence[Miss]]) -> str:
    """Write how many branches are missed, by application and class of reason."""
    classes = Counter(miss.kind for found in misses.values() for miss in found)
    kinds = [kind for kind, _number in classes.most_common()]
    rows = []
    for application, found in misses.items():
        numbers = Counter(miss.kind for miss in found)
        rows.append([application, str(len(found)), *(str(numbers[kind]) for kind in kinds)])
    rows.append(["all", str(classes.total()), *(str(classes[kind]) for kind in kinds)])
    return table(["application", "missed", *kinds], rows)


def examples(found: Iterable[Miss]) -> str:
    """Write the reasons that hold for most branches of an application, by class."""
    by_kind: dict[str, Counter[tuple[str, str]]] = {}
    for miss in found:
        by_kind.setdefault(miss.kind, Counter())[miss.reason, miss.place] += 1
    lines = []
    for kind, reasons in sorted(by_kind.items(), key=lambda each: -each[1].total()):
        lines.append(f"- **{kind}** ({reasons.total()})\n")
        lines += [
            f"  - `{place}` {reason}" + (f" ({number})" if number > 1 else "") + "\n"
            for (reason, place), number in reasons.most_common(EXAMPLES)
        ]
    return "".join(lines)


def read_results(folder: Path, budget: str) -> list[Result]:
    """Read the results of MIO with `budget`."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.json"))]
    results = [json.loads(text) for text in texts]
    return [one for one in results if (one["tool"], one["budget"]) == (TOOL, budget)]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.missing", description=__doc__)
    parser.add_argument("--results", type=Path, default=RAW, help="Folder of the raw results")
    parser.add_argument("--budget", default="60s")
    options = parser.parse_args(arguments)
    runs = group(read_results(options.results, options.budget), "application")
    misses = {application: misses_of(found) for (application,), found in runs.items()}
    print(counted(misses))
    for application, found in misses.items():
        print(f"## {application}\n\n{examples(found)}")


if __name__ == "__main__":
    main()
