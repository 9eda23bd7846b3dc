"""Measure real projects, unchanged: ``python -m benchmarks.compatibility --projects all``.

A checkout is a git directory or clone below ``--checkouts``, as ``owner+name/repo`` or
``owner+name``.  Each project is exported from its commit into a temporary folder, searched
there, and its written tests run again in every way that docs/compatibility.md promises.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import real_projects
from benchmarks.compatibility_rows import Run
from benchmarks.compatibility_rows import markdown_head
from benchmarks.compatibility_rows import markdown_row
from benchmarks.environments import REPOSITORY
from benchmarks.environments import default_cache
from benchmarks.execute import budget_in_seconds
from benchmarks.execute import revision
from benchmarks.real_projects import Project

PYTHON = "3.11"
TOOLS = ("pytest==9.0.2", "pytest-random-order==1.2.0", "coverage==7.13.0")

TIME_LIMIT = 900
"""Seconds for one run of tests, and for a search beyond its budget."""

SQLITE_MAGIC = b"SQLite format 3\0"

TROUBLE = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)


def environment_python(project: Project, checkout: Path | None, cache: Path) -> Path:
    """Return an interpreter with the project's requirements, made with uv if need be."""
    wanted = [*stated_requirements(project, checkout), *project.requirements, *TOOLS]
    digest = hashlib.sha256("\n".join([PYTHON, *wanted]).encode()).hexdigest()[:8]
    folder = cache / f"project-{project.name}-{digest}"
    python = folder / "bin" / "python"
    if not (folder / "complete").exists():
        print(f"installing into {folder}", flush=True)
        uv = ("uv", "--quiet")
        subprocess.run([*uv, "venv", "--clear", "--python", PYTHON, str(folder)], check=True)
        install = [*uv, "pip", "install", "--python", str(python), *wanted]
        subprocess.run([*install, "--editable", str(REPOSITORY)], check=True)
        (folder / "complete").touch()
    return python


def stated_requirements(project: Project, checkout: Path | None) -> list[str]:
    """Return the lines of the project's own requirements file, without what cannot be had."""
    if not project.stated or checkout is None:
        return []
    text = git(checkout, "show", f"{project.commit}:{project.stated}").decode()
    lines = [line.split("#")[0].strip() for line in text.splitlines()]
    return [line for line in lines if line and not _is_named(line, project.without)]


def _is_named(requirement: str, names: Sequence[str]) -> bool:
    return re.split(r"[=<>~\[ ]", requirement)[0].lower() in names


def find_checkout(project: Project, checkouts: Path) -> Path | None:
    """Return the git directory of a project.

    Raises:
        FileNotFoundError: when it is not there.

    """
    if not project.repository:
        return None
    base = checkouts / project.repository.replace("/", "+")
    for path in (base / "repo", base / ".git", base):
        if (path / "HEAD").exists():
            return path
    raise FileNotFoundError(f"no checkout of {project.repository} below {checkouts}")


def git(checkout: Path, *arguments: str) -> bytes:
    """Return what git writes about a checkout."""
    command = ["git", f"--git-dir={checkout}", *arguments]
    return subprocess.run(command, check=True, capture_output=True).stdout


