from __future__ import annotations

import json
from dataclasses import replace

import pytest

from pytest_evosearch.core.english import singular
from pytest_evosearch.core.english import snake_case
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Origin
from pytest_evosearch.problem.http.exchanges.exchange import PlacedRow
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash
from pytest_evosearch.sut.handle import User
from pytest_evosearch.write.answers.messages import message_phrase
from pytest_evosearch.write.answers.traits import value_trait
from pytest_evosearch.write.content.endpoint_words import collection_of
from pytest_evosearch.write.content.endpoint_words import resource_of
from pytest_evosearch.write.content.proven_causes import WHOLE_BODY
from pytest_evosearch.write.content.proven_causes import Cause
from pytest_evosearch.write.content.specimen import FollowUp
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.content.variables import response_variables
from pytest_evosearch.write.naming.caller_words import stranger_word
from pytest_evosearch.write.naming.candidates import name_candidates
from pytest_evosearch.write.naming.name_choice import LONGEST_NAME
from pytest_evosearch.write.naming.name_choice import choose_name
from pytest_evosearch.write.naming.proven_conditions import Condition
from pytest_evosearch.write.naming.stories import siblings_of

POST = Request("POST", "/api/users", json={"name": "ann", "age": 3}, has_json=True)


def sent(request: Request, status: int, user: str | None = None, **headers: str) -> Exchange:
    return Exchange(request, Response(status, tuple(headers.items())), user)


SERVED = sent(POST, 201)

HUGE_ID = Cause("path", "id", 2**63, 1)


@pytest.mark.parametrize(
    ("template", "resource", "collection"),
    [
        ("/", "index", ""),
        ("/api/v1/users", "users", "users"),
        ("/api/users/{id}", "user", "users"),
        ("/api/2.0/users/{id}", "user", "users"),
        ("/ajax-api/2.0/users", "users", "users"),
        ("/api/users/{id}/posts", "user_posts", "users"),
        ("/{id}/update", "update", ""),
        ("/auth/login", "auth_login", "auth"),
        ("/api/triangle/{a}/{b}/{c}", "triangle", "triangle"),
        ("/{name}", "name", ""),
        ("/basic-auth/{user}", "basic_auth", "basic_auth"),
        ("/a/b/c/d", "c_d", "a"),
        ("/users/v1/{username}/email", "user_email", "users"),
        ("/users/v1/_debug", "users_debug", "users"),
    ],
)
def test_templates_become_words(template: str, resource: str, collection: str) -> None:
    assert resource_of(template) == resource
    assert collection_of(template) == collection


@pytest.mark.parametrize(
    ("plural", "noun"),
    [("users", "user"), ("categories", "category"), ("boxes", "box"), ("status", "status"),
     ("news", "news"), ("address", "address"), ("addresses", "address"), ("gas", "gas")],
)  # fmt: skip
def test_singular(plural: str, noun: str) -> None:
    assert singular(plural) == noun


def test_words_are_snake_case() -> None:
    assert snake_case("userName-X ü") == "user_name_x"


@pytest.mark.parametrize(
    ("value", "trait"),
    [("", "empty"), ("  ", "blank"), ("\r" * 141, "long"), (None, "null"), ("x" * 31, "long"),
     (-1, "negative"),
     ("x" * 9, ""), ("Our long-awaited summer sale has begun now!", "long"),
     (0, "zero"), (2**40, "huge"), (float("nan"), "special"), ("-5", "negative"), (True, ""),
     ("abc", ""), ([], "empty")],
)  # fmt: skip
def test_values_that_stand_out(value: object, trait: str) -> None:
    assert value_trait(value, 5) == trait


def name_of(specimen: Specimen, *others: Specimen, users: tuple[str, ...] = ()) -> str:
    siblings = siblings_of([specimen, *others])
    accounts = {name: User(name) for name in users}
    return choose_name(name_candidates(specimen, siblings, accounts), set())


def test_names_are_python_whatever_the_status_and_the_method() -> None:
    assert (
        name_of(Specimen((sent(Request("GET", "/drip"), -3),))) == "test_get_drip_returns_minus_3"
    )
    assert name_of(Specimen((sent(Request("M-SEARCH", "/items"), 204),))).isidentifier()


def test_anonymous_redirect_to_login() -> None:
    specimen = Specimen((sent(Request("GET", "/create"), 302, Location="/auth/login?next=/"),))

    name = name_of(specimen, users=("ann",))

    assert name == "test_get_create_anonymous_redirects_to_auth_login"


def test_a_stranger_is_named_by_the_one_header_that_users_have() -> None:
    holder = User("key_holder", headers={"X-Version": "2"})

    assert stranger_word({"key_holder": holder}) == "without_version"
    assert stranger_word({"ann": User("ann", headers={"Authorization": "Bearer a"})}) == "anonymous"
    assert stranger_word({"ann": replace(holder, cookies={"a": "b"})}) == "anonymous"
    assert stranger_word({}) == "anonymous"


def test_a_stranger_is_not_named_where_another_part_is_the_cause() -> None:
    get = Request("GET", "/host", environ=(("HTTP_HOST", "a"),))
    cause = Cause("environ", "HTTP_HOST", "a")
    specimen = Specimen((replace(sent(get, 403), refused=True),), causes=(cause,))

    name = name_of(specimen, users=("ann",))
    assert "invalid_host" in name
    assert "anonymous" not in name


