from __future__ import annotations

import importlib
import os
import sys
from contextvars import copy_context
from importlib.machinery import ModuleSpec
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import Any

import pytest
from flask import Flask

from pytest_evosearch.errors import ApplicationNotFound
from pytest_evosearch.sut.finding.application_loader import unwrap
from pytest_evosearch.sut.finding.discovery import is_prepared_by_a_program
from pytest_evosearch.sut.finding.discovery import load_application
from pytest_evosearch.sut.finding.discovery import prepared_by_a_program
from pytest_evosearch.sut.finding.factory_calls import find_factory_calls
from pytest_evosearch.sut.finding.project_scan import ParsedTests
from pytest_evosearch.sut.finding.reference import parse_reference
from pytest_evosearch.sut.finding.unset_variables import IN_MEMORY
from pytest_evosearch.sut.finding.unset_variables import SECRET
from pytest_evosearch.sut.import_statements import importable
from pytest_evosearch.sut.users.missing_tables import is_missing_tables

MODULE = "from flask import Flask\napp = Flask(__name__)\n"
FACTORY = """
from flask import Flask

def create_app({parameters}):
    app = Flask(__name__)
    app.config["GIVEN"] = {given}
    return app
"""


@pytest.fixture(autouse=True)
def _no_flask_app(monkeypatch):
    monkeypatch.delenv("FLASK_APP", raising=False)


def write(project, files):
    for name, text in files.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_module_and_name(project):
    write(project, {"shopx/__init__.py": MODULE})

    loaded = load_application("shopx:app", project)

    assert loaded.app.import_name == "shopx"
    assert loaded.description == "shopx:app"
    assert loaded.import_statement == "from shopx import app"
    assert loaded.expression == "app"
    assert loaded.path_entries == (project,)
    assert "(" not in loaded.expression


def test_a_factory_of_any_name_is_found_by_what_it_makes(project):
    text = FACTORY.format(parameters="config=None", given="config").replace("create_app", "create")
    others = "def app_named(name):\n    app = Flask(name)\n    return app\n"
    write(project, {"shopz/__init__.py": "", "shopz/serving.py": text + others})

    loaded = load_application(None, project)

    assert loaded.description == "shopz.serving:create()"
    assert loaded.import_statement == "from shopz.serving import create"


@pytest.mark.parametrize("spec", ["factx:create_app('testing')", "factx.py:create_app('testing')"])
def test_factory_calls_with_arguments(project, spec):
    write(project, {"factx.py": FACTORY.format(parameters="name", given="name")})

    loaded = load_application(spec, project)

    assert loaded.app.config["GIVEN"] == "testing"
    assert loaded.expression == "create_app('testing')"
    assert "(" in loaded.expression


@pytest.mark.parametrize(
    ("parameters", "given", "expression"),
    [
        ("", "1", "create_app()"),
        ("testing", "testing", "create_app(True)"),
        ("config_name", "config_name", 'create_app("testing")'),
        ("test_config", "test_config", 'create_app({"TESTING": True})'),
        ("*, testing: bool", "testing", "create_app(testing=True)"),
    ],
)
def test_bare_modules_and_guessed_arguments(project, parameters, given, expression):
    write(project, {"barex.py": FACTORY.format(parameters=parameters, given=given)})
    assert load_application("barex", project).expression == expression


def test_conventional_files(project):
    write(project, {"app.py": MODULE})
    loaded = load_application(None, project)
    assert loaded.description == "app:app"
    assert "wsgi.py (absent)" in loaded.tried


@pytest.mark.parametrize("source", ["environment", "file"])
def test_flask_app_variable(project, monkeypatch, source):
    write(project, {"deep/siteone.py": MODULE, "app.py": MODULE})
    if source == "environment":
        monkeypatch.setenv("FLASK_APP", "deep/siteone.py")
    else:
        write(project, {".flaskenv": "FLASK_APP=deep/siteone.py:app\nFLASK_DEBUG=1\n"})
    assert load_application(None, project).module == "siteone"


