from __future__ import annotations

from pathlib import Path

import pytest
from flask import Flask
from hosts import OneApplication

from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.engine.preparing.planned_run import PlannedRun
from pytest_evosearch.instrument import Recording
from pytest_evosearch.settings.checked import build_settings
from pytest_evosearch.sut.handle import OwnTests


def loading_of(root: Path, heard: float, transforming: float = 0.0) -> float:
    """Return what loading seems to take in a command that has begun a thousand seconds ago."""
    values: dict[str, object] = {"budget": "60s", "plan": True, "level": "0"}
    settings = build_settings(values, rootdir=root, seed=1)
    app = Flask("shop")
    app.add_url_rule("/", view_func=lambda: "")
    host = OneApplication(app, tests=OwnTests(recording_seconds=heard))
    recording = Recording(0)
    recording.transforming_seconds = transforming
    run = PlannedRun(settings, host, [], recording, began=monotonic() - 1000.0)
    run.execute()
    return run.timetable.pace.loading


@pytest.mark.slow("fresh interpreters are timed")
def test_hearing_the_own_tests_is_no_part_of_loading_an_interpreter(tmp_path: Path) -> None:
    assert loading_of(tmp_path, 0.0) >= 1000.0
    assert 0.0 < loading_of(tmp_path, 1000.0) < 500.0


def test_instrumenting_the_application_is_no_part_of_loading_an_interpreter(tmp_path: Path) -> None:
    assert 0.0 < loading_of(tmp_path, 0.0, transforming=1000.0) < 500.0
