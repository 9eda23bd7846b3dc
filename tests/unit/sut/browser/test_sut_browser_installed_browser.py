from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from pytest_evosearch.errors import InvalidSetting
from pytest_evosearch.sut.browser.installed_browser import found_browser


@pytest.fixture(autouse=True)
def playwright(monkeypatch):
    """Let Playwright seem to be installed."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: object())


def which_of(*programs: str):
    """Return a search path with these programs."""
    return lambda name: f"/usr/bin/{name}" if name in programs else None


def test_the_named_program_comes_first(tmp_path) -> None:
    which = which_of("chromium", "my-browser")
    assert found_browser({"EVOSEARCH_BROWSER": "my-browser"}, tmp_path, which).endswith(
        "my-browser"
    )


def test_a_named_program_that_is_none_is_told(tmp_path) -> None:
    with pytest.raises(InvalidSetting, match="EVOSEARCH_BROWSER=no-such is no program"):
        found_browser({"EVOSEARCH_BROWSER": "no-such"}, tmp_path, which_of("chromium"))


def test_a_download_of_playwright_comes_before_programs_of_the_system(tmp_path) -> None:
    program = tmp_path / "chromium-1200" / "chrome-linux" / "chrome"
    program.parent.mkdir(parents=True)
    program.touch()
    given = {"PLAYWRIGHT_BROWSERS_PATH": str(tmp_path)}
    assert Path(found_browser(given, tmp_path, which_of("chromium"))) == program


@pytest.mark.parametrize(
    ("installed", "expected"),
    [
        (("google-chrome", "chromium", "chromium-headless-shell"), "chromium-headless-shell"),
        (("google-chrome", "chromium"), "chromium"),
        (("google-chrome",), "google-chrome"),
    ],
)
def test_programs_of_the_system_have_an_order(tmp_path, installed, expected) -> None:
    assert found_browser({}, tmp_path, which_of(*installed)) == f"/usr/bin/{expected}"


def test_one_line_says_what_to_install(tmp_path, monkeypatch) -> None:
    with pytest.raises(InvalidSetting, match="playwright install chromium") as caught:
        found_browser({}, tmp_path, which_of())
    assert "\n" not in str(caught.value)
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(InvalidSetting, match=r"pytest-evosearch\[browser\]"):
        found_browser({}, tmp_path, which_of("chromium"))
