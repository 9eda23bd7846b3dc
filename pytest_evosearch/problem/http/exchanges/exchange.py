"""What was sent and what came back, as plain values.

Made by `execution`, read by the problem (to learn), the oracles (to judge) and the writer
(to write a test).  Nothing here holds on to Flask objects.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from functools import cached_property
from typing import TypeAlias

from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.row_store import FLASK_SQLALCHEMY
from pytest_evosearch.core.row_store import RowStore
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.vocabulary import MESSAGE
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.instrument.probing.trace import Sighting
from pytest_evosearch.problem.http.exchanges.endpoint import operation_of
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.seen_inside import NO_EVIDENCE
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash
from pytest_evosearch.problem.http.exchanges.seen_inside import Evidence
from pytest_evosearch.problem.http.exchanges.seen_inside import HiddenFailure
from pytest_evosearch.problem.http.exchanges.seen_inside import Mail
from pytest_evosearch.problem.http.exchanges.seen_inside import Missing
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
- ("mail", "/confirm/{token}", "token"): a value in an address that the application mailed
  meanwhile, in its path or its query.
"""


@dataclass(frozen=True)
class Origin:
    """Where a sent value was taken from: an earlier response of the same test."""

    call: int
    """Index of the earlier call in the test."""
    selector: Selector
    prefix: str = ""
    """Text that was put before the value, ``Bearer `` before a token."""


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
    """Attributes whose texts stand for a ``date``, a ``datetime``, or a member of a class."""
    parents: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    """Attribute -> position of an earlier row of the call, and what is taken of it."""
    store: RowStore = FLASK_SQLALCHEMY
    """How it is put there."""