def export(project: Project, checkout: Path | None, folder: Path) -> Path:
    """Write the project into a new folder and return where it is; empty without a checkout."""
    folder.mkdir(parents=True)
    if checkout is None:
        (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        return folder
    archive = git(
        checkout, "archive", project.commit, *([project.folder] if project.folder else [])
    )
    subprocess.run(["tar", "-x", "-C", str(folder)], input=archive, check=True)
    part = folder / project.folder
    if part.is_file():  # a single module, in a folder of its own
        alone = folder / "project"
        alone.mkdir()
        part.rename(alone / part.name)
        return alone
    return part


def database_digests(folder: Path) -> dict[str, str]:
    """Return the MD5 sums of all SQLite files by their place."""
    return {
        str(path.relative_to(folder)): hashlib.md5(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and is_sqlite(path)
    }


def is_sqlite(path: Path) -> bool:
    """Say whether a file is a SQLite database."""
    with path.open("rb") as file:
        return file.read(len(SQLITE_MAGIC)) == SQLITE_MAGIC


def run_pytest(
    python: Path, project: Project, folder: Path, arguments: Sequence[str], limit: int = TIME_LIMIT
) -> subprocess.CompletedProcess[str]:
    """Run pytest in a project's folder as its developers would."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTEST", "COV", "FLASK", "PYTHONHASHSEED", "PYTHONPATH"))
    }
    return subprocess.run(
        [str(python), "-m", "pytest", *arguments],
        cwd=folder,
        env={**kept, "PYTHONPATH": f"{REPOSITORY}{os.pathsep}{folder}", **project.variables},
        capture_output=True,
        text=True,
        errors="replace",
        timeout=limit,
        check=False,
    )


def run_tests(python: Path, project: Project, folder: Path, *arguments: str) -> Run:
    """Run tests and return what came of them."""
    command = ["-q", "-rfE", "-p", "no:cacheprovider", "-p", "no:evosearch", *arguments]
    try:
        finished = run_pytest(python, project, folder, command)
    except subprocess.TimeoutExpired:
        return Run(-1, "timed out", ())
    lines = [line for line in finished.stdout.splitlines() if line.strip()]
    files = {name.split("::")[0] for name in TROUBLE.findall(finished.stdout)}
    return Run(finished.returncode, lines[-1] if lines else "", tuple(sorted(files)))


def search(
    python: Path, project: Project, folder: Path, budget: str, report: Path
) -> dict[str, Any]:
    """Search and return the exit code, the time in seconds, and the report."""
    started = time.monotonic()
    arguments = [
        f"--evosearch={budget}",
        "--evosearch-seed=1",
        f"--evosearch-report={report}",
        *project.search,
    ]
    limit = budget_in_seconds(budget) + TIME_LIMIT
    finished = run_pytest(python, project, folder, arguments, limit)
    path = report / "report.json"
    return {
        "exit_code": finished.returncode,
        "seconds": round(time.monotonic() - started, 1),
        "terminal": finished.stdout[-8000:] + finished.stderr[-2000:],
        "report": json.loads(path.read_text(encoding="utf-8")) if path.exists() else None,
    }


def measure(project: Project, checkouts: Path, budget: str, cache: Path) -> dict[str, Any]:
    """Measure one project and return everything, ready for JSON."""
    checkout = find_checkout(project, checkouts)
    python = environment_python(project, checkout, cache)
    with tempfile.TemporaryDirectory(prefix=f"evosearch-{project.name}-") as temporary:
        root = Path(temporary)
        own = run_tests(python, project, export(project, checkout, root / "own"), *project.own)
        folder = export(project, checkout, root / "searched")
        before = database_digests(folder)
        result = {
            "project": project.name,
            "revision": revision(),
            "budget": budget,
            "load": os.getloadavg()[0],
            "own": vars(own),
            **search(python, project, folder, budget, root / "report"),
        }
        after = database_digests(folder)
        result["databases"] = {
            "before": len(before),
            "changed": [name for name in before if after.get(name) != before[name]],
        }
        result["versions"] = versions(python)
        result["reruns"] = rerun(python, project, folder, written_modules(result))
    return result


def written_modules(result: Mapping[str, Any]) -> list[str]:
    """Return the written test modules by their path in the project."""
    files = (result["report"] or {}).get("files", ())
    return [name for name in files if Path(name).name.startswith("test_")]


def rerun(
    python: Path, project: Project, folder: Path, modules: Sequence[str]
) -> dict[str, dict[str, Any]]:
    """Run what was written alone, in random order, module by module, and with the own suite."""
    if not modules:
        return {}
    output = str(Path(modules[0]).parent)
    shuffled = ("--random-order", "--random-order-seed=1")
    runs = {
        "alone": run_tests(python, project, folder, output),
        "random": run_tests(python, project, folder, *shuffled, output),
        **{module: run_tests(python, project, folder, module) for module in modules},
        "together": run_tests(python, project, folder, *project.own),
    }
    if not any("evosearch" in file for file in runs["together"].trouble):
        collected = count_tests(runs["together"])
        if collected < count_tests(runs["alone"]):  # testpaths leave the output out
            runs["together"] = run_tests(python, project, folder, *project.own, ".", output)
    return {way: vars(run) for way, run in runs.items()}


def count_tests(run: Run) -> int:
    """Return how many tests had any outcome."""
    return sum(run.counts().values())


def versions(python: Path) -> dict[str, str]:
    """Return the installed versions of Flask and Werkzeug."""
    program = (
        "import importlib.metadata as m, json;"
        "print(json.dumps({n: m.version(n) for n in ('flask', 'werkzeug')}))"
    )
    finished = subprocess.run([str(python), "-c", program], check=True, capture_output=True)
    return dict(json.loads(finished.stdout))


def parse_arguments(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compatibility", description=__doc__)
    parser.add_argument("--projects", default="all", help="Names, split at commas")
    parser.add_argument("--budget", default="60s")
    parser.add_argument("--checkouts", type=Path, default=Path("/work/.mirror"))
    parser.add_argument("--cache", type=Path, default=default_cache())
    parser.add_argument("--summary-only", action="store_true", help="Run nothing, print the rows")
    parser.add_argument("--results", type=Path, default=default_cache() / "compatibility")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the projects one after another and print their rows."""
    options = parse_arguments(arguments)
    everything = list(real_projects.BY_NAME)
    chosen = everything if options.projects == "all" else options.projects.split(",")
    options.results.mkdir(parents=True, exist_ok=True)
    print(markdown_head())
    for name in chosen:
        path = options.results / f"{name}-{options.budget}.json"
        project = real_projects.BY_NAME[name]
        if not options.summary_only:
            try:
                result = measure(project, options.checkouts, options.budget, options.cache)
            except (OSError, subprocess.SubprocessError) as error:
                print(f"<!-- {name}: not measured: {error} -->", flush=True)
                continue
            path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        if path.exists():
            print(markdown_row(project, json.loads(path.read_text("utf-8"))), flush=True)


if __name__ == "__main__":
    main()
