from __future__ import annotations

import pytest

from news import create_app


@pytest.fixture
def app(tmp_path):
    return create_app({"TESTING": True, "DATABASE": str(tmp_path / "news.sqlite")})


@pytest.fixture
def client(app):
    return app.test_client()
