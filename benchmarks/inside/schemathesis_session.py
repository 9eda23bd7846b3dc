"""Lets Schemathesis test an application in process until time is up; logs every request.

    python schemathesis_session.py NAME CREATION SECONDS SEED LOG SCHEMA

SCHEMA is ``served`` (the OpenAPI document that the application serves, else the one written for
it in `benchmarks/documents`, else generated) or ``generated`` (from the routes alone: methods,
paths and types of identifiers).
All phases of its engine run, the stateful one too; when they are through before time is up they
begin again with the next seed.  The last line on the standard output is JSON.
"""

from __future__ import annotations

import base64
import io
import json
import os
import sys
import time
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from pathlib import Path
from threading import Event
from threading import Lock
from threading import Timer
from typing import Any
from typing import TextIO

from credentials import Credentials
from loading import load
from loading import users
from loading import written_document

SERVED = (
    *("/openapi.json", "/apispec_1.json", "/swagger.json", "/spec.json", "/api/openapi.json"),
    *("/apispec.json", "/api/swagger.json", "/openapi?f=json", "/api/v1/openapi.json"),
)
"""Where the usual libraries serve their document."""

MOST_ERRORS = 3
"""Of Schemathesis itself, after which a session waits for its end."""

TYPES = {"IntegerConverter": "integer", "FloatConverter": "number"}


class RequestLog:
    """A WSGI middleware that writes down each request before anything is added."""

    def __init__(self, application: Callable[..., Iterable[bytes]], file: TextIO) -> None:
        self._application = application
        self._file = file
        self.count = 0
        self.lock = Lock()

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        """Serve one request."""
        length = int(environ.get("CONTENT_LENGTH") or 0)
        body = environ["wsgi.input"].read(length) if length else b""
        environ["wsgi.input"] = io.BytesIO(body)
        headers = {
            name[5:].replace("_", "-"): value
            for name, value in environ.items()
            if name.startswith("HTTP_") and isinstance(value, str)
        }
        request = {
            "method": environ["REQUEST_METHOD"],
            "path": environ.get("PATH_INFO", "/"),
            "query": environ.get("QUERY_STRING", ""),
            "headers": headers,
            "content_type": environ.get("CONTENT_TYPE"),
            "body": base64.b64encode(body).decode(),
        }
        with self.lock:
            self._file.write(json.dumps(request) + "\n")
            self.count += 1
        return self._application(environ, start_response)


def served_document(app: Any, headers: Mapping[str, str]) -> dict[str, Any] | None:
    """Return the OpenAPI document that the application serves, if any, also one for users."""
    client = app.test_client(use_cookies=False)
    for path in SERVED:
        document = client.get(path, headers=headers).get_json(silent=True, force=True)
        if isinstance(document, dict) and ("openapi" in document or "swagger" in document):
            return document
    return None


def choose_document(
    app: Any, name: str, kind: str, headers: Mapping[str, str]
) -> tuple[str, dict[str, Any]]:
    """Return a document and where it comes from: ``served``, ``written`` or ``routes``."""
    if kind == "served":
        if (served := served_document(app, headers)) is not None:
            return "served", served
        if (written := written_document(name)) is not None:
            return "written", written
    return "routes", generated_document(app)


def generated_document(app: Any) -> dict[str, Any]:
    """Describe the routes of `app`, as far as its URL map tells."""
    paths: dict[str, dict[str, Any]] = {}
    for rule in app.url_map.iter_rules():
        if rule.endpoint == "static":
            continue
        parameters = []
        for name, converter in rule._converters.items():
            kind = TYPES.get(type(converter).__name__, "string")
            schema = {"name": name, "in": "path", "required": True, "schema": {"type": kind}}
            parameters.append(schema)
        template = plain_template(rule.rule)
        entry = paths.setdefault(template, {})
        for method in sorted(rule.methods - {"HEAD", "OPTIONS"}):
            operation: dict[str, Any] = {"responses": {"default": {"description": ""}}}
            operation["parameters"] = parameters
            if method in ("POST", "PUT", "PATCH"):
                content = {"application/json": {"schema": {"type": "object"}}}
                operation["requestBody"] = {"content": content}
            entry[method.lower()] = operation
    return {"openapi": "3.0.3", "info": {"title": app.name, "version": "1"}, "paths": paths}


def plain_template(rule: str) -> str:
    """Return ``/users/{id}`` for ``/users/<int:id>``."""
    parts = rule.split("<")
    done = [parts[0]]
    for part in parts[1:]:
        inside, _, rest = part.partition(">")
        done.append("{" + inside.rpartition(":")[2] + "}" + rest)
    return "".join(done)


def run_engine(document: dict[str, Any], app: Any, seed: int, makes_up_credentials: bool) -> None:
    """Run all phases once.

    Its own limit of time is not used: with it the fuzzing phase is repeated with the same seed,
    that is, with the same requests.  A failed check must not end an operation's tests.
    Credentials that it makes up would take the place of those of the users.
    """
    import schemathesis
    from schemathesis.config import SchemathesisConfig
    from schemathesis.engine import from_schema

    generation = {"with-security-parameters": makes_up_credentials}
    settings = {"seed": seed, "continue-on-failure": True, "generation": generation}
    config = SchemathesisConfig.from_dict(settings)
    schema = schemathesis.openapi.from_dict(document, config=config)
    schema.app = app
    for _event in from_schema(schema).execute():
        pass


def main(name: str, creation: str, seconds: float, seed: int, log: str, kind: str) -> None:
    """Test until time is up."""
    app = load(creation)
    credentials = Credentials(app.wsgi_app, users(name))
    origin, document = choose_document(app, name, kind, credentials.headers)
    import schemathesis  # noqa: F401 - takes seconds, which are not its time for testing

    with Path(log).open("w", encoding="utf-8") as file:
        recorder = app.wsgi_app = RequestLog(credentials, file)
        told = {"served": origin, "credentials": sorted(credentials.headers)}
        rounds, errors = 0, list[str]()
        started = time.monotonic()

        def finish() -> None:
            """End on time: within one operation the engine does not look at a clock."""
            with recorder.lock:
                file.flush()
                passed = round(time.monotonic() - started, 2)
                figures = {"requests": recorder.count, "seconds": passed, "rounds": rounds}
                print(json.dumps({**told, **figures, "errors": errors}), flush=True)
                os._exit(0)

        Timer(seconds, finish).start()
        while len(errors) < MOST_ERRORS:
            try:
                run_engine(document, app, seed * 1000 + rounds, not credentials.headers)
            except Exception as error:  # its own mistakes are part of what it is measured by
                errors.append(f"{type(error).__name__}: {error}"[:300])
            rounds += 1
        Event().wait()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4]), *sys.argv[5:])
