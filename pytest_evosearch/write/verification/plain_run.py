"""Runs the written tests exactly as the user will: pytest, and nothing of ours in its process.

The other circumstances need plugins in the process (`recorded_run`), which change it. What they
change is not there when the user runs the tests:

    child_processes    ends the processes that a test leaves, and restores what their code replaced
    survival           replaces `os._exit`, `os.kill` and `threading.Thread.start`
    preserving         restores the project's files after each test
    perturbation       pauses between two calls (`Client.open`), keeps the order of the files
    observing          evaluates both sides of a failed assertion once more
    shortcuts          cheap password hashes, databases that do not wait for the disk
    ending             ends the process though threads of the application go on
    -p, PYTHONPATH     copies of plugins are imported, and found on `sys.path`

A plain run has none of these. It also has no pytest-evosearch, unless the project's own settings
cannot be read without it; then the plugin is there and does nothing. The project's other plugins
and settings stay as they are. There are exceptions, for the sake of the user's files and of the
same result each time:

    caches, temporary folders   in a scratch folder, as is the report
    pytest-cov                  writes no data
    pytest-xdist                starts no workers: they have a run of their own
    pytest-randomly             keeps the order of the files: other orders have runs of their own

Protection is outside. `write.plugins.supervising` is the parent process: it bounds the time, and
ends what is left. Only the process itself can know which files it creates and changes, and which
test is running when it dies. There, an audit hook takes notes (`write.plugins.plain`), which the
application cannot see.

Results come from the report that pytest itself writes for ``--junitxml``. A plain run says which
tests hold, and does not know why another fails: the verifier repeats modules with failures with the
plugins. A test that only fails in the plain run is repaired where the line of its assertion says
how, and else dropped.
"""

from __future__ import annotations

import ast
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

from pytest_evosearch.core.failing.putting_back import put_back_from
from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.scratch import scratch_folder
from pytest_evosearch.settings.phase_shares import HANGING_SECONDS
from pytest_evosearch.sut.sandbox import child_processes
from pytest_evosearch.write.plugins import orphaned
from pytest_evosearch.write.plugins import plain
from pytest_evosearch.write.plugins import preserving
from pytest_evosearch.write.plugins import supervising
from pytest_evosearch.write.plugins import traces
from pytest_evosearch.write.verification.circumstances import PLAIN
from pytest_evosearch.write.verification.collecting import left_unfinished
from pytest_evosearch.write.verification.fixture_trial import FEWEST_ALIKE
from pytest_evosearch.write.verification.fixture_trial import MODULE
from pytest_evosearch.write.verification.fixture_trial import FixtureFailure
from pytest_evosearch.write.verification.fixture_trial import failing_line
from pytest_evosearch.write.verification.fixture_trial import is_of_fixture
from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.verification.verdicts import LARGEST_CODE
from pytest_evosearch.write.verification.verdicts import NO_TIME
from pytest_evosearch.write.verification.verdicts import TESTS_FAILED
from pytest_evosearch.write.verification.verdicts import Failure
from pytest_evosearch.write.verification.verdicts import Verdict
from pytest_evosearch.write.verification.verdicts import ending_of
from pytest_evosearch.write.verification.verdicts import explained
from pytest_evosearch.write.verification.verdicts import name_of
from pytest_evosearch.write.verification.verdicts import refused
from pytest_evosearch.write.verification.verdicts import too_late

ALONE = "in a run with nothing but pytest"
"""The phrase for what only the plain run shows."""

_INTERRUPTED, _INTERNAL, _USAGE, _NO_TESTS = 2, 3, 4, 5
_MODULES = (child_processes, orphaned, preserving, traces, plain, supervising)
PLUGIN = "evosearch"
_MODULE = "pytest_evosearch.plugin"
_OUTER_SECONDS = supervising.GRACE_SECONDS + supervising.LINGERING_SECONDS + 5.0
"""Seconds for the supervising process to end its run."""

_CRASH_LINE = re.compile(r"^(.+\.py):(\d+): ", re.MULTILINE)


