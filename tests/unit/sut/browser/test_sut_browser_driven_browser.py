from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pytest_evosearch.sut.browser.driven_browser import BrowserGone
from pytest_evosearch.sut.browser.driven_browser import DrivenBrowser

ECHO = """
import json, sys
for line in sys.stdin:
    order = json.loads(line)
    if "open" in order:
        print(json.dumps({"request": "GET"}), flush=True)
    elif order["status"] == 0:
        print(json.dumps({"screen": []}), flush=True)
"""
"""A page that asks once, and is quiet when that fails."""


@contextmanager
def running(program: str) -> Iterator[DrivenBrowser]:
    """Run a program in the place of the driver."""
    process = subprocess.Popen(
        [sys.executable, "-S", "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        yield DrivenBrowser(process)
    finally:
        process.kill()
        process.communicate()


def test_messages_go_to_and_fro() -> None:
    with running(ECHO) as browser:
        browser.tell({"open": "/"})
        assert browser.heard() == {"request": "GET"}
        browser.tell({"status": 0})
        assert browser.heard() == {"screen": []}


def test_a_page_that_still_asks_is_brought_to_rest() -> None:
    with running(ECHO) as browser:
        browser.tell({"open": "/"})
        browser.heard()
        browser.settle()
        browser.tell({"open": "/"})
        assert browser.heard() == {"request": "GET"}


def test_a_page_that_does_not_answer_is_given_up() -> None:
    with (
        running("import time; time.sleep(60)") as browser,
        pytest.raises(BrowserGone, match="did not answer"),
    ):
        browser.heard(0.05)


def test_a_browser_that_ends_is_told() -> None:
    with running("") as browser, pytest.raises(BrowserGone, match="has ended"):
        browser.heard()
