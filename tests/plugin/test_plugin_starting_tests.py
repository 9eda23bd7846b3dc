"""What the project's own tests and earlier written ones send is where the search starts."""

from __future__ import annotations

import shutil

import pytest

pytestmark = pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")

VAULT = """
from hashlib import sha256
from flask import Flask, jsonify, request

notes = {}


def create_app():
    app = Flask(__name__)

    @app.post("/vaults")
    def open_vault():
        if sha256(request.json["phrase"].encode()).hexdigest()[:8] != "c6192e05":
            return jsonify(error="wrong phrase"), 403
        notes[len(notes) + 1] = "treasure"
        return jsonify(id=len(notes)), 201

    @app.get("/vaults/<int:number>")
    def look(number):
        if number in notes:
            return jsonify(note=notes[number])
        return jsonify(error="nothing here"), 404

    return app
"""

CONFTEST = """
import pytest
from vault import create_app


@pytest.fixture
def client():
    return create_app().test_client()


@pytest.fixture
def phrase():
    return "open sesame, slowly"
"""

TESTS = """
def test_treasure(client, phrase):
    opened = client.post("/vaults", json={"phrase": phrase})
    assert client.get(f"/vaults/{opened.json['id']}").json == {"note": "treasure"}
"""

ONCE = "--evosearch-set=plan.circumstances=first"


@pytest.fixture
def vault(project):
    """A project whose application only lets in who knows what its tests know."""
    project.plugins = ["-p", "pytest_evosearch.plugin", "-p", "no:randomly"]
    project.write(vault=VAULT, conftest=CONFTEST)
    project.pytester.syspathinsert()
    return project


def written(vault) -> str:
    files = sorted((vault.path / "evosearch").glob("test_evosearch_*.py"))
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


def test_a_secret_of_the_projects_tests_opens_the_way_in_each_run_and_with_each_seed(vault) -> None:
    vault.write(test_vault=TESTS)
    result = vault.run("--evosearch=60x", "--evosearch-seed=1", ONCE, forks=False)
    assert result.ret == 0, result.stdout.str()
    assert "open sesame, slowly" in written(vault)
    assert '{"note": "treasure"}' in written(vault)
    first = folder_of(vault)
    vault.run("--evosearch=60x", "--evosearch-seed=1", ONCE, forks=False)
    assert folder_of(vault) == first

    # A run with another seed starts with what was written.
    (vault.path / "test_vault.py").unlink()
    forget_what_tests_cover(vault)
    vault.run("--evosearch=60x", "--evosearch-seed=2", ONCE, forks=False)
    assert '{"note": "treasure"}' in written(vault)
    assert "open sesame, slowly" in written(vault)
    second = folder_of(vault)
    vault.run("--evosearch=60x", "--evosearch-seed=2", ONCE, forks=False)
    assert folder_of(vault) == second


def test_without_such_tests_it_stays_shut(vault) -> None:
    result = vault.run("--evosearch=60x", "--evosearch-seed=1", ONCE, forks=False)
    assert result.ret == 0, result.stdout.str()
    assert "treasure" not in written(vault)


def folder_of(vault) -> dict[str, str]:
    return {
        path.name: path.read_text(encoding="utf-8")
        for path in (vault.path / "evosearch").iterdir()
        if path.is_file()
    }


def forget_what_tests_cover(vault) -> None:
    """Remove the cache: tests stay for what they cover only where that is remembered."""
    shutil.rmtree(vault.path / ".pytest_cache")


BY_A_WIRE = """
from vault import create_app


class Wire:
    def __init__(self):
        self._client = create_app().test_client()
        self._phrase = "ylwols ,emases nepo"[::-1]

    def ask(self, verb, *parts):
        return getattr(self._client, verb)("/" + "/".join(parts), json={"phrase": self._phrase})


def test_words():
    assert "a".upper() == "A"


def test_treasure():
    assert Wire().ask("post", "vaults").status_code == 201
"""


def test_what_tests_send_in_a_way_of_their_own_is_heard(project) -> None:
    project.plugins = ["-p", "pytest_evosearch.plugin", "-p", "no:randomly"]
    project.write(vault=VAULT, test_vault=BY_A_WIRE)
    project.pytester.syspathinsert()
    result = project.run("--evosearch=20x", "--evosearch-seed=1", ONCE, forks=False)
    assert result.ret == 0, result.stdout.str()
    assert "open sesame, slowly" in written(project)
