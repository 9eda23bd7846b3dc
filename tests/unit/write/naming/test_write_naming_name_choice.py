from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash
from pytest_evosearch.write.content.builder import Surroundings
from pytest_evosearch.write.content.proven_causes import Cause
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.naming.candidates import name_candidates
from pytest_evosearch.write.naming.name_choice import choose_name
from pytest_evosearch.write.naming.name_choice import words_to_spare
from pytest_evosearch.write.naming.proven_conditions import Condition
from pytest_evosearch.write.naming.stories import siblings_of
from pytest_evosearch.write.naming.suite_plan import plan_suite


def sent(request: Request, status: int) -> Exchange:
    return Exchange(request, Response(status))


def name_of(specimen: Specimen, *others: Specimen) -> str:
    siblings = siblings_of([specimen, *others])
    return choose_name(name_candidates(specimen, siblings, {}), set())


def test_first_words_of_a_long_subject_give_way_to_what_is_special() -> None:
    plain = "test_post_member_returns_400"
    telling = "test_post_organisation_member_administrative_contact_without_email"

    name = choose_name(iter([telling, plain]), set())

    assert name == "test_post_member_administrative_contact_without_email"
    assert choose_name(iter([telling.replace("member_", "members_" * 4), plain]), set()) == plain


def test_what_prepares_a_test_does_not_give_way() -> None:
    story = "test_register_then_post_administrative_contact_with_invalid_email"
    assert choose_name(iter([story, "test_post_contact"]), set()) == "test_post_contact"


def test_a_subject_is_not_cut_to_make_room_for_what_is_raised() -> None:
    request = Request("GET", "/products", query=(("quantity", 0),))
    fault = Fault("crash", request.endpoint, "ZeroDivisionError", "a.py:1", "m", 0, "t")
    crash = Crash("ZeroDivisionError", "builtins", "m", "a.py", 1, "load", "")
    zero = Cause("query", "quantity", 0, 3)
    failing = Specimen((Exchange(request, None, crash=crash),), fault=fault, causes=(zero,))
    siblings = siblings_of([failing])

    names = list(name_candidates(failing, siblings, {}))

    assert choose_name(iter(names), frozenset(), words_to_spare(request, ())) == (
        "test_get_products_zero_quantity_does_not_crash"
    )


@pytest.mark.parametrize(
    ("template", "spare"),
    [("/sign-up", 0), ("/products", 0), ("/orders/{id}/invoice", 1), ("/api/users/{id}", 0)],
)
def test_only_words_that_tell_where_something_is_can_be_spared(template: str, spare: int) -> None:
    assert words_to_spare(Request("GET", template), ()) == spare


def test_what_fails_after_something_was_deleted_is_about_that() -> None:
    account = Request("DELETE", "/account")
    request = Request("POST", "/password", json={}, has_json=True)
    fault = Fault("crash", request.endpoint, "TypeError", "a.py:1", "m", 0, "t")
    crash = Crash("TypeError", "builtins", "m", "a.py", 1, "change", "")
    failing = Exchange(request, None, crash=crash)
    served = Specimen((sent(replace(request, json={"old": "a"}), 204),))

    name = name_of(Specimen((sent(account, 204), failing), fault=fault), served)

    assert name == "test_delete_account_then_post_password_does_not_crash"


@pytest.mark.parametrize(
    ("second", "name"),
    [
        ({"name": "ann", "age": 3}, "test_post_users_twice_returns_201"),
        ({"name": "bob", "age": 3}, "test_post_users_then_another_name_returns_201"),
        ({"name": "bob", "age": 4}, "test_post_users_then_another_returns_201"),
        ({"name": "ann"}, "test_post_users_then_another_returns_201"),
    ],
)
def test_only_what_is_sent_unchanged_is_sent_twice(second: dict[str, object], name: str) -> None:
    first = Request("POST", "/users", json={"name": "ann", "age": 3}, has_json=True)
    steps = (sent(first, 201), sent(replace(first, json=second), 201))

    assert name_of(Specimen(steps)) == name


def test_what_was_never_served_is_named_by_the_message_rather_than_by_a_guess() -> None:
    request = Request("GET", "/todos/{todo_id}", path={"todo_id": 0})
    refused = Response(422, (("Content-Type", "text/plain"),), b"Missing token")
    named = replace(refused, body=b"todo id must be positive, please mind that")

    assert name_of(Specimen((Exchange(request, refused),))) == (
        "test_get_todo_missing_token_returns_422"
    )
    assert name_of(Specimen((Exchange(request, named),))) == "test_get_todo_returns_422"


