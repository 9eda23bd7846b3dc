from __future__ import annotations

from contextlib import suppress
from types import SimpleNamespace

import pytest
from flask import Flask
from flask import request

from pytest_evosearch.sut.documents.validators.catching import ValidatorWatch
from pytest_evosearch.sut.watching.observe import ReadRecorder


@pytest.fixture
def watching():
    """Serve `view` at /, under the eyes of a watch; its own errors are kept."""

    def serve(view, requests=({"json": {}},), method="POST"):
        app = Flask("validating")
        app.secret_key = "secret"
        seen = SimpleNamespace(watch=ValidatorWatch(), taken=(), errors=[], results=[])

        @app.route("/", methods=[method])
        def handle():
            try:
                seen.results.append(view())
            except Exception as error:
                seen.errors.append(error)
            return ""

        with ReadRecorder(app) as reads, seen.watch.installed():
            for arguments in requests:
                reads.begin()
                seen.watch.begin(f"{method} /")
                app.test_client().open("/", method=method, **arguments)
                seen.taken = seen.watch.take()
        return seen

    return serve


@pytest.fixture
def schema_of(watching):
    """Return the one JSON schema that is caught when `validate` gets an empty body."""

    def catch(validate):
        def view():
            with suppress(Exception):
                validate(request.get_json())

        seen = watching(view)
        assert seen.watch.notices == []
        (caught,) = seen.taken
        assert (caught.location, caught.path) == ("json", ())
        return caught.schema

    return catch


@pytest.fixture
def app_with():
    """Serve a view under a watch until the end of the test."""
    entered = []

    def serve(view):
        app = Flask("validating")
        app.add_url_rule("/", "view", view, methods=["POST"])
        watch = ValidatorWatch()
        context = watch.installed()
        context.__enter__()
        entered.append(context)
        return app.test_client(), watch

    yield serve
    for context in entered:
        context.__exit__(None, None, None)
