from __future__ import annotations

from base64 import b64encode

import pytest

from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Origin
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.exchange import Upload
from pytest_evosearch.sut.handle import User
from pytest_evosearch.write.code.literals import one_line
from pytest_evosearch.write.content.builder import Surroundings
from pytest_evosearch.write.content.builder import build_test
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.content.written_calls import Cookies
from pytest_evosearch.write.content.written_calls import Unwritable

OK = Response(200)
ADMIN = User("admin", {"A": "b"}, fixtures=("admin_headers",), headers_expression="admin_headers")
ANN = User("ann", login=print, fixtures=("auth",), statement="auth.login()")


def code(request: Request, user: User | None = None) -> str:
    exchange = Exchange(request, OK, user.name if user is not None else None)
    users = {user.name: user} if user is not None else {}
    return one_line(build_test(Specimen((exchange,)), Surroundings(users)).calls[0].node())


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        (Request("GET", "/"), 'client.get("/")'),
        (Request("PROPFIND", "/"), 'client.open("/", method="PROPFIND")'),
        (
            Request("GET", "/", headers=(("Authorization", "Basic YW5uOnM6Mw=="), ("A", "b"))),
            'client.get("/", auth=("ann", "s:3"), headers={"A": "b"})',
        ),
        (
            Request("GET", "/", headers=(("Authorization", "Basic YW5u"),)),
            'client.get("/", headers={"Authorization": "Basic YW5u"})',
        ),
        (
            Request("GET", "/", headers=(("Authorization", "basic YTpi"),)),
            'client.get("/", headers={"Authorization": "basic YTpi"})',
        ),
        (
            Request("GET", "/a/{x}", path={"x": 'a/b c?"ü'}),
            'client.get("/a/a%2Fb%20c%3F%22%C3%BC")',
        ),
        (
            Request("GET", "/", query=(("q", "a"), ("n", 2), ("n", 3), ("b", True))),
            'client.get("/", query_string={"q": "a", "n": [2, 3], "b": "True"})',
        ),
        (Request("POST", "/", form=(("a", 1),)), 'client.post("/", data={"a": "1"})'),
        (Request("POST", "/", json=[1], has_json=True), 'client.post("/", json=[1])'),
        (Request("POST", "/", has_json=True), 'client.post("/")'),
        (
            Request("POST", "/", text="<a/>", content_type="text/xml"),
            'client.post("/", data="<a/>", content_type="text/xml")',
        ),
        (
            Request("POST", "/", files=(("f", Upload("a.txt", b"x", "text/css")),)),
            'client.post("/", data={"f": (io.BytesIO(b"x"), "a.txt", "text/css")})',
        ),
        (Request("GET", "/", headers=(("X", "1"),)), 'client.get("/", headers={"X": "1"})'),
        (
            Request("GET", "/", headers=(("X", "1"), ("x", "2"))),
            'client.get("/", headers=[("X", "1"), ("x", "2")])',
        ),
        (Request("GET", "/", host="api.x"), 'client.get("/", base_url="http://api.x")'),
    ],
)
def test_requests_become_calls(request_: Request, expected: str) -> None:
    assert code(request_) == expected


def test_headers_of_a_user_are_a_fixture() -> None:
    assert code(Request("GET", "/"), ADMIN) == 'client.get("/", headers=admin_headers)'
    assert (
        code(Request("GET", "/", headers=(("X", "1"),)), ADMIN)
        == 'client.get("/", headers={**admin_headers, "X": "1"})'
    )


@pytest.mark.parametrize(
    ("first", "call"), [(False, '("a", "b")'), (True, '("localhost", "a", "b")')]
)
def test_cookies_are_set_as_the_installed_werkzeug_wants(first: bool, call: str) -> None:
    specimen = Specimen((Exchange(Request("GET", "/", cookies=(("a", "b"),)), OK),))

    test = build_test(specimen, Surroundings(cookies=Cookies(server_name_first=first)))

    assert test.calls[0].before == (f"client.set_cookie{call}",)


def test_a_session_is_put_into_the_client_and_not_written_as_a_cookie() -> None:
    cookies = (("session", "signed"), ("a", "b"))
    specimen = Specimen((Exchange(Request("GET", "/", cookies=cookies), OK),))
    fields = {"user_id": 7, "role": "admin"}

    def session_in(name: str, _value: str) -> dict[str, object] | None:
        return fields if name == "session" else None

    test = build_test(
        specimen, Surroundings(cookies=Cookies(session_in=session_in), fixtures=("session",))
    )

    assert test.calls[0].before == (
        "with client.session_transaction() as stored:",
        '    stored["user_id"] = 7',
        '    stored["role"] = "admin"',
        'client.set_cookie("a", "b")',
    )


