from __future__ import annotations

from pytest_evosearch.execution.current_call import LOOKS_AT_FIRST
from pytest_evosearch.execution.current_call import TESTS_BETWEEN_LOOKS
from pytest_evosearch.execution.current_call import Attention


def closeness(attention: Attention, endpoints: list[str] | None, tests: int) -> list[bool]:
    found = []
    for _ in range(tests):
        attention.begin(endpoints)
        found.append(attention.is_close)
    return found


def test_the_first_calls_of_each_endpoint_are_followed_and_then_one_of_several_tests() -> None:
    attention = Attention()

    assert all(closeness(attention, ["GET /"], LOOKS_AT_FIRST))
    assert closeness(attention, ["GET /"], 2 * TESTS_BETWEEN_LOOKS).count(True) == 2
    assert all(closeness(attention, ["GET /", "POST /"], LOOKS_AT_FIRST))


def test_a_test_that_may_be_written_is_always_followed() -> None:
    attention = Attention()

    closeness(attention, ["GET /"], LOOKS_AT_FIRST)

    assert all(closeness(attention, None, 3 * TESTS_BETWEEN_LOOKS))


def test_once_something_was_changed_every_test_is_followed() -> None:
    attention = Attention()
    closeness(attention, ["GET /"], LOOKS_AT_FIRST)

    attention.is_suspect = True

    assert all(closeness(attention, ["GET /"], 2 * TESTS_BETWEEN_LOOKS))
    attention.is_familiar = True
    assert not attention.passes_over


def test_a_familiar_test_is_passed_over_except_now_and_then() -> None:
    attention = Attention()
    passed = []
    for _ in range(2 * TESTS_BETWEEN_LOOKS):
        attention.begin(["GET /"])
        assert not attention.passes_over
        attention.is_familiar = True
        passed.append(attention.passes_over)

    assert passed.count(False) == 2
