"""One search of an application that does everything a handler should not do."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
TIMEOUT_SECONDS = 200.0

pytestmark = [
    pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters"),
    pytest.mark.skipif(sys.platform == "win32", reason="freezes are cut off by SIGALRM"),
]

HOSTILE = """
import json, logging, os, random, signal, socket, sqlite3, sys, threading, time, warnings
from flask import Flask, Response, jsonify

app = Flask(__name__)


@app.get("/prints")
def prints():
    print("NOISE to stdout")
    print("NOISE to stderr", file=sys.stderr)
    os.write(1, b"NOISE to descriptor 1\\n")
    os.write(2, b"NOISE to descriptor 2\\n")
    logging.getLogger("hostile").error("NOISE to a log")
    app.logger.error("NOISE to the application's log")
    warnings.warn("NOISE as a warning")
    return "printed"


@app.get("/exits")
def exits():
    sys.exit("leaving")


@app.get("/interrupts")
def interrupts():
    raise KeyboardInterrupt


@app.get("/computes")
def computes():
    while True:
        pass


@app.get("/sleeps")
def sleeps():
    time.sleep(1000)
    return "awake"


@app.get("/reads")
def reads():
    ours, theirs = socket.socketpair()
    return ours.recv(1)


@app.get("/swallows")
def swallows():
    while True:
        try:
            time.sleep(1)
        except Exception:
            pass


@app.get("/closes")
def closes():
    sys.stdout.close()
    return "closed"


@app.get("/moves")
def moves():
    os.chdir("/")
    return "moved"


@app.get("/patches")
def patches():
    time.time = time.monotonic = lambda: 0
    random.random = lambda: 0.5
    json.dumps = os.replace = None
    return "patched"


@app.get("/alarms")
def alarms():
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.alarm(1)
    return "alarmed"


def keep_running():
    while True:
        time.sleep(0.01)


@app.get("/starts")
def starts():
    threading.Thread(target=keep_running, daemon=True).start()
    return "started"


@app.get("/lingers")
def lingers():
    threading.Thread(target=keep_running).start()
    return "lingering"


def deeper(depth):
    return deeper(depth + 1)


@app.get("/recurses")
def recurses():
    return deeper(0)


@app.get("/bulky")
def bulky():
    return "x" * 3_000_000


@app.get("/endless")
def endless():
    def chunks():
        while True:
            yield "x" * 65536

    return Response(chunks())


@app.get("/hoards")
def hoards():
    return str(len(bytearray(3 << 30)))


@app.get("/sized/<int:number>")
def sized(number):
    if number > 10:
        return jsonify(big=number)
    return jsonify(small=number)
"""


@dataclass(frozen=True)
class Run:
    """What one search left behind."""

    code: int
    output: str
    errors: str
    folder: Path

    @property
    def written(self) -> str:
        return "\n".join(path.read_text() for path in sorted(self.folder.glob("test_*.py")))


def pytest_command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **{name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"},
        "PYTHONPATH": str(REPOSITORY),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    return subprocess.run(
        [sys.executable, "-m", "pytest", *arguments],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "hostile.py").write_text(HOSTILE)
    (folder / "pytest.ini").write_text("[pytest]\n")
    arguments = ["-v", "--evosearch=60x", "--evosearch-seed=1", "--evosearch-app=hostile:app"]
    arguments += ["--evosearch-set=request.timeout=0.25", "-p", "pytest_evosearch.plugin"]
    arguments.append("--evosearch-set=plan.circumstances=first")  # they are run once more below
    finished = pytest_command(folder, *arguments)
    return Run(finished.returncode, finished.stdout, finished.stderr, folder / "evosearch")


def reason_of(run: Run, endpoint: str) -> str:
    """Return why the test of `endpoint` was dropped, as the summary has it."""
    _, _, dropped = run.output.partition("\ndropped: ")
    reason = ""
    for line in dropped.splitlines():
        if match := re.match(r"  \d+ because (.*)", line):
            reason = match[1]
        elif line.strip() == endpoint:
            return reason
    raise AssertionError(f"{endpoint} was not dropped:\n{run.output}")


def test_search_ends_normally(run: Run) -> None:
    assert (run.code, run.errors) == (0, "")
    assert "stopped because the budget is spent" in run.output


def test_nothing_that_the_application_says_is_heard(run: Run) -> None:
    assert "NOISE" not in run.output + run.errors


def test_exit_is_an_expected_failure(run: Run) -> None:
    assert re.search(r"fault GET /exits SystemExit hostile\.py:\d+ leaving", run.output)
    assert "raises=SystemExit" in run.written


def test_deep_recursion_is_a_fault(run: Run) -> None:
    assert "fault GET /recurses RecursionError hostile.py:" in run.output
    assert "def test_get_recurses_does_not_raise_recursion_error(" in run.written


@pytest.mark.parametrize("path", ["/computes", "/sleeps", "/reads", "/swallows"])
def test_freeze_is_recorded_and_no_test_hangs(run: Run, path: str) -> None:
    assert f"fault GET {path} Freeze unknown the call did not end in time" in run.output
    assert "does not end within the time limit" in reason_of(run, f"GET {path}")
    assert path not in run.written


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says what is used")
def test_a_call_that_takes_too_much_memory_is_a_fault_and_no_test(run: Run) -> None:
    fault = r"fault GET /hoards MemoryError hostile\.py:\d+ the call requested more memory"
    assert re.search(fault, run.output)
    assert "asks for so much memory" in reason_of(run, "GET /hoards")
    assert "/hoards" not in run.written


def test_keyboard_interrupt_of_a_handler_is_a_fault_like_any_other(run: Run) -> None:
    assert "fault GET /interrupts KeyboardInterrupt hostile.py:" in run.output
    assert "would end the run of the tests" in reason_of(run, "GET /interrupts")


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/closes", "closes a standard stream"),
        ("/moves", "changes the working directory"),
        ("/patches", "replaces functions of time, random, json, os"),
        ("/alarms", "takes over a signal"),
        ("/lingers", "leaves a thread running"),
    ],
)
def test_test_that_would_spoil_others_is_dropped(run: Run, path: str, reason: str) -> None:
    assert reason in reason_of(run, f"GET {path}")
    assert path not in run.written


@pytest.mark.parametrize("path", ["/prints", "/starts", "/bulky", "/endless", "/sized/11"])
def test_the_other_endpoints_are_tested(run: Run, path: str) -> None:
    assert path.rpartition("/")[2] in run.written


def test_body_that_may_have_no_end_is_not_read(run: Run) -> None:
    _, _, rest = run.written.partition("def test_get_endless_returns_200(client):\n")
    body, _, _ = rest.partition("\n\n\n")
    assert body.split() == (
        ["response", "=", 'client.get("/endless")', "assert", "response.status_code", "==", "200"]
    )


def test_endpoints_that_hang_are_called_rarely(run: Run) -> None:
    calls = {match[1]: int(match[2]) for match in re.finditer(r"GET (\S+) +(\d+) call", run.output)}
    frozen = [calls[path] for path in ("/computes", "/sleeps", "/reads", "/swallows")]
    assert sum(frozen) <= 20


def test_written_tests_pass_on_their_own(run: Run) -> None:
    finished = pytest_command(run.folder.parent, "-q", "-p", "no:cacheprovider", str(run.folder))
    assert finished.returncode == 0, finished.stdout
    assert "NOISE" not in finished.stdout.partition("warnings summary")[0]
