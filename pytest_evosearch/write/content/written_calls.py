"""Turns exchanges into calls of a written test: paths, arguments, variables, users."""

from __future__ import annotations

from base64 import b64decode
from base64 import b64encode
from collections.abc import Collection
from collections.abc import Mapping
from collections.abc import Sequence
from urllib.parse import quote

from pytest_evosearch.core.free_names import first_free
from pytest_evosearch.core.http_words import ALL
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.problem.http.exchanges.address import base_url_of
from pytest_evosearch.problem.http.exchanges.address import other_variables
from pytest_evosearch.problem.http.exchanges.endpoint import PLACEHOLDER
from pytest_evosearch.problem.http.exchanges.endpoint import address_of
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Upload
from pytest_evosearch.problem.http.exchanges.exchange import ValuePath
from pytest_evosearch.problem.http.exchanges.individual import NOBODY
from pytest_evosearch.problem.http.exchanges.individual import STRANGER
from pytest_evosearch.sut.clients.cookie_call import server_argument
from pytest_evosearch.sut.clients.session_cookies import SessionReader
from pytest_evosearch.sut.clients.session_cookies import no_session
from pytest_evosearch.sut.handle import User
from pytest_evosearch.write.code.literals import Atom
from pytest_evosearch.write.code.literals import Expression
from pytest_evosearch.write.code.literals import Group
from pytest_evosearch.write.code.literals import Item
from pytest_evosearch.write.code.literals import Template
from pytest_evosearch.write.code.literals import Text
from pytest_evosearch.write.code.literals import call
from pytest_evosearch.write.code.literals import node_of
from pytest_evosearch.write.code.literals import one_line
from pytest_evosearch.write.code.literals import open_file
from pytest_evosearch.write.code.literals import quoted
from pytest_evosearch.write.code.literals import template_code
from pytest_evosearch.write.content.answered_body import Fact
from pytest_evosearch.write.content.identifier_names import Reference

_BASIC = "Basic "
"""Beginning of a header of HTTP Basic."""

SAFE_IN_PATH = "@:,;=!*()$~+'"
"""Characters that a path segment may contain unquoted (RFC 3986, section 3.3)."""


class Unwritable(Exception):
    """Says that a test cannot be written; the message is the reason for the report."""


@dataclass(frozen=True)
class PathValue:
    """The value of a path's placeholder: percent-encoded text, or the code of a variable."""

    name: str
    value: object


@dataclass(frozen=True)
class WrittenCall:
    """One call of the client, in the form to write."""

    method: str
    path: tuple[str | PathValue, ...]
    arguments: tuple[tuple[str, object], ...] = ()
    """Keyword -> value tree."""
    before: tuple[str, ...] = ()
    """Statements before it, ``auth.login()``."""
    mailed: tuple[str, ...] = ()
    """Statements directly before it that read sent values from a mail."""
    variable: str = "response"
    client: str = "client"
    facts: tuple[Fact, ...] = ()
    method_variable: str = ""
    """The column of a table with the method; empty for `method` itself."""
    is_streamed: bool = False
    """Whether the act includes reading the body: it fails while the body is produced."""

    @property
    def status(self) -> int:
        """The asserted status, the first of several, 0 without one."""
        found = next((fact.value for fact in self.facts if fact.kind == "status"), 0)
        if isinstance(found, tuple):
            found = found[0]
        return found if isinstance(found, int) else 0

    def node(self) -> Group:
        """Return the call of the client."""
        path = self._path_node()
        items = [Item(node_of(value), f"{keyword}=") for keyword, value in self.arguments]
        if self.method_variable:
            method = Item(Atom(self.method_variable), "method=")
            return call(f"{self.client}.open", path, method, *items)
        if self.method in ALL:
            return call(f"{self.client}.{self.method.lower()}", path, *items)
        return call(f"{self.client}.open", path, Item(Text(self.method), "method="), *items)

    def _path_node(self) -> Text | Template | Atom:
        parts: list[str | Expression] = []
        for part in self.path:
            value = part.value if isinstance(part, PathValue) else part
            parts.append(value if isinstance(value, Expression) else str(value))
        if len(parts) == 1 and isinstance(parts[0], Expression):
            return Atom(parts[0].code)
        if any(isinstance(part, Expression) for part in parts):
            return Template(tuple(parts))
        return Text("".join(str(part) for part in parts))


