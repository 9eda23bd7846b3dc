from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from unittest.mock import ANY

import pytest

from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.sut.handle import Support
from pytest_evosearch.write.brief import Brief
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.suite import write_suite
from pytest_evosearch.write.verification.circumstances import ALL
from pytest_evosearch.write.verification.circumstances import PLAIN
from pytest_evosearch.write.verification.circumstances import STRICT
from pytest_evosearch.write.verification.circumstances import TOGETHER
from pytest_evosearch.write.verification.circumstances import Circumstances
from pytest_evosearch.write.verification.locking import with_lock
from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.verification.repair import differences
from pytest_evosearch.write.verification.verdicts import Verdict
from pytest_evosearch.write.verification.verify import FreshInterpreters
from pytest_evosearch.write.written_suite import WrittenSuite

APP = '''
import os
import time
import warnings
from pathlib import Path

from flask import Flask

app = Flask(__name__)
mappers = []


def meet(place, seconds):
    """Under pytest-xdist, wait at a process's first coming until another one is there too.

    Whether two requests overlap must not depend on how busy the machine is.
    """
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    here = Path(f"{run}-{place}-{os.getpid()}")
    if run is None or here.exists():
        return
    here.touch()
    end = time.monotonic() + seconds
    while len(list(Path().glob(f"{run}-{place}-*"))) < 2 and time.monotonic() < end:
        time.sleep(0.01)


@app.get("/zone")
def zone():
    return {"zone": time.strftime("%Z"), "name": "x", "keys": sorted({"a", "b"})}


@app.get("/leak")
def leak():
    for _ in range(2):
        open(__file__)
    return {"leaked": True}


@app.get("/old")
def old():
    warnings.warn("old", DeprecationWarning, stacklevel=2)
    return {"old": True}


@app.get("/older")
def older():
    warnings.warn("old", DeprecationWarning, stacklevel=2)
    warnings.warn("older", FutureWarning, stacklevel=2)
    return {"older": True}


@app.get("/stores")
@app.get("/mapped")
def mapped():
    if not mappers:
        mappers.append("half configured")
        warnings.warn("a relationship", UserWarning, stacklevel=2)
        mappers[:] = ["configured"]
    if mappers != ["configured"]:
        raise ValueError(f"mappers are {mappers[0]}")
    return {"mapped": True}


@app.get("/shared")
def shared():
    path = Path("shared.txt")
    with path.open("a") as file:  # added at once: two that read and wrote could both leave one x
        file.write("x")
    # Long enough for a busy machine; behind the lock the other one cannot come at all.
    has_lock = any(Path().glob("*evosearch*/conftest.py"))
    meet("request", 2.0 if has_lock else 20.0)
    return {"length": len(path.read_text())}
'''

CONFTEST = """
from pathlib import Path

import pytest
from shop import app, meet


def pytest_runtest_setup(item):
    if len(item.session.items) > 3:  # pytest-xdist gives each process at least two
        meet("test", 20.0)


@pytest.fixture
def client():
    yield app.test_client()
    Path("shared.txt").unlink(missing_ok=True)
"""


def answer(path: str, value: str) -> Specimen:
    response = Response(200, (("Content-Type", "application/json"),), value.encode())
    return Specimen((Exchange(Request("GET", path), response),))


ZONE = answer("/zone", '{"zone": "UTC", "name": "x", "keys": ["a", "b"]}')
OLD = answer("/old", '{"old": true}')
OLDER = answer("/older", '{"older": true}')
STORES = answer("/stores", '{"mapped": true}')
LEAKING = answer("/leak", '{"leaked": true}')
SHARED = answer("/shared", '{"length": 1}')


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TZ", "UTC")
    (tmp_path / "shop.py").write_text(APP)
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = .\naddopts = -p no:randomly\n")
    return tmp_path


def write(project: Path, *specimens: Specimen, ways: Sequence[Circumstances] = ALL) -> WrittenSuite:
    return write_suite(
        specimens,
        Brief(support=Support(), folder=project / "evosearch", root=project),
        FreshInterpreters(PytestProcess(project), ways),
    )


def source(project: Path, name: str) -> str:
    return (project / "evosearch" / name).read_text()


