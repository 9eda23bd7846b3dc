"""Application factory and Flask-SQLAlchemy: a fresh in-memory SQLite database for every test."""

import pytest
from shop import Config
from shop import create_app
from shop import db


class TestConfig(Config):
    __test__ = False  # not a test class
    TESTING = True
    SQLALCHEMY_DATABASE_URI = "sqlite://"


@pytest.fixture
def app():
    app = create_app(TestConfig)
    with app.app_context():
        db.create_all()
    yield app  # no context is left pushed: every request gets its own ``g``
    with app.app_context():
        db.drop_all()
        db.engine.dispose()


@pytest.fixture
def client(app):
    return app.test_client()
