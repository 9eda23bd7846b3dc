"""Tables in Markdown and plots of what the jobs measured."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from typing import TypeAlias

from benchmarks import plots
from benchmarks.statistics import mann_whitney
from benchmarks.statistics import spread
from benchmarks.statistics import vargha_delaney

Result: TypeAlias = Mapping[str, Any]
Metric: TypeAlias = Callable[[Result], float]

NOTE = """\
Each number is a median over seeds, quartiles in brackets. Lines and branches are what
coverage.py sees when the written suite runs, in percent; what importing and creating the
application covers is taken off both sides, except in the column *all lines*. Faults are the
tests that show one. A suite is run again five times: plain (twice), in random order (twice),
in two processes; the last column gives how many of all re-runs passed with the same outcomes.
"""


def percent(kind: str, suffix: str = "") -> Metric:
    """Return a metric: the covered share of lines or branches, in percent."""

    def share(result: Result) -> float:
        total = result["suite"][f"total{suffix}"][kind]
        covered = result["suite"][f"covered{suffix}"][kind]
        return 100 * covered / total if total else 100.0

    return share


def outcomes(*kinds: str) -> Metric:
    """Return a metric: how many tests of the written suite have one of these outcomes."""
    return lambda result: float(sum(result["reruns"]["outcomes"].get(kind, 0) for kind in kinds))


COLUMNS: Mapping[str, Metric] = {
    "lines": percent("lines"),
    "branches": percent("branches"),
    "all lines": percent("lines", "_with_creation"),
    "tests": outcomes("passed", "xfailed"),
    "faults": outcomes("xfailed"),
}
COMPARED: Mapping[str, Metric] = {
    "lines": percent("lines"),
    "branches": percent("branches"),
    "faults": outcomes("xfailed"),
}


def group(results: Iterable[Result], *names: str) -> dict[tuple[str, ...], list[Result]]:
    """Group results by some of their names, in order of appearance."""
    groups: dict[tuple[str, ...], list[Result]] = {}
    for result in results:
        groups.setdefault(tuple(result[name] for name in names), []).append(result)
    return groups


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a Markdown table whose first two columns are names."""
    rule = ["---", "---", *("--:" for _ in header[2:])]
    lines = [header, rule, *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def write_spread(values: Sequence[float]) -> str:
    """Write a median, with its quartiles where they differ."""
    middle = spread(values)
    if middle.lower == middle.upper:
        return f"{middle.median:.1f}"
    return f"{middle.median:.1f} [{middle.lower:.1f}, {middle.upper:.1f}]"


def coverage_table(results: Sequence[Result]) -> str:
    """Write what every tool reached on every application."""
    rows = []
    for (application, tool), runs in group(results, "application", "tool").items():
        passed = sum(run["reruns"]["passed"] for run in runs)
        tried = sum(run["reruns"]["of"] for run in runs)
        cells = [write_spread([metric(run) for run in runs]) for metric in COLUMNS.values()]
        rows.append([application, tool, str(len(runs)), *cells, f"{passed}/{tried}"])
    return table(["application", "tool", "runs", *COLUMNS, "re-runs"], rows)


def comparison_table(results: Sequence[Result]) -> str:
    """Compare the first tool with each other one: Mann-Whitney p and Vargha-Delaney A12."""
    rows = []
    for (application,), runs in group(results, "application").items():
        by_tool = list(group(runs, "tool").items())
        (_, first), others = by_tool[0], by_tool[1:]
        rows += [
            [application, f"{first[0]['tool']} against {name}", *compare(first, second)]
            for (name,), second in others
        ]
    header = [f"{metric} {value}" for metric in COMPARED for value in ("p", "A12")]
    return table(["application", "tools", *header], rows) if rows else ""


def compare(first: Sequence[Result], second: Sequence[Result]) -> list[str]:
    """Compare two tools by every metric."""
    cells = []
    for metric in COMPARED.values():
        ours, theirs = [metric(run) for run in first], [metric(run) for run in second]
        cells += [f"{mann_whitney(ours, theirs):.3f}", f"{vargha_delaney(ours, theirs):.2f}"]
    return cells


def write(results: Sequence[Result], folder: Path, command: str) -> list[Path]:
    """Write one page of tables, and one plot per metric and budget; return the files."""
    if not results:
        return []
    folder.mkdir(parents=True, exist_ok=True)
    files, sections = [], []
    for (budget,), runs in group(results, "budget").items():
        links = []
        for name in ("lines", "branches"):
            path = folder / f"{name}-{budget}.svg"
            title = f"Covered {name} after {budget}, in percent"
            path.write_text(plots.strips(title, collect(runs, COLUMNS[name])), encoding="utf-8")
            files.append(path)
            links.append(f"![{title}]({path.name})\n")
        sections.append(
            "\n".join((f"## {budget}\n", coverage_table(runs), comparison_table(runs), *links))
        )
    revisions = ", ".join(sorted({str(result["revision"]) for result in results}))
    page = folder / "README.md"
    introduction = f"# Results\n\n{NOTE}\nRevision {revisions}. To reproduce:\n\n    {command}\n"
    page.write_text("\n".join((introduction, *sections)), encoding="utf-8")
    return [page, *files]


def collect(results: Sequence[Result], metric: Metric) -> dict[str, dict[str, list[float]]]:
    """Collect a metric's values by application and tool."""
    values: dict[str, dict[str, list[float]]] = {}
    for result in results:
        tools = values.setdefault(result["application"], {})
        tools.setdefault(result["tool"], []).append(metric(result))
    return values
