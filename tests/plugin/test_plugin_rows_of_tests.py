"""A row that no endpoint makes is put into its table by the written test, through the model."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")

pytest.importorskip("flask_sqlalchemy")

LIMITS = """
from flask import Flask, jsonify
from flask_sqlalchemy import SQLAlchemy

db = SQLAlchemy()


class Limit(db.Model):
    name = db.Column(db.String(30), primary_key=True)
    share = db.Column(db.Integer, nullable=False)


def create_app(folder):
    app = Flask(__name__)
    app.config["SQLALCHEMY_DATABASE_URI"] = f"sqlite:///{folder}/limits.db"
    db.init_app(app)
    with app.app_context():
        db.create_all()

    @app.get("/limits/<name>")
    def limit(name):
        found = db.session.get(Limit, name)
        if found is None:
            return jsonify(error="no such limit"), 404
        return jsonify(left=100 // found.share)

    return app
"""

CONFTEST = """
import pytest
from limits import create_app


@pytest.fixture
def client(tmp_path):
    return create_app(tmp_path).test_client()
"""


def test_written_tests_add_rows_and_the_fault_says_that_no_endpoint_makes_them(project) -> None:
    project.plugins = ["-p", "pytest_evosearch.plugin"]
    project.write(limits=LIMITS, conftest=CONFTEST)
    result = project.run("--evosearch=250x", "--evosearch-seed=1", subprocess=True, once=True)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*ZeroDivisionError*", "*needs data that no endpoint makes"])
    modules = sorted((project.path / "evosearch").glob("test_*.py"))
    written = "\n".join(module.read_text() for module in modules)
    assert (
        "    from limits import Limit, db\n\n    with client.application.app_context():\n"
        in written
    )
    assert 'db.session.add(Limit(name="limit", share=0))' in written
    assert written.count("db.session.add") == 2  # the fault, and the answer
    alone = project.pytester.runpytest_subprocess("evosearch", "-p", "no:cacheprovider")
    alone.assert_outcomes(passed=2, xfailed=1)


MAPPED = """
from flask import Flask, jsonify
from sqlalchemy import Column, Integer, String, create_engine
from sqlalchemy.orm import declarative_base, sessionmaker

Base = declarative_base()
Session = sessionmaker()


class Limit(Base):
    __tablename__ = "limits"
    name = Column(String(30), primary_key=True)
    share = Column(Integer, nullable=False)


def create_app(folder):
    engine = create_engine(f"sqlite:///{folder}/limits.db")
    Base.metadata.create_all(engine)
    Session.configure(bind=engine)
    app = Flask(__name__)

    @app.get("/limits/<name>")
    def limit(name):
        with Session() as session:
            found = session.get(Limit, name)
            if found is None:
                return jsonify(error="no such limit"), 404
            return jsonify(left=100 // found.share)

    return app
"""

IMPERATIVE = """
from flask import Flask, jsonify
from sqlalchemy import Column, Integer, String, Table, create_engine
from sqlalchemy.orm import Session, registry

mapping = registry()
limits = Table(
    "limits", mapping.metadata,
    Column("id", Integer, primary_key=True), Column("name", String(30)), Column("_share", Integer)
)


class Limit:
    def __init__(self, name, share):
        self.name, self._share = name, share


mapping.map_imperatively(Limit, limits)
engine = None


def create_app(folder):
    global engine
    engine = create_engine(f"sqlite:///{folder}/limits.db")
    mapping.metadata.create_all(engine)
    app = Flask(__name__)

    @app.get("/limits/<name>")
    def limit(name):
        with Session(engine) as session:
            found = session.query(Limit).filter_by(name=name).first()
            if found is None:
                return jsonify(error="no such limit"), 404
            return jsonify(left=100 // found._share)

    return app
"""

PEEWEE = """
from flask import Flask, jsonify
from peewee import CharField, IntegerField, Model, SqliteDatabase

db = SqliteDatabase(None)


class Limit(Model):
    name = CharField(primary_key=True, max_length=30)
    share = IntegerField()

    class Meta:
        database = db


def create_app(folder):
    db.init(f"{folder}/limits.db")
    with db.connection_context():
        db.create_tables([Limit])
    app = Flask(__name__)

    @app.before_request
    def connect():
        db.connect()

    @app.teardown_request
    def close(_error):
        db.close()

    @app.get("/limits/<name>")
    def limit(name):
        found = Limit.get_or_none(Limit.name == name)
        if found is None:
            return jsonify(error="no such limit"), 404
        return jsonify(left=100 // found.share)

    return app
"""

WITHOUT_MODELS = """
import sqlite3

from flask import Flask, current_app, g, jsonify


def get_db():
    if "db" not in g:
        g.db = sqlite3.connect(current_app.config["DATABASE"])
    return g.db


def create_app(folder):
    app = Flask(__name__)
    app.config["DATABASE"] = f"{folder}/limits.db"
    with app.app_context():
        get_db().execute("CREATE TABLE limits (name TEXT PRIMARY KEY, share INTEGER NOT NULL)")
        get_db().close()

    @app.teardown_appcontext
    def close(_error):
        if "db" in g:
            g.pop("db").close()

    @app.get("/limits/<name>")
    def limit(name):
        found = get_db().execute("SELECT share FROM limits WHERE name = ?", (name,)).fetchone()
        if found is None:
            return jsonify(error="no such limit"), 404
        return jsonify(left=100 // found[0])

    return app
"""


@pytest.mark.parametrize(
    ("package", "source", "added"),
    [
        ("sqlalchemy", MAPPED, '        session.add(Limit(name="limit", share=0))'),
        ("sqlalchemy", IMPERATIVE, '        session.add(Limit(name="limit", share=0))'),
        ("peewee", PEEWEE, '        Limit.create(name="limit", share=0)'),
        (
            "sqlglot",
            WITHOUT_MODELS,
            '"INSERT INTO limits (name, share) VALUES (?, ?)",\n            ("limit", 0),\n',
        ),
    ],
    ids=["declarative", "imperative", "peewee", "without models"],
)
def test_rows_are_added_in_the_way_of_the_project(package, source, added, project) -> None:
    pytest.importorskip(package)
    project.plugins = ["-p", "pytest_evosearch.plugin"]
    project.write(limits=source, conftest=CONFTEST)
    result = project.run("--evosearch=250x", "--evosearch-seed=2", subprocess=True, once=True)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*ZeroDivisionError*", "*needs data that no endpoint makes"])
    faults = (project.path / "evosearch" / "test_evosearch_faults.py").read_text()
    assert added in faults