def test_user_is_named_where_several_differ() -> None:
    get = Request("GET", "/reports")
    admin = Specimen((sent(get, 200, "admin"),))
    guest = Specimen((sent(get, 403, "guest"),))

    assert (
        name_of(guest, admin, users=("admin", "guest")) == "test_get_reports_as_guest_returns_403"
    )


def test_the_only_user_is_named_where_nothing_else_tells_two_tests_apart() -> None:
    get = Request("GET", "/scores")
    siblings = siblings_of(
        [Specimen((sent(get, 200),)), admin := Specimen((sent(get, 200, "admin"),))]
    )
    users = {"admin": User("admin")}

    names = list(name_candidates(admin, siblings, users))

    assert names[0] == "test_get_scores_returns_200"
    assert names[-1] == "test_get_scores_as_admin_returns_200"


def test_the_name_of_a_page_is_cut_between_words() -> None:
    path = "/-/admin/repository_management_of_many"
    specimen = Specimen((sent(Request("POST", "/pull"), 302, Location=path),))

    assert name_of(specimen) == "test_post_pull_redirects_to_repository_management_of"


def test_registering_is_not_being_anonymous() -> None:
    specimen = Specimen((sent(Request("POST", "/auth/register"), 302, Location="/auth/login"),))

    assert name_of(specimen, users=("ann",)) == "test_post_auth_register_redirects_to_auth_login"


def test_fault_does_not_crash() -> None:
    request = Request("GET", "/users/{id}", path={"id": 2**63})
    fault = Fault("crash", request.endpoint, "OverflowError", "a.py:1", "m", 0, "t")
    served = Specimen((sent(replace(request, path={"id": 1}), 200),))

    failing = Specimen((sent(request, 500),), fault=fault, causes=(HUGE_ID,))
    name = name_of(failing, served)

    assert name == "test_get_user_huge_id_does_not_crash"


@pytest.mark.parametrize(
    ("taken", "name"),
    [
        ((), "test_get_user_huge_id_does_not_raise_overflow_error"),
        (
            ("test_get_user_huge_id_does_not_raise_overflow_error",),
            "test_get_user_huge_id_does_not_raise_overflow_error_in_load",
        ),
    ],
)
def test_crash_is_named_by_its_exception_and_where_need_be_by_its_place(
    taken: tuple[str, ...], name: str
) -> None:
    request = Request("GET", "/users/{id}", path={"id": 2**63})
    fault = Fault("crash", request.endpoint, "OverflowError", "a.py:1", "m", 0, "t")
    crash = Crash("OverflowError", "builtins", "m", "a.py", 1, "load", "")
    failing = Specimen((Exchange(request, None, crash=crash),), fault=fault, causes=(HUGE_ID,))
    served = Specimen((sent(replace(request, path={"id": 1}), 200),))
    siblings = siblings_of([failing, served])

    assert choose_name(name_candidates(failing, siblings, {}), frozenset(taken)) == name


def test_story_names_both_calls() -> None:
    deleted = sent(Request("DELETE", "/users/{id}", path={"id": 1}), 204)
    gone = sent(Request("GET", "/users/{id}", path={"id": 1}), 404)

    assert name_of(Specimen((deleted, gone))) == "test_delete_user_then_get_user_returns_404"


def test_a_page_that_gives_a_token_is_no_part_of_the_story() -> None:
    shown = sent(Request("GET", "/"), 200)
    origins = {("header", "X-CSRFToken"): Origin(0, ("page", "csrf-token"))}
    request = Request("POST", "/users", headers=(("X-CSRFToken", "t"),), origins=origins)

    specimen = Specimen((shown, sent(request, 201)))

    assert name_of(specimen) == "test_post_users_returns_201"
    assert response_variables(specimen.exchanges) == ["page", "created"]


def test_session_of_an_earlier_call_is_not_anonymous() -> None:
    login = sent(Request("POST", "/auth/login"), 302, Location="/")
    denied = sent(Request("GET", "/{id}/update", path={"id": 1}), 403)

    name = name_of(Specimen((login, denied)), users=("ann",))

    assert name == "test_get_update_returns_403"


def test_short_message_names_the_cause() -> None:
    body = b'{"error": "not enough in stock", "stock": 0}'
    response = Response(409, (("Content-Type", "application/json"),), body)
    refused = Specimen((Exchange(POST, response),))

    assert name_of(refused) == "test_post_users_not_enough_in_stock_returns_409"


def test_message_says_more_than_that_nothing_was_sent() -> None:
    body = b'{"success": false, "msg": "Token expired."}'
    response = Response(400, (("Content-Type", "application/json"),), body)
    served = Specimen((sent(POST, 200),))
    refused = Specimen((Exchange(replace(POST, json=None, has_json=False), response),))

    assert name_of(refused, served) == "test_post_users_token_expired_returns_400"


