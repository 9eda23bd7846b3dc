"""Callers, their accounts, and the tests that they send."""

from __future__ import annotations

from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.genes.uploads import FileGene
from pytest_evosearch.problem.http.doors.callers import Account
from pytest_evosearch.problem.http.doors.callers import Caller
from pytest_evosearch.problem.http.doors.callers import Stored
from pytest_evosearch.problem.http.doors.callers import can_log_in
from pytest_evosearch.problem.http.doors.callers import renamed_users
from pytest_evosearch.problem.http.doors.callers import sent_by_callers
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.learning.challenges import BasicGene

KEY = Input(Location.HEADER, "X-Key", TextGene(current="ink-441"))
SIZE = Input(Location.QUERY, "size", TextGene(current="3"))
CLERK = Account(
    "flask create-staff",
    "clerk",
    (("login", "inga"), ("role", "clerk"), ("password", "Cedar-2041")),
    "Cedar-2041",
)


def sent(*inputs, user=None):
    return Individual((Call("GET /albums", tuple(inputs), 1, user),))


def test_calls_that_hold_the_keys_of_a_caller_are_sent_by_that_user():
    relieved = sent_by_callers(sent(KEY, SIZE), {"mira": Caller((KEY,))})
    assert relieved == sent(SIZE, user="mira")


def test_calls_with_other_keys_stay_anonymous():
    other = Input(Location.HEADER, "X-Key", TextGene(current="another"))
    assert sent_by_callers(sent(other), {"mira": Caller((KEY,))}) == sent(other)


def test_callers_whose_row_was_changed_send_no_test_of_others():
    changed = Caller((KEY,), (Stored("old", "new"),))
    assert sent_by_callers(sent(KEY), {"mira": changed}) == sent(KEY)


def test_users_are_renamed_where_another_search_has_found_them():
    assert renamed_users(sent(SIZE, user="inga_2"), {"inga_2": "inga"}) == sent(SIZE, user="inga")
    unknown = sent(SIZE, user="mira")
    assert renamed_users(unknown, {"inga_2": "inga"}) is unknown


def test_account_takes_the_value_that_one_of_its_values_was_compared_with():
    boss = CLERK.changed("clerk", "boss")
    assert boss is not None
    assert boss.title == "boss"
    assert dict(boss.values)["role"] == "boss"
    assert CLERK.changed("Cedar-2041", "boss") is None
    assert CLERK.changed("porter", "boss") is None


def test_account_takes_a_group_in_the_place_of_one_of_several():
    member = Account("the provider", "inga", (("memberOf", ("member1", "staff")),))
    warden = member.changed("member1", "cn=wardens,dc=example")
    assert warden is not None
    assert warden.title == "wardens"
    assert warden.values == (("memberOf", ("cn=wardens,dc=example", "staff")),)


def test_texts_of_an_account_end_with_its_password():
    assert CLERK.texts == ("inga", "clerk", "Cedar-2041")


def test_callers_are_alike_by_their_log_in_and_who_logs_in():
    way = (Call("POST /login", (), 1),)
    assert Caller(way=way, name="mira").is_like(Caller(way=way, name="mira"))
    assert not Caller(way=way, name="mira").is_like(Caller(way=way, name="inga"))
    assert not Caller(way=way, account=CLERK).is_like(Caller(way=way))


def basic(name, password):
    pair = BasicGene(TextGene(current=name), TextGene(current=password))
    return Input(Location.HEADER, "Authorization", pair)


def test_person_whose_row_is_given_another_hash_is_one_person():
    vera = Caller((basic("vera", "Acorn-2041"),), (Stored("old", "new"),))
    again = Caller((basic("vera", "Birch-2041"),), (Stored("old", "newer"),))
    other = Caller((basic("wim", "Acorn-2041"),), (Stored("another", "new"),))
    assert vera.is_like(again)
    assert not vera.is_like(other)


def test_people_in_one_file_are_told_by_their_names():
    lines = "vera:x1\nwim:x2\n"
    vera = Caller((basic("vera", "Acorn-2041"),), (Stored(lines, "a"),))
    wim = Caller((basic("wim", "Birch-2041"),), (Stored(lines, "b"),))
    assert not vera.is_like(wim)
    assert vera.is_like(Caller((basic("vera", "Birch-2041"),), (Stored(lines, "c"),)))


def test_keys_without_a_row_are_compared_as_they_are():
    assert not Caller((basic("vera", "a"),)).is_like(Caller((basic("vera", "b"),)))


def test_call_that_sends_a_file_logs_no_one_in():
    [plain], [upload] = (
        sent(SIZE),
        sent(Input(Location.FORM, "picture", FileGene("picture", TextGene(), TextGene()))),
    )
    assert can_log_in(plain)
    assert not can_log_in(upload)
