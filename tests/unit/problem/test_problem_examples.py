"""Requests are read from the source of tests as a person would read them."""

from __future__ import annotations

from textwrap import dedent

import pytest

from pytest_evosearch.problem.examples import reader
from pytest_evosearch.problem.examples.reader import read_tests
from pytest_evosearch.problem.examples.values import UNKNOWN
from pytest_evosearch.problem.examples.values import Address
from pytest_evosearch.problem.examples.values import Encoded
from pytest_evosearch.problem.examples.values import ExampleCall
from pytest_evosearch.problem.examples.values import Joined
from pytest_evosearch.problem.examples.values import Part


def calls_of(source: str, **others: str) -> list[ExampleCall]:
    """Return the requests of the only test in `source`."""
    sources = {"test_it.py": dedent(source)}
    sources.update({f"{name}.py": dedent(text) for name, text in others.items()})
    [test] = read_tests(sources)
    return list(test.calls)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ('client.get("/a")', ExampleCall("GET", "/a")),
        ('client.get("/a?b=1")', ExampleCall("GET", "/a?b=1")),
        (
            'client.post("/a", json={"b": [1, None]})',
            ExampleCall("POST", "/a", {"json": {"b": [1, None]}}),
        ),
        ('client.put("/a", {"b": 1})', ExampleCall("PUT", "/a", {"data": {"b": 1}})),
        ('client.post("/a", data=dict(b=-1))', ExampleCall("POST", "/a", {"data": {"b": -1}})),
        ('client.open("/a", method="DELETE")', ExampleCall("DELETE", "/a", {"method": "DELETE"})),
        ('client.get("http://localhost/a?b=c")', ExampleCall("GET", "/a?b=c")),
        ('self.client.get("a/b")', ExampleCall("GET", "/a/b")),
        ('client.get("/a/" + "b")', ExampleCall("GET", "/a/b")),
        ('client.get("/a/%s/%d" % ("b", 2))', ExampleCall("GET", "/a/b/2")),
        (
            'client.get("/a/{}/{name}".format(1, name=x))',
            ExampleCall("GET", Joined(("/a/1/", UNKNOWN))),
        ),
        ('client.get(f"/a/{1}/{thing.id}")', ExampleCall("GET", Joined(("/a/1/", UNKNOWN)))),
        ('client.get(url_for("b.show", id=3))', ExampleCall("GET", Address("b.show", {"id": 3}))),
        (
            'client.post("/a", data=json.dumps({"b": 1}))',
            ExampleCall("POST", "/a", {"data": Encoded({"b": 1})}),
        ),
        (
            'client.post("/a", data={"f": (io.BytesIO(b"x"), "n.txt")})',
            ExampleCall("POST", "/a", {"data": {"f": [b"x", "n.txt"]}}),
        ),
        (
            'client.post("/a", json={**{"b": 1}, "c": 2})',
            ExampleCall("POST", "/a", {"json": {"b": 1, "c": 2}}),
        ),
    ],
)
def test_a_request_is_read_as_it_is_written(expression: str, expected: ExampleCall) -> None:
    assert calls_of(f"def test_it(client):\n    assert {expression}.status_code == 200\n") == [
        expected
    ]


@pytest.mark.parametrize(
    "expression",
    [
        'settings.get("a")',
        'requests.get("https://example.com/a")',
        "client.get(path)",
        'response.headers.get("Location")',
        "client.get(*paths)",
    ],
)
def test_what_is_no_request_to_the_application_is_passed_over(expression: str) -> None:
    assert read_tests({"test_it.py": f"def test_it():\n    {expression}\n"}) == []


def test_parts_of_answers_are_followed_through_variables() -> None:
    create, show, log_in, use = calls_of(
        """
        def test_it(client):
            created = client.post("/notes", json={"text": "a"}).get_json()
            client.get(f"/notes/{created['id']}")
            token = json.loads(client.post("/login").data)["token"]
            client.get("/me", headers={"Authorization": "Bearer " + token})
        """
    )
    assert show.target == Joined(("/notes/", Part(0, ("json", "id"))))
    assert use.options == {
        "headers": {"Authorization": Joined(("Bearer ", Part(2, ("json", "token"))))}
    }
    assert (create.method, log_in.target) == ("POST", "/login")


def test_each_of_the_first_parameter_sets_is_a_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MOST_SETS", 3)
    tests = read_tests(
        {
            "test_it.py": dedent(
                """
                @pytest.mark.parametrize(
                    ("name", "age"), [("a", 1), pytest.param("b", 2), ("c", 3), ("d", 4)]
                )
                def test_it(client, name, age):
                    client.post("/people", json={"name": name, "age": age})
                """
            )
        }
    )
    sent = [call.options["json"] for test in tests for call in test.calls]
    assert sent == [{"name": "a", "age": 1}, {"name": "b", "age": 2}, {"name": "c", "age": 3}]


def test_functions_and_fixtures_are_read_where_they_are_used() -> None:
    log_in, look = calls_of(
        """
        def test_it(client, headers):
            client.get("/me", headers=headers)
        """,
        conftest="""
        @pytest.fixture
        def headers(client):
            token = log_in(client, "ann")
            yield {"X-Token": token}

        def log_in(client, name, password="secret"):
            answer = client.post("/login", json={"name": name, "password": password})
            return answer.json["token"]
        """,
    )
    assert log_in.options == {"json": {"name": "ann", "password": "secret"}}
    assert look.options == {"headers": {"X-Token": Part(0, ("json", "token"))}}


