"""The page: complete in itself, well formed, and deaf to what the application puts into it."""

from __future__ import annotations

import time
from html.parser import HTMLParser

import pytest
import report_samples as samples

from pytest_evosearch.report.html import html_page
from pytest_evosearch.report.outcome import ExitReason
from pytest_evosearch.report.outcome import MutantRow
from pytest_evosearch.report.outcome import MutationScore
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.report.outcome import SuiteSummary

VOID = {"meta", "input", "rect", "line", "path", "br", "img", "wbr"}


class Page(HTMLParser):
    """Collects elements and checks that every end tag closes the innermost open element."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def values(self, name: str) -> list[str]:
        return [
            value
            for _tag, attrs in self.elements
            for key, value in attrs.items()
            if key == name and value
        ]

    def count(self, tag: str) -> int:
        return sum(1 for name, _attrs in self.elements if name == tag)


OUTCOMES = {
    "empty": samples.EMPTY,
    "ordinary": samples.ordinary(),
    "many": samples.ordinary(60, 12, 4),
    "hostile": samples.hostile(),
}


@pytest.fixture(params=OUTCOMES.values(), ids=OUTCOMES.keys())
def outcome(request: pytest.FixtureRequest) -> Outcome:
    return request.param


def test_is_well_formed_with_unique_ids_and_links_that_lead_somewhere(outcome: Outcome) -> None:
    page = Page(html_page(outcome))
    ids = page.values("id")
    assert page.open == []
    assert len(ids) == len(set(ids))
    assert {link[1:] for link in page.values("href")} <= set(ids)
    assert set(page.values("aria-labelledby")) <= set(ids)


def test_loads_nothing_from_anywhere(outcome: Outcome) -> None:
    page = Page(html_page(outcome))
    assert {tag for tag, _ in page.elements} & {"link", "img", "iframe", "object", "form"} == set()
    assert page.values("src") == []
    assert page.values("action") == []
    assert all(link.startswith("#") for link in page.values("href"))
    assert page.count("script") == 1
    assert page.count("style") == 1


def test_keeps_what_the_application_says_as_text() -> None:
    page = Page(html_page(samples.hostile()))
    assert "alert(1)" in "".join(page.texts)
    assert not [name for _tag, attrs in page.elements for name in attrs if name.startswith("on")]
    assert "{{7*7}}" in "".join(page.texts)
    assert "49" not in "".join(text for text in page.texts if "7*7" in text)


def test_shows_control_characters_instead_of_obeying_them() -> None:
    text = html_page(samples.hostile())
    assert "\\x00\\x1b[31m\\u202e\\ud800" in text
    assert not {"\x00", "\x1b", "\u202e", "\ud800"} & set(text)


def test_a_text_that_claims_to_be_safe_is_escaped_all_the_same() -> None:
    class Safe(str):
        __slots__ = ()

        def __html__(self) -> str:
            return "<b>unsafe</b>"

    outcome = Outcome(samples.EMPTY.reason, seed=1, notices=(Safe("<i>notice</i>"),))
    text = html_page(outcome)
    assert "&lt;i&gt;notice&lt;/i&gt;" in text
    assert "<b>unsafe" not in text


def test_policy_names_the_hash_of_script_and_style() -> None:
    text = html_page(samples.EMPTY)
    assert "default-src &#39;none&#39;" in text
    assert text.count("sha256-") == 2
    assert "unsafe" not in text


def test_shows_everything_of_an_ordinary_run() -> None:
    text = "".join(Page(html_page(samples.ordinary())).texts)
    assert "6 tests written, covering 99% of the lines; 1 fault found." in text
    assert "ZeroDivisionError" in text
    assert "curl -i -X POST" in text
    assert "Traceback (most recent call last)" in text
    assert "saw 'SUMMER' == 'SUMMER-2024'" in text
    assert "true: never, 62% close" in text
    assert "line shop/pricing.py:1" in text
    assert "its status changes with the clock" in text
    assert "pytest --evosearch=1m --evosearch-seed=1843572" in text


def test_says_so_when_there_is_nothing_to_show() -> None:
    text = "".join(Page(html_page(samples.EMPTY)).texts)
    for sentence in (
        "No fault was found",
        "No endpoint is known",
        "No test was written",
        "No source was instrumented",
    ):
        assert sentence in text


def test_five_hundred_tests_take_well_under_a_second_and_a_few_megabytes() -> None:
    outcome = samples.ordinary(500, 40, 100)
    began = time.thread_time()  # a busy machine is no slow function
    text = html_page(outcome)
    assert time.thread_time() - began < 2.0
    assert len(text) < 3_000_000
    assert Page(text).count("article") == 40


def test_surviving_mutants_are_listed_with_their_diff() -> None:
    survivor = MutantRow("shop/a.py", 7, "price", "number", "-    x = 1 < 2\n+    x = 2 < 2")
    outcome = Outcome(
        ExitReason.BUDGET, 1, suite=SuiteSummary(mutation=MutationScore(9, 8, 1, (survivor,)))
    )

    page = html_page(outcome)

    assert "shop/a.py:7" in page
    assert "x = 2 &lt; 2" in page
    assert "8 of 9 small changes" in page
    assert '<section id="mutants"' not in html_page(Outcome(ExitReason.BUDGET, 1))
