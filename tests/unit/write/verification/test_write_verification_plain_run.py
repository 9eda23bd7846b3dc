from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from pytest_evosearch.write.plugins import supervising
from pytest_evosearch.write.verification.circumstances import PLAIN
from pytest_evosearch.write.verification.limits import Limits
from pytest_evosearch.write.verification.plain_run import PlainRun
from pytest_evosearch.write.verification.plain_run import run_plainly
from pytest_evosearch.write.verification.plain_run import verdict_of
from pytest_evosearch.write.verification.plain_run import without_plugin
from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.verification.tidying import tidied
from pytest_evosearch.write.verification.verdicts import OPTIONAL
from pytest_evosearch.write.verification.verdicts import Verdict
from pytest_evosearch.write.verification.verify import FreshInterpreters

SECONDS = 60.0

ONLY_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="other systems list no processes")


def written(folder: Path, text: str, name: str = "all") -> Path:
    """Write a module of tests; return it."""
    module = folder / f"test_evosearch_{name}.py"
    module.write_text(f"import os\nimport sys\nimport time\n\nimport pytest\n\n{text}")
    return module


def plain(folder: Path, seconds: float = SECONDS) -> PlainRun:
    return run_plainly(PytestProcess(folder), [folder], seconds)


def verified(folder: Path, tests: int = 2) -> Verdict:
    """Verify a folder in fresh interpreters, with nothing else."""
    return FreshInterpreters(PytestProcess(folder), [PLAIN], width=1)(folder, tests)


NOTHING_OF_OURS = """
def test_process():
    names = [name for name in sys.modules if "evosearch" in name]
    assert names == [__name__]
    assert sys.path[0] == os.getcwd()
    assert sys.modules["__main__"].__spec__.name == "pytest.__main__"

def test_functions():
    import threading
    for function in (os._exit, os.kill, threading.Thread.start):
        assert function.__module__ in ("posix", "nt", "threading")
"""


def test_nothing_of_ours_is_in_the_process(tmp_path: Path) -> None:
    written(tmp_path, NOTHING_OF_OURS)

    run = plain(tmp_path)

    assert [(one.test, one.problem) for one in run.cases] == [
        ("test_process", ""),
        ("test_functions", ""),
    ]
    assert not run.needs_explanation


ROWS = """
@pytest.mark.parametrize("number", [1, 2], ids=["one", "two"])
def test_row(number):
    assert number == 1

@pytest.fixture
def broken():
    raise OSError("no disk")

def test_fixture(broken):
    pass

@pytest.mark.xfail(strict=True)
def test_fixed():
    pass

@pytest.mark.skip
def test_skipped():
    pass
"""


def test_report_says_which_row_fails_and_where(tmp_path: Path) -> None:
    module = written(tmp_path, ROWS)

    failures = verdict_of(plain(tmp_path), [module], is_limited=False).failures

    line = module.read_text().splitlines().index("    assert number == 1") + 1
    assert [(one.file, one.test, one.row, one.line) for one in failures] == [
        (module.name, "test_row", 1, line),
        (module.name, "test_fixture", None, 0),
        (module.name, "test_fixed", None, 0),
    ]
    assert failures[0].reason == "fails in a run with nothing but pytest: assert 2 == 1"
    assert "no disk" in failures[1].reason


def test_module_that_cannot_be_imported_fails_as_a_whole(tmp_path: Path) -> None:
    module = written(tmp_path, "import no_such_module\n")

    (failure,) = verdict_of(plain(tmp_path), [module], is_limited=False).failures

    assert (failure.file, failure.test) == (module.name, "")
    assert failure.reason.startswith("cannot be collected: ")


def test_tests_beside_a_module_that_cannot_be_imported_are_run(tmp_path: Path) -> None:
    broken = written(tmp_path, "import no_such_module\n", "broken")
    failing = written(tmp_path, "def test_sum():\n    assert 1 + 1 == 3\n", "failing")

    verdict = verdict_of(plain(tmp_path), [broken, failing], is_limited=False)

    assert {(one.file, one.test) for one in verdict.failures} == {
        (broken.name, ""),
        (failing.name, "test_sum"),
    }


LEFT_CHILD = """
def test_start():
    child = os.spawnlp(os.P_NOWAIT, "true", "true")
    assert child

def test_status():
    time.sleep(0.2)
    with pytest.raises(ChildProcessError):  # a verifying plugin has taken the exit code
        os.waitpid(-1, os.WNOHANG)
"""


@ONLY_LINUX
def test_what_only_our_plugins_make_pass_is_not_kept(tmp_path: Path) -> None:
    """Our plugin takes the exit codes of processes after each test."""
    written(tmp_path, LEFT_CHILD)

    (failure,) = verified(tmp_path).failures

    assert failure.test == "test_status"
    assert failure.reason.startswith("fails in a run with nothing but pytest: ")


