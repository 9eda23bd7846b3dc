"""Times that requests tell are known by their form."""

from __future__ import annotations

from datetime import timedelta

import pytest

from pytest_evosearch.problem.http.exchanges.moments import FORMS
from pytest_evosearch.problem.http.exchanges.moments import form_of
from pytest_evosearch.problem.http.exchanges.moments import present
from pytest_evosearch.problem.http.exchanges.moments import written_times
from pytest_evosearch.problem.http.filling.operand_goals import wishes


@pytest.mark.parametrize("form", FORMS)
def test_present_time_is_known_in_each_form(form):
    assert form_of(form.make(present())) is form
    assert form_of(form.make(present() - timedelta(days=2))) is not form


@pytest.mark.parametrize("text", ["", "acorn", "7", "1999-01-01T00:00:00", "9" * 40])
def test_other_texts_tell_no_time(text):
    assert form_of(text) is None


def test_time_is_told_as_it_is_asked_for():
    assert [len(text) for text in written_times(str.isdigit)] == [10, 13]
    assert all("T" in text for text in written_times(lambda text: text.startswith("2")))


@pytest.mark.parametrize("form", FORMS)
def test_code_of_a_form_makes_such_a_text(form):
    namespace: dict[str, object] = {}
    exec("\n".join(form.imports), namespace)
    assert form_of(eval(form.code, namespace)) is form


def test_what_is_compared_with_the_clock_is_tried_far_ahead_first():
    now = present().timestamp()
    tried = list(wishes("<", 0, now))
    assert tried[0] > now + 10**9
    assert isinstance(tried[0], int)
    assert list(wishes("<", 0, 7.5)) == [7.5, 8.5, 6.5]
    assert next(wishes("<", 0, float("inf"))) == float("inf")
