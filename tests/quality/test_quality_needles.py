"""A seeded search finds each planted needle within a number of evaluations."""

from __future__ import annotations

import importlib
import sqlite3
import sys
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from pytest_evosearch.engine import search_application

NEEDLES = Path(__file__).with_name("needles")
SEEDS = (1, 2, 3)


@dataclass(frozen=True)
class Needle:
    """A module of `needles` and how many evaluations finding its goal may take."""

    module: str
    evaluations: int
    database: bool = False


CASES = (
    Needle("text_constant", 1000),
    Needle("wide_integer", 1000),
    Needle("date_window", 2000),
    Needle("checksum", 3000),
    Needle("lifecycle", 6000),
    Needle("database_value", 2000, database=True),
    Needle("registered_login", 4000),
    Needle("mailed_confirmation", 1000),
    Needle("guarded_forum", 600),
    Needle("forms_once_more", 120),
    Needle("scripted_board", 400),
    Needle("nested_projects", 600),
    Needle("basic_challenge", 600),
    Needle("redirected_paste", 60),
    Needle("misleading_token", 60),
    Needle("uploaded_scan", 300),
    Needle("checked_by_marshmallow", 150),
    Needle("checked_by_pydantic", 150),
    Needle("checked_by_wtforms", 150),
    Needle("checked_by_jsonschema", 150),
    Needle("checked_by_voluptuous", 150),
    Needle("checked_by_cerberus", 150),
    Needle("checked_by_reqparse", 150),
)


def goal_line(module):
    """Find the line that the comment marks."""
    source = (NEEDLES / f"{module}.py").read_text(encoding="utf-8").splitlines()
    marked = [number for number, line in enumerate(source, start=1) if line.endswith("# goal")]
    assert len(marked) == 1
    return marked[0]


def make_database(folder):
    """Make the database that holds a value which the code does not know."""
    path = folder / "vouchers.sqlite"
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE voucher (code TEXT, amount INTEGER)")
        database.execute("INSERT INTO voucher VALUES ('zq7-kestrel-0042', 25)")
    return str(path)


def forget_needles():
    """Make the next search import the applications anew, under its own instrumentation."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "needles"]:
        del sys.modules[name]


@pytest.fixture
def find(tmp_path):
    """Search one needle's application and tell whether its goal was covered."""

    def search(needle, seed):
        arguments = [make_database(tmp_path)] if needle.database else []

        def create_app():
            app = importlib.import_module(f"needles.{needle.module}").create_app(*arguments)
            app.config["TESTING"] = True
            return app

        goal = f"needles/{needle.module}.py:{goal_line(needle.module)}"

        def is_goal(target):
            return target.startswith("line ") and target.endswith(goal)

        forget_needles()
        covered = search_application(
            create_app,
            packages=["needles"],
            evaluations=needle.evaluations,
            seed=seed,
            is_goal=is_goal,
        )
        return any(map(is_goal, covered))

    yield search
    forget_needles()


@pytest.mark.parametrize("needle", CASES, ids=lambda needle: needle.module)
def test_needle_is_found_by_most_seeds(find, needle):
    found: dict[int, bool] = {}
    for seed in SEEDS:
        found[seed] = find(needle, seed)
        if sum(found.values()) > len(SEEDS) / 2:
            return  # most, whatever the others find

    raise AssertionError(found)
