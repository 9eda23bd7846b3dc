"""Our tests of units beside those of Pynguin, module by module.

    python -m benchmarks.pynguin --seconds 30 60 --seeds 1 2 --results results/pynguin.jsonl

Each module is copied into a folder of its own.  Modules of the standard library lose the imports of
their C versions; packages come from the index.  Each tool writes its tests there:

    ours        pytest --evosearch=SECONDS --evosearch-units=MODULE
    pynguin     Pynguin 0.48.0 in its own environment, DynaMOSA, with all its defaults; its search
                gets two thirds of the time, as assertions come after it
    traced      the same, with its type tracing

Then coverage.py counts the branches that each written suite covers, and the same sample of small
changes of the module is tried on both.  A test that fails on the unchanged module is removed
before.  A tool that has not ended after three times its time (`--latest`) has written nothing, and
counts as 0.

Both tools call functions with any argument: run this in `unshare -p -f --kill-child --mount-proc`.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import asdict
from dataclasses import dataclass
from pathlib import Path

from benchmarks import environments
from pytest_evosearch.core.randomness import derive
from pytest_evosearch.strength.score import mutated_files
from pytest_evosearch.strength.score import places
from pytest_evosearch.strength.score import sample
from pytest_evosearch.strength.score import try_all
from pytest_evosearch.strength.trials import Laboratory
from pytest_evosearch.write.verification.pytest_process import PytestProcess

PYNGUIN = "pynguin==0.48.0"

STANDARD = (
    *("colorsys", "textwrap", "shlex", "heapq", "bisect", "fractions", "calendar", "statistics"),
    *("difflib", "ipaddress", "configparser", "datetime"),
)
"""Modules of the standard library."""

PACKAGES = {
    "boltons.setutils": "boltons==26.2.0",
    "stringcase": "stringcase==1.2.0",
    "numerizer.numerizer": "numerizer==0.2.4",
    "shortuuid.main": "shortuuid==1.0.13",
    "wcwidth.textwrap": "wcwidth==0.9.4",
    "semver.version": "semver==3.1.2",
    "texttable": "texttable==1.7.2",
    "dictdiffer.utils": "dictdiffer==0.10.0",
    "xmltodict": "xmltodict==1.0.4",
    "mergedeep.mergedeep": "mergedeep==1.3.4",
    "cronsim.cronsim": "cronsim==2.8",
    "dpath.segments": "dpath==2.2.0",
}
"""Modules of packages, which were chosen before they were tried, and what to install."""

KERNELS = "kernels"
"""A module beside this one, with functions on texts and numbers."""

OURS, THEIRS, TRACED = "ours", "pynguin", "traced"

SEARCH_SHARE = 2 / 3
"""Share of the time for the search of Pynguin."""

LATEST = 3.0
"""How many times its time a tool may take: assertions come late on a busy machine."""

SUITE_SECONDS = 120.0

MOST_TOLD = 40_000
"""Characters of the output of a command that are looked at."""

MUTANTS = 40

PREFIX = "plain_"
"""Begins the names of copied standard modules, which others go on importing."""


@dataclass
class Measured:
    """What one tool wrote for one module."""

    module: str
    tool: str
    seconds: int
    seed: int
    took: float = 0.0
    processor: float = 0.0
    """Seconds of a processor: on a busy machine far fewer than passed."""
    ended: bool = True
    load: float = 0.0
    """Average number of running processes of the machine, at the end."""
    tests: int = 0
    removed: int = 0
    """Tests that fail on the unchanged module."""
    branches: int = 0
    covered: int = 0
    mutants: int = 0
    killed: int = 0
    note: str = ""


# Modules


def prepared(module: str, folder: Path, cache: Path) -> tuple[str, Path]:
    """Copy a module into a folder; return the name under which it is imported, and its file."""
    if module in PACKAGES:
        packages = cache / "pynguin-packages"
        top = module.partition(".")[0]
        if not (packages / top).exists() and not (packages / f"{top}.py").exists():
            command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
            command += ["--target", str(packages), PACKAGES[module]]
            subprocess.run(command, check=True)
        if (packages / top).is_dir():
            shutil.copytree(packages / top, folder / top)
        else:
            shutil.copy(packages / f"{top}.py", folder)
        return module, (folder / module.replace(".", "/")).with_suffix(".py")
    if module == KERNELS:
        shutil.copy(Path(__file__).with_name(f"{KERNELS}.py"), folder)
        return module, folder / f"{KERNELS}.py"
    found = importlib.util.find_spec(module)
    assert found is not None
    assert found.origin is not None
    file = folder / f"{PREFIX}{module}.py"
    file.write_text(without_c(Path(found.origin).read_text(encoding="utf-8")), encoding="utf-8")
    return file.stem, file


def without_c(text: str) -> str:
    """Return the source of a module without the imports that replace its functions by C ones."""
    lines = text.splitlines(keepends=True)
    for node in ast.parse(text).body:
        if isinstance(node, ast.Try) and all(_is_of_c(one) for one in node.body):
            for number in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                lines[number - 1] = "\n"
    return "".join(lines)


def _is_of_c(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and (node.module or "").startswith("_")


# Tools


def wrote_ours(name: str, project: Path, seconds: int, seed: int) -> list[str]:
    """Return the command of our own search."""
    return [
        *(sys.executable, "-m", "pytest", "-p", "pytest_evosearch.plugin"),
        *(f"--evosearch={seconds}s", f"--evosearch-seed={seed}", f"--evosearch-units={name}"),
        f"--evosearch-output={project / OURS}",
    ]


def wrote_theirs(
    name: str, project: Path, seconds: int, seed: int, tool: str, cache: Path
) -> list[str]:
    """Return the command of Pynguin, with its type tracing or without."""
    return [
        *(str(their_interpreter(cache)), "-m", "pynguin", "--algorithm", "DYNAMOSA"),
        *("--project-path", str(project), "--module-name", name, "--seed", str(seed)),
        *("--output-path", str(project / tool), "--report-dir", str(project / "report")),
        *("--maximum-search-time", str(round(SEARCH_SHARE * seconds))),
        *(("--type-tracing", "1.0") if tool == TRACED else ()),
    ]


def their_interpreter(cache: Path) -> Path:
    """Return the interpreter of an environment with Pynguin; it is made if need be."""
    folder = cache / PYNGUIN.replace("==", "-")
    python = folder / "bin" / "python"
    if not (folder / "complete").exists():
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", PYNGUIN, "pytest"], check=True)
        (folder / "complete").touch()
    return python


def _run(command: Sequence[str], project: Path, seconds: float) -> tuple[bool, float, str]:
    """Run a command; return whether it ended in time, its seconds, and the end of its output."""
    environment = {**environments.search_environment(), "PYNGUIN_DANGER_AWARE": "1"}
    environment["PYTHONPATH"] += f"{os.pathsep}{project}"
    began = time.monotonic()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command,
            cwd=project,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            process.wait(seconds)
            ended = True
        except subprocess.TimeoutExpired:
            ended = False
            os.killpg(process.pid, 9)
            process.wait()
        output.seek(0)
        told = output.read().decode("utf-8", "replace")
    return ended, time.monotonic() - began, told[-MOST_TOLD:]


# Measuring


def _processor() -> float:
    """Return the processor seconds of all ended children."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(
    module: str,
    tool: str,
    seconds: int,
    seed: int,
    cache: Path,
    number: int,
    latest: float = LATEST,
) -> Measured:
    """Let one tool write tests for one module, and measure them."""
    found = Measured(module, tool, seconds, seed)
    with tempfile.TemporaryDirectory(prefix="units-pynguin-") as folder:
        project = Path(folder)
        name, file = prepared(module, project, cache)
        given = name, project, seconds, seed
        command = wrote_ours(*given) if tool == OURS else wrote_theirs(*given, tool, cache)
        before = _processor()
        found.ended, found.took, told = _run(command, project, latest * seconds)
        found.processor = _processor() - before
        found.load = os.getloadavg()[0]
        suite = project / tool
        if not found.ended:
            shutil.rmtree(suite, ignore_errors=True)
        suite.mkdir(exist_ok=True)
        if not list(suite.glob("test_*.py")):
            found.note = "no end" if not found.ended else f"nothing written: {told[-200:]}"
        found.removed = _remove_failing(suite, project)
        found.tests = sum(len(_tests(one)) for one in suite.glob("test_*.py"))
        found.covered, found.branches = _branches(suite, file, project)
        found.killed, found.mutants, note = _killed(suite, file, project, number)
        found.note = found.note or note
    return found


