from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.exchange import Upload
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash
from pytest_evosearch.sut.handle import User
from pytest_evosearch.write.code.layout import Layout
from pytest_evosearch.write.content.builder import Surroundings
from pytest_evosearch.write.content.builder import WrittenTest
from pytest_evosearch.write.content.builder import build_test
from pytest_evosearch.write.content.proven_causes import NOT_SENT
from pytest_evosearch.write.content.proven_causes import Cause
from pytest_evosearch.write.content.specimen import FollowUp
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.modules.printing import print_test
from pytest_evosearch.write.naming.planned_functions import Verdicts
from pytest_evosearch.write.naming.planned_functions import build_planned
from pytest_evosearch.write.naming.row_ids import with_ids
from pytest_evosearch.write.naming.suite_plan import Plan
from pytest_evosearch.write.naming.suite_plan import Planned
from pytest_evosearch.write.naming.suite_plan import plan_suite
from pytest_evosearch.write.naming.table_columns import of_one_type

TEXT = (("Content-Type", "text/plain"),)
JSON = (("Content-Type", "application/json"),)
REFUSED = b'{"error": "Image only!"}'


def title(sex: str, name: str) -> Specimen:
    request = Request("GET", "/title/{sex}/{title}", path={"sex": sex, "title": name})
    return Specimen((Exchange(request, Response(200, TEXT, name.encode())),))


def written_tests(
    plan: Plan,
    planned: Planned,
    specimens: Sequence[Specimen],
    surroundings: Surroundings | None = None,
    verdicts: Verdicts | None = None,
) -> list[WrittenTest]:
    around = surroundings or Surroundings()
    renaming = plan.renaming(planned.module)
    built = build_planned(planned, specimens, around, verdicts or Verdicts(), plan, renaming)
    return [test for test, _ in built]


def test_url_values_of_a_column_have_one_type() -> None:
    assert of_one_type([4, "0.0", "-8"]) == [4, 0.0, -8]
    assert of_one_type([0, "baab"]) == ["0", "baab"]
    assert of_one_type([True, 1]) == [True, 1]
    assert of_one_type([7, str(10**400)]) == [7, 10**400]
    assert of_one_type([7, "inf"]) == ["7", "inf"]


def test_short_rows_stay_together_and_long_tables_are_split() -> None:
    short = [title(sex, name) for sex in ("male", "none") for name in "abcdefghij"]
    long = [title("male", name * 20) for name in "abcdefghijklmnop"]

    plans = [plan_suite(specimens, Surroundings()) for specimens in (short, long)]

    assert [[len(one.specimens) for one in plan.tests] for plan in plans] == [[20], [8, 8]]


def test_rows_stand_in_natural_order() -> None:
    request = Request("GET", "/double/{n}")
    specimens = [
        Specimen((Exchange(Request("GET", request.template, path={"n": n}), Response(400)),))
        for n in (10, -1, 9)
    ]

    (planned,) = plan_suite(specimens, Surroundings()).tests

    sent = [specimens[index].act.request.path["n"] for index in planned.specimens]
    assert sent == [-1, 9, 10]


def test_the_order_of_fields_keeps_no_row_from_its_table() -> None:
    def refused(body: object, message: bytes) -> Specimen:
        request = Request("POST", "/orders", json=body, has_json=True)
        return Specimen((Exchange(request, Response(400, TEXT, message)),))

    quantity = b"quantity must be from 1 to 100"
    specimens = [
        refused({"quantity": 0, "book": 5}, quantity),
        refused({"book": 5, "quantity": 101}, quantity),
        refused({"book": 5, "quantity": None}, quantity),
        refused({"book": 1, "discount": "a"}, b"unknown discount code"),
    ]

    plan = plan_suite(specimens, Surroundings())

    assert sorted(sorted(planned.specimens) for planned in plan.tests) == [[0, 1, 2], [3]]


