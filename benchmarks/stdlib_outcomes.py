"""Runs test modules plain and instrumented at level 3, and compares every test's outcome.

    python -m benchmarks.stdlib_outcomes                       the standard library's own modules
    python -m benchmarks.stdlib_outcomes --only test_heapq     some of them
    python -m benchmarks.stdlib_outcomes --suite DIR PKG ...   the pytest suite in DIR, with PKG
                                                               instrumented (needs pytest)

Of the standard library both the test module and what it tests are instrumented, as far as the
latter was not imported before.  Each run is a process of its own.  Exit 1 when anything differs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

MODULES = (
    "test_abc",
    "test_argparse",
    "test_ast",
    "test_base64",
    "test_bisect",
    "test_bool",
    "test_calendar",
    "test_cmd",
    "test_codeop",
    "test_collections",
    "test_colorsys",
    "test_compare",
    "test_complex",
    "test_configparser",
    "test_contextlib",
    "test_contextlib_async",
    "test_copy",
    "test_csv",
    "test_dataclasses",
    "test_datetime",
    "test_decorators",
    "test_deque",
    "test_dict",
    "test_difflib",
    "test_enum",
    "test_enumerate",
    "test_exceptions",
    "test_filecmp",
    "test_fileinput",
    "test_fnmatch",
    "test_format",
    "test_fractions",
    "test_fstring",
    "test_functools",
    "test_generators",
    "test_genexps",
    "test_getopt",
    "test_glob",
    "test_graphlib",
    "test_grammar",
    "test_heapq",
    "test_html",
    "test_htmlparser",
    "test_http_cookies",
    "test_ipaddress",
    "test_isinstance",
    "test_itertools",
    "test_keyword",
    "test_list",
    "test_listcomps",
    "test_math",
    "test_named_expressions",
    "test_operator",
    "test_optparse",
    "test_patma",
    "test_pprint",
    "test_queue",
    "test_quopri",
    "test_random",
    "test_range",
    "test_re",
    "test_richcmp",
    "test_sched",
    "test_scope",
    "test_set",
    "test_setcomps",
    "test_shlex",
    "test_sort",
    "test_stat",
    "test_statistics",
    "test_string",
    "test_strptime",
    "test_strtod",
    "test_super",
    "test_textwrap",
    "test_tokenize",
    "test_traceback",
    "test_tuple",
    "test_types",
    "test_typing",
    "test_unpack",
    "test_urlparse",
    "test_userdict",
    "test_uuid",
    "test_wave",
    "test_weakref",
    "test_weakset",
    "test_with",
    "test_zipapp",
)

PACKAGES = (
    "argparse",
    "ast",
    "base64",
    "bisect",
    "calendar",
    "cmd",
    "codeop",
    "collections",
    "colorsys",
    "configparser",
    "contextlib",
    "copy",
    "csv",
    "dataclasses",
    "datetime",
    "difflib",
    "enum",
    "filecmp",
    "fileinput",
    "fnmatch",
    "fractions",
    "functools",
    "getopt",
    "glob",
    "graphlib",
    "heapq",
    "html",
    "http.cookies",
    "ipaddress",
    "json",
    "optparse",
    "pprint",
    "queue",
    "quopri",
    "random",
    "sched",
    "shlex",
    "statistics",
    "string",
    "_strptime",
    "textwrap",
    "tokenize",
    "types",
    "typing",
    "urllib.parse",
    "uuid",
    "wave",
    "weakref",
    "zipapp",
)
"""What is instrumented besides the test module."""

MOST_PRINTED = 20
"""Differing tests of a module that are printed."""

LIMIT = 600
"""Seconds for one run."""


def run_unittest(name: str, instrumented: bool) -> dict[str, str]:
    """Run ``test.<name>`` in this process and return each test's outcome."""
    import unittest

    if instrumented:
        recording = _install([f"test.{name}", *PACKAGES])
        for package in PACKAGES:
            if package not in _NEEDED_BY_US:
                sys.modules.pop(package, None)
    suite = unittest.defaultTestLoader.loadTestsFromName(f"test.{name}")
    _leave_out_known(suite)
    result = _Outcomes(open(os.devnull, "w"), descriptions=False, verbosity=0)  # noqa: SIM115, PTH123
    if instrumented:
        recording.begin()
        recording.run(suite.run, result)
        recording.end()
        if recording.notices:
            result.found["notices"] = "; ".join(recording.notices)
    else:
        suite.run(result)
    return result.found


KNOWN_DIFFERENCES = {
    "test_recursion_in_except_handler": "lowers the recursion limit to ten frames above its own: "
    "a probe needs one of them where the limit is restored",
}
"""Tests that cannot come out alike, and that would take others with them."""


def _leave_out_known(suite: object) -> None:
    for each in list(suite):  # type: ignore[call-overload]
        if hasattr(each, "_tests"):
            _leave_out_known(each)
        elif getattr(each, "_testMethodName", None) in KNOWN_DIFFERENCES:
            suite._tests.remove(each)  # type: ignore[attr-defined]


def _install(names: Sequence[str]):  # type: ignore[no-untyped-def]
    from pytest_evosearch.instrument import install
    from pytest_evosearch.instrument.loading.module_selection import Selection

    class Everything(Selection):
        """Test modules are what is instrumented here."""

        def accepts(self, name: str, file: Path) -> bool:
            """See `Selection.accepts`."""
            return self.may_accept(name)

    return install(Everything(packages=tuple(names)), level=3)


_NEEDED_BY_US = frozenset(
    [
        "ast",
        "collections",
        "contextlib",
        "copy",
        "dataclasses",
        "datetime",
        "enum",
        "functools",
        "json",
        "random",
        "types",
        "typing",
        "uuid",
        "weakref",
        "fractions",
        "argparse",
        "ipaddress",
        "tokenize",
    ]
)
"""Modules whose objects this process already holds: a second copy would not be equal to it."""


