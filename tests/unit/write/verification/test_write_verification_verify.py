from __future__ import annotations

import json
import os
import re
import sys
import time
from pathlib import Path

import pytest

from pytest_evosearch.bridge.command_line.pytest_options import VERIFYING as OPTIONS_VARIABLE
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash
from pytest_evosearch.write.content.environment import importable_exceptions
from pytest_evosearch.write.content.environment import is_library
from pytest_evosearch.write.content.faults import fault_mark
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.verification.circumstances import ALL
from pytest_evosearch.write.verification.circumstances import JOINED
from pytest_evosearch.write.verification.circumstances import MOVED
from pytest_evosearch.write.verification.circumstances import PLAIN
from pytest_evosearch.write.verification.circumstances import STRICT
from pytest_evosearch.write.verification.extent import Extent
from pytest_evosearch.write.verification.limits import NEVER
from pytest_evosearch.write.verification.limits import Limits
from pytest_evosearch.write.verification.proven_tests import fingerprints
from pytest_evosearch.write.verification.pytest_process import VERIFYING as PROCESS_VARIABLE
from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.verification.single_runs import TESTS_IN_A_HURRY
from pytest_evosearch.write.verification.tidying import tidied
from pytest_evosearch.write.verification.verdicts import Verdict
from pytest_evosearch.write.verification.verify import FreshInterpreters

pytestmark = pytest.mark.usefixtures("with_xdist")

FAILED = {"report": "t/test_a.py::test_x[1]", "outcome": "failed", "reason": "assert 1 == 2"}


GIVEN = """
import pytest

def pytest_generate_tests(metafunc):
    metafunc.parametrize("backend", ["memory", "sqlite"])

@pytest.fixture(params=[1, 2], autouse=True)
def server(backend):
    pass
"""


def test_a_row_is_one_of_the_tests_own_table(tmp_path: Path) -> None:
    """Fixtures and hooks of the project may multiply every test."""
    (tmp_path / "conftest.py").write_text(GIVEN)
    (tmp_path / "test_a.py").write_text(
        "import pytest\n\n@pytest.mark.parametrize(('a', 'b'), [(1, 2), (3, 3)])\n"
        "def test_x(a, b): assert a == b\n\ndef test_y(): assert False\n"
    )

    failures = FreshInterpreters(PytestProcess(tmp_path), [PLAIN])(tmp_path, 2).failures

    assert {(one.test, one.row) for one in failures} == {("test_x", 0), ("test_y", None)}


def test_process_that_does_not_end_is_cut_off(tmp_path: Path) -> None:
    process = PytestProcess(tmp_path)

    code, output = process.run(["-c", "print('on', flush=True); import time; time.sleep(60)"], 1.0)

    assert code is None
    assert output.strip() == "on"


def test_settings_of_the_session_are_not_inherited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("PYTEST_ADDOPTS", "EVOSEARCH_X", "PYTEST_XDIST_WORKER"):
        monkeypatch.setenv(name, "1")
    # Those of these tests are meant to be inherited.
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    monkeypatch.delenv("PYTEST_PLUGINS")
    command = [
        "-c",
        "import os; print(sorted(n for n in os.environ if 'EVOSEARCH' in n or 'PYTEST' in n))",
    ]

    _, output = PytestProcess(tmp_path).run(command, 30.0, {"EVOSEARCH_VERIFY_LOG": "log"})

    assert (
        output.strip()
        == "['EVOSEARCH_VERIFYING', 'EVOSEARCH_VERIFY_LOG', 'EVOSEARCH_VERIFY_PARENT']"
    )


