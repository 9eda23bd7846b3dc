from __future__ import annotations

import os
import subprocess
import sys
from textwrap import dedent

import pytest

from pytest_evosearch.errors import ApplicationNotFound
from pytest_evosearch.sut.finding import server_starts
from pytest_evosearch.sut.finding.discovery import load_application
from pytest_evosearch.sut.fixture_texts.support_text import SupportText
from pytest_evosearch.sut.fixture_texts.support_text import conftest_text

FLASK = """
import sys
from flask import Blueprint, Flask, Flask as Service
app = Service(__name__)
pages = Blueprint("pages", __name__)

@pages.get("/")
def index():
    return "hello"
"""

TEST = """
def test_index(client):
    assert client.get("/").text == "hello"
"""

PROGRAMS = {
    "guarded": FLASK
    + """
def main():
    app.register_blueprint(pages)
    app.run()

if __name__ == "__main__":
    main()
""",
    "block": FLASK
    + """
if __name__ == "__main__":
    port = 8080
    app.register_blueprint(pages)
    app.run(port=port)
""",
    "others": FLASK
    + """
if __name__ == "__main__":
    import os
    import subprocess

    sys.setrecursionlimit(100000)
    os.popen("touch ran.txt").read()
    subprocess.run(["touch", "ran.txt"], check=True)
    app.register_blueprint(pages)
    app.run()
""",
    "exit": FLASK
    + """
def main():
    app.register_blueprint(pages)
    return app.run() or 0

if __name__ == "__main__":
    sys.exit(main())
""",
    "argparse": FLASK
    + """
import argparse

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=80)
    arguments = parser.parse_args()
    app.register_blueprint(pages)
    app.run("localhost", arguments.port)
""",
    "click": FLASK
    + """
import click

@click.command()
@click.option("--port", default=80)
def main(port):
    app.register_blueprint(pages)
    try:
        app.run(port=port)
    except Exception:
        print("no server")

if __name__ == "__main__":
    main()
""",
    "factory": FLASK.replace("app = Service(__name__)", "")
    + """
def make(prefix):
    service = Service(__name__)
    service.register_blueprint(pages, url_prefix=prefix)
    return service

def main():
    make("/").run()

if __name__ == "__main__":
    main()
""",
    "werkzeug": FLASK
    + """
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.serving import run_simple

if __name__ == "__main__":
    app.register_blueprint(pages)
    run_simple("localhost", 80, ProxyFix(app), threaded=True)
""",
    "wsgiref": FLASK
    + """
def main():
    from wsgiref.simple_server import make_server
    app.register_blueprint(pages)
    with make_server("", 80, app) as httpd:
        httpd.serve_forever()
""",
    "waitress": FLASK
    + """
from waitress import serve

def main():
    app.register_blueprint(pages)
    serve(app, listen="*:80")
""",
    "gevent": FLASK
    + """
def main():
    from gevent.pywsgi import WSGIServer
    app.register_blueprint(pages)
    WSGIServer(("", 80), app).serve_forever()
""",
    "hypercorn": FLASK
    + """
import asyncio
from hypercorn.asyncio import serve

async def start():
    app.register_blueprint(pages)
    await serve(app, None)

def main():
    asyncio.run(start())
""",
    "unknown": FLASK
    + """
import socket

def main():
    app.register_blueprint(pages)
    with socket.create_server(("127.0.0.1", 0)) as server:
        serve(server)
""",
}

SERVERS = {
    "waitress/__init__.py": "def serve(app, **settings):\n    raise RuntimeError\n",
    "gevent/__init__.py": "",
    "gevent/baseserver.py": """
class BaseServer:
    def start(self):
        raise RuntimeError
    def serve_forever(self):
        self.start()
""",
    "gevent/pywsgi.py": """
from gevent.baseserver import BaseServer

class WSGIServer(BaseServer):
    def __init__(self, listener, application):
        self.application = application
""",
    "hypercorn/__init__.py": "",
    "hypercorn/asyncio.py": "async def serve(app, config):\n    raise RuntimeError\n",
}


def write(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text))


