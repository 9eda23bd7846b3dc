from __future__ import annotations

import builtins
import os
import shutil
import socket
import sqlite3
import subprocess
import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from flask import Flask

from pytest_evosearch.errors import EvosearchUsageError
from pytest_evosearch.sut.databases import refuse_server_databases
from pytest_evosearch.sut.sandbox.confinement import sandbox
from pytest_evosearch.sut.state.reset import choose_keeper
from pytest_evosearch.sut.watching.services import ServiceWatch


@pytest.fixture
def client(load):
    app = load("outbound").app
    app.config["PROPAGATE_EXCEPTIONS"] = True
    return app.test_client()


@pytest.mark.parametrize(
    ("path", "attempt"),
    [
        ("/fetch", "look up api.example.com"),
        ("/connect", "connect to 203.0.113.7:80"),
        ("/mail", "connect to 127.0.0.1:25"),
        ("/run", "run git"),
    ],
)
def test_what_leaves_the_process_is_refused_and_reported(client, path, attempt):
    with sandbox() as guard:
        with pytest.raises(OSError):  # noqa: PT011 - network errors share only this base
            client.get(path)
        with pytest.raises(OSError):  # noqa: PT011
            client.get(path)

    assert len(guard.blocked) == 1
    assert guard.blocked[0].startswith(f"{attempt} at ")
    assert "outbound.py:" in guard.blocked[0]
    assert list(guard.counts.values()) == [2]


@pytest.mark.parametrize("path", ["/fetch", "/connect", "/mail"])
def test_what_watches_services_is_not_the_place_of_an_attempt(client, path):
    with sandbox() as guard, ServiceWatch().installed(), pytest.raises(OSError):  # noqa: PT011
        client.get(path)

    assert [attempt.split(" at ")[1].rpartition("/")[2][:12] for attempt in guard.blocked] == [
        "outbound.py:"
    ]


def test_everything_is_put_back(client):
    def visible():
        return (
            socket.socket.connect,
            socket.getaddrinfo,
            subprocess.Popen.__init__,
            builtins.open,
            os.remove,
            os.mkdir,
            os.stat,
            os.open,
            sqlite3.connect,
            sqlite3.dbapi2.connect,
            os.environ.get("HOME"),
        )

    before = visible()
    with sandbox() as guard:
        assert all(now is not then for now, then in zip(visible(), before, strict=True))
        folder = guard.folder
    assert visible() == before
    assert "connect" not in vars(socket.socket)
    assert not folder.exists()


def test_loopback_is_reachable():
    with closing(socket.socket()) as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        with sandbox() as guard, closing(socket.create_connection(server.getsockname())):
            pass
    assert guard.blocked == []


def test_allowed_hosts_are_reachable(monkeypatch):
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("203.0.113.9", 80))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    with sandbox(allow_net=["api.example.com"]) as guard:
        assert socket.getaddrinfo("api.example.com", 80) == found
        with closing(socket.socket()) as connection:
            connection.setblocking(False)
            connection.connect_ex(("203.0.113.9", 80))
    assert guard.blocked == []


def test_the_users_database_is_byte_identical(project, load):
    path = project / "notes.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE user (name TEXT PRIMARY KEY, password TEXT NOT NULL)")
        connection.execute("INSERT INTO user VALUES ('ann', 'x')")
        connection.commit()
    before = path.read_bytes()

    with sandbox(project) as guard:
        client = load("notes_sqlite").create_app().test_client()
        assert client.post("/register", data={"name": "bob", "password": "b"}).status_code == 201
        assert client.post("/login", data={"name": "bob", "password": "b"}).status_code == 302
        assert client.post("/notes", data={"text": "hello"}).status_code == 201
        assert client.get("/notes").json == {"notes": [{"id": 1, "text": "hello"}]}
        assert [copy.name for copy in guard.connections.copies.values()] == ["notes.db"]

    assert path.read_bytes() == before
    assert [entry.name for entry in project.iterdir()] == ["notes.db"]


def test_a_project_inside_the_temporary_folder_is_protected_too(project, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(project.parent))
    path = project / "data.db"
    with sandbox(project), closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (x)")
    assert not path.exists()


