"""A pytest plugin that puts a scripted engine in the place of the real one.

What it does is chosen by the environment variable EVOSEARCH_SCRIPT, so that the bridge can be
tested without searching.  It reports what the host gave it in ``told.json``.
"""

from __future__ import annotations

import json
import os
import sys
import time
import types
from dataclasses import replace
from pathlib import Path

import pytest_evosearch
from pytest_evosearch.core.events import Discovered
from pytest_evosearch.core.events import Progress
from pytest_evosearch.errors import ApplicationNotFound
from pytest_evosearch.errors import NothingToGenerate
from pytest_evosearch.report.outcome import Discovery
from pytest_evosearch.report.outcome import DroppedRow
from pytest_evosearch.report.outcome import Effort
from pytest_evosearch.report.outcome import EndpointRow
from pytest_evosearch.report.outcome import ExitReason
from pytest_evosearch.report.outcome import FaultRow
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.report.outcome import SuiteSummary
from pytest_evosearch.report.outcome import TargetSummary

TOLD: dict[str, object] = {}
"""What the host gave; written when the run is over, because a sandbox refuses it before."""

FAULT = FaultRow("crash", "GET /", "ZeroDivisionError", "shop.py:7", "division by zero")


def run(
    settings,
    host,
    sinks,
    recording,
    extensions,
    companions=None,
    safe=None,
    began=None,
    beginning=None,
):
    script = os.environ.get("EVOSEARCH_SCRIPT", "plain").split()
    outcome = Outcome(
        ExitReason.BUDGET,
        settings.seed,
        reproduce=settings.command_line.reproduce,
        effort=Effort(evaluations=100),
        discovery=Discovery(endpoints=(EndpointRow("GET /", (200,), 100, 2, ("page", "size")),)),
        targets=TargetSummary(known=12),
        suite=SuiteSummary(tests=3, files=("tests/evosearch/test_evosearch_shop.py",)),
    )
    with host.quiet():
        if "nothing" in script:
            raise NothingToGenerate("no endpoint is left to search")
        if "usage" in script:
            raise ApplicationNotFound("no Flask application found")
        if "bug" in script:
            raise AssertionError("an invariant of ours")
        findings = {"app": "shop:app"}
        if "load" in script:
            findings = tell(settings, host)
        else:
            TOLD.update(settings=describe(settings))
        emit(sinks, Discovered(findings))
        if settings.plan:
            return replace(outcome, reason=ExitReason.PLAN, suite=SuiteSummary())
        if "wait" in script:
            return replace(outcome, reason=wait(host))
        if "noise" in script:
            make_noise()
        for step in range(1, 101):
            emit(sinks, Progress(step / 100, step, step / 10, step, step, 120, 0))
    return changed(outcome, script)


def changed(outcome, script):
    if "fault" in script:
        outcome = replace(outcome, faults=(FAULT,))
    if "unverified" in script:
        unverified = ("test_evosearch_shop.py::test_get_shop",)
        outcome = replace(outcome, suite=replace(outcome.suite, unverified=unverified))
    if "unstable" in script:
        dropped = (DroppedRow("GET /", "its status is unstable"),)
        outcome = replace(outcome, suite=replace(outcome.suite, dropped=dropped))
    if "lost" in script:
        dropped = (DroppedRow("GET /", "its status is unstable"),)
        outcome = replace(outcome, suite=SuiteSummary(dropped=dropped))
    if "interrupted" in script:
        outcome = replace(outcome, reason=ExitReason.INTERRUPTED)
    return outcome


def emit(sinks, event):
    for sink in sinks:
        sink(event)


def tell(settings, host):
    """Load the application, send a request as every user, and write down what was seen."""
    handle = host.load_app()
    host.reset()
    answers = {"anonymous": handle.make_client().get("/").get_data(as_text=True)}
    for name, user in handle.users.items():
        client = handle.make_client()
        if user.login is not None:
            user.login(client)
        response = client.get("/", headers=dict(user.headers))
        answers[name] = response.get_data(as_text=True)
    support = handle.support
    TOLD.update(
        settings=describe(settings),
        answers=answers,
        description=handle.description,
        findings=dict(handle.findings),
        client_fixture=support.client_fixture,
        directory=support.directory,
        conftest=support.conftest,
        fixtures=support.fixtures,
        isolation=support.isolation,
        seeds=handle.seeds,
        sandboxed=handle.sandboxed,
        statements={name: user.statement for name, user in handle.users.items()},
        clients={
            name: [user.client, user.shares_client, user.replaces_client]
            for name, user in handle.users.items()
            if user.client is not None
        },
        headers={name: user.headers_expression for name, user in handle.users.items()},
    )
    return handle.findings


def describe(settings):
    groups = (settings.application, settings.search, settings.suite, settings.reports)
    found = {}
    for group in (settings, *groups, settings.command_line):
        found.update(vars(group))
    return {
        name: value if isinstance(value, (int, float, str, dict)) else str(value)
        for name, value in found.items()
    }


def wait(host):
    """Search until somebody says stop."""
    host.load_app()
    Path("ready").touch()
    for _ in range(400):
        if host.stop_requested():
            return ExitReason.INTERRUPTED
        time.sleep(0.05)
    return ExitReason.BUDGET


def make_noise():
    import logging
    import subprocess
    import warnings

    sys.stdout.write("NOISE from print\n")
    sys.stderr.write("NOISE from stderr\n")
    os.write(1, b"NOISE from a descriptor\n")
    subprocess.run([sys.executable, "-c", "print('NOISE from a child')"], check=True)
    logging.getLogger("shop").error("NOISE from a log")
    warnings.warn("NOISE from a warning", UserWarning, stacklevel=1)


def pytest_unconfigure(config):
    if TOLD:
        Path("told.json").write_text(json.dumps(TOLD))


engine = types.ModuleType("pytest_evosearch.engine")
engine.run = run
engine.__path__ = [str(Path(pytest_evosearch.__file__).parent / "engine")]  # the seams are real
sys.modules["pytest_evosearch.engine"] = engine
