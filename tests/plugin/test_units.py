"""Whole commands that write tests for functions and classes without HTTP."""

from __future__ import annotations

import json

import pytest

PRICING = """
from dataclasses import dataclass, field


def discount(total: float, coupon: str | None = None) -> float:
    if total < 0:
        raise ValueError(f"negative total: {total}")
    if coupon == "WELCOME10":
        return total * 0.9
    return total


def joined(parts):
    return ", ".join(parts)


@dataclass
class Cart:
    limit: int = 3
    items: list[str] = field(default_factory=list)

    def add(self, name: str) -> None:
        if len(self.items) >= self.limit:
            raise OverflowError("the cart is full")
        self.items.append(name)
"""


@pytest.fixture
def pricing(project):  # type: ignore[no-untyped-def]
    """A project with one module, and without an application."""
    (project.path / "pricing.py").write_text(PRICING)
    return project


def run(project, *arguments):  # type: ignore[no-untyped-def]
    return project.pytester.runpytest_subprocess(
        "-p", "pytest_evosearch.plugin", *arguments, "--evosearch-seed=1"
    )


def written(project) -> str:  # type: ignore[no-untyped-def]
    file = project.path / "evosearch_units" / "test_evosearch_units_pricing.py"
    return file.read_text()


def test_functions_and_classes_get_verified_tests(pricing) -> None:
    command = "--evosearch=400x", "--evosearch-units=pricing"
    once = "--evosearch-set", "plan.circumstances=first"
    result = run(pricing, *command, *once)

    assert result.ret == 0
    result.stdout.fnmatch_lines(["*4 of 4 units reached*"])
    text = written(pricing)
    assert "from pricing import discount" in text
    assert 'coupon="WELCOME10"' in text or '"WELCOME10",' in text
    assert 'pytest.raises(ValueError, match=r"negative total' in text
    assert 'with pytest.raises(OverflowError, match="the cart is full"):' in text
    assert "joined([" in text or "joined(parts) == expected" in text
    assert "Standin" not in text
    report = json.loads((pricing.path / ".pytest_cache/d/evosearch/report.json").read_text())
    assert report["tests"]

    own = pricing.pytester.runpytest_subprocess("evosearch_units", "-p", "no:evosearch")
    assert own.ret == 0

    edited = text.replace("def test_joined", "def test_mine_joined", 1)
    file = pricing.path / "evosearch_units" / "test_evosearch_units_pricing.py"
    file.write_text(edited)
    run(pricing, *command, *once)
    assert "def test_mine_joined" in written(pricing)


def test_a_plan_calls_nothing(pricing) -> None:
    (pricing.path / "pricing.py").write_text(
        "def touch(name: str) -> None:\n    open('called', 'w').close()\n"
    )
    result = run(pricing, "--evosearch-plan", "--evosearch-units=pricing")

    result.stdout.fnmatch_lines(["*units * 1 in pricing*"])
    assert not (pricing.path / "called").exists()


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--evosearch-units=nowhere", "*the module cannot be imported: ModuleNotFoundError*"),
        ("--evosearch-units=pricing:nothing", "*no function or class*under the name nothing*"),
        ("--evosearch-units=shop/pricing.py", "*names no module: write --evosearch-units=shop*"),
    ],
)
def test_mistakes_are_one_line(pricing, option: str, message: str) -> None:
    result = run(pricing, "--evosearch=5x", option)

    assert result.ret == 4
    result.stderr.fnmatch_lines([message])


@pytest.mark.slow("a whole search of an application, and one of its units")
def test_without_a_name_units_follow_the_search_of_the_application(project) -> None:  # type: ignore[no-untyped-def]
    (project.path / "app.py").write_text(
        "from flask import Flask\n"
        "from prices import total\n\n"
        "app = Flask(__name__)\n\n\n"
        "@app.get('/total/<int:number>')\n"
        "def show(number):\n"
        "    return str(total(number))\n"
    )
    (project.path / "prices.py").write_text(
        "def total(number: int) -> int:\n"
        "    return 10 * number\n\n\n"
        "def report(names: list[str]) -> str:\n"
        "    if not names:\n"
        "        raise ValueError('nothing to report')\n"
        "    return ', '.join(names)\n"
    )
    result = run(
        project,
        "--evosearch=200x",
        "--evosearch-units",
        "--evosearch-set",
        "plan.circumstances=first",
    )

    assert result.ret == 0
    result.stdout.fnmatch_lines(
        ["*searching 1 unit with code that HTTP did not reach*", "*1 of 1 endpoint reached*"]
    )
    text = (project.path / "evosearch_units" / "test_evosearch_units_prices.py").read_text()
    assert 'match="nothing to report"' in text
    assert "total" not in text
    report = json.loads((project.path / ".pytest_cache/d/evosearch/report.json").read_text())
    folders = {test["name"].partition("/")[0] for test in report["tests"]}
    assert folders == {"evosearch", "evosearch_units"}


