from __future__ import annotations

from collections.abc import Sequence

from pytest_evosearch.write.code.layout import Layout
from pytest_evosearch.write.code.literals import Expression
from pytest_evosearch.write.content.answered_body import Fact
from pytest_evosearch.write.content.builder import Rows
from pytest_evosearch.write.content.builder import WrittenTest
from pytest_evosearch.write.content.written_calls import PathValue
from pytest_evosearch.write.content.written_calls import WrittenCall
from pytest_evosearch.write.modules.ledger import digest
from pytest_evosearch.write.modules.printing import print_test
from pytest_evosearch.write.modules.shared_openings import Opening
from pytest_evosearch.write.modules.shared_openings import print_opening
from pytest_evosearch.write.modules.shared_openings import share_openings

LAYOUT = Layout()


def call(
    method: str, path: str, variable: str, status: int = 200, **arguments: object
) -> WrittenCall:
    facts = (Fact("status", (), status),)
    return WrittenCall(method, (path,), tuple(arguments.items()), variable=variable, facts=facts)


REGISTER = call("POST", "/register", "registered", 201, json={"name": "ann"})
LOGIN = call("POST", "/login", "logged_in", 200, json={"name": "ann"})
POST = call("POST", "/posts", "created", 201, json={"title": "t"})
TAG = call("POST", "/posts/1/tags", "created_tag", 201, json={"tag": "x"})


def function(name: str, *calls: WrittenCall, rows: Rows | None = None) -> WrittenTest:
    return WrittenTest(f"test_{name}", ("client",), calls, rows)


def read(path: str) -> WrittenCall:
    return call("GET", path, "response")


def printed(tests: Sequence[WrittenTest], openings: Sequence[Opening]) -> str:
    lines = [line for one in openings for line in ["", *print_opening(one, LAYOUT, {})]]
    return "\n".join(
        [*lines, *(line for one in tests for line in ["", *print_test(one, LAYOUT, {})])]
    )


def test_what_three_tests_do_first_becomes_a_fixture() -> None:
    tests = [function(name, REGISTER, LOGIN, read(f"/{name}")) for name in "abc"]

    shorter, openings = share_openings(tests, LAYOUT)

    assert (
        printed(shorter[:1], openings)
        == """
@pytest.fixture
def logged_in(client):
    registered = client.post("/register", json={"name": "ann"})
    assert registered.status_code == 201

    logged_in = client.post("/login", json={"name": "ann"})
    assert logged_in.status_code == 200

@pytest.mark.usefixtures("logged_in")
def test_a(client):
    response = client.get("/a")

    assert response.status_code == 200"""
    )
    assert [one.opening for one in shorter] == ["logged_in"] * 3


def test_two_tests_and_short_openings_stay_as_they_are() -> None:
    two = [function(name, REGISTER, LOGIN, read(f"/{name}")) for name in "ab"]
    short = [function(name, LOGIN, read(f"/{name}")) for name in "abcd"]

    assert share_openings(two, LAYOUT) == (two, [])
    assert share_openings(short, LAYOUT) == (short, [])


def test_many_tests_share_even_a_short_call_that_lets_them_in() -> None:
    entering = [function(name, LOGIN, read(f"/{name}")) for name in "abcdef"]
    creating = [function(name, POST, read(f"/{name}")) for name in "abcdef"]

    assert [one.name for one in share_openings(entering, LAYOUT)[1]] == ["logged_in"]
    assert share_openings(creating, LAYOUT) == (creating, [])


def test_the_act_stays_in_its_test() -> None:
    same = [function(name, REGISTER, LOGIN, POST) for name in "abc"]

    shorter, openings = share_openings(same, LAYOUT)

    assert [one.calls for one in shorter] == [(POST,)] * 3
    assert [one.calls for one in openings] == [(REGISTER, LOGIN)]


def test_an_opening_ends_with_what_changes_something() -> None:
    tests = [function(name, REGISTER, LOGIN, read("/me"), read(f"/{name}")) for name in "abc"]

    shorter, _ = share_openings(tests, LAYOUT)

    assert [len(one.calls) for one in shorter] == [2, 2, 2]


