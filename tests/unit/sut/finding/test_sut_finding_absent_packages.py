"""A library may say that a package is absent, which is no fault of the application."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_evosearch.sut.finding.absent_packages import absent_package

LIBRARY = """try:
    import email_checker
    import json
except ImportError:
    email_checker = None
"""


@pytest.mark.parametrize(
    ("folder", "message", "package"),
    [
        ("site-packages", "Install 'email_checker' for email validation.", "email_checker"),
        ("site-packages", "Install 'json' for email validation.", ""),
        ("site-packages", "Install 'another' for email validation.", ""),
        ("shop", "Install 'email_checker' for email validation.", ""),
    ],
)
def test_a_package_that_a_library_imports_and_lacks_is_absent(
    tmp_path: Path, folder: str, message: str, package: str
) -> None:
    file = tmp_path / folder / "forms.py"
    file.parent.mkdir()
    file.write_text(LIBRARY, encoding="utf-8")
    told = f'Traceback\n  File "/app.py", line 1, in view\n  File "{file}", line 3, in check\n'

    assert absent_package(told, message) == package
    assert absent_package("", message) == ""
