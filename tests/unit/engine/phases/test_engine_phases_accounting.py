"""What the search covered is in a kept test, or has a reason."""

from __future__ import annotations

from pytest_evosearch.engine.phases.accounting import WITHOUT_REASON
from pytest_evosearch.engine.phases.accounting import notices
from pytest_evosearch.engine.phases.accounting import unshown
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.written_suite import WrittenSuite

ASKED = (Exchange(Request("GET", "/a"), Response(200)),)
KEPT = Specimen(ASKED, frozenset({"line a.py:1"}), covered=frozenset({"line a.py:2"}))
STRUCK = Specimen(ASKED, frozenset({"line a.py:2", "line a.py:3"}))
SUITE = WrittenSuite([], 1, [], [], test_of={0: "a::test"}, reasons={1: "it hangs"})
COVERED = [f"line a.py:{number}" for number in range(1, 6)] + ["fault crash GET /a"]


def why(target: str) -> str:
    return "it did not happen again" if target == "line a.py:4" else ""


def test_each_covered_target_is_in_a_kept_test_or_has_a_reason() -> None:
    assert unshown(COVERED, [KEPT, STRUCK], SUITE, why) == {
        "fault crash GET /a": WITHOUT_REASON,
        "line a.py:3": "it hangs",
        "line a.py:4": "it did not happen again",
        "line a.py:5": WITHOUT_REASON,
    }


def test_a_notice_names_targets_whose_reason_is_told_nowhere_else() -> None:
    missing = unshown(COVERED, [KEPT, STRUCK], SUITE, why)

    assert list(notices(missing, told=["it hangs"])) == [
        "1 covered targets are in no test (line a.py:4): it did not happen again",
        f"1 covered targets are in no test (line a.py:5): {WITHOUT_REASON}",
    ]
    assert not list(notices({}, told=()))
