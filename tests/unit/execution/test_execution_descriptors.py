"""Descriptors that a handler closes or uses up come back after its call."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_evosearch.execution.descriptors import ALLOWANCE
from pytest_evosearch.execution.descriptors import KeptDescriptors
from pytest_evosearch.execution.process import ProtectedProcess
from pytest_evosearch.sut.sandbox.shared_resources import installed_resources

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/fd").is_dir(), reason="only the system knows what is open"
)


@pytest.fixture
def process() -> Iterator[ProtectedProcess]:
    with installed_resources() as resources:
        descriptors = KeptDescriptors()
        descriptors.duplicate()
        process = ProtectedProcess(resources, descriptors)
        yield process
        process.release()
        descriptors.release()


def open_descriptors() -> set[str]:
    return {path.name for path in Path("/proc/self/fd").iterdir()}


def open_without_end() -> None:
    for _ in range(2 * ALLOWANCE):
        os.open(os.devnull, os.O_RDONLY)


def test_descriptors_of_others_are_not_closed(process: ProtectedProcess, tmp_path: Path) -> None:
    with (tmp_path / "file").open("w") as file:
        number = file.fileno()
        with process.protected(), process.call:
            os.closerange(3, 256)
            os.close(number)
        file.write("still open")
    assert list(process.disturbances) == ["closes descriptors that others have opened"]
    assert (tmp_path / "file").read_text() == "still open"


def test_a_call_closes_what_it_has_opened_itself(process: ProtectedProcess) -> None:
    with process.protected():
        with process.call:
            number = os.open(os.devnull, os.O_RDONLY)
            os.close(number)
        with pytest.raises(OSError, match="Bad file"):
            os.fstat(number)
    assert not process.disturbances


def test_what_code_in_c_closes_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with path.open("w") as file, installed_resources() as resources:
        number = file.fileno()
        descriptors = KeptDescriptors()
        descriptors.duplicate()
        process = ProtectedProcess(resources, descriptors)
        with process.protected(), process.call:
            open(number, "w").close()  # noqa: PTH123 - that closes it without `os.close`
        file.write("still open")
        process.release()
        descriptors.release()
    assert list(process.disturbances) == ["closes descriptors that others have opened"]
    assert path.read_text() == "still open"


def test_descriptors_run_out_in_the_call_alone(process: ProtectedProcess) -> None:
    before = len(open_descriptors())
    with process.protected():
        with process.call, pytest.raises(OSError, match="Too many open files"):
            open_without_end()
        assert len(open_descriptors()) < before + 200
    assert list(process.disturbances) == ["uses up all descriptors of the process"]