def test_uris_and_memory_databases_open(project):
    with sandbox(project):
        for name in (":memory:", "file::memory:?cache=shared", "file:data.db?mode=rwc"):
            with closing(sqlite3.connect(name, uri=True)) as connection:
                connection.execute("CREATE TABLE t (x)")
    assert list(project.iterdir()) == []


def test_written_files_are_copies(project, client):
    path = project / "notes.txt"
    path.write_text("original")
    with sandbox(project) as guard:
        assert client.post(f"/write?path={path}").data == b"overwritten"
        assert path.read_text() == "overwritten"
        with pytest.raises(PermissionError):
            path.parent.rename("elsewhere")
    assert path.read_text() == "original"
    assert guard.blocked[0].startswith("write ")


def test_deleting_is_refused(project, client):
    path = project / "precious.txt"
    path.write_text("precious")
    with sandbox(project) as guard, pytest.raises(PermissionError):
        client.post(f"/delete?path={path}")
    assert path.read_text() == "precious"
    assert guard.blocked[0].startswith("unlink ")


def test_deleting_a_whole_folder_is_refused(project, tmp_path):
    for folder in (project, tmp_path / "temporary"):
        (folder / "uploads").mkdir()
        (folder / "uploads" / "a.txt").write_text("a")
    with sandbox(project) as guard:
        with pytest.raises(PermissionError):
            shutil.rmtree(project / "uploads")
        shutil.rmtree(tmp_path / "temporary" / "uploads")
    assert (project / "uploads" / "a.txt").read_text() == "a"
    assert len(guard.blocked) == 1


def test_created_folders_are_removed_again(project):
    with sandbox(project):
        (project / "instance" / "deep").mkdir(parents=True)
        assert (project / "instance" / "deep").is_dir()
    assert list(project.iterdir()) == []


def test_the_temporary_folder_and_allowed_ones_are_free(project, tmp_path):
    output = project / "tests"
    output.mkdir()
    with sandbox(project, writable=[output]):
        (tmp_path / "temporary" / "a.txt").write_text("a")
        (output / "b.txt").write_text("b")
    assert (tmp_path / "temporary" / "a.txt").read_text() == "a"
    assert (output / "b.txt").read_text() == "b"


@pytest.mark.parametrize(
    "config",
    [
        {"SQLALCHEMY_DATABASE_URI": "cockroachdb://me:secret@db.example.com/shop"},
        {"SQLALCHEMY_BINDS": {"users": "mssql://root@localhost/users"}},
    ],
)
def test_server_databases_without_a_throw_away_server_are_refused(config):
    app = Flask(__name__)
    app.config.update(config)

    with pytest.raises(EvosearchUsageError, match="--evosearch-allow-db") as caught:
        refuse_server_databases(app, allow=False)

    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)
    refuse_server_databases(app, allow=True)


def test_mongodb_is_refused_only_where_it_cannot_be_played(monkeypatch):
    app = Flask(__name__)
    app.config["MONGO_URI"] = "mongodb://localhost:27017/latest"
    refuse_server_databases(app, allow=False)

    monkeypatch.setattr("pytest_evosearch.sut.servers.mongo_in_memory.is_installed", lambda: False)
    with pytest.raises(EvosearchUsageError, match=r"change; mongomock is not installed, which"):
        refuse_server_databases(app, allow=False)


@pytest.mark.parametrize(
    "url", ["sqlite:///data.db", "postgresql://localhost/shop_test", "mysql://h/test"]
)
def test_files_and_test_databases_are_fine(url):
    app = Flask(__name__)
    app.config["SQLALCHEMY_DATABASE_URI"] = url
    refuse_server_databases(app, allow=False)
    assert app.config["SQLALCHEMY_DATABASE_URI"] == url


def test_keeping_state_does_not_touch_a_database_that_nobody_opened(project):
    path = project / "data.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE t (x)")
        connection.commit()
    before = path.read_bytes()
    app = Flask(__name__)
    app.config["DATABASE"] = "data.db"

    with sandbox(project) as guard:
        keeper = choose_keeper(app, [])
        keeper.snapshot()
        with closing(sqlite3.connect("data.db")) as connection:
            connection.execute("INSERT INTO t VALUES (1)")
            connection.commit()
        keeper.restore()
        with closing(sqlite3.connect("data.db")) as connection:
            assert connection.execute("SELECT * FROM t").fetchall() == []
        assert list(guard.connections.copies) == [path]
        keeper.close()

    assert path.read_bytes() == before
    assert [entry.name for entry in project.iterdir()] == ["data.db"]