def test_cause_of_a_failure_is_found_with_the_plugins(tmp_path: Path) -> None:
    written(tmp_path, "def test_names():\n    assert [1, 2] == [1, 3]\n")

    (failure,) = verified(tmp_path).failures

    assert failure.sight is not None
    assert (failure.sight.left, failure.sight.right) == ([1, 2], [1, 3])


CRASH = """
def test_before():
    pass

def test_crash():
    os.abort()
"""


def test_test_that_ends_the_interpreter_is_blamed(tmp_path: Path) -> None:
    module = written(tmp_path, CRASH)

    run = plain(tmp_path)
    (failure,) = verdict_of(run, [module], is_limited=False).failures

    assert run.needs_explanation
    assert (failure.test, failure.hung) == ("test_crash", True)
    assert "it ends the process" in failure.reason


INTERRUPT = """
def test_before():
    pass

def test_interrupt():
    raise KeyboardInterrupt
"""


def test_test_that_interrupts_pytest_is_blamed(tmp_path: Path) -> None:
    module = written(tmp_path, INTERRUPT)

    (failure,) = verdict_of(plain(tmp_path), [module], is_limited=False).failures

    assert (failure.test, failure.hung) == ("test_interrupt", True)


@pytest.mark.slow("whole pytest runs of written tests, or a time limit has to pass")
def test_run_that_is_loading_all_the_time_proves_nothing(tmp_path: Path) -> None:
    module = written(tmp_path, "time.sleep(600)\n\ndef test_it():\n    pass\n")

    run = plain(tmp_path, 4.0)

    assert verdict_of(run, [module], is_limited=False).broken
    assert verdict_of(run, [module], is_limited=True).is_late


HANG = """
def test_before():
    pass

def test_hang():
    time.sleep(600)

def test_after():
    pass
"""


def test_hung_test_is_blamed_and_the_earlier_results_stay(tmp_path: Path) -> None:
    module = written(tmp_path, HANG)

    run = plain(tmp_path, 6.0)

    assert [one.name for one in run.cases] == ["test_before"]
    hung = verdict_of(run, [module], is_limited=False).failures
    assert [(one.test, one.hung) for one in hung] == [("test_hang", True)]
    late = verdict_of(run, [module], is_limited=True).failures
    assert [(one.test, one.late) for one in late] == [("test_hang", True), ("test_after", True)]


STUBBORN = """
import signal

def test_before():
    pass

def test_hang():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    time.sleep(600)
"""


@pytest.mark.slow("whole pytest runs of written tests, or a time limit has to pass")
def test_hung_test_that_ignores_signals_is_blamed(tmp_path: Path) -> None:
    module = written(tmp_path, STUBBORN)

    run = plain(tmp_path, 6.0)

    assert not run.has_report
    (failure,) = verdict_of(run, [module], is_limited=False).failures
    assert (failure.test, failure.hung) == ("test_hang", True)


def test_files_that_tests_change_are_put_back_and_new_ones_removed(tmp_path: Path) -> None:
    (tmp_path / "books.txt").write_text("as it was")
    text = "def test_write():\n    open('books.txt', 'w').write('x')\n    open('new.txt', 'w')\n"
    written(tmp_path, text)

    with tidied(PytestProcess(tmp_path)) as process:
        verdict = FreshInterpreters(process, [PLAIN], width=1)(tmp_path, 1)

    assert [one.reason for one in verdict.failures] == [
        "fails in a fresh interpreter: in a real run it changes books.txt"
    ]
    assert (tmp_path / "books.txt").read_text() == "as it was"
    assert not (tmp_path / "new.txt").exists()


def test_files_are_put_back_when_the_search_is_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "books.txt").write_text("as it was")
    written(tmp_path, "def test_write():\n    open('books.txt', 'w').write('x')\n")

    def interrupted(self: PytestProcess, *given: object) -> None:
        real(self, *given)  # type: ignore[arg-type]
        assert (tmp_path / "books.txt").read_text() == "x"
        raise KeyboardInterrupt

    real = PytestProcess.run
    monkeypatch.setattr(PytestProcess, "run", interrupted)
    with tidied(PytestProcess(tmp_path)) as process, pytest.raises(KeyboardInterrupt):
        run_plainly(process, [tmp_path], SECONDS)

    assert (tmp_path / "books.txt").read_text() == "as it was"


LEFT_DAEMON = """
import subprocess

def test_daemon(tmp_path):
    command = "import os, time; os.setsid(); time.sleep(600)"
    process = subprocess.Popen([sys.executable, "-c", command], stdin=subprocess.DEVNULL)
    open({place!r}, "w").write(str(process.pid))
"""


@ONLY_LINUX
def test_processes_that_outlive_pytest_are_ended(tmp_path: Path) -> None:
    place = tmp_path / "process"
    written(tmp_path, LEFT_DAEMON.format(place=str(place)))

    run = plain(tmp_path)

    assert run.ending is not None
    assert run.ending.left == 1
    assert run.needs_explanation
    with pytest.raises(ProcessLookupError):
        os.kill(int(place.read_text()), 0)


