"""The written fixture is the text of modules of this package, and nothing else."""

from __future__ import annotations

import pytest

from pytest_evosearch.sut.fixture_texts.services_text import needs_met
from pytest_evosearch.sut.fixture_texts.services_text import services_fixture

NEEDS = {
    "failing": "def end(",
    "looping": "found = LoopServices()",
    "searching": "X-Elastic-Product: Elasticsearch",
    "sleeping": 'monkeypatch.setattr(time, "sleep"',
    "unreached": "def unreachable(",
    "waiting": "100 Continue",
}


@pytest.mark.parametrize("needs", [(), tuple(NEEDS)], ids=["none", "all"])
def test_the_fixture_runs_without_this_package(needs, pytester):
    imports, source = services_fixture(needs)
    pytester.makeconftest("\n".join([*imports, "import pytest", source]))
    pytester.makepyfile(
        """
        import urllib.request


        def test_answered(services):
            services.get("https://prices.internal/today", json={"oats": 3})

            with urllib.request.urlopen("https://prices.internal/today") as answer:
                assert answer.read() == b'{"oats": 3}'


        def test_not_answered(services):
            try:
                urllib.request.urlopen("http://prices.internal/today?day=2")
            except OSError as error:
                assert "no answer for GET http://prices.internal/today" in str(error)
        """
    )

    result = pytester.runpytest_inprocess("-W", "error")

    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(["*AssertionError: no answer for GET http://prices.internal/today"])
    assert "pytest_evosearch" not in source
    assert [need for need, text in NEEDS.items() if text in source] == [*needs]
    assert "#: " not in source


@pytest.mark.parametrize("needs", [[], *([need] for need in NEEDS), NEEDS], ids=" ".join)
def test_the_fixture_is_found_again_as_it_was_written(needs):
    source = services_fixture(needs)[1]

    assert needs_met(f"import pytest\n{source}\nNOTE = 1\n") == {*needs}
    assert needs_met(source.replace("class Services:", "class S:")) is None


def test_what_only_some_tests_need_is_refused_without_it(pytester):
    imports, source = services_fixture()
    pytester.makeconftest("\n".join([*imports, "import pytest", source]))
    pytester.makepyfile(
        """
        import pytest


        def test_needs(services):
            with pytest.raises(KeyError, match="fails"):
                services.get("http://prices.internal/today", fails="reset")
            with pytest.raises(AttributeError, match="unreachable"):
                services.unreachable("prices.internal")
        """
    )

    pytester.runpytest_inprocess("-W", "error").assert_outcomes(passed=1)
