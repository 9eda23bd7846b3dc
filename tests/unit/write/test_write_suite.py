"""The whole way: written, verified in fresh interpreters, repaired, regenerated."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_evosearch.problem.http.exchanges.consequences import Consequences
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Origin
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash
from pytest_evosearch.sut.fixture_texts.database_text import LastingDatabase
from pytest_evosearch.sut.handle import Support
from pytest_evosearch.sut.handle import User
from pytest_evosearch.write.brief import Brief
from pytest_evosearch.write.code.layout import Layout
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.modules.module_files import read_ledger
from pytest_evosearch.write.modules.module_texts import Function
from pytest_evosearch.write.modules.module_texts import print_functions
from pytest_evosearch.write.modules.regeneration import Exists
from pytest_evosearch.write.modules.regeneration import always
from pytest_evosearch.write.modules.suite_assembly import Built
from pytest_evosearch.write.suite import write_suite
from pytest_evosearch.write.verification.circumstances import PLAIN
from pytest_evosearch.write.verification.fixture_trial import FixtureFailure
from pytest_evosearch.write.verification.fixture_trial import Try
from pytest_evosearch.write.verification.measure import measure
from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.verification.verdicts import Failure
from pytest_evosearch.write.verification.verdicts import Verdict
from pytest_evosearch.write.verification.verify import FreshInterpreters
from pytest_evosearch.write.verification.verify import Verifier
from pytest_evosearch.write.writer import MOST_ROUNDS
from pytest_evosearch.write.written_suite import WrittenSuite

APP = """
import datetime
import time

from flask import Flask, jsonify, request


def create_app():
    app = Flask(__name__)
    app.testing = True
    items = {}

    @app.post("/items")
    def create():
        name = request.get_json().get("name", "")
        if not name:
            return jsonify(error="a name is required"), 400
        items[len(items) + 1] = name
        return jsonify(id=len(items), name=name, at=time.time()), 201

    @app.get("/items/<int:id>")
    def find(id):
        return jsonify(id=id, name=items[id])

    @app.get("/year")
    def year():
        return str(datetime.date.today().year)

    @app.get("/hash")
    def hashed():
        return ("even" if hash("word") % 1000 == 1 else "odd"), 200

    return app
"""

CONFTEST = """
import pytest

from shop import create_app


@pytest.fixture
def client():
    return create_app().test_client()
