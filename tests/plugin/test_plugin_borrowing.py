"""Projects whose applications only test modules prepare: unittest classes, local fixtures."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow("whole commands run")

APPLICATION = Path(__file__).parent.parent / "apps" / "unittest_only"

BASE = """
import unittest

from unittest_only import PAGES, create_app


class BaseCase(unittest.TestCase):
    def setUp(self):
        self.app = create_app(TESTING=True)
        self.context = self.app.app_context()
        self.context.push()
        PAGES.append("first")
        self.browser = self.app.test_client()

    def tearDown(self):
        PAGES.clear()
        self.context.pop()

    def login(self):
        return self.browser.post("/login")
"""

CASES = """
from tests.base import BaseCase


class PageCase(BaseCase):
    def test_write(self):
        assert self.browser.post("/pages").status_code == 201

    def test_read(self):
        assert self.browser.get("/").status_code == 200
"""

WRITTEN = """
def test_anonymous(client):
    assert client.get("/").text == "nobody"


def test_login(client, login):
    login(client)

    assert client.get("/").text == "ann"


def test_anonymous_after_log_in(client, login):
    login(client)
    client.delete_cookie("session")

    assert client.get("/").text == "nobody"


def test_write(client):
    assert client.post("/pages").text == "2"
    assert client.post("/pages").text == "3"


def test_write_again(client):
    assert client.post("/pages").text == "2"
"""


@pytest.fixture
def diary(project):
    shutil.copytree(APPLICATION, project.path / "unittest_only")
    project.pytester.syspathinsert()
    return project


def load(project, **files: str):
    project.write(**files)
    result = project.search(script="load")
    assert result.ret == 0, result.stdout.str() + result.stderr.str()
    return project.told


def run_written(project, conftest: str, tests: str) -> str:
    """Write a suite as the product would and run it in a fresh interpreter."""
    folder = Path(project.told["directory"]) / "evosearch"
    folder.mkdir(parents=True)
    if (folder.parent / "__init__.py").exists():
        (folder / "__init__.py").touch()
    (folder / "conftest.py").write_text(conftest)
    (folder / "test_evosearch_pages.py").write_text(tests)
    command = [sys.executable, "-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider"]
    run = subprocess.run(
        [*command, str(folder)], cwd=project.path, capture_output=True, text=True, check=False
    )
    return run.stdout + run.stderr


def test_unittest_base_gives_application_client_and_log_in(diary) -> None:
    told = load(diary, tests__base=BASE, tests__test_pages=CASES, tests____init__="")
    assert told["findings"]["client"] == "self.browser after its setUp"
    assert told["findings"]["auth"] == "via self.login()"
    assert "tests.base.BaseCase" in told["findings"]["app"]
    assert told["answers"]["anonymous"] == "nobody"
    assert told["statements"] == {"login": "login(client)"}
    assert not told["sandboxed"]


def test_written_conftest_borrows_the_set_up(diary) -> None:
    told = load(diary, tests__base=BASE, tests__test_pages=CASES, tests____init__="")
    output = run_written(diary, told["conftest"], WRITTEN)
    assert "5 passed" in output, output


def test_unittest_module_in_the_root_folder(diary) -> None:
    cases = BASE + "\n    def test_read(self):\n        self.browser.get('/')\n"
    told = load(diary, test_diary=cases)
    assert told["directory"] == str(diary.path)
    output = run_written(diary, told["conftest"], WRITTEN)
    assert "5 passed" in output, output


def test_the_suite_lies_above_all_tests_that_share_the_set_up(diary) -> None:
    """As in SearXNG, whose first tests are those of a subfolder."""
    told = load(
        diary,
        tests__base=BASE,
        tests__engines__test_cases=CASES,
        tests__test_pages=CASES,
        tests____init__="",
        tests__engines____init__="",
    )
    assert told["directory"] == str(diary.path / "tests")


def test_case_whose_client_is_a_local_of_its_set_up_is_left(diary) -> None:
    hidden = BASE.replace("self.browser = ", "browser = ").replace("self.app", "app")
    hidden = hidden.partition("    def login")[0] + "\n    def test_a(self): pass\n"
    told = load(diary, test_hidden=hidden)
    assert told["sandboxed"]


def test_base_whose_application_has_no_endpoints_is_passed_over(diary) -> None:
    base = BASE.replace(
        "self.app = create_app(TESTING=True)",
        "self.app = create_app(TESTING=True) if self.with_pages else Flask('bare')",
    ).replace(
        "BaseCase(unittest.TestCase):", "BaseCase(unittest.TestCase):\n    with_pages = False\n"
    )
    cases = CASES.replace("(BaseCase):", "(BaseCase):\n    with_pages = True\n")
    told = load(
        diary,
        tests__base=f"from flask import Flask\n{base}",
        tests__test_pages=cases,
        tests____init__="",
    )
    assert "test_pages.PageCase" in told["findings"]["app"]


def test_case_that_skips_itself_is_passed_over(diary) -> None:
    browser = (
        "import unittest\n\n\nclass BrowserCase(unittest.TestCase):\n"
        "    def setUp(self):\n        self.skipTest('no browser; test_client(')\n\n"
        "    def test_a(self): pass\n    def test_b(self): pass\n    def test_c(self): pass\n"
    )
    told = load(
        diary,
        tests__base=BASE,
        tests__test_pages=CASES,
        tests____init__="",
        tests__test_browser=browser,
    )
    assert "tests.base.BaseCase" in told["findings"]["app"]


LOCAL = """
import pytest

from unittest_only import create_app


