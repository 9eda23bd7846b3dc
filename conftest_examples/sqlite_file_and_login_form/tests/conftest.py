"""Plain ``sqlite3`` in a temporary file, seeded from SQL, and a fixture that logs in."""

import pytest
from blog import create_app
from blog.database import connect
from blog.database import create_tables
from werkzeug.security import generate_password_hash

PASSWORD = generate_password_hash("secret", method="pbkdf2:sha256:1")  # a fast hash
SEED = """
INSERT INTO account (name, password) VALUES ('ann', '{0}'), ('bob', '{0}');
INSERT INTO post (author_id, title, body) VALUES
    (1, 'First post', 'by Ann'), (2, 'Second', 'by Bob');
"""


@pytest.fixture
def app(tmp_path):
    app = create_app({"TESTING": True, "DATABASE": str(tmp_path / "test.sqlite")})
    with app.app_context():
        create_tables()
        connect().executescript(SEED.format(PASSWORD))
    return app


@pytest.fixture
def client(app):
    return app.test_client()


class Account:
    def __init__(self, client):
        self._client = client

    def login(self, name="ann", password="secret"):
        return self._client.post("/account/login", data={"name": name, "password": password})

    def logout(self):
        return self._client.get("/account/logout")


@pytest.fixture
def auth(client):  # any fixture with a ``login()`` is picked up; generated tests call it
    return Account(client)