@pytest.mark.slow("whole pytest runs of written tests")
def test_only_what_differs_is_left_out_and_warnings_are_let_through(project: Path) -> None:
    suite = write(project, ZONE, OLD)

    text = source(project, "test_evosearch_app.py")
    assert '"zone": ANY,  # changes between runs' in text
    assert '"name": "x",' in text
    assert '@pytest.mark.filterwarnings("ignore::DeprecationWarning")\ndef test_get_old' in text
    assert suite.dropped == []
    assert suite.unverified == []


def test_one_warning_after_the_other_is_let_through(project: Path) -> None:
    suite = write(project, OLDER, ways=(PLAIN, STRICT))

    assert suite.dropped == []
    text = source(project, "test_evosearch_older.py")
    assert '@pytest.mark.filterwarnings("ignore::DeprecationWarning")' in text
    assert '@pytest.mark.filterwarnings("ignore::FutureWarning")' in text
    assert '.json == {"older": True}' in text


@pytest.mark.slow("whole pytest runs of written tests")
@pytest.mark.usefixtures("with_xdist")
def test_what_a_warning_breaks_for_later_tests_costs_none_of_them(project: Path) -> None:
    suite = write(project, answer("/mapped", '{"mapped": true}'), STORES)

    assert suite.dropped == []
    assert suite.tests == 2
    assert "by warnings of the application: " in suite.notice


@pytest.mark.slow("whole pytest runs of written tests")
def test_several_warnings_at_once_are_let_through(project: Path) -> None:
    suite = write(project, LEAKING, ways=(PLAIN, STRICT))

    assert suite.dropped == []
    text = source(project, "test_evosearch_leak.py")
    assert "ignore::pytest.PytestUnraisableExceptionWarning" in text
    assert '.json == {"leaked": True}' in text


@pytest.mark.skipif(importlib.util.find_spec("xdist") is None, reason="needs pytest-xdist")
@pytest.mark.usefixtures("with_xdist")
def test_shared_file_gets_a_lock(project: Path) -> None:
    rows = [
        Specimen(
            (Exchange(Request("GET", "/shared", query=(("n", str(n)),)), SHARED.act.response),)
        )
        for n in range(3)
    ]

    suite = write(project, *rows, SHARED, ways=(PLAIN, TOGETHER))

    assert "def one_process_at_a_time(tmp_path_factory):" in source(project, "conftest.py")
    assert suite.notice == ""
    assert suite.unverified == []


def test_a_lock_that_does_not_help_is_taken_out_again(tmp_path: Path) -> None:
    """What a fixture of a session holds, a port, another process finds taken all the time."""
    seen: list[bool] = []

    def crowded(folder: Path, _tests: int) -> Verdict:
        seen.append((folder / "conftest.py").exists())
        return Verdict(notices=("1 written tests share something",), crowded=True)

    brief = Brief(support=Support(), folder=tmp_path / "evosearch", root=tmp_path)
    suite = write_suite([SHARED], brief, crowded)

    assert seen == [False, True, False]
    assert suite.tests == 1
    assert suite.notice == "1 written tests share something"


def test_lock_is_imported_in_order() -> None:
    text = '"""X."""\n\nimport contextvars\nimport sys\nfrom pathlib import Path\n\nimport pytest\n'

    assert "import contextvars\nimport fcntl\nimport sys\nfrom pathlib" in with_lock(text)
    assert '"""\n\nimport fcntl\n\nimport pytest\n\n\n@pytest.fixture' in with_lock(None)


def test_differences_are_the_smallest_places() -> None:
    assert list(differences({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]})) == [("a", 1, "b")]
    assert list(differences([1], [1, 2])) == [()]
    assert list(differences({"a": 1}, {"a": 1})) == []
    assert list(differences(["a", ANY, "c"], ["a", "x", "d"])) == [(2,)]


@pytest.mark.parametrize("observed", [["b", "c", "a"], ["c", "a", "b"]])
def test_no_place_of_a_list_in_another_order_is_certain(observed: list[str]) -> None:
    assert list(differences(["a", "b", "c"], observed)) == [(0,), (1,), (2,)]
    assert list(differences(["a", ANY, ANY], observed)) == [(0,), (1,), (2,)]
    assert list(differences([ANY, ANY, ANY], observed)) == []
