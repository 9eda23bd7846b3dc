"""The README's command runs the quick tier, `.ci/run` both; nothing is slow without a reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from tiers import QUICK
from tiers import refuse_without_reason

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("arguments", [(), ("",), ("slow",), (5, "and", "more"), ("a", "b")])
def test_a_slow_test_has_a_reason(arguments: tuple[object, ...]) -> None:
    mark = pytest.mark.slow(*arguments).mark
    with pytest.raises(pytest.UsageError, match=r"tests/a\.py::test_a: say why"):
        refuse_without_reason("tests/a.py::test_a", [mark])


def test_a_reason_says_what_takes_the_time() -> None:
    refuse_without_reason("test_a", [pytest.mark.slow("a browser is started").mark])
    refuse_without_reason("test_a", [])


def test_ci_runs_the_command_of_the_readme_and_then_the_rest(pytestconfig: pytest.Config) -> None:
    assert pytestconfig.getini("addopts")[-2:] == ["-m", QUICK]
    assert "bin/python -m pytest -n 2\n" in (ROOT / "README.md").read_text("utf-8")
    steps = (ROOT / ".ci" / "run").read_text("utf-8")
    quick = steps.index('python" -m pytest -q -n 2 --durations=40\n')
    assert quick < steps.index('python" -m pytest -q -n 2 -m slow --durations=40\n')
