"""Variables that fixtures lack are set, and unset again where that was not the reason."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pytest_evosearch.bridge.applications.stand_in_variables import StandInVariables

HERE = Path(__file__).parent
NAMES = ("CLUB_KIND", "CLUB_PORT", "CLUB_NAME")


@pytest.fixture
def variables(monkeypatch) -> StandInVariables:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    return StandInVariables(HERE)


def test_a_variable_that_is_required_is_set_alone(variables: StandInVariables) -> None:
    def set_up() -> str:
        os.environ.get("CLUB_KIND")
        return os.environ["CLUB_PORT"]

    assert variables.with_missing(set_up) == "8000"
    assert variables.given == {"CLUB_PORT": "8000"}
    variables.take_back()
    assert "CLUB_PORT" not in os.environ


def test_a_missing_library_is_no_missing_variable(variables: StandInVariables) -> None:
    calls = []

    def set_up() -> None:
        calls.append(os.environ.get("CLUB_KIND"))
        raise ModuleNotFoundError("No module named 'labels'")

    with pytest.raises(ModuleNotFoundError):
        variables.with_missing(set_up)
    assert calls == [None]
    assert variables.given == {}


def test_a_text_that_makes_things_worse_is_taken_back(variables: StandInVariables) -> None:
    def set_up() -> None:
        if (kind := os.environ.get("CLUB_KIND")) is not None:
            raise KeyError(kind)
        raise RuntimeError("the licence is missing")

    with pytest.raises(RuntimeError, match="the licence is missing"):
        variables.with_missing(set_up)
    assert "CLUB_KIND" not in os.environ
    assert variables.given == {}


def test_the_reason_is_what_no_variable_helps_against(variables: StandInVariables) -> None:
    def set_up() -> None:
        assert os.environ["CLUB_NAME"]
        raise RuntimeError("the licence is missing")

    with pytest.raises(RuntimeError, match="the licence is missing"):
        variables.with_missing(set_up)
    assert "CLUB_NAME" not in os.environ


def test_a_file_of_the_project_goes_before_a_text_of_ours(
    variables: StandInVariables, monkeypatch
) -> None:
    monkeypatch.setattr(
        "pytest_evosearch.sut.finding.dotenv_files.variables_of_files",
        lambda root: {"CLUB_NAME": "chess"},
    )
    assert variables.with_missing(lambda: os.environ["CLUB_NAME"]) == "chess"
    assert (variables.given, variables.of_files) == ({}, {"CLUB_NAME": "chess"})
    variables.take_back()
    assert "CLUB_NAME" not in os.environ
