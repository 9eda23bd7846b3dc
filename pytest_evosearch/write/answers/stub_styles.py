"""Ways to write what other services answer in a test: our fixture, and libraries that projects use.

services.get("http://prices.internal/today", json={"oats": 3.2})
requests_mock.get("http://prices.internal/today", json={"oats": 3.2})
rsps.get("http://prices.internal/today", json={"oats": 3.2})
respx_mock.get("http://prices.internal/today").respond(json={"oats": 3.2})
"""

from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from operator import itemgetter
from pathlib import Path
from urllib.parse import parse_qs
from urllib.parse import parse_qsl

from pytest_evosearch.core.http_words import SAFE
from pytest_evosearch.core.http_words import WRITING
from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.seen_inside import Outgoing
from pytest_evosearch.sut.finding.project_scan import read_source
from pytest_evosearch.sut.finding.project_scan import source_files
from pytest_evosearch.sut.fixture_texts.services_text import RESPONSES_FIXTURE
from pytest_evosearch.sut.fixture_texts.services_text import SERVICES_FIXTURE
from pytest_evosearch.write.code.literals import Expression
from pytest_evosearch.write.code.literals import Group
from pytest_evosearch.write.code.literals import Item
from pytest_evosearch.write.code.literals import Text
from pytest_evosearch.write.code.literals import call
from pytest_evosearch.write.code.literals import node_of
from pytest_evosearch.write.code.literals import one_line

Answers = Sequence[Mapping[str, object]]
"""What a service answers in turn: `status`, `json`, `text`, `headers` and `fails`, each of which
may be missing.
"""

NO_CONNECTION = "no connection in time"

_METHODS = (*SAFE[:2], *WRITING)


@dataclass(frozen=True)
class StubStyle:
    """One way to write what services answer, and what they were asked."""

    fixture: str
    library: str
    """Module of the library, empty for our own fixture."""
    client: str
    """The HTTP client whose calls it can answer; empty for any."""
    stubs: Callable[[str, str, Answers], list[Group]]
    """Returns the statements for a method, an address, and its answers."""
    sent: Mapping[str, Callable[[Outgoing], tuple[str, object]]]
    """Part of a request -> what reads it from the request, ``{}.json()``, and its value."""
    requests: str
    """Expression for one of a test's requests, by its number."""
    repeats_last: bool = True
    """Whether the last answer is given again to all that follow."""

    def place_of(self, asked: Outgoing) -> str:
        """Return what a stub is for: method and address, or the name of a host out of reach."""
        if asked.method or self.library:
            return place_of(asked)
        return asked.name

    def express(self, asked: Iterable[Outgoing]) -> bool:
        """Say whether all these calls can be stubbed so."""
        return not self.library or all(
            place_of(one).partition(" ")[0] in _METHODS
            and header(one, "user-agent").startswith(self.client)
            for one in asked
        )


def place_of(asked: Outgoing) -> str:
    """Return method and address of a call, the name of the host where they are not known."""
    return f"{asked.method} {asked.url}" if asked.method else asked.sought or asked.name


def failure_of(asked: Outgoing) -> str:
    """Return how a service failed; a connection that takes too long differs from an answer."""
    return NO_CONNECTION if asked.failure == "time-out" and not asked.method else asked.failure


def chosen_style(asked: Sequence[Exchange], root: Path, taken: Collection[str]) -> StubStyle:
    """Return the style that the project's tests and requirements use most.

    It is our own fixture where the library cannot express all the stubs that `asked` need. `taken`
    are the fixtures of the project and of its plugins.
    """
    known = [one for one in STYLES if one.fixture in taken or one.fixture == RESPONSES_FIXTURE]
    if not asked or any(map(_is_tried_again, asked)):
        return OWN
    lists = [*root.glob("pyproject.toml"), *root.glob("*requirements*.txt")]
    stated = "\n".join(map(read_source, lists))
    code = "\n".join(map(read_source, source_files(root, tests=True)))
    counts = [_times_named(one, stated, code) for one in known]
    times, best = max(zip(counts, known, strict=True), key=itemgetter(0), default=(0, OWN))
    if not times or find_spec(best.library) is None:
        return OWN
    return best if best.express(one for step in asked for one in step.outgoing) else OWN


def _times_named(style: StubStyle, stated: str, code: str) -> int:
    """Return how often requirements state a library, and code imports it or names its fixture."""
    package = style.library.replace("_", "[-_]")
    required = re.findall(rf"(?m)(?:^\s*|[\"']){package}(?![\w.-])", stated)
    used = rf"(?m)^\s*(?:import|from)\s+{style.library}\b|\b{style.fixture}\b"
    return len(required) + len(re.findall(used, code))


def _is_tried_again(step: Exchange) -> bool:
    """Say whether a call that failed is made again: what a client does by itself is not stubbed."""
    failed = [one for one in step.outgoing if one.fails]
    return any(
        place_of(later) == place_of(one)
        for one in failed
        for later in step.outgoing[step.outgoing.index(one) + 1 :]
    )


def header(asked: Outgoing, wanted: str) -> str:
    """Return a header of a call in lower case; empty where there is none."""
    return next((value for name, value in asked.headers if name.lower() == wanted), "").lower()


def _own(method: str, url: str, answers: Answers) -> list[Group]:
    named = method in _METHODS
    function = f"{SERVICES_FIXTURE}.{method.lower() if named else 'add'}"
    first = [Item(Text(url))] if named else [Item(Text(method)), Item(Text(url))]
    return [call(function, *first, *_keywords(answer)) for answer in answers]


