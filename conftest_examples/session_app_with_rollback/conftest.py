"""Expensive set-up once per session; every test runs in a transaction that is rolled back.

Works for PostgreSQL, MySQL and SQLite.
"""

import pytest
from ledger import Config
from ledger import create_app
from ledger import db as _db
from sqlalchemy import event


class TestConfig(Config):
    __test__ = False  # not a test class
    TESTING = True
    SQLALCHEMY_DATABASE_URI = "sqlite://"  # or postgresql+psycopg://localhost/ledger_test


@pytest.fixture(scope="session")
def app():
    app = create_app(TestConfig)
    with app.app_context():
        engine = _db.engine
        if engine.dialect.name == "sqlite":  # let SQLAlchemy, not sqlite3, start transactions
            event.listen(engine, "connect", lambda raw, _: setattr(raw, "isolation_level", None))
            event.listen(engine, "begin", lambda opened: opened.exec_driver_sql("BEGIN"))
            engine.dispose()
        _db.create_all()  # or: flask_migrate.upgrade()
    yield app
    with app.app_context():
        _db.engine.dispose()


@pytest.fixture(autouse=True)
def db(app):
    with app.app_context():
        engines = _db.engines
    originals, opened = dict(engines), []
    for key, engine in originals.items():
        connection = engine.connect()
        opened.append((connection, connection.begin()))
        engines[key] = connection
    _db.session.session_factory.configure(join_transaction_mode="create_savepoint")
    yield _db
    with app.app_context():
        _db.session.remove()
    for connection, transaction in opened:
        transaction.rollback()
        connection.close()
    engines.update(originals)


@pytest.fixture
def client(app):
    return app.test_client()
