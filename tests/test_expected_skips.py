"""In CI a skip is a failure, unless it is expected; an entry that no skip needs is one, too."""

from __future__ import annotations

import pytest

CONFTEST = """
import sys
sys.path.insert(0, {folder!r})
from expected_skips import ExpectedSkip, SkipJudge

def pytest_configure(config):
    entries = [ExpectedSkip("*::test_known", "no moon*", "it is day"),
               ExpectedSkip("*test_module.py", "could not import*", "it is nowhere"),
               ExpectedSkip("*", "*", "elsewhere", applies=False)]
    config.pluginmanager.register(SkipJudge(entries), "skip-judge")
"""
KNOWN = "import pytest\ndef test_known():\n    pytest.skip('no moon tonight')\n"
MODULE = "import pytest\npytest.importorskip('a_module_that_is_nowhere')\n"
WRONG = (
    "import pytest\n@pytest.mark.xfail(reason='known')\ndef test_wrong():\n    raise ValueError\n"
)


WITH_XDIST = ("-p", "xdist.plugin", "-n2")


@pytest.fixture
def judged(pytester, request, monkeypatch):
    """Return a function that runs modules under the judge of skips."""
    # All plugins of the development environment are most of what such a run costs.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makeconftest(CONFTEST.format(folder=str(request.config.rootpath / "tests")))
    pytester.makeini("[pytest]\ntestpaths = .\n")

    def run(*arguments, **modules):
        pytester.makepyfile(**modules)
        return pytester.runpytest_subprocess("-p", "no:evosearch", *arguments)

    return run


@pytest.mark.parametrize("arguments", [(), WITH_XDIST], ids=["alone", "xdist"])
def test_expected_skips_pass(judged, arguments) -> None:
    result = judged(*arguments, test_some=KNOWN, test_module=MODULE, test_wrong=WRONG)
    result.assert_outcomes(skipped=2, xfailed=1)
    assert result.ret == pytest.ExitCode.OK


@pytest.mark.parametrize("arguments", [(), WITH_XDIST], ids=["alone", "xdist"])
def test_unknown_skip_of_a_test_fails(judged, arguments) -> None:
    result = judged(*arguments, test_some=KNOWN.replace("test_known", "test_other"))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["skipped in CI: no moon tonight"])


def test_known_test_with_another_reason_fails(judged) -> None:
    judged(test_some=KNOWN.replace("no moon", "no sun")).assert_outcomes(failed=1)


def test_unknown_skip_of_a_module_fails(judged) -> None:
    result = judged(test_nobody=MODULE)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["skipped in CI: could not import*"])


def test_stale_entry_fails_the_whole_run(judged) -> None:
    result = judged(test_some="def test_other():\n    pass\n", test_module=MODULE)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*no test is skipped for [*]::test_known: no moon[*]"])


def test_part_of_the_tests_says_nothing_about_stale_entries(judged) -> None:
    result = judged("test_some.py", test_some="def test_other():\n    pass\n")
    assert result.ret == pytest.ExitCode.OK


def test_run_of_one_tier_says_nothing_about_entries_of_the_other(judged) -> None:
    marked = "import pytest\n@pytest.mark.slow\ndef test_long():\n    pass\n"
    arguments = ("-m", "slow", "-W", "ignore::pytest.PytestUnknownMarkWarning")
    result = judged(*arguments, test_some=marked)
    result.assert_outcomes(passed=1)
    assert result.ret == pytest.ExitCode.OK
