from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest
from coverage import Coverage
from coverage.parser import PythonParser

from pytest_evosearch.instrument import install
from pytest_evosearch.instrument.loading.coverage_settings import excluded_lines
from pytest_evosearch.instrument.transformation.exclusion import MARKER
from pytest_evosearch.instrument.transformation.plan import ModulePlan
from pytest_evosearch.instrument.transformation.transform import instrument

SOURCE = """\
import abc
def f(a):
    if a.debug:
        print(a)
        return 1
    elif a == 2:  # pragma: no cover
        return 2
    try:
        a = int(a)
    except ValueError:
        raise NotImplementedError
    raise AssertionError(
        "never",
        a,
    )
class Base(abc.ABC):
    @abc.abstractmethod
    def work(self):
        return 1
    def __repr__(self):
        if self:
            return "x"
        return "y"
    def other(self): return 5
"""

INI = "report]\nexclude_also =\n    def __repr__\n    @abc.abstractmethod\n"
TOML = "report]\nexclude_also = ['def __repr__', '@abc.abstractmethod']\n"
SETTINGS = {
    ".coveragerc": f"[{INI}",
    ".coveragerc.toml": f"[{TOML}",
    "setup.cfg": f"[coverage:{INI}",
    "tox.ini": f"[coverage:{INI}",
    "pyproject.toml": f"[tool.coverage.{TOML}",
}


@pytest.mark.parametrize("name", SETTINGS)
def test_every_place_that_coverage_reads_is_read(tmp_path: Path, name: str) -> None:
    if name.endswith(".toml") and name != "pyproject.toml" and not _reads_own_toml():
        pytest.skip("needs a newer coverage.py")
    (tmp_path / name).write_text(SETTINGS[name], encoding="utf-8")
    patterns = excluded_lines(tmp_path)

    assert patterns is not None
    assert {MARKER.pattern, "def __repr__", "@abc.abstractmethod"} <= set(patterns)


def _reads_own_toml() -> bool:
    return ".coveragerc.toml" in Path(sys.modules["coverage.config"].__file__ or "").read_text()


def test_the_first_file_that_concerns_coverage_counts(tmp_path: Path) -> None:
    (tmp_path / "setup.cfg").write_text("[metadata]\nname = x\n", encoding="utf-8")
    (tmp_path / "tox.ini").write_text("[coverage:report]\nexclude_lines = only\n", encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(SETTINGS["pyproject.toml"], encoding="utf-8")

    assert excluded_lines(tmp_path) == ("only",)


@pytest.mark.parametrize(
    "settings",
    [
        "",
        "[tool.black]\n",
        "[tool.coverage.run]\nbranch = true\n",
        "[tool.coverage.report\nexclude_also",
    ],
)
def test_other_settings_leave_the_default(tmp_path: Path, settings: str) -> None:
    (tmp_path / "pyproject.toml").write_text(settings, encoding="utf-8")

    assert excluded_lines(tmp_path) is None


@pytest.mark.parametrize(
    "patterns",
    [
        (),
        ("def __repr__", "@abc.abstractmethod"),
        ("if a.debug:", "raise AssertionError"),
        (r"raise NotImplementedError", "except ValueError"),
        (r"if self:\n\s+return .x.",),
        ("never",),
        (MARKER.pattern, "def other"),
        ("class Base",),
    ],
)
def test_lines_agree_with_coverage(patterns: tuple[str, ...]) -> None:
    parser = PythonParser(text=SOURCE, exclude="|".join(f"(?:{each})" for each in patterns))
    parser.parse_source()
    _, plan = instrument(SOURCE, "m.py", 3, excluded=patterns)
    headers = {10, 18}  # an `except` is a branch target; a decorated `def` begins above it

    assert _lines(plan) - headers == parser.statements - headers


def _lines(plan: ModulePlan) -> set[int]:
    return {row.line for row in plan.targets if row.name.startswith("line ")}


def test_excluded_lines_are_no_targets_with_and_without_a_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "excluded_subject.py").write_text(SOURCE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    found = []
    for patterns in (("def __repr__",), None, ("def __repr__",)):
        sys.modules.pop("excluded_subject", None)
        with install(["excluded_subject"], cache=tmp_path / "kept", excluded=patterns) as recording:
            importlib.import_module("excluded_subject")
            recording.retire(recording.catalog.targets())
            recording.respecialize()
            found.append("line excluded_subject.py:21" in recording.catalog)
    sys.modules.pop("excluded_subject", None)

    assert found == [False, True, False]


def test_coverage_itself_is_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "tox.ini").write_text(SETTINGS["tox.ini"], encoding="utf-8")
    before = Coverage.current()
    excluded_lines(tmp_path)

    assert Coverage.current() is before