@pytest.mark.parametrize("dotenv", [True, False])
def test_environment_file_that_is_no_utf_8(project, monkeypatch, dotenv):
    write(project, {"deep/siteone.py": MODULE, "app.py": MODULE})
    text = "# Schlüssel\nFLASK_APP=deep/siteone.py:app\n"
    (project / ".flaskenv").write_bytes(text.encode("latin-1"))

    def load_dotenv():  # as python-dotenv reads it
        (project / ".flaskenv").read_text(encoding="utf-8")

    monkeypatch.setattr("flask.cli.load_dotenv", load_dotenv)
    if dotenv:
        monkeypatch.setitem(sys.modules, "dotenv", ModuleType("dotenv"))
        sys.modules["dotenv"].__spec__ = ModuleSpec("dotenv", None)
    else:
        monkeypatch.setitem(sys.modules, "dotenv", None)
    assert load_application(None, project).module == "siteone"


def test_static_scan(project):
    write(
        project,
        {
            "services/store/__init__.py": "",
            "services/store/server.py": MODULE.replace("app =", "service ="),
            "venv/pyvenv.cfg": "",
            "venv/lib.py": MODULE,
            "tests/test_it.py": MODULE,
        },
    )
    loaded = load_application(None, project)
    assert loaded.description == "store.server:service"
    assert loaded.path_entries == (project / "services",)


def test_the_call_in_the_projects_tests_comes_first(project):
    write(
        project,
        {
            "callx.py": FACTORY.format(parameters="config", given="config"),
            "configx.py": "class TestConfig: pass\n",
            "app.py": MODULE,
            "tests/test_a.py": """
from callx import create_app
from configx import TestConfig

def local(path):
    create_app(path)

def test_a():
    create_app(TestConfig)
""",
        },
    )
    loaded = load_application(None, project)

    assert loaded.app.config["GIVEN"].__name__ == "TestConfig"
    assert loaded.description == "callx:create_app(TestConfig)"
    assert loaded.import_statement == "from callx import create_app\nfrom configx import TestConfig"


HELPERS = """
from shopx import create_app

def create_shop(currency="EUR"):
    app = create_app("testing")
    app.config["CURRENCY"] = currency
    return app

def shops():
    yield create_app("production")

def close_shop(app):
    app.closed = True
"""
USES_HELPERS = """
from helpers import close_shop, create_shop, shops

def test_a():
    close_shop(create_shop())
    close_shop(create_shop())
    next(shops())
    next(shops())
    next(shops())
"""


def test_a_function_of_the_tests_that_makes_the_application_is_one_of_its_factories(project):
    write(
        project,
        {
            "shopx.py": FACTORY.format(parameters="name", given="name"),
            "tests/helpers.py": HELPERS,
            "tests/test_shop.py": USES_HELPERS,
        },
    )

    calls = find_factory_calls(ParsedTests(project))

    assert [str(call) for call in calls] == [
        "helpers:create_shop()",
        "shopx:create_app('production')",
    ]


BY_MODULE = """
import pytest
import shopx

from .places import *

def test_refusals():
    with pytest.raises(ValueError):
        shopx.create_app([], "refused")
    with pytest.raises(ValueError):
        shopx.create_app([], "refused")

def test_local():
    title = "known here alone"
    shopx.create_app(CATALOGUES, title)

def test_it():
    app = shopx.create_app(CATALOGUES, TITLE)
"""
PLACES = """
import os

TITLE = "Books"
BOOKS = os.path.abspath("tests/books")
CATALOGUES = {"books": [BOOKS]}
"""


def test_a_factory_is_called_through_its_module_with_constants_of_the_tests(project):
    write(
        project,
        {
            "shopx.py": FACTORY.format(parameters="given, title", given="given"),
            "tests/__init__.py": "",
            "tests/places.py": PLACES,
            "tests/test_shop.py": BY_MODULE,
        },
    )

    loaded = load_application(None, project)

    assert loaded.app.config["GIVEN"] == {"books": [str(Path("tests/books").resolve())]}
    assert loaded.expression == ("create_app({'books': [os.path.abspath('tests/books')]}, 'Books')")
    assert loaded.import_statement == "import os\nfrom shopx import create_app"


def test_constants_that_are_assigned_twice_or_name_each_other_are_not_written_out(project):
    source = """
    from shopx import create_app
    TITLE = "one"
    TITLE = "two"
    HERE = THERE
    THERE = HERE
    create_app(TITLE)
    create_app(HERE)
    create_app("three")
    """
    write(project, {"tests/test_shop.py": dedent(source)})

    [call] = find_factory_calls(ParsedTests(project))

    assert str(call) == "shopx:create_app('three')"


