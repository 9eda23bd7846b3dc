"""Mutation scores of what is written: ``python -m benchmarks.mutation FOLDER... --mutants 60``.

Each folder is a project that runs in this environment.  It is copied, searched, and the same
sample of mutants is tried on three suites:

    written   what the search wrote
    status    the same, with every assertion taken out but those of ``status_code``
    own       the project's own tests

The population is every mutant of the functions that the written suite or the project's own
tests run while a test acts; a mutant that no test of a suite runs counts as not killed by it.
"""

from __future__ import annotations

import argparse
import ast
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import environments
from benchmarks.execute import revision
from pytest_evosearch.core.randomness import derive
from pytest_evosearch.strength.mutants import Mutant
from pytest_evosearch.strength.score import mutated_files
from pytest_evosearch.strength.score import places
from pytest_evosearch.strength.score import reached_functions
from pytest_evosearch.strength.score import sample
from pytest_evosearch.strength.score import try_all
from pytest_evosearch.strength.trials import Laboratory
from pytest_evosearch.strength.trials import Survey
from pytest_evosearch.write.verification.pytest_process import PytestProcess

WRITTEN, STATUS = Path("tests/evosearch"), Path("tests/evosearch_status")
LEFTOVERS = ("__pycache__", ".*", "instance", "*.sqlite")
NO_APPLICATION = ("tests", "setup.py", "conftest.py")
SEARCH_SECONDS = 1800


@dataclass(frozen=True)
class Suite:
    """One suite in a laboratory of its own."""

    name: str
    laboratory: Laboratory
    survey: Survey


class _StatusOnly(ast.NodeTransformer):
    """Takes out assertions about anything but the status.

    So ends a test that is expected to fail and would now pass: it shows its fault no more.
    """

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt | None:
        """Leave out a fault test that loses an assertion."""
        before = _assertions(node)
        self.generic_visit(node)
        marks = [ast.unparse(decorator) for decorator in node.decorator_list]
        is_fault = any(mark.startswith("pytest.mark.xfail") for mark in marks)
        return None if is_fault and _assertions(node) < before else node

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        """Keep ``assert x.status_code == 200``; ``pass`` keeps an emptied body whole."""
        left = node.test.left if isinstance(node.test, ast.Compare) else None
        is_status = isinstance(left, ast.Attribute) and left.attr == "status_code"
        return node if is_status else ast.copy_location(ast.Pass(), node)


def _assertions(node: ast.FunctionDef) -> int:
    return sum(isinstance(one, ast.Assert) for one in ast.walk(node))


def status_only(text: str) -> str:
    """Return the text of a test module without assertions about anything but the status."""
    return ast.unparse(_StatusOnly().visit(ast.parse(text))) + "\n"


def application_files(project: Path) -> list[Path]:
    """Return the project's modules that are neither tests nor set-up."""
    return sorted(
        path
        for path in project.rglob("*.py")
        if path.relative_to(project).parts[0] not in NO_APPLICATION
    )


def search(project: Path, budget: str, seed: int) -> None:
    """Write a suite; raises RuntimeError with the last line when there is none."""
    environment = {**environments.search_environment()}
    environment["PYTHONPATH"] += f":{project}"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "pytest_evosearch.plugin"]
    command += [f"--evosearch={budget}", f"--evosearch-seed={seed}"]
    command += [f"--evosearch-output={project / WRITTEN}"]
    finished = subprocess.run(
        command,
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        timeout=SEARCH_SECONDS,
        check=False,
    )
    if not any((project / WRITTEN).glob("test_*.py")):
        raise RuntimeError(f"{project.name}: no suite was written: {finished.stdout[-500:]}")


def without_bodies(project: Path) -> None:
    """Write the status-only copy of the written suite."""
    shutil.rmtree(project / STATUS, ignore_errors=True)
    shutil.copytree(project / WRITTEN, project / STATUS)
    for module in (project / STATUS).rglob("test_*.py"):
        module.write_text(status_only(module.read_text(encoding="utf-8")), encoding="utf-8")


