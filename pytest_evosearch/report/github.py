"""Faults as annotations of GitHub Actions: workflow commands, one line each."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping

from pytest_evosearch.report.outcome import FaultRow
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.report.plain_text import plain


def is_github_actions(environment: Mapping[str, str]) -> bool:
    """Say whether `environment` is that of a GitHub Actions job."""
    return environment.get("GITHUB_ACTIONS") == "true"


def annotation_lines(outcome: Outcome) -> list[str]:
    """Return a workflow command for each fault; each must be printed at the start of a line."""
    return [_annotation(fault) for fault in outcome.faults]


def _annotation(fault: FaultRow) -> str:
    properties = ",".join(f"{name}={_property(value)}" for name, value in _properties(fault))
    level = "notice" if fault.is_minor else "warning"
    return f"::{level} {properties}::{_data(_message(fault))}"


def _properties(fault: FaultRow) -> Iterator[tuple[str, str]]:
    if fault.file:
        yield "file", fault.file
        yield "line", str(fault.line)
    yield "title", f"{fault.shown_endpoint} {fault.kind}"


def _message(fault: FaultRow) -> str:
    message = f"{fault.kind}: {fault.message}" if fault.message else fault.kind
    return f"{message}\n{fault.test_note}" if fault.test_note else message


def _data(text: str) -> str:
    """Escape text as the runner's own toolkit does, so that no text can contain a command."""
    return plain(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
