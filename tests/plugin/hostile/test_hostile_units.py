"""Units that do harm with whatever they are given: the run and the user's files stay whole."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow("harm is done in a process namespace until a limit ends it")

HOSTILE = """
import builtins
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from os import kill as end


def harmless(number: int) -> str:
    if number > 10:
        return "large"
    return "small"


def remove(folder: str) -> None:
    shutil.rmtree(folder or "..", ignore_errors=True)
    shutil.rmtree(os.path.join(os.environ["EVOSEARCH_KEPT"]), ignore_errors=True)


def overwrite(name: str) -> int:
    try:
        with open(os.path.join(os.environ["EVOSEARCH_KEPT"], "kept.txt"), "w") as file:
            return file.write(name)
    except OSError:
        return 0


def fork(times: int) -> int:
    return os.fork()


def end_parent(number: int) -> None:
    end(os.getppid(), signal.SIGKILL)


def leave(status: int) -> None:
    sys.exit(status)


def vanish(status: int) -> None:
    os._exit(status)


def hang(number: int) -> None:
    while True:
        try:
            number += 1
        except BaseException:
            pass


def endless(start: int):
    while True:
        yield start


def sleepy(seconds: float) -> None:
    time.sleep(60)


def deep(number: int) -> int:
    return deep(number + 1)


def ask(prompt: str) -> str:
    return input(prompt)


def hoard(number: int) -> int:
    return len([bytearray(1 << 30) for _ in range(64)])


def start(number: int) -> None:
    threading.Thread(target=time.sleep, args=(30,)).start()


def patch(name: str) -> None:
    builtins.len = lambda _value: 7


def run(program: str) -> int:
    return subprocess.call(["touch", os.path.join(os.environ["EVOSEARCH_KEPT"], "ran")])


def close_everything(first: int) -> None:
    os.closerange(0, 10_000)


def execute(text: str) -> None:
    exec(text)


REGISTRY: dict[str, int] = {}


def register(name: str) -> int:
    REGISTRY[name] = len(REGISTRY)
    return len(REGISTRY)
"""


def test_hostile_units_leave_the_run_and_files_whole(run_in_namespace, tmp_path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "kept.txt").write_text("kept")

    run = run_in_namespace(
        {"harm.py": HOSTILE, "conftest.py": ""},
        "--evosearch-units=harm",
        app="",
        evaluations=80,
        environment={"EVOSEARCH_KEPT": str(kept)},
    )

    run.is_well()
    assert (kept / "kept.txt").read_text() == "kept"
    assert sorted(path.name for path in kept.iterdir()) == ["kept.txt"]
    assert run.tells("harm:vanish was given up: it ended its process")
    assert run.tells("harm:hang was given up")
    assert "harmless" in run.written
    assert "def test_leave_raises_system_exit" in run.written
    for harmful in ("remove", "overwrite", "fork", "end_parent", "vanish", "hang", "run", "patch"):
        assert f"    {harmful}(" not in run.written
    assert "return_registry" not in run.written
    assert run_in_namespace.again(run).passes()
