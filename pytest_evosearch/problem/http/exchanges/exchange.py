"""Requests, responses, and observations of calls, as plain values.

`execution` makes them. The problem reads them to learn, the oracles to judge, and the writer to
write a test. No object here refers to Flask's objects.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import field
from dataclasses import fields
from functools import cached_property
from operator import attrgetter
from typing import TypeAlias

from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.row_store import FLASK_SQLALCHEMY
from pytest_evosearch.core.row_store import RowStore
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.vocabulary import MESSAGE
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.instrument.probing.trace import Sighting
from pytest_evosearch.problem.http.exchanges.endpoint import operation_of
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault
from pytest_evosearch.problem.http.exchanges.seen_inside import NO_EVIDENCE
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash
from pytest_evosearch.problem.http.exchanges.seen_inside import Evidence
from pytest_evosearch.problem.http.exchanges.seen_inside import HiddenFailure
from pytest_evosearch.problem.http.exchanges.seen_inside import Mail
from pytest_evosearch.problem.http.exchanges.seen_inside import Missing
from pytest_evosearch.problem.http.exchanges.seen_inside import Outgoing
from pytest_evosearch.problem.http.exchanges.seen_inside import Read
from pytest_evosearch.problem.http.exchanges.seen_inside import Validation

ValuePath: TypeAlias = "tuple[str | int, ...]"
"""A place in a request: ("path", "id"), ("query", "page"), ("json", "author", 0)."""

Selector: TypeAlias = "tuple[str | int, ...]"
"""A place in a response.

- ("json", "id"), ("json", 0, "id"): a value in the JSON body; ("json",): a bare value.
- ("location", -1): the last path segment of the Location header.
- ("location", "code"): a value in the query of the Location header.
- ("header", "ETag"): a header.
- ("form", "csrf_token"): a field of an HTML form.
- ("page", "csrf-token"): a token in the head or in a script of a page.
- ("mail", "/confirm/{token}", "token"): a value in an address that the application has mailed, in
  its path or its query.
- ("mail", "", "Your code is ", ""): what follows these words in a letter; last, the shape of the
  code that reads the letter where the application keeps it.
