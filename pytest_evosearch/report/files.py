"""Writes all reports of a run into one folder."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping
from pathlib import Path

from pytest_evosearch.core.atomic import replace_content
from pytest_evosearch.report.html import html_page
from pytest_evosearch.report.json_report import json_report
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.report.sarif import sarif_report

PAGE = "report.html"

Renderer = Callable[[Outcome], str]


RENDERERS: Mapping[str, Renderer] = {
    PAGE: html_page,
    "report.json": json_report,
    "evosearch.sarif": sarif_report,
}
"""File name -> renderer."""


def write_reports(
    outcome: Outcome, folder: Path, renderers: Mapping[str, Renderer] = RENDERERS
) -> tuple[list[Path], list[str]]:
    """Write all reports of `outcome` into `folder`, each in one step.

    Return the written files, and one line for each report that could not be written.  Nothing is
    raised: the tests are on disk by now, and the user must see their summary.
    """
    written: list[Path] = []
    failed: list[str] = []
    for name, render in renderers.items():
        problem = _written(folder / name, outcome, render)
        if problem:
            failed.append(f"{name} could not be written to {folder}: {problem}")
        else:
            written.append(folder / name)
    return written, failed


def _written(path: Path, outcome: Outcome, render: Callable[[Outcome], str]) -> str:
    """Write one report; return what went wrong, or an empty text."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_content(path, render(outcome).encode("utf-8", "backslashreplace"))
    except OSError as error:
        return error.strerror or str(error)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""
