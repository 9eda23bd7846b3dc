from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pytest_evosearch.sut.servers.server_process import ServerDidNotStart
from pytest_evosearch.sut.servers.server_process import ServerProcess

SAYING = """\
print("FATAL:  could not create any Unix-domain sockets")
print("LOG:  database system is shut down")
raise SystemExit(1)
"""


def test_the_reason_is_what_the_server_calls_fatal_and_not_its_last_line(tmp_path: Path) -> None:
    process = ServerProcess(tmp_path / "log", None)

    with pytest.raises(ServerDidNotStart, match=r"^FATAL:  could not create any"):
        process.run([sys.executable, "-c", SAYING])


class Named(int):
    """A signal whose text is its name, as that of every signal is before Python 3.11."""

    def __str__(self) -> str:
        return "Signals.SIGTERM"


def test_a_signal_is_passed_on_as_its_number(tmp_path: Path) -> None:
    process, begun = ServerProcess(tmp_path / "log", None), tmp_path / "begun"
    program = f"import pathlib, time; pathlib.Path({str(begun)!r}).touch(); time.sleep(60)"

    process.start([sys.executable, "-c", program], Named(15), begun.exists)
    process.end()

    assert begun.exists()
