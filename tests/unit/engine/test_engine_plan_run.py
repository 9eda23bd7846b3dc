"""A plan looks who would be let in only where nothing of that can stay behind."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
from flask import Flask

from benchmarks.trial import FactoryHost
from pytest_evosearch.core.budget import Budget
from pytest_evosearch.engine import plan_run
from pytest_evosearch.engine.plan_run import PlanRun
from pytest_evosearch.settings.checked import Settings


def closed() -> Flask:
    app = Flask(__name__)
    app.keys = {"mole": "f3-burrow-71"}

    @app.get("/tunnels")
    def tunnels():
        from flask import abort
        from flask import request

        return "open" if request.headers.get("X-Burrow") == app.keys["mole"] else abort(401)

    return app


class UnrestoredHost(FactoryHost):
    def load_app(self):
        return replace(super().load_app(), unrestored="nothing brings the state back")


def users_row(tmp_path, host=FactoryHost) -> str | None:
    settings = Settings(Budget.parse("10x"), 1, tmp_path, plan=True)
    return PlanRun(settings, host(closed), (), None).execute().discovery.findings.get("users")


def test_who_would_be_let_in_is_not_asked_where_state_would_stay_changed(tmp_path):
    assert users_row(tmp_path, UnrestoredHost) is None


def test_looks_that_end_the_process_are_told(tmp_path, monkeypatch):
    monkeypatch.setattr(plan_run, "tried_apart", lambda *_given: None)

    assert str(users_row(tmp_path)).startswith("not known")


def test_a_database_on_a_server_is_asked_without_a_fork(tmp_path, monkeypatch):
    monkeypatch.setattr(plan_run, "tried_apart", lambda *_given: pytest.fail("forked"))
    keeper = SimpleNamespace(uses_servers=True)
    ready = SimpleNamespace(
        handle=SimpleNamespace(outside=False, unrestored=""), state=SimpleNamespace(keeper=keeper)
    )
    run = PlanRun(
        Settings(Budget.parse("10x"), 1, tmp_path, plan=True), FactoryHost(closed), (), None
    )
    monkeypatch.setattr(run, "_looked", lambda _ready: {"users": "mole"})

    assert run._admitted(ready) == {"users": "mole"}
