"""What a caller's fixture reads from the application was there before the caller came."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask import Flask
from hosts import OneApplication

from pytest_evosearch.core.budget import Budget
from pytest_evosearch.engine.preparing.preparation import prepared
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.http.doors.callers import Caller
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.settings.checked import SearchSettings
from pytest_evosearch.settings.checked import Settings

KEY = "quartz-garden-77"


@pytest.mark.parametrize(
    ("before", "read"),
    [(KEY, 'app.config["SITE_KEY"]'), ("another", f'"{KEY}"')],
    ids=["kept before", "kept by the calls alone"],
)
def test_key_is_read_where_it_was_before_the_calls(tmp_path: Path, before: str, read: str) -> None:
    app = Flask(__name__)
    app.add_url_rule("/", "index", lambda: "hello")
    app.config["SITE_KEY"] = before
    settings = Settings(Budget.parse("1x"), 1, tmp_path, search=SearchSettings(level=0))
    caller = Caller((Input(Location.HEADER, "X-Key", TextGene(current=KEY)),))

    with prepared(settings, OneApplication(app), None) as ready:
        app.config["SITE_KEY"] = KEY  # what a call of the caller did
        name = ready.admitted.introduce(caller)
        assert name is not None
        source = ready.admitted.found[name].source

    assert read in source
    assert (KEY in source) == (before != KEY)