def test_endpoints_of_one_name_are_told_by_their_parameters() -> None:
    plain = Specimen((sent(Request("GET", "/cache"), 200),))
    valued = Specimen((sent(Request("GET", "/cache/{value}", path={"value": 1}), 200),))

    assert name_of(plain, valued) == "test_get_cache_returns_200"
    assert name_of(valued, plain) == "test_get_cache_with_value_returns_200"
    decided = replace(valued, causes=(Cause("path", "value", 1, 2),))
    assert name_of(decided, plain) == "test_get_cache_with_value_returns_200"


def test_an_address_beside_itself_is_told_by_its_slash() -> None:
    specimens = [Specimen((sent(Request("POST", path), 200),)) for path in ("/login", "/login/")]
    siblings = siblings_of(specimens)

    names = [next(name_candidates(specimen, siblings, {})) for specimen in specimens]

    assert names == ["test_post_login_returns_200", "test_post_login_with_slash_returns_200"]


def test_long_names_are_shortened_not_cut() -> None:
    request = Request("POST", "/organisation_memberships/{membership_id}/administrative_contacts")

    name = name_of(Specimen((sent(replace(request, path={"membership_id": 1}), 404),)))

    assert len(name) <= LONGEST_NAME
    assert name == "test_post_membership_administrative_contacts_returns_404"


def test_ties_are_numbered() -> None:
    assert choose_name(iter(["test_a", "test_b"]), {"test_a", "test_b"}) == "test_a_2"


def test_a_page_that_asks_for_input_is_a_form() -> None:
    html = (("Content-Type", "text/html"),)
    asking = Response(200, html, b'<form method="post">')
    pages = [
        Exchange(Request("GET", "/register"), asking),
        sent(Request("POST", "/register"), 302),
        Exchange(Request("GET", "/login"), asking),
        sent(Request("POST", "/login"), 302),
        Exchange(Request("GET", "/posts"), Response(200, html, b'<form action="/search">')),
        sent(Request("GET", "/"), 200),
    ]

    names = response_variables(pages)

    assert names[:5] == ["form", "registered", "login_form", "logged_in", "listed"]


def test_a_log_in_that_leads_back_to_its_form_lets_nobody_in() -> None:
    paths = {"/login": "/login", "/signup": "/login", "/settings": "/settings"}
    answers = [sent(Request("POST", path), 302, Location=to) for path, to in paths.items()]

    assert response_variables(answers) == ["redirected", "registered", "saved"]


def test_a_verb_at_the_beginning_of_an_address_says_what_is_done() -> None:
    paths = ("/settings/delete-account", "/update_profile", "/login-history", "/orders")
    form = (("name", "a"),)
    answers = [sent(Request("POST", path, form=form), 302, Location="/") for path in paths]

    assert response_variables(answers)[:3] == ["deleted", "updated", "created"]


def test_responses_are_named_by_role() -> None:
    login = sent(Request("POST", "/auth/login"), 302)
    created = sent(POST, 201)
    again = sent(Request("POST", "/posts"), 201)
    listed = Exchange(Request("GET", "/posts"), Response(200, (), b"[]"))
    deleted = sent(Request("DELETE", "/posts/{id}"), 204)
    gone = sent(Request("GET", "/posts/{id}"), 404)

    names = response_variables([login, created, again, listed, deleted, gone])

    assert names == ["logged_in", "created", "created_post", "listed", "deleted", "gone"]
    advance = sent(Request("POST", "/orders/{id}/advance"), 200)
    assert response_variables([advance, advance, advance]) == [
        "advanced",
        "advanced_again",
        "response",
    ]
    assert response_variables([created]) == ["response"]


def test_whoever_enters_beside_another_is_another() -> None:
    sign_up = Request("POST", "/register", form=(("name", "ann"),))
    other = replace(sign_up, form=(("name", "bob"),))
    calls = [sent(sign_up, 201), sent(other, 201), sent(Request("GET", "/users"), 200)]

    assert response_variables(calls)[:2] == ["registered", "registered_other"]
    assert response_variables([calls[0], calls[0], calls[2]])[1] == "registered_again"
    tokens = [
        sent(Request(method, "/tokens", form=(("x", "y"),)), 200) for method in ("POST", "PUT")
    ]
    assert response_variables([*tokens, calls[2]])[:2] == ["authenticated", "authenticated_token"]


def test_a_deletion_lets_nobody_in() -> None:
    revoked = sent(Request("DELETE", "/api/tokens"), 204)
    by_form = sent(Request("POST", "/movie/delete/{id}", {"id": 1}), 302, Location="/")
    edited = sent(Request("POST", "/movie/edit/{id}", {"id": 1}, form=(("x", "y"),)), 302)
    gone = sent(Request("GET", "/movie/edit/{id}", {"id": 1}), 404)

    assert response_variables([revoked, gone]) == ["deleted", "gone"]
    assert response_variables([edited, by_form, gone]) == ["updated", "deleted", "gone"]


def test_a_sentence_about_the_resource_is_told_as_one() -> None:
    told = b'{"error": "the book has been ordered"}'
    answer = Response(409, (("Content-Type", "application/json"),), told)
    specimen = Specimen((Exchange(Request("DELETE", "/api/books/{id}", {"id": 1}), answer),))

    names = list(name_candidates(specimen, siblings_of([specimen]), {}))

    assert names[0] == "test_delete_book_says_book_has_been_ordered_returns_409"