def write_support(project, loaded):
    recipe = SupportText(
        import_statement=loaded.import_statement,
        expression=loaded.expression,
        path_entries=loaded.path_entries,
        dispatcher=loaded.dispatcher,
        program=loaded.program,
    )
    folder = project / "tests"
    write(folder, {"conftest.py": conftest_text(recipe, folder), "test_it.py": TEST})
    return folder


def run(folder):
    arguments = [sys.executable, "-m", "pytest", "-q", "-p", "no:evosearch", "-W", "error", folder]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(
        [*arguments, folder],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize("kind", PROGRAMS)
def test_routes_that_a_program_adds_before_its_server_starts(project, monkeypatch, kind):
    monkeypatch.delenv("FLASK_APP", raising=False)
    servers = project / "installed"
    write(servers, SERVERS)
    monkeypatch.syspath_prepend(servers)
    write(project, {f"{kind}_program.py": PROGRAMS[kind]})

    loaded = load_application(None, project)

    assert loaded.app.test_client().get("/").text == "hello"
    finished = run(write_support(project, loaded))
    assert finished.returncode == 0, finished.stdout
    assert not list(project.rglob("ran.txt"))
    assert sys.getrecursionlimit() < 100000


def test_program_in_another_module_than_the_application(project):
    write(
        project,
        {
            "twomods/__init__.py": "",
            "twomods/web.py": FLASK,
            "twomods/command.py": """
                from twomods.web import app, pages

                if __name__ == "__main__":
                    app.register_blueprint(pages)
                    app.run()
                """,
        },
    )

    loaded = load_application("twomods.web:app", project)

    assert loaded.description == "command.py, until flask.Flask.run()"
    finished = run(write_support(project, loaded))
    assert finished.returncode == 0, finished.stdout


def test_mounts_of_the_served_application_answer(project):
    source = """
        from werkzeug.middleware.dispatcher import DispatcherMiddleware

        if __name__ == "__main__":
            from werkzeug.serving import run_simple
            back = Flask("back")
            back.register_blueprint(pages)
            app.register_blueprint(pages)
            run_simple("localhost", 80, DispatcherMiddleware(app, {"/back": back}))
        """
    write(project, {"mountedprogram.py": FLASK + dedent(source)})

    loaded = load_application("mountedprogram", project)

    assert loaded.app.test_client().get("/back/").text == "hello"
    assert (loaded.dispatcher, loaded.expression) == ("served[0]", "served[0].app")
    finished = run(write_support(project, loaded))
    assert finished.returncode == 0, finished.stdout


def test_application_with_routes_needs_no_program(project):
    source = (
        FLASK + "\napp.register_blueprint(pages)\nif __name__ == '__main__':\n    app.run(1 / 0)\n"
    )
    write(project, {"complete.py": source})
    assert load_application("complete", project).program is None


@pytest.mark.parametrize(
    ("main", "reason"),
    [
        ("serve = 1", "running without.py (it ends before it starts a server)"),
        ("sys.exit(app.run_later())", "running without.py (AttributeError"),
        ("sys.exit(3) or app.run()", "running without.py (SystemExit: 3 (without.py:12))"),
        ("app.run()", "running without.py (it serves an application without routes)"),
        (
            "import threading; threading.Thread(target=app.run).start()",
            "running without.py (it starts its server (flask.Flask.run) in a thread)",
        ),
        (
            "import time\n    while not app.run_later if 0 else True: time.sleep(0.01)",
            "running without.py (it does not start a server within 0.2 s)",
        ),
    ],
)
def test_program_that_does_not_help_is_told(project, monkeypatch, main, reason):
    monkeypatch.setattr(server_starts, "SECONDS", 0.2)
    source = f"{FLASK}\ndef main():\n    {main}  # run()\n"
    write(project, {"without.py": source})

    loaded = load_application("without:app", project)

    assert loaded.program is None
    assert any(one.startswith(reason) for one in loaded.tried), loaded.tried


def test_program_without_a_flask_application(project):
    write(project, {"strange.py": "def main():\n    from flask import Flask\n    Flask.run(5)\n"})
    with pytest.raises(ApplicationNotFound, match=r"it serves a int, not a Flask application"):
        load_application(None, project)
