"""Searches of applications whose handlers spoil the process, or never return."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow("harm is done in a process namespace until a limit ends it")

SPOILERS = """
import os, resource, sys, tempfile, threading


class Odd(Exception):
    def __str__(self):
        return self.args[0]["detail"]


@app.get("/odd")
def odd():
    raise Odd({"error": "x"})


@app.get("/environment")
def environment():
    os.environ.clear()
    return "cleared"


@app.get("/mask")
def mask():
    os.umask(0o777)
    return "masked"


@app.get("/traced")
def traced():
    sys.settrace(lambda *_: None)
    threading.settrace(lambda *_: None)
    return "traced"


@app.get("/closed")
def closed():
    os.closerange(3, 256)
    return "closed"


@app.get("/leaks")
def leaks():
    return str([os.open(os.devnull, os.O_RDONLY) for _ in range(100_000)])


@app.get("/limits")
def limits():
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
    resource.setrlimit(resource.RLIMIT_CPU, (0, 1))
    return "limited"


@app.get("/temporary")
def temporary():
    tempfile.tempdir = "/nowhere"
    return tempfile.gettempdir()
"""

UNDERMINING = """
import _thread, builtins, faulthandler, os, signal, sys, time
from flask import Response


@app.get("/length")
def length():
    builtins.len = None
    return "no length"


@app.get("/attributes")
def attributes():
    builtins.getattr = builtins.type = None
    return "no attributes"


@app.get("/streams")
def streams():
    sys.stdout = sys.stderr = None
    sys.__stdout__.close()
    sys.__stderr__.close()
    return "no streams"


@app.get("/modules")
def modules():
    for name in list(sys.modules):
        if name not in ("sys", "builtins"):
            del sys.modules[name]
    return "no modules"


@app.get("/paths")
def paths():
    sys.path.clear()
    sys.meta_path.clear()
    return "no paths"


@app.get("/interrupt")
def interrupt():
    _thread.interrupt_main()
    return "interrupted"


@app.get("/timer")
def timer():
    signal.setitimer(signal.ITIMER_PROF, 0.001)
    while True:
        pass


@app.get("/traceback")
def traceback():
    faulthandler.disable()
    faulthandler.dump_traceback_later(0.05, exit=True)
    end = time.monotonic() + 0.1
    while time.monotonic() < end:
        pass
    return "dumped"


@app.get("/user")
def user():
    os.setgid(65534)
    os.setuid(65534)
    return "somebody else"


@app.get("/group")
def group():
    os.setpgid(0, 0)
    return "on its own"


@app.get("/fresh")
def fresh():
    global ANSWERS
    ANSWERS = globals().get("ANSWERS", 0) + 1
    return str(ANSWERS)


@app.get("/deep")
def deep():
    return Response("[" * 5000 + "]" * 5000, mimetype="application/json")
"""

KEPT = ("/ok", "/sized", "/fresh", "/deep")
UNDERMINED = (
    "/length",
    "/attributes",
    "/streams",
    "/modules",
    "/paths",
    "/interrupt",
    "/timer",
    "/traceback",
    "/user",
    "/group",
)

HANGING = """
import threading, time


@app.get("/joins")
def joins():
    thread = threading.Thread(target=time.sleep, args=(100_000,))
    thread.start()
    thread.join()
    return "joined"


@app.get("/locks")
def locks():
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()
    return "locked"


@app.get("/computes")
def computes():
    while True:
        pass


@app.get("/stays")
def stays():
    while True:
        try:
            time.sleep(10_000)
        except BaseException:
            pass
"""

EXITS = """
import concurrent.futures
import sys
import threading
import time


@app.get("/exits")
def exits():
    thread = threading.Thread(target=sys.exit, args=(3,))
    thread.start()
    thread.join()
    return "exited"


@app.get("/later")
def later():
    threading.Timer(0.01, sys.exit, ("over",)).start()
    return "started"


@app.get("/raises")
def raises():
    def leave():
        raise SystemExit

    thread = threading.Thread(target=leave)
    thread.start()
    thread.join()
    return "raised"


@app.get("/pooled")
def pooled():
    global POOL
    POOL = concurrent.futures.ThreadPoolExecutor(1)
    POOL.submit(time.sleep, 100_000)
    return "pooled"
"""

SLOW = """
import threading


@app.get("/slow")
def slow():
    threading.Event().wait(1.5)
    return "slow"


@app.get("/hangs")
def hangs():
    threading.Event().wait()
    return "over"
"""

DROPPED = (
    "removes variables from the environment",
    "changes the umask",
    "installs a trace or profile function",
    "closes descriptors that others have opened",
    "uses up all descriptors of the process",
    "changes the limits of the process",
    "changes the temporary folder",
)


def test_what_handlers_do_to_the_process_is_undone_and_told(run_in_namespace, harmless) -> None:
    run = run_in_namespace({"app.py": harmless + SPOILERS}, evaluations=60, spare=150)
    run.is_well()
    assert run.writes("/ok", "/sized", "/odd")
    assert all(run.tells(f"because it {phrase}") for phrase in DROPPED)
    assert run_in_namespace.again(run, "-m", "not evosearch_fault").passes()


def test_pages_that_never_return_leave_the_others_their_turn(run_in_namespace, harmless) -> None:
    run = run_in_namespace({"app.py": harmless + HANGING}, seconds=10)
    run.is_well()
    assert run.writes("/ok", "/sized")


def test_exits_in_threads_end_nothing_but_these(run_in_namespace, harmless) -> None:
    run = run_in_namespace({"app.py": harmless + EXITS}, seconds=6)
    run.is_well()
    assert run.writes("/ok", "/sized"), run.output  # pytest warns of the others
    assert run_in_namespace.again(run).passes()


def test_what_is_only_slow_in_a_short_search_is_no_freeze(run_in_namespace, harmless) -> None:
    run = run_in_namespace({"app.py": harmless + SLOW}, seconds=12)
    run.is_well()
    assert run.writes("/ok", "/sized")
    assert not run.tells("GET /slow  no test")
    assert run.tells(
        "GET /slow took longer than|GET /slow.* did not end within 1.0 s: this is a fault only"
    )


def test_what_undermines_the_interpreter_is_undone(run_in_namespace, harmless) -> None:
    run = run_in_namespace({"app.py": harmless + UNDERMINING}, evaluations=60)
    run.is_well()
    assert run.writes(*KEPT), run.output
    assert not any(map(run.writes, UNDERMINED))
    assert run_in_namespace.again(run).passes()