def _keywords(answer: Mapping[str, object], **names: str) -> Iterator[Item]:
    """Yield the arguments of an answer, some of them under other names."""
    for name, value in answer.items():
        yield Item(node_of(value), f"{names.get(name, name)}=")


def _complete(answer: Mapping[str, object], client: int, call: str = "") -> dict[str, object]:
    """Return an answer with its body, or with the exception that stands for a failure."""
    if "fails" in answer:
        return {"fails": Expression(_FAILURES[str(answer["fails"])][client] + call)}
    return dict(answer) if "text" in answer or "json" in answer else {**answer, "json": {}}


def _with_requests_mock(method: str, url: str, answers: Answers) -> list[Group]:
    given = [
        list(_keywords(_complete(one, _REQUESTS), status="status_code", fails="exc"))
        for one in answers
    ]
    if len(given) > 1:
        each = [
            Item(Group("{", tuple(replace(one, prefix=_as_key(one.prefix)) for one in items), "}"))
            for items in given
        ]
        given = [[Item(Group("[", tuple(each), "]"))]]
    return [call(f"requests_mock.{method.lower()}", Text(url), *given[0])]


def _as_key(prefix: str) -> str:
    return f'"{prefix[:-1]}": '


def _with_responses(method: str, url: str, answers: Answers) -> list[Group]:
    function = f"{RESPONSES_FIXTURE}.{method.lower()}"
    given = [_complete(one, _REQUESTS, "()") for one in answers]
    return [call(function, Text(url), *_keywords(one, text="body", fails="body")) for one in given]


def _with_respx(method: str, url: str, answers: Answers) -> list[Group]:
    given = [_complete(answer, _HTTPX) for answer in answers]
    route = f"{one_line(call(f'respx_mock.{method.lower()}', Text(url)))}"
    if len(given) == 1 and "fails" not in given[0]:
        return [call(f"{route}.respond", *_keywords(given[0], status="status_code"))]
    effects = [
        one["fails"]
        if "fails" in one
        else Expression(one_line(call("httpx.Response", *_response(one))))
        for one in given
    ]
    effect = effects[0] if len(effects) == 1 else effects
    return [call(f"{route}.mock", Item(node_of(effect), "side_effect="))]


def _response(answer: Mapping[str, object]) -> list[Item]:
    status = Item(node_of(answer.get("status", 200)))
    return [status, *_keywords({k: v for k, v in answer.items() if k != "status"})]


def _part(
    code: str, value: Callable[[Outgoing], object]
) -> Callable[[Outgoing], tuple[str, object]]:
    return lambda asked: (code, value(asked))


def _document(asked: Outgoing) -> object:
    return json.loads(asked.body)


def _query(asked: Outgoing) -> object:
    return dict(parse_qsl(asked.query, keep_blank_values=True))


def _lower_query(asked: Outgoing) -> object:
    return parse_qs(asked.query.lower(), keep_blank_values=True)


def _form(asked: Outgoing) -> object:
    return dict(parse_qsl(asked.body.decode("latin-1")))


def _text(asked: Outgoing) -> object:
    return asked.body.decode("latin-1")


_REQUESTS, _HTTPX = 0, 1
_FAILURES = {
    "time-out": ("requests.ReadTimeout", "httpx.ReadTimeout"),
    "reset": ("requests.ConnectionError", "httpx.ReadError"),
    "truncated": ("requests.exceptions.ChunkedEncodingError", "httpx.RemoteProtocolError"),
    "refused": ("requests.ConnectionError", "httpx.ConnectError"),
    "unknown host": ("requests.ConnectionError", "httpx.ConnectError"),
    "bad certificate": ("requests.exceptions.SSLError", "httpx.ConnectError"),
    NO_CONNECTION: ("requests.ConnectTimeout", "httpx.ConnectTimeout"),
}
"""How a service fails -> what the clients then raise."""

OWN = StubStyle(
    SERVICES_FIXTURE,
    "",
    "",
    _own,
    {
        "query": _part("{}.query", _query),
        "json": _part("{}.json", _document),
        "form": _part("{}.form", _form),
    },
    f"{SERVICES_FIXTURE}.requests[{{}}]",
)

REQUESTS_MOCK = StubStyle(
    "requests_mock",
    "requests_mock",
    "python-requests/",
    _with_requests_mock,
    {
        "query": _part("{}.qs", _lower_query),
        "json": _part("{}.json()", _document),
        "form": _part("{}.text", _text),
    },
    "requests_mock.request_history[{}]",
)

RESPONSES = StubStyle(
    RESPONSES_FIXTURE,
    "responses",
    "python-requests/",
    _with_responses,
    {
        "query": _part("{}.params", _query),
        "json": _part("json.loads({}.body)", _document),
        "form": _part("{}.body", _text),
    },
    f"{RESPONSES_FIXTURE}.calls[{{}}].request",
)

RESPX = StubStyle(
    "respx_mock",
    "respx",
    "python-httpx/",
    _with_respx,
    {
        "query": _part("dict({}.url.params)", _query),
        "json": _part("json.loads({}.content)", _document),
        "form": _part("{}.content", lambda asked: asked.body),
    },
    "respx_mock.calls[{}].request",
    repeats_last=False,
)

STYLES = (REQUESTS_MOCK, RESPONSES, RESPX)
