"""Addresses are read with another end, too: without their slash, or with one more."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from flask import Flask
from werkzeug.exceptions import NotFound

from benchmarks.trial import covered_and_faults


def create_app() -> Flask:
    app = Flask(__name__)

    @app.get("/towns/")
    def towns() -> str:
        return "linden"

    @app.get("/rivers")
    def rivers() -> str:
        return "none"

    return app


def create_trapping_app() -> Flask:
    app = create_app()
    app.config["TRAP_HTTP_EXCEPTIONS"] = True
    app.register_error_handler(NotFound, lambda error: (error.name, 404))
    return app


def search(create: Callable[[], Flask], root: Path) -> tuple[set[str], list[tuple[str, str]]]:
    covered, found = covered_and_faults(create, packages=[], evaluations=60, seed=1, root=root)
    return set(covered), [(fault.endpoint, fault.kind) for fault in found]


def test_a_redirect_that_nobody_handles_is_found(tmp_path: Path) -> None:
    _covered, found = search(create_trapping_app, tmp_path)
    assert found == [("GET /towns", "RequestRedirect")]


@pytest.mark.slow("searches run in the process")
def test_what_the_framework_answers_itself_is_no_target(tmp_path: Path) -> None:
    covered, found = search(create_app, tmp_path)
    assert found == []
    statuses = {target for target in covered if target.startswith("status ")}
    assert statuses == {"status GET /towns/ 200", "status GET /rivers 200"}