def created(body: bytes = b'{"id": 7, "token": "t"}') -> Exchange:
    response = Response(201, (("Content-Type", "application/json"), ("Location", "/x/7")), body)
    return Exchange(Request("POST", "/x"), response)


def second(request: Request) -> str:
    test = build_test(Specimen((created(), Exchange(request, OK))), Surroundings())
    return one_line(test.calls[1].node())


def test_identifiers_flow_through_variables() -> None:
    origins = {("path", "id"): Origin(0, ("json", "id"))}

    sent = second(Request("GET", "/x/{id}", path={"id": 7}, origins=origins))

    assert sent == "client.get(f\"/x/{created.json['id']}\")"


def test_identifier_that_was_only_typed_is_recognised() -> None:
    assert "created.json['id']" in second(Request("GET", "/x/{id}", path={"id": "7"}))


def test_prefix_stays_before_the_value() -> None:
    origins = {("header", "Authorization"): Origin(0, ("json", "token"), "Bearer ")}
    headers = (("Authorization", "Bearer t"),)

    sent = second(Request("GET", "/x", headers=headers, origins=origins))

    assert sent == (
        'client.get("/x", headers={"Authorization": f"Bearer {created.json[\'token\']}"})'
    )


def test_json_takes_values_from_earlier_responses() -> None:
    origins = {("json", "parent", "id"): Origin(0, ("json", "id"))}
    body = {"parent": {"id": 7}}

    sent = second(Request("POST", "/y", json=body, has_json=True, origins=origins))

    assert sent == 'client.post("/y", json={"parent": {"id": created.json["id"]}})'


def test_origin_that_does_not_reproduce_the_value_is_ignored() -> None:
    origins = {("path", "id"): Origin(0, ("json", "id"))}

    assert (
        second(Request("GET", "/y/{id}", path={"id": 9}, origins=origins)) == 'client.get("/y/9")'
    )


def test_location_gives_the_last_segment() -> None:
    origins = {("path", "id"): Origin(0, ("location", -1))}

    sent = second(Request("GET", "/z/{id}", path={"id": "7"}, origins=origins))

    assert sent == "client.get(f\"/z/{created.location.split('/')[-1]}\")"


def test_logging_in_happens_once_and_anonymous_calls_stay_anonymous() -> None:
    get = Request("GET", "/")
    exchanges = tuple(Exchange(get, OK, user) for user in (None, "ann", "ann", None))

    test = build_test(Specimen(exchanges), Surroundings({"ann": ANN}))

    assert [call.client for call in test.calls] == ["client", "client", "client", "anonymous"]
    assert [call.before for call in test.calls] == [
        (),
        ("auth.login()",),
        (),
        ("anonymous = client.application.test_client()",),
    ]
    assert test.fixtures == ("client", "auth")


@pytest.mark.parametrize(
    ("exchange", "reason"),
    [
        (Exchange(Request("GET", "/"), None, frozen=True), "would hang"),
        (Exchange(Request("GET", "/"), None, sent=False), "refuses to send"),
        (Exchange(Request("GET", "/"), OK, "nobody"), "no fixture makes"),
        (Exchange(Request("GET", "/"), OK, "bob"), "no fixture logs"),
    ],
)
def test_what_cannot_be_written_has_a_reason(exchange: Exchange, reason: str) -> None:
    users = {"bob": User("bob", login=print)}

    with pytest.raises(Unwritable, match=reason):
        build_test(Specimen((exchange,)), Surroundings(users))


def test_unstable_status_cannot_be_written() -> None:
    specimen = Specimen(
        (Exchange(Request("GET", "/"), OK),), unstable={(0, ("status",)): "changes between runs"}
    )

    with pytest.raises(Unwritable, match="its status changes between runs"):
        build_test(specimen, Surroundings())


@pytest.mark.parametrize(
    ("end", "reason"), [(4_000_000_000, "a token that ends soon"), (1_000_000_000, "")]
)
def test_no_test_sends_a_token_that_ends(end: int, reason: str) -> None:
    claims = b64encode(f'{{"exp": {end}}}'.encode()).decode().rstrip("=")
    request = Request("GET", "/", cookies=(("token", f"eyJhbGciOiJIUzI1NiJ9.{claims}.c2ln"),))
    specimen = Specimen((Exchange(request, OK),))
    if not reason:  # it has ended, and stays so
        assert build_test(specimen, Surroundings({})).calls
        return
    with pytest.raises(Unwritable, match=reason):
        build_test(specimen, Surroundings({}))
