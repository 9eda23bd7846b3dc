"""Where an application keeps a text, and which texts no test may tell."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from types import SimpleNamespace

import pytest
from flask import Flask

from pytest_evosearch.sut.users.origins import environment_secrets
from pytest_evosearch.sut.users.origins import loaded_sources
from pytest_evosearch.sut.users.origins import named_files
from pytest_evosearch.sut.users.origins import origin_of
from pytest_evosearch.sut.users.origins import secret_place


@pytest.fixture
def harbour(monkeypatch):
    """A module of an application with keys in many places."""
    module = ModuleType("harbour")
    exec(SOURCE, vars(module))
    monkeypatch.setitem(sys.modules, "harbour", module)
    monkeypatch.setenv("HARBOUR_CODE", "from-outside-5")
    return module


SOURCE = """
from flask import Flask

class Box:
    def __init__(self):
        self.codes = [b"first-code", "second-code"]

app = Flask("harbour")
app.config["GATES"] = {"north": {"key": "gate-north-1"}}
app.crew = {"nell": "rope-22"}
app.box = Box()
PASSES = {"tok-441": "otis"}
TICKETS = {"apple": 3, "ticket-8812": 4}
"""


def test_an_empty_text_and_what_libraries_hold_have_no_place(harbour) -> None:
    assert origin_of("", harbour.app, [harbour]) is None
    library = Flask.request_class.json_module.__name__
    assert origin_of(library, harbour.app, [harbour]) is None


@pytest.mark.parametrize(
    ("text", "expression", "owner"),
    [
        ("gate-north-1", 'app.config["GATES"]["north"]["key"]', "key"),
        ("rope-22", 'app.crew["nell"]', "nell"),
        ("first-code", "app.box.codes[0].decode()", "box"),
        ("second-code", "app.box.codes[1]", "box"),
        ("tok-441", 'next(key for key, owner in PASSES.items() if owner == "otis")', "otis"),
        ("ticket-8812", "list(TICKETS)[1]", ""),
        ("from-outside-5", 'os.environ["HARBOUR_CODE"]', "HARBOUR_CODE"),
    ],
)
def test_text_is_found_where_it_is_kept(harbour, text, expression, owner):
    origin = origin_of(text, harbour.app, [harbour])
    assert origin is not None
    assert (origin.expression, origin.owner) == (expression, owner)


def test_expressions_read_the_texts(harbour):
    for text in ("gate-north-1", "first-code", "tok-441", "from-outside-5"):
        origin = origin_of(text, harbour.app, [harbour])
        assert origin is not None
        names: dict[str, object] = {"app": harbour.app}
        exec("\n".join(origin.imports), names)
        assert eval(origin.expression, names) == text


def test_a_word_that_is_a_key_by_chance_is_told_as_it_is(harbour):
    assert origin_of("apple", harbour.app, [harbour]) is None


def test_text_that_is_kept_nowhere_has_no_origin(harbour):
    assert origin_of("never-seen", harbour.app, [harbour]) is None


def test_what_refers_to_itself_is_looked_at_once():
    app = Flask("loop")
    ring: list[object] = []
    ring.append(ring)
    app.config["RING"] = ring
    assert origin_of("absent-text", app, []) is None


def test_values_of_the_environment_are_secrets_but_for_those_that_tests_set():
    environment = {"API_KEY": "long-enough-1", "SHORT": "abc", "STAND_IN": "evosearch-1"}
    secrets = environment_secrets(environment, frozenset({"STAND_IN"}))
    assert secrets == {"long-enough-1": "the environment variable API_KEY"}
    assert secret_place("Bearer long-enough-1", secrets, ()) == "the environment variable API_KEY"
    assert not secret_place("abc", secrets, ())


def test_regions_zones_and_locales_are_no_secrets():
    environment = {
        "AWS_DEFAULT_REGION": "eu-central-1",
        "LC_ALL": "de_DE.UTF-8",
        "TIMEZONE": "Etc/GMT+5",
    }
    assert not environment_secrets(environment)
    assert environment_secrets({"REGION_KEY": "eu-central-1"})


def test_what_stands_in_the_sources_of_the_project_is_no_secret(tmp_path, monkeypatch):
    environment = {"PRICES": "http://prices.internal", "API_KEY": "long-enough-1"}
    conftest = tmp_path / "conftest.py"
    conftest.write_text('os.environ["PRICES"] = "http://prices.internal"')
    secrets = environment_secrets(environment, sources=[conftest, tmp_path / "absent.py"])
    assert list(secrets) == ["long-enough-1"]
    module, library = ModuleType("conftest_of_prices"), ModuleType("library_of_prices")
    module.__file__, library.__file__ = str(conftest), "/usr/lib/library_of_prices.py"
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(sys.modules, library.__name__, library)
    assert loaded_sources(tmp_path) == [conftest]


def test_content_of_a_file_outside_of_the_project_is_a_secret(tmp_path):
    root, secret = tmp_path / "project", tmp_path / "key.txt"
    root.mkdir()
    secret.write_text("mounted-key-9\n", encoding="utf-8")
    (root / "own.txt").write_text("own-key-77", encoding="utf-8")
    config = {"KEY_FILE": str(secret), "OWN": str(root / "own.txt"), "NUMBER": 3}
    files = named_files(SimpleNamespace(config=config), {}, root)
    assert files == [secret]
    assert secret_place("mounted-key-9", {}, files) == f"the file {secret}"
    assert not secret_place("own-key-77", {}, files)


def test_text_is_read_in_the_file_that_a_setting_names(tmp_path):
    file = tmp_path / "private.pem"
    file.write_text("a key of two\nlines\n", encoding="utf-8")
    app = Flask("files")
    app.config.update(KEY_FILE=str(file), FOLDER=tmp_path, NOTHING="\0", LONG="a" * 5000)
    whole, stripped = file.read_text(encoding="utf-8"), "a key of two\nlines"
    for text, code in ((whole, ""), (stripped, ".strip()")):
        origin = origin_of(text, app, [])
        assert origin.expression == f'Path(app.config["KEY_FILE"]).read_text(){code}'
        assert origin.imports == ("from pathlib import Path",)
        assert eval(origin.expression, {"app": app, "Path": Path}) == text