def test_the_same_call_by_many_methods_is_one_table() -> None:
    specimens = [
        Specimen((Exchange(Request(method, "/echo"), Response(200, TEXT, b"x")),))
        for method in ("GET", "POST", "PUT")
    ]

    (planned,) = plan_suite(specimens, Surroundings()).tests

    assert planned.name == "test_any_method_echo_says_x"


def answered(
    endpoint: str, status: int, user: str | None = None, said: str = "", location: str = ""
) -> Specimen:
    method, template = endpoint.split()
    headers = (("Location", location),) if location else TEXT
    path = {"id": "0"} if "{id}" in template else {}
    response = Response(status, headers, said.encode())
    return Specimen((Exchange(Request(method, template, path=path), response, user=user),))


def around(*users: str) -> Surroundings:
    return Surroundings(users={name: User(name, statement=f"{name}.enter()") for name in users})


def test_who_may_not_do_what_is_one_table_for_each_user() -> None:
    specimens = [
        answered(endpoint, 403, user, "Forbidden")
        for user in ("ann", "joe")
        for endpoint in ("GET /notes/new", "POST /notes/new", "POST /notes/{id}/edit")
    ]
    specimens.append(answered("GET /notes/{id}", 403, "joe", "Only for friends"))

    plan = plan_suite(specimens, around("ann", "joe"))

    assert {one.name: len(one.specimens) for one in plan.tests} == {
        "test_request_notes_as_ann_returns_403": 3,
        "test_request_notes_as_joe_returns_403": 3,
        "test_get_note_only_for_friends_returns_403": 1,
    }
    (written,) = [
        test
        for planned in plan.tests[:1]
        for test in written_tests(plan, planned, specimens, around("ann", "joe"))
    ]
    text = "\n".join(print_test(written, Layout(), {}))
    assert '("POST", "/notes/0/edit")' in text
    assert "response = client.open(path, method=method)" in text
    assert 'assert response.text == "Forbidden"' in text


def test_strangers_who_are_sent_to_log_in_are_one_table() -> None:
    specimens = [
        *(
            answered(f"{method} /notes/{{id}}/edit", 302, None, "", f"/log-in?next=/{method}")
            for method in ("GET", "POST")
        ),
        answered("GET /notes/new", 302, None, "", "/log-in"),
        answered("GET /log-in", 302, None, "", "/log-in"),
        answered("GET /away", 302, None, "", "https://example.org/login/oauth"),
        answered("GET /seen", 302, "ann", "", "/log-in"),
    ]

    plan = plan_suite(specimens, around("ann"))

    assert {one.name: len(one.specimens) for one in plan.tests} == {
        "test_request_notes_anonymous_redirects_to_log_in": 3,
        "test_get_log_in_redirects_to_log_in": 1,
        "test_get_away_anonymous_redirects_to_login_oauth": 1,
        "test_get_seen_as_ann_redirects_to_log_in": 1,
    }


def test_what_is_not_there_is_one_table_where_many_answer_alike() -> None:
    endpoints = ("GET /notes/{id}", "GET /notes/{id}/tags", "PUT /notes/{id}")
    missing = [answered(endpoint, 404) for endpoint in endpoints]

    few = plan_suite(missing, Surroundings())
    many = plan_suite([*missing, answered("DELETE /notes/{id}/tags", 404)], Surroundings())

    assert all("note" in one.name for one in few.tests)
    assert [(one.name, len(one.specimens)) for one in many.tests] == [
        ("test_request_notes_returns_404", 4)
    ]


def test_what_something_before_all_handlers_refuses_is_one_table() -> None:
    endpoints = ("GET /notes", "GET /notes/new", "GET /tags", "GET /people")
    refused = [
        answered(endpoint, 400, None, "X-Forwarded-Proto is missing") for endpoint in endpoints
    ]
    other = answered("GET /away", 400, None, "wrong")

    plan = plan_suite([*refused, other], Surroundings())

    assert {one.name: len(one.specimens) for one in plan.tests} == {
        "test_get_endpoints_x_forwarded_proto_is_missing_returns_400": 4,
        "test_get_away_returns_400": 1,
    }