@dataclass(frozen=True)
class Request:
    """A request with every value concrete.

    Repeated query or form names appear once per value.  `origins` says which values came
    out of earlier responses, so that a written test can take them from there again.
    """

    method: str
    template: str
    path: Mapping[str, object] = field(default_factory=dict)
    query: tuple[tuple[str, object], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    cookies: tuple[tuple[str, str], ...] = ()
    environ: tuple[tuple[str, str], ...] = ()
    """What a server in front of the application would tell."""
    form: tuple[tuple[str, object], ...] = ()
    files: tuple[tuple[str, Upload], ...] = ()
    json: object = None
    has_json: bool = False
    text: str | bytes | None = None
    content_type: str | None = None
    """Of a raw body only; forms and JSON imply theirs."""
    host: str | None = None
    origins: Mapping[ValuePath, Origin] = field(default_factory=dict)
    rows: tuple[PlacedRow, ...] = ()
    """What has to be there before it is sent."""

    @property
    def endpoint(self) -> str:
        """The key of the endpoint that it was made for."""
        return f"{self.method} {self.template}"

    @property
    def document(self) -> str:
        """The text of an operation of GraphQL, empty for any other request."""
        if not operation_of(self.template) or not isinstance(self.json, dict):
            return ""
        return str(self.json.get("query", ""))

    @property
    def payload(self) -> object:
        """What its JSON says: of an operation of GraphQL the variables, without its text.

        A single input object (``userData``) is what it holds.
        """
        if not operation_of(self.template) or not isinstance(self.json, dict):
            return self.json
        variables = self.json.get("variables")
        fields = variables if isinstance(variables, dict) else {}
        only = next(iter(fields.values())) if len(fields) == 1 else None
        return only if isinstance(only, dict) else fields

    @property
    def was_mailed(self) -> bool:
        """Whether something that it sends was taken out of a mail."""
        return any(origin.selector[0] == "mail" for origin in self.origins.values())


MESSAGE_KEYS = MESSAGE.words()
"""Keys of a JSON body under which applications say what is wrong."""


DEEPEST = 100
"""Levels of JSON that are looked into: who goes through it calls a function for each of them."""

_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


def _is_too_deep(body: bytes) -> bool:
    """Say whether JSON is nested too deeply, one level after the other, the innermost first."""
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
    """A response with its body read to the end (or to the limit of the executor)."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    truncated: bool = False
    """The body went on after the limit, perhaps for ever."""
    live: bool = False
    """The body is the first piece of a stream that tells what happens; empty: nothing did."""

    def header(self, name: str) -> str | None:
        """Return the first header called `name`, whatever its case."""
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
        """The body as text, undecodable bytes replaced."""
        return self.body.decode("utf-8", "replace")

    @property
    def is_json(self) -> bool:
        """Say whether the body claims to be JSON."""
        return self.mimetype == "application/json" or self.mimetype.endswith("+json")

    def json(self) -> object:
        """Return the parsed JSON body; raise ValueError when it is none, or nested too deeply."""
        if _is_too_deep(self.body):
            raise ValueError("nested too deeply")
        return json.loads(self.body)

    @property
    def is_xml(self) -> bool:
        """Say whether the body claims to be XML."""
        return self.mimetype in ("application/xml", "text/xml") or self.mimetype.endswith("+xml")

    @property
    def is_measurement(self) -> bool:
        """Say whether the body is in Prometheus' text format: what this process has counted."""
        _, *parameters = (self.header("Content-Type") or "").lower().split(";")
        versioned = any(one.strip().startswith("version=") for one in parameters)
        return self.mimetype == "text/plain" and versioned

    @property
    def is_markup(self) -> bool:
        """Say whether the body is a page or XML: texts between tags."""
        return (self.mimetype == "text/html" or self.is_xml) and b"<" in self.body

    @property
    def has_form(self) -> bool:
        """Say whether it is a page with a form."""
        return self.mimetype == "text/html" and b"<form" in self.body

    def messages(self, keys: Sequence[str] = MESSAGE_KEYS) -> list[str]:
        """Return the texts by which a JSON object says what is wrong, none for any other body.

        They stand under one of the `keys`, or in objects there: ``{"error": {"message": ...}}``.
        """
        if not self.is_json:
            return []
        try:
            content = self.json()
        except (ValueError, RecursionError):
            return []
        found = content if isinstance(content, dict) else {}
        said = [found[key] for key in keys if key in found]
        parts = [part for one in said for part in (one if isinstance(one, list) else (one,))]
        objects = [part for part in parts if isinstance(part, dict)]
        said += [part[key] for part in objects for key in MESSAGE_KEYS if key in part]
        return [text for text in said if isinstance(text, str)]


@dataclass(frozen=True)
class Exchange:
    """One request, its response, and what was seen on the way."""

    request: Request
    response: Response | None
    """None only when the request was cut off (`frozen`)."""
    user: str | None = None
    crash: Crash | None = None
    abort: Crash | None = None
    """Where the application decided to answer with 5xx, by an exception of HTTP's own; its
    message is what it says itself, or empty."""
    frozen: bool = False
    """The call did not end within its time limit, took its process with it, or asked for more
    memory than it may take."""
    late: bool = False
    """The answer went on until time was up."""
    died: str = ""
    """How the process ended that handled the call, as in ``SIGSEGV``; only to be seen where each
    test runs in a process of its own.  Such a call is `frozen`, too: no test can be made of it."""
    excess: str = ""
    """What the run of the call was given up for: ``starts processes without end``.  Such a call is
    `frozen`, too."""
    reads: tuple[Read, ...] = ()
    validations: tuple[Validation, ...] = ()
    """All that is known to be demanded at the endpoint; the same object while nothing is new."""
    sent: bool = True
    """False when the client itself could not build or send the request."""
    routed: bool = True
    """False when the application's URL map sent it elsewhere, or nowhere."""
    held_back: bool = False
    """We kept the handler from something harmful, so that its answer says little."""
    slept: float = 0.0
    """Seconds that the handler asked to sleep; they pass at once during a search."""
    seconds: float = field(default=0.0, compare=False)
    """Time of the processor that the call took, ours (probes, client) included."""
    evidence: Evidence = NO_EVIDENCE
    mails: tuple[Mail, ...] = ()
    """Sent by the handler, or by threads that it started."""
    missing: tuple[Missing, ...] = ()
    """Services that the call asked for, and that were not there."""
    hidden: tuple[HiddenFailure, ...] = ()
    """What failed meanwhile without being answered: in threads, in tasks, in what is logged."""
    meaning: int = 0
    """The status that the answer amounts to where its own is no help: GraphQL answers errors, too,
    with 200, and a learnt refusal may have any status.  0 where it says what it means."""
    refused: bool | None = field(default=None, compare=False)
    """Whether it turned its caller away, as the search has learnt; None where that says nothing.
    To be asked through `refusals.turns_away`."""

    @property
    def is_broken(self) -> bool:
        """Say whether the call crashed, did not end, or was never sent."""
        return self.crash is not None or self.frozen or not self.sent

    @property
    def status(self) -> int:
        """What the answer amounts to; 500 for a crash that propagated, 0 when there is none."""
        if self.meaning:
            return self.meaning
        if self.response is not None:
            return self.response.status
        return 500 if self.crash is not None else 0


@dataclass(frozen=True)
class Expectation:
    """What should hold of the last response instead of a fault; a written test asserts it.

    `kind` is one of

        ``status-below``   the status is less than `value`
        ``status-from``    the status is `value` or more
        ``status-in``      the status is one of the tuple `value`
        ``status-is-not``  the status is another one than `value`
        ``lacks``          the body does not hold the text `value`
        ``lacks-setting``  the body does not hold the value of the setting called `value`
        ``header``         there is a header called `value`
        ``empty``          there is no body
        ``json-type``      the JSON at `path` is an instance of the types named in the tuple `value`
        ``json-has``       the JSON object at `path` has the key `value`
        ``json-lacks``     the JSON object at `path` has no key `value`
        ``json-is``        the JSON at `path` equals `value`
        ``json-is-not``    the JSON at `path` differs from `value`
        ``json-length``    the JSON list at `path` has the length `value`
        ``json-in``        the JSON at `path` is one of the list `value`
        ``unseen``         no response shows it, so that no test can assert it
    """

    kind: str
    value: object = None
    path: tuple[str | int, ...] = ()
    phrase: str = "does_not_crash"
    """How the name of the test ends; it may hold a name of the application as it is spelled."""


NO_SERVER_ERROR = Expectation("status-below", 500)

CRASH = "crash"
"""The code of faults that are exceptions, whether they leave the application or GraphQL tells."""


@dataclass(frozen=True)
class Fault:
    """Something that an oracle holds against the application."""

    code: str
    """Stable code of the oracle's finding, ``crash``, ``server-error``, ``freeze``."""
    endpoint: str
    kind: str
    """Exception type, or the status: ``ZeroDivisionError``, ``500``."""
    position: str
    """``file:line`` of the innermost application frame, or ``unknown``."""
    message: str
    call: int
    """Index of the call that shows it."""
    target: TargetId
    expectation: Expectation = NO_SERVER_ERROR
    way: str = ""
    """The functions that led to a crash; endpoints that share them share the fault."""

    @property
    def is_failure(self) -> bool:
        """Whether the call failed as a whole: what it covers has not been seen to work."""
        return self.expectation == NO_SERVER_ERROR or self.code == CRASH


@dataclass(frozen=True)
class Observation:
    """Everything that one executed individual revealed."""

    individual: Individual
    exchanges: tuple[Exchange, ...]
    comparisons: Sequence[Comparison] = ()
    faults: tuple[Fault, ...] = ()
    guidance: Sequence[Comparison] = ()
    """All that the last call compared, targets that are done with included; when asked for."""
    reach: int = 0
    """How many targets the last call covered, old ones too; counted along with `guidance`."""
    sightings: Sequence[Sighting] = ()
    """What the conditions in focus saw; when asked for."""
    reached: frozenset[TargetId] = frozenset()
    """The targets that `reach` counts."""
