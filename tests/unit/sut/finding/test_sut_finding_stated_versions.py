"""Which libraries are newer than a project states, and which crashes come of them."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import pytest

from pytest_evosearch.sut.finding.stated_versions import StatedVersions

INSTALLED = {"Flask": "3.1.2", "flask": "3.1.2", "Werkzeug": "3.0.1"}


def installed(name: str) -> str:
    if name not in INSTALLED:
        raise metadata.PackageNotFoundError(name)
    return INSTALLED[name]


@pytest.mark.parametrize(
    ("name", "text", "newer"),
    [
        ("requirements.txt", "Flask==1.0.2\nmissing==1.0\n", ["flask"]),
        ("requirements.txt", "Flask==3.1.0\nWerkzeug<3\n", ["werkzeug"]),
        ("requirements.txt", "Flask>=1.0\nWerkzeug\n", []),
        ("pyproject.toml", 'dependencies = [\n  "flask[async]~=2.0",\n]', ["flask"]),
        ("pyproject.toml", 'flask = "^2.0"', ["flask"]),
        ("requirements/prod.txt", "# Flask==1.0.2\nWerkzeug == 2.3.7\n", ["werkzeug"]),
    ],
)
def test_a_library_is_newer_in_its_first_two_numbers(
    tmp_path: Path, name: str, text: str, newer: list[str]
) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(text)

    assert sorted(StatedVersions.of(tmp_path, installed).newer) == newer


def test_a_crash_comes_of_the_library_that_failed_or_was_asked_for_what_it_lacks() -> None:
    stated = StatedVersions({"werkzeug": "old", "flask": "older"})

    assert stated.newer_library("werkzeug.security generate_password_hash", "sha256") == "old"
    assert stated.newer_library("", "Flask.run() takes 1 positional argument but 2 were") == "older"
    assert stated.newer_library("", "module 'flask' has no attribute 'Markup'") == "older"
    assert stated.newer_library("", "cannot import name 'escape' from 'flask' (a.py)") == "older"
    assert stated.newer_library("", "total() takes 1 positional argument but 2 were given") == ""
    assert stated.newer_library("sqlalchemy.orm get", "too large") == ""
