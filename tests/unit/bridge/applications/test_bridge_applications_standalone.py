"""An application that was found without fixtures is described for the written conftest.py."""

from __future__ import annotations

from pathlib import Path

from flask import Flask

from pytest_evosearch.bridge.applications.standalone import support_of
from pytest_evosearch.core.budget import Budget
from pytest_evosearch.settings.checked import Settings
from pytest_evosearch.sut.finding.application_loader import LoadedApplication

ISOLATING = "contextvars.Context().run(super().open"


def test_context_that_stays_pushed_gives_each_request_one_of_its_own(tmp_path: Path) -> None:
    app = Flask("shop")
    loaded = LoadedApplication(app, "shop:app", "from shop import app", "app", "shop")
    settings = Settings(Budget.parse("1x"), 1, tmp_path)

    plain = support_of(loaded, settings, None, databases=False)
    with app.app_context():
        pushed = support_of(loaded, settings, None, databases=False)

    assert ISOLATING not in plain.conftest
    assert ISOLATING in pushed.conftest
