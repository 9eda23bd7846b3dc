"""Hooks: bring back state that the search cannot know of, and look at the outcome.

``optionalhook=True`` keeps this file valid where the plugin is not installed.
"""

from pathlib import Path

import pytest
from files import create_app


@pytest.fixture(scope="session")
def app(tmp_path_factory):
    app = create_app(str(tmp_path_factory.mktemp("files")))
    app.config["TESTING"] = True
    return app


@pytest.fixture
def client(app):
    remove_files(app)
    return app.test_client()


def remove_files(app):
    for path in Path(app.config["FOLDER"]).iterdir():
        path.unlink()


@pytest.hookimpl(optionalhook=True)
def pytest_evosearch_reset(app):
    remove_files(app)


@pytest.hookimpl(optionalhook=True)
def pytest_evosearch_finish(config, outcome):
    Path(config.rootpath, "evosearch-outcome.txt").write_text(f"{outcome.tests} tests\n")