@dataclass(frozen=True)
class Case:
    """A result in the report."""

    file: str
    """Name of the module, without folders."""
    name: str
    """Name of the test with its parameters; empty where a module cannot be collected."""
    problem: str
    """What failed; empty for nothing."""
    text: str = ""
    """The traceback of what failed."""

    @property
    def test(self) -> str:
        """Return the name of the function."""
        return self.name.partition("[")[0]


@dataclass(frozen=True)
class PlainRun:
    """What is known after a run."""

    cases: tuple[Case, ...]
    has_report: bool
    steps: tuple[str, ...]
    """The node ids of tests in the order of their steps; the last one was running at the end."""
    ending: supervising.Ending | None
    """How pytest has ended; None when its supervisor was ended."""
    output: str
    changed: bool
    """Whether tests have changed files of the project; these are restored."""
    notice: str = ""
    """That pytest does not begin without the plugin, and why; said once."""

    @property
    def running(self) -> str:
        """Return the node id of the test that was running at the end, if it has no result."""
        last = self.steps[-1] if self.steps else ""
        file, _, name = last.partition("::")
        known = any((one.file, one.name) == (Path(file).name, name) for one in self.cases)
        return "" if known else last

    @property
    def is_silent(self) -> bool:
        """Say whether pytest has ended by itself and has not reported: it does not know how to."""
        ending = self.ending
        if ending is None or ending.is_stopped or self.has_report:
            return False
        return 0 <= ending.code <= LARGEST_CODE

    @property
    def is_refused(self) -> bool:
        """Say whether pytest has not begun, as without a plugin that the settings need."""
        code = self.ending.code if self.ending is not None else 0
        began = any(one.file for one in self.cases)  # an error of pytest itself has none
        return not began and not self.steps and code in (TESTS_FAILED, _INTERNAL, _USAGE)

    @property
    def is_unknown(self) -> bool:
        """Say whether nothing is known of any test."""
        return self.ending is None or self.is_silent

    @property
    def needs_explanation(self) -> bool:
        """Say whether the plugins must find out what is wrong with tests that are not named."""
        ending = self.ending
        if ending is None or (not self.has_report and not ending.is_stopped):
            return True
        return self.changed or ending.has_lingered or ending.left > 0


def modules_failing_alike(run: PlainRun, modules: Sequence[Path]) -> list[Path]:
    """Return a module with tests that fail alike in set-up or tear-down; none without such tests.

    Several tests must have failed so, most of them in one way.
    """
    found = [one for one in run.cases if is_of_fixture(one.problem)]
    said = Counter(one.problem for one in found).most_common(1)
    if not said or said[0][1] < FEWEST_ALIKE:
        return []
    first = next(one.file for one in found if one.problem == said[0][0])
    return [path for path in modules if path.name == first]


def failures_of_fixtures(run: PlainRun, conftest: Path) -> list[FixtureFailure]:
    """Return where fixtures of `conftest` have failed, once for each test.

    The run must have had the option `TRACEBACKS`.
    """
    failing = [one for one in run.cases if one.file == MODULE or is_of_fixture(one.problem)]
    found = (failing_line(one.problem, one.text, conftest) for one in failing if one.problem)
    return [one for one in found if one is not None]


def run_plainly(
    process: PytestProcess, targets: Sequence[Path], seconds: float, further: Sequence[str] = ()
) -> PlainRun:
    """Run `targets`, at most so long; find out whether the project needs the plugin.

    `further` are more options.  A busy machine makes a run longer (`supervising.MOST_TIMES`).
    """
    found = _run(process, targets, seconds, further)
    if found.is_refused and PLUGIN not in process.needed:
        process.needed.add(PLUGIN)
        with_plugin = _run(process, targets, seconds, further)
        if not with_plugin.is_refused:
            return replace(with_plugin, notice=refused(found.output))
        process.needed.discard(PLUGIN)
    return found


