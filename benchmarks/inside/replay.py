"""Sends the requests of a log again, in their order, to an application made anew.

    python replay.py NAME CREATION LOG

For coverage.py to measure: the tool that made them ran without it, at its own speed.  Users log in
anew: the application made anew does not know the tokens of the first one.
"""

from __future__ import annotations

import base64
import json
import os
import sys
from pathlib import Path

import fault_log
from credentials import Credentials
from loading import load
from loading import users


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
            client.open(
                method=request["method"],
                headers=request["headers"],
                content_type=request["content_type"],
                data=base64.b64decode(request["body"]),
                # as the application saw them: as a URL they would be decoded once more
                environ_overrides={
                    "PATH_INFO": request["path"],
                    "QUERY_STRING": request["query"],
                },
            ).close()
        except Exception as error:  # a middleware, or what Flask does not handle
            print(f"{request['method']} {request['path']}: {type(error).__name__}: {error}")


if __name__ == "__main__":
    main(*sys.argv[1:])
