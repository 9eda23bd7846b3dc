from __future__ import annotations

from pytest_evosearch.write.verification.circumstances import MOVED
from pytest_evosearch.write.verification.circumstances import PLAIN
from pytest_evosearch.write.verification.circumstances import STRICT
from pytest_evosearch.write.verification.circumstances import TOGETHER
from pytest_evosearch.write.verification.circumstances import joined_where_possible
from pytest_evosearch.write.verification.extent import Extent

POSSIBLE = (PLAIN, STRICT, TOGETHER)


def test_nothing_is_told_where_every_test_was_run_in_every_way() -> None:
    extent = Extent()
    for one in POSSIBLE:
        extent.note(one, 0)

    assert extent.described(POSSIBLE, 12) == ""


def test_circumstances_without_time_are_named() -> None:
    extent = Extent()
    extent.note(PLAIN, 0)
    extent.note(STRICT, 4)

    assert extent.described(POSSIBLE, 12) == (
        "verified in a fresh interpreter, 8 of 12 tests where warnings are errors; "
        "no time to run them in two processes at once"
    )


def test_circumstances_without_which_the_user_does_are_told_as_such() -> None:
    extent = Extent()
    extent.note(PLAIN, 0)

    assert extent.described(POSSIBLE, 12, "they were not run") == (
        "verified in a fresh interpreter; they were not run where warnings are errors, in "
        "two processes at once"
    )


def test_a_joint_run_counts_for_each_of_its_circumstances() -> None:
    extent = Extent()
    (joint,) = joined_where_possible((MOVED, STRICT))
    extent.note(joint, 0)
    extent.note(TOGETHER, 0)

    assert extent.described((PLAIN, MOVED, STRICT, TOGETHER), 12) == ""


def test_circumstances_in_which_no_test_was_reached_are_named_as_well() -> None:
    extent = Extent()
    extent.note(STRICT, 12)
    extent.note(TOGETHER, 0)

    assert extent.described(POSSIBLE, 12) == (
        "verified in a fresh interpreter; no time to run them where warnings are errors"
    )