def without_plugin(arguments: Sequence[str]) -> tuple[str, ...]:
    """Return pytest's arguments without those that load pytest-evosearch as a module."""
    found: list[str] = []
    for argument in arguments:
        if argument == f"-p{_MODULE}" or (argument == _MODULE and found[-1:] == ["-p"]):
            del found[len(found) - (argument == _MODULE) :]
            continue
        found.append(argument)
    return tuple(found)


def _name(nodeid: str) -> str:
    return nodeid.partition("::")[2].partition("[")[0]


def _run(
    process: PytestProcess, targets: Sequence[Path], seconds: float, further: Sequence[str]
) -> PlainRun:
    with scratch_folder("verify") as scratch:
        notes = scratch / "notes"
        notes.mkdir()
        for module in _MODULES:
            file = Path(str(module.__file__))
            shutil.copyfile(file, scratch / f"evosearch_{file.name}")
        start = [process.python, str(scratch / "evosearch_plain.py"), str(notes)]
        options = [f"--junitxml={notes / supervising.REPORT}"]
        options += ["-o", "junit_family=xunit1", "-o", "junit_logging=no"]
        options += [*process.same_order, *further]
        if PLUGIN not in process.needed:
            process = replace(process, arguments=without_plugin(process.arguments))
            options += ["-p", f"no:{PLUGIN}"]
        arguments = process.pytest_arguments(targets, scratch)
        watch = ["-I", "-S", str(scratch / "evosearch_supervising.py"), str(seconds), str(notes)]
        command = [*watch, *start, *arguments, *options, f"--basetemp={scratch / 'temporary'}"]
        try:
            _, output = process.run(command, supervising.MOST_TIMES * seconds + _OUTER_SECONDS)
        finally:  # also when the user interrupts the search
            changed = bool(put_back_from(notes))
        return _read(notes, output, changed)


def _read(notes: Path, output: str, changed: bool) -> PlainRun:
    steps = notes / supervising.STEPS
    lines = steps.read_text("utf-8", "replace").splitlines() if steps.exists() else []
    cases = _cases(notes / supervising.REPORT)
    return PlainRun(
        cases=tuple(cases or ()),
        has_report=cases is not None,
        steps=tuple(line.rpartition(" (")[0] for line in lines),
        ending=_ending(notes / supervising.ENDING),
        output=output,
        changed=changed,
    )


