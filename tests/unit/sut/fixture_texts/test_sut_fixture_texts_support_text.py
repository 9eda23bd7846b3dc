from __future__ import annotations

import ast
import importlib
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing

import black
import pytest

from pytest_evosearch.sut.fixture_texts.support_text import APP_FIXTURE
from pytest_evosearch.sut.fixture_texts.support_text import DatabaseCopies
from pytest_evosearch.sut.fixture_texts.support_text import SupportText
from pytest_evosearch.sut.fixture_texts.support_text import conftest_text
from pytest_evosearch.sut.fixture_texts.support_text import fixtures_conftest_text
from pytest_evosearch.sut.shortcuts.replaced_services import StandIns
from pytest_evosearch.sut.state.reset import choose_keeper

NOTES_TESTS = """\
import black
import pytest


@pytest.mark.parametrize("attempt", range(4))
def test_register(client, attempt):
    data = {"name": "ann", "password": "a"}
    assert client.post("/register", data=data).status_code == 201
    assert client.post("/login", data=data).status_code == 302
    assert client.post("/notes", data={"text": "hello"}).status_code == 201
    assert client.get("/notes").json == {"notes": [{"id": 2, "text": "hello"}]}
"""

TODO_TESTS = """\
import black
import pytest


@pytest.mark.parametrize("attempt", range(4))
def test_create(client, attempt):
    assert client.post("/todos", json={"title": "a"}).json == {"id": 2}
    listed = client.get("/todos").json
    assert (len(listed["todos"]), listed["visits"], listed["total"]) == (2, 1, 1)
"""

SHOP_TESTS = """\
import black
import pytest


@pytest.mark.parametrize("attempt", range(4))
def test_create(client, attempt):
    assert client.post("/products", json={"name": "a"}).json == {"id": 2}
"""

HIDDEN_APPLICATION = """\
from flask import Flask

app = Flask(__name__)
KEPT = []


@app.post("/store")
def store():
    KEPT.append(1)
    return {"kept": len(KEPT)}
"""

HIDDEN_TESTS = """\
import black
import pytest


@pytest.mark.parametrize("attempt", range(4))
def test_store(client, attempt):
    assert client.post("/store").json == {"kept": 1}
"""

LEAKY_APPLICATION = """\
import sqlite3

from flask import Flask

app = Flask(__name__)
kept = []


@app.post("/leak")
def leak():
    connection = sqlite3.connect("leaky.db", timeout=0.1)
    connection.execute("CREATE TABLE IF NOT EXISTS note (text)")
    connection.commit()
    connection.execute("INSERT INTO note VALUES ('x')")
    kept.append(connection)
    return "leaked"
"""

LEAKY_TESTS = """\
import black
import pytest


@pytest.mark.parametrize("attempt", range(4))
def test_leak(client, attempt):
    assert client.post("/leak").status_code == 200
"""

THREADED_APPLICATION = """\
import sqlite3
from threading import Thread

from flask import Flask

app = Flask(__name__)


def store():
    connection = sqlite3.connect("threaded.db", timeout=0.1)
    connection.execute("CREATE TABLE note (text)")
    connection.commit()
    connection.close()


@app.post("/store")
def stored():
    thread = Thread(target=store)
    thread.start()
    thread.join()
    return "stored"
"""

THREADED_TESTS = """\
import pytest


@pytest.mark.parametrize("attempt", range(4))
def test_store(client, attempt):
    assert client.post("/store").status_code == 200
"""


RANDOM_ORDER = ("-p", "pytest_randomly")
IN_PARALLEL = ("-p", "xdist.plugin", "-n", "2")
BESIDE_PYTEST_FLASK = ("-p", "pytest_flask.plugin")


def run_tests(project, *arguments):
    """Run the suite in a fresh interpreter, warnings being errors."""
    command = [sys.executable, "-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider"]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        [*command, *arguments, "tests"],
        check=False,
        capture_output=True,
        text=True,
        cwd=project,
        env=environment,
    )
    assert "4 passed" in done.stdout, done.stdout + done.stderr


