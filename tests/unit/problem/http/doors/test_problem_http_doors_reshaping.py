"""Texts get another form where what was compared shows that theirs is wrong."""

from __future__ import annotations

import time
from datetime import timedelta
from random import Random

import pytest

from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.problem.http.doors.reshaping import reshaped
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.moments import EXAMPLE
from pytest_evosearch.problem.http.exchanges.moments import form_of


def forms(text: str, *compared: Comparison, location: Location = Location.HEADER) -> list[str]:
    call = Call("POST /payments", (Input(location, "X-Stamp", TextGene(current=text)),), 1)
    changed = reshaped(call, compared, Random(1))
    return [str(one.inputs[0].gene.value()) for one, _key in changed]


def test_text_in_which_a_character_was_looked_for_gets_one_more_part():
    assert forms("acorn", Comparison("a", "contains", "acorn", "="))[0] == "acorn=tulip"


def test_part_is_called_as_code_has_looked_for_it():
    found = forms("acorn=tulip", Comparison("a", "in", "t", ("acorn",)))
    assert found[:2] == ["t=tulip", "acorn=tulip,t=tulip1"]


def test_second_part_is_added_where_the_first_one_is_known():
    assert forms("t=tulip", Comparison("a", "in", "v1", ("t",)))[0] == "t=tulip,v1=tulip1"


def test_members_that_do_not_come_from_the_text_name_no_parts():
    found = forms("acorn", Comparison("a", "in", "t", ("mira", "olaf")))
    assert not [text for text in found if "t=" in text]


OLD = str(int(EXAMPLE.timestamp()))


def test_a_time_that_is_always_the_same_is_told_in_a_part_of_which_a_number_was_asked():
    found = forms("t=tulip,v1=rose", Comparison("a", "parse", "tulip", "int"))
    assert found[0] == f"t={OLD},v1=rose"


@pytest.mark.parametrize(
    "seen",
    [
        Comparison("b", "<", int(OLD), time.time()),
        Comparison("b", ">", timedelta(0), timedelta(minutes=5)),
        Comparison("b", ">", time.time() - int(OLD), 300),
        Comparison("b", ">", timedelta(seconds=time.time() - int(OLD)), timedelta(minutes=5)),
        Comparison("b", "==", "v1=rose", "v1=0a1b2c"),
    ],
)
def test_present_time_is_told_where_code_compared_an_old_one_with_it(seen: Comparison):
    assert form_of(forms(OLD, seen, location=Location.FORM)[0]) is not None
    explained = Comparison("b", "<", int(OLD), 10)
    assert forms(OLD, explained, location=Location.FORM) == []


def test_text_fits_the_pattern_by_which_it_was_matched():
    compared = Comparison("a", "match", "yarrow", r"KEY ([a-z]+)/(\d{4})$")
    found = forms("yarrow", compared)[0]
    assert found.startswith("KEY ")
    assert found[-4:].isdigit()


def test_broken_pattern_suggests_no_text():
    assert "(" not in "".join(forms("yarrow", Comparison("a", "match", "yarrow", "(")))


def test_empty_member_names_no_part():
    assert forms("acorn", Comparison("a", "in", "t", ("",))) == []