def path_parts(
    request: Request, references: Mapping[ValuePath, Reference]
) -> tuple[str | PathValue, ...]:
    """Return the path in pieces, percent-encoded so that exactly this request is sent."""
    parts: list[str | PathValue] = []
    end = 0
    template = address_of(request.template)
    for match in PLACEHOLDER.finditer(template):
        parts.append(template[end : match.start()])
        parts.append(PathValue(match[1], _path_value(request, match[1], references)))
        end = match.end()
    parts.append(template[end:])
    return tuple(part for part in parts if part != "")


def _path_value(request: Request, name: str, references: Mapping[ValuePath, Reference]) -> object:
    reference = references.get(("path", name))
    if reference is not None and not reference.prefix:
        return Expression(reference.code)
    value = request.path.get(name, "")
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return quote(str(value), safe=SAFE_IN_PATH)


def arguments_of(
    request: Request, user: User | None, references: Mapping[ValuePath, Reference]
) -> tuple[tuple[str, object], ...]:
    """Return the keyword arguments of the client's method, in the usual order."""
    headers, credentials = _without_basic(_headers(request, user, references))
    candidates = [
        ("query_string", _named_values(request.query, "query", references)),
        ("json", _json_tree(request, references)),
        ("data", _data(request, references)),
        ("content_type", _content_type(request)),
        ("auth", credentials),
        ("headers", headers),
        ("base_url", base_url_of(dict(request.environ), request.host or "")),
        (
            "environ_overrides",
            _named_values(other_variables(request.environ), "environ", references),
        ),
    ]
    return tuple((keyword, value) for keyword, value in candidates if value is not None)


def _named_values(
    pairs: Sequence[tuple[str, object]],
    kind: str,
    references: Mapping[ValuePath, Reference],
) -> dict[object, object] | None:
    """Return a dict of texts, lists for repeated names; None when it is empty."""
    found: dict[object, object] = {}
    for name, value in pairs:
        reference = references.get((kind, name))
        entry = _referring(reference) if reference is not None else _plain(value, kind)
        if name not in found:
            found[name] = entry
        elif isinstance(found[name], list):
            found[name] = [*_as_list(found[name]), entry]
        else:
            found[name] = [found[name], entry]
    return found or None