def check_style(path):
    """Let ruff and black judge, with their own defaults as a user has them."""
    rules = [
        "--isolated",
        "--select",
        "E,F,I,PT,B,SIM",
        "--config",
        "lint.flake8-pytest-style.fixture-parentheses=false",
    ]
    for command in (["ruff", "check", *rules], ["black", "--check", "-q"]):
        done = subprocess.run(
            [sys.executable, "-m", *command, str(path)], check=False, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr + path.read_text()


def write_suite(project, module, tests, support):
    folder = project / "tests" / "evosearch"
    folder.mkdir(parents=True)
    (folder / "conftest.py").write_text(conftest_text(support, folder))
    (folder / f"test_{module}.py").write_text(tests)
    check_style(folder / "conftest.py")
    return folder


@pytest.mark.slow("runs written tests in fresh interpreters")
def test_a_sqlite_file_is_copied_and_restored(project, apps):
    shutil.copytree(apps / "notes_sqlite", project / "src" / "notes_sqlite")
    folder = write_suite(
        project,
        "notes",
        NOTES_TESTS,
        SupportText(
            "from notes_sqlite import create_app",
            "create_app({'DATABASE': 'notes.db'})",
            (project / "src",),
            databases=True,
        ),
    )
    database = project / "notes.db"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute(
            "CREATE TABLE note (id INTEGER PRIMARY KEY, author TEXT NOT NULL, text TEXT NOT NULL)"
        )
        connection.execute("INSERT INTO note VALUES (1, 'bob', 'kept')")
        connection.execute("DELETE FROM note WHERE id = 0")
        connection.commit()
    before = database.read_bytes()

    tests = folder / "test_notes.py"
    tests.write_text(NOTES_TESTS.replace('[{"id": 2', '[{"id": 1, "text": "kept"}, {"id": 2'))
    run_tests(project, *RANDOM_ORDER)
    run_tests(project, *IN_PARALLEL)

    assert database.read_bytes() == before


def test_a_transaction_that_a_handler_leaves_open_does_not_lock_the_copy(project):
    (project / "leaky.py").write_text(LEAKY_APPLICATION)
    write_suite(
        project,
        "leaky",
        LEAKY_TESTS,
        SupportText("from leaky import app", "app", (project,), databases=True),
    )
    run_tests(project)


def test_a_copy_that_is_first_opened_in_a_thread_is_restored(project):
    """As coroutine views and asynchronous drivers open them."""
    (project / "threaded.py").write_text(THREADED_APPLICATION)
    write_suite(
        project,
        "threaded",
        THREADED_TESTS,
        SupportText("from threaded import app", "app", (project,), databases=True),
    )
    run_tests(project)


def test_module_globals_are_restored(project, load, apps):
    todo = load("todo_memory")
    keeper = choose_keeper(todo.app, [todo])
    keeper.snapshot()
    todo.app.test_client().post("/todos", json={"title": "a"})
    todo.app.test_client().get("/todos")
    keeper.restore()
    state = keeper.state_source(depends_on=APP_FIXTURE)
    shutil.copy(apps / "todo_memory.py", project)

    write_suite(
        project,
        "todos",
        TODO_TESTS,
        SupportText("from todo_memory import app", "app", (project,), state=state),
    )

    run_tests(project, *BESIDE_PYTEST_FLASK)


VARIABLES = """\
import os

from flask import Flask

app = Flask(__name__)
app.config["COLOUR"] = os.environ["COLOUR"]
"""

VARIABLES_TESTS = """\
import os

import pytest

os.environ["COLOUR"] = "of-somebody"


@pytest.mark.parametrize("attempt", range(4))
def test_colour(client, attempt):
    assert client.application.config["COLOUR"] == "red"
"""


def test_variables_that_the_application_was_made_with_are_set_whatever_they_are(project):
    (project / "coloured.py").write_text(VARIABLES)
    write_suite(
        project,
        "coloured",
        VARIABLES_TESTS,
        SupportText("from coloured import app", "app", (project,), variables={"COLOUR": "red"}),
    )
    run_tests(project)


@pytest.mark.slow("runs written tests in fresh interpreters")
@pytest.mark.parametrize("isolated", [True, False])
def test_a_database_in_memory_is_restored(project, apps, isolated):
    shutil.copytree(apps / "shop_sqlalchemy", project / "shop_sqlalchemy")
    write_suite(
        project,
        "shop",
        SHOP_TESTS,
        SupportText(
            "from shop_sqlalchemy import create_app",
            "create_app()",
            (project,),
            databases=True,
            isolated=isolated,
        ),
    )
    run_tests(project, *BESIDE_PYTEST_FLASK)


CLOSING = """
import sqlite3
from flask import Flask

def create_app():
    probe = sqlite3.connect(":memory:")
    probe.close()
    store = sqlite3.connect(":memory:")
    store.execute("CREATE TABLE notes (text)")
    app = Flask(__name__)

    @app.post("/notes")
    def add():
        store.execute("INSERT INTO notes VALUES ('a')")
        return str(store.execute("SELECT COUNT(*) FROM notes").fetchone()[0])

    @app.post("/close")
    def close():
        store.close()
        return "closed"

    return app
"""
CLOSING_TESTS = """
import pytest


@pytest.mark.parametrize("attempt", [1, 2, 3])
def test_add(client, attempt):
    assert client.post("/notes").text == "1"


def test_close(client):
    assert client.post("/close").text == "closed"
"""


def test_a_connection_in_memory_that_the_application_closes_is_let_go(project):
    (project / "closing.py").write_text(CLOSING)
    recipe = ("from closing import create_app", "create_app()", (project,))
    write_suite(project, "closing", CLOSING_TESTS, SupportText(*recipe, databases=True))
    run_tests(project)


WSGI = """
from flask import Flask
from werkzeug.middleware.dispatcher import DispatcherMiddleware

front, back = Flask("front"), Flask("back")
back.add_url_rule("/", "index", lambda: "behind")
application = DispatcherMiddleware(front, {"/back": back})
"""

MOUNTED = """
import black
import pytest


@pytest.mark.parametrize("attempt", [1, 2, 3, 4])
def test_behind(client, attempt):
    assert client.get("/back/").text == "behind"
"""


def test_what_is_mounted_beside_an_application_answers_its_client(project):
    (project / "served.py").write_text(WSGI)
    support = SupportText(
        "from served import application", "application.app", (project,), dispatcher="application"
    )
    write_suite(project, "behind", MOUNTED, support)
    run_tests(project)


def test_copies_for_classes_of_the_application_are_laid_out_as_black_does(tmp_path):
    recipe = SupportText(
        "from notes import app", "app", databases=True, copies=DatabaseCopies(by_class=True)
    )
    text = conftest_text(recipe, tmp_path)
    assert black.format_str(text, mode=black.Mode()) == text
    assert max(map(len, text.splitlines())) <= 88
    assert "class CopyConnection(Connection):" in text
    assert "sqlite3.Connection(" not in text  # the class that was replaced


def test_no_fixture_is_called_app():
    text = conftest_text(SupportText("from shop import app", "app", databases=True), APPS_FOLDER)
    names = [node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    assert "app" not in names
    assert {"flask_app", "client"} <= set(names)


APPS_FOLDER = os.path.dirname(__file__)  # noqa: PTH120


def test_state_that_never_changed_needs_no_fixture(load):
    todo = load("todo_memory")
    keeper = choose_keeper(todo.app, [todo])
    keeper.snapshot()
    keeper.restore()
    assert keeper.state_source() is None


@pytest.mark.parametrize(
    ("value", "change"),
    [
        ([1], lambda value: value.append(2)),
        ({1}, lambda value: value.add(2)),
        (bytearray(b"a"), lambda value: value.extend(b"b")),
        ({"lock": 1}, lambda value: value.clear()),
    ],
)
def test_state_of_every_kind_can_be_written(load, value, change, monkeypatch):
    todo = load("todo_memory")
    monkeypatch.setattr(todo, "TODOS", value)
    keeper = choose_keeper(todo.app, [todo])
    keeper.snapshot()
    change(value)
    changed = value.copy()
    keeper.restore()
    before = value.copy()

    namespace = {"pytest": pytest, "todo_memory": todo}
    source = keeper.state_source().replace("@pytest.fixture(autouse=True)\n", "")
    exec(source, namespace)
    fixture = namespace["restored_state"]()
    next(fixture)
    change(value)
    assert value == changed
    assert next(fixture, None) is None
    assert value == before


def test_a_cache_with_linked_entries_can_be_used_after_it_was_restored(load, monkeypatch):
    """deepcopy cuts the links between its entries: the next one that is added fails."""
    cachetools = pytest.importorskip("cachetools")
    todo = load("todo_memory")
    cache = cachetools.TTLCache(8, 600)
    monkeypatch.setattr(todo, "CACHE", cache, raising=False)
    cache["kept"] = 1
    keeper = choose_keeper(todo.app, [todo])
    keeper.snapshot()
    cache["one"] = 2
    keeper.restore()
    assert dict(cache) == {"kept": 1}
    cache["two"] = 3

    namespace = {"pytest": pytest, "todo_memory": todo}
    source = keeper.state_source().replace("@pytest.fixture(autouse=True)\n", "")
    assert dict(cache) == {"kept": 1}
    exec(source, namespace)
    for _ in range(2):
        fixture = namespace["restored_state"]()
        next(fixture)
        cache["three"] = 4
        assert cache.popitem()[0] in ("kept", "three")
        assert next(fixture, None) is None
        assert dict(cache) == {"kept": 1}


def test_long_names_leave_no_long_lines(load, monkeypatch):
    todo = load("todo_memory")
    name = "CONNECTIONS_THAT_ARE_PROCESSED"
    held: dict[str, int] = {}
    monkeypatch.setattr(todo, name, held, raising=False)
    keeper = choose_keeper(todo.app, [todo])
    keeper.snapshot()
    held["one"] = 1
    keeper.restore()

    source = keeper.state_source()

    assert black.format_str(source, mode=black.Mode()) == source + "\n"
    assert max(map(len, source.splitlines())) <= 79
    namespace = {"pytest": pytest, "todo_memory": todo}
    exec(source.replace("@pytest.fixture(autouse=True)\n", ""), namespace)
    fixture = namespace["restored_state"]()
    next(fixture)
    held["two"] = 2
    assert next(fixture, None) is None
    assert held == {}


def test_modules_behind_another_value_of_their_name_are_restored(project):
    """As where ``from shop.store import store`` binds a function in the package."""
    package = project / "hidden"
    package.mkdir()
    (package / "__init__.py").write_text("from hidden.store import app, store\n")
    (package / "store.py").write_text(HIDDEN_APPLICATION)
    sys.path.insert(0, str(project))
    app = importlib.import_module("hidden").app
    keeper = choose_keeper(app, [sys.modules["hidden.store"]])
    keeper.snapshot()
    app.test_client().post("/store")
    keeper.restore()
    state = keeper.state_source(depends_on=APP_FIXTURE)

    write_suite(
        project,
        "store",
        HIDDEN_TESTS,
        SupportText("from hidden import app", "app", (project,), state=state),
    )
    run_tests(project)
    check_style(project / "tests" / "evosearch" / "conftest.py")


ADDRESSES = """\
from email_validator import validate_email
from flask import Flask, request


def create_app():
    app = Flask(__name__)

    @app.post("/members")
    def join():
        return validate_email(request.form["email"]).normalized

    return app
"""

MEMBERS = """\
import pytest


@pytest.mark.parametrize("attempt", range(4))
def test_join(client, attempt):
    response = client.post("/members", data={"email": "a@nowhere-at-all.org"})
    assert response.status_code == 200
"""


def test_servers_of_addresses_are_not_asked(project):
    (project / "members.py").write_text(ADDRESSES)
    support = SupportText(
        "from members import create_app",
        "create_app()",
        (project,),
        stand_ins=StandIns(address_checks=True),
    )
    write_suite(project, "members", MEMBERS, support)
    run_tests(project)


MAILING = """\
import smtplib
import broker
from flask import Flask

app = Flask(__name__)
server = smtplib.SMTP("mail.example.com")
server.starttls()
server.login("shop", "secret")
queue = broker.Queue("queue.example.com")


@app.post("/orders")
def order():
    server.sendmail("shop@example.com", ["inga@example.com"], "Thanks")
    queue.publish("order")
    return "sent"
"""

BROKER = """\
class Queue:
    def __init__(self, host):
        raise ConnectionRefusedError(host)
"""

ORDERS = """\
import pytest


@pytest.mark.parametrize("attempt", range(4))
def test_order(client, attempt):
    assert client.post("/orders").text == "sent"
"""


def test_services_that_an_application_connects_to_when_it_is_loaded_are_replaced(project):
    (project / "mailing.py").write_text(MAILING)
    (project / "broker.py").write_text(BROKER)
    stand_ins = StandIns(mail_server=True, clients=("broker.Queue",))
    support = SupportText("from mailing import app", "app", (project,), stand_ins=stand_ins)
    write_suite(project, "orders", ORDERS, support)
    run_tests(project)


READING = """\
@pytest.fixture
def log_in():
    return lambda page: re.search("b", page)
"""


@pytest.mark.parametrize("isolated", [False, True])
def test_what_further_fixtures_use_is_imported_once(tmp_path, isolated):
    support = SupportText("from shop import app", "app", isolated=isolated, further=(READING,))

    for text in (conftest_text(support, tmp_path), fixtures_conftest_text([READING])):
        assert text.count("import re\n") == 1
    assert ("import contextvars" in conftest_text(support, tmp_path)) is isolated
    assert "import re" not in fixtures_conftest_text(["def stare(): ..."])
