"""A search on a server, and the tests that it writes: alone, shuffled, twice."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest
from database_servers import Server
from database_servers import content
from database_servers import execute
from database_servers import mariadb
from database_servers import postgresql

pytestmark = pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")

__all__ = ["mariadb", "postgresql"]

HERE = Path(__file__).parent
LOADED = {
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    "PYTEST_PLUGINS": "xdist.plugin,pytest_evosearch.plugin",
    "PYTHONPATH": os.pathsep.join(map(str, (HERE / "unmeasured", HERE.parents[1]))),
}
"""All other plugins that are installed, and coverage.py, are most of what an interpreter costs."""

APPLICATION = """
import os
from flask import Flask, jsonify, request
from flask_sqlalchemy import SQLAlchemy

db = SQLAlchemy()

class Item(db.Model):
    id = db.Column(db.Integer, primary_key=True)
    name = db.Column(db.String(20), unique=True)

def create_app():
    app = Flask(__name__)
    app.config["SQLALCHEMY_DATABASE_URI"] = os.environ["DATABASE_URL"]
    db.init_app(app)

    @app.post("/items")
    def add():
        item = Item(name=str(request.args.get("name", "new"))[:20])
        if Item.query.filter_by(name=item.name).first():
            return jsonify(error="taken"), 409
        db.session.add(item)
        db.session.commit()
        return jsonify(id=item.id), 201

    @app.delete("/items/<int:id>")
    def remove(id):
        item = db.session.get(Item, id)
        if item is None:
            return jsonify(error="missing"), 404
        db.session.delete(item)
        db.session.commit()
        return "", 204

    @app.post("/reset")
    def reset():
        db.drop_all()
        db.create_all()
        return "", 204

    return app
"""

FIXTURES = {
    "tables of a session": """
import pytest
from shop import create_app, db

@pytest.fixture(scope="session")
def app():
    app = create_app()
    with app.app_context():
        db.create_all()
        db.session.execute(db.text("INSERT INTO found VALUES ('by a fixture')"))
        db.session.commit()
        db.session.remove()
    yield app
    with app.app_context():
        db.drop_all()
        db.session.remove()
        db.engine.dispose()

@pytest.fixture
def client(app):
    return app.test_client()
""",
    "tables of a function": """
import pytest
from shop import create_app, db

@pytest.fixture
def client():
    app = create_app()
    with app.app_context():
        db.create_all()
    yield app.test_client()
    with app.app_context():
        db.session.remove()
        db.drop_all()
        db.engine.dispose()
""",
    "emptied at the end": """
import pytest
from sqlalchemy import delete
from shop import Item, create_app, db

@pytest.fixture(scope="session")
def app():
    app = create_app()
    with app.app_context():
        db.create_all()
    return app

@pytest.fixture
def client(app):
    yield app.test_client()
    with app.app_context():
        db.session.execute(delete(Item))
        db.session.commit()
""",
    "none": "",
}

DRIVERS = {"postgresql": ["psycopg2", "psycopg"], "mariadb": ["pymysql", "mysql.connector"]}
WHOLE = [
    (name, driver, style)
    for name, drivers in DRIVERS.items()
    for driver in drivers
    for style in FIXTURES
]
SAMPLE = [("postgresql", "psycopg2", "tables of a session"), ("mariadb", "pymysql", "none")]
MATRIX = WHOLE if "EVOSEARCH_STATES" in os.environ else SAMPLE


@pytest.mark.parametrize(("name", "driver", "style"), MATRIX)
def test_written_tests_hold_alone_shuffled_and_twice(
    name: str,
    driver: str,
    style: str,
    request: pytest.FixtureRequest,
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("flask_sqlalchemy")
    pytest.importorskip(driver)
    server: Server = request.getfixturevalue(name)
    database = server.fresh_database()
    monkeypatch.setenv("DATABASE_URL", server.url(driver, database))
    for variable, value in LOADED.items():
        monkeypatch.setenv(variable, value)
    plain = "psycopg2" if name == "postgresql" else "pymysql"
    with closing(server.connect(plain, database)) as before:
        execute(before, "CREATE TABLE found (name varchar(20))")
        before.commit()
    pytester.makepyfile(shop=APPLICATION)
    arguments = ["--evosearch-app=shop:create_app"]
    if style != "none":
        pytester.makeconftest(FIXTURES[style])
        pytester.makepyfile("def test_one(client):\n    assert client.post('/items').json")
        arguments = []
    searched = pytester.runpytest_subprocess(
        "-p", "no:randomly", "--evosearch=60x", "--evosearch-seed=1", *arguments
    )
    assert searched.ret == 0, searched.stdout.str()
    assert "state did not come back" not in searched.stdout.str()
    with closing(server.connect(plain, database)) as after:
        assert execute(after, "SELECT * FROM found") == []
    for order in ("-p no:randomly", "-p randomly -p no:cacheprovider", "-p no:randomly"):
        ran = pytester.runpytest_subprocess("-q", *order.split(), "evosearch")
        outcomes = ran.parseoutcomes()
        assert outcomes["passed"] > 2, ran.stdout.str()
        assert "failed" not in outcomes
        assert "error" not in outcomes
    with_nothing_left = server.connect(plain, database)
    execute(with_nothing_left, "DROP TABLE found")
    if style in ("none", "tables of a session", "tables of a function"):
        assert content(with_nothing_left, server.kind).keys() == {"sequences"}
    with_nothing_left.close()