def test_libraries_are_told_from_the_application(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own_app_module.py").write_text("class Broken(Exception):\n    pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    __import__("own_app_module")

    assert is_library("sqlite3", tmp_path)
    assert is_library("pytest", tmp_path)
    assert not is_library("own_app_module", tmp_path)
    assert not is_library("never_imported_at_all", tmp_path)
    del sys.modules["own_app_module"]


def crashing(crash: Crash, response: Response | None = None) -> Specimen:
    fault = Fault("crash", "GET /", crash.type_name, "a.py:1", crash.message, 0, "t")
    return Specimen((Exchange(Request("GET", "/"), response, None, crash),), fault=fault)


@pytest.mark.parametrize(
    ("module", "kind", "written"),
    [
        ("builtins", "KeyError", ("KeyError", "")),
        ("builtins", "len", ("Exception", "")),
        ("decimal", "InvalidOperation", ("InvalidOperation", "decimal")),
        ("shop.errors", "OutOfStock", ("Exception", "")),
    ],
)
def test_exception_is_imported_from_libraries_only(
    tmp_path: Path, module: str, kind: str, written: tuple[str, str]
) -> None:
    __import__("decimal")
    specimen = crashing(Crash(kind, module, "m", "a.py", 1, "f", ""))
    assert specimen.fault is not None
    libraries = importable_exceptions([specimen], tmp_path)

    mark = fault_mark(specimen.fault, specimen.act, "xfail", libraries)

    assert (mark.exception, mark.module) == written


def test_answered_fault_expects_an_assertion_to_fail() -> None:
    specimen = crashing(
        Crash("ValueError", "builtins", "a 0x7f00aa b", "a.py", 1, "f", ""), Response(500)
    )
    assert specimen.fault is not None

    mark = fault_mark(specimen.fault, specimen.act, "xfail", frozenset())

    assert mark.exception == "AssertionError"
    assert mark.reason == "a.py:1: a ... b"


def test_reason_of_a_missing_key_says_that_it_is_one() -> None:
    specimen = crashing(Crash("KeyError", "builtins", "'size'", "a.py", 1, "f", ""))
    assert specimen.fault is not None

    mark = fault_mark(specimen.fault, specimen.act, "xfail", frozenset())

    assert mark.reason == "a.py:1: KeyError: 'size'"


def test_reason_stops_before_the_statement() -> None:
    message = "UNIQUE constraint failed: a.b [SQL: INSERT INTO a (b) VALUES (?)] (Background ...)"
    specimen = crashing(Crash("IntegrityError", "sqlalchemy.exc", message, "a.py", 1, "f", ""))
    assert specimen.fault is not None

    mark = fault_mark(specimen.fault, specimen.act, "xfail", frozenset())

    assert mark.reason == "a.py:1: UNIQUE constraint failed: a.b"


def test_paths_of_this_machine_are_neither_told_nor_expected(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    message = f"[Errno 21] Is a directory: '{tmp_path / 'static'}'"
    specimen = crashing(Crash("IsADirectoryError", "builtins", message, "a.py", 1, "f", ""))
    assert specimen.fault is not None

    mark = fault_mark(specimen.fault, specimen.act, "raises", frozenset())

    assert mark.reason == "a.py:1: [Errno 21] Is a directory: 'static'"
    assert re.search(mark.match, message)
    assert tmp_path.name not in mark.match


def test_runs_do_not_search_though_the_project_asks_for_it(tmp_path: Path) -> None:
    process = PytestProcess(tmp_path)
    show = "import os; print(os.environ['EVOSEARCH_VERIFYING'])"

    assert process.run(["-c", show], 30) == (0, "1\n")
    assert PROCESS_VARIABLE == OPTIONS_VARIABLE


def test_runs_keep_their_bytecode_with_the_cache_and_not_beside_the_tests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "pycache_prefix", None)
    (tmp_path / ".pytest_cache").mkdir()
    (tmp_path / "shop.py").write_text("PRICE = 1\n")
    process = PytestProcess(tmp_path)

    assert process.run(["-c", "import shop"], 30) == (0, "")
    assert process.bytecode is not None
    assert [path.name.partition(".")[0] for path in process.bytecode.rglob("shop*")] == ["shop"]
    assert not (tmp_path / "__pycache__").exists()

    process.forget_bytecode(tmp_path)

    assert not list(process.bytecode.rglob("shop*"))


def test_no_bytecode_is_written_where_pytest_keeps_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "pycache_prefix", None)
    monkeypatch.delenv("PYTHONPYCACHEPREFIX", raising=False)
    show = "import sys; print(sys.dont_write_bytecode, sys.pycache_prefix)"

    assert PytestProcess(tmp_path).run(["-c", show], 30) == (0, "True None\n")


def test_what_only_this_process_has_set_is_not_there_in_a_run_of_the_tests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_NAME", "books")
    began_with = dict(os.environ)
    monkeypatch.setenv("SHOP_SECRET", "stand-in")
    monkeypatch.setenv("SHOP_NAME", "changed")
    show = "import os; print(os.getenv('SHOP_SECRET'), os.getenv('SHOP_NAME'))"

    assert PytestProcess(tmp_path, inherited=began_with).run(["-c", show], 30) == (
        0,
        "None books\n",
    )