def test_import_errors_name_type_message_and_place(apps, project):
    with pytest.raises(ApplicationNotFound) as caught:
        load_application("raises_on_import:app", apps)

    message = str(caught.value)
    assert (
        "RuntimeError: no secret key in the environment, set SECRET_KEY (raises_on_import.py:8)"
        in message
    )
    assert "\n" not in message


def test_exits_are_survived_with_a_clean_argv(apps, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["pytest", "--evosearch=1s"])
    with pytest.raises(ApplicationNotFound, match=r"SystemExit: 2 \(exits_on_import.py:10\)"):
        load_application("exits_on_import", apps)
    assert sys.argv == ["pytest", "--evosearch=1s"]


@pytest.mark.parametrize(
    ("spec", "phrase"),
    [
        ("nowhere:app", "ModuleNotFoundError"),
        ("presentx:missing", "presentx has no 'missing' (applications and factories in it: app)"),
        ("presentx:value", "presentx:value is a int, not a Flask application"),
        ("presentx:1 + 1", "neither a name nor a call"),
        ("brokenx", "SyntaxError"),
    ],
)
def test_what_cannot_be_loaded_is_one_line(project, spec, phrase):
    write(project, {"presentx.py": MODULE + "value = 1\n", "brokenx.py": "def ("})
    with pytest.raises(ApplicationNotFound) as caught:
        load_application(spec, project)
    assert phrase in str(caught.value)
    assert "\n" not in str(caught.value)


def test_nothing_found_says_what_was_tried(project):
    write(project, {"wsgi.py": "raise KeyError('TOKEN')\n"})
    with pytest.raises(ApplicationNotFound) as caught:
        load_application(None, project)
    message = str(caught.value)
    for phrase in (
        "FLASK_APP (not set)",
        "wsgi.py (KeyError: 'TOKEN' (wsgi.py:1))",
        "app.py (absent)",
        "--evosearch-app=module:name",
        "client",
    ):
        assert phrase in message
    assert "\n" not in message


def test_what_failed_for_one_reason_is_one_phrase(project):
    write(project, {"keys.py": "raise KeyError('TOKEN')\n"})
    write(project, {"wsgi.py": "import keys\n", "app.py": "import keys\n"})

    with pytest.raises(ApplicationNotFound) as caught:
        load_application(None, project)

    assert "; wsgi.py and app.py (KeyError: 'TOKEN' (keys.py:1)); " in str(caught.value)


ASKING = """
import os
import json.decoder  # asks for nothing here

LEVEL = os.getenv("UNSET_LEVEL", "info")
EXTRA = "UNSET_EXTRA" in os.environ
URL = os.environ.get("UNSET_URL")
os.environ.setdefault("UNSET_PORT", "5000")

def create_app():
    raise RuntimeError("no database: " + os.environ["UNSET_TOKEN"])
"""


@pytest.mark.parametrize("spec", ["app:create_app", None])
@pytest.mark.parametrize(
    ("dotenv", "advice"),
    [
        ("", ""),
        (
            "UNSET_TOKEN=1\n",
            " (.env has them: install python-dotenv, with which the flask command reads it)",
        ),
    ],
)
def test_what_cannot_be_loaded_says_which_variables_are_not_set(
    project, monkeypatch, spec, dotenv, advice
):
    monkeypatch.setenv("UNSET_PORT", "")  # so that it is taken back
    monkeypatch.delenv("UNSET_PORT")
    write(project, {"app.py": ASKING, **({".env": dotenv} if dotenv else {})})

    with pytest.raises(ApplicationNotFound) as caught:
        load_application(spec, project)

    message = str(caught.value)
    assert f"; not set, but read by the application: UNSET_URL, UNSET_TOKEN{advice}; " in message
    assert "\n" not in message
    assert type(os.environ).__name__ == "_Environ"


def test_a_variable_that_would_be_an_empty_text_is_not_set(project):
    """``int("")`` fails as ``os.environ["UNSET_PORT"]`` does, and names it as little."""
    write(project, {"app.py": 'import os\n\nPORT = int(os.getenv("UNSET_PORT", ""))\n'})
    with pytest.raises(
        ApplicationNotFound, match="; not set, but read by the application: UNSET_PORT; "
    ):
        load_application("app", project)