def _as_list(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _plain(value: object, kind: str) -> object:
    """Return a value in its location's type: numbers in queries, texts in forms and headers."""
    if kind == "query" and isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    return str(value)


def _referring(reference: Reference) -> Expression:
    """Return the code of a referenced value, with its prefix in an f-string."""
    if not reference.prefix:
        return Expression(reference.code)
    return Expression(template_code((reference.prefix, Expression(reference.code))))


def _json_tree(request: Request, references: Mapping[ValuePath, Reference]) -> object:
    if not request.has_json or request.json is None:
        return None
    return _with_references(request.json, ("json",), references)


def _with_references(
    value: object, path: ValuePath, references: Mapping[ValuePath, Reference]
) -> object:
    reference = references.get(path)
    if reference is not None:
        return _referring(reference)
    if isinstance(value, dict):
        return {
            key: _with_references(part, (*path, key), references) for key, part in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [
            _with_references(part, (*path, place), references) for place, part in enumerate(value)
        ]
    return value


def _data(request: Request, references: Mapping[ValuePath, Reference]) -> object:
    if request.has_json:
        return None
    data = _named_values(request.form, "form", references)
    if request.files:
        data = data or {}
        for name, upload in request.files:
            earlier = data.get(name)
            entry = _upload(upload)
            data[name] = entry if earlier is None else [*_as_list(earlier), entry]
    if data is not None:
        return data
    return request.text


def _upload(upload: Upload) -> tuple[object, ...]:
    content = open_file(upload.content)
    if upload.content_type is None:
        return (content, upload.filename)
    return (content, upload.filename, upload.content_type)


def _content_type(request: Request) -> str | None:
    if request.has_json or request.form or request.files or request.text is None:
        return None
    return request.content_type or "text/plain"


def _headers(
    request: Request, user: User | None, references: Mapping[ValuePath, Reference]
) -> object:
    expression = user.headers_expression if user is not None else None
    own = list(request.headers)
    if user is not None and expression is None and user.client is None:
        own = [*user.headers.items(), *own]
    if len({name.lower() for name, _ in own}) < len(own):
        return _repeated_headers(own, expression)
    named = _named_values(own, "header", references)
    if expression is None:
        return named
    if named is None:
        return Expression(expression)
    return {Expression(f"**{expression}"): None, **named}


def _without_basic(headers: object) -> tuple[object, tuple[str, str] | None]:
    """Return the headers without HTTP Basic, and its name and password.

    This is done only where the client makes an identical header (Werkzeug's ``auth``).
    """
    value = headers.get("Authorization") if isinstance(headers, dict) else None
    if not isinstance(headers, dict) or not isinstance(value, str):
        return headers, None
    try:
        account = b64decode(value.removeprefix(_BASIC), validate=True).decode()
    except ValueError:
        return headers, None
    name, colon, password = account.partition(":")
    if (
        not colon
        or not account.isprintable()
        or f"{_BASIC}{b64encode(account.encode()).decode()}" != value
    ):
        return headers, None
    rest = {key: held for key, held in headers.items() if key != "Authorization"}
    return rest or None, (name, password)


def _repeated_headers(own: list[tuple[str, str]], expression: str | None) -> list[object]:
    pairs: list[object] = [(name, value) for name, value in own]
    if expression is None:
        return pairs
    return [Expression(f"*{expression}.items()"), *pairs]


@dataclass(frozen=True)
class Cookies:
    """How a test sets cookies."""

    server_name_first: bool = False
    """Whether ``client.set_cookie`` takes the server's name first: Werkzeug before 2.3."""
    session_in: SessionReader = no_session
    """Returns what a cookie holds that is the application's session."""


def cookie_statements(
    request: Request, client: str, cookies: Cookies, taken: Collection[str] = ()
) -> list[str]:
    """Return the lines that set the client's cookies.

    What a session holds is put into the session of the client: a cookie expires, and only the
    configuration of this machine can read it.
    """
    before = "".join(f"{quoted(one)}, " for one in server_argument(cookies.server_name_first))
    lines = []
    for name, value in request.cookies:
        fields = cookies.session_in(name, value)
        if fields is None:
            lines.append(f"{client}.set_cookie({before}{quoted(name)}, {quoted(value)})")
            continue
        session = first_free(("session", "stored"), taken)
        lines.append(f"with {client}.session_transaction() as {session}:")
        for key, held in fields.items():
            lines.append(f"    {session}[{quoted(key)}] = {one_line(node_of(held))}")
    return lines


def account_of(exchange: Exchange, users: Mapping[str, User]) -> User | None:
    """Return the user of a call; raise `Unwritable` when a test cannot act as that user."""
    if exchange.user in (None, NOBODY, STRANGER):
        return None
    account = users.get(str(exchange.user))
    if account is None:
        raise Unwritable(f"no fixture makes a test the user {exchange.user!r}")
    if account.withheld:
        raise Unwritable(account.withheld)
    if account.login is not None and account.statement is None and account.client is None:
        raise Unwritable(f"no fixture logs a test in as {exchange.user!r}")
    return account
