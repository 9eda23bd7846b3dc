"""What the owner of an account sends."""

from __future__ import annotations

from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.optional import Field
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.instrument.probing.weighing import REHASHED
from pytest_evosearch.problem.http.doors.callers import Account
from pytest_evosearch.problem.http.doors.callers import Stored
from pytest_evosearch.problem.http.doors.owners import changed_accounts
from pytest_evosearch.problem.http.doors.owners import filled_for
from pytest_evosearch.problem.http.doors.owners import texts_in_turn
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input

OWNER = Account(
    "shop.add_user()",
    "inga",
    (("login", "inga"), ("email", "inga@example.org"), ("role", "clerk"), ("pw", "Cedar-2041")),
    "Cedar-2041",
)
TEXT = TextGene(current="acorn")


def call(**fields):
    return Call("POST /login", tuple(Input(Location.FORM, name, TEXT) for name in fields), 1)


def values(filled):
    return {given.name: given.gene.value() for given in filled.inputs}


def seen(*comparisons):
    return Observation(Individual((call(),)), (), guidance=comparisons)


def test_fields_are_filled_by_their_names():
    filled = filled_for(call(username=1, mail=1, passwd=1, note=1), OWNER)
    assert values(filled) == {
        "username": "inga",
        "mail": "inga@example.org",
        "passwd": "Cedar-2041",
        "note": "acorn",
    }


def test_members_of_json_are_filled_as_well():
    body = ObjectGene((Field("email", TEXT), Field("password", TEXT)))
    given = Call("POST /token", (Input(Location.JSON, "", body),), 1)
    [filled] = filled_for(given, OWNER).inputs
    assert filled.gene.value() == {"email": "inga@example.org", "password": "Cedar-2041"}


def test_every_text_is_tried_in_every_open_place():
    tried = [values(one) for one, _key, _text in texts_in_turn(OWNER, call(who=1))]
    assert [each["who"] for each in tried] == [*OWNER.texts]


def test_compared_role_is_given_to_another_account():
    compared = Comparison("at", "!=", "clerk", "boss")
    assert [one.title for one in changed_accounts(OWNER, seen(compared))] == ["boss"]


def test_what_only_makes_a_statement_find_nothing_is_no_role():
    assert list(changed_accounts(OWNER, seen(Comparison("at", "==", "inga", "ingaa")))) == []
    assert list(changed_accounts(OWNER, seen(Comparison("at", "<", "clerk", "boss")))) == []


def test_password_that_is_checked_with_a_text_of_a_row_gets_its_hash_there():
    row = Account("a row of person", "inga", (("name", "inga"), ("secret", "lund")))
    checked = Comparison("at", REHASHED, ("Acorn-2041", "scrypt$1", "maker"), "lund")

    [changed] = changed_accounts(row, seen(checked))

    assert changed.password == "Acorn-2041"
    stored = Stored("lund", "scrypt$1", "Acorn-2041", "maker")
    assert changed.values == (("name", "inga"), ("secret", stored))
    assert list(changed_accounts(row, seen(checked._replace(wanted="other")))) == []


def test_column_of_a_row_holds_one_text():
    assert OWNER.texts_under("login") == ("inga",)
    assert OWNER.texts_under("elsewhere") == OWNER.texts
