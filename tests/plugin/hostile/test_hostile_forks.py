"""Searches of applications whose handlers start processes."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow("harm is done in a process namespace until a limit ends it")

CONFTEST = """
import pytest
from app import app as application


@pytest.fixture
def app():
    return application


@pytest.fixture
def client(app):
    return app.test_client()
"""

FORKS = """
import multiprocessing
import os
import pty
import signal
import subprocess
import threading
import time
from concurrent.futures import ProcessPoolExecutor


@app.get("/waits")
def waits():
    child = os.fork()
    if child == 0:
        time.sleep(0.01)
        os._exit(7)
    return str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


@app.get("/kills")
def kills():
    child = os.fork()
    if child == 0:
        signal.alarm(1)  # ends it: the handler of the run is not its own
        os.kill(os.getpid(), signal.SIGTERM)
        os._exit(0)
    return str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


@app.get("/works")
def works():
    process = multiprocessing.get_context("fork").Process(target=time.sleep, args=(0.01,))
    process.start()
    process.join()
    return str(process.exitcode)


@app.get("/runs")
def runs():
    return str(subprocess.run(["true"]).returncode)


@app.get("/pools")
def pools():
    with ProcessPoolExecutor(1) as pool:
        return str(pool.submit(pow, 2, 5).result())


@app.get("/returns")
def returns():
    return "child" if os.fork() == 0 else "parent"


@app.get("/raises")
def raises():
    if os.fork() == 0:
        print("NOISE of a child")
        raise KeyError("child")
    return "parent"


@app.get("/leaves")
def leaves():
    if os.fork() == 0:
        time.sleep(100)
        os._exit(0)
    return "started"


@app.get("/daemon")
def daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            while True:
                time.sleep(100)
        os._exit(0)
    return "started"


@app.get("/threads")
def threads():
    def fork():
        if os.fork() == 0:
            time.sleep(100)
            os._exit(0)

    thread = threading.Thread(target=fork)
    thread.start()
    thread.join()
    return "started"


@app.get("/opens")
def opens():
    subprocess.Popen(["sleep", "100"], start_new_session=True)
    return "started"


@app.get("/spawns")
def spawns():
    os.posix_spawn("/bin/sleep", ["sleep", "100"], dict(os.environ))
    return "started"


@app.get("/terminal")
def terminal():
    child, _descriptor = pty.fork()
    return "child" if child == 0 else "parent"


@app.get("/hangs")
def hangs():
    child = os.fork()
    if child == 0:
        while True:
            time.sleep(100)
    os.waitpid(child, 0)
    return "ended"
"""

FRESH = """
import multiprocessing
import time


@app.get("/spawned")
def spawned():
    multiprocessing.get_context("spawn").Process(target=time.sleep, args=(100,)).start()
    return "started"


@app.get("/served")
def served():
    multiprocessing.get_context("forkserver").Process(target=time.sleep, args=(100,)).start()
    return "started"
"""

KEPT = ("/waits", "/kills", "/works", "/runs", "/pools")
LEAVING = ("/leaves", "/daemon", "/threads", "/opens", "/spawns")
COMING_BACK = ("/returns", "/raises", "/terminal")

WITHOUT_END = """
import os
import time


@app.get("/many")
def many():
    for _ in range(200):
        if os.fork() == 0:
            time.sleep(100)
            os._exit(0)
    return "started"


@app.get("/bomb")
def bomb():
    while True:
        os.fork()


@app.get("/hoard")
def hoard():
    if os.fork() == 0:
        kept = []
        while True:
            kept.append(bytearray(20_000_000))
            time.sleep(0.01)
    os.wait()
    return "hoarded"
"""


@pytest.fixture(scope="module")
def forks(run_in_namespace, harmless):
    files = {"app.py": harmless + FORKS, "conftest.py": CONFTEST}
    given = ["--evosearch-set=request.timeout=1"]
    return run_in_namespace(files, *given, evaluations=40, app="")


def test_a_child_of_a_handler_is_no_second_search(forks) -> None:
    forks.is_well()
    assert forks.writes("/ok", "/sized")


def test_children_that_end_with_their_call_are_tested(forks) -> None:
    assert forks.writes(*KEPT), forks.output
    for answer in ('"7"', '"-15"', '"0"', '"32"'):
        assert answer in forks.written


@pytest.mark.parametrize("address", [*LEAVING, *COMING_BACK, "/hangs"])
def test_no_test_leaves_a_child(forks, address: str) -> None:
    assert not forks.writes(address)


def test_what_was_ended_is_told_once(forks) -> None:
    told = [line for line in forks.output.splitlines() if "they were ended" in line]
    assert len(told) == 1
    assert "GET /leaves" in told[0]
    assert forks.tells("because it leaves a process running")
    assert forks.tells("because it forks a process that returns from the handler")


def test_the_written_tests_pass_and_end(forks, run_in_namespace) -> None:
    again = run_in_namespace.again(forks)
    again.is_well()
    assert again.passes(), again.output


def test_fresh_interpreters_of_a_handler_are_ended(run_in_namespace, harmless) -> None:
    files = {"app.py": harmless + FRESH, "conftest.py": CONFTEST}
    run = run_in_namespace(files, evaluations=20, app="")
    run.is_well()
    assert run.writes("/ok")
    assert not run.writes("/spawned", "/served")
    assert run.tells("they were ended: .*GET /(spawned|served)")


@pytest.mark.parametrize("mode", ["auto", "always"])
def test_processes_without_end_are_a_fault(run_in_namespace, harmless, mode: str) -> None:
    # A share of what the machine has left: what forks take beside their parent's memory is less.
    given = ["--evosearch-set=run.memory=0.05", f"--evosearch-set=state.fork={mode}"]
    given += ["--evosearch-set=run.processes=16", "--evosearch-set=minimize.evaluations=10"]
    run = run_in_namespace({"app.py": harmless + WITHOUT_END}, *given, evaluations=12)
    run.is_well()
    assert run.writes("/ok")
    assert run.tells("the call starts processes without end")
    assert run.tells("the processes that the call starts take memory without end")
