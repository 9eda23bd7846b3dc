from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_evosearch.write.code.literals import Unstable
from pytest_evosearch.write.modules.ledger import LEDGER
from pytest_evosearch.write.modules.ledger import Ledger
from pytest_evosearch.write.modules.ledger import digest
from pytest_evosearch.write.modules.ledger import parse_existing
from pytest_evosearch.write.modules.module_files import read_ledger
from pytest_evosearch.write.modules.module_files import write_ledger
from pytest_evosearch.write.updating.observation import reliable
from pytest_evosearch.write.updating.refresh import closest_text
from pytest_evosearch.write.updating.update import Update
from pytest_evosearch.write.updating.update import update_folder
from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.verification.verdicts import Verdict

CONFTEST = """
import importlib

import pytest
from flask import Flask

@pytest.fixture
def client(request):
    app = Flask(__name__)
    app.testing = True
    answers = importlib.import_module(request.module.__name__.replace("test_evosearch", "answers"))

    @app.get("/<name>")
    def answer(name):
        return answers.ANSWERS[name]()

    return app.test_client()
"""

HEADER = '"""Tests."""\n'


@dataclass(frozen=True)
class Case:
    """A module of tests, and what the application answers it today."""

    answers: str
    source: str


@dataclass(frozen=True)
class Updated:
    """A folder of several modules after one update."""

    folder: Path
    update: Update

    def of(self, case: str) -> tuple[str, Update]:
        """Return the new text of one module, and what came of its tests."""
        file = f"test_evosearch_{case}.py"
        given = vars(self.update)
        own = {
            kind: [one for one in given[kind] if one.startswith(f"{file}::")]
            for kind in ("unchanged", "refreshed", "edited", "failing")
        }
        refused = {one: why for one, why in self.update.refused.items() if one.startswith(file)}
        text = (self.folder / file).read_text().removeprefix(HEADER)
        return text, replace(self.update, refused=refused, **own)


def prepared(root: Path, cases: Mapping[str, Case]) -> Path:
    """Make a folder with a module for each case, of which every test is ours."""
    (root / "conftest.py").write_text(CONFTEST)
    (root / "pytest.ini").write_text("[pytest]\npythonpath = .\n")
    folder = root / "evosearch"
    folder.mkdir(exist_ok=True)
    known = {}
    for name, case in cases.items():
        (root / f"answers_{name}.py").write_text(case.answers)
        path = folder / f"test_evosearch_{name}.py"
        path.write_text(HEADER + case.source)
        tests = parse_existing(path.read_text()).blocks
        known |= {f"{path.name}::{test}": digest(text) for test, text in tests.items()}
    write_ledger(folder / LEDGER, Ledger(known))
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "evosearch"
    folder.mkdir()
    return folder


@pytest.fixture(scope="module")
def updated(tmp_path_factory: pytest.TempPathFactory) -> Updated:
    """Update all of `CASES` at once: an update takes several interpreters."""
    folder = prepared(tmp_path_factory.mktemp("cases"), CASES)
    return Updated(folder, update_folder(folder, PytestProcess(folder.parent), None))


def refreshed(folder: Path, answers: str, source: str, *, write: bool = True) -> tuple[str, Update]:
    """Update one module of which every test is ours; return its new text."""
    prepared(folder.parent, {"app": Case(answers, source)})
    update = update_folder(folder, PytestProcess(folder.parent), None, write=write)
    return Updated(folder, update).of("app")


SHARED = """
import pytest


@pytest.fixture
def found(client):
    found = client.get("/first")
    assert found.status_code == 200
    assert found.text == "old"


@pytest.mark.usefixtures("found")
def test_get_second(client):
    response = client.get("/second")

    assert response.text == "second"


@pytest.mark.usefixtures("found")
def test_get_third(client):
    response = client.get("/third")

    assert response.text == "old"
"""


