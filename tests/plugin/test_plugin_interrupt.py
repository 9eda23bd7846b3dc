from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

TIMEOUT_SECONDS = 100.0

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")


def start(shop) -> subprocess.Popen[str]:
    shop.monkeypatch.setenv("EVOSEARCH_SCRIPT", "wait")
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", *shop.plugins, "--evosearch=5x", "--evosearch-level=0"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=shop.path,
    )
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while not (shop.path / "ready").exists():
        assert time.monotonic() < deadline, "the search never began"
        time.sleep(0.02)
    return process


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_first_interrupt_keeps_the_results(shop, name: str) -> None:
    process = start(shop)
    process.send_signal(getattr(signal, name))
    output, _ = process.communicate(timeout=TIMEOUT_SECONDS)
    assert process.returncode == 2
    assert "the search was interrupted; what it found is written" in output
    assert "3 generated" in output


@pytest.mark.slow("whole commands run")
def test_second_interrupt_stops_at_once(shop) -> None:
    engine = shop.path / "deaf.py"
    engine.write_text(
        "import scripted_engine, time, pathlib\n"
        "def wait(host):\n"
        "    host.load_app()\n"
        "    pathlib.Path('ready').touch()\n"
        "    time.sleep(600)\n"
        "scripted_engine.wait = wait\n"
    )
    shop.plugins += ["-p", "deaf"]
    process = start(shop)
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=TIMEOUT_SECONDS)
    assert process.returncode == 2
    assert "KeyboardInterrupt" in output