"""

CREATE = Request("POST", "/items", json={"name": "pen"}, has_json=True)
FIND = Request(
    "GET", "/items/{id}", path={"id": 1}, origins={("path", "id"): Origin(0, ("json", "id"))}
)


def answer(status: int, value: object) -> Response:
    return Response(status, (("Content-Type", "application/json"),), json.dumps(value).encode())


def text(body: str) -> Response:
    return Response(200, (("Content-Type", "text/html"),), body.encode())


CREATED = Exchange(CREATE, answer(201, {"id": 1, "name": "pen", "at": 1.5}))
STABLE = Specimen((CREATED,), unstable={(0, ("json", "at")): "changes with the clock"})
FLOWING = Specimen((CREATED, Exchange(FIND, answer(200, {"id": 1, "name": "pen"}))))
REJECTED = Specimen(
    (Exchange(replace(CREATE, json={"name": ""}), answer(400, {"error": "a name is required"})),)
)
CRASH = Crash("KeyError", "builtins", "7", "shop.py", 23, "find", "")
MISSING = replace(FIND, path={"id": 7}, origins={})
CRASHING = Specimen(
    (Exchange(MISSING, None, None, CRASH),),
    fault=Fault("crash", MISSING.endpoint, "KeyError", "shop.py:23", "7", 0, "fault"),
)
CLOCKED = Specimen((Exchange(Request("GET", "/year"), text("2026")),))
WRONG = Specimen((Exchange(Request("GET", "/hash"), Response(404)),))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "shop.py").write_text(APP)
    (tmp_path / "pyproject.toml").write_text(
        '[tool.pytest.ini_options]\nfilterwarnings = ["error"]\naddopts = "-p no:randomly"\n'
    )
    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / "conftest.py").write_text(CONFTEST)
    return tmp_path


def write(
    project: Path,
    *specimens: Specimen,
    verifier: Verifier | None = None,
    support: Support = Support(),  # noqa: B008
    tries: Try | None = None,
    **options: object,
) -> WrittenSuite:
    return write_suite(
        specimens,
        Brief(
            support=support,
            folder=project / "tests" / "evosearch",
            root=project,
            ledger=project / "cache" / "ledger.json",
            **options,
        ),
        verifier,
        tries=tries,
    )


def remembering(project: Path) -> Brief:
    """Return what a suite is told that starts with the tests of an earlier run."""
    return Brief(
        support=Support(),
        folder=project / "tests" / "evosearch",
        root=project,
        ledger=project / "cache" / "ledger.json",
        memory=project / "cache" / "covered.json",
    )


def source(project: Path, name: str = "items") -> str:
    return (project / "tests" / "evosearch" / f"test_evosearch_{name}.py").read_text()


@pytest.mark.slow("runs written tests in fresh interpreters")
@pytest.mark.usefixtures("with_xdist")
def test_suite_is_verified_repaired_and_measured(project: Path) -> None:
    process = PytestProcess(project)
    specimens = (STABLE, FLOWING, REJECTED, CRASHING, CLOCKED, WRONG)

    suite = write(project, *specimens, verifier=FreshInterpreters(process))

    assert suite.unverified == []
    assert suite.notice == ""
    assert [name for name, _ in suite.dropped] == ["test_get_hash_returns_404"]
    assert suite.dropped[0][1].startswith("fails in a fresh interpreter: ")
    assert set(suite.test_of) == {0, 1, 2, 3, 4}
    # The year holds today, but not under another clock: its status is all that can be asserted.
    assert "2026" not in source(project, "app")
    assert "assert response.status_code == 200" in source(project, "app")
    assert "raises=KeyError" in source(project, "faults")
    measured = measure(project / "tests" / "evosearch", process, [project / "shop.py"])
    assert measured is not None
    assert 20 <= measured.covered_lines < measured.total_lines
    assert 0 < measured.covered_branches <= measured.total_branches


def test_repeating_changes_nothing(project: Path) -> None:
    write(project, STABLE, FLOWING, REJECTED)
    before = source(project)

    write(project, REJECTED, FLOWING, STABLE)

    assert source(project) == before


def test_edited_test_is_kept(project: Path) -> None:
    write(project, STABLE, REJECTED)
    path = project / "tests" / "evosearch" / "test_evosearch_items.py"
    edited = source(project).replace("status_code == 400", "status_code in (400, 422)")
    path.write_text(edited)

    suite = write(project, STABLE, REJECTED)

    assert source(project) == edited
    assert set(suite.test_of) == {0}


def test_renamed_test_is_not_written_twice(project: Path) -> None:
    write(project, STABLE, REJECTED)
    path = project / "tests" / "evosearch" / "test_evosearch_items.py"
    renamed = source(project).replace(
        "test_post_items_name_is_required_returns_400", "test_no_name"
    )
    assert "test_no_name" in renamed
    path.write_text(renamed)

    write(project, STABLE, REJECTED)

    assert source(project) == renamed


def test_helpers_and_imports_of_kept_tests_stay(project: Path) -> None:
    write(project, STABLE)
    path = project / "tests" / "evosearch" / "test_evosearch_items.py"
    addition = """

LIMIT = 3


def double(number):
    return math.floor(number * 2)


def test_by_hand():
    assert double(LIMIT) == 6
