"""Each written fixture is tried before a test is judged by it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_evosearch.write.verification.fixture_trial import TRACEBACKS
from pytest_evosearch.write.verification.fixture_trial import FixtureTrial
from pytest_evosearch.write.verification.plain_run import failures_of_fixtures
from pytest_evosearch.write.verification.plain_run import run_plainly
from pytest_evosearch.write.verification.pytest_process import PytestProcess

CONFTEST = '''\
"""Fixtures."""

import pytest


class Store:
    """What the application holds."""

    def __init__(self):
        self.rows, self.visits = {}, 0

    @property
    def size(self):
        return len(self.rows)


@pytest.fixture(scope="session")
def flask_app():
    """The application."""
    return Store()


@pytest.fixture
def client(flask_app):
    """A test client of the application."""
    return flask_app


@pytest.fixture(autouse=True)
def restored_application(client):
    """Restore what the application keeps in its attributes."""
    from copy import deepcopy

    saved_visits = client.visits
    saved_rows = deepcopy(client.rows)
    yield
    client.visits = saved_visits
    del client.size
    client.rows.clear()
    client.rows.update(saved_rows)


@pytest.fixture
def known_value(client, databases):
    """Give a row a value that tests know."""
    return databases


@pytest.fixture
def nora(client, known_value):
    """A client that gets access."""
    return client


@pytest.fixture
def olaf(client):
    """A client that gets access by a database."""
    with suppress(KeyError):
        client.rows.pop("olaf")
    return client


@pytest.fixture
def petra(client):
    """A client that gets access by a name that is nowhere."""
    return open_door(client)
'''

TEST = """
def test_one(client, olaf):
    assert client.size == 0
    client.rows["a"] = 1


def test_two(client, olaf):
    assert client.size == 0
    client.rows["a"] = 1
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "evosearch"
    made.mkdir()
    (made / "conftest.py").write_text(CONFTEST)
    (made / "test_evosearch_app.py").write_text(TEST)
    return made


def run_of(folder: Path, module: Path) -> list[object]:
    process = PytestProcess(folder.parent, plugins=())
    found = run_plainly(process, [module], 60.0, [TRACEBACKS])
    return list(failures_of_fixtures(found, folder / "conftest.py"))


def test_what_fails_is_repaired_or_left_out_alone_and_told_once(folder: Path) -> None:
    runs = []

    def execute(module: Path):
        runs.append(module)
        return run_of(folder, module)

    trial = FixtureTrial(folder / "conftest.py", "client", execute)
    trial.resolve()
    assert trial.try_each()
    text = (folder / "conftest.py").read_text()

    assert trial.gone.keys() == {"known_value", "nora", "petra"}
    assert "it asks for databases, which is no fixture" in trial.gone["nora"]
    assert "nothing defines open_door (in: return open_door(client))" in trial.gone["petra"]
    assert "del client.size" not in text
    assert "client.rows.update(saved_rows)" in text
    assert "from contextlib import suppress\n" in text
    assert [one.partition(" of the written")[0] for one in trial.notices] == [
        "the fixture petra",
        "the fixture restored_application",
        "the fixture known_value",
    ]
    assert trial.notices[2].endswith("it is left out, with nora, which ask for it")
    assert len(runs) == 5  # two for each failure, and a last one
    assert not (folder / "test__fixtures.py").exists()
    assert run_of(folder, folder / "test_evosearch_app.py") == []


def test_fixtures_that_the_client_needs_stay(folder: Path) -> None:
    broken = CONFTEST.replace("    return Store()", "    raise OSError")
    (folder / "conftest.py").write_text(broken)
    trial = FixtureTrial(folder / "conftest.py", "client", lambda _module: run_of(folder, _module))
    failing = run_of(folder, folder / "test_evosearch_app.py")

    assert failing
    assert not trial.mend(failing)
    assert (folder / "conftest.py").read_text() == broken


def test_nothing_is_run_where_nothing_could_be_left_out(folder: Path) -> None:
    text = CONFTEST.partition("@pytest.fixture(autouse=True)")[0].rstrip("\n") + "\n"
    (folder / "conftest.py").write_text(text)

    def refuse(_module: Path):
        raise AssertionError("it was run")

    trial = FixtureTrial(folder / "conftest.py", "client", refuse)
    trial.resolve()
    assert not trial.try_each()

    assert (folder / "conftest.py").read_text() == text
    assert not trial.notices