@pytest.mark.parametrize(
    ("message", "phrase"),
    [
        ("more than 3 books", "more_than_3_books"),
        ("no place for 1234567", ""),
        ("expires like 12/2030", ""),
        ("use sha256 keys", ""),
    ],
)
def test_short_numbers_may_be_part_of_a_message(message: str, phrase: str) -> None:
    told = Response(409, (("Content-Type", "text/plain"),), message.encode())

    assert message_phrase(Exchange(Request("POST", "/orders"), told), ()) == phrase


@pytest.mark.parametrize(
    ("message", "phrase"),
    [
        ("You are already subscribed to this community.", "already_subscribed"),
        ("You are banned from this community.", "you_are_banned"),
        ("You have too many open invitations in your workspace", "too_many_open_invitations"),
        ("Not in this list", "not_in_this_list"),
        ("An order needs items.", "order_needs_items"),
        ("Only admins may write to the archive of books", ""),
    ],
)
def test_a_long_message_to_the_caller_is_told_without_the_address(
    message: str, phrase: str
) -> None:
    answer = json.dumps({"message": message}).encode()
    told = Response(400, (("Content-Type", "application/json"),), answer)

    assert message_phrase(Exchange(Request("POST", "/orders"), told), ()) == phrase


def test_a_message_with_a_number_that_was_sent_names_no_test() -> None:
    told = Response(400, (("Content-Type", "text/plain"),), b"choose from 1 to 5 stars")
    exchange = Exchange(Request("POST", "/orders"), told)

    assert message_phrase(exchange, ("7",)) == "choose_from_1_to_5_stars"
    assert message_phrase(exchange, ("1",)) == ""


def test_of_an_error_page_only_what_is_asserted_is_a_message() -> None:
    page = Response(400, (("Content-Type", "text/html"),), b"<h2>The Film Club</h2>")
    exchange = Exchange(Request("POST", "/films"), page)

    assert message_phrase(exchange, ()) == "film_club"
    assert message_phrase(exchange, (), ("Something else",)) == ""


def test_a_generic_message_says_nothing() -> None:
    told = b'{"message": "Validation Error"}'
    answer = Response(400, (("Content-Type", "application/json"),), told)

    assert message_phrase(Exchange(Request("POST", "/films"), answer), ()) == ""


def test_pages_redirects_and_mailed_addresses_have_roles_of_their_own() -> None:
    html = (("Content-Type", "text/html"),)
    page = Exchange(Request("GET", "/account/password"), Response(200, html, b"<p>"))
    turned_away = sent(Request("POST", "/posts/{id}/like"), 302)
    created = sent(Request("POST", "/posts", form=(("title", "a"),)), 302)
    origins = {("path", "token"): Origin(0, ("mail", "/confirm/{token}", "token"))}
    confirmed = sent(Request("GET", "/confirm/{token}", origins=origins), 302)
    last = sent(Request("GET", "/posts"), 200)
    assert response_variables([page, turned_away, created, confirmed, last])[:4] == [
        "page",
        "liked",
        "created",
        "confirmed",
    ]
    bare = sent(Request("POST", "/posts"), 302)
    assert response_variables([bare, last])[0] == "redirected"


def test_a_form_that_is_shown_again_is_named_by_its_message() -> None:
    form = "<h1>Log in</h1><p class=help>Six letters or more</p>"
    beside = "<div class=error><strong>Error:</strong> <a>log out</a></div>"
    page = f"{form}{beside}<p class=flash>Email doesn&#39;t exist.</p>".encode()
    response = Response(200, (("Content-Type", "text/html"),), page)
    refused = Specimen((Exchange(Request("POST", "/login"), response),))

    names = name_candidates(
        refused, siblings_of([refused]), {}, rows=(refused,), pages={"GET /login": (form,)}
    )

    assert next(names) == "test_post_login_says_email_doesnt_exist"


def test_a_name_says_what_the_test_looks_for() -> None:
    """A log-in leaves a message behind that the next page shows beside that of the log-out."""
    page = b"<p class=flash>Welcome back.</p><p class=flash>Logout success.</p>"
    read = Exchange(Request("GET", "/login"), Response(200, (("Content-Type", "text/html"),), page))
    left = sent(Request("GET", "/logout"), 302)
    specimen = Specimen((left,), follow_up=FollowUp(read, "<h1>Redirecting...</h1>"))

    names = name_candidates(
        specimen, siblings_of([specimen]), {}, rows=(specimen,), asserted=("Logout success.",)
    )

    assert next(names) == "test_get_logout_says_logout_success"


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("Both Text and Text file are set, please specify one", "both_text_and_text_file_are_set"),
        ("Please add an active Terms dictionary", "add_an_active_terms_dictionary"),
        ("Sorry, you cannot have that before all of it is paid", None),
        ("The order of things must be one of title, price, stock", None),
        ("Error: a name is needed", "name_is_needed"),
    ],
)
def test_a_long_message_gives_its_first_clause_to_the_name(message: str, name: str | None) -> None:
    page = f"<p class=flash>{message}</p>".encode()
    response = Response(200, (("Content-Type", "text/html"),), page)
    refused = Specimen((Exchange(Request("POST", "/terms"), response),))

    names = name_candidates(
        refused, siblings_of([refused]), {}, rows=(refused,), pages={"GET /terms": ("<p></p>",)}
    )

    assert next(names) == f"test_post_terms_{'says_' + name if name else 'shows_message'}"