"""
    path.write_text(source(project).replace('"""\n\n', '"""\n\nimport math\n\n', 1) + addition)

    write(project, REJECTED)

    kept = source(project)
    assert "import math" in kept
    assert "LIMIT = 3" in kept
    assert "def double(number):" in kept
    assert "def test_by_hand():" in kept
    assert "test_post_items_returns_201" not in kept
    compile(kept, str(path), "exec")


def test_a_part_of_a_module_that_is_kept_still_says_what_the_whole_is_about(project: Path) -> None:
    write(project, STABLE, REJECTED)
    part = project / "tests/evosearch/test_evosearch_items_2.py"
    part.write_text('"""Of old."""\n\n\ndef test_by_hand():\n    assert True\n')

    write(project, STABLE, REJECTED)

    assert part.read_text().startswith('"""Tests for ``items``, generated by')
    assert "def test_by_hand():" in part.read_text()


def test_obsolete_untouched_tests_are_removed(project: Path) -> None:
    write(project, STABLE, CRASHING)
    assert (project / "tests/evosearch/test_evosearch_faults.py").exists()

    write(project, STABLE)

    assert not (project / "tests/evosearch/test_evosearch_faults.py").exists()


def test_without_ledger_unknown_tests_are_kept(project: Path) -> None:
    write(project, STABLE, REJECTED)
    (project / "cache" / "ledger.json").unlink()

    write(project, STABLE)

    assert "test_post_items_name_is_required_returns_400" in source(project)


def test_file_that_is_no_python_is_left_alone(project: Path) -> None:
    write(project, STABLE)
    path = project / "tests" / "evosearch" / "test_evosearch_items.py"
    path.write_text("<<<<<<< a merge conflict")

    suite = write(project, STABLE)

    assert path.read_text() == "<<<<<<< a merge conflict"
    assert suite.tests == 0
    assert suite.dropped[0][1].startswith("test_evosearch_items.py is no longer valid Python")


def test_parent_package_is_mirrored_and_conftest_written_once(project: Path) -> None:
    (project / "tests" / "__init__.py").touch()
    folder = project / "tests" / "evosearch"

    for conftest in ("# one\n", "# two\n"):
        write_suite(
            [STABLE], Brief(support=Support(conftest=conftest), folder=folder, root=project)
        )

    assert (folder / "__init__.py").read_text() == ""
    assert (folder / "conftest.py").read_text() == "# one\n"


@pytest.mark.parametrize("left_by_somebody", ["", "notes.txt", "conftest.py"])
def test_nothing_is_left_where_no_test_can_be_kept(project: Path, left_by_somebody: str) -> None:
    (project / "tests" / "__init__.py").touch()
    folder = project / "tests" / "evosearch"
    if left_by_somebody:
        folder.mkdir()
        (folder / left_by_somebody).touch()
    hung = Failure(
        "test_evosearch_items.py", "test_post_items_returns_201", None, "does not end", hung=True
    )

    suite = write_suite(
        [STABLE],
        Brief(
            support=Support(conftest="# one\n"),
            folder=folder,
            root=project,
            ledger=folder / ".evosearch.json",
        ),
        lambda _folder, _tests: Verdict((hung,)),
    )

    assert suite.tests == 0
    left = sorted(path.name for path in folder.iterdir()) if folder.exists() else None
    assert left == ([left_by_somebody] if left_by_somebody else None)


def test_breaking_verification_is_reported(project: Path) -> None:
    suite = write(project, STABLE, verifier=lambda folder, tests: Verdict(broken="it broke"))

    assert suite.notice == "it broke"
    assert suite.unverified == [
        "tests/evosearch/test_evosearch_items.py::test_post_items_returns_201"
    ]


def test_test_that_hangs_is_struck_at_once(project: Path) -> None:
    name = "test_post_items_returns_201"
    hung = Failure("test_evosearch_items.py", name, None, "does not end", hung=True)
    verdicts = [Verdict((hung,)), Verdict()]

    suite = write(project, STABLE, REJECTED, verifier=lambda folder, tests: verdicts.pop(0))

    assert suite.dropped == [(name, "does not end")]
    assert suite.tests == 1