def test_fixtures_of_a_mark_come_first() -> None:
    log_in, look = calls_of(
        """
        @pytest.fixture
        def logged_in(client):
            client.post("/login", json={"name": "ann"})

        @pytest.mark.usefixtures("logged_in")
        def test_it(client):
            client.get("/me")
        """
    )
    assert [log_in.target, look.target] == ["/login", "/me"]


def test_a_fixture_that_several_ask_for_is_set_up_once() -> None:
    calls = calls_of(
        """
        @pytest.fixture
        def logged_in(client):
            return client.post("/login", json={"name": "ann"})

        @pytest.fixture
        def created(client, logged_in):
            client.post("/posts", json={"title": "t"})

        @pytest.mark.usefixtures("created")
        def test_it(client, logged_in):
            client.get("/me", headers={"X-Token": logged_in.json["token"]})
        """
    )
    assert [call.target for call in calls] == ["/login", "/posts", "/me"]
    assert calls[-1].options == {"headers": {"X-Token": Part(0, ("json", "token"))}}


def test_set_up_of_a_test_case_comes_first() -> None:
    register, log_in = calls_of(
        """
        class NotesTest(TestCase):
            def setUp(self):
                self.client = create_app().test_client()
                self.name = "ann"
                self.client.post("/register", data={"name": self.name})

            def log_in(self, name):
                return self.client.post("/login", data={"name": name})

            def test_it(self):
                self.log_in(self.name)
        """
    )
    assert register.options == {"data": {"name": "ann"}}
    assert log_in.target == "/login"


def test_a_loop_over_a_literal_is_followed_for_its_first_items() -> None:
    calls = calls_of(
        """
        def test_it(client):
            for path in ["/a", "/b", "/c", "/d"]:
                with client:
                    if client.get(path):
                        client.delete(path)
        """
    )
    assert [call.target for call in calls] == ["/a", "/a", "/b", "/b", "/c", "/c"]


def test_recursive_functions_and_endless_tests_are_bounded() -> None:
    calls = calls_of(
        """
        def again(client):
            client.get("/a")
            again(client)

        def test_it(client):
            again(client)
            again(client)
            again(client)
            again(client)
        """
    )
    assert len(calls) == 12


def test_a_helper_beside_the_tests_completes_what_they_send() -> None:
    calls = calls_of(
        """
        from base import Case

        class NotesCase(Case):
            def test_it(self):
                self.ask("notes", {"page": 2})
                self.ask("notes", {"user": "bob"}, post=True)
        """,
        base="""
        ROOT = "/rest"

        class Base(TestCase):
            password = "s3cret"

            def setUp(self, version="1.2"):
                self.version = version

        class Case(Base):
            def setUp(self):
                super().setUp()
                self.client.get("/ready")

            def ask(self, name, args={}, post=False):
                if not isinstance(args, dict):
                    raise TypeError
                args.update({"v": self.version}, c="tests")
                if "user" not in args:
                    args["user"] = "ann"
                    args.setdefault("password", self.password)
                self.client.get(f"{ROOT}/{name}", query_string=args)
                if post:
                    self.client.post(f"{ROOT}/{name}", data=dict(args, page=1))
        """,
    )
    known = {"v": "1.2", "c": "tests"}
    ann = {"query_string": {"page": 2, **known, "user": "ann", "password": "s3cret"}}
    assert calls == [
        ExampleCall("GET", "/ready"),
        ExampleCall("GET", "/rest/notes", ann),
        ExampleCall("GET", "/rest/notes", {"query_string": {"user": "bob", **known}}),
        ExampleCall("POST", "/rest/notes", {"data": {"user": "bob", **known, "page": 1}}),
    ]


@pytest.mark.parametrize(
    ("condition", "sent"),
    [
        ("1 == 1", ["/yes"]),
        ("1 != 1", ["/no"]),
        ("name is None", ["/yes"]),
        ("name is not None", ["/no"]),
        ("'a' in ['a', unknown]", ["/yes"]),
        ("'b' in ['a', unknown]", ["/yes", "/no"]),
        ("'b' not in 'abc'", ["/no"]),
        ("name or unknown", ["/yes", "/no"]),
        ("name and unknown", ["/no"]),
        ("not (name or '')", ["/yes"]),
        ("unknown == 1", ["/yes", "/no"]),
    ],
)
def test_known_conditions_choose_a_side(condition: str, sent: list[str]) -> None:
    calls = calls_of(
        f"""
        def test_it(client, unknown):
            name = None
            if {condition}:
                client.get("/yes")
            else:
                client.get("/no")
        """
    )
    assert [call.target for call in calls] == sent


def test_what_was_sent_stays_as_it_was() -> None:
    calls = calls_of(
        """
        def test_it(client):
            tags = ["a"]
            data = {"name": "x", "tags": tags.copy()}
            client.post("/a", json=data)
            tags.append("b")
            tags.extend(["c"])
            data["tags"] = tags
            data.pop("name")
            client.post("/a", json=data)
        """
    )
    assert [call.options["json"] for call in calls] == [
        {"name": "x", "tags": ["a"]},
        {"tags": ["a", "b", "c"]},
    ]


def test_a_file_that_does_not_parse_is_passed_over() -> None:
    assert read_tests({"test_it.py": "def test_it(:\n"}) == []


def test_defaults_of_parameters_by_position_or_by_name_alone_are_known() -> None:
    source = """
        def stock(path="/a", /, *, size, color="red"):
            client.post(path, json={"size": size, "color": color})

        def test_it():
            stock(size=1)
            stock("/b", size=2, color="blue")
    """
    assert calls_of(source) == [
        ExampleCall("POST", "/a", {"json": {"size": 1, "color": "red"}}),
        ExampleCall("POST", "/b", {"json": {"size": 2, "color": "blue"}}),
    ]
