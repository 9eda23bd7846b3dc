"""The written modules, word for word; EVOSEARCH_UPDATE_GOLDEN=1 records them anew."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import black
import pytest
import write_specimens

from pytest_evosearch.sut.handle import Support
from pytest_evosearch.write.brief import Brief
from pytest_evosearch.write.content.builder import Surroundings
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.naming.suite_plan import plan_suite
from pytest_evosearch.write.suite import write_suite

RECORDED = Path(__file__).with_name("recorded")
SUITES = {
    "blog": (write_specimens.blog(), {"GET /": "blog", "POST /create": "blog"}),
    "users_api": (write_specimens.users_api(), {}),
    "numbers": (write_specimens.numbers(), {}),
}


def written(specimens: Sequence[Specimen], groups: dict[str, str], folder: Path) -> dict[str, str]:
    every = {one.act.request.endpoint: "blog" for one in specimens} if groups else {}
    write_suite(
        specimens,
        Brief(
            support=Support(),
            users=write_specimens.USERS,
            folder=folder,
            root=folder.parent,
            groups=every,
            command="pytest --evosearch=30m",
        ),
    )
    return {path.name: path.read_text() for path in sorted(folder.glob("test_*.py"))}


def recorded_name(suite: str, file: str) -> Path:
    return RECORDED / f"write_{suite}__{file.removeprefix('test_evosearch_')}"


@pytest.mark.parametrize("suite", SUITES)
def test_written_modules_are_as_recorded(suite: str, tmp_path: Path) -> None:
    specimens, groups = SUITES[suite]

    texts = written(specimens, groups, tmp_path / "evosearch")

    if os.environ.get("EVOSEARCH_UPDATE_GOLDEN"):
        for old in RECORDED.glob(f"write_{suite}__*.py"):
            old.unlink()
        for file, text in texts.items():
            recorded_name(suite, file).write_text(text)
    expected = {path.name for path in RECORDED.glob(f"write_{suite}__*.py")}
    assert {recorded_name(suite, file).name for file in texts} == expected
    for file, text in texts.items():
        assert text == recorded_name(suite, file).read_text()


@pytest.mark.parametrize("suite", SUITES)
def test_order_of_specimens_does_not_matter(suite: str, tmp_path: Path) -> None:
    specimens, groups = SUITES[suite]

    forwards = written(specimens, groups, tmp_path / "one" / "tests")
    backwards = written(specimens[::-1], groups, tmp_path / "two" / "tests")

    assert forwards == backwards


@pytest.mark.parametrize("path", sorted(RECORDED.glob("write_*.py")), ids=lambda path: path.stem)
def test_recorded_module_compiles_and_is_black_clean(path: Path) -> None:
    source = path.read_text()

    compile(source, str(path), "exec")
    assert black.format_str(source, mode=black.Mode()) == source


def test_recorded_modules_are_ruff_clean() -> None:
    files = [str(path) for path in sorted(RECORDED.glob("write_*.py"))]
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "-q"]

    result = subprocess.run(
        [*command, "--select", "E,F,I,PT,B,SIM", *files],
        capture_output=True,
        text=True,
        check=False,
    )

    assert result.returncode == 0, result.stdout + result.stderr


def test_every_name_is_short_and_says_test() -> None:
    for specimens, _groups in SUITES.values():
        plan = plan_suite(specimens, Surroundings(users=write_specimens.USERS))

        assert plan.tests
        for planned in plan.tests:
            assert planned.name.startswith("test_")
            assert len(planned.name) <= 60
