"""Reasons that differ in places and values alone are one line."""

from __future__ import annotations

from pytest_evosearch.report.causes import causes_counted
from pytest_evosearch.report.causes import causes_of


def test_one_host_at_many_places_is_one_cause() -> None:
    reasons = [
        (f"test_{line}", f"in a real run it would look up rates.example at shop.py:{line}")
        for line in (11, 23, 47)
    ]
    both = "look up rates.example at shop.py:11 and look up rates.example at shop.py:50"
    reasons.append(("test_both", f"in a real run it would {both}"))

    [cause] = causes_of(reasons)

    assert (cause.times, cause.text) == (4, "in a real run it would look up rates.example")
    assert cause.line.endswith("rates.example at 4 places (shop.py:11, shop.py:23, ...)")
    assert cause.names == ("test_11", "test_23", "test_47", "test_both")


def test_files_of_one_folder_are_one_cause() -> None:
    write = "in a real run it would write /shop/reports/{} at shop.py:{}"
    reasons = [(f"test_{name}", write.format(name, 11)) for name in ("may", "june")]
    both = f"{write.format('july', 12)} and write /shop/reports/august at shop.py:12"
    [cause, other] = causes_of([*reasons, ("both", both), ("b", write.format("old/may", 11))])

    assert (cause.times, cause.text) == (3, "in a real run it would write /shop/reports/...")
    assert cause.line.endswith("/shop/reports/... at 2 places (shop.py:11, shop.py:12)")
    assert other.line == "in a real run it would write /shop/reports/old/may at shop.py:11"


def test_other_hosts_and_other_words_are_other_causes() -> None:
    causes = causes_of(
        [
            ("a", "in a real run it would look up rates.example at shop.py:11"),
            ("b", "it needs an earlier call that crashes"),
            ("c", "in a real run it would look up mail.example at shop.py:11"),
            ("d", "it needs an earlier call that crashes"),
        ]
    )
    assert [(one.times, one.line) for one in causes] == [
        (2, "it needs an earlier call that crashes"),
        (1, "in a real run it would look up rates.example at shop.py:11"),
        (1, "in a real run it would look up mail.example at shop.py:11"),
    ]


def test_values_of_a_failed_assertion_make_no_other_cause() -> None:
    said = "fails in a fresh interpreter: AssertionError: assert {'n': %d} == {'n': 1}"
    causes = causes_of([("a", said % 2), ("b", said % 3)])
    assert [one.line for one in causes] == [
        "fails in a fresh interpreter: AssertionError: assert ..."
    ]
    assert [one.line for one in causes_of([("a", said % 2)])] == [said % 2]


def test_counted_attempts_are_added_up_by_what_was_tried() -> None:
    causes = causes_counted(
        {
            "look up rates.example at shop.py:11": 20,
            "run reboot at worker.py:3": 2,
            "look up rates.example at shop.py:47": 5,
        }
    )
    assert [(one.times, one.line) for one in causes] == [
        (25, "look up rates.example at 2 places (shop.py:11, shop.py:47)"),
        (2, "run reboot at worker.py:3"),
    ]