DISTURBED = """\
import pathlib
import time

PLACE = pathlib.Path(__file__).with_name("taken")
MET = pathlib.Path(__file__).with_name("met")


def test_alone():
    try:
        PLACE.touch(exist_ok=False)
    except FileExistsError:
        MET.touch()
        raise
    end = time.monotonic() + 1.5
    while not MET.exists() and time.monotonic() < end:
        time.sleep(0.01)
    PLACE.unlink()
"""


@pytest.mark.slow("whole pytest runs of written tests")
def test_what_fails_only_beside_other_runs_is_run_again_by_itself(tmp_path: Path) -> None:
    (tmp_path / "test_evosearch_a.py").write_text(DISTURBED)
    told: list[str] = []
    alone = [one for one in ALL if not one.workers and one is not STRICT]

    verify = FreshInterpreters(PytestProcess(tmp_path), alone, told.append, 2)
    verdict = verify(tmp_path, 1)

    assert verdict.failures == ()
    assert told[:2] == [alone[0].name, "under 2 other circumstances"]
    assert len(told) > 2


COUNTS_THREADS = """\
import threading


def test_threads():
    assert threading.active_count() == 1
"""


def test_what_counts_threads_fails_before_it_is_kept(tmp_path: Path) -> None:
    """Under pytest-xdist there is one thread more."""
    (tmp_path / "test_evosearch_a.py").write_text(COUNTS_THREADS)
    ways = [one for one in ALL if one is PLAIN or "EVOSEARCH_VERIFY_THREADS" in one.environment]

    verdict = FreshInterpreters(PytestProcess(tmp_path), ways)(tmp_path, 1)

    (failure,) = verdict.failures
    assert (failure.test, failure.reason.partition(": ")[0]) == ("test_threads", "unstable")


WHO_AM_I = """\
import os
from pathlib import Path


def test_alone():
    Path(__file__).with_suffix(".pid").write_text(str(os.getpid()))
"""


@pytest.mark.parametrize(
    ("tests", "seconds", "processes"),
    [(2, 600.0, 1), (TESTS_IN_A_HURRY, 600.0, 2), (TESTS_IN_A_HURRY, NEVER, 1)],
)
def test_many_tests_are_run_in_parts_at_once_where_time_is_limited(
    tmp_path: Path, tests: int, seconds: float, processes: int
) -> None:
    folder = tmp_path / "written"
    folder.mkdir()
    for name in ("a", "b", "c"):
        (folder / f"test_evosearch_{name}.py").write_text(WHO_AM_I)
    verify = FreshInterpreters(PytestProcess(tmp_path), [PLAIN], width=2)
    verify.limits = Limits(lambda: seconds)

    verdict = verify(folder, tests)

    assert not verdict.failures
    numbers = [path.read_text() for path in folder.glob("*.pid")]
    assert (len(numbers), len(set(numbers))) == (3, processes)


COUNTED = """\
from pathlib import Path


def test_{name}():
    runs = Path(__file__).with_suffix(".runs")
    runs.write_text((runs.read_text() if runs.exists() else "") + "x")
    assert {holds}
"""


def test_after_a_repair_the_modules_that_held_wait_for_the_others(tmp_path: Path) -> None:
    folder = tmp_path / "written"
    folder.mkdir()
    told: list[str] = []

    def put(name: str, holds: bool) -> None:
        (folder / f"test_evosearch_{name}.py").write_text(COUNTED.format(name=name, holds=holds))

    def runs() -> dict[str, int]:
        return {path.stem[-1]: len(path.read_text()) for path in folder.glob("*.runs")}

    put("a", True)
    put("b", False)
    put("c", False)
    verify = FreshInterpreters(PytestProcess(tmp_path), [PLAIN], told.append, width=1)

    assert {failure.test for failure in verify(folder, 3).failures} == {"test_b", "test_c"}
    put("b", True)
    assert [failure.test for failure in verify(folder, 3).failures] == ["test_c"]
    assert runs() == {"a": 1, "b": 3, "c": 4}  # a failure is repeated with the plugins
    put("c", True)
    assert verify(folder, 3) == Verdict()
    assert runs() == {"a": 2, "b": 4, "c": 6}