def test_written_file_is_there_until_it_is_removed(project):
    new, known = project / "new.txt", project / "data.txt"
    known.write_text("known")
    with sandbox(project) as guard:
        for _ in range(2):
            new.write_text("written")
            assert (new.is_file(), new.stat().st_size, os.path.lexists(new)) == (True, 7, True)
            new.unlink()
            assert not new.exists()
        known.write_text("changed it")
        assert known.stat().st_size == 10

    assert known.read_text() == "known"
    assert not new.exists()
    assert [harm.partition(" at ")[0] for harm in guard.harms] == [f"write {known}"]


def test_harm_is_told_from_what_only_adds(tmp_path):
    existing, log = tmp_path / "existing", tmp_path / "log"
    existing.write_text("kept")
    log.write_text("kept")
    with sandbox(tmp_path) as guard:
        for _ in range(2):
            existing.write_text("overwritten")
        with log.open("a") as file:
            file.write("added")
        (tmp_path / "fresh").write_text("new")
        with pytest.raises(PermissionError):
            os.remove(existing)  # noqa: PTH107 - as applications do
    attempts = {attempt.partition(" at ")[0]: times for attempt, times in guard.harms.items()}
    assert attempts == {f"write {existing}": 2, f"remove {existing}": 1}
    assert len(guard.counts) == 4
    assert existing.read_text() == "kept"


def test_the_place_of_an_attempt_is_the_applications_line_not_a_librarys() -> None:
    library: dict[str, object] = {"socket": socket, "__name__": "somelib"}
    exec(
        compile(
            "def fetch():\n    socket.getaddrinfo('api.example.com', 80)\n",
            "/venv/lib/site-packages/somelib/core.py",
            "exec",
        ),
        library,
    )
    application = {"fetch": library["fetch"], "__name__": "shop"}
    with sandbox() as guard, pytest.raises(socket.gaierror):
        exec(compile("\n\nfetch()", "/project/shop.py", "exec"), application)
    assert guard.blocked == ["look up api.example.com at /project/shop.py:3"]


def test_an_atomic_write_becomes_a_copy_that_is_listed_and_removed(project):
    with sandbox(project):
        (project / "cache").mkdir()
        descriptor, name = tempfile.mkstemp(dir=project / "cache")
        os.write(descriptor, b"new")
        os.close(descriptor)
        Path(name).replace(project / "cache" / "key")
        assert (project / "cache" / "key").read_bytes() == b"new"
        assert list((project / "cache").iterdir()) == [project / "cache" / "key"]
        with os.scandir(project / "cache") as found:
            assert [(one.name, one.is_file(), one.stat().st_size) for one in found] == [
                ("key", True, 3)
            ]
        (project / "cache").rename(project / "moved")
        assert (project / "moved" / "key").read_bytes() == b"new"
        shutil.rmtree(project / "moved")
        assert not (project / "moved").exists()
    assert not (project / "cache").exists()
    assert not (project / "moved").exists()


@pytest.mark.parametrize("move", [os.rename, os.replace, shutil.move])
def test_a_move_into_a_missing_folder_fails_as_without_a_sandbox(project, move):
    with sandbox(project) as guard:
        descriptor, name = tempfile.mkstemp()
        os.close(descriptor)
        with pytest.raises(FileNotFoundError):
            move(name, project / "missing" / "latest.bin")
        assert not (project / "missing").exists()
        Path(name).unlink()
    assert not guard.harms


def test_an_atomic_write_over_a_real_file_leaves_it(project):
    settings = project / "settings.txt"
    settings.write_text("old")
    real = project / "real"
    real.write_text("real")
    with sandbox(project) as guard:
        (project / "settings.new").write_text("new")
        (project / "settings.new").replace(settings)
        assert settings.read_text() == "new"
        with pytest.raises(PermissionError):
            real.rename(project / "gone")
    assert (settings.read_text(), real.read_text()) == ("old", "real")
    assert any(attempt.startswith(f"write {settings}") for attempt in guard.harms)
