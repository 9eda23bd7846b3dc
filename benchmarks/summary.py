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
from benchmarks.execute import budget_in_seconds
from benchmarks.statistics import area_under_curve
from benchmarks.statistics import mann_whitney
from benchmarks.statistics import spread
from benchmarks.statistics import vargha_delaney

Result: TypeAlias = Mapping[str, Any]
Metric: TypeAlias = Callable[[Result], "float | None"]
"""None where a tool has no such thing: one that writes no tests, or says nothing of targets."""

NOTE = """\
Each number is a median over seeds, quartiles in brackets. Targets are what the search covered
(statements, branches, statuses, faults), area is their mean number over the time of the budget.
Lines and branches are what coverage.py sees when the written suite runs, in percent; what
importing and creating the application covers is taken off both sides, except in the column
*all lines*. Faults are distinct pairs of an exception that the application does not handle and
the innermost line of the application. For tools that write no tests the requests that they made
are sent again under coverage.py. A suite is run again five times: plain (twice),
in random order (twice), in two processes; the last column gives how many of all
re-runs passed with the same outcomes. Peak memory is that of the process that searches, or tests;
the first test is there when the first module is written; *in all* is the whole command, with what
is done before the search and after it.
"""


def percent(kind: str, suffix: str = "") -> Metric:
    """Return a metric: the covered share of lines or branches, in percent."""

    def share(result: Result) -> float | None:
        total = result["suite"][f"total{suffix}"][kind]
        covered = result["suite"][f"covered{suffix}"][kind]
        return 100 * covered / total if total else 100.0

    return share


def tests(result: Result) -> float | None:
    """Return how many tests of the written suite pass, or fail as they are expected to."""
    reruns = result.get("reruns")
    if reruns is None:
        return None
    return float(sum(reruns["outcomes"].get(kind, 0) for kind in ("passed", "xfailed")))


def distinct_faults(result: Result) -> float | None:
    """Return how many distinct exceptions came out of the application."""
    faults = result["suite"].get("faults")
    return None if faults is None else float(len(faults))


def covered_targets(result: Result) -> float | None:
    """Return how many targets the search covered: statements, branches, statuses, faults."""
    report = report_of(result)
    return None if report is None else float(report["targets"]["covered"])


def area(result: Result) -> float | None:
    """Return the mean number of covered targets over the time of the budget."""
    points = curve_of(result)
    if not points:
        return None
    end = budget_in_seconds(result["budget"]) or max(time for time, _height in points)
    return area_under_curve(points, end)


def curve_of(result: Result) -> list[tuple[float, float]]:
    """Return seconds and covered targets, at each improvement."""
    report = report_of(result)
    timeline = report["timeline"] if report is not None else []
    return [(float(entry["seconds"]), float(entry["covered"])) for entry in timeline]


def report_of(result: Result) -> Mapping[str, Any] | None:
    """Return the tool's own report, None for a tool that is not ours."""
    report: Mapping[str, Any] | None = result.get("report", {}).get("report.json")
    return report


def evaluations_a_second(result: Result) -> float | None:
    """Return how many sequences of calls the search executed in a second."""
    last = last_moment(result)
    return last["evaluations"] / last["seconds"] if last else None


def requests_a_second(result: Result) -> float | None:
    """Return how many requests the tool sent in a second of its search."""
    session, last = result.get("session"), last_moment(result)
    if session is not None:
        return float(session["requests"] / session["seconds"])
    report = report_of(result)
    if report is None or last is None:
        return None
    return float(sum(row["calls"] for row in report["endpoints"]) / last["seconds"])


def last_moment(result: Result) -> Mapping[str, float] | None:
    """Return the end of the search, as its timeline has it."""
    report = report_of(result)
    timeline = report["timeline"] if report is not None else []
    return timeline[-1] if timeline and timeline[-1]["seconds"] else None


def lines_a_test(result: Result) -> float | None:
    """Return the lines of the written modules for each test."""
    number = tests(result)
    return result["written"]["lines"] / number if number else None


def command_seconds(result: Result) -> float | None:
    """Return how long the whole command took: a budget of seconds is that of all of it."""
    return result["seconds"] or None


def values_of(metric: Metric, runs: Iterable[Result]) -> list[float]:
    """Return the values of the runs that have one."""
    return [value for value in map(metric, runs) if value is not None]