@pytest.fixture
def application():
    return create_app(TESTING=True)


@pytest.fixture
def client(application):
    {body}


def test_index(client):
    assert client.get("/").text == "nobody"
"""


@pytest.mark.parametrize(
    "body",
    [
        "return application.test_client()",
        "with application.app_context():\n        yield application.test_client()",
        "with application.test_client() as c, application.app_context():\n        yield c",
    ],
    ids=["plain", "pushed context", "preserved context"],
)
def test_fixture_of_a_test_module_is_imported(diary, body: str) -> None:
    told = load(diary, tests__test_local=LOCAL.format(body=body))
    assert told["findings"]["client"] == 'fixture "client"'
    assert not told["sandboxed"]
    written = (
        "def test_a(client):\n    client.post('/login')\n    client.delete_cookie('session')\n"
    )
    written += "    assert client.get('/').text == 'nobody'\n"
    output = run_written(diary, told["conftest"], written)
    assert "1 passed" in output, output


SHARED = """
import pytest

from unittest_only import PAGES, create_app


@pytest.fixture
def app():
    return create_app(TESTING=True)


@pytest.fixture
def client(app):
    return app.test_client()


@pytest.fixture
def db(app):
    PAGES.append("first")
    yield
    PAGES.clear()
"""


IMPORTS = "from diary.fixtures import app, client, db\n\n"


def test_fixtures_that_test_modules_import_from_another_one(diary) -> None:
    told = load(
        diary,
        diary__fixtures=SHARED,
        diary____init__="",
        diary__one__test_one=f"{IMPORTS}def test_a(client, db): 0\n",
        diary__two__test_two=f"{IMPORTS}def test_b(client, db): 0\n",
    )
    assert told["directory"] == str(diary.path / "diary")
    assert told["fixtures"] == ["db"]
    written = "def test_a(client, db):\n    assert client.post('/pages').text == '2'\n"
    output = run_written(diary, told["conftest"], written)
    assert "1 passed" in output, output


PUSHING = """
import pytest

from unittest_only import create_app


class Browser:
    def __init__(self, app):
        self.app = app


@pytest.fixture
def app():
    application = create_app(TESTING=True)
    with application.test_request_context():
        yield application


@pytest.fixture
def testapp(app):
    return Browser(app)
"""


def test_client_of_another_library_is_replaced_by_the_test_client_of_flask(diary) -> None:
    told = load(diary, tests__conftest=PUSHING, tests__test_pages="def test_index(testapp): pass\n")
    assert told["findings"]["client"] == 'of fixture "app"'
    written = (
        "def test_a(client):\n    client.post('/login')\n    client.delete_cookie('session')\n"
    )
    written += "    assert client.get('/').text == 'nobody'\n"
    output = run_written(diary, told["conftest"], written)
    assert "1 passed" in output, output


APPLICATION_IN_MODULE = """
import pytest

from unittest_only import create_app


@pytest.fixture
def served():
    return create_app(TESTING=True)


@pytest.fixture
def application(served):
    return served


def test_index(application):
    assert application.test_client().get("/").status_code == 200
"""


def test_an_application_that_one_test_module_prepares(diary) -> None:
    """Its tests make a client each: the written ones share a fixture for it."""
    told = load(diary, tests__test_pages=APPLICATION_IN_MODULE)
    assert told["findings"]["client"] == 'of fixture "application"'
    assert not told["sandboxed"]
    written = "def test_a(client):\n    assert client.get('/').text == 'nobody'\n"
    output = run_written(diary, told["conftest"], written)
    assert "1 passed" in output, output


OVERRIDING_CONFTEST = """
import pytest

from unittest_only import create_app


@pytest.fixture(scope="class")
def helper():
    return None


@pytest.fixture(scope="session")
def session_helper():
    return create_app
"""

OVERRIDING = """
import pytest

from unittest_only import PAGES


@pytest.fixture(scope="session")
def helper(session_helper):
    return session_helper


@pytest.fixture(scope="module")
def app(helper):
    return helper(TESTING=True)


@pytest.fixture(autouse=True)
def first_page():
    PAGES.append("first")
    yield
    PAGES.clear()


def test_index({asked}):
    pass
"""


@pytest.mark.parametrize("asked", ["app", "a_fixture_of_a_plugin"])
def test_a_module_overrides_what_most_tests_have(diary, asked: str) -> None:
    """As in beets, whose module also prepares its tests without being asked."""
    others = "".join(f"def test_{name}(helper): pass\n" for name in "abc")
    told = load(
        diary,
        tests__conftest=OVERRIDING_CONFTEST,
        tests__test_others=others,
        tests__test_pages=OVERRIDING.replace("{asked}", asked),
    )
    assert told["directory"] == str(diary.path / "tests")
    written = "def test_a(client):\n    assert client.post('/pages').text == '2'\n"
    output = run_written(diary, told["conftest"], written)
    assert "1 passed" in output, output


def test_module_that_pytest_passes_by_is_borrowed_from(diary) -> None:
    told = load(diary, tests=f"{BASE}\n    def test_nothing(self):\n        pass\n")
    assert told["findings"]["client"] == "self.browser after its setUp"
    output = run_written(diary, told["conftest"], WRITTEN)
    assert "5 passed" in output, output


def test_module_of_another_name_or_without_a_client_is_left_alone(diary) -> None:
    told = load(
        diary,
        tests="import unittest\n\nclass Case(unittest.TestCase):\n    def test(self): 1 / 0\n",
        script=f"{BASE}\n\nraise SystemExit('a script')\n",
    )
    assert told["findings"]["client"] == "app.test_client()"
