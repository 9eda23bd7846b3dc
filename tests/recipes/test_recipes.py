"""Follows each recipe of CONTRIBUTING.md in a copy of the package."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
PACKAGE = "pytest_evosearch"
ORACLE_TESTS = "tests/unit/oracles"

ORACLE = """
from pytest_evosearch.oracles.findings import finding
from pytest_evosearch.problem.http.exchanges.reported_faults import Expectation


class TeapotOracle:
    code = "teapot"
    explanation = "an answer of 418 is a joke"

    def __init__(self, knowledge):
        pass

    def judge(self, exchange, call):
        if exchange.status == 418:
            wanted = Expectation("status", ("!=", 418), phrase="is_serious")
            yield finding(self.code, exchange.request.endpoint, call, "418", "a joke", wanted)
"""

EXAMPLES = """
from oracle_examples.example import Example
from pytest_evosearch.problem.http.exchanges.exchange import Exchange, Request, Response


def teapot():
    yield Example((Exchange(Request("GET", "/a"), Response(200)),))
    yield Example((Exchange(Request("GET", "/a"), Response(418)),), ("418",))
"""

GENE = """
import re
from dataclasses import dataclass

from pytest_evosearch.genes.formatted import FormattedGene


@dataclass(frozen=True)
class ColourGene(FormattedGene):
    current: str = "#000000"

    def is_well_formed(self, text):
        return re.fullmatch("#[0-9a-f]{6}", text) is not None

    def draw(self, rng):
        return f"#{rng.randrange(2**24):06x}"

    def vary(self, rng, strength):
        return self.draw(rng)

    def simplest(self):
        return "#000000"
"""

READER = """
from pytest_evosearch.sut.documents.validators.hooks import Hook, Part


def hooks(library):
    def parts(validator, data):
        yield Part(data, lambda: {"type": "string", "maxLength": validator.most})

    return [Hook(library.Validator, "validate", lambda validator, data: validator.most, parts)]
"""

BRIEF = """
class Validator:
    most = 5

    def validate(self, data):
        return len(data) <= self.most
"""

ALGORITHM = '''
"""while budget left: run sample()"""

from pytest_evosearch.search.random_search import RandomSearch


class Wandering(RandomSearch):
    """Draws fresh samples, as a baseline does."""
'''

REPORT = """
def words_report(outcome):
    return f"{outcome.seed} {len(outcome.faults)}"
"""

KEEPER = """
class MoodKeeper:
    description = "the mood"

    def __init__(self, app):
        self._app = app

    def snapshot(self):
        self._mood = getattr(self._app, "mood", "")

    def restore(self):
        self._app.mood = self._mood

    def close(self):
        pass
"""


def add(root: Path, name: str, text: str) -> None:
    """Add a module to the package."""
    (root / PACKAGE / name).write_text(text.lstrip())


def edit(root: Path, name: str, place: str, added: str) -> None:
    """Put `added` behind the only `place` of a file."""
    path = root / PACKAGE / name
    text = path.read_text("utf-8")
    assert text.count(place) == 1, f"{name}: {place!r}"
    path.write_text(text.replace(place, place + added))


def run(root: Path, code: str) -> str:
    """Run code in an interpreter that imports the copy, and return what it prints."""
    environment = {**os.environ, "PYTHONPATH": str(root)}
    command = [sys.executable, "-c", f"import {PACKAGE}\n{code}"]
    done = subprocess.run(
        command, cwd=root, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the package, and follow all recipes in the copy."""
    root = tmp_path_factory.mktemp("copy")
    shutil.copytree(REPOSITORY / PACKAGE, root / PACKAGE)
    (root / "benchmarks").mkdir()
    shutil.copy(REPOSITORY / "benchmarks" / "trial.py", root / "benchmarks")
    add(root, "oracles/teapot.py", ORACLE)
    shutil.copytree(REPOSITORY / ORACLE_TESTS, root / ORACLE_TESTS)
    (root / ORACLE_TESTS / "oracle_examples" / "teapot.py").write_text(EXAMPLES.lstrip())
    row = 'OracleSpec("teapot", "teapot:TeapotOracle", is_default=False),'
    edit(root, "settings/oracle_specs.py", "ORACLES: tuple[OracleSpec, ...] = (\n", f"    {row}\n")
    add(root, "genes/colours.py", GENE)
    imported = "from pytest_evosearch.genes.colours import ColourGene\n"
    future = "from __future__ import annotations\n"
    edit(root, "genes/inference.py", future, imported)
    edit(root, "genes/inference.py", "    UrlGene(),\n", "    ColourGene(),\n")
    add(root, "sut/documents/validators/brief_validators.py", READER)
    row = '    "brief": "brief_validators",\n'
    edit(root, "sut/documents/validators/libraries.py", "_READERS: Mapping[str, str] = {\n", row)
    add(root, "search/wandering.py", ALGORITHM)
    row = '        "wandering": "pytest_evosearch.search.wandering:Wandering",\n'
    edit(root, "search/algorithms.py", '"pytest_evosearch.search.mio:Mio",\n', row)
    edit(root, "settings/options.py", 'ALGORITHMS = ("mio", ', '"wandering", ')
    add(root, "report/words.py", REPORT)
    edit(
        root, "report/files.py", future, "from pytest_evosearch.report.words import words_report\n"
    )
    edit(
        root,
        "report/files.py",
        "    PAGE: html_page,\n",
        '    "words.txt": words_report,\n',
    )
    add(root, "sut/state/moods.py", KEEPER)
    imported = "from pytest_evosearch.sut.state.moods import MoodKeeper\n"
    edit(root, "sut/state/reset.py", future, imported)
    row = "    lambda application: MoodKeeper(application.app),\n"
    edit(root, "sut/state/reset.py", "StateKeeper], ...] = (\n", row)
    return root


