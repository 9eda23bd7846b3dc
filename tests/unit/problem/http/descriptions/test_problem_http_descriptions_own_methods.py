from __future__ import annotations

import functools

import flask
import pytest
from flask.views import MethodView
from flask.views import View

from pytest_evosearch.problem.http.descriptions.own_methods import methods_to_search


def methods_at(app: flask.Flask, path: str) -> list[str]:
    (rule,) = (rule for rule in app.url_map.iter_rules() if rule.rule == path)
    return methods_to_search(rule, app.view_functions[rule.endpoint])


@pytest.fixture
def app() -> flask.Flask:
    return flask.Flask(__name__)


def test_what_flask_adds_is_not_searched(app):
    app.add_url_rule("/a", view_func=lambda: "", methods=["GET", "POST"])
    assert methods_at(app, "/a") == ["GET", "POST"]


def test_methods_of_a_class_are_searched(app):
    class Polls(MethodView):
        def get(self):
            return ""

        def head(self):
            return ""

        def options(self):
            return ""

    app.add_url_rule("/a", view_func=Polls.as_view("polls"))
    assert methods_at(app, "/a") == ["GET", "HEAD", "OPTIONS"]


def test_head_that_the_class_of_a_library_answers_by_get_is_not_searched(app):
    """Each `MethodView` names HEAD in its ``dispatch_request``, which is Flask's."""

    class Polls(MethodView):
        def get(self):
            return ""

    app.add_url_rule("/a", view_func=Polls.as_view("polls"))
    assert methods_at(app, "/a") == ["GET"]


def test_what_a_rule_asks_for_is_searched(app):
    app.add_url_rule("/a", view_func=lambda: "", methods=["GET", "OPTIONS", "TRACE", "PURGE"])
    assert methods_at(app, "/a") == ["GET", "OPTIONS", "PURGE", "TRACE"]


def test_head_without_get_is_searched(app):
    app.add_url_rule("/a", "a", lambda: "", methods=["HEAD", "POST"])
    assert methods_at(app, "/a") == ["POST", "HEAD"]


def test_head_beside_get_is_searched_where_the_view_looks_for_it(app):
    def passed_on(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return function(*args, **kwargs)

        return wrapper

    @app.get("/a")
    @passed_on
    def show():
        return "" if flask.request.method in ("HEAD", "X") else "text"

    class Page(View):
        def dispatch_request(self):
            return "" if flask.request.method == "HEAD" else "text"

    app.add_url_rule("/b", view_func=Page.as_view("page"))
    assert methods_at(app, "/a") == ["GET", "HEAD"]
    assert methods_at(app, "/b") == ["GET", "HEAD"]


def test_only_what_flask_adds_is_kept_where_there_is_nothing_else(app):
    app.add_url_rule("/a", "a", lambda: "", methods=["OPTIONS"])
    assert methods_at(app, "/a") == ["OPTIONS"]