def failing(endpoint: str, raised_in: str, message: str = "not a mapping") -> Specimen:
    method, template = endpoint.split()
    line = len(template)
    crash = Crash("TypeError", "builtins", message, "a.py", line, "v", "", raised_in=raised_in)
    path = dict.fromkeys(re.findall("{(.*?)}", template), 2**63)
    request = Request(method, template, path=path, json=0, has_json=not path)
    fault = Fault("crash", request.endpoint, "TypeError", f"a.py:{line}", message, 0, template)
    return Specimen((Exchange(request, None, None, crash),), fault=fault)


def test_a_library_that_fails_alike_at_many_endpoints_is_one_table() -> None:
    endpoints = ("POST /log-in", "POST /notes", "POST /notes/new")
    specimens = [
        *(failing(endpoint, "flask_wtf.form wrap_formdata") for endpoint in endpoints),
        failing("POST /tags", "flask_wtf.form wrap_formdata", "another message"),
        *(failing(f"POST /own/{n}", "") for n in ("a", "bb", "ccc")),
    ]

    plan = plan_suite(specimens, Surroundings())

    shared = [one for one in plan.tests if len(one.specimens) > 1]
    assert [(one.name, one.specimens) for one in shared] == [
        ("test_post_log_in_and_notes_does_not_raise_type_error", (0, 1, 2))
    ]
    (written,) = written_tests(plan, shared[0], specimens)
    text = "\n".join(print_test(written, Layout(), {}))
    assert '@pytest.mark.parametrize("path", ["/log-in", "/notes", "/notes/new"])' in text
    assert 'reason="flask_wtf.form wrap_formdata: not a mapping"' in text


def test_a_table_of_what_a_library_refuses_has_no_cause_without_proof() -> None:
    endpoints = ("POST /notes/{note_id}", "POST /tags/{id}", "POST /tags/{id}/edit")
    specimens = [failing(endpoint, "sqlalchemy.engine do_execute") for endpoint in endpoints]

    plan = plan_suite(specimens, Surroundings())

    assert [one.name for one in plan.tests] == [
        "test_post_notes_and_tags_does_not_raise_type_error"
    ]


def test_one_line_that_fails_at_many_endpoints_is_one_table() -> None:
    specimens = [failing(f"POST /{n}", "") for n in "abc"]  # a.py:2 each

    plan = plan_suite(specimens, Surroundings())

    (planned,) = plan.tests
    (written,) = written_tests(plan, planned, specimens)
    text = "\n".join(print_test(written, Layout(), {}))
    assert planned.specimens == (0, 1, 2)
    assert 'reason="a.py:2: not a mapping"' in text


def test_one_line_that_fails_for_other_values_is_one_table() -> None:
    specimens = [failing(f"POST /{n}", "", f"not a mapping: {n!r}") for n in "ab"]
    sent = replace(specimens[1].act, request=replace(specimens[1].act.request, json=7))
    specimens[1] = replace(specimens[1], exchanges=(sent,))

    plan = plan_suite(specimens, Surroundings())

    (planned,) = plan.tests
    (written,) = written_tests(plan, planned, specimens)
    text = "\n".join(print_test(written, Layout(), {}))
    assert '(("path", "payload"), [("/a", 0), ("/b", 7)]' in " ".join(text.split())
    assert 'reason="a.py:2: not a mapping"' in text


def test_one_line_that_fails_after_the_same_preparation_is_one_table() -> None:
    joined = Exchange(Request("POST", "/join", form=(("name", "a"),)), Response(302, TEXT))

    def after_joining(specimen: Specimen, before: Exchange = joined) -> Specimen:
        return replace(specimen, exchanges=(before, *specimen.exchanges))

    alone = [failing(f"POST /{n}", "") for n in "abc"]  # a.py:2 each
    specimens = [*alone, *map(after_joining, alone)]

    grouped = [one.specimens for one in plan_suite(specimens, Surroundings()).tests]

    assert sorted(grouped) == [(0, 1, 2), (3, 4, 5)]
    other = replace(joined, request=replace(joined.request, form=(("name", "b"),)))
    apart = [*map(after_joining, alone[:2]), after_joining(alone[2], other)]
    assert sorted(one.specimens for one in plan_suite(apart, Surroundings()).tests) == [
        (0, 1),
        (2,),
    ]