def _tests(file: Path) -> list[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    names = (getattr(node, "name", "") for node in tree.body)
    return [name for name in names if name.startswith("test_")]


def _remove_failing(suite: Path, project: Path) -> int:
    """Remove the tests that fail; return their number."""
    command = [sys.executable, "-m", "pytest", "-q", "-rfE", "--tb=no", str(suite)]
    _ended, _took, told = _run([*command, "-p", "no:cacheprovider"], project, SUITE_SECONDS)
    failing = set(re.findall(r"(?m)^(?:FAILED|ERROR) \S*?::(\w+)", told))
    for file in suite.glob("test_*.py"):
        text = file.read_text(encoding="utf-8")
        lines = text.splitlines(keepends=True)
        for node in reversed(ast.parse(text).body):
            if isinstance(node, ast.FunctionDef) and node.name in failing:
                first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
                del lines[first - 1 : node.end_lineno]
        file.write_text("".join(lines), encoding="utf-8")
    return len(failing)


def _branches(suite: Path, file: Path, project: Path) -> tuple[int, int]:
    """Return how many branches of a file a suite covers, and how many there are."""
    data, report = str(project / ".coverage"), project / "coverage.json"
    run = [sys.executable, "-m", "coverage"]
    source = [f"--include={file}", f"--data-file={data}"]
    tests = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:evosearch", str(suite)]
    _run([*run, "run", "--branch", *source, *tests], project, SUITE_SECONDS)
    _run([*run, "json", f"--data-file={data}", "-o", str(report)], project, SUITE_SECONDS)
    if not report.exists():
        return 0, _all_branches(file, project)
    totals = json.loads(report.read_text(encoding="utf-8"))["totals"]
    return totals["covered_branches"], totals["num_branches"]


def _all_branches(file: Path, project: Path) -> int:
    """Return the number of branches of a file that no test imports."""
    data, report = str(project / ".coverage"), project / "coverage.json"
    run = [sys.executable, "-m", "coverage"]
    with_it = [f"--include={file}", f"--data-file={data}", "-c", ""]
    idle = project / "idle.py"
    module = ".".join(file.relative_to(project).with_suffix("").parts)
    idle.write_text(f"import {module}\n", encoding="utf-8")
    _run([*run, "run", "--branch", *with_it[:2], str(idle)], project, SUITE_SECONDS)
    _run([*run, "json", f"--data-file={data}", "-o", str(report)], project, SUITE_SECONDS)
    return int(json.loads(report.read_text(encoding="utf-8"))["totals"]["num_branches"])


def _killed(suite: Path, file: Path, project: Path, number: int) -> tuple[int, int, str]:
    """Return how many changes of a sample a suite detects, how many there are, and a note."""
    population = places(mutated_files([file]), lambda _file, _line: True)
    mutants = sample(population, number, derive(1, "mutants"))
    if not list(suite.glob("test_*.py")):
        return 0, len(mutants), ""
    environment = {"PYTHONPATH": str(project), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    with tempfile.TemporaryDirectory(prefix="units-mutants-") as scratch:
        process = PytestProcess(project, (), environment)
        laboratory = Laboratory(process, [suite], [file], Path(scratch))
        survey = laboratory.survey()
        if isinstance(survey, str):
            return 0, len(mutants), survey
        found = try_all(laboratory, survey, mutants)
    if isinstance(found, str):
        return 0, len(mutants), found
    return sum(trial is not None and trial.failed for _mutant, trial in found), len(found), ""


# The command


def table(results: Sequence[Measured]) -> Iterator[str]:
    """Yield the lines of a table: a row for each module, both tools side by side."""
    yield (
        "| module | time, seed | branches: ours | Pynguin | changes detected: ours | Pynguin |"
        " tests: ours | Pynguin | seconds (of a processor): ours | Pynguin |"
    )
    yield "|---" * 10 + "|"
    pairs: dict[tuple[str, int, int], dict[str, Measured]] = {}
    for one in results:
        pairs.setdefault((one.module, one.seconds, one.seed), {})[one.tool] = one
    for (module, seconds, seed), both in pairs.items():
        if len(both) == 2:
            ours, theirs = both[OURS], both[THEIRS]
            cells = [f"{_share(one.covered, one.branches)}" for one in (ours, theirs)]
            cells += [f"{_share(one.killed, one.mutants)}" for one in (ours, theirs)]
            cells += [str(one.tests) for one in (ours, theirs)]
            cells += [_times(one) for one in (ours, theirs)]
            yield f"| {module} | {seconds} s, {seed} | {' | '.join(cells)} |"


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole}"


def _times(one: Measured) -> str:
    return f"{one.took:.0f} ({one.processor:.0f})" if one.ended else "no end"


def read(file: Path) -> list[Measured]:
    """Return the results of a file."""
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return [Measured(**json.loads(line)) for line in lines]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what has no result yet, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pynguin", description=__doc__)
    parser.add_argument("--modules", nargs="+", default=[*STANDARD, *PACKAGES, KERNELS])
    parser.add_argument("--tools", nargs="+", default=[OURS, THEIRS])
    parser.add_argument("--seconds", nargs="+", type=int, default=[60])
    parser.add_argument("--seeds", nargs="+", type=int, default=[1])
    parser.add_argument("--mutants", type=int, default=MUTANTS)
    parser.add_argument("--latest", type=float, default=LATEST, help="times its time")
    parser.add_argument("--results", type=Path, default=Path("results/pynguin.jsonl"))
    options = parser.parse_args(arguments)
    known = read(options.results)
    done = {(one.module, one.tool, one.seconds, one.seed) for one in known}
    options.results.parent.mkdir(parents=True, exist_ok=True)
    wanted: list[tuple[str, str, int, int]] = [
        (module, tool, seconds, seed)
        for seconds in options.seconds
        for seed in options.seeds
        for module in options.modules
        for tool in options.tools
    ]
    for job in wanted:
        if job not in done:
            cache = environments.default_cache()
            found = measure(*job, cache, options.mutants, options.latest)
            known.append(found)
            with options.results.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(found)) + "\n")
    print("\n".join(table(known)))


if __name__ == "__main__":
    main()
