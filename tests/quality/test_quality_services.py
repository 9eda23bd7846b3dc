"""Faults behind particular answers of other services are found."""

from __future__ import annotations

import importlib
import os
import sys

import pytest

from pytest_evosearch.engine.trial import covered_and_faults

EVALUATIONS = 700

FAULTS = {
    "price_of_today": "ZeroDivisionError",
    "tried_again": "RuntimeError",
    "first_result": "IndexError",
    "asked_in_a_loop": "NotImplementedError",
    "not_found_there": "service failure",
    "log_in_elsewhere": "AssertionError",
    "payment": "PermissionError",
    "breaker": "CircuitOpenError",
    "two_agree": "IndexError",
    "template_by_answer": "UndefinedError",
    "asked_by_a_thread": "OverflowError",
    "behind_a_proxy": "ZeroDivisionError",
}
"""Application -> the kind of its fault."""

QUICK = ("price_of_today", "asked_in_a_loop")
"""The others come where all are asked for: each search takes seconds."""

EVERYTHING = os.environ.get("EVOSEARCH_ALL_SEEDS") == "1"
CHOSEN = tuple(FAULTS) if EVERYTHING else QUICK
SEEDS = (1, 2, 3, 4, 5) if EVERYTHING else (1,)


def forget_applications():
    """Make the next search import the applications anew, under its own instrumentation."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "services"]:
        del sys.modules[name]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", CHOSEN)
def test_the_fault_behind_an_answer_is_found(name, seed, tmp_path):
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
