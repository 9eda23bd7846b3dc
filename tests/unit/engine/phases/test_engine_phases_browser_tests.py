from __future__ import annotations

from pathlib import Path

from pytest_evosearch.engine.phases.browser_tests import expected_failures

RESULTS = """<testsuites><testsuite>
<testcase name="test_shown[chromium]"><skipped type="pytest.xfail" message="gone"/></testcase>
<testcase name="test_passes[chromium]"/>
<testcase name="test_waits[chromium]"><failure message="Timeout"/></testcase>
<testcase name="test_left_out[chromium]"><skipped type="pytest.skip" message="no"/></testcase>
</testsuite></testsuites>"""


def test_only_tests_that_fail_as_their_marks_say_show_a_fault(tmp_path: Path) -> None:
    assert expected_failures(tmp_path / "none.xml") == set()
    (tmp_path / "results.xml").write_text(RESULTS)
    assert expected_failures(tmp_path / "results.xml") == {"test_shown"}
