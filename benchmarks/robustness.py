"""Would the written tests be kept?  Twenty re-runs, formatters, linters, and what got lost.

    python -m benchmarks.robustness --apps ncs,scs,news --budget 60s --table docs/robustness.md
    python -m benchmarks.robustness --project ~/shop --python ~/shop/.venv/bin/python

Each application is copied, searched once, and its written suite is run in fresh interpreters
under every circumstance of `benchmarks.perturbed`.  A result is a JSON file and a table row.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import applications
from benchmarks import environments
from benchmarks.applications import Application
from benchmarks.execute import copy_project
from benchmarks.execute import revision
from benchmarks.jobs import Job
from benchmarks.measure import Positions
from benchmarks.measure import read_report
from benchmarks.perturbed import Suite
from benchmarks.perturbed import rerun
from benchmarks.run import application_names
from benchmarks.run import write_result
from pytest_evosearch.write.modules.ledger import marked_fixtures

RESULTS = Path(__file__).parent / "results" / "raw"
RULES = "E,F,I,PT,B,SIM"
LINE_LENGTH = 88

HEADINGS = (
    "application", "budget", "tests", "alone in covering", "median calls", "runs of a test",
    "failures", "warnings as errors", "statements kept", "branches kept", "ruff", "black",
    "seconds beyond the budget",
)  # fmt: skip


@dataclass(frozen=True)
class Project:
    """A copy of an application, ready to be searched."""

    name: str
    folder: Path
    python: Path
    arguments: tuple[str, ...] = ()
    """Of the search and of every run of the suite."""
    search: tuple[str, ...] = ()
    """Of the search alone."""


def parse_arguments(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.robustness", description=__doc__)
    parser.add_argument("--apps", type=application_names, default=[], help="From the table")
    parser.add_argument("--project", type=Path, help="Folder of any other application")
    parser.add_argument("--name", help="What to call it (default: the folder's name)")
    parser.add_argument("--python", type=Path, default=Path(sys.executable))
    parser.add_argument("--search", action="append", default=[], help="Argument of the search")
    parser.add_argument("--plugin", action="append", default=[], help="Plugin that it needs")
    parser.add_argument("--budget", default="20s")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--keep", type=Path, help="Folder in which the searched copies stay")
    parser.add_argument("--table", type=Path, help="Document whose table is filled in")
    parser.add_argument("--cache", type=Path, default=environments.default_cache())
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what was asked for, and fill in the table from every result there is."""
    options = parse_arguments(arguments)
    options.results.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="evosearch-robustness-") as scratch:
        for project in projects(options, options.keep or Path(scratch)):
            result = measured(project, options.budget, options.seed)
            write_result(options.results / f"robustness-{project.name}.json", result)
            print(row(result), flush=True)
            for failure in failures(result):
                print(f"    {failure}", flush=True)
    if options.table is not None:
        fill_in(options.table, [*read_results(options.results)])


def projects(options: argparse.Namespace, folder: Path) -> list[Project]:
    """Copy every application that was asked for into `folder`."""
    found = [
        _from_table(applications.BY_NAME[name], options, folder / name) for name in options.apps
    ]
    if options.project is not None:
        name = options.name or options.project.name
        ignored = shutil.ignore_patterns("__pycache__", ".pytest_cache", "evosearch", ".git")
        copy = folder / name / name
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(options.project, copy, ignore=ignored)
        plugins = tuple(word for plugin in options.plugin for word in ("-p", plugin))
        found.append(Project(name, copy, options.python, plugins, tuple(options.search)))
    return found


def _from_table(application: Application, options: argparse.Namespace, folder: Path) -> Project:
    python = environments.prepare(application, options.cache)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    copy = copy_project(Job(application, "mio", options.budget, options.seed), folder)
    return Project(application.name, copy, python, search=application.arguments)


def measured(project: Project, budget: str, seed: int) -> dict[str, Any]:
    """Search, run again, lint and compare; the result is ready for JSON."""
    result: dict[str, Any] = {
        "application": project.name,
        "budget": budget,
        "seed": seed,
        "revision": revision(),
        **search(project, budget, seed),
    }
    report = project.folder / "evosearch-report"
    if not (report / "report.json").exists():
        return result
    document = json.loads((report / "report.json").read_text(encoding="utf-8"))
    files = [project.folder / name for name in document["files"]]
    if not files:
        return result
    output = files[0].parent
    suite = Suite(project.python, project.folder, output, project.arguments)
    result["reruns"] = [asdict(one) for one in rerun(suite)]
    result["suite"] = describe(document, files)
    result["dropped"] = document["dropped"]
    result["kept"] = compared(project, document, output)
    result["tools"] = lint(output, project.folder)
    return result