def test_an_article_is_not_left_out_because_it_was_sent() -> None:
    request = Request("POST", "/coupons", json={"code": "a"}, has_json=True)
    refused = Response(400, (("Content-Type", "text/plain"),), b"percent must be a number")

    name = name_of(Specimen((Exchange(request, refused),)))

    assert name == "test_post_coupons_percent_must_be_a_number_returns_400"


def test_an_error_is_named_by_its_message_whatever_its_status() -> None:
    """Of a table, too, where all rows are told the same."""
    body = b'{"uploaded": 0, "error": {"message": "Image only!"}}'
    refused = Response(200, (("Content-Type", "application/json"),), body)
    rows = [
        Specimen((Exchange(Request("POST", "/upload", query=(("name", name),)), refused),))
        for name in ("a.txt", "a.pdf")
    ]
    names = name_candidates(rows[0], siblings_of(rows), {}, Condition(), rows=rows)

    assert next(names) == "test_post_upload_says_image_only"


def test_a_redirect_keeps_the_part_that_decides_where_both_do_not_fit() -> None:
    led = sent(Request("POST", "/login"), 302, Location="/registration")
    names = name_candidates(
        Specimen((led,)), siblings_of([]), {}, Condition("with_submit_sign_up", "with")
    )

    assert choose_name(names, set()) == "test_post_login_with_submit_sign_up_redirects"


def test_an_exception_without_a_name_of_its_own_is_named_with_its_library() -> None:
    fault = Fault("crash", "POST /tokens", "Error", "a.py:1", "", 0, "t")
    crash = Crash("Error", "binascii", "Incorrect padding", "a.py", 1, "load", "")
    failed = Exchange(Request("POST", "/tokens"), Response(500), crash=crash)

    names = list(name_candidates(Specimen((failed,), fault=fault), siblings_of([]), {}))

    assert names[0] == "test_post_tokens_does_not_raise_binascii_error"


RESULTS = b'<form method="post" action="/search"><input name="q"></form><p>One result</p>'
FEED = b"<?xml version='1.0'?><rss></rss>"


def searched(body: bytes, kind: str, **sent_form: str) -> Specimen:
    request = Request("POST", "/search", form=tuple(sent_form.items()))
    return Specimen((Exchange(request, Response(200, (("Content-Type", kind),), body)),))


def test_a_form_is_shown_again_where_a_repair_leads_on() -> None:
    page = searched(RESULTS, "text/html", q="a")
    proven = replace(page, causes=(Cause("form", "q", "a", "!!a"),))

    assert name_of(page) == "test_post_search_returns_200"
    assert name_of(proven) == "test_post_search_with_q_a_shows_form_again"


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        (b"[]", "returns_empty_list"),
        (b"{}", "returns_empty_object"),
        (b'{"results": [], "total": 0}', "returns_no_results"),
        (b'{"results": [1], "total": 1}', "returns_200"),
        (b'{"results": [], "errors": ["a"]}', "returns_error"),
    ],
)
def test_a_document_without_content_says_so(body: bytes, outcome: str) -> None:
    answer = Response(200, (("Content-Type", "application/json"),), body)
    specimen = Specimen((Exchange(Request("POST", "/lookup"), answer),))

    assert name_of(specimen) == f"test_post_lookup_{outcome}"


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (b"", "test_get_byte_n_7_returns_200"),
        (b"a", "test_get_byte_with_if_none_match_returns_200"),
    ],
)
def test_a_tie_is_broken_by_an_input_without_which_another_answer_was_seen(
    body: bytes, name: str
) -> None:
    request = Request("GET", "/bytes/{n}", path={"n": 7})
    tagged = replace(request, headers=(("If-None-Match", "a"),))
    other = Specimen((Exchange(tagged, Response(200, (), body)),))
    siblings = siblings_of([Specimen((sent(request, 200),))])

    assert choose_name(name_candidates(other, siblings, {}), {"test_get_byte_returns_200"}) == name


def test_a_page_whose_hidden_values_alone_differ_shows_no_effect_of_an_input() -> None:
    def page(token: str, **query: object) -> Specimen:
        body = f'<form><input type="hidden" value="{token}">Search</form>'.encode()
        response = Response(200, (("Content-Type", "text/html"),), body)
        return Specimen((Exchange(Request("GET", "/find", query=tuple(query.items())), response),))

    names = list(name_candidates(page("a", sort="up"), siblings_of([page("b")]), {}))

    assert not any("with_sort" in name for name in names)


def test_crashes_of_one_function_are_told_by_their_messages_not_by_what_is_sent() -> None:
    fault = Fault("crash", "POST /api/users", "KeyError", "a.py:1", "'city'", 0, "t")
    crash = Crash("KeyError", "builtins", "'city'", "a.py", 1, "", "")
    failing = Specimen((Exchange(POST, None, crash=crash),), fault=fault)
    names = list(name_candidates(failing, siblings_of([failing]), {}))
    first = "test_post_users_does_not_raise_key_error"

    assert choose_name(iter(names), {first}) == f"{first}_city"
    assert not any("with_" in name or "name_ann" in name for name in names)


