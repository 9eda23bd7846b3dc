from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping

import pytest

from pytest_evosearch.sut.users import fresh_headers
from pytest_evosearch.sut.users.fresh_headers import FreshHeaders


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The clock, as the only element of a list."""
    clock = [1000.0]
    monkeypatch.setattr(vars(fresh_headers)["time"], "time", lambda: clock[0])
    return clock


def signed(tokens: Iterator[str]) -> Mapping[str, str]:
    return {"Authorization": next(tokens)}


def test_old_token_is_signed_anew_also_when_the_clock_is_moved_back(now: list[float]) -> None:
    tokens = iter("abc")
    headers = FreshHeaders(lambda: signed(tokens))
    assert headers["Authorization"] == headers["Authorization"] == "a"
    now[0] += 34_611_600  # another clock, 400 days ahead
    assert dict(headers.items()) == {"Authorization": "b"}
    now[0] = 1000.0
    assert headers["Authorization"] == "c"
    assert len(headers) == 1


def test_token_that_was_signed_a_little_later_is_signed_anew(now: list[float]) -> None:
    """A repetition under a clock some seconds ahead leaves such a token behind."""
    tokens = iter("abc")
    headers = FreshHeaders(lambda: signed(tokens))
    now[0] += 1000
    assert headers["Authorization"] == "b"
    now[0] -= 7
    assert headers["Authorization"] == "c"


def test_fixture_that_works_only_once_keeps_its_token(now: list[float]) -> None:
    tokens = iter("a")
    headers = FreshHeaders(lambda: signed(tokens))
    now[0] += 1000
    assert headers["Authorization"] == "a"
