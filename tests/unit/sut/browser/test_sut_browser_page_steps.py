from __future__ import annotations

from pytest_evosearch.sut.browser.page_steps import Filling
from pytest_evosearch.sut.browser.page_steps import PageStep
from pytest_evosearch.sut.browser.page_steps import described
from pytest_evosearch.sut.browser.page_steps import step_of


def field(index: int, name: str, kind: str, value: str = "") -> dict[str, object]:
    return {"index": index, "name": name, "label": name.title(), "kind": kind, "value": value}


def test_a_step_names_what_was_clicked_and_which_fields_were_changed() -> None:
    control = {
        "role": "button",
        "name": "Save",
        "place": 1,
        "fields": [field(0, "title", "text", "as shown"), field(2, "note", "text")],
    }
    step = step_of(control, {0: "as shown", 2: "new"})
    assert step == PageStep("button", "Save", 1, (Filling("note", "Note", "text", "new"),))
    assert described(step) == "a click on button 'Save'"
    assert described(PageStep("", "More", 0)) == "a click on element 'More'"
