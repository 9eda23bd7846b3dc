from __future__ import annotations

import sys

import pytest
from flask import Flask

from pytest_evosearch.bridge.applications.stand_in_keys import is_key_unset
from pytest_evosearch.bridge.applications.stand_in_keys import put_key


@pytest.fixture
def reading(tmp_path, monkeypatch):
    """Return a function that loads a module with a text into an own project; gives its root."""

    def load(text):
        (tmp_path / "settings_of_keys.py").write_text(text)
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(sys.modules, "settings_of_keys", raising=False)
        monkeypatch.delenv("SECRET_KEY", raising=False)
        __import__("settings_of_keys")
        return tmp_path

    yield load
    sys.modules.pop("settings_of_keys", None)


@pytest.mark.parametrize(
    "text",
    [
        "import os\nKEY = os.environ.get('SECRET_KEY')\n",
        "from os import getenv\nKEY = getenv('APP_SECRET')\n",
        "class env:\n    str = staticmethod(print)\nKEY = env.str('SECRET_KEY')\n",
    ],
)
def test_key_that_a_variable_would_fill_is_unset(reading, text) -> None:
    assert is_key_unset(Flask("app"), reading(text))


def test_key_that_no_variable_would_fill_stays_empty(reading) -> None:
    assert not is_key_unset(Flask("app"), reading("KEY = None\n"))


def test_key_that_is_set_stays(reading, monkeypatch) -> None:
    root = reading("import os\nKEY = os.getenv('SECRET_KEY')\n")
    app = Flask("app")
    app.config["SECRET_KEY"] = "own"
    assert not is_key_unset(app, root)
    app.config["SECRET_KEY"] = None
    monkeypatch.setenv("SECRET_KEY", "somewhere else")
    assert not is_key_unset(app, root)


def test_fixture_fills_the_key_and_the_user_is_told(reading) -> None:
    app, told = Flask("app"), []
    app.config["MAILER_SECRET_KEY"] = None
    root = reading("import os\nKEY = os.getenv('SECRET_KEY')\n")

    (source,) = put_key(app, root, "browser", told.append)

    assert app.config["SECRET_KEY"] in source
    assert app.config["MAILER_SECRET_KEY"] is None
    assert "def key_to_sign_with(browser):" in source
    (line,) = told
    assert line.startswith("the environment sets no key to sign with: ")
    assert line.endswith(f"SECRET_KEY={app.config['SECRET_KEY']}")
