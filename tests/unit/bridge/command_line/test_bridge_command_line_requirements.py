from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path

import pytest

from pytest_evosearch.bridge.command_line.requirements import NEEDED
from pytest_evosearch.bridge.command_line.requirements import missing_requirements

NEW = {name: f"{least}.1" for name, least in NEEDED}


def test_what_is_installed_here_is_enough() -> None:
    assert missing_requirements() is None


@pytest.mark.parametrize(
    ("found", "told"),
    [
        ({"Flask": "2.1.3"}, "Flask 2.1.3 is older than 2.2;"),
        ({"Flask": "1.1.4", "pytest": "6.2.5"}, "pytest 6.2.5 is older than 7.4, Flask 1.1.4 is"),
        ({"Werkzeug": "2.10.0.dev1", "pytest": "10.0"}, None),
        ({"Flask": "2.2rc1"}, None),
    ],
)
def test_what_is_too_old_is_named(found: dict[str, str], told: str | None) -> None:
    line = missing_requirements({**NEW, **found}.__getitem__)
    assert line is None if told is None else told in line and "\n" not in line


def test_what_is_not_installed_is_named() -> None:
    def version_of(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    assert "Werkzeug is not installed" in (missing_requirements(version_of) or "")


def test_the_package_replaces_no_pin_of_a_project() -> None:
    text = (Path(__file__).parents[4] / "pyproject.toml").read_text(encoding="utf-8")
    [listed] = re.findall(r"^dependencies = \[(.*?)^\]", text, re.DOTALL | re.MULTILINE)
    names = re.findall(r'"([^"]+)"', listed)
    assert "flask" in names
    assert [name for name in names if not re.fullmatch(r"[a-z-]+", name)] == []
