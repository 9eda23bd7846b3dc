"""The application is a module-level object (``app = Flask(__name__)`` in ``hello.py``).

Its state is a list in that module; a search brings it back before every test that it tries.
"""

import pytest
from hello import app as flask_app
from hello import visitors


@pytest.fixture
def app():
    flask_app.config.update(TESTING=True)
    visitors.clear()
    return flask_app


@pytest.fixture
def client(app):
    return app.test_client()
