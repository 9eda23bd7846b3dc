"""Input that becomes code, a path or an address: scripts, SQL, files, hosts.

Evidence is what was really observed: markup in a page, a statement in the driver, an opened file, a
requested host.  A text that was sent in several places at once cannot be traced to one place.  So
the inquiry sends it in single places, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Sequence
from dataclasses import replace

from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.oracles.findings import UNSEEN
from pytest_evosearch.oracles.findings import finding
from pytest_evosearch.oracles.oracle import UNKNOWN_POSITION
from pytest_evosearch.oracles.oracle import WithoutKnowledge
from pytest_evosearch.oracles.sent import distinct_texts
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.reported_faults import CRASH
from pytest_evosearch.problem.http.exchanges.reported_faults import Expectation
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash
from pytest_evosearch.problem.http.inquiries.inquirer import SCRIPT
from pytest_evosearch.problem.http.inquiries.inquirer import STRANGE_HOST

SHORTEST_TEXT = 6
"""Length from which a sent text is searched for elsewhere; a shorter one may match by chance."""


_SCRIPT = SCRIPT.encode()
_QUOTE_INSIDE = re.compile(r"""(?<=[^'])'(?=[^'])|(?<=[^"])"(?=[^"])""")
"""A quote that may end a literal: SQLite and MySQL take a text in double quotes for a literal."""

_QUOTED = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]""")
"""Quoted texts and names; inside, a quote of another kind is an ordinary letter."""

_SYNTAX_ERROR = re.compile(
    r"near \"(?P<near>.*?)\": syntax error|unrecognized token: \"(?P<token>.*)\""
    r"|syntax error at or near \"(?P<server>.*?)\"|syntax to use near '(?P<mysql>.*?)' at line"
)
"""Messages of SQLite, PostgreSQL and MySQL about the text at which a statement is wrong."""

_DRIVER_ERROR = re.compile("(?:Operational|Programming|Syntax|Database)Error")


def _line_of(exchange: Exchange) -> str:
    return exchange.crash.position if exchange.crash is not None else UNKNOWN_POSITION


def _found(code: str, exchange: Exchange, call: int, place: str, message: str) -> Fault:
    """Return a fault; a test can only assert that the call does not crash, if it crashed."""
    wanted = Expectation("status-below", 500) if exchange.status >= 500 else UNSEEN
    return finding(code, exchange.request.endpoint, call, place, message, wanted)


class ScriptInjectionOracle(WithoutKnowledge):
    """Reports markup with a script that a page shows unescaped, at once or from storage.

    Pages have scripts of their own, and some sent texts look like them.  So only the markup of
    `problem.http.inquiries.inquirer` counts, which a page contains only after it was sent.
    """

    code = "script-injection"
    fewest_calls = 1
    explanation = "a page shows markup that was sent, unescaped, so that browsers run it"

    def judge_sequence(self, exchanges: Sequence[Exchange]) -> Iterable[Fault]:
        """Yield a fault for each place whose text appears in a page of the test."""
        if not any(_shows_script(exchange) for exchange in exchanges):
            return  # nearly always, so the rest is skipped
        sent: dict[tuple[str, str], None] = {}
        for call, exchange in enumerate(exchanges):
            for place, text in distinct_texts(exchange.request):
                if SCRIPT in text:
                    sent[exchange.request.endpoint, place] = None
            if sent and _shows_script(exchange):
                yield self._found(exchange, call, list(sent))

    def _found(self, shown: Exchange, call: int, sent: Sequence[tuple[str, str]]) -> Fault:
        """Return a fault with the place of the text: in the call itself, else in an earlier one."""
        own = [place for endpoint, place in sent if endpoint == shown.request.endpoint]
        source = own[0] if own else f"{sent[-1][1]} of {sent[-1][0]}"
        wanted = Expectation("lacks", SCRIPT, phrase="escapes_markup")
        message = f"the page shows the markup of {source} unescaped"
        return finding(self.code, shown.request.endpoint, call, source, message, wanted)


def _shows_script(exchange: Exchange) -> bool:
    response = exchange.response
    # Only in these content types do browsers run scripts.
    return (
        response is not None
        and _SCRIPT in response.body
        and response.mimetype in ("text/html", "application/xhtml+xml", "image/svg+xml")
    )


class SqlInjectionOracle(WithoutKnowledge):
    """Reports sent texts that became part of a statement instead of a bound value.

    The driver writes a bound ``a'b`` as ``a''b``.  Where the statement contains ``a'b`` itself, the
    quote ended a literal; so does a double quote between double quotes, which SQLite and MySQL take
    for a literal.  If the statement became invalid, it did not run.  Then the evidence is an error
    of the driver about the text after the quote.

    Two cases do not count.  A statement that equals the whole text was meant to be sent by the
    caller.  Between quotes of another kind, a quote is an ordinary letter.
    """

    code = "sql-injection"
    explanation = "a sent text became part of an SQL statement instead of a bound value"

    def judge(self, exchange: Exchange, call: int) -> Iterable[Fault]:
        """Yield a fault for each place whose text is unchanged in a statement."""
        if not exchange.evidence.statements and exchange.crash is None:
            return
        for place, text in distinct_texts(exchange.request):
            quotes = list(_QUOTE_INSIDE.finditer(text)) if len(text) >= SHORTEST_TEXT else []
            statements = exchange.evidence.statements
            if any(_spliced(text, quote, one) for quote in quotes for one in statements):
                message = f"{place} is part of the statement: {text!r}"
                yield _found(self.code, exchange, call, place, message)
            elif any(_broke_statement(exchange.crash, text, quote) for quote in quotes):
                message = f"{place} breaks the statement: {text!r}"
                found = _found(self.code, exchange, call, place, message)
                yield replace(found, position=_line_of(exchange))


def _spliced(text: str, quote: re.Match[str], statement: str) -> bool:
    """Say whether the quote in `text`, which `statement` contains, begins or ends a literal."""
    if text not in statement or statement.strip() == text.strip():
        return False
    insides = [range(found.start() + 1, found.end() - 1) for found in _QUOTED.finditer(statement)]
    places = (found.start() + quote.start() for found in re.finditer(re.escape(text), statement))
    return any(all(place not in inside for inside in insides) for place in places)


def explained_crashes(faults: Iterable[Fault]) -> frozenset[TargetId]:
    """Return the crashes of a driver at lines whose statements callers can change.

    Such a crash is the injection once more, seen with a text that shows less of it.
    """
    known = list(faults)
    places = {fault.position for fault in known if fault.code == SqlInjectionOracle.code}
    return frozenset(
        fault.target
        for fault in known
        if fault.code == CRASH
        and _DRIVER_ERROR.fullmatch(fault.kind) is not None
        and fault.position in places - {UNKNOWN_POSITION}
        and _SYNTAX_ERROR.search(fault.message) is not None
    )


def _broke_statement(crash: Crash | None, text: str, quote: re.Match[str]) -> bool:
    """Say whether the driver's error is about what follows the quote inside `text`.

    That may be only a quote of the application, which opens a literal without an end: ``SELECT
    'evo'search'`` is a literal, a name for it, and a single quote.
    """
    if crash is None or _DRIVER_ERROR.fullmatch(crash.type_name) is None:
        return False
    found = _SYNTAX_ERROR.search(crash.message)
    if found is None:
        return False
    token = found["token"] or ""
    if token and not token.strip(quote[0]):
        return True
    blamed = found["near"] or found["server"] or found["mysql"] or token.lstrip(quote[0])
    first = re.search(r"\w+", text[quote.end() :])
    return first is not None and blamed != "" and blamed.startswith(first[0])


class PathTraversalOracle(WithoutKnowledge):
    """Reports files that were opened outside the folder to which a sent path was added."""

    code = "path-traversal"
    explanation = "a sent path made the application open a file outside the intended folder"

    def judge(self, exchange: Exchange, call: int) -> Iterable[Fault]:
        """Yield a fault for each place whose path leads out of its folder."""
        if not exchange.evidence.opened:
            return
        for place, text in distinct_texts(exchange.request):
            if len(text) < SHORTEST_TEXT or ".." not in text.replace("\\", "/").split("/"):
                continue
            for opened in exchange.evidence.opened:
                if _leaves_folder(opened, text):
                    message = f"{place} made it open {opened!r}"
                    yield _found(self.code, exchange, call, place, message)
                    break


def _leaves_folder(opened: str, text: str) -> bool:
    folder, found, _rest = opened.partition(text)
    if not found:
        return False
    base = os.path.normpath(folder or ".")
    target = os.path.normpath(f"{base}/{opened[len(folder) :]}")
    return os.path.relpath(target, base).startswith("..")


class RequestForgeryOracle(WithoutKnowledge):
    """Reports that the application contacts a host which only the caller can have named.

    A list of hosts from which callers may choose is no fault, and the search finds such lists.  So
    only the host of `problem.http.inquiries.inquirer` counts, which no list contains.
    """

    code = "request-forgery"
    explanation = "the application contacts a host that a caller may choose freely"

    def judge(self, exchange: Exchange, call: int) -> Iterable[Fault]:
        """Yield a fault for each place whose host was contacted."""
        if STRANGE_HOST not in exchange.evidence.contacted:
            return
        for place, text in distinct_texts(exchange.request):
            if STRANGE_HOST in text:
                message = f"{place} made it contact {STRANGE_HOST}"
                yield _found(self.code, exchange, call, place, message)
