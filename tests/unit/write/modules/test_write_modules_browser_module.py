from __future__ import annotations

import ast

import pytest

from pytest_evosearch.sut.browser.page_steps import Filling
from pytest_evosearch.sut.browser.page_steps import PageStep
from pytest_evosearch.write.modules.browser_module import CHECKED_KINDS
from pytest_evosearch.write.modules.browser_module import BrowserFault
from pytest_evosearch.write.modules.browser_module import is_edited
from pytest_evosearch.write.modules.browser_module import module_text
from pytest_evosearch.write.modules.browser_module import names_of
from pytest_evosearch.write.modules.browser_module import source_of
from pytest_evosearch.write.modules.browser_module import tests_in as sources_in

FILLINGS = (
    Filling("title", "Title", "text", 'a "b"'),
    Filling("kind", "", "select-one", "x"),
    Filling("on", "", "checkbox", ""),
)
WAY = (PageStep("button", "Save", 1, FILLINGS), PageStep("", "More", 0))


def fault(kind: str = "uncaught error", way: tuple[PageStep, ...] = WAY) -> BrowserFault:
    return BrowserFault(kind, "it's gone", "/notes", "/notes/7", way)


def test_a_test_does_what_was_done_by_roles_and_labels() -> None:
    lines = source_of("test_a", fault()).splitlines()
    assert [line.strip() for line in lines[6:13]] == [
        "found = []",
        'page.on("pageerror", lambda error: found.append(error.message))',
        'page.goto(f"{address}/notes")',
        """page.get_by_label("Title", exact=True).first.fill('a "b"')""",
        """page.locator('[name="kind"]').first.select_option("x")""",
        """page.locator('[name="on"]').first.uncheck()""",
        'page.get_by_role("button", name="Save", exact=True).nth(1).click()',
    ]
    assert lines[13].strip() == 'page.get_by_text("More", exact=True).first.click()'
    assert lines[-1] == "    assert found == []"


@pytest.mark.parametrize("kind", CHECKED_KINDS)
@pytest.mark.parametrize("marked", [True, False])
def test_each_kind_is_a_function_that_asserts(kind: str, marked: bool) -> None:
    [function] = ast.parse(source_of("test_a", fault(kind), marked)).body
    assert isinstance(function, ast.FunctionDef)
    assert isinstance(function.body[-1], ast.Assert)
    assert len(function.decorator_list) == marked


def test_the_shortest_attempt_opens_the_page_and_the_last_one_does_everything() -> None:
    opened, clicked, everything = fault().attempts
    assert (opened.start, opened.way) == ("/notes/7", ())
    assert [step.fillings for step in clicked.way] == [(), ()]
    assert everything == fault()


def test_names_differ() -> None:
    short = fault(way=())
    assert list(names_of([fault(), fault(), short])) == [
        "test_click_more_on_notes_uncaught_error",
        "test_click_more_on_notes_uncaught_error_2",
        "test_open_on_notes_uncaught_error",
    ]


def test_a_module_knows_whether_it_was_edited_and_gives_its_tests_back() -> None:
    tests = {"test_a": source_of("test_a", fault())}
    text = module_text("client", "evosearch/browser/x.py", tests.values())
    compile(text, "x.py", "exec")
    assert sources_in(text) == tests
    assert not is_edited(text)
    assert is_edited(text.replace("found == []", "True"))
    assert is_edited("def test_mine(): pass\n")