def _ending(path: Path) -> supervising.Ending | None:
    try:
        return supervising.Ending(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return None


def _cases(report: Path) -> list[Case] | None:
    """Return the results in a report; None without a complete one."""
    try:
        root = ElementTree.parse(report).getroot()
    except (OSError, ElementTree.ParseError):
        return None
    # A test that was interrupted has an element without a name.
    return [_case(one) for one in root.iter("testcase") if one.get("name")]


def _case(element: ElementTree.Element) -> Case:
    found = [one for one in element if one.tag in ("failure", "error")]
    problem = _short(found[0].get("message") or found[0].text or "it failed") if found else ""
    is_module = not element.get("classname")
    name = "" if is_module else element.get("name", "")
    text = (found[0].text or "") if found else ""
    return Case(Path(element.get("file", "")).name, name, problem, text)


def _short(message: str) -> str:
    return " ".join([line for line in message.strip().splitlines() if line.strip()][:2])[:300]


def verdict_of(run: PlainRun, modules: Sequence[Path], *, is_limited: bool) -> Verdict:
    """Return what a run of `modules` says; `is_limited` says that the time may not suffice."""
    ending = run.ending
    if run.is_silent or ending is None:
        why = explained(ending.code if ending is not None else None, run.output, ALONE)
        return Verdict(notices=(why,))
    failures = _failures(run, modules)
    if run.running:
        failures += _of_running(run.running, run, ending, is_limited)
    late = list(_late(run, modules, failures)) if ending.is_stopped else []
    if late and is_limited:
        began = run.cases or run.steps
        return Verdict((*failures, *late), left_out=len(late)) if began else too_late(modules)
    if failures:
        return Verdict(tuple(failures))
    if late:
        return Verdict(broken=explained(None, run.output, PLAIN.name))
    return _without_failures(run, ending)


def _of_running(
    test: str, run: PlainRun, ending: supervising.Ending, is_limited: bool
) -> Iterator[Failure]:
    """Yield the failure of the test that was running at the end, if it is to blame for that."""
    if ending.is_stopped:
        if not is_limited or ending.idle > HANGING_SECONDS:
            yield _hung(test, f"{ALONE} it does not end")
    elif not run.has_report or ending.code == _INTERRUPTED:
        yield _hung(test, f"{ALONE} it ends the process ({ending_of(ending.code)})")


def _without_failures(run: PlainRun, ending: supervising.Ending) -> Verdict:
    """Return what a run without failures says of itself."""
    if ending.is_stopped or ending.has_lingered or ending.code in (0, _NO_TESTS):
        return Verdict()
    unfinished = left_unfinished(run.output) if ending.code == TESTS_FAILED and run.cases else ""
    if unfinished:
        return Verdict(unfinished=unfinished)
    return Verdict(broken=explained(ending.code, run.output, PLAIN.name))


def _failures(run: PlainRun, modules: Sequence[Path]) -> list[Failure]:
    """Return the failures of the report, each with its row and its line if these are known."""
    functions = {path.name: _functions(path) for path in modules}
    lines = [(Path(one[1]).name, int(one[2])) for one in _CRASH_LINE.finditer(run.output)]
    found: dict[tuple[str, str], Failure] = {}
    for case in run.cases:
        if not case.problem:
            continue
        function = functions.get(case.file, {}).get(case.test)
        if not case.name:
            failure = Failure(case.file, "", None, f"cannot be collected: {case.problem}")
        else:
            row, line = _row(function, case.name), _line(function, case.file, lines)
            reason = f"fails {ALONE}: {case.problem}"
            failure = Failure(case.file, case.test, row, reason, line=line)
        found.setdefault((case.file, case.name), failure)
    return list(found.values())


def _late(run: PlainRun, modules: Sequence[Path], failures: Sequence[Failure]) -> Iterator[Failure]:
    """Yield the tests of which not all rows have a result, without known failures."""
    known = {name_of(one) for one in failures}
    seen = Counter((one.file, one.test) for one in set(run.cases))
    for module in modules:
        for name, function in _functions(module).items():
            rows = max(1, len(_ids(function)))
            if seen[module.name, name] < rows and (module.name, name) not in known:
                yield Failure(module.name, name, None, NO_TIME, late=True)


def _hung(nodeid: str, reason: str) -> Failure:
    return Failure(Path(nodeid.partition("::")[0]).name, _name(nodeid), None, reason, hung=True)


def _functions(path: Path) -> Mapping[str, ast.FunctionDef]:
    try:
        body = ast.parse(path.read_text(encoding="utf-8", errors="replace")).body
    except SyntaxError:
        return {}
    functions = (one for one in body if isinstance(one, ast.FunctionDef))
    return {one.name: one for one in functions if one.name.startswith("test")}


def _ids(function: ast.FunctionDef | None) -> list[object]:
    """Return the ids of the rows of a test's table."""
    for one in function.decorator_list if function is not None else ():
        for keyword in one.keywords if isinstance(one, ast.Call) else ():
            if keyword.arg == "ids" and isinstance(keyword.value, (ast.List, ast.Tuple)):
                return [getattr(each, "value", None) for each in keyword.value.elts]
    return []


def _row(function: ast.FunctionDef | None, name: str) -> int | None:
    """Return the row with the id that a test has in its name; None when it is not clear."""
    given = name.partition("[")[2].removesuffix("]")
    ids = _ids(function)
    return ids.index(given) if ids.count(given) == 1 else None


def _line(function: ast.FunctionDef | None, file: str, lines: Sequence[tuple[str, int]]) -> int:
    """Return the line of a function at which a test has failed; 0 when it is not clear."""
    if function is None:
        return 0
    last = function.end_lineno or function.lineno
    return next(
        (line for path, line in lines if path == file and function.lineno <= line <= last), 0
    )