"""


@dataclass(frozen=True)
class Origin:
    """The earlier response of this test that a sent value comes from."""

    call: int
    """Index of the earlier call in the test."""
    selector: Selector
    prefix: str = ""
    """Text before the value, ``Bearer `` before a token."""


@dataclass(frozen=True)
class Upload:
    """One file of a multipart form."""

    filename: str
    content: bytes
    content_type: str | None = None


@dataclass(frozen=True)
class PlacedRow:
    """A row that a test puts into a table before a call."""

    model: str
    """``shop.models.Item``, or the name of a table."""
    values: Mapping[str, object]
    temporal: Mapping[str, str] = field(default_factory=dict)
    """Attributes whose texts represent a ``date``, a ``datetime``, or a member of a class."""
    parents: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    """Attribute -> position of an earlier row of the call, and the value to take from it."""
    store: RowStore = FLASK_SQLALCHEMY
    """How the row is stored."""


@dataclass(frozen=True)
class Request:
    """A request with every value concrete.

    Repeated query or form names appear once for each value. `origins` says which values come from
    earlier responses, so a written test can take them from there.
    """

    method: str
    template: str
    path: Mapping[str, object] = field(default_factory=dict)
    query: tuple[tuple[str, object], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    cookies: tuple[tuple[str, str], ...] = ()
    environ: tuple[tuple[str, str], ...] = ()
    """WSGI variables that a server in front of the application would set."""
    form: tuple[tuple[str, object], ...] = ()
    files: tuple[tuple[str, Upload], ...] = ()
    json: object = None
    has_json: bool = False
    text: str | bytes | None = None
    content_type: str | None = None
    """Content type of a raw body only; forms and JSON imply theirs."""
    host: str | None = None
    origins: Mapping[ValuePath, Origin] = field(default_factory=dict)
    rows: tuple[PlacedRow, ...] = ()
    """Rows that must exist before the request is sent."""
    answers: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """A call of the application to another service -> what that answers."""

    @property
    def endpoint(self) -> str:
        """The key of the endpoint that the request was made for."""
        return f"{self.method} {self.template}"

    def fingerprint(self) -> str:
        """Return a text that two requests share only if all of their parts are alike.

        Parts are compared as they are written: 1, 1.0 and True differ.
        """
        return repr(_PARTS(self))

    @property
    def pairs(self) -> Mapping[str, Sequence[tuple[str, object]]]:
        """Names and values of what is sent by name, by location."""
        return {
            "path": tuple(self.path.items()),
            "query": self.query,
            "form": self.form,
            "file": tuple((name, upload.content) for name, upload in self.files),
            "header": self.headers,
            "cookie": self.cookies,
            "environ": self.environ,
        }

    @property
    def document(self) -> str:
        """The text of a GraphQL operation, empty for any other request."""
        if not operation_of(self.template) or not isinstance(self.json, dict):
            return ""
        return str(self.json.get("query", ""))

    @property
    def payload(self) -> object:
        """The request's JSON; for a GraphQL operation the variables, without its text.

        A single input object (``userData``) is replaced by its content.
        """
        if not operation_of(self.template) or not isinstance(self.json, dict):
            return self.json
        variables = self.json.get("variables")
        fields = variables if isinstance(variables, dict) else {}
        only = next(iter(fields.values())) if len(fields) == 1 else None
        return only if isinstance(only, dict) else fields

    @property
    def was_mailed(self) -> bool:
        """Whether a sent value comes from a mail."""
        return any(origin.selector[0] == "mail" for origin in self.origins.values())


_PARTS = attrgetter(*(part.name for part in fields(Request)))

MESSAGE_KEYS = MESSAGE.words()
"""Keys of a JSON body under which applications report what is wrong."""


DEEPEST = 100
"""Most levels of JSON that are read: a walk calls a function for each level."""

_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


def _is_too_deep(body: bytes) -> bool:
    """Say whether JSON is nested too deeply, by removing level after level."""
    if body.count(b"[") + body.count(b"{") <= DEEPEST:
        return False
    brackets = body.translate(None, _NO_BRACKETS)
    for _level in range(DEEPEST):
        outer = brackets.replace(b"[]", b"").replace(b"{}", b"")
        if outer == brackets:
            return False
        brackets = outer
    return bool(brackets)


@dataclass(frozen=True)
class Response:
    """A response with its complete body, or the body up to the executor's limit."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    truncated: bool = False
    """Whether the body continued after the limit, perhaps for ever."""
    live: bool = False
    """Whether the body is the first piece of a stream of events; empty when nothing happened."""

    def header(self, name: str) -> str | None:
        """Return the first header called `name`, in any case."""
        wanted = name.lower()
        for key, value in self.headers:
            if key.lower() == wanted:
                return value
        return None

    @cached_property
    def mimetype(self) -> str:
        """The content type without parameters, lower case; empty when there is none."""
        return (self.header("Content-Type") or "").partition(";")[0].strip().lower()

    @property
    def location(self) -> str | None:
        """The Location header as it was sent."""
        return self.header("Location")

    @property
    def text(self) -> str:
        """The body as text, with undecodable bytes replaced."""
        return self.body.decode("utf-8", "replace")

    @property
    def is_json(self) -> bool:
        """Say whether the body claims to be JSON."""
        return self.mimetype == "application/json" or self.mimetype.endswith("+json")

    def json(self) -> object:
        """Return the parsed JSON body; raise ValueError when it is no JSON, or too deep."""
        if _is_too_deep(self.body):
            raise ValueError("nested too deeply")
        try:
            return json.loads(self.body)
        except RecursionError:  # brackets that are never closed are not counted as levels
            raise ValueError("nested too deeply") from None

    def document(self) -> object:
        """Return the parsed body of a JSON response, None where it claims or holds no JSON."""
        try:
            return self.json() if self.is_json else None
        except ValueError:
            return None

    @property
    def is_xml(self) -> bool:
        """Say whether the body claims to be XML."""
        return self.mimetype in ("application/xml", "text/xml") or self.mimetype.endswith("+xml")

    @property
    def is_measurement(self) -> bool:
        """Say whether the body is in Prometheus' text format: counts of this process."""
        _, *parameters = (self.header("Content-Type") or "").lower().split(";")
        versioned = any(one.strip().startswith("version=") for one in parameters)
        return self.mimetype == "text/plain" and versioned

    @property
    def is_markup(self) -> bool:
        """Say whether the body is a page or XML: text between tags."""
        return (self.mimetype == "text/html" or self.is_xml) and b"<" in self.body

    @property
    def has_form(self) -> bool:
        """Say whether it is a page with a form."""
        return self.mimetype == "text/html" and b"<form" in self.body

    def messages(self, keys: Sequence[str] = MESSAGE_KEYS) -> list[str]:
        """Return the texts that report a problem in a JSON object, none for any other body.

        They are under one of the `keys`, or in objects there: ``{"error": {"message": ...}}``.
        """
        content = self.document()
        found = content if isinstance(content, dict) else {}
        said = [found[key] for key in keys if key in found]
        parts = [part for one in said for part in (one if isinstance(one, list) else (one,))]
        objects = [part for part in parts if isinstance(part, dict)]
        said += [part[key] for part in objects for key in MESSAGE_KEYS if key in part]
        return [text for text in said if isinstance(text, str)]


