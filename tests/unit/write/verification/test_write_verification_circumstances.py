"""Under which circumstances written tests are run."""

from __future__ import annotations

from pytest_evosearch.write.verification.circumstances import ALL
from pytest_evosearch.write.verification.circumstances import Scope
from pytest_evosearch.write.verification.circumstances import circumstances_for


def test_only_a_project_with_tests_has_a_run_with_its_own_suite() -> None:
    without = circumstances_for(has_own_tests=False)

    assert tuple(circumstances_for(has_own_tests=True)) == ALL
    assert [one.scope for one in ALL if one not in without] == [Scope.PROJECT]