STAND_INS = """
import os
from flask import Flask

URL = os.environ.get("UNSET_DATABASE_URL")

def create_app():
    app = Flask(__name__)
    app.config.update(URL=URL, SECRET_KEY=os.environ["UNSET_SECRET_KEY"])
    if not URL:
        raise RuntimeError("no database")
    {further}
    return app
"""


@pytest.fixture
def _sqlalchemy(monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlalchemy", ModuleType("sqlalchemy"))
    for name in ("UNSET_DATABASE_URL", "UNSET_SECRET_KEY"):
        monkeypatch.setenv(name, "")  # so that it is taken back
        monkeypatch.delenv(name)


@pytest.mark.usefixtures("_sqlalchemy")
@pytest.mark.parametrize("spec", ["app:create_app", None])
def test_a_database_and_a_secret_that_are_not_set_have_stand_ins(project, spec):
    # A package without an __init__.py has no file, but asks for its parent.
    files = {"app.py": f"import parts.inner.one\n{STAND_INS.format(further='')}"}
    write(project, {**files, "parts/__init__.py": "", "parts/inner/one.py": ""})

    loaded = load_application(spec, project)

    assert loaded.variables == {"UNSET_DATABASE_URL": IN_MEMORY, "UNSET_SECRET_KEY": SECRET}
    assert (loaded.app.config["URL"], loaded.app.config["SECRET_KEY"]) == (IN_MEMORY, SECRET)
    assert os.environ["UNSET_DATABASE_URL"] == IN_MEMORY


@pytest.mark.usefixtures("_sqlalchemy")
def test_stand_ins_that_do_not_help_are_taken_back(project):
    write(project, {"app.py": STAND_INS.format(further="raise RuntimeError('no port')")})

    with pytest.raises(ApplicationNotFound) as caught:
        load_application("app:create_app", project)

    assert "RuntimeError: no port" in str(caught.value)
    assert "(with stand-ins for UNSET_SECRET_KEY, UNSET_DATABASE_URL)" in str(caught.value)
    assert "UNSET_DATABASE_URL" not in os.environ


@pytest.mark.usefixtures("_sqlalchemy")
def test_a_failure_that_a_stand_in_causes_is_not_the_reason(project):
    further = "open(os.environ['UNSET_SECRET_KEY'])"
    write(project, {"app.py": STAND_INS.format(further=further)})

    with pytest.raises(ApplicationNotFound, match="KeyError: 'UNSET_SECRET_KEY'") as caught:
        load_application("app:create_app", project)

    assert SECRET not in str(caught.value)


@pytest.mark.usefixtures("_sqlalchemy")
def test_a_library_that_is_missing_behind_a_variable_is_the_reason(project):
    write(project, {"app.py": STAND_INS.format(further="import not_installed")})

    with pytest.raises(ApplicationNotFound, match=r"ModuleNotFoundError: .* 'not_installed'"):
        load_application("app:create_app", project)

    assert "UNSET_DATABASE_URL" not in os.environ


def test_routes_that_a_failed_import_has_left_are_imported_again(project, monkeypatch):
    monkeypatch.syspath_prepend(str(project))
    text = "from flask import Flask\napp = Flask(__name__)\nfrom service import routes\n"
    started = "import pathlib\nif not pathlib.Path(__file__).with_name('server').exists():\n"
    files = {"service/__init__.py": f"{text}{started}    raise SystemExit(4)\n"}
    routes = "from service import app\n@app.get('/products')\ndef products():\n    return ''\n"
    write(project, {**files, "service/routes.py": routes})
    with pytest.raises(SystemExit):
        importlib.import_module("service")
    (project / "service" / "server").touch()

    loaded = load_application(None, project)

    assert "/products" in {rule.rule for rule in loaded.app.url_map.iter_rules()}


CLIENT = """
import os

class Client:
    def __init__(self, key=None):
        os.environ.get("UNSET_PROXY")
        key = key or os.environ.get("UNSET_SERVICE_KEY")
        if key is None:
            raise RuntimeError("set the UNSET_SERVICE_KEY environment variable")
"""

ASKED_BY_A_CLIENT = """
import os
from flask import Flask
from service_client import Client

app = Flask(__name__)
client = Client()
app.config["FOLDER"] = os.environ["UNSET_FOLDER"]
"""


def test_variables_that_the_failure_names_have_stand_ins(project, tmp_path_factory, monkeypatch):
    library = tmp_path_factory.mktemp("site-packages")
    (library / "service_client.py").write_text(CLIENT)
    monkeypatch.syspath_prepend(str(library))
    monkeypatch.delitem(sys.modules, "service_client", raising=False)
    for name in ("UNSET_SERVICE_KEY", "UNSET_FOLDER"):
        monkeypatch.setenv(name, "")  # so that it is taken back
        monkeypatch.delenv(name)
    write(project, {"app.py": ASKED_BY_A_CLIENT})

    loaded = load_application(None, project)

    assert loaded.variables == {
        "UNSET_SERVICE_KEY": "a-text-that-only-tests-have-0123456789",
        "UNSET_FOLDER": ".",
    }


ADDRESSED = """
import os
from flask import Flask

URI = os.environ.get("UNSET_STORE_URI")
if not URI:
    raise ValueError("UNSET_STORE_URI is not set")
if not URI.startswith("store"):
    raise ValueError("URI must begin with 'store://' or 'store+srv://'")
app = Flask(__name__)
"""


def test_an_address_gets_the_scheme_that_the_failure_demands(project, monkeypatch):
    monkeypatch.setenv("UNSET_STORE_URI", "")  # so that it is taken back
    monkeypatch.delenv("UNSET_STORE_URI")
    write(project, {"app.py": ADDRESSED})

    assert load_application(None, project).variables == {"UNSET_STORE_URI": "store://localhost"}


CONFIGURED_BY_NAME = """
from flask import Flask

settings = {"dev": {"WIDTH": 9}}

def create_app(config_name):
    app = Flask(__name__)
    app.config.update(settings[config_name])
    return app
"""


def test_a_module_that_calls_the_factory_knows_its_arguments(project):
    called = "from video import create_app\napp = create_app('dev')\n"
    write(project, {"video/__init__.py": CONFIGURED_BY_NAME, "video_api.py": called})

    loaded = load_application(None, project)

    assert (loaded.description, loaded.app.config["WIDTH"]) == ("video_api:app", 9)


ASKED_IN_A_LOOP = """
import os
from flask import Flask

for name in ("UNSET_FOLDER", "UNSET_SERVICE_KEY"):
    if {missing}:
        raise OSError(f"missing: {{name}}")
PLAIN = "UNSET_PLAIN" in os.environ
app = Flask(__name__)
"""


@pytest.mark.parametrize("missing", ["name not in os.environ", "not read(name)"])
def test_variables_that_code_asks_for_and_then_misses_have_stand_ins(
    project, tmp_path_factory, monkeypatch, missing
):
    library = tmp_path_factory.mktemp("site-packages")
    reader = (
        "import os\ndef read(name):\n    return os.environ[name] if name in os.environ else None\n"
    )
    (library / "reader_of_settings.py").write_text(reader)
    monkeypatch.syspath_prepend(str(library))
    monkeypatch.delitem(sys.modules, "reader_of_settings", raising=False)
    for name in ("UNSET_SERVICE_KEY", "UNSET_FOLDER"):
        monkeypatch.setenv(name, "")  # so that it is taken back
        monkeypatch.delenv(name)
    text = ASKED_IN_A_LOOP.format(missing=missing)
    write(project, {"app.py": f"from reader_of_settings import read\n{text}"})

    assert load_application(None, project).variables.keys() == {"UNSET_SERVICE_KEY", "UNSET_FOLDER"}


def test_what_is_set_and_what_has_a_default_gets_no_stand_in(project, monkeypatch):
    source = STAND_INS.replace('"UNSET_DATABASE_URL")', '"UNSET_DATABASE_URL", "x")')
    write(project, {"app.py": source.format(further="")})
    monkeypatch.setenv("UNSET_SECRET_KEY", "mine")

    loaded = load_application("app:create_app", project)

    assert (loaded.variables, loaded.app.config["SECRET_KEY"]) == ({}, "mine")


def test_of_many_variables_that_are_not_set_some_are_named(project):
    lines = [f"os.environ.get('UNSET_{number}')" for number in range(9)]
    write(project, {"app.py": "\n".join(["import os", *lines, "raise KeyError('A')"])})

    with pytest.raises(ApplicationNotFound, match="UNSET_4, UNSET_5, \\.\\.\\.; name it"):
        load_application(None, project)


def test_the_directory_is_restored(project):
    write(project, {"movex.py": "import os\nos.chdir('/')\n" + MODULE})
    load_application("movex", project)
    assert Path.cwd() == project


@pytest.mark.parametrize(
    ("expression", "suffix"),
    [
        ("inner", ""),
        ("create_pair()", "[0]"),
        ("fixed", ".app"),
        ("dispatched", ".app.app"),
        ("bound", ".app.__self__"),
    ],
)
def test_wrapped_applications(load, expression, suffix):
    module = load("wrapped")
    app, found = unwrap(eval(expression, vars(module)))
    assert app is module.inner
    assert found == suffix
    assert eval(expression + suffix, vars(module)) is module.inner


DASH = """
from flask import Flask

class Dash:
    def __init__(self, name):
        self.server = Flask(name)

board = Dash(__name__)
"""


def test_the_server_of_a_framework_upon_flask_is_found(project):
    write(project, {"boardx.py": DASH})

    loaded = load_application(None, project)

    assert loaded.description == "boardx:board.server"
    assert loaded.app is sys.modules["boardx"].board.server
    assert loaded.import_statement == "from boardx import board"


def test_mounts_beside_an_application_answer_its_client(project):
    write(
        project,
        {
            "wsgi.py": "from flask import Flask\n"
            "from werkzeug.middleware.dispatcher import DispatcherMiddleware\n"
            "from werkzeug.middleware.proxy_fix import ProxyFix\n"
            "front, back = Flask('front'), Flask('back')\n"
            "back.add_url_rule('/', 'index', lambda: 'behind')\n"
            "application = ProxyFix(DispatcherMiddleware(front, {'/back': back}))\n"
        },
    )
    for _time in range(2):  # the second one finds what the first has done
        loaded = load_application("wsgi:application", project)
        assert loaded.app.test_client().get("/back/").text == "behind"
        assert loaded.app.test_client().get("/").status_code == 404
        assert (loaded.dispatcher, loaded.expression) == ("application.app", "application.app.app")


def test_references_know_their_folder(tmp_path):
    write(tmp_path, {"src/pkg/__init__.py": "", "src/pkg/web.py": ""})
    reference = parse_reference("src/pkg/web.py:app", tmp_path)
    assert (reference.module, reference.directory) == ("pkg.web", tmp_path / "src")


def test_server_that_is_started_on_import_is_ignored_as_the_flask_command_does(tmp_path):
    source = "from flask import Flask\n\nserver = Flask(__name__)\nserver.run(port=1)\n"
    (tmp_path / "starts_at_once.py").write_text(source)
    loaded = load_application("starts_at_once:server", tmp_path)
    assert loaded.description == "starts_at_once:server"
    assert loaded.variables == {"FLASK_RUN_FROM_CLI": "true"}


def test_of_several_applications_the_served_one_is_taken(project):
    """The others are mounted below it, or hold configuration."""
    (project / "web.py").write_text(
        "from flask import Flask\nback = Flask('back')\nfront = Flask('front')\napp = front\n"
    )
    assert load_application(None, project).description == "web:app"


def test_of_a_module_with_two_names_the_one_with_the_routes_is_taken(project):
    """The folder is a package, so Flask names the module by it; the project's files do not."""
    views = "from webx import app\n\n@app.get('/hello')\ndef hello():\n    return 'hello'\n"
    write(
        project,
        {
            "__init__.py": "",
            "webx/__init__.py": f"{MODULE}import webx.views\n",
            "webx/views.py": views,
        },
    )

    loaded = load_application("webx/__init__.py:app", project)

    assert loaded.description == "webx:app"
    assert loaded.app.view_functions["hello"]() == "hello"
    assert loaded.path_entries == (project,)


REGISTRY = """
from flask import Flask

views = []

def create_app():
    import facx.views
    app = Flask(__name__)
    for view in views:
        app.add_url_rule("/", view_func=view)
    return app
"""


def test_a_factory_is_called_by_the_name_that_the_projects_files_use(project):
    """They import it when it is called: by then it is too late for the other module's routes."""
    views = "from facx.web import views\n\n@views.append\ndef hello():\n    return 'hello'\n"
    files = {"facx/__init__.py": "", "facx/web.py": REGISTRY, "facx/views.py": views}
    write(project, {"__init__.py": "", **files})

    loaded = load_application("facx/web.py", project)

    assert loaded.description == "facx.web:create_app()"
    assert "hello" in loaded.app.view_functions


def test_what_a_proxy_of_the_module_stands_for_is_left_alone(project):
    proxy = "from werkzeug.local import LocalProxy\nconnection = LocalProxy(lambda: 1 / 0)\n"
    write(project, {"proxx.py": f"{MODULE}{proxy}"})

    assert load_application("proxx:app", project).description == "proxx:app"


SHADOWED = """
from flask import Flask, current_app

{name} = Flask(__name__)
{name}.app_context().push()
{further}
"""


def test_application_that_the_proxy_for_it_has_replaced_is_the_one_behind(project):
    """``from controllers import *`` brings a ``current_app as app``, nothing without a context."""
    source = SHADOWED.format(name="app", further="app = current_app")
    write(project, {"shadowx.py": source})
    made: dict[str, Any] = {}

    def load():
        loaded = load_application("shadowx:app", project)
        exec(loaded.import_statement, made)
        return loaded, eval(loaded.expression, made)

    loaded, written = copy_context().run(load)

    assert type(loaded.app) is Flask
    assert written is loaded.app
    assert loaded.expression == "app._get_current_object()"


def test_proxy_for_the_application_is_no_second_one(project):
    write(project, {"servx.py": SHADOWED.format(name="server", further="")})

    loaded = copy_context().run(load_application, "servx", project)

    assert (loaded.expression, type(loaded.app)) == ("server", Flask)


def test_application_that_the_proxy_for_another_hides_is_missing(project):
    write(project, {"lazyx.py": "from flask import current_app as app\n"})

    with pytest.raises(ApplicationNotFound, match="neither an application nor a factory"):
        load_application("lazyx", project)


def test_application_that_crashed_before_another_was_taken_is_told(project):
    source = "from flask import Flask\napp = Flask(__name__)\n"
    write(project, {"app.py": f"import not_installed_anywhere\n{source}", "other.py": source})

    loaded = load_application(None, project)

    assert loaded.module == "other"
    assert loaded.passed_over == (
        "app.py (ModuleNotFoundError: No module named 'not_installed_anywhere' (app.py:1))",
    )


def test_package_with_a_hyphen_is_imported_by_a_function(project):
    source = "from flask import Flask\ndef create_app():\n    return Flask(__name__)\n"
    write(project, {"my-shop/__init__.py": source})

    loaded = load_application(None, project)

    made: dict[str, Any] = {}
    exec(importable(loaded.import_statement), made)
    assert loaded.module == "my-shop"
    assert isinstance(eval(loaded.expression, made), Flask)


PREPARED = """
import sqlite3
from flask import Flask

app = Flask(__name__)
DATABASE = __file__.replace("depotx.py", "depot.db")

@app.get("/crates")
def crates():
    with sqlite3.connect(DATABASE) as connection:
        return connection.execute("SELECT * FROM crate").fetchall()

if __name__ == "__main__":
    with sqlite3.connect(DATABASE) as connection:
        connection.execute("CREATE TABLE crate (number INTEGER)")
    {start}
"""


def test_what_the_main_block_of_a_program_prepares_is_there_where_it_has_run(project):
    write(project, {"depotx.py": PREPARED.format(start="app.run()")})
    loaded = load_application("depotx:app", project)
    assert is_missing_tables(loaded.app)

    served = prepared_by_a_program(loaded, project)

    assert served is not None
    assert served.app is loaded.app
    assert served.program is not None
    assert not is_missing_tables(served.app)


@pytest.mark.parametrize("start", ["print('made')", "Flask('other').run()"])
def test_a_program_that_serves_nothing_or_another_application_prepares_none(project, start):
    write(project, {"depotx.py": PREPARED.format(start=start)})

    assert prepared_by_a_program(load_application("depotx:app", project), project) is None


@pytest.mark.parametrize(
    ("block", "prepares"),
    [("app.run()", False), ("main()", True), ("app.config.from_mapping(A=1)\n    app.run()", True)],
)
def test_only_a_program_that_does_more_than_start_a_server_may_prepare(project, block, prepares):
    text = f'{MODULE}\ndef main():\n    app.run()\n\nif __name__ == "__main__":\n    {block}\n'
    write(project, {"depotx.py": text})

    loaded = load_application("depotx:app", project)

    assert is_prepared_by_a_program(loaded, project) is prepares