def _text(error: BaseException) -> str:
    try:
        return str(error)[:300]
    except Exception as unprintable:  # the tests of exceptions make such
        return type(unprintable).__name__


def _outcomes_class() -> type:
    import unittest

    class Outcomes(unittest.TextTestResult):
        """Collects outcomes by test."""

        def __init__(self, stream: object, descriptions: bool, verbosity: int) -> None:
            import unittest.runner

            wrapped = unittest.runner._WritelnDecorator(stream)
            super().__init__(wrapped, descriptions, verbosity)
            self.found: dict[str, str] = {}

        def addSuccess(self, test):  # noqa: N802, ANN
            self.found.setdefault(test.id(), "passed")

        def addFailure(self, test, err):  # noqa: N802
            self.found[test.id()] = f"failed: {_text(err[1])}"

        def addError(self, test, err):  # noqa: N802
            self.found[test.id()] = f"error: {err[0].__name__}: {_text(err[1])}"

        def addSkip(self, test, reason):  # noqa: N802
            self.found[test.id()] = "skipped"

        def addExpectedFailure(self, test, err):  # noqa: N802
            self.found[test.id()] = "xfailed"

        def addUnexpectedSuccess(self, test):  # noqa: N802
            self.found[test.id()] = "xpassed"

        def addSubTest(self, test, subtest, err):  # noqa: N802
            if err is not None:
                self.found[subtest.id()] = f"failed: {_text(err[1])}"

    return Outcomes


_Outcomes = _outcomes_class()


def run_pytest(folder: str, packages: Sequence[str], instrumented: bool) -> dict[str, str]:
    """Run the pytest suite in `folder` in this process and return each test's outcome."""
    import pytest

    found: dict[str, str] = {}

    class Collector:
        def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
            if report.when == "call" or report.outcome != "passed":
                found[report.nodeid] = f"{report.when} {report.outcome}"

    arguments = ["-q", "-p", "no:cacheprovider", "-p", "no:randomly", "-p", "no:evosearch", folder]
    if not instrumented:
        pytest.main(arguments, plugins=[Collector()])
        return found
    recording = _install(packages)
    recording.begin()
    recording.run(pytest.main, arguments, [Collector()])
    touched = recording.end().scores
    found["instrumented"] = str(bool(touched))
    if recording.notices:
        found["notices"] = "; ".join(recording.notices)
    return found


def in_a_process(arguments: Sequence[str]) -> dict[str, str]:
    """Run this script with `arguments`, which ask for one run, and return the outcomes."""
    paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": paths, "PYTHONHASHSEED": "0"}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # they import what is to be tested
    command = [sys.executable, "-m", "benchmarks.stdlib_outcomes", *arguments]
    try:
        done = subprocess.run(
            command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=LIMIT
        )
    except subprocess.TimeoutExpired:
        return {"process": "timeout"}
    marker = done.stdout.rfind("OUTCOMES ")
    if marker < 0:
        return {"process": f"exit {done.returncode}: {done.stderr[-300:]}"}
    outcomes: dict[str, str] = json.loads(done.stdout[marker + len("OUTCOMES ") :])
    return outcomes


def compare(name: str, arguments: Sequence[str]) -> tuple[int, int]:
    """Run plain and instrumented, print a row, return (tests, tests that differ)."""
    plain = in_a_process([*arguments, "--run", "plain"])
    instrumented = in_a_process([*arguments, "--run", "instrumented"])
    active = instrumented.pop("instrumented", "True")
    differing = [
        test
        for test in sorted({*plain, *instrumented})
        if _kind(plain.get(test)) != _kind(instrumented.get(test))
    ]
    print(f"{name:28} {len(plain):6} {len(differing):6} {'' if active == 'True' else 'inactive'}")
    for test in differing[:MOST_PRINTED]:
        print(f"    {test}\n        {plain.get(test)}\n        {instrumented.get(test)}")
    sys.stdout.flush()
    return len(plain), len(differing)


def _kind(outcome: str | None) -> str | None:
    """Return the outcome without its message, which may hold addresses and times."""
    return None if outcome is None else outcome.partition(":")[0]


def main() -> int:
    """Compare what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="+", default=MODULES)
    parser.add_argument("--suite", nargs="+")
    parser.add_argument("--run", choices=["plain", "instrumented"])
    options = parser.parse_args()
    if options.run:
        instrumented = options.run == "instrumented"
        if options.suite:
            found = run_pytest(options.suite[0], options.suite[1:], instrumented)
        else:
            found = run_unittest(options.only[0], instrumented)
        sys.stdout.write("OUTCOMES " + json.dumps(found))
        sys.stdout.flush()
        os._exit(0)
    started = time.monotonic()
    print(f"Python {sys.version.split()[0]}\n{'module':28} {'tests':>6} {'differ':>6}")
    if options.suite:
        rows = [compare(options.suite[1], ["--suite", *options.suite])]
    else:
        rows = [compare(name, ["--only", name]) for name in options.only if _exists(name)]
    tests, differing = sum(row[0] for row in rows), sum(row[1] for row in rows)
    print(f"{len(rows)} modules, {tests} tests, {differing} differ", end=", ")
    print(f"{time.monotonic() - started:.0f} s")
    return 1 if differing else 0


def _exists(name: str) -> bool:
    import test

    return any(
        (Path(folder) / place).exists()
        for folder in test.__path__
        for place in (f"{name}.py", name)
    )


if __name__ == "__main__":
    sys.exit(main())
