"""Faults behind particular answers of other services are found."""

from __future__ import annotations

import importlib
import os
import socket
import sys

import pytest

from benchmarks.services import FAULTS
from benchmarks.services import QUALITY
from benchmarks.services import forget_applications
from benchmarks.trial import FactoryHost
from benchmarks.trial import covered_and_faults
from benchmarks.trial import searched
from pytest_evosearch.core.budget import Budget
from pytest_evosearch.engine.algorithm_choice import make_loop
from pytest_evosearch.engine.preparing.preparation import prepared
from pytest_evosearch.instrument.install import install
from pytest_evosearch.settings.checked import ApplicationSettings
from pytest_evosearch.settings.checked import Settings

EVALUATIONS = 700

LIBRARIES = {
    "page_by_selectors": "bs4",
    "file_in_bucket": "boto3",
    "row_in_table": "boto3",
    "tags_of_file": "boto3",
    "in_async_view": "aiohttp",
}
"""Application -> what it needs beside Flask, requests and httpx."""

QUICK = ("price_of_today", "asked_in_a_loop")
"""The others come where all are asked for: each search takes seconds."""

EVERYTHING = os.environ.get("EVOSEARCH_ALL_SEEDS") == "1"
CHOSEN = tuple(FAULTS) if EVERYTHING else QUICK
SEEDS = (1, 2, 3, 4, 5) if EVERYTHING else (1,)


@pytest.mark.slow("a search for each case")
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", CHOSEN)
def test_the_fault_behind_an_answer_is_found(name, seed, tmp_path):
    pytest.importorskip(LIBRARIES.get(name, "flask"))
    forget_applications()
    faults = covered_and_faults(
        lambda: importlib.import_module(f"services.{name}").app,
        packages=["services"],
        evaluations=EVALUATIONS,
        seed=seed,
        root=tmp_path,
    )[1]
    forget_applications()

    assert FAULTS[name] in {fault.kind for fault in faults}


@pytest.mark.parametrize("way", ["refuse", "real"])
def test_services_of_an_application_from_fixtures_are_out_of_reach(way, tmp_path, monkeypatch):
    looked_up = []
    monkeypatch.setattr(socket, "getaddrinfo", lambda host, *_others: looked_up.append(host))
    forget_applications()
    settings = Settings(
        budget=Budget.parse("20x"),
        seed=1,
        rootdir=tmp_path,
        application=ApplicationSettings(services=way),
    )
    host = FactoryHost(lambda: importlib.import_module("services.price_of_today").app)
    with (
        install(["services"], level=settings.search.level, root=tmp_path) as recording,
        prepared(settings, host, recording) as ready,
    ):
        loop = make_loop(settings, host, ready, ())
        loop.run()
    covered = {str(target) for target in loop.archive.covered}
    forget_applications()

    assert not looked_up
    assert any("price" in target for target in covered)


def test_an_application_that_calls_nobody_is_searched_as_without_answers():
    def suite(way):
        settings = Settings(
            budget=Budget.parse("40x"),
            seed=1,
            rootdir=QUALITY,
            application=ApplicationSettings(services=way),
        )
        sys.modules.pop("pages.orders", None)
        loop = searched(
            settings, lambda: importlib.import_module("pages.orders").create_app(), ["pages"]
        )
        sys.modules.pop("pages.orders", None)
        return {str(target): repr(one) for target, one in loop.archive.covered.items()}

    answered = suite("stub")

    assert len(answered) > 20
    assert answered == suite("refuse")