def test_refusals_of_the_same_header_are_one_table() -> None:
    header = (("Sec-Fetch-Site", "cross-site"),)
    specimens = [
        Specimen((replace(one.act, request=replace(one.act.request, headers=header)),))
        for one in (answered(f"POST /{n}", 403, None, "Forbidden") for n in "abc")
    ]

    plan = plan_suite(specimens, Surroundings())

    (planned,) = plan.tests
    (written,) = written_tests(plan, planned, specimens)

    text = "\n".join(print_test(written, Layout(), {}))
    assert 'client.post(path, headers={"Sec-Fetch-Site": "cross-site"})' in text


def answered_500(endpoint: str, words: str) -> Specimen:
    method, template = endpoint.split()
    message = f"answered 500: {words}"
    fault = Fault("server-error", endpoint, "5xx", "unknown", message, 0, endpoint)
    exchange = Exchange(Request(method, template), Response(500, TEXT, words.encode()))
    return Specimen((exchange,), fault=fault)


def test_what_a_handler_of_errors_says_at_many_endpoints_is_one_table() -> None:
    specimens = [answered_500(f"GET /{n}", "no store") for n in ("a", "b", "c")]
    others = [answered_500("GET /d", "no key"), answered_500("GET /e", "no row")]

    plan = plan_suite([*specimens, *others], Surroundings())

    assert sorted(one.specimens for one in plan.tests) == [(0, 1, 2), (3,), (4,)]
    named = next(one for one in plan.tests if len(one.specimens) == 3)
    assert named.name == "test_get_endpoints_does_not_crash"


def test_two_tests_of_one_failure_of_a_library_are_one_table() -> None:
    specimens = [failing(endpoint, "flask_wtf.form f") for endpoint in ("POST /a", "POST /b")]

    plan = plan_suite(specimens, Surroundings())

    assert [one.specimens for one in plan.tests] == [(0, 1)]


def test_crashes_for_one_missing_member_after_another_are_one_table() -> None:
    def lacking(name: str, line: int, **body: str) -> Specimen:
        request = Request("POST", "/payments", json=body, has_json=True)
        crash = Crash("KeyError", "builtins", f"'{name}'", "a.py", line, "pay", "")
        fault = Fault("crash", "POST /payments", "KeyError", f"a.py:{line}", f"'{name}'", 0, name)
        exchange = Exchange(request, Response(500), None, crash)
        return Specimen((exchange,), fault=fault, causes=(Cause("json", name, NOT_SENT, "a"),))

    specimens = [
        lacking("payer", 11),
        lacking("amount", 12, payer="a"),
        lacking("note", 15, payer="a", amount="a"),
    ]
    plan = plan_suite(specimens, Surroundings())
    (planned,) = plan.tests
    (test,) = written_tests(plan, planned, specimens)

    assert planned.name == "test_post_payments_missing_field_does_not_raise_key_error"
    assert test.rows is not None
    assert test.mark is not None
    assert test.mark.reason == "a.py: KeyError"
    lines = "\n".join(print_test(test, Layout(), {}))
    assert "empty-body" in lines
    assert "missing-note" in lines


def test_two_faults_of_a_library_stay_apart() -> None:
    specimens = [failing(f"POST /{n}", "flask_wtf.form f", f"no {n}") for n in ("a", "b")]

    plan = plan_suite(specimens, Surroundings())

    assert [len(one.specimens) for one in plan.tests] == [1, 1]


