"""Cases run in interpreters of their own: a child that does not end would go on with the tests."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pytest_evosearch.sut.sandbox.child_processes import StartedProcesses
from pytest_evosearch.sut.sandbox.child_processes import children_of
from pytest_evosearch.sut.sandbox.child_processes import descendants_of
from pytest_evosearch.sut.sandbox.child_processes import end_processes
from pytest_evosearch.sut.sandbox.child_processes import is_running

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc tells of processes")

REPOSITORY = Path(__file__).parents[4]

BEGINNING = """
import os, sys, time, types
from pytest_evosearch.sut.sandbox.child_processes import *

started = os.getpid()
children = ForkedChildren()
children.install()
ours = types.ModuleType("pytest_evosearch.anything")
exec('''
import os
started = os.getpid()
def within(function):
    try:
        found = function()
    except BaseException as error:
        found = error
    finally:
        if os.getpid() != started:
            os.write(1, b"a child came to ours")
    return found
''', vars(ours))
"""

SHAPES = {
    "returns": "if os.fork() == 0: return 1",
    "raises": "if os.fork() == 0: raise KeyError",
    "exits": "if os.fork() == 0: sys.exit(3)",
    "returns from a function": "list(map(lambda _: os.fork(), [1, 2]))",
    "returns from a terminal": "import pty; pty.fork()",
}


def output_of(script: str) -> str:
    finished = subprocess.run(
        [sys.executable, "-c", BEGINNING + script],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert not finished.stderr
    return finished.stdout


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_a_child_that_comes_back_ends(shape: str) -> None:
    script = f"""
def handler():
    {shape}
    if os.getpid() == started:
        time.sleep(0.5)

ours.within(handler)
print("one process" if os.getpid() == started else "another", children.came_back)
"""
    assert output_of(script) == "one process True\n"


def test_a_child_that_ends_by_itself_does_as_it_wants() -> None:
    script = """
def handler():
    child = os.fork()
    if child == 0:
        os._exit(7)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

print(ours.within(handler), children.came_back)
"""
    assert output_of(script) == "7 False\n"


def test_what_was_replaced_is_taken_back_in_a_child_alone() -> None:
    script = """
replaced = ["replaced"]
children.undo(replaced.clear)

def handler():
    child = os.fork()
    if child == 0:
        os._exit(len(replaced))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

print(ours.within(handler), replaced)
"""
    assert output_of(script) == "0 ['replaced']\n"


def test_a_fork_of_ours_is_none_of_the_application() -> None:
    script = """
exec('''
def fork():
    child = os.fork()
    if child == 0:
        os._exit(5)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
''', vars(ours))
print(ours.fork(), children.came_back, dict(children.forked_at))
"""
    assert output_of(script) == "5 False {}\n"


def test_processes_beyond_the_ceiling_are_refused() -> None:
    script = """
children.most = 3
children.begin()
answers = []
for _ in range(5):
    answers.append(children.refuses())
    if not answers[-1] and os.fork() == 0:
        time.sleep(30)
print(answers, children.has_refused)
end_descendants()
"""
    assert output_of(script) == "[False, False, False, True, True] True\n"


def test_a_daemon_is_found_and_ended() -> None:
    script = """
started = StartedProcesses()
started.begin()
print(started.are_any())
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(30)
    os._exit(0)
os.wait()
print(started.are_any(), len(started.left(0.0)), started.end(), started.are_any())
"""
    assert output_of(script) == "False\nTrue 1 1 False\n"


def test_what_was_there_before_stays() -> None:
    with subprocess.Popen(["sleep", "60"]) as before:
        started = StartedProcesses()
        started.begin()
        with subprocess.Popen(["sleep", "60"]) as after:
            assert started.left(0.0) == [after.pid]
            assert started.end() == 1
            assert after.poll() is not None
        assert before.poll() is None
        before.kill()


def test_a_throw_away_server_that_a_call_has_started_stays(tmp_path: Path) -> None:
    started = StartedProcesses()
    started.begin()
    folder = tmp_path / "evosearch-server-1"
    folder.mkdir()
    with subprocess.Popen(["sleep", "60"], cwd=folder) as server:
        assert not started.are_any()
        assert started.left(0.0) == []
        assert started.end() == 0
        assert server.poll() is None
        server.kill()


def test_workers_of_a_pool_stay() -> None:
    script = """
from concurrent.futures import ProcessPoolExecutor
started = StartedProcesses()
started.begin()
with ProcessPoolExecutor(1) as pool:
    print(pool.submit(pow, 2, 5).result(), started.left(0.0), started.end())
    print(pool.submit(pow, 2, 5).result())
"""
    assert output_of(script) == "32 [] 0\n32\n"


def test_everything_below_a_process_is_ended() -> None:
    script = "import os, time\nos.fork()\nos.fork()\ntime.sleep(30)"
    with subprocess.Popen([sys.executable, "-c", script]) as process:
        end = time.monotonic() + 10
        while len(descendants_of(process.pid)) < 3 and time.monotonic() < end:
            time.sleep(0.01)
        below = [process.pid, *descendants_of(process.pid)]
        assert len(below) == 4
        assert process.pid in children_of(os.getpid())
        assert end_processes(lambda: filter(is_running, below)) == 4
        process.wait()
        while any(map(is_running, below)) and time.monotonic() < end:
            time.sleep(0.01)
    assert not any(map(is_running, below))


ANSWERING = """
import subprocess
started = StartedProcesses()
started.begin()
kept = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
"""


def test_a_process_that_reads_from_the_application_stays() -> None:
    script = """
print(started.are_any(), started.left(0.0), started.end())
kept.stdin.write(b"once more")
print(kept.stdout.read(9))
"""
    assert output_of(ANSWERING + script) == "False [] 0\nb'once more'\n"


def test_a_process_whose_input_is_closed_does_not_stay() -> None:
    script = """
sleeping = subprocess.Popen(["sleep", "60"], stdin=subprocess.PIPE)
sleeping.stdin.close()
print(started.left(0.0) == [sleeping.pid], started.end())
"""
    assert output_of(ANSWERING + script) == "True 1\n"


def test_a_process_that_reads_what_another_one_writes_does_not_stay() -> None:
    script = """
reading = subprocess.Popen(["sleep", "60"], stdin=kept.stdout)
print(started.left(0.0) == [reading.pid], started.end())
"""
    assert output_of(ANSWERING + script) == "True 1\n"


def test_a_fork_of_ours_spares_what_reads_from_it() -> None:
    script = """
if os.fork() == 0:
    children.remove()
    inner = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
    print(started.left(0.0), flush=True)
    os._exit(0)
os.wait()
"""
    assert output_of(ANSWERING + script) == "[]\n"
