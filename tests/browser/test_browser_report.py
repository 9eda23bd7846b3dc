"""The page in a real browser: opened, clicked through, and looked at from phone and desktop."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "unit" / "report"))

import report_samples as samples
from axe import AXE
from axe import accessibility_of
from chromium import Browser
from chromium import chromium
from chromium import find_chromium

from pytest_evosearch.report.html import html_page
from pytest_evosearch.report.outcome import Outcome

PATH = find_chromium()
pytestmark = [
    pytest.mark.slow("a browser is started"),
    pytest.mark.skipif(PATH is None, reason="no Chromium is installed"),
]

PAGES = {
    "empty": samples.EMPTY,
    "few": samples.ordinary(5),
    "many": samples.ordinary(500, 12, 60),
    "hostile": samples.hostile(),
}
OPENING_SECONDS = 1.0
OPENINGS = 25
"""Times that a page may be opened to be fast once: test machines are busy."""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    assert PATH is not None
    with chromium(PATH, tmp_path_factory.mktemp("profile")) as running:
        yield running


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    return {name: written(folder / f"{name}.html", outcome) for name, outcome in PAGES.items()}


def written(file: Path, outcome: Outcome) -> Path:
    file.write_bytes(html_page(outcome).encode("utf-8", "backslashreplace"))
    return file


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", [390, 1280])
def test_opens_fast_without_a_complaint_and_fits_the_window(
    browser: Browser, pages: dict[str, Path], name: str, width: int
) -> None:
    browser.show(width)
    assert any(seconds_to_open(browser, pages[name]) < OPENING_SECONDS for _ in range(OPENINGS))
    assert browser.problems() == []
    assert browser.run("document.documentElement.scrollWidth") <= width
    assert browser.run("document.querySelectorAll('h1').length") == 1


def seconds_to_open(browser: Browser, page: Path) -> float:
    began = time.perf_counter()
    browser.open(page)
    return time.perf_counter() - began


@pytest.fixture(scope="module")
def axe(pytestconfig: pytest.Config) -> str:
    return AXE.text(pytestconfig)


@pytest.mark.parametrize("name", ["empty", "few", "hostile"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_the_accessibility_checker_finds_nothing(
    browser: Browser, pages: dict[str, Path], axe: str, name: str, scheme: str, width: int
) -> None:
    browser.show(width, scheme)
    browser.open(pages[name])
    browser.run("document.querySelectorAll('details').forEach(d => d.open = true)")
    found = accessibility_of(browser, axe)
    browser.show(1280)
    assert found["violations"] == []
    assert found["passes"] > 30


def test_follows_the_colour_scheme_of_the_system(browser: Browser, pages: dict[str, Path]) -> None:
    colours = []
    for scheme in ("light", "dark"):
        browser.show(1280, scheme)
        browser.open(pages["few"])
        colours.append(browser.run("getComputedStyle(document.body).backgroundColor"))
    browser.show(1280)
    assert colours == ["rgb(250, 249, 247)", "rgb(20, 23, 26)"]


def test_the_navigation_leads_to_every_section(browser: Browser, pages: dict[str, Path]) -> None:
    browser.show(1280)
    browser.open(pages["few"])
    for section in browser.run("[...document.querySelectorAll('main > section')].map(s => s.id)"):
        browser.click(f"nav a[href='#{section}']")
        browser.wait_until(f"location.hash === '#{section}'")


def test_the_place_of_a_fault_leads_to_its_line(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["many"])
    assert browser.run("document.querySelector('#file-1').open") is False
    browser.click(".fault .meta a")
    browser.wait_until("location.hash === '#file-1-10'")
    browser.settle()
    browser.wait_until("document.querySelector('#file-1').open")
    top = browser.run("document.querySelector('#file-1-10').getBoundingClientRect().top")
    assert 0 < top < 900


def test_a_link_from_outside_opens_what_it_names(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["many"], "#test-7")
    browser.wait_until("document.querySelector('#test-7').open")


def test_the_filter_keeps_what_holds_every_word(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["many"])
    shown = "document.querySelectorAll('#test-list [data-row]:not([hidden])').length"
    assert browser.run(shown) == 501
    browser.click("[data-filter=test-list]")
    browser.type("orders 409")
    some = browser.run(shown)
    assert 0 < some < 100
    assert browser.run("document.querySelector('[data-result=test-list]').textContent") == (
        f"{some} of 501"
    )
    browser.type(" no such word")
    assert browser.run(shown) == 0


def test_a_test_unfolds_by_mouse_and_by_keyboard(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["few"])
    browser.click("#test-2 summary")
    browser.wait_until("document.querySelector('#test-2').open")
    browser.run("document.querySelector('#test-3 summary').focus()")
    browser.press("Enter", 13)
    browser.wait_until("document.querySelector('#test-3').open")


def test_the_first_stop_of_the_keyboard_skips_to_the_results(
    browser: Browser, pages: dict[str, Path]
) -> None:
    browser.open(pages["few"])
    browser.press("Tab", 9)
    browser.wait_until("document.activeElement.className === 'skip'")
    assert browser.run("document.activeElement.getBoundingClientRect().left") >= 0


def test_everything_that_takes_the_focus_has_a_name(
    browser: Browser, pages: dict[str, Path]
) -> None:
    browser.open(pages["few"])
    nameless = browser.run(
        "[...document.querySelectorAll('a, button, summary, input, [tabindex]')].filter(e =>"
        " !(e.textContent.trim() || e.ariaLabel || e.getAttribute('aria-labelledby')"
        " || e.labels?.length)).map(e => e.outerHTML)"
    )
    assert nameless == []


def test_hostile_text_runs_nothing(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["hostile"])
    browser.run("document.querySelectorAll('details').forEach(d => d.open = true)")
    browser.settle()
    assert browser.problems() == []
    assert browser.run("document.scripts.length") == 1
    assert browser.run("document.images.length") == 0


def test_many_tests_are_folded_by_module_until_they_are_looked_for(
    browser: Browser, pages: dict[str, Path]
) -> None:
    browser.show(1280)
    unfolded = "[...document.querySelectorAll('.module')].map(module => module.open)"
    browser.open(pages["few"])
    assert all(browser.run(unfolded))
    browser.open(pages["many"])
    assert not any(browser.run(unfolded))
    browser.click("[data-filter=test-list]")
    browser.type("orders 409")
    shown = "[...document.querySelectorAll('.module:not([hidden])')].map(module => module.open)"
    assert 0 < len(browser.run(shown)) < len(browser.run(unfolded))
    assert all(browser.run(shown))


def test_how_close_a_side_came_is_seen_on_a_phone(browser: Browser, pages: dict[str, Path]) -> None:
    browser.show(390)
    browser.open(pages["few"])
    edges = browser.run(
        "[...document.querySelectorAll('#file-1 .chip:not(.taken)')].map(chip => {"
        "const box = chip.getBoundingClientRect(); return [box.left, box.right]; })"
    )
    browser.show(1280)
    assert len(edges) == 4
    assert all(0 <= left < right <= 390 for left, right in edges)
