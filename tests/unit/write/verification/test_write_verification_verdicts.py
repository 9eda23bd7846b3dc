from __future__ import annotations

import pytest

from pytest_evosearch.write.verification.circumstances import Circumstances
from pytest_evosearch.write.verification.verdicts import Failure
from pytest_evosearch.write.verification.verdicts import read_verdict

HERE = Circumstances("here")
ITEM = {"item": "t/test_a.py::test_x[1]", "file": "test_a.py", "test": "test_x", "row": 1}
STARTED = {"started": "t/test_a.py::test_x[1]"}
FAILED = {"report": "t/test_a.py::test_x[1]", "outcome": "failed", "reason": "assert 1 == 2"}


def test_failure_names_function_and_row() -> None:
    verdict = read_verdict([ITEM, STARTED, FAILED], 1, "", HERE)

    assert verdict.failures == (Failure("test_a.py", "test_x", 1, "fails here: assert 1 == 2"),)


def test_module_that_cannot_be_collected_fails_as_a_whole() -> None:
    entry = {"uncollected": "t/test_a.py", "reason": "no module"}

    (failure,) = read_verdict([entry], 2, "", HERE).failures

    assert (failure.file, failure.test) == ("test_a.py", "")


def test_run_that_is_cut_off_blames_the_running_test() -> None:
    (failure,) = read_verdict([ITEM, STARTED], None, "", HERE).failures

    assert failure.hung
    assert failure.test == "test_x"


@pytest.mark.parametrize(
    ("code", "output", "broken"),
    [
        (0, "", ""),
        (1, "", "the verification here ended with exit code 1: no output"),
        (
            4,
            "x\nERROR: bad option\n",
            "the verification here ended with exit code 4: ERROR: bad option",
        ),
        (None, "stuck", "the verification here did not end: stuck"),
    ],
)
def test_run_without_failing_tests(code: int | None, output: str, broken: str) -> None:
    assert read_verdict([ITEM], code, output, HERE).broken == broken


LEAKED = """2 passed
Traceback (most recent call last):
RuntimeWarning: coroutine 'reset' was never awaited

pytest.PytestUnraisableExceptionWarning: Exception ignored in: <coroutine object reset at 0x7f>
"""


def test_a_warning_that_ends_pytest_after_the_last_test_is_held_against_none() -> None:
    ended = {"ended": ITEM["item"]}
    verdict = read_verdict([ITEM, STARTED, ended], 1, LEAKED, HERE)
    assert not verdict.failures
    assert not verdict.broken
    assert verdict.unfinished == "RuntimeWarning: coroutine 'reset' was never awaited"


def test_a_warning_explains_nothing_where_not_every_test_has_run() -> None:
    assert read_verdict([ITEM, STARTED], 1, LEAKED, HERE).broken
