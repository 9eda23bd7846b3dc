import pytest

from bookshop import create_app
from bookshop import database


@pytest.fixture
def app(tmp_path):
    app = create_app({"TESTING": True, "DATABASE": str(tmp_path / "bookshop.sqlite")})
    with app.app_context():
        database.create_tables()
    return app


@pytest.fixture
def client(app):
    return app.test_client()
