"""Sends the requests of a log again, in their order, to an application made anew.

    python replay.py NAME CREATION LOG

For coverage.py to measure: the tool that made them ran without it, at its own speed.  Users log in
anew: the application made anew does not know the tokens of the first one.
"""

from __future__ import annotations

import base64
import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import fault_log
from credentials import Credentials
from flask.testing import FlaskClient
from loading import load
from loading import users

LONGEST = 60
"""Seconds for one request.

One without an end was the last of its session, which was over with its time: ``/drip?delay=28726``
of httpbin sleeps for eight hours.
"""


class RequestTakesTooLong(BaseException):
    """A request is given up; no handler of the application's is to hear of it."""


@contextmanager
def limited(seconds: int) -> Iterator[None]:
    """Give up what takes longer than `seconds`."""
    signal.signal(signal.SIGALRM, _give_up)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


def _give_up(_number: int, _frame: FrameType | None) -> None:
    raise RequestTakesTooLong


def main(name: str, creation: str, log: str) -> None:
    """Replay; what the application raises goes to the log of faults only."""
    app = load(creation)
    app.config["PROPAGATE_EXCEPTIONS"] = False
    if os.environ.get("FAULT_LOG"):
        fault_log.install()
    app.wsgi_app = Credentials(app.wsgi_app, users(name))
    client = app.test_client(use_cookies=False)
    for line in Path(log).read_text(encoding="utf-8").splitlines():
        request = json.loads(line)
        try:
            with limited(LONGEST):
                send(client, request)
        except (Exception, RequestTakesTooLong) as error:  # a middleware, or what Flask ignores
            print(f"{request['method']} {request['path']}: {type(error).__name__}: {error}")


def send(client: FlaskClient, request: dict[str, Any]) -> None:
    """Send one request of the log."""
    client.open(
        method=request["method"],
        headers=request["headers"],
        content_type=request["content_type"],
        data=base64.b64decode(request["body"]),
        # as the application saw them: as a URL they would be decoded once more
        environ_overrides={"PATH_INFO": request["path"], "QUERY_STRING": request["query"]},
    ).close()


if __name__ == "__main__":
    main(*sys.argv[1:])