def suites_of(project: Path, scratch: Path) -> list[Suite]:
    """Survey the three suites; one that cannot be used is left out with a message."""
    files = application_files(project)
    environment = {"PYTHONPATH": str(project), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    apart = tuple(f"--ignore={project / folder}" for folder in (WRITTEN, STATUS))
    found = []
    for name, path, arguments in (
        ("written", project / WRITTEN, ()),
        ("status", project / STATUS, ()),
        ("own", project / "tests", apart),
    ):
        folder = scratch / name
        folder.mkdir()
        process = PytestProcess(project, arguments, environment)
        laboratory = Laboratory(process, [path], files, folder)
        survey = laboratory.survey()
        if isinstance(survey, str):
            print(f"{project.name}: {name}: {survey}", flush=True)
        else:
            found.append(Suite(name, laboratory, survey))
    return found


def compare(project: Path, number: int, seeds: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Try samples of mutants on every suite of a project that has been searched."""
    without_bodies(project)
    with tempfile.TemporaryDirectory(prefix="evosearch-mutation-") as name:
        suites = suites_of(project, Path(name))
        reached = [reached_functions(suite.survey) for suite in suites]
        files = mutated_files(application_files(project))
        population = places(files, lambda file, line: any(one(file, line) for one in reached))
        for seed in seeds:
            mutants = sample(population, number, derive(seed, "mutants"))
            result: dict[str, Any] = {
                "application": project.name,
                "revision": revision(),
                "population": len(population),
                "mutants": len(mutants),
                "sample": seed,
                "tests": {suite.name: len(suite.survey.seconds) for suite in suites},
                "lines": written_lines(project),
            }
            for suite in suites:
                result[suite.name] = _outcomes(suite, mutants, project)
            yield result


def written_lines(project: Path) -> int:
    """Return how many lines the written test modules have."""
    modules = (project / WRITTEN).rglob("test_*.py")
    return sum(len(one.read_text(encoding="utf-8").splitlines()) for one in modules)


def _outcomes(suite: Suite, mutants: Sequence[Mutant], project: Path) -> Any:
    found = try_all(suite.laboratory, suite.survey, mutants)
    if isinstance(found, str):
        return found
    return {
        "killed": sum(trial is not None and trial.failed for _, trial in found),
        "timed_out": sum(trial is not None and trial.timed_out for _, trial in found),
        "unreached": sum(trial is None for _, trial in found),
        "survivors": [
            {
                "place": f"{mutant.file.relative_to(project).as_posix()}:{mutant.line}",
                "operator": mutant.operator,
                "diff": mutant.diff,
            }
            for mutant, trial in found
            if trial is None or not trial.failed
        ],
    }


def row(result: dict[str, Any]) -> str:
    """Return a row of the table in docs/mutation.md."""
    cells = [result["application"], f"{result['mutants']} of {result['population']}"]
    for name in ("written", "status", "own"):
        outcome = result.get(name)
        killed = outcome["killed"] if isinstance(outcome, dict) else None
        cells.append("-" if killed is None else f"{killed} ({100 * killed // result['mutants']} %)")
    return f"| {' | '.join(cells)} |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure every folder and print the rows."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutation", description=__doc__)
    parser.add_argument("projects", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("--mutants", type=int, default=60, help="How many, at most")
    parser.add_argument("--budget", default="1000x", help="Of the search")
    parser.add_argument("--seed", type=int, default=1, help="Of the search")
    parser.add_argument(
        "--samples", type=int, nargs="+", default=[1], metavar="SEED", help="Of the mutants"
    )
    parser.add_argument(
        "--written", action="store_true", help="Search nothing: use tests/evosearch"
    )
    parser.add_argument("--results", type=Path, help="Folder for JSON with every survivor")
    options = parser.parse_args(arguments)
    for folder in options.projects:
        with tempfile.TemporaryDirectory(prefix="evosearch-project-") as name:
            project = Path(name) / folder.resolve().name
            skipped = LEFTOVERS if options.written else (*LEFTOVERS, "evosearch")
            shutil.copytree(folder, project, ignore=shutil.ignore_patterns(*skipped))
            if not options.written:
                search(project, options.budget, options.seed)
            for result in compare(project, options.mutants, options.samples):
                print(row(result), flush=True)
                if options.results is not None:
                    keep(result, options.results)


def keep(result: dict[str, Any], folder: Path) -> None:
    """Write a result with every survivor, one file for each sample."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(result, indent=1) + "\n"
    name = f"{result['application']}-{result['sample']}.json"
    (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