COLUMNS: Mapping[str, Metric] = {
    "targets": covered_targets,
    "area": area,
    "lines": percent("lines"),
    "branches": percent("branches"),
    "all lines": percent("lines", "_with_creation"),
    "tests": tests,
    "faults": distinct_faults,
    "whole command (s)": command_seconds,
}
COMPARED: Mapping[str, Metric] = {
    "targets": covered_targets,
    "area": area,
    "lines": percent("lines"),
    "branches": percent("branches"),
    "faults": distinct_faults,
}
COSTS: Mapping[str, Metric] = {
    "evaluations/s": evaluations_a_second,
    "requests/s": requests_a_second,
    "peak memory (MiB)": lambda result: result.get("peak_memory"),
    "first test (s)": lambda result: result.get("first_test"),
    "lines a test": lines_a_test,
}
REFERENCES = ("mio", "random")
EXTENSIONS = (("lt-mosa", "mosa"), ("dynamosa", "mosa"))


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
    """Write a median, with its quartiles where they differ; a dash where there is nothing."""
    if not values:
        return "-"
    middle = spread(values)
    if middle.lower == middle.upper:
        return f"{middle.median:.1f}"
    return f"{middle.median:.1f} [{middle.lower:.1f}, {middle.upper:.1f}]"


def coverage_table(results: Sequence[Result]) -> str:
    """Write what every tool reached on every application."""
    rows = []
    for (application, tool), runs in group(results, "application", "tool").items():
        again = [run["reruns"] for run in runs if "reruns" in run]
        passed, tried = (sum(each[key] for each in again) for key in ("passed", "of"))
        cells = [write_spread(values_of(metric, runs)) for metric in COLUMNS.values()]
        cells.append(f"{passed}/{tried}" if again else "-")
        rows.append([application, tool, str(len(runs)), *cells])
    return table(["application", "tool", "runs", *COLUMNS, "re-runs"], rows)


def cost_table(results: Sequence[Result]) -> str:
    """Write what every tool took on every application."""
    rows = [
        [application, tool, *(write_spread(values_of(metric, runs)) for metric in COSTS.values())]
        for (application, tool), runs in group(results, "application", "tool").items()
    ]
    return table(["application", "tool", *COSTS], rows)


def comparison_table(results: Sequence[Result]) -> str:
    """Compare every tool with those of `REFERENCES`: Mann-Whitney p and Vargha-Delaney A12."""
    rows = []
    for (application,), runs in group(results, "application").items():
        by_tool = {name: found for (name,), found in group(runs, "tool").items()}
        rows += [
            [application, f"{tool} against {reference}", *compare(by_tool[tool], others)]
            for reference, others in by_tool.items()
            for tool in by_tool
            if (tool, reference) in pairs(list(by_tool))
        ]
    header = [f"{metric} {value}" for metric in COMPARED for value in ("p", "A12")]
    return table(["application", "tools", *header], rows) if rows else ""


def pairs(tools: Sequence[str]) -> list[tuple[str, str]]:
    """List which tools are compared: each with MIO and random, LT-MOSA with what it extends."""
    found = [
        (tool, reference)
        for reference in REFERENCES
        for tool in tools
        if tool != reference and reference in tools and (tool, reference) != ("random", "mio")
    ]
    return [*found, *(pair for pair in EXTENSIONS if set(pair) <= set(tools))]


def compare(first: Sequence[Result], second: Sequence[Result]) -> list[str]:
    """Compare two tools by every metric."""
    cells = []
    for metric in COMPARED.values():
        ours, theirs = values_of(metric, first), values_of(metric, second)
        if not ours or not theirs:
            cells += ["-", "-"]
            continue
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
        if curves := collect_curves(runs):
            path = folder / f"targets-{budget}.svg"
            title = f"Covered targets during {budget}, median of the runs"
            path.write_text(plots.curves(title, curves), encoding="utf-8")
            files.append(path)
            links.append(f"![{title}]({path.name})\n")
        sections.append("\n".join((f"## {budget}\n", *tables_of(runs), *links)))
    revisions = ", ".join(sorted({str(result["revision"]) for result in results}))
    page = folder / "README.md"
    introduction = f"# Results\n\n{NOTE}\nRevision {revisions}. To reproduce:\n\n    {command}\n"
    page.write_text("\n".join((introduction, *sections)), encoding="utf-8")
    return [page, *files]


def tables_of(runs: Sequence[Result]) -> tuple[str, ...]:
    """Write the tables of one budget."""
    return coverage_table(runs), comparison_table(runs), cost_table(runs)


def collect(results: Sequence[Result], metric: Metric) -> dict[str, dict[str, list[float]]]:
    """Collect a metric's values by application and tool."""
    values: dict[str, dict[str, list[float]]] = {}
    for result in results:
        tools = values.setdefault(result["application"], {})
        tools.setdefault(result["tool"], []).extend(values_of(metric, [result]))
    return values


def collect_curves(
    results: Sequence[Result],
) -> dict[str, dict[str, list[list[tuple[float, float]]]]]:
    """Collect the coverage over time by application and tool, for each run that tells it."""
    curves: dict[str, dict[str, list[list[tuple[float, float]]]]] = {}
    for result in results:
        if curve := curve_of(result):
            tools = curves.setdefault(result["application"], {})
            tools.setdefault(result["tool"], []).append(curve)
    return curves
