"""A row that no endpoint makes is put into its table by the written test, through the model."""

from __future__ import annotations

import pytest

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
    result = project.run("--evosearch=250x", "--evosearch-seed=1", subprocess=True)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*ZeroDivisionError*", "*needs data that no endpoint makes"])
    modules = sorted((project.path / "evosearch").glob("test_*.py"))
    written = "\n".join(module.read_text() for module in modules)
    assert (
        "    from limits import Limit, db\n\n    with client.application.app_context():\n"
        in written
    )
    assert 'db.session.add(Limit(name="a", share=0))' in written
    assert written.count("db.session.add") == 2  # the fault, and the answer
    alone = project.pytester.runpytest_subprocess("evosearch", "-p", "no:cacheprovider")
    alone.assert_outcomes(passed=2, xfailed=1)