def test_the_copy_is_imported_and_every_recipe_is_there(root: Path) -> None:
    assert run(root, f"print({PACKAGE}.__file__)") == str(root / PACKAGE / "__init__.py")
    recipes = (REPOSITORY / "CONTRIBUTING.md").read_text("utf-8").split("### Add ")[1:]
    first = [recipe.partition(" in ")[0] for recipe in recipes]
    subjects = ["oracle", "gene", "validator library", "algorithm", "report", "state keeper"]
    assert [one.partition(" ")[2] for one in first] == subjects


ANSWERING = """
import flask

def create_app():
    app = flask.Flask("pot")
    app.add_url_rule("/pot", view_func=lambda: ("no coffee", 418))
    return app
"""

FOUND = """
from pathlib import Path
from benchmarks.trial import covered_and_faults
from pytest_evosearch.settings.options import OPTIONS

def create_app():
    import pot
    return pot.create_app()

(option,) = (one for one in OPTIONS if one.name == "oracles")
assert "teapot" in option.choices
_covered, found = covered_and_faults(
    create_app, packages=["pot"], evaluations=8, seed=1, oracles=["teapot"]
)
print(*((one.code, one.endpoint) for one in found))
"""


@pytest.mark.slow("whole commands run")
def test_an_oracle_is_a_class_with_examples_and_a_row(root: Path) -> None:
    (root / "pot.py").write_text(ANSWERING)
    tested = run(root, f"import pytest; pytest.main(['-qk', 'teapot', '{ORACLE_TESTS}'])")
    assert "4 passed" in tested
    assert run(root, FOUND) == "('teapot', 'GET /pot')"


def test_a_gene_is_a_class_and_a_place_that_makes_it(root: Path) -> None:
    code = """
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.collections import gene_for
gene = gene_for({"colour": "#a0b1c2"}).field("colour").gene
print(gene, gene.sample(Random(1)).is_well_formed(gene.sample(Random(1)).value()))
"""
    assert run(root, code) == "ColourGene(current='#a0b1c2') True"


def test_a_validator_library_is_a_reader_and_a_row(root: Path) -> None:
    (root / "brief.py").write_text(BRIEF)
    code = """
import brief
from pytest_evosearch.sut.documents.validators.libraries import hooks_of
(hook,) = hooks_of(brief)
(part,) = hook.parts(brief.Validator(), "abc")
print(hook.name, part.data, part.read())
"""
    assert run(root, code) == "validate abc {'type': 'string', 'maxLength': 5}"


def test_an_algorithm_is_a_class_and_two_names(root: Path) -> None:
    code = """
from pytest_evosearch.search.algorithms import ALGORITHMS
from pytest_evosearch.search.conformance import run_conformance
from pytest_evosearch.settings.options import OPTIONS
run_conformance(ALGORITHMS.get("wandering"))
(option,) = (one for one in OPTIONS if one.name == "algorithm")
print("wandering" in option.choices)
"""
    assert run(root, code) == "True"


def test_a_report_is_a_function_and_a_row(root: Path) -> None:
    code = """
from pathlib import Path
from types import SimpleNamespace
from pytest_evosearch.report.files import RENDERERS
print(RENDERERS["words.txt"](SimpleNamespace(seed=7, faults=())))
"""
    assert run(root, code) == "7 0"


def test_a_state_keeper_is_a_class_and_a_row(root: Path) -> None:
    code = """
import flask
from pytest_evosearch.sut.state.reset import choose_keeper
app = flask.Flask("moody")
app.mood = "calm"
keeper = choose_keeper(app, [])
keeper.snapshot()
app.mood = "cross"
keeper.restore()
print(app.mood, "|", keeper.description.partition(",")[0])
"""
    assert run(root, code) == "calm | the mood"
