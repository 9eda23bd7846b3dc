from __future__ import annotations

from pathlib import Path

from flask import Flask

from pytest_evosearch.sut.documents.templates import template_text


def test_templates_of_an_application_are_read(tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "index.html").write_text("<h1>Posts</h1>")
    (tmp_path / "templates" / "picture.png").write_bytes(b"\x89PNG")
    app = Flask("shop", root_path=str(tmp_path))

    assert "<h1>Posts</h1>" in template_text(app)


def test_what_has_no_templates_has_no_text() -> None:
    assert template_text(object()) == ""
