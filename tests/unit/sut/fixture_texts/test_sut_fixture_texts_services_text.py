"""The written fixture is the text of modules of this package, and nothing else."""

from __future__ import annotations

import pytest

from pytest_evosearch.sut.fixture_texts.services_text import services_fixture
from pytest_evosearch.sut.fixture_texts.services_text import services_fixture_in

NEEDS = [(False, False), (False, True), (True, False), (True, True)]


@pytest.mark.parametrize("needs", [NEEDS[0], NEEDS[-1]])
def test_the_fixture_runs_without_this_package(needs, pytester):
    imports, source = services_fixture(*needs)
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
    assert ("found = LoopServices()" in source, '"sleep"' in source) == needs


@pytest.mark.parametrize("needs", NEEDS)
def test_the_fixture_is_found_again(needs):
    imports, source = services_fixture(*needs)

    assert services_fixture_in(f"import pytest\n{source}") == (imports, source)
    assert services_fixture_in(f"{source}\nNOTE = 1\n") is None