def test_all_modules_are_run_again_when_their_fixtures_changed(tmp_path: Path) -> None:
    folder = tmp_path / "written"
    folder.mkdir()
    for name, holds in (("a", True), ("b", False)):
        (folder / f"test_evosearch_{name}.py").write_text(COUNTED.format(name=name, holds=holds))
    verify = FreshInterpreters(PytestProcess(tmp_path), [PLAIN], width=1)

    verify(folder, 2)
    (folder / "conftest.py").write_text("def pytest_configure(): pass\n")
    verify(folder, 2)

    assert (folder / "test_evosearch_a.runs").read_text() == "xx"


MADE_ONCE = """\
from pathlib import Path

import pytest

MADE = Path(__file__).parents[1] / "made.txt"


def test_made():
    assert not MADE.exists()
    MADE.write_text("closed")
"""


def test_an_unchanged_run_finds_no_file_that_an_earlier_run_has_made(tmp_path: Path) -> None:
    folder = tmp_path / "written"
    folder.mkdir()
    (folder / "test_evosearch_a.py").write_text(MADE_ONCE)
    (folder / "test_evosearch_b.py").write_text(COUNTED.format(name="b", holds=False))
    with tidied(PytestProcess(tmp_path)) as process:
        verify = FreshInterpreters(process, [PLAIN], width=1)

        assert [failure.test for failure in verify(folder, 2).failures] == ["test_b"]
        (folder / "test_evosearch_b.py").write_text(COUNTED.format(name="b", holds=True))
        assert verify(folder, 2) == Verdict()


FAILS_PLAINLY = """\
import pytest


@pytest.fixture(autouse=True)
def repaired(pytestconfig):
    assert "error" in (pytestconfig.getoption("pythonwarnings") or [])
"""