def test_an_opening_begins_with_another_one() -> None:
    again = call("POST", "/admin/auth", "authenticated", json={"name": "root"})
    few = [function(name, REGISTER, LOGIN, POST, again, read(f"/{name}")) for name in "abc"]
    more = [function(name, REGISTER, LOGIN, read(f"/{name}")) for name in "defgh"]

    shorter, openings = share_openings([*few, *more], LAYOUT)

    assert [(one.name, one.fixtures) for one in openings] == [
        ("logged_in", ("client",)),
        ("authenticated", ("client", "logged_in")),
    ]
    assert [one.opening for one in shorter] == ["authenticated"] * 3 + ["logged_in"] * 5


def test_what_tests_arrange_besides_a_log_in_stays_in_them() -> None:
    tests = [function(name, REGISTER, LOGIN, POST, TAG, read(f"/{name}")) for name in "abc"]

    shorter, openings = share_openings(tests, LAYOUT)

    assert [one.name for one in openings] == ["logged_in"]
    assert [one.calls[:2] for one in shorter] == [(POST, TAG)] * 3


def drawing(name: str, variable: str) -> WrittenTest:
    item = WrittenCall("GET", ("/items/", PathValue("id", Expression(f'{variable}.json["id"]'))))
    return function(name, REGISTER, LOGIN, item)


def test_a_response_that_tests_draw_from_is_handed_to_them() -> None:
    tests = [
        *(drawing(name, "logged_in") for name in "abc"),
        function("d", REGISTER, LOGIN, read("/d")),
    ]

    shorter, openings = share_openings(tests, LAYOUT)

    assert print_opening(openings[0], LAYOUT, {})[-1] == "    return logged_in"
    assert print_test(shorter[0], LAYOUT, {})[0] == "def test_a(client, logged_in):"
    assert print_test(shorter[3], LAYOUT, {})[0] == '@pytest.mark.usefixtures("logged_in")'


def test_tests_that_draw_from_an_inner_response_keep_their_calls() -> None:
    tests = [drawing(name, "registered") for name in "abc"]

    assert share_openings(tests, LAYOUT) == (tests, [])


def test_what_a_table_varies_is_not_shared() -> None:
    varied = call("POST", "/login", "logged_in", json=Expression("body"))
    rows = Rows(("body",), (("a",), ("b",)))
    tests = [function(name, REGISTER, varied, read(f"/{name}"), rows=rows) for name in "abc"]

    assert share_openings(tests, LAYOUT) == (tests, [])


def test_names_that_are_taken_are_not_used() -> None:
    tests = [function(name, REGISTER, LOGIN, read(f"/{name}")) for name in "abc"]

    _, openings = share_openings(tests, LAYOUT, {"logged_in"})

    assert [one.name for one in openings] == ["logged_in_2"]


def test_nobody_draws_from_a_name_that_is_taken() -> None:
    tests = [drawing(name, "logged_in") for name in "abc"]

    assert share_openings(tests, LAYOUT, {"logged_in", "registered"}) == (tests, [])


def test_a_fixture_that_stays_is_used_again_by_a_single_test() -> None:
    opening = Opening("signed_in", ("client",), (REGISTER, LOGIN))
    present = {digest("\n".join(print_opening(opening, LAYOUT, {}))): "signed_in"}
    one = function("a", REGISTER, LOGIN, read("/a"))

    shorter, openings = share_openings([one], LAYOUT, {"signed_in"}, present)

    assert (shorter[0].opening, openings) == ("signed_in", [])


def test_fixtures_of_the_opening_alone_are_asked_for_by_it_alone() -> None:
    tests = [
        WrittenTest(f"test_{name}", ("client", "db"), (REGISTER, LOGIN, read(f"/{name}")))
        for name in "abc"
    ]

    shorter, openings = share_openings(tests, LAYOUT)

    assert openings[0].fixtures == ("client", "db")
    assert shorter[0].fixtures == ("client",)
