from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from flask import Flask
from flask import abort
from jinja2 import Environment
from jinja2 import FileSystemLoader

from pytest_evosearch.core.own_time import OwnTime
from pytest_evosearch.execution.crash import MAXIMUM_MESSAGE
from pytest_evosearch.execution.crash import NO_FILE
from pytest_evosearch.execution.crash import describe_abort
from pytest_evosearch.execution.crash import describe_crash
from pytest_evosearch.execution.guard import TimeLimit
from pytest_evosearch.execution.guard import TimeLimitExceeded
from pytest_evosearch.execution.transport import client_arguments
from pytest_evosearch.execution.transport import path_of
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Upload


def test_path_values_are_percent_encoded_whole() -> None:
    request = Request("GET", "/a/{x}/{y}", path={"x": "b/c d?", "y": 7})
    assert path_of(request) == "/a/b%2Fc%20d%3F/7"


def test_query_keeps_order_and_repeats() -> None:
    request = Request("GET", "/", query=(("b", "1"), ("a", "x y"), ("b", 2)))
    assert client_arguments(request, [])["query_string"] == "b=1&a=x+y&b=2"


def test_form_and_files_share_one_body() -> None:
    upload = Upload("a.txt", b"hi", "text/plain")
    request = Request("POST", "/", form=(("n", 1), ("n", 2)), files=(("f", upload),))
    data = client_arguments(request, [])["data"]
    assert data["n"] == ["1", "2"]
    stream, name, kind = data["f"][0]
    assert (stream.read(), name, kind) == (b"hi", "a.txt", "text/plain")


def test_json_null_is_still_a_body() -> None:
    assert client_arguments(Request("POST", "/", has_json=True), []) == {
        "method": "POST",
        "path": "/",
        "json": None,
    }


def test_headers_of_the_user_come_first() -> None:
    request = Request("GET", "/", headers=(("X-B", "2"),))
    assert client_arguments(request, [("X-A", "1")])["headers"] == [("X-A", "1"), ("X-B", "2")]


def crash_of(function: object) -> BaseException:
    try:
        function()  # type: ignore[operator]
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")


def test_crash_is_located_at_the_innermost_application_frame() -> None:
    def handler() -> None:
        raise ValueError("x" * 1000)

    error = crash_of(handler)
    crash = describe_crash(error, lambda name: "here.py" if name == __file__ else None)
    assert (crash.type_name, crash.module, crash.path) == ("ValueError", "builtins", "here.py")
    assert crash.function == "handler"
    assert crash.position == f"here.py:{crash.line}"
    assert len(crash.message) == MAXIMUM_MESSAGE
    assert "ValueError" in crash.traceback


def test_crash_in_a_library_is_told_by_its_function() -> None:
    def view() -> object:
        return Environment().from_string("{{ 1 }}").render(1)

    def own() -> None:
        Environment().from_string("{{ fail() }}").render(fail=lambda: 1 / 0)

    def source_name(name: str) -> str | None:
        return "here.py" if name == __file__ else None

    assert describe_crash(crash_of(view), source_name).raised_in == (
        "jinja2.environment Template.render"
    )
    assert describe_crash(crash_of(own), source_name).raised_in == ""


