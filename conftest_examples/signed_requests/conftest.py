"""Requests whose signature depends on the time: the project's own client signs them.

A written test sends literals, and a signature of today is worth nothing tomorrow.  So this is no
work for the hook ``pytest_evosearch_request``: the search and the written tests both use the
``client`` fixture, which signs at the moment of sending.
"""

from time import time

import pytest
from flask.testing import FlaskClient
from vault import create_app
from vault import signature
from werkzeug.datastructures import Headers

KEY = "a key for tests"


class SigningClient(FlaskClient):
    def open(self, *args, **kwargs):
        moment = str(int(time()))
        headers = Headers(kwargs.pop("headers", None))
        headers.setdefault("X-Sent-At", moment)
        headers.setdefault("X-Signature", signature(KEY, moment))
        return super().open(*args, headers=headers, **kwargs)


@pytest.fixture
def app():
    app = create_app(KEY)
    app.testing = True
    app.test_client_class = SigningClient
    return app


@pytest.fixture
def client(app):
    return app.test_client()
