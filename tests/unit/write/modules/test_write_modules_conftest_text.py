from __future__ import annotations

import ast

import pytest

from pytest_evosearch.sut.fixture_texts.services_text import services_fixture
from pytest_evosearch.sut.handle import Support
from pytest_evosearch.write.modules.conftest_text import with_fixture
from pytest_evosearch.write.modules.conftest_text import with_missing_fixtures
from pytest_evosearch.write.modules.conftest_text import with_missing_services

WRITTEN = "import pytest\n\n\n@pytest.fixture\ndef client(app, db, user):\n    ...\n"


@pytest.mark.parametrize(
    ("existing", "fixtures"),
    [
        (WRITTEN, ()),
        (WRITTEN.replace(", db, user", ""), ("db", "user")),
        (WRITTEN.replace("app, db, user", "shop, user"), ("db",)),
        (WRITTEN.replace("client", "browser"), ()),
        ("no Python", ()),
        ("", ()),
    ],
    ids=["as today", "older", "by hand", "no client", "no Python", "empty"],
)
def test_tests_ask_for_what_the_client_of_an_older_conftest_does_not(
    existing: str, fixtures: tuple[str, ...]
) -> None:
    assert with_missing_fixtures(Support(conftest=WRITTEN), existing).fixtures == fixtures


def test_a_project_with_a_client_of_its_own_needs_nothing() -> None:
    support = Support(fixtures=("db",))

    assert with_missing_fixtures(support, WRITTEN) == support


TODAY = with_fixture(None, *services_fixture())
IMPORTS = {line for line in TODAY.splitlines() if line.startswith(("import ", "from "))}


@pytest.mark.parametrize(
    "existing",
    [
        WRITTEN,
        f'"""Ours."""\n\nfrom __future__ import annotations\n\nimport socket\n{WRITTEN}',
        "NOTE = 1\n",
        "",
    ],
    ids=["written", "by hand", "without imports", "empty"],
)
def test_an_older_conftest_gets_the_fixture_for_services_and_keeps_the_rest(existing: str) -> None:
    completed = with_missing_services(Support(conftest=TODAY), existing)

    module = ast.parse(completed)
    functions = [node.name for node in module.body if isinstance(node, ast.FunctionDef)]
    assert functions[-1] == "services"
    assert ast.get_docstring(module) == ast.get_docstring(ast.parse(existing))
    compile(completed, "conftest.py", "exec")  # an import from the future must stay first
    lines = completed.splitlines()
    assert {*lines} >= IMPORTS | {*existing.splitlines()}
    assert sum(line == "import socket" for line in lines) == 1


@pytest.mark.parametrize(
    ("today", "existing"),
    [(None, WRITTEN), (WRITTEN, WRITTEN), (TODAY, TODAY), (TODAY, "no Python")],
    ids=["no fixtures", "nothing called", "complete", "no Python"],
)
def test_any_other_conftest_stays_as_it_is(today: str | None, existing: str) -> None:
    assert with_missing_services(Support(conftest=today), existing) == existing


def test_a_fixture_of_an_earlier_run_is_completed_where_it_is_as_it_was_written() -> None:
    earlier = with_fixture(None, *services_fixture(["failing"])) + "\n\nNOTE = 1\n"
    today = with_fixture(None, *services_fixture(["sleeping"]))

    completed = with_missing_services(Support(conftest=today), earlier)

    both = services_fixture(["failing", "sleeping"])
    assert completed.endswith(both[1])
    assert "\nNOTE = 1\n" in completed
    assert {*both[0]} <= {*completed.splitlines()}
    assert completed.count("class Services:") == 1
    assert with_missing_services(Support(conftest=today), completed) == completed
    changed = earlier.replace("class Service:", "class Service(object):")
    assert with_missing_services(Support(conftest=today), changed) == changed