EVERYTHING = """
def test_kill():
    with pytest.raises(PermissionError):
        os.kill(-1, 0)
"""


def test_no_test_signals_every_process(tmp_path: Path) -> None:
    written(tmp_path, EVERYTHING)

    assert [one.problem for one in plain(tmp_path).cases] == [""]


LEFT_THREAD = """
import threading

def test_thread():
    threading.Thread(target=time.sleep, args=(600,)).start()
"""


def test_a_process_has_no_time_while_other_programs_keep_it_from_running(tmp_path: Path) -> None:
    (tmp_path / "7").mkdir()
    (tmp_path / "7" / "schedstat").write_text("5000000000 2000000000 9\n")

    assert supervising.own_time(7, tmp_path) == pytest.approx(time.monotonic() - 2.0, abs=1.0)
    assert supervising.own_time(8, tmp_path) == pytest.approx(time.monotonic(), abs=1.0)


@pytest.mark.parametrize(("seconds", "sleep", "is_stopped"), [(0.6, 1.2, False), (0.1, 60, True)])
def test_a_run_that_other_programs_keep_from_running_gets_longer_but_not_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float, sleep: float, is_stopped: bool
) -> None:
    monkeypatch.setattr(supervising, "own_time", lambda _process: 0.0)
    orphaned = SimpleNamespace(end_with_parent=lambda _process: None)
    monkeypatch.setattr(supervising, "_module", lambda _name: orphaned)
    command = [sys.executable, "-c", f"import time; time.sleep({sleep})"]

    assert supervising.supervised(command, seconds, tmp_path).is_stopped is is_stopped


@pytest.mark.slow("whole pytest runs of written tests, or a time limit has to pass")
def test_thread_that_keeps_pytest_alive_does_not_keep_the_run(tmp_path: Path) -> None:
    written(tmp_path, LEFT_THREAD)

    run = plain(tmp_path)

    assert run.ending is not None
    assert run.ending.has_lingered
    assert [one.problem for one in run.cases] == [""]
    (failure,) = verified(tmp_path).failures
    assert "it leaves a thread running" in failure.reason


@pytest.mark.parametrize(
    ("file", "text", "reason"),
    [
        ("pytest.ini", "[pytest]\naddopts = --evosearch=5x\n", "unrecognized arguments: "),
        (
            "conftest.py",
            "def pytest_evosearch_service(config, call):\n    return None\n",
            "unknown hook 'pytest_evosearch_service'",
        ),
    ],
)
def test_project_that_needs_the_plugin_runs_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, text: str, reason: str
) -> None:
    """One line says so: the user's next plain run would stop."""
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    (tmp_path / file).write_text(text)
    written(tmp_path, "def test_it(): pass\n")
    process = PytestProcess(tmp_path)

    run = run_plainly(process, [tmp_path], SECONDS)

    assert [one.name for one in run.cases] == ["test_it"]
    assert process.needed
    assert reason in run.notice
    assert (OPTIONAL in run.notice) is (file == "conftest.py")
    assert not run_plainly(process, [tmp_path], SECONDS).notice


def test_shuffling_plugin_keeps_the_order_of_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pytest_randomly")
    monkeypatch.setenv("PYTEST_PLUGINS", "pytest_randomly")
    names = [f"test_{number}" for number in range(9)]
    written(tmp_path, "".join(f"def {name}(): pass\n" for name in names))

    assert [one.name for one in plain(tmp_path).cases] == names


@pytest.mark.slow("whole pytest runs of written tests, or a time limit has to pass")
def test_report_without_junitxml_comes_from_the_plugins(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -p no:junitxml\n")
    written(tmp_path, "def test_good(): pass\n\ndef test_bad(): assert False\n")

    verdict = verified(tmp_path)

    assert [one.test for one in verdict.failures] == ["test_bad"]

    written(tmp_path, "def test_good(): pass\n")
    assert "in a run with nothing but pytest" in verified(tmp_path).notices[0]


@pytest.mark.slow("whole pytest runs of written tests, or a time limit has to pass")
def test_what_was_not_run_in_time_runs_again_with_the_plugins(tmp_path: Path) -> None:
    """The second run stops before a test, not in one."""
    written(tmp_path, HANG.replace("600", "4"))
    left = iter([8.0, 8.0, 8.0])
    limits = Limits(lambda: next(left, 60.0), first_run=4.0)
    told: list[str] = []

    verify = FreshInterpreters(PytestProcess(tmp_path), [PLAIN], told.append, width=1)
    verify.limits = limits
    verdict = verify(tmp_path, 3)

    assert verdict.failures == ()


@pytest.mark.parametrize(
    "given",
    [("-p", "pytest_evosearch.plugin", "-p", "x"), ("-ppytest_evosearch.plugin", "-p", "x")],
)
def test_plugin_is_not_loaded_as_a_module(given: tuple[str, ...]) -> None:
    assert without_plugin(given) == ("-p", "x")