def test_a_test_that_was_not_run_in_time_is_dropped_and_the_rest_says_how_it_was_run(
    project: Path,
) -> None:
    name = "test_post_items_name_is_required_returns_400"
    late = Failure("test_evosearch_items.py", name, None, "no time", late=True)
    told = "verified in a fresh interpreter; no time to run them where warnings are errors"
    verdict = Verdict((late,), is_last=True, extent=told)
    seen: list[int] = []

    def verifier(folder: Path, tests: int) -> Verdict:
        seen.append(tests)
        return verdict

    suite = write(project, STABLE, REJECTED, verifier=verifier)

    assert seen == [2], "nothing is verified once more when time is over"
    assert [reason for _name, reason in suite.dropped] == ["no time"]
    assert (suite.tests, suite.extent, suite.unverified) == (1, told, [])
    assert f"{told[0].upper()}{told[1:]}." in " ".join(source(project).split())


def test_what_would_be_no_python_costs_no_other_test(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def print_badly(
        tests: Sequence[Built], layout: Layout, constants: Mapping[str, str]
    ) -> list[Function]:
        printed = print_functions(tests, layout, constants)
        return [
            replace(one, lines=("def test_get-it(client): pass",)) if "list" in one.name else one
            for one in printed
        ]

    monkeypatch.setattr(
        "pytest_evosearch.write.modules.suite_assembly.print_functions", print_badly
    )

    listed = Specimen((Exchange(Request("GET", "/items"), answer(200, [{"id": 1}])),))
    suite = write(project, listed, REJECTED)

    ((_, reason),) = suite.dropped
    assert "would not be valid Python" in reason
    assert suite.tests == 1


def test_what_fails_after_the_last_repair_is_dropped(project: Path) -> None:
    specimens = [
        Specimen((Exchange(Request("GET", f"/{name}"), text(name)),)) for name in "abcdefghijkl"
    ]
    gone: list[str] = []

    def verifier(folder: Path, tests: int) -> Verdict:
        """Find one more test that hangs each time, and never come to an end with it."""
        written = sorted(folder.glob("test_*.py"))
        assert written
        names = re.findall(r"def (test_\w+)", written[0].read_text())
        gone.append(names[0])
        return Verdict((Failure(written[0].name, names[0], None, "does not end", hung=True),))

    suite = write(project, *specimens, verifier=verifier)

    assert suite.unverified == []
    assert sorted(name for name, _reason in suite.dropped) == sorted(gone)
    left = "".join(path.read_text() for path in (project / "tests" / "evosearch").glob("test_*"))
    assert not any(f"def {name}(" in left for name in gone)


def test_failing_row_leaves_its_table(project: Path) -> None:
    rows = [
        Specimen((Exchange(Request("GET", "/square/{n}", path={"n": n}), text(str(n * n))),))
        for n in (2, 3, 4)
    ]
    name = "test_get_square_returns_200"
    row = Failure("test_evosearch_square.py", name, 1, "fails")
    verdicts = [Verdict((row,)), Verdict()]

    suite = write(project, *rows, verifier=lambda folder, tests: verdicts.pop(0))

    assert suite.tests == 2
    assert '[(2, "4"), (4, "16")]' in source(project, "square")
    assert "/square/3" in source(project, "square")


PEOPLE = Support(fixtures=("db", "admin"), people=("admin",))


def requests_of(folder: Path) -> dict[str, str]:
    source = "".join(one.read_text() for one in folder.glob("test_*.py"))
    pattern = r"(?:@pytest\.mark\.usefixtures\((.*)\)\n)?def (test_\w+)\((.*?)\)"
    return {name: f"{names} | {used}" for used, name, names in re.findall(pattern, source)}


def test_a_test_does_without_accounts_that_it_holds_without(project: Path) -> None:
    needy = Failure("test_evosearch_items.py", "test_post_items_returns_201", None, "no such user")
    verdicts = [Verdict((needy,)), Verdict()]

    suite = write(
        project,
        STABLE,
        REJECTED,
        verifier=lambda folder, tests: verdicts.pop(0),
        support=PEOPLE,
    )

    assert requests_of(project / "tests" / "evosearch") == {
        "test_post_items_returns_201": 'client | "db", "admin"',
        "test_post_items_name_is_required_returns_400": 'client | "db"',
    }
    assert not suite.dropped


def test_a_test_gets_the_accounts_without_which_it_covers_less(project: Path) -> None:
    first = replace(STABLE, targets=frozenset(("line shop.py:15",)))
    second = replace(REJECTED, targets=frozenset(("line shop.py:14",)))
    verified: list[dict[str, str]] = []

    def verifier(folder: Path, tests: int) -> Verdict:
        verified.append(requests_of(folder))
        return Verdict()

    write(
        project,
        first,
        second,
        verifier=verifier,
        support=PEOPLE,
        executed=lambda folder: {"line shop.py:14"},
    )

    needed = {
        "test_post_items_returns_201": 'client | "db", "admin"',
        "test_post_items_name_is_required_returns_400": 'client | "db"',
    }
    assert (requests_of(project / "tests" / "evosearch"), verified) == (needed, [needed])


def test_the_fixture_that_restores_databases_logs_no_client_in(project: Path) -> None:
    changed = LastingDatabase(("connection = app.connection",), was_changed=True)

    write(
        project,
        STABLE,
        verifier=lambda folder, tests: Verdict(),
        support=replace(PEOPLE, databases=(changed,)),
    )

    conftest = (project / "tests" / "evosearch" / "conftest.py").read_text()
    assert "def restored_database(client, db):" in conftest


def test_faults_that_are_to_fail_are_expected_to(project: Path) -> None:
    failing = Failure(
        "test_evosearch_faults.py", "test_get_item_does_not_crash", None, "KeyError: 7"
    )

    suite = write(
        project, CRASHING, verifier=lambda folder, tests: Verdict((failing,)), faults="fail"
    )

    assert suite.dropped == []
    assert suite.unverified == []
    assert "xfail" not in source(project, "faults")


def test_switched_off_faults_are_dropped_with_the_reason(project: Path) -> None:
    suite = write(project, CRASHING, faults="off")

    assert suite.tests == 0
    assert suite.dropped == [("GET /items/{id}", "faults are not written (--evosearch-faults=off)")]


def test_raises_mode_expects_the_exception(project: Path) -> None:
    write(project, CRASHING, faults="raises")

    assert 'with pytest.raises(KeyError, match="7"):' in source(project, "faults")


def test_a_warning_of_the_collector_is_let_pass_in_every_test(project: Path) -> None:
    kind = "pytest.PytestUnraisableExceptionWarning"
    name = write(project, STABLE, REJECTED).test_of[0]
    file, _, test = name.rpartition("/")[2].partition("::")
    verdicts = [
        Verdict((Failure(file, test, None, "fails where warnings are errors", warning=kind),)),
        Verdict(),
    ]

    suite = write(project, STABLE, REJECTED, verifier=lambda folder, tests: verdicts.pop(0))

    assert suite.dropped == []
    assert "\npytestmark = pytest.mark.filterwarnings(" in source(project)
    assert "@pytest.mark.filterwarnings" not in source(project)
    assert source(project).count(kind) == 1
    # The mark stays with a test that somebody has edited.
    path = project / "tests" / "evosearch" / "test_evosearch_items.py"
    path.write_text(source(project).replace("status_code == 400", "status_code in (400, 422)"))
    write(project, STABLE, REJECTED)
    assert source(project).count(kind) == 1


def test_warnings_that_the_search_has_seen_need_no_run_that_fails(project: Path) -> None:
    suite = write(
        project,
        replace(
            STABLE, consequences=Consequences(warnings=("DeprecationWarning", "shop.OldWarning"))
        ),
    )

    assert suite.dropped == []
    assert '@pytest.mark.filterwarnings("ignore::DeprecationWarning")\n' in source(project)
    assert '@pytest.mark.filterwarnings("ignore::shop.OldWarning")\n' in source(project)


def test_a_warning_is_let_pass_where_no_time_is_left_for_another_run(project: Path) -> None:
    name = write(project, STABLE, REJECTED).test_of[0]
    file, _, test = name.rpartition("/")[2].partition("::")
    warned = Failure(file, test, None, "where warnings are errors", warning="UserWarning")
    other = replace(warned, warning="", reason="is not the same")
    last, both = Verdict((warned,), is_last=True), Verdict((warned, other), is_last=True)

    suite = write(project, STABLE, REJECTED, verifier=lambda folder, tests: last)

    assert suite.dropped == []
    assert '@pytest.mark.filterwarnings("ignore::UserWarning")' in source(project)

    suite = write(project, STABLE, REJECTED, verifier=lambda folder, tests: both)

    assert [reason for _, reason in suite.dropped] == ["is not the same"]


def test_ledger_knows_which_run_wrote_which_test(project: Path) -> None:
    def runs_after(*specimens: Specimen, run: str) -> dict[str, int]:
        write(project, *specimens, run=run)
        runs = read_ledger(project / "cache" / "ledger.json").runs
        return {run: len(written) for run, written in runs.items()}

    assert runs_after(STABLE, run="first") == {"first": 1}
    assert runs_after(STABLE, run="second") == {"first": 1}
    assert runs_after(STABLE, REJECTED, run="third") == {"first": 1, "third": 1}
    assert runs_after(STABLE, REJECTED, run="third") == {"first": 1, "third": 1}
    assert runs_after(REJECTED, run="third") == {"third": 1}


def test_new_run_adds_to_what_stays(project: Path) -> None:
    def write_covering(*specimens: Specimen, exists: Exists = always) -> WrittenSuite:
        return write_suite(specimens, replace(remembering(project), exists=exists))

    first = replace(STABLE, targets=frozenset({"line a:1", "line a:2"}))
    refused = replace(REJECTED, targets=frozenset({"line a:3"}))
    write_covering(first, refused)
    before = source(project)
    # Another seed finds the same with another body, and something new.
    other = replace(FLOWING, targets=frozenset({"line a:2", "line a:3"}))

    again = write_covering(other)

    assert source(project) == before
    assert again.tests == 2
    assert again.test_of[0].startswith("tests/evosearch/test_evosearch_items.py::test_post_items_")

    added = write_covering(replace(other, targets=frozenset({"line a:4"})))

    assert added.tests == 3
    assert all(text in source(project) for text in before.split("\n\n\n")[1:])

    gone = write_covering(replace(other, targets=frozenset({"line a:4"})), exists=is_line_4)

    assert gone.tests == 1


def is_line_4(target: str) -> bool:
    return target == "line a:4"


def test_test_of_an_earlier_run_that_fails_gives_way(project: Path) -> None:
    specimen = replace(STABLE, targets=frozenset({"line a:1"}))
    brief = remembering(project)
    write_suite([specimen], brief)
    outdated = Failure("test_evosearch_items.py", "test_post_items_returns_201", None, "fails")
    verdicts = [Verdict((outdated,)), Verdict()]
    changed = replace(REJECTED, targets=frozenset({"line a:1"}))

    suite = write_suite([changed], brief, lambda folder, tests: verdicts.pop(0))

    assert list(suite.test_of.values()) == [
        "tests/evosearch/test_evosearch_items.py::test_post_items_name_is_required_returns_400"
    ]
    assert "returns_201" not in source(project)


def test_test_of_an_earlier_run_that_fails_at_the_very_end_is_told_of(project: Path) -> None:
    brief = remembering(project)
    earlier = replace(STABLE, targets=frozenset({"line a:1"}))
    write_suite([earlier], brief)
    added = [
        Specimen(
            (Exchange(Request("GET", f"/shelf/{name}"), text(name)),),
            targets=frozenset({f"line b:{n}"}),
        )
        for n, name in enumerate("abcdefghijkl")
    ]

    def verifier(folder: Path, tests: int) -> Verdict:
        """Find another new test that hangs each time; at the end, the earlier one fails."""
        shelf = (folder / "test_evosearch_shelf.py").read_text()
        found = re.findall(r"def (test_get_\w+)", shelf)
        if len(found) > len(added) - MOST_ROUNDS:
            return Verdict(
                (Failure("test_evosearch_shelf.py", found[0], None, "hangs", hung=True),)
            )
        name = "test_post_items_returns_201"
        return Verdict((Failure("test_evosearch_items.py", name, None, "fails"),))

    suite = write_suite([earlier, *added], brief, verifier)

    assert suite.unverified == [
        "tests/evosearch/test_evosearch_items.py::test_post_items_returns_201"
    ]


BROKEN_FIXTURES = '''\
"""Fixtures."""

import pytest


@pytest.fixture(autouse=True)
def restored_application(client):
    """Restore what the application keeps."""
    application = client.application
    saved_number = application.testing
    yield
    application.testing = saved_number
    del application.view_functions["find"].__self__


@pytest.fixture
def nora(client, databases):
    """A client that gets access."""
    return client
'''


GOOD_FIXTURE = BROKEN_FIXTURES.partition("    del application")[0]


@pytest.mark.slow("whole pytest runs of written tests")
def test_one_written_fixture_that_fails_costs_only_what_requests_it(project: Path) -> None:
    interpreters = FreshInterpreters(PytestProcess(project), [PLAIN])
    nora = User("nora", login=print, fixtures=("nora",), client="nora")
    hers = Specimen((replace(REJECTED.exchanges[0], user="nora"),))

    suite = write(
        project,
        STABLE,
        FLOWING,
        hers,
        verifier=interpreters,
        support=Support(conftest=BROKEN_FIXTURES),
        users={"nora": nora},
        tries=interpreters.tried,
    )

    assert suite.test_of.keys() == {0, 1}
    [(_name, why)] = suite.dropped
    expected = "the fixture nora of the written conftest.py fails: it asks for databases"
    assert why.startswith(expected)
    notices = suite.notice.split("; the fixture")
    assert [one.partition(" of the")[0].split()[-1] for one in notices] == [
        "restored_application",
        "nora",
    ]
    text = (project / "tests" / "evosearch" / "conftest.py").read_text()
    assert "application.testing = saved_number" in text
    assert "__self__" not in text
    assert "nora" not in text


def test_fixtures_that_hold_take_no_run_of_their_own(project: Path) -> None:
    def refuse(_module: Path) -> Sequence[FixtureFailure]:
        raise AssertionError("no test has failed in set-up")

    suite = write(
        project,
        STABLE,
        verifier=FreshInterpreters(PytestProcess(project), [PLAIN]),
        support=Support(conftest=GOOD_FIXTURE),
        tries=refuse,
    )

    assert suite.test_of.keys() == {0}
    assert not suite.notice


@pytest.mark.slow("whole pytest runs of written tests")
def test_many_tests_that_fail_alike_in_a_written_fixture_are_not_judged(project: Path) -> None:
    interpreters = FreshInterpreters(PytestProcess(project), [PLAIN])
    conftest = BROKEN_FIXTURES.partition("@pytest.fixture\n")[0].rstrip("\n") + "\n"

    suite = write(
        project,
        STABLE,
        FLOWING,
        verifier=interpreters,
        support=Support(conftest=conftest),
        tries=lambda _module: (),
    )

    assert suite.test_of.keys() == {0, 1}
    assert suite.notice.count("restored_application") == 1
