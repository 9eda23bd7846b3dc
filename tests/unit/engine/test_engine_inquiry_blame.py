"""What is sent in all places at once is blamed on the one that it came from."""

from __future__ import annotations

import socket
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from flask import Flask
from flask import request
from markupsafe import escape

from benchmarks.trial import covered_and_faults


def create_app() -> Flask:
    app = Flask(__name__)

    @app.get("/preview")
    def preview() -> str:
        url, title = request.args["url"], request.args["title"]
        note = request.args.get("note", "")
        with suppress(OSError, ValueError):
            socket.getaddrinfo(urlsplit(url).hostname, 80)
        return f"<h1>{escape(title)}</h1><p>{note}</p>"

    return app


@pytest.mark.slow("searches run in the process")
@pytest.mark.parametrize(
    ("oracle", "place"), [("request-forgery", "query url"), ("script-injection", "query note")]
)
def test_only_the_place_that_did_it_is_blamed(oracle: str, place: str, tmp_path: Path) -> None:
    _covered, found = covered_and_faults(
        create_app, packages=[], evaluations=150, seed=1, oracles=[oracle], root=tmp_path
    )

    assert [fault.kind for fault in found] == [place]
