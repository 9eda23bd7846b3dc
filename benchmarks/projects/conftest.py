"""Copied into every project of this folder: one application for all tests, reset before each."""

from __future__ import annotations

import application
import pytest


@pytest.fixture(scope="session")
def app():
    """The application, created once: that takes seconds for some."""
    app = application.create_app()
    app.config["TESTING"] = True
    return app


@pytest.fixture
def client(app):
    """A client on the first state."""
    application.reset(app)
    return app.test_client()


@pytest.fixture
def evosearch_users():
    """Who may send requests."""
    return application.users()


@pytest.hookimpl(optionalhook=True)
def pytest_evosearch_reset(app):
    """Bring back the state that is in files."""
    application.reset(app)