def test_a_redirect_after_a_change_is_told_with_the_change_where_its_page_does_not_fit() -> None:
    login = sent(Request("POST", "/auth/login"), 302, user="ann")
    delete = sent(Request("POST", "/staff-directory/delete"), 302, "ann", Location="/")
    away = sent(Request("GET", "/staff-directory/"), 302, "ann", Location="/auth/login")

    name = name_of(Specimen((login, delete, away)), users=("ann",))

    assert name == "test_post_delete_then_get_staff_directory_redirects"


@pytest.mark.parametrize(
    ("read", "status", "name"),
    [
        ("/", 200, "test_post_create_then_get_index_shows_it"),
        ("/login", 200, "test_post_create_then_get_login_reflects_it"),
        ("/{id}/update", 404, "test_post_create_then_get_update_returns_404"),
    ],
)
def test_the_read_that_shows_the_effect_is_named(read: str, status: int, name: str) -> None:
    act = sent(Request("POST", "/create", form=(("title", "Kz"),)), 302, Location="/")
    page = Response(status, (("Content-Type", "text/html"),), b"<p>Kz</p>" * (read == "/"))
    follow_up = FollowUp(Exchange(Request("GET", read), page))

    assert name_of(Specimen((act,), follow_up=follow_up)) == name


@pytest.mark.parametrize(
    ("said", "asserted", "name"),
    [
        (
            "Inv\u00e1lido token.",
            ("Inv\u00e1lido token.",),
            "test_post_sign_up_says_invalido_token",
        ),
        ("Sign up", ("Sign up",), "test_post_sign_up_then_get_sign_up_returns_200"),
        ("Token 4.2/7 is wrong", ("Token 4.2/7 is wrong",), "test_post_sign_up_shows_message"),
        ("Gone", (), "test_post_sign_up_then_get_sign_up_reflects_it"),
        ("Hi", ("Log out",), "test_post_sign_up_then_get_sign_up_shows_log_out"),
    ],
)
def test_what_the_page_of_a_form_says_after_it_is_a_message(
    said: str, asserted: tuple[str, ...], name: str
) -> None:
    request = Request("POST", "/sign-up", form=(("name", "ann"),))
    page = Response(200, (("Content-Type", "text/html"),), f"<p class=flash>{said}</p>".encode())
    read = FollowUp(Exchange(Request("GET", "/sign-up"), page), "<p>Sign up</p>")
    specimen = Specimen((sent(request, 302, Location="/sign-up"),), follow_up=read)
    siblings = siblings_of([specimen])

    assert next(name_candidates(specimen, siblings, {}, asserted=asserted)) == name


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ("Your cart is empty.", "says_your_cart_is_empty"),
        ("The cart holds nothing now", "says_cart_holds_nothing_now"),
        ("Mode 4.2/7 is wrong now.", "shows_message"),
        ("Ann Smith", "then_get_index_reflects_it"),
    ],
)
def test_a_new_sentence_is_a_message_in_any_element_of_the_page_that_a_redirect_leads_to(
    said: str, outcome: str
) -> None:
    page = Response(200, (("Content-Type", "text/html"),), f"<div><td>{said}</td></div>".encode())
    read = FollowUp(Exchange(Request("GET", "/"), page), "<p>Index</p>")
    specimen = Specimen((sent(Request("POST", "/log-in"), 302, Location="/"),), follow_up=read)

    names = name_candidates(specimen, siblings_of([specimen]), {}, asserted=(f">{said}<",))

    assert next(names) == f"test_post_log_in_{outcome}"


@pytest.mark.parametrize(
    ("asserted", "name"),
    [
        ((">Kzz<",), "test_post_notes_then_get_notes_shows_it"),
        ((">My notes<",), "test_post_notes_then_get_notes_shows_my_notes"),
        ((), "test_post_notes_then_get_notes_returns_200"),
    ],
)
def test_a_page_shows_only_what_the_test_looks_for(asserted: tuple[str, ...], name: str) -> None:
    posted = sent(Request("POST", "/notes", form=(("title", "Kzz"),)), 302, Location="/notes")
    page = Response(200, (("Content-Type", "text/html"),), b"<h1>My notes</h1><p>Kzz</p>")
    specimen = Specimen((posted, Exchange(Request("GET", "/notes"), page)))
    siblings = siblings_of([specimen])

    assert next(name_candidates(specimen, siblings, {}, asserted=asserted)) == name


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (b'{"users": [{"name": "susan"}]}', "test_post_users_then_get_user_followers_returns_it"),
        (
            b'{"users": [], "next": "/users/susan/followers?page=2"}',
            "test_post_users_then_get_user_followers_returns_no_users",
        ),
        (b'{"susan": []}', "test_post_users_then_get_user_followers_returns_200"),
    ],
)
def test_an_address_or_a_key_returns_nothing_that_was_sent(body: bytes, name: str) -> None:
    posted = sent(Request("POST", "/users", json={"name": "susan"}, has_json=True), 201)
    read = Request("GET", "/users/{name}/followers", path={"name": "susan"})
    answer = Response(200, (("Content-Type", "application/json"),), body)
    specimen = Specimen((posted, Exchange(read, answer)))

    assert next(name_candidates(specimen, siblings_of([specimen]), {})) == name