def test_a_large_blueprint_is_divided_by_resource() -> None:
    endpoints = [f"GET /{noun}/{n}" for noun in ("officers", "images") for n in range(40)]
    specimens = [
        Specimen((Exchange(Request(*endpoint.split()), Response(200, TEXT, endpoint.encode())),))
        for endpoint in [*endpoints, "GET /about"]
    ]
    groups = dict.fromkeys([*endpoints, "GET /about"], "main")

    plan = plan_suite(specimens, Surroundings(), groups)
    small = plan_suite(specimens[:30], Surroundings(), groups)

    assert {one.module for one in plan.tests} == {"main", "main_images", "main_officers"}
    assert {one.module for one in small.tests} == {"main"}


def test_body_of_a_stream_that_crashes_is_read() -> None:
    request = Request("GET", "/stream")
    crash = Crash("ValueError", "builtins", "bad row", "a.py", 3, "rows", "")
    fault = Fault("crash", request.endpoint, "ValueError", "a.py:3", "bad row", 0, "t")
    specimen = Specimen((Exchange(request, Response(200, TEXT), None, crash),), fault=fault)

    lines = print_test(build_test(specimen, Surroundings()), Layout(), {})

    assert "    raises=ValueError," in lines or any("raises=ValueError" in one for one in lines)
    assert "    response.get_data()" in lines


def test_fixtures_that_bring_state_are_requested() -> None:
    specimen = title("male", "a")

    test = build_test(specimen, Surroundings(fixtures=("db",)))

    assert test.fixtures == ("client", "db")


def settings(name: str, said: str, before: str = "<h1>Settings</h1>") -> Specimen:
    page = (("Content-Type", "text/html"),)
    login = Exchange(Request("POST", "/login", form=(("key", "k1"),)), Response(302))
    save = Exchange(Request("POST", "/settings", form=(("name", name),)), Response(302))
    body = f"{before}<p class=flash>{said}</p>".encode()
    shown = Exchange(Request("GET", "/settings"), Response(200, page, body))
    return Specimen((login, save), follow_up=FollowUp(shown, before))


def test_longer_tests_that_differ_in_what_one_call_sends_are_one_table() -> None:
    specimens = [settings(name, "Invalid input.") for name in ("", "a" * 21)]

    (planned,) = plan_suite(specimens, Surroundings()).tests

    assert planned.name == "test_post_settings_says_invalid_input"
    assert len(planned.specimens) == 2


def test_what_the_last_call_of_longer_tests_answers_may_differ() -> None:
    specimens = [settings("", "Name is missing."), settings("a" * 21, "Name is too long.")]

    plan = plan_suite(specimens, Surroundings())
    (planned,) = plan.tests
    (test,) = written_tests(plan, planned, specimens)

    assert planned.name == "test_post_settings_shows_messages"
    assert test.rows is not None
    assert test.rows.names == ("name", "text")
    assert "    assert text in listed.text" in print_test(test, Layout(), {})


def test_tests_that_differ_in_two_requests_stay_apart() -> None:
    one, other = settings("", "Invalid input."), settings("a" * 21, "Invalid input.")
    login = Exchange(Request("POST", "/login", form=(("key", "k2"),)), Response(302))
    other = replace(other, exchanges=(login, other.act))

    assert len(plan_suite([one, other], Surroundings()).tests) == 2


def test_rows_that_differ_in_their_path_are_called_after_it() -> None:
    login = "/login?next=/api/dataobj/local_edit/of/somebody/else"
    rows = with_ids(
        {"path": ["/api/dataobj/local_edit", "/api/search"], "location": [login, f"{login}2"]},
        ["", ""],
    )

    assert rows.ids == ("api-dataobj-local-edit", "api-search")


def test_rows_of_objects_are_called_after_what_no_other_row_has() -> None:
    payloads: list[object] = [{"id": "a", "email": "b"}, {"id": "a", "name": "a", "email": ""}]

    rows = with_ids({"payload": payloads}, ["", ""])

    assert rows.ids == ("without-name", "empty-email")


def test_rows_of_objects_that_have_nothing_in_common_are_called_after_what_they_have() -> None:
    queries: list[object] = [{"limit": 5}, {"sort": "path"}]

    assert with_ids({"query": queries}, ["", ""]).ids == ("limit-5", "sort-path")