def search(project: Project, budget: str, seed: int) -> dict[str, Any]:
    """Run the search; return its exit code and how long it took."""
    started = time.monotonic()
    finished = subprocess.run(
        [
            *(str(project.python), "-m", "pytest", "-p", "pytest_evosearch.plugin"),
            *(f"--evosearch={budget}", f"--evosearch-seed={seed}"),
            f"--evosearch-report={project.folder / 'evosearch-report'}",
            *project.arguments,
            *project.search,
        ],
        cwd=project.folder,
        env=environments.search_environment(),
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    return {
        "exit_code": finished.returncode,
        "seconds": round(time.monotonic() - started, 1),
        "terminal": (finished.stdout + finished.stderr)[-6000:],
    }


def describe(document: dict[str, Any], files: Sequence[Path]) -> dict[str, Any]:
    """Count the tests, their calls and lines."""
    calls = [number for file in files for number in calls_of_tests(file)]
    return {
        "tests": len(document["tests"]),
        "median_calls": statistics.median(calls) if calls else 0,
        "most_calls": max(calls, default=0),
        "covering": sum(1 for test in document["tests"] if test["only"]),
        "lines": sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files),
    }


def calls_of_tests(file: Path) -> list[int]:
    """Count the requests of each test, with those of the fixtures of its module."""
    functions = {
        node.name: node
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
    }

    def needed(name: str) -> set[str]:
        """Return a function with the fixtures that are set up for it, each once."""
        asked = {argument.arg for argument in functions[name].args.args}
        asked = (asked | marked_fixtures(functions[name])) & functions.keys()
        return {name}.union(*map(needed, asked))

    return [
        sum(calls_in(functions[one]) for one in needed(name))
        for name in functions
        if name.startswith("test_")
    ]


def calls_in(function: ast.FunctionDef) -> int:
    """Count the requests in a function: calls of ``client.get`` and its like."""
    methods = {"get", "post", "put", "patch", "delete", "head", "options", "trace", "open"}
    return sum(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in methods
        and isinstance(node.func.value, ast.Name)
        for node in ast.walk(function)
    )


def compared(project: Project, document: dict[str, Any], output: Path) -> dict[str, int]:
    """Count what the search covered, and what of it coverage.py sees when the suite runs.

    What runs while the application is loaded counts on neither side.  A branch counts where
    coverage.py knows one: its sides on a line are compared by number.
    """
    seen, known = suite_coverage(project, document, output)
    counts = {"statements": 0, "statements_kept": 0, "branches": 0, "branches_kept": 0}
    for source in document["sources"]:
        for line in source["lines"]:
            place = (source["path"], line["line"])
            if line["covered"] and not line["imported"]:
                counts["statements"] += 1
                counts["statements_kept"] += place in seen.lines
            if place in {branch[:2] for branch in known.branches}:
                sides = min(2, covered_sides(line["sides"]))
                arcs = sum(branch[:2] == place for branch in seen.branches)
                counts["branches"] += sides
                counts["branches_kept"] += min(arcs, sides)
    return counts


def covered_sides(sides: Sequence[dict[str, Any]]) -> int:
    """Count the covered sides of the first condition of a line: the whole of an ``if``."""
    first = [side for side in sides if "#" not in side["target"].rpartition(":")[2]]
    return sum(side["score"] >= 1 for side in first)