def test_rows_that_lead_to_several_pages_are_named_after_none() -> None:
    rows = [
        Specimen((sent(Request("POST", "/close", form=(("word", "a"),)), 302, Location=page),))
        for page in ("/", "/settings")
    ]

    names = name_candidates(rows[0], siblings_of(rows), {}, rows=rows)

    assert all(name.endswith("_redirects") for name in names)


def test_rows_of_which_some_list_nothing_return_their_status() -> None:
    request = Request("GET", "/items", query=(("below", "1"),))
    bodies = (b"[]", b'[{"name": "pen"}]')
    kind = (("Content-Type", "application/json"),)
    rows = [Specimen((Exchange(request, Response(200, kind, body)),)) for body in bodies]

    names = name_candidates(rows[0], siblings_of(rows), {}, rows=rows)

    assert next(names) == "test_get_items_returns_200"


def test_a_caller_who_says_where_to_go_is_sent_there() -> None:
    elsewhere = {"Location": "http://example.com/"}
    asked = Request("GET", "/leave", headers=(("Referer", "http://example.com/"),))
    plain = Specimen((sent(Request("GET", "/leave"), 302, **elsewhere),))

    assert name_of(Specimen((sent(asked, 302, **elsewhere),))).endswith("_to_example_com")
    assert name_of(plain) == "test_get_leave_redirects_to_index"


@pytest.mark.parametrize("status", [400, 415])
def test_status_that_depends_on_the_version_is_not_named(status: int) -> None:
    said = b"Did not attempt to load JSON data because the request Content-Type was not 'x'."
    response = Response(status, (("Content-Type", "text/html"),), said)
    request = Request("POST", "/users")
    specimen = Specimen(
        (Exchange(request, response),), causes=(Cause(WHOLE_BODY, "", None, "json"),)
    )

    assert name_of(specimen) == "test_post_users_without_json_is_rejected"


def test_what_was_sent_may_be_anything_beside_a_value_that_was_taken() -> None:
    form = (("token", "abc"), ("tags", ["abc"]))
    origins = {("form", "token"): Origin(0, ("form", "token")), ("form", "tags"): Origin(0, ("x",))}
    posted = sent(Request("POST", "/posts", form=form, origins=origins), 302)
    html = (("Content-Type", "text/html"),)
    page = Exchange(Request("GET", "/"), Response(200, html, b"<input value=abc>"))

    assert name_of(Specimen((posted, page))) == "test_post_posts_then_get_index_returns_200"


def test_to_log_in_is_no_part_of_the_story_but_where_it_is_the_act() -> None:
    register = sent(Request("POST", "/register"), 302)
    login = sent(Request("POST", "/login"), 302)
    origins = {("path", "token"): Origin(0, ("mail", "/confirm/{token}", "token"))}
    confirm = sent(Request("GET", "/confirm/{token}", origins=origins), 302)
    look = sent(Request("GET", "/profile"), 204)

    known = Specimen((register, login, confirm, look))
    assert name_of(known) == "test_get_profile_returns_204"
    taken = {"test_get_profile_returns_204"}
    second = choose_name(name_candidates(known, siblings_of((known,)), {}), taken)
    assert second == "test_get_profile_when_confirmed_returns_204"
    assert name_of(Specimen((register, register))) == "test_post_register_twice_returns_302"


def test_what_is_left_out_does_not_name_the_plain_test() -> None:
    full = replace(POST, json={"name": "ann", "age": 3, "city": "Rome"})
    city = Cause("json", "city", "Rome")
    specimens = [Specimen((SERVED,)), Specimen((sent(full, 201),), causes=(city,))]
    siblings = siblings_of(specimens)

    names = [next(name_candidates(one, siblings, {})) for one in specimens]

    assert names == ["test_post_users_returns_201", "test_post_users_with_city_returns_201"]


def test_two_refusals_with_one_message_are_not_told_by_what_they_send() -> None:
    told = Response(409, (("Content-Type", "text/plain"),), b"not enough in stock")
    request = Request("POST", "/api/orders", json={"book_id": 1, "quantity": 13}, has_json=True)
    specimen = Specimen((Exchange(request, told),))

    names = name_candidates(specimen, siblings_of([specimen]), {})
    name = choose_name(names, {"test_post_orders_not_enough_in_stock_returns_409"})

    assert name == "test_post_orders_returns_409"


def test_only_what_creates_something_is_called_created() -> None:
    coupon = Request("POST", "/carts/{number}/coupon", {"number": 7}, json={"code": "A"})
    answers = {
        (200, b'{"number": 7, "discount": 10}'): "posted",
        (200, b'{"id": 7}'): "posted",
        (200, b'{"id": 8}'): "created",
        (200, b'{"message": "Coupon created"}'): "created",
        (201, b"{}"): "created",
        (204, b""): "posted",
    }
    last = sent(Request("GET", "/carts"), 200)

    for (status, body), variable in answers.items():
        response = Response(status, (("Content-Type", "application/json"),), body)
        assert response_variables([Exchange(coupon, response), last])[0] == variable