@dataclass(frozen=True)
class Exchange:
    """One request, its response, and the observations of the call."""

    request: Request
    response: Response | None
    """The response; None only when the request was cut off (`frozen`)."""
    user: str | None = None
    crash: Crash | None = None
    abort: Crash | None = None
    """Where the application decided on a 5xx response, by an HTTP exception.

    Its message is the application's own, or empty.
    """
    frozen: bool = False
    """Whether the call exceeded its time limit or memory limit, or killed its process."""
    late: bool = False
    """Whether the response continued until time was up."""
    died: str = ""
    """How the process that handled the call ended, as in ``SIGSEGV``.

    It is known only where each test runs in a process of its own. The call is `frozen`, too: it
    cannot become a test.
    """
    excess: str = ""
    """Why the call was stopped: ``starts processes without end``. Such a call is `frozen`, too."""
    reads: tuple[Read, ...] = ()
    validations: tuple[Validation, ...] = ()
    """All known rules of the endpoint; one shared object until a new rule is found."""
    sent: bool = True
    """False when the client could not build or send the request."""
    routed: bool = True
    """False when the application's URL map sent it to another endpoint, or to none."""
    held_back: bool = False
    """Whether the search prevented something harmful, so that the response says little."""
    slept: float = 0.0
    """Seconds that the handler asked to sleep; in a search they pass at once."""
    seconds: float = field(default=0.0, compare=False)
    """Processor seconds of the call, including our own (probes, client)."""
    evidence: Evidence = NO_EVIDENCE
    mails: tuple[Mail, ...] = ()
    """Mails of the handler, or of threads that it started."""
    missing: tuple[Missing, ...] = ()
    """Services that the call needed and that could not be reached."""
    hidden: tuple[HiddenFailure, ...] = ()
    """Failures that the response does not show: in threads, in tasks, in the log."""
    meaning: int = 0
    """The status that the response means, where its own status does not say it.

    GraphQL sends errors with 200, and a learnt refusal may have any status. 0 where the status says
    what it means.
    """
    refused: bool | None = field(default=None, compare=False)
    """Whether it refused its caller, as the search has learnt; None when unknown.

    Read it through `refusals.turns_away`.
    """

    @property
    def outgoing(self) -> tuple[Outgoing, ...]:
        """Calls to other services, and their answers."""
        return self.evidence.outgoing

    @property
    def done_without(self) -> str:
        """Return a table that is missing, where the application goes on; else an empty text.

        A crash that says so is not meant: nothing was caught.
        """
        said = "" if self.crash is None else self.crash.message
        return next((name for name in self.evidence.absent if name not in said), "")

    @property
    def is_broken(self) -> bool:
        """Say whether the call crashed, did not end, or was never sent."""
        return self.crash is not None or self.frozen or not self.sent

    @property
    def status(self) -> int:
        """Return the status that the response means; 500 for a crash, 0 without a response."""
        if self.meaning:
            return self.meaning
        if self.response is not None:
            return self.response.status
        return 500 if self.crash is not None else 0


@dataclass(frozen=True)
class Observation:
    """Everything that the execution of one individual showed."""

    individual: Individual
    exchanges: tuple[Exchange, ...]
    comparisons: Sequence[Comparison] = ()
    faults: tuple[Fault, ...] = ()
    guidance: Sequence[Comparison] = ()
    """All comparisons of the last call, including those of covered targets; on request."""
    reach: int = 0
    """How many targets the last call covered, including old ones; counted with `guidance`."""
    sightings: Sequence[Sighting] = ()
    """Values that the conditions in focus compared; on request."""
    reached: frozenset[TargetId] = frozenset()
    """The targets that `reach` counts."""
    recorded: frozenset[int] = frozenset()
    """Calls whose handlers got recording objects, and not those that Flask gives."""