def test_a_template_is_where_its_own_expression_fails(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<p>\n{{ user.name.first }}\n</p>")
    environment = Environment(loader=FileSystemLoader(tmp_path))

    crash = describe_crash(
        crash_of(environment.get_template("page.html").render),
        lambda name: Path(name).name if name.startswith(str(tmp_path)) else None,
    )

    assert (crash.position, crash.function) == ("page.html:2", "page.html")


def test_a_file_that_a_template_misses_is_missed_by_every_view(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("{{ read() }}")
    page = Environment(loader=FileSystemLoader(tmp_path)).get_template("page.html")

    def read() -> str:
        return (tmp_path / "missing.css").read_text()

    def view() -> None:
        page.render(read=read)

    def source_name(name: str) -> str | None:
        return Path(name).name if name.startswith(str(tmp_path)) or name == here else None

    here = ""
    ways = [describe_crash(crash_of(view), source_name).way]
    ways.append(describe_crash(crash_of(lambda: view()), source_name).way)
    here = __file__  # the innermost frame is code now: each function that leads there counts
    ways.append(describe_crash(crash_of(view), source_name).way)
    assert ways[:2] == [(NO_FILE,), (NO_FILE,)]
    assert ways[2][-1].endswith("read")


class View:
    def get(self) -> None:
        for _again in range(2):
            self.helper(3)

    def helper(self, depth: int) -> None:
        if not depth:
            raise KeyError("x")
        self.helper(depth - 1)


def test_crash_tells_each_function_once_that_led_there() -> None:
    crash = describe_crash(
        crash_of(View().get), lambda name: "here.py" if name == __file__ else None
    )
    # crash_of is no part of an application, but stands in the same file.
    assert crash.way[1:] == ("here.py View.get", "here.py View.helper")
    assert crash.function == "helper"


@pytest.mark.parametrize(
    ("failing", "way"),
    [
        (lambda: uuid.UUID("x"), ("uuid UUID.__init__",)),
        (lambda: json.dumps(object()), ()),
        (lambda: Flask(__name__).make_response(None), ()),
    ],
    ids=["a library of views", "what a view gave back as JSON", "what a view gave back"],
)
def test_crash_without_a_line_of_the_application_has_the_function_of_a_library(
    failing: Callable[[], object], way: tuple[str, ...]
) -> None:
    crash = describe_crash(crash_of(failing), lambda _name: None)

    assert (crash.way, crash.position) == (way, "unknown")


class Passing(Flask):
    def make_response(self, rv: object) -> object:
        return super().make_response(rv)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", [Flask, Passing], ids=["Flask", "a class upon it"])
def test_a_crash_stands_where_the_handler_is_and_not_at_a_middleware_around_it(kind) -> None:
    app = kind("wrapped")
    app.testing = True
    inner = app.wsgi_app

    def middleware(environ, start_response):
        if environ["PATH_INFO"] == "/outside":
            return 1 / 0
        return inner(environ, start_response)

    app.wsgi_app = middleware
    app.add_url_rule("/given-back", "given", lambda: {"tags": {1}})
    app.add_url_rule("/raised", "raised", lambda: 1 / 0)
    client = app.test_client()

    def place_of(path: str) -> tuple[str, str]:
        crash = describe_crash(
            crash_of(lambda: client.get(path)), lambda name: "here.py" if name == __file__ else None
        )
        return crash.path, crash.function

    assert place_of("/given-back") == ("", "")
    assert place_of("/raised") == ("here.py", "<lambda>")
    assert place_of("/outside") == ("here.py", "middleware")


def refused() -> None:
    raise ConnectionRefusedError(111, "Connection refused")


def wrapped() -> None:
    try:
        refused()
    except OSError:
        raise RuntimeError("no broker")  # noqa: B904 - as drivers do


def told_by_a_driver() -> None:
    raise RuntimeError('connection to server at "localhost", port 5432 failed: Connection refused')


def without_credentials() -> None:
    raise RuntimeError("Unable to locate credentials")


@pytest.mark.parametrize(
    ("failing", "unreachable"),
    [
        (refused, True),
        (wrapped, True),
        (told_by_a_driver, True),
        (without_credentials, True),
        (lambda: 1 / 0, False),
    ],
)
def test_crash_behind_which_a_refused_connection_lies_is_marked(
    failing: Callable[[], object], unreachable: bool
) -> None:
    assert describe_crash(crash_of(failing), lambda _name: None).unreachable is unreachable


def test_crash_outside_the_application_has_no_position() -> None:
    crash = describe_crash(crash_of(lambda: 1 / 0), lambda _name: None)
    assert crash.position == "unknown"


def test_an_exception_whose_text_raises_is_still_described() -> None:
    class Rude(Exception):
        def __str__(self) -> str:
            raise KeyError("no")

    def handler() -> None:
        raise Rude

    assert "unavailable" in describe_crash(crash_of(handler), lambda _name: None).message


def test_time_limit_reaches_into_a_sleeping_call() -> None:
    limit = TimeLimit(0.05)
    limit.install()
    try:
        started = time.monotonic()
        with pytest.raises(TimeLimitExceeded), limit.limited():
            time.sleep(5)
        assert time.monotonic() - started < 2
    finally:
        limit.uninstall()


def test_time_limit_asks_again_when_it_is_swallowed() -> None:
    def stubborn() -> None:
        try:
            time.sleep(5)
        except BaseException:
            time.sleep(5)

    limit = TimeLimit(0.05)
    limit.install()
    try:
        with pytest.raises(TimeLimitExceeded), limit.limited():
            stubborn()
    finally:
        limit.uninstall()


def test_time_that_our_own_code_takes_is_no_time_of_the_call() -> None:
    own = OwnTime()
    limit = TimeLimit(0.2, [own])
    limit.install()
    try:
        with limit.limited():
            with own.counted():
                time.sleep(0.6)
            time.sleep(0.02)
        with pytest.raises(TimeLimitExceeded), limit.limited():
            time.sleep(5)
    finally:
        limit.uninstall()


def test_time_limit_without_installation_does_nothing() -> None:
    with TimeLimit(0.0001).limited():
        time.sleep(0.001)


@pytest.mark.parametrize(
    ("arguments", "message"), [(("no database",), "no database"), ((), "")], ids=["said", "usual"]
)
def test_an_abort_is_known_by_its_line_and_its_own_words(
    arguments: tuple[str, ...], message: str
) -> None:
    error = crash_of(lambda: abort(503, *arguments))
    crash = describe_abort(error, lambda name: "here.py" if name == __file__ else None)

    assert (crash.path, crash.message) == ("here.py", message)