def test_new_fixtures_are_run_unchanged_too_though_only_other_circumstances_failed(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "written"
    folder.mkdir()
    (folder / "test_evosearch_a.py").write_text(WARNS)
    verify = FreshInterpreters(PytestProcess(tmp_path), [PLAIN, STRICT], width=1)

    (failure,) = verify(folder, 1).failures
    assert failure.warning == "DeprecationWarning"
    (folder / "test_evosearch_a.py").write_text(COUNTED.format(name="a", holds=True))
    (folder / "conftest.py").write_text(FAILS_PLAINLY)

    assert [failure.test for failure in verify(folder, 1).failures] == ["test_a"]


HANGS = """\
import time


def test_{name}():
    time.sleep(600)
"""


@pytest.mark.slow("whole pytest runs of written tests")
def test_what_comes_after_a_test_that_hangs_was_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_evosearch.write.verification.single_runs.START_UP_SECONDS", 6.0)
    monkeypatch.setattr("pytest_evosearch.write.verification.single_runs.SECONDS_PER_TEST", 0.0)
    folder = tmp_path / "written"
    folder.mkdir()
    (folder / "test_evosearch_a.py").write_text(HANGS.format(name="a"))
    (folder / "test_evosearch_b.py").write_text(COUNTED.format(name="b", holds=True))
    # pytest-randomly, where it is installed, would run the other module first now and then.
    process = PytestProcess(tmp_path, ("-p", "no:randomly"))
    verify = FreshInterpreters(process, [PLAIN], width=1)

    assert [failure.hung for failure in verify(folder, 2).failures] == [True]
    assert verify.held == {}
    (folder / "test_evosearch_a.py").write_text(COUNTED.format(name="a", holds=True))
    assert verify(folder, 2) == Verdict()

    assert (folder / "test_evosearch_b.runs").read_text() == "x"


def test_one_process_at_a_time_measures_after_the_other_circumstances(tmp_path: Path) -> None:
    folder = tmp_path / "written"
    folder.mkdir()
    (folder / "test_evosearch_a.py").write_text(COUNTED.format(name="a", holds=True))
    seen: list[str] = []

    def measure(_folder: Path) -> None:
        seen.append((folder / "test_evosearch_a.runs").read_text())

    verify = FreshInterpreters(PytestProcess(tmp_path), [PLAIN, STRICT], width=1, beside=measure)

    assert verify(folder, 1) == Verdict()
    assert seen == ["xx"]


WARNS = """\
import warnings


def test_warns():
    warnings.warn("old", DeprecationWarning)
"""


@pytest.mark.slow("whole pytest runs of written tests")
def test_other_circumstances_are_repeated_with_what_failed_under_them(tmp_path: Path) -> None:
    folder = tmp_path / "written"
    folder.mkdir()
    counted = COUNTED.format(name="a", holds=True)
    (folder / "test_evosearch_a.py").write_text(counted)
    (folder / "test_evosearch_b.py").write_text(WARNS)
    verify = FreshInterpreters(PytestProcess(tmp_path), [PLAIN, STRICT], width=1)

    (failure,) = verify(folder, 2).failures
    assert (failure.test, failure.warning) == ("test_warns", "DeprecationWarning")
    runs = (folder / "test_evosearch_a.runs").read_text()
    (folder / "test_evosearch_b.py").write_text(COUNTED.format(name="b", holds=True))

    assert verify(folder, 2) == Verdict()
    assert (folder / "test_evosearch_a.runs").read_text() == runs
    assert (folder / "test_evosearch_b.runs").read_text() == "x"


ONCE = """\
from pathlib import Path

FAILED = Path(__file__).with_name("failed")


def test_alone():
    first = not FAILED.exists()
    FAILED.touch()
    assert not first
"""


@pytest.mark.slow("whole pytest runs of written tests")
def test_what_fails_now_and_then_is_not_put_down_to_warnings(tmp_path: Path) -> None:
    (tmp_path / "test_evosearch_a.py").write_text(ONCE)
    verify = FreshInterpreters(PytestProcess(tmp_path), [STRICT], width=1)

    verdict = verify(tmp_path, 1)

    assert [failure.test for failure in verdict.failures] == ["test_alone"]
    assert verdict.notices == ()


BROKEN_BY_A_WARNING = """\
import warnings
from pathlib import Path


def test_page():
    Path(__file__).with_name("ran").touch()
    try:
        warnings.warn("old", DeprecationWarning)
        status = 200
    except DeprecationWarning:
        status = 500
    assert status == 200
"""


@pytest.mark.slow("whole pytest runs of written tests")
def test_what_a_warning_of_the_application_breaks_is_kept_where_time_ends(tmp_path: Path) -> None:
    (tmp_path / "test_evosearch_a.py").write_text(BROKEN_BY_A_WARNING)
    limits = Limits(lambda: 0.0 if (tmp_path / "ran").exists() else 60.0)
    verify = FreshInterpreters(PytestProcess(tmp_path), [STRICT], width=1, limits=limits)

    verdict = verify(tmp_path, 1)

    assert verdict.failures == ()
    (notice,) = verdict.notices
    assert notice.startswith("1 written tests fail where warnings are errors")


ORDERED = """\
import os


def test_a():
    assert os.environ.get("PYTHONHASHSEED") != "4242"
"""


def test_two_circumstances_share_a_run_until_something_fails(tmp_path: Path) -> None:
    folder = tmp_path / "written"
    folder.mkdir()
    for name in "ab":
        text = COUNTED.format(name=name, holds=True)
        (folder / f"test_evosearch_{name}.py").write_text(text)
    told: list[str] = []
    process = PytestProcess(tmp_path)
    verify = FreshInterpreters(process, [MOVED, STRICT], told.append, 1)

    assert verify(folder, 2) == Verdict()
    assert (folder / "test_evosearch_a.runs").read_text() == "x"

    (folder / "test_evosearch_a.py").write_text(ORDERED)
    verify = FreshInterpreters(process, [MOVED, STRICT], told.append, 1)
    (failure,) = verify(folder, 2).failures
    assert failure.test == "test_a"
    assert failure.reason.startswith(f"unstable: fails {MOVED.name}: ")
    assert list(verify.circumstances) == [MOVED]
    assert (folder / "test_evosearch_b.runs").read_text() == "x" + "x"  # only failures again


OBSERVES = """\
import json
import os
import time
import warnings
from pathlib import Path

warnings.warn("old", DeprecationWarning)


def test_{name}():
    seen = {{
        "name": "{name}",
        "hash": os.environ["PYTHONHASHSEED"],
        "zone": os.environ.get("TZ"),
        "time": time.time(),
        "warnings": warnings.filters[0][0],
    }}
    with Path(__file__).with_name("seen").open("a") as file:
        file.write(json.dumps(seen) + "\\n")
"""


def test_the_shared_run_is_as_demanding_as_both(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"test_evosearch_{name}.py").write_text(OBSERVES.format(name=name))

    verify = FreshInterpreters(PytestProcess(tmp_path), JOINED, width=1)

    assert verify(tmp_path, 2) == Verdict()
    seen = [json.loads(line) for line in (tmp_path / "seen").read_text().splitlines()]
    assert [one["name"] for one in seen] == ["b", "a"]
    assert {(one["hash"], one["zone"]) for one in seen} == {("4242", "Pacific/Kiritimati")}
    assert all(one["time"] > time.time() + 9000 * 3600 for one in seen)
    assert {one["warnings"] for one in seen} == {"error"}


@pytest.mark.slow("whole pytest runs of written tests")
def test_warnings_are_errors_in_the_shared_run_and_then_in_one_of_their_own(
    tmp_path: Path,
) -> None:
    (tmp_path / "test_evosearch_a.py").write_text(WARNS)

    verdict = FreshInterpreters(PytestProcess(tmp_path), JOINED)(tmp_path, 1)

    (failure,) = verdict.failures
    assert (failure.test, failure.warning) == ("test_warns", "DeprecationWarning")


def test_something_else_is_done_beside_the_other_runs(tmp_path: Path) -> None:
    (tmp_path / "test_evosearch_a.py").write_text(COUNTED.format(name="a", holds=True))
    seen: list[Path] = []
    verify = FreshInterpreters(PytestProcess(tmp_path), [STRICT], width=2, beside=seen.append)

    verify(tmp_path, 1)
    (tmp_path / "conftest.py").write_text("")
    verify(tmp_path, 1)

    assert seen == [tmp_path]


NOW_AND_THEN = """\
from pathlib import Path

RUNS = Path(__file__).with_name("runs")


def test_alone():
    RUNS.touch()
    with RUNS.open("a") as file:
        file.write("x")
    assert RUNS.stat().st_size not in (1, 5)
"""


@pytest.mark.slow("whole pytest runs of written tests")
def test_what_failed_once_has_to_hold_in_several_further_runs(tmp_path: Path) -> None:
    """It fails beside other runs, holds alone, and fails again by chance later."""
    (tmp_path / "test_evosearch_a.py").write_text(NOW_AND_THEN)
    verify = FreshInterpreters(PytestProcess(tmp_path), [MOVED, STRICT], width=2)

    verdict = verify(tmp_path, 1)

    assert {failure.test for failure in verdict.failures} == {"test_alone"}


SLOW = """\
import time


def test_first():
    pass


def test_second():
    time.sleep(600)
"""


@pytest.mark.slow("whole pytest runs of written tests")
def test_what_was_not_run_in_time_is_not_kept_and_nothing_else_is_begun(tmp_path: Path) -> None:
    (tmp_path / "test_evosearch_a.py").write_text(SLOW)
    end = time.monotonic() + 8.0
    limits = Limits(lambda: end - time.monotonic(), least=5.0, first_run=8.0)
    process = PytestProcess(tmp_path, ("-p", "no:randomly"))

    verdict = FreshInterpreters(process, [PLAIN, MOVED], limits=limits)(tmp_path, 2)

    assert [(one.test, one.late) for one in verdict.failures] == [("test_second", True)]
    assert (verdict.is_last, verdict.left_out) == (True, 1)
    assert verdict.extent == f"verified in a fresh interpreter; no time to run them {MOVED.name}"


def test_what_has_held_in_all_circumstances_runs_only_as_it_is(tmp_path: Path) -> None:
    runs = tmp_path / "runs.txt"
    text = "def test_{0}():\n    with open({1!r}, 'a') as file:\n        file.write('{0} ')\n\n\n"
    module = tmp_path / "test_evosearch_a.py"
    module.write_text("".join(text.format(name, str(runs)) for name in ("old", "new")))
    known = fingerprints(tmp_path, [module])
    extent = Extent({known[module.name, "test_old", None]})
    verifier = FreshInterpreters(PytestProcess(tmp_path), [PLAIN, MOVED], extent=extent)

    assert verifier(tmp_path, 2) == Verdict()

    assert sorted(runs.read_text().split()) == ["new", "new", "old"]
    assert extent.described([PLAIN, MOVED], 2) == ""


def test_no_interpreter_starts_where_everything_has_held_before(tmp_path: Path) -> None:
    module = tmp_path / "test_evosearch_a.py"
    module.write_text("def test_old(): pass\n")
    extent = Extent(set(fingerprints(tmp_path, [module]).values()))
    told: list[str] = []
    process = PytestProcess(tmp_path, python="/no/such/python")
    verifier = FreshInterpreters(process, [MOVED, STRICT], told.append, extent=extent)

    assert verifier(tmp_path, 1) == Verdict()
    assert extent.described([MOVED, STRICT], 1) == ""