EARLY = """
import os
import pytest

@pytest.fixture(scope="session")
def app():
    os.environ["SHOP_CURRENCY"] = "EUR"
    import app
    return app.app

@pytest.fixture
def client(app):
    return app.test_client()
"""


@pytest.mark.slow("a whole search of an application, and one of its units")
def test_both_suites_pass_in_one_run(project) -> None:  # type: ignore[no-untyped-def]
    """A module of units is imported before the fixture sets the application up: it has no tests."""
    (project.path / "conftest.py").write_text(EARLY)
    (project.path / "app.py").write_text(
        "import os\n"
        "from flask import Flask\n\n"
        "CURRENCY = os.environ.get('SHOP_CURRENCY', 'none')\n"
        "app = Flask(__name__)\n\n\n"
        "@app.get('/currency')\n"
        "def show():\n"
        "    return {'currency': CURRENCY}\n\n\n"
        "def report(names: list[str]) -> str:\n"
        "    if not names:\n"
        "        raise ValueError('nothing to report')\n"
        "    return ', '.join(names)\n"
    )
    once = "--evosearch-set", "plan.circumstances=first"
    result = run(project, "--evosearch=100x", "--evosearch-units", *once)

    assert result.ret == 0
    result.stdout.fnmatch_lines(["*makes tests of the application fail in the same run*"])
    assert list((project.path / "evosearch").glob("test_evosearch_*.py"))
    again = project.pytester.runpytest_subprocess("-p", "no:evosearch")
    assert again.ret == 0


def test_a_plan_shows_the_share_of_units(project) -> None:  # type: ignore[no-untyped-def]
    (project.path / "app.py").write_text(
        "from flask import Flask\n\n"
        "app = Flask(__name__)\n\n\n"
        "@app.get('/')\n"
        "def index():\n"
        "    return 'x'\n"
    )
    result = run(project, "--evosearch=50s", "--evosearch-plan", "--evosearch-units")

    result.stdout.fnmatch_lines(["*units * after the search, what it does not reach: 10s*"])


FAILING = """
import sys
from itertools import count

numbers = count()


def failing(what, function=None, often=1):
    def fail(*given, **named):
        if function is None or next(numbers) % often == often - 1:
            raise LookupError(what)
        return function(*given, **named)
    return fail


if "--evosearch=150x" in sys.argv:
    from pytest_evosearch.engine.units import unit_relations, unit_strength, unit_types
    from pytest_evosearch.execution.units import workers
    from pytest_evosearch.harvest.units import unit_reduction
    from pytest_evosearch.problem.units.unit_problem import UnitProblem
    from pytest_evosearch.write.units import unit_suite

    unit_types._learn = failing("typing")
    UnitProblem.sample = failing("exploring", UnitProblem.sample, 3)
    workers._executed = failing("calling", workers._executed, 100)
    unit_reduction.UnitSimplifier.simplest = failing("minimising")
    unit_strength.UnitChanges._tried = failing("strengthening")
    unit_relations.relations_of = failing("relations")
    unit_suite.name_of_test = failing("naming")
    unit_suite.form_of = failing("tables")
"""
"""A `conftest.py` that lets each phase fail, in the process of the search only."""


DURATIONS = """
class Duration:
    def __init__(self, days=0, months=0):
        self.days = days
        self.months = months

    def __neg__(self):
        return Duration(-self.days, -self.months)
"""


def test_objects_in_modules_of_a_package_hold_something(project) -> None:  # type: ignore[no-untyped-def]
    (project.path / "times").mkdir()
    (project.path / "times" / "__init__.py").write_text("")
    (project.path / "times" / "durations.py").write_text(DURATIONS)
    once = "--evosearch-set", "plan.circumstances=first"

    run(project, "--evosearch=60x", "--evosearch-units=times", *once)

    (file,) = (project.path / "evosearch_units").glob("test_*durations.py")
    text = file.read_text().partition("def test_duration_neg")[2]
    assert "Duration()" not in text
    assert "result.days == -" in text


@pytest.mark.slow("a whole search")
def test_an_internal_error_in_any_phase_is_told_and_tests_are_written(pricing) -> None:
    (pricing.path / "conftest.py").write_text(FAILING)
    once = "--evosearch-set", "plan.circumstances=first"
    result = run(pricing, "--evosearch=150x", "--evosearch-units=pricing", *once)

    assert result.ret == 0
    phases = ["typing", "exploring", "calling", "minimising", "strengthening"]
    phases += ["relations", "naming", "tables"]
    shown = result.stdout.str()
    for phase in phases:
        assert f"LookupError: {phase}" in shown or f"LookupError: '{phase}'" in shown
    report = json.loads((pricing.path / ".pytest_cache/d/evosearch/report.json").read_text())
    for phase in phases:
        assert any(phase in one for one in report["tracebacks"])
    text = written(pricing)
    assert "def test_discount" in text
    own = pricing.pytester.runpytest_subprocess("evosearch_units", "-p", "no:evosearch")
    assert own.ret == 0