CASES = {
    "differs": Case(
        answers="import datetime\n"
        "ANSWERS = {'user': lambda: {'id': 2, 'name': 'Ann', 'roles': ['a'],"
        " 'now': datetime.datetime.now().isoformat()}}\n",
        source="""
from unittest.mock import ANY

NAME = {"name": "Ann"}


def test_get_user_returns_200(client):
    response = client.get("/user")

    assert response.status_code == 200
    # A comment that stays.
    assert response.json == {
        **NAME,
        "id": 1,
        "old": None,
        "now": ANY,  # changes with the clock
    }
""",
    ),
    "status": Case(
        answers="ANSWERS = {'gone': lambda: ('Gone for good', 410)}\n",
        source="""

def test_get_gone_returns_404(client):
    response = client.get("/gone")

    assert response.status_code == 404
    assert response.text == "Not here"
""",
    ),
    "shared": Case(
        answers="ANSWERS = {'first': lambda: ('new', 202), 'second': lambda: 'second',"
        " 'third': lambda: 'new'}\n",
        source=SHARED,
    ),
    "rows": Case(
        answers="ANSWERS = {'a': lambda: '<p>First name is missing.</p>',\n"
        "           'b': lambda: '<p>Second</p>'}\n",
        source="""
import pytest


@pytest.mark.parametrize(
    ("name", "message"),
    [("a", "Name is missing."), ("b", "Second")],
    ids=["one", "two"],
)
def test_get(client, name, message):
    response = client.get(f"/{name}")

    assert response.status_code == 200
    assert message in response.text
""",
    ),
    "varies": Case(
        answers="import random, time\n"
        "ANSWERS = {'x': lambda: {'n': random.random(), 'year': time.gmtime().tm_year, 'k': 1}}\n",
        source="""

def test_get_x_returns_200(client):
    response = client.get("/x")

    assert response.status_code == 200
    assert response.json == {"n": 1, "year": 2, "k": 1}
    assert response.json["n"] == 1
""",
    ),
    "mended": Case(
        answers="ANSWERS = {'ok': lambda: 'fine', 'bad': lambda: 1 / 0}\n",
        source="""
import pytest


@pytest.mark.xfail(raises=ZeroDivisionError, strict=True, reason="x.py:1: division by zero")
def test_get_bad_does_not_crash(client):
    response = client.get("/bad")

    assert response.status_code < 500


@pytest.mark.xfail(raises=ZeroDivisionError, strict=True, reason="x.py:2: division by zero")
def test_get_ok_does_not_crash(client):
    response = client.get("/ok")

    assert response.status_code < 500
""",
    ),
    "stuck": Case(
        answers="ANSWERS = {'made': lambda: {'key': 1}}\n",
        source="""

def test_get(client):
    made = client.get("/made")
    assert made.status_code == 200

    response = client.get(f"/{made.json['id']}")
    assert response.status_code == 200
""",
    ),
    "words": Case(
        answers="TEXT = 'Welcome to the short story of it. ' * 90\n"
        "ANSWERS = {'a': lambda: {'text': TEXT}}\n",
        source="\n\ndef test_get(client):\n"
        '    assert "Welcome to the long story of it. And" in client.get("/a").json["text"]\n',
    ),
}


@pytest.mark.slow("runs written tests in fresh interpreters")
def test_only_what_differs_is_written_anew(updated: Updated) -> None:
    source = CASES["differs"].source
    text, update = updated.of("differs")

    assert text == source.replace('"id": 1', '"id": 2').replace(
        '        "old": None,\n', ""
    ).replace("the clock\n", 'the clock\n        "roles": ["a"],\n')
    assert update.refreshed == ["test_evosearch_differs.py::test_get_user_returns_200"]
    assert '-        "id": 1,' in update.diff


@pytest.mark.slow("whole pytest runs of written tests")
def test_status_at_the_end_of_the_name_follows(updated: Updated) -> None:
    text, _ = updated.of("status")

    assert "def test_get_gone_returns_410(client):" in text
    assert "assert response.status_code == 410" in text
    assert 'assert response.text == "Gone for good"' in text
    names = read_ledger(updated.folder / LEDGER).tests or {}
    mine = [name for name in names if name.startswith("test_evosearch_status")]
    assert mine == ["test_evosearch_status.py::test_get_gone_returns_410"]


def test_what_a_shared_fixture_asserts_follows_too(updated: Updated) -> None:
    text, update = updated.of("shared")

    assert text == SHARED.replace('"old"', '"new"').replace("== 200", "== 202")
    assert update.refreshed == [
        "test_evosearch_shared.py::found",
        "test_evosearch_shared.py::test_get_third",
    ]
    assert update.unchanged == ["test_evosearch_shared.py::test_get_second"]
    known = read_ledger(updated.folder / LEDGER)
    blocks = parse_existing(HEADER + text).blocks
    assert all(known.knows("test_evosearch_shared.py", name, one) for name, one in blocks.items())


@pytest.mark.slow("runs written tests in fresh interpreters")
def test_a_shared_fixture_that_was_edited_stays(folder: Path) -> None:
    answers = "ANSWERS = dict.fromkeys(('first', 'second', 'third'), lambda: 'new')\n"
    refreshed(folder, answers, SHARED, write=False)
    path = folder / "test_evosearch_app.py"
    path.write_text(path.read_text().replace("== 200", "in (200, 201)"))

    update_folder(folder, PytestProcess(folder.parent), None)

    assert 'found.text == "old"' in path.read_text()
    assert 'response.text == "new"' in path.read_text()


def test_rows_of_a_table_change_one_by_one(updated: Updated) -> None:
    source = CASES["rows"].source
    text, _ = updated.of("rows")

    assert text == source.replace('"Name is missing."', '"First name is missing."')


def test_value_that_changes_from_run_to_run_is_asserted_no_more(updated: Updated) -> None:
    text, _ = updated.of("varies")

    assert text.startswith("\nfrom unittest.mock import ANY\n\n\ndef test_get_x")
    assert '"year": ANY,  # changes with the clock' in text
    assert '"n": ANY,  # changes' in text
    assert '"k": 1,' in text
    assert 'response.json["n"]' not in text