def test_rows_that_each_have_an_input_of_their_own_are_called_after_it() -> None:
    payloads = [{"book": 1, "discount": "student"}, {"book": 1, "quantity": 10}]

    assert with_ids({"payload": payloads}, ["", ""]).ids == ("discount-student", "quantity-10")


def test_no_row_is_called_after_an_input_that_all_rows_share() -> None:
    def reviewed(stars: int, text: str, status: int, body: bytes) -> Specimen:
        request = Request("POST", "/reviews", json={"stars": stars, "text": text}, has_json=True)
        return Specimen((Exchange(request, Response(status, JSON, body)),))

    refusal = b'{"error": "please say what is wrong with it"}'
    specimens = [
        reviewed(5, "Some text", 201, b'{"id": 1}'),
        reviewed(1, "Some text", 422, refusal),
        reviewed(1, "a" * 19, 422, refusal),
    ]

    plan = plan_suite(specimens, Surroundings())

    table = next(one for one in plan.tests if len(one.specimens) > 1)
    (test,) = written_tests(plan, table, specimens)
    assert test.rows is not None
    assert test.rows.ids == ("some-text", "19-characters")


def test_rows_of_a_method_and_a_path_are_called_after_both() -> None:
    away = "/log-in?next=" + "%2Fsettings" * 5
    paths = ["/flags", "/flags/new", "/log-out", "/log-out/"]

    rows = with_ids(
        {"method": ["GET", "POST", "GET", "GET"], "path": paths, "location": [away] * 4}, [""] * 4
    )

    assert rows.ids == ("GET-/flags", "POST-/flags/new", "GET-/log-out", "GET-/log-out/")


def uploaded(filename: str, content: bytes, status: int = 200) -> Specimen:
    request = Request("POST", "/photos", files=(("photo", Upload(filename, content, None)),))
    response = Response(status, TEXT, b"refused" if status >= 400 else content)
    return Specimen((Exchange(request, response),))


def test_one_test_that_cannot_be_a_row_does_not_keep_others_from_being_rows() -> None:
    """The first has the same shape, but a value that changes between runs."""
    accepted, *refused = (
        Specimen((Exchange(request, Response(200, JSON, body)),))
        for name, body in (("a.jpg", b'{"url": 7}'), ("a.txt", REFUSED), ("a.pdf", REFUSED))
        for request in (Request("POST", "/photos", files=(("photo", Upload(name, b"", None)),)),)
    )
    accepted = replace(accepted, unstable={(0, ("json", "url")): "changes between runs"})

    plan = plan_suite((accepted, *refused), Surroundings())

    assert sorted(planned.specimens for planned in plan.tests) == [(0,), (1, 2)]


def test_uploads_that_differ_in_their_content_are_one_table() -> None:
    specimens = [uploaded("a.png", content) for content in (b"1", b"22", b"")]

    plan = plan_suite(specimens, Surroundings())

    (planned,) = plan.tests
    (written,) = written_tests(plan, planned, specimens)
    text = "\n".join(print_test(written, Layout(), {}))
    assert 'data={"photo": (io.BytesIO(content), "a.png")}' in text
    assert re.search(r'"content"|"content, ', text)
    assert 'b"22"' in text


def refused_order(json: object, has_json: bool) -> Specimen:
    request = Request("POST", "/orders", json=json, has_json=has_json)
    response = Response(400, JSON, b'{"error": "an order needs items"}')
    return Specimen((Exchange(request, response),))


def test_one_refusal_without_and_with_an_empty_body_is_told_once() -> None:
    specimens = [refused_order(None, False), refused_order({}, True)]

    plan = plan_suite(specimens, Surroundings())

    (planned,) = plan.tests
    (test,) = written_tests(plan, planned, specimens)
    assert test.name == "test_post_orders_order_needs_items_returns_400"
    assert test.rows is not None
    assert test.rows.values == ((None,), ({},))