@pytest.mark.parametrize(
    ("method", "template", "effect"),
    [
        ("POST", "/notes/delete", "no_longer_shows_it"),
        ("GET", "/auth/logout", "reflects_it"),
    ],
)
def test_what_vanishes_from_a_page_after_a_deletion_is_no_longer_shown(
    method: str, template: str, effect: str
) -> None:
    act = sent(Request(method, template), 302, Location="/")
    page = Response(200, (("Content-Type", "text/html"),), b"<h1>Notes</h1>")
    read = FollowUp(Exchange(Request("GET", "/"), page), "<h1>Notes</h1><li>A note</li>")
    specimen = Specimen((act,), follow_up=read)

    names = name_candidates(specimen, siblings_of([specimen]), {}, asserted=("Notes", "A note"))

    assert next(names).endswith(f"_then_get_index_{effect}")


def test_a_page_after_a_deletion_no_longer_shows_what_was_there() -> None:
    deleted = sent(Request("POST", "/notes/delete"), 302, Location="/")
    page = Response(200, (("Content-Type", "text/html"),), b"<h1>Notes</h1>")
    specimen = Specimen(
        (deleted, Exchange(Request("GET", "/"), page)), before="<h1>Notes</h1><li>A note</li>"
    )

    names = name_candidates(specimen, siblings_of([specimen]), {}, asserted=("Notes", "A note"))

    assert next(names) == "test_post_notes_delete_then_get_index_no_longer_shows_it"


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ("Club not found for email: ann", "says_club_not_found_for_email"),
        ("ann is not on the annual list", "says_is_not_on_the_annual_list"),
        ("Weight class of the boxer: ann", "says_weight_class_of_the_boxer"),
        ("Weight class: ann ann ann", "then_get_index_shows_it"),
        ("Name: ann", "then_get_index_shows_it"),
    ],
)
def test_what_is_said_about_a_value_that_was_sent_is_a_message_without_it(
    said: str, outcome: str
) -> None:
    page = Response(200, (("Content-Type", "text/html"),), f"<li>{said}</li>".encode())
    read = FollowUp(Exchange(Request("GET", "/"), page), "<p>Index</p>")
    posted = sent(Request("POST", "/home", form=(("email", "ann"),)), 302, Location="/")
    specimen = Specimen((posted,), follow_up=read)

    names = name_candidates(specimen, siblings_of([specimen]), {}, asserted=(f">{said}<",))
    assert next(names) == f"test_post_home_{outcome}"


def test_a_long_fault_keeps_its_whole_subject() -> None:
    fault = Fault("crash", "POST /products/create", "StatementError", "a.py:1", "no float", 0, "t")
    crash = Crash("StatementError", "sqlalchemy.exc", "no float", "a.py", 1, "", "")
    cause = Cause("form", "price", "", "1")
    request = Request("POST", "/products/create", form=(("price", ""),))
    failing = Specimen((Exchange(request, None, crash=crash),), fault=fault, causes=(cause,))

    assert name_of(failing) == "test_post_products_create_empty_price_does_not_crash"


def test_a_redirect_to_none_has_no_destination() -> None:
    specimen = Specimen((sent(Request("POST", "/cart"), 302, Location="None"),))

    assert name_of(specimen) == "test_post_cart_returns_302"


def test_a_message_that_contains_a_short_sent_value_is_told() -> None:
    posted = sent(Request("POST", "/register", form=(("name", "a"),)), 302, Location="/")
    body = b"<td>Please enter one valid email.</td>"
    page = Response(200, (("Content-Type", "text/html"),), body)
    read = FollowUp(Exchange(Request("GET", "/"), page), "<p>Welcome</p>")
    specimen = Specimen((posted,), follow_up=read)
    names = name_candidates(
        specimen, siblings_of([specimen]), {}, asserted=(">Please enter one valid email.<",)
    )

    assert next(names) == "test_post_register_says_enter_one_valid_email"


def test_of_several_messages_one_that_few_pages_have_is_told() -> None:
    posted = sent(Request("POST", "/register", form=(("name", "a"),)), 302, Location="/")
    usual, rare = "Please enter one valid email.", "Both passwords must be equal."
    body = f"<td>{usual}</td><td>{rare}</td>".encode()
    page = Response(200, (("Content-Type", "text/html"),), body)
    read = FollowUp(Exchange(Request("GET", "/"), page), "<p>Welcome</p>")
    specimen = Specimen((posted,), follow_up=read)
    names = name_candidates(
        specimen,
        siblings_of([specimen]),
        {},
        pages={"GET /": [body.decode(), usual]},
        asserted=(usual, rare),
    )

    assert next(names) == "test_post_register_says_both_passwords_must_be_equal"
    assert next(names) == "test_post_register_says_enter_one_valid_email"
    assert next(names) == "test_post_register_shows_message"


def test_a_page_is_not_named_by_a_stored_value_but_by_what_has_it() -> None:
    row = PlacedRow("shop.models.User", {"email": "susan@example.com", "age": 0})
    page = b"<p>susan@example.com</p>"
    response = Response(200, (("Content-Type", "text/html"),), page)
    shown = Specimen((Exchange(Request("GET", "/photos", rows=(row,)), response),))

    names = name_candidates(shown, siblings_of([shown]), {}, asserted=[">susan@example.com<"])

    assert next(names) == "test_get_photos_shows_user"