def test_mended_fault_loses_its_mark(updated: Updated) -> None:
    text, update = updated.of("mended")

    assert text.count("xfail") == 1
    assert "\n\n\ndef test_get_ok" in text
    assert update.unchanged == ["test_evosearch_mended.py::test_get_bad_does_not_crash"]


def test_test_that_cannot_run_is_left_alone(updated: Updated) -> None:
    source = CASES["stuck"].source
    text, update = updated.of("stuck")

    assert text == source
    assert list(update.refused.values()) == ["it ends with KeyError: 'id'"]


def test_edited_test_is_left_alone(folder: Path) -> None:
    source = '\n\ndef test_get(client):\n    assert client.get("/a").text == "b"\n'
    refreshed(folder, "ANSWERS = {'a': lambda: 'b'}\n", source)
    path = folder / "test_evosearch_app.py"
    path.write_text(path.read_text() + "    # mine\n    assert 1 == 1\n")
    (folder.parent / "answers_app.py").write_text("ANSWERS = {'a': lambda: 'c'}\n")

    update = update_folder(folder, PytestProcess(folder.parent), None)

    assert update.edited == ["test_evosearch_app.py::test_get"]
    assert 'text == "b"' in path.read_text()


@pytest.mark.slow("runs written tests in fresh interpreters")
def test_plan_writes_nothing(folder: Path) -> None:
    source = '\n\ndef test_get(client):\n    assert client.get("/a").text == "b"\n'
    text, update = refreshed(folder, "ANSWERS = {'a': lambda: 'c'}\n", source, write=False)

    assert text == source
    assert '+    assert client.get("/a").text == "c"' in update.diff


def test_words_of_a_long_text_in_json_become_those_of_today(updated: Updated) -> None:
    text, update = updated.of("words")

    assert '"Welcome to the short story of it. Welcome to the short story"' in text
    assert 'client.get("/a").json["text"]' in text
    assert not update.failing


def test_closest_text_must_be_alike() -> None:
    page = "<p>A title is required.</p><p>Home</p>"

    assert closest_text("Title is required.", [page]) == "A title is required."
    assert closest_text("No such user", [page]) is None


def test_unstable_parts_keep_their_reason() -> None:
    first = {"a": 1, "b": [1, 2], "c": 3}
    others = [("changes with the clock", {"a": 2, "b": [1, 2], "c": 3})]

    assert reliable(first, others) == {
        "a": Unstable("changes with the clock"),
        "b": [1, 2],
        "c": 3,
    }
    assert reliable(first, [("x", {"a": 1})]) == Unstable("x")


UPPER = "ANSWERS = {'name': lambda: {'name': 'Bob'}}\n"

OLD_NAME = """

def test_get_name_returns_200(client):
    response = client.get("/name")

    assert response.json == {"name": "Ann"}
"""


def prepared_update(folder: Path) -> Path:
    """Write a test whose answer has changed; return its module."""
    prepared(folder.parent, {"app": Case(UPPER, OLD_NAME)})
    return folder / "test_evosearch_app.py"


@pytest.mark.slow("runs written tests in fresh interpreters")
def test_nothing_stands_in_its_place_before_it_is_verified(folder: Path) -> None:
    path = prepared_update(folder)
    before = path.read_bytes()

    def verify(place: Path, _tests: int) -> Verdict:
        assert place != folder
        assert b"Bob" in (place / path.name).read_bytes()
        assert path.read_bytes() == before
        return Verdict()

    update_folder(folder, PytestProcess(folder.parent), verify)
    assert b"Bob" in path.read_bytes()
    assert [one.name for one in folder.parent.iterdir() if "unverified" in one.name] == []


@pytest.mark.slow("runs written tests in fresh interpreters")
def test_an_update_that_is_interrupted_changes_nothing(folder: Path) -> None:
    path = prepared_update(folder)
    before = {one: one.read_bytes() for one in folder.iterdir() if one.is_file()}

    def interrupt(_place: Path, _tests: int) -> Verdict:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        update_folder(folder, PytestProcess(folder.parent), interrupt)
    assert {one: one.read_bytes() for one in folder.iterdir() if one.is_file()} == before
    assert path in before
    assert [one.name for one in folder.parent.iterdir() if "unverified" in one.name] == []


@pytest.mark.slow("runs written tests in fresh interpreters")
def test_what_is_edited_meanwhile_is_left_as_it_is(folder: Path) -> None:
    path = prepared_update(folder)

    def edit(_place: Path, _tests: int) -> Verdict:
        path.write_text(f"{path.read_text()}\n\n# mine\n")
        return Verdict()

    update = update_folder(folder, PytestProcess(folder.parent), edit)
    assert path.read_text().endswith("# mine\n")
    assert "test_evosearch_app.py" in update.notice
