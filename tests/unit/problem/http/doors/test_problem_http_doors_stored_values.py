"""What a look shows that a row can hold: values that the code has computed."""

from __future__ import annotations

from base64 import b64encode

import pytest

from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.instrument.probing.weighing import REHASHED
from pytest_evosearch.problem.http.doors.callers import Stored
from pytest_evosearch.problem.http.doors.stored_values import puts
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input

COMPUTED = "c0ffee" * 6
STORED = "deadbeef" * 5
SENT = "a-password-that-was-sent"


def suggested(*comparisons, stored=(STORED,)):
    """Return what may be put into rows after a look that has compared something."""
    given = Input(Location.FORM, "password", TextGene(current=SENT))
    individual = Individual((Call("POST /login", (given,), 1),))
    request = Request("POST", "/login", form=(("password", SENT),))
    observation = Observation(individual, (Exchange(request, None),), guidance=comparisons)
    return list(puts(individual, observation, stored))


@pytest.mark.parametrize("pair", [(COMPUTED, STORED), (STORED, COMPUTED)])
def test_computed_value_takes_the_place_of_the_stored_one(pair):
    assert suggested(Comparison("at", "==", *pair)) == [Stored(STORED, COMPUTED)]


def test_value_within_a_longer_text_is_exchanged_there():
    whole = f"sha256${STORED}"
    found = suggested(Comparison("at", "==", COMPUTED, STORED), stored=(whole,))
    assert found == [Stored(whole, f"sha256${COMPUTED}")]


def test_what_was_sent_is_no_computed_value():
    assert suggested(Comparison("at", "==", SENT, STORED)) == []


def test_what_no_database_holds_is_not_put():
    assert suggested(Comparison("at", "==", COMPUTED, STORED), stored=()) == []


def test_short_texts_are_no_hashes():
    assert suggested(Comparison("at", "==", "red", "blue"), stored=("blue",)) == []


def test_limits_and_patterns_say_nothing_of_rows():
    assert suggested(Comparison("at", "<", COMPUTED, STORED)) == []


def test_hash_by_a_library_is_told_with_its_password_and_maker():
    compared = Comparison("at", REHASHED, ("Cedar-2041", COMPUTED, "bcrypt.hashpw"), STORED)
    assert suggested(compared) == [Stored(STORED, COMPUTED, "Cedar-2041", "bcrypt.hashpw")]


RAW, RAW_STORED = bytes(range(200, 216)), bytes(range(150, 166))


def test_bytes_take_the_place_of_stored_ones():
    found = suggested(Comparison("at", "==", RAW, RAW_STORED), stored=(RAW_STORED,))
    assert found == [Stored(RAW_STORED, RAW)]


@pytest.mark.parametrize("spell", [bytes.hex, lambda raw: b64encode(raw).decode()])
def test_bytes_are_exchanged_in_the_text_that_spells_them(spell):
    whole = f"100:salt:{spell(RAW_STORED)}"
    found = suggested(Comparison("at", "==", RAW, RAW_STORED), stored=(whole,))
    assert found == [Stored(whole, f"100:salt:{spell(RAW)}")]
