"""Reads users from a WFC authentication document, a format that other tools share.

The format is that of https://github.com/WebFuzzing/Commons (``wfc/schemas/auth.yaml``): for each
user fixed headers, or a log-in that returns cookies or a token. The document is ``auth.yaml`` (or
``.yml``, ``.json``; also ``wfc-auth`` and ``wfc_auth``) in the project's folder or in its
``tests``. Requests to other servers are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from typing import Any

from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.handle import User
from pytest_evosearch.sut.users.fresh_headers import FreshHeaders

FOLDERS = ("", "tests")

LOGIN = '''\
@pytest.fixture
def {fixture}():
    """Log a client in as {name}, the way that the authentication document says."""

    def log_in(client):
        client.open({arguments})

    return log_in
'''

HEADERS = '''\
@pytest.fixture
def {fixture}({client}):
    """Headers of {name}, with the token that the log-in gives."""
    response = {client}.application.test_client().open({arguments})
    return {{"{header}": f"{before}{{{token}}}{after}"}}
'''


@dataclass(frozen=True)
class Document:
    """The users of a document by name, and the fixtures that written tests need for them."""

    users: dict[str, User] = field(default_factory=dict)
    sources: tuple[str, ...] = ()
    name: str = ""


def document_users(app: Any, root: Path, client_fixture: str) -> Document:
    """Return the users of the document below `root`; none where there is no document."""
    for path in _paths(root):
        entries = _entries(_parsed(path))
        users: dict[str, User] = {}
        sources: list[str] = []
        for entry in entries:
            with suppress(KeyError, TypeError, ValueError, LookupError):
                user, source = _user_of_entry(app, entry, client_fixture)
                users[user.name] = user
                sources += [source] if source else []
        if users:
            return Document(users, tuple(sources), path.relative_to(root).as_posix())
    return Document()


def _paths(root: Path) -> Iterator[Path]:
    for folder in FOLDERS:
        for name in ("auth", "wfc-auth", "wfc_auth"):
            for kind in ("yaml", "yml", "json"):
                path = root / folder / f"{name}.{kind}"
                if path.is_file():
                    yield path


def _parsed(path: Path) -> object:
    with suppress(Exception):
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".json":
            return json.loads(text)
        import yaml

        return yaml.safe_load(text)
    return None


def _entries(document: object) -> list[dict[str, Any]]:
    """Return the users of a document, each completed with the template."""
    if not isinstance(document, dict) or not isinstance(document.get("auth"), list):
        return []
    template = document.get("authTemplate")
    base = template if isinstance(template, dict) else {}
    return [
        _merged(base, entry)
        for entry in document["auth"]
        if isinstance(entry, dict) and isinstance(entry.get("name"), str)
    ]


def _merged(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return `own`, completed with the other parts of `base`, also in nested objects."""
    merged = {**base, **own}
    for key in base.keys() & own.keys():
        if isinstance(base[key], dict) and isinstance(own[key], dict):
            merged[key] = _merged(base[key], own[key])
    return merged


def _user_of_entry(app: Any, entry: Mapping[str, Any], client: str) -> tuple[User, str]:
    """Return a user and the source of its fixture; raise for unsupported entries."""
    name = re.sub(r"\W+", "_", entry["name"]).strip("_").lower()
    if "loginEndpointAuth" not in entry:
        return User(name, {pair["name"]: pair["value"] for pair in entry["fixedHeaders"]}), ""
    login = entry["loginEndpointAuth"]
    arguments = _arguments(login)
    if login.get("token"):
        return _with_token(app, name, arguments, login["token"], client)
    fixture = f"log_in_{name}"
    source = LOGIN.format(fixture=fixture, name=name, arguments=_written(arguments))
    user = User(
        name,
        login=lambda given: given.open(**arguments),
        fixtures=(fixture,),
        statement=f"{fixture}({client})",
    )
    return user, source


def _arguments(login: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments with which Flask's client logs in."""
    arguments: dict[str, Any] = {"path": login["endpoint"], "method": login.get("verb", "POST")}
    kind = str(login.get("contentType", "application/json"))
    pair = login.get("payloadUserPwd")
    if pair is not None:
        fields = {
            pair["usernameField"]: pair["username"],
            pair["passwordField"]: pair["password"],
        }
        arguments["json" if "json" in kind else "data"] = fields
    elif "payloadRaw" in login:
        arguments.update(data=login["payloadRaw"], content_type=kind)
    if login.get("headers"):
        arguments["headers"] = {pair["name"]: pair["value"] for pair in login["headers"]}
    return arguments


def _written(arguments: Mapping[str, Any]) -> str:
    """Return keyword arguments as source."""
    return ", ".join(f"{name}={_literal(value)}" for name, value in arguments.items())


def _literal(value: object) -> str:
    if isinstance(value, dict):
        pairs = (f"{_literal(key)}: {_literal(held)}" for key, held in value.items())
        return "{" + ", ".join(pairs) + "}"
    return json.dumps(value) if isinstance(value, str) else repr(value)


def _with_token(
    app: Any, name: str, arguments: Mapping[str, Any], token: Mapping[str, Any], client: str
) -> tuple[User, str]:
    if token.get("sendIn", "header") != "header":
        raise ValueError("only headers are supported")
    header = token.get("sendName") or token["httpHeaderName"]
    template = token.get("sendFormat") or token.get("sendTemplate")
    template = template or f"{token.get('headerPrefix', '')}{{token}}"
    before, _, after = template.partition("{token}")
    selector = token.get("extractSelector") or token["extractFromField"]
    steps = None if token.get("extractFrom") == "header" else _pointer(selector)

    def make() -> dict[str, str]:
        response = app.test_client().open(**arguments)
        found: Any = response.headers[selector] if steps is None else response.get_json()
        for step in steps or ():
            found = found[step]
        return {header: f"{before}{found}{after}"}

    place = f"headers[{selector!r}]" if steps is None else f"json{_subscripts(steps)}"
    fixture = f"{name}_headers"
    source = HEADERS.format(
        fixture=fixture,
        client=client,
        name=name,
        arguments=_written(arguments),
        header=header,
        before=before,
        after=after,
        token=f"response.{place}",
    )
    user = User(name, FreshHeaders(make), fixtures=(fixture,), headers_expression=fixture)
    return user, source


def _pointer(text: str) -> list[str | int]:
    """Return the steps of a JSON Pointer (RFC 6901); numbers count as indexes."""
    if not text.startswith("/"):
        raise ValueError("no JSON Pointer")
    steps = [step.replace("~1", "/").replace("~0", "~") for step in text[1:].split("/")]
    return [int(step) if step.isdecimal() else step for step in steps]


def _subscripts(steps: list[str | int]) -> str:
    """Return subscripts with single quotes, for use in an f-string."""
    return "".join(f"[{step!r}]" for step in steps)