def suite_coverage(
    project: Project, document: dict[str, Any], output: Path
) -> tuple[Positions, Positions]:
    """Return what coverage.py sees covered when the suite runs, and all that it knows.

    Paths are named as the search names them.
    """
    data, report = project.folder / ".coverage-kept", project.folder / "coverage-kept.json"
    coverage = [str(project.python), "-m", "coverage"]
    files = {source["path"] for source in document["sources"]}
    places = {str(project.folder), *(Path(file).parts[0] for file in files if "/" in file)}
    command = [*coverage, "run", "--branch", f"--data-file={data}"]
    command += [f"--source={','.join(sorted(places))}", "-m", "pytest", "-q"]
    command += ["-p", "no:cacheprovider", *project.arguments, str(output)]
    environment = environments.process_environment()
    settings: dict[str, Any] = {"cwd": project.folder, "env": environment, "capture_output": True}
    subprocess.run(command, **settings, check=False)
    command = [*coverage, "json", "-q", "-i", f"--data-file={data}", "-o", str(report)]
    subprocess.run(command, **settings, check=False)
    measurement = read_report(json.loads(report.read_text(encoding="utf-8")))
    return _renamed(measurement.covered, files), _renamed(measurement.total, files)


def _renamed(positions: Positions, files: set[str]) -> Positions:
    names = {file: _named(file, files) for file in {file for file, *_rest in positions.lines}}
    return Positions(
        frozenset((names[file], line) for file, line in positions.lines),
        frozenset((names.get(file, file), start, end) for file, start, end in positions.branches),
    )


def _named(file: str, wanted: set[str]) -> str:
    """Return the name of `wanted` that `file` ends with, `file` itself when there is none."""
    path = Path(file).as_posix()
    ends = [name for name in wanted if path == name or path.endswith(f"/{name}")]
    return max(ends, key=len, default=path)


def lint(output: Path, root: Path) -> dict[str, int]:
    """Count what ruff and black complain about, with the project's own settings for black."""
    ruff = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--exit-zero"]
    ruff += [f"--select={RULES}", f"--line-length={LINE_LENGTH}", "--output-format=json"]
    found = subprocess.run([*ruff, str(output)], capture_output=True, text=True, check=True)
    black = [sys.executable, "-m", "black", "--check", "--quiet", str(output)]
    checked = subprocess.run(black, capture_output=True, cwd=root, check=False)
    return {"ruff": len(json.loads(found.stdout)), "black": checked.returncode}


def failures(result: dict[str, Any]) -> list[str]:
    """List what failed, a line each."""
    return [
        f"{one['way']}: {text}"
        for one in result.get("reruns", ())
        for text in (*one["failures"], *([one["broken"]] if one["broken"] else ()))
    ]


def row(result: dict[str, Any]) -> str:
    """Return the row of the table."""
    if "reruns" not in result:
        return f"| {result['application']} | {result['budget']} | nothing was written |"
    reruns, suite, kept = result["reruns"], result["suite"], result["kept"]
    strict = [one for one in reruns if "-W error" in one["way"]]
    seconds = re.fullmatch(r"(\d+)s", result["budget"])
    beyond = f"{result['seconds'] - int(seconds[1]):.0f}" if seconds else "none"
    cells = (
        result["application"],
        result["budget"],
        suite["tests"],
        suite["covering"],
        f"{suite['median_calls']:g}",
        sum(one["tests"] for one in reruns),
        sum(len(one["failures"]) + bool(one["broken"]) for one in reruns),
        "clean" if not any(one["failures"] or one["broken"] for one in strict) else "fails",
        share(kept["statements_kept"], kept["statements"]),
        share(kept["branches_kept"], kept["branches"]),
        result["tools"]["ruff"],
        "clean" if result["tools"]["black"] == 0 else "would change",
        beyond,
    )
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def share(part: int, whole: int) -> str:
    """Return ``97.3 % (36/37)``."""
    return f"{100 * part / whole:.1f} % ({part}/{whole})" if whole else "none"


def read_results(folder: Path) -> list[dict[str, Any]]:
    """Read every result, by the application's name."""
    paths = sorted(folder.glob("robustness-*.json"))
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths]


def fill_in(document: Path, results: Sequence[dict[str, Any]]) -> None:
    """Replace the table between the markers of `document`."""
    heading = "| " + " | ".join(HEADINGS) + " |"
    rule = "|" + "---|" * len(HEADINGS)
    table = "\n".join([heading, rule, *(row(result) for result in results)])
    text = document.read_text(encoding="utf-8")
    marked = re.compile(r"(<!-- table -->\n\n).*?(\n\n<!-- end of table -->)", re.DOTALL)
    document.write_text(marked.sub(lambda m: m[1] + table + m[2], text), encoding="utf-8")


if __name__ == "__main__":
    main()
