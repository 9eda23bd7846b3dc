from __future__ import annotations

import resource
import sys

import pytest

from pytest_evosearch.execution.memory import MemoryLimit

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux says what is used")

TOO_MUCH = 400 * 2**20


def test_a_call_that_asks_for_too_much_fails_at_the_line_that_asks() -> None:
    usual = resource.getrlimit(resource.RLIMIT_DATA)
    limit = MemoryLimit(allowance=100 * 2**20)

    limit.begin()
    try:
        with pytest.raises(MemoryError):
            bytearray(TOO_MUCH)
        assert len(bytearray(2**20)) == 2**20
    finally:
        limit.end()

    assert resource.getrlimit(resource.RLIMIT_DATA) == usual
    assert len(bytearray(TOO_MUCH)) == TOO_MUCH


def test_a_lower_limit_of_the_user_stays() -> None:
    usual = resource.getrlimit(resource.RLIMIT_DATA)
    lower = 2**36
    resource.setrlimit(resource.RLIMIT_DATA, (lower, usual[1]))
    try:
        limit = MemoryLimit(allowance=2 * lower)
        limit.begin()
        assert resource.getrlimit(resource.RLIMIT_DATA)[0] == lower
        limit.end()
        assert resource.getrlimit(resource.RLIMIT_DATA)[0] == lower
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, usual)
