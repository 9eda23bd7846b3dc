"""FlexGet, automation of downloads, with its configuration and database in a temporary folder."""

from __future__ import annotations

import copy
import shutil
import tempfile
from pathlib import Path

TOKEN = "benchmark-token"
LOGIN = {"username": "flexget", "password": "flexget-pass"}
FOLDER = Path(tempfile.mkdtemp(prefix="flexget-"))
CONFIGURATION = FOLDER / "config.yml"
DATABASE = FOLDER / "db-config.sqlite"
TEMPLATE = FOLDER / "template.sqlite"
INITIAL = {}
"""The configuration as it was loaded."""
TEXT = """\
tasks:
  news:
    mock:
      - {title: "Some.Show.S01E01.720p", url: "http://localhost/1"}
    series: [Some Show]
    manual: yes
  other:
    mock: [{title: entry, url: "http://localhost/2"}]
    accept_all: yes
"""


def create_app():
    """Create the application and its only user."""
    CONFIGURATION.write_text(TEXT, encoding="utf-8")
    from flexget.api.app import api_app
    from flexget.manager import Manager

    from flexget import log

    forbid_network()
    log.initialize(unit_test=True)
    Manager.unit_test = True
    manager = Manager(["-c", str(CONFIGURATION), "execute"])
    manager.initialize()
    add_user()
    manager.engine.dispose()
    shutil.copyfile(DATABASE, TEMPLATE)
    INITIAL.update(copy.deepcopy(manager.config))
    api_app.secret_key = "test"
    api_app.debug = False
    return api_app


def forbid_network():
    """Let requests to film databases fail at once, with or without a network."""
    from requests.adapters import HTTPAdapter
    from requests.exceptions import ConnectionError as Unreachable

    def refuse(adapter, request, **options):
        raise Unreachable(f"{request.url} is out of reach")

    HTTPAdapter.send = refuse


def add_user():
    """Make the user, with a fast password hash: the default takes 100 ms."""
    from flexget.manager import Session
    from flexget.webserver import User
    from werkzeug.security import generate_password_hash

    password = generate_password_hash(LOGIN["password"], "pbkdf2:sha256:1")
    with Session() as session:
        session.query(User).delete()
        session.add(User(name=LOGIN["username"], token=TOKEN, password=password))
        session.commit()


def reset(app):
    """Bring the database and the configuration back, which requests rewrite.

    The configuration only when it was: to validate it takes as long as several requests.
    """
    from flexget.manager import manager

    manager.engine.dispose()
    shutil.copyfile(TEMPLATE, DATABASE)
    if CONFIGURATION.read_text(encoding="utf-8") != TEXT or manager.config != INITIAL:
        CONFIGURATION.write_text(TEXT, encoding="utf-8")
        manager.load_config(output_to_console=False)


def users():
    """Return who may send requests."""
    return {
        "token": {"Authorization": f"Token {TOKEN}"},
        "session": lambda client: client.post("/auth/login/", json=LOGIN),
    }