def test_a_table_of_rows_that_differ_in_their_bodies_is_not_about_its_path() -> None:
    def changed(body: dict[str, object], status: int, *causes: Cause) -> Specimen:
        request = Request("PUT", "/books/{id}", path={"id": 1}, json=body, has_json=True)
        return Specimen((sent(request, status),), causes=causes)

    specimens = [
        changed({"title": "a", "stock": 1}, 200),
        changed({"title": "", "stock": 1}, 400, Cause("json", "title", "", "a")),
        changed({"title": "a", "stock": -1}, 400, Cause("json", "stock", -1, 1)),
    ]

    names = [one.name for one in plan_suite(specimens, Surroundings()).tests]

    assert "test_put_book_invalid_field_returns_400" in names


def test_a_table_of_forms_that_nobody_gets_past_shows_messages() -> None:
    def told(text: str, **sent_form: str) -> Specimen:
        page = f"<p class=flash>{text}</p><form method=post><input name=name></form>"
        response = Response(200, (("Content-Type", "text/html"),), page.encode())
        request = Request("POST", "/sign-up", form=tuple(sent_form.items()))
        return Specimen((Exchange(request, response),))

    rows = [told("Name is too short.", name="a"), told("Name is too long.", name="b")]
    pages = {"GET /sign-up": ("<form></form>",)}

    names = name_candidates(rows[0], siblings_of(rows), {}, Condition(), rows=rows, pages=pages)

    assert next(names) == "test_post_sign_up_shows_messages"
    foreign = [told("密码至少 6 位", name="a"), told("请输入验证码", name="b")]
    names = name_candidates(
        foreign[0], siblings_of(foreign), {}, Condition(), rows=foreign, pages=pages
    )
    assert next(names) == "test_post_sign_up_shows_messages"


def test_a_message_may_be_all_that_json_holds() -> None:
    missing = Response(404, (("Content-Type", "application/json"),), b'"Error: User not found."')

    name = name_of(Specimen((Exchange(Request("POST", "/login"), missing),)))

    assert name == "test_post_login_user_not_found_returns_404"


def test_a_table_is_not_called_after_what_only_its_first_row_sends() -> None:
    def searched(**query: object) -> Specimen:
        return Specimen((sent(Request("GET", "/products", query=tuple(query.items())), 200),))

    rows = [searched(sort="price"), searched(available="yes")]

    names = list(name_candidates(rows[0], siblings_of(rows), {}, Condition(), rows=rows))

    assert set(names) == {
        "test_get_products_returns_200",
        "test_get_products_with_query_returns_200",
    }


def test_a_table_may_be_told_by_the_one_input_that_decides_about_its_answers() -> None:
    def refused(category: object, said: str) -> Specimen:
        request = Request("POST", "/products", json={"name": "a", "category": category})
        response = Response(400, (), said.encode())
        return Specimen((Exchange(replace(request, has_json=True), response),))

    rows = [refused(0, "A category is a text, not a number."), refused("a", "No category: a.")]
    names = name_candidates(rows[0], siblings_of(rows), {}, Condition(), rows=rows)

    name = choose_name(names, {"test_post_products_returns_400"})

    assert name == "test_post_products_returns_400_by_category"


def test_the_option_of_a_read_is_not_left_out_of_its_story() -> None:
    order = sent(Request("POST", "/orders"), 201)
    read = Request("GET", "/orders")
    plain = Specimen((order, sent(read, 200)))
    status = Cause("query", "status", "a")
    filtered = Specimen(
        (order, sent(replace(read, query=(("status", "a"),)), 200)), causes=(status,)
    )

    assert name_of(filtered, plain) == ("test_post_orders_then_get_orders_with_status_returns_200")
    assert name_of(plain, filtered) == "test_post_orders_then_get_orders_returns_200"


def test_location_that_tells_two_endpoints_apart_stays_in_long_names() -> None:
    request = Request("POST", "/admin/login")

    assert words_to_spare(request, ["/admin/login", "/home"]) == 1
    assert words_to_spare(request, ["/admin/login", "/login"]) == 0
