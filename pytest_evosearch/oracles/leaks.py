"""What a response must not show: tracebacks, SQL, secrets.

A text that the test itself sent is no leak, even when it was stored and is shown later.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from html import unescape

from pytest_evosearch.oracles.findings import finding
from pytest_evosearch.oracles.oracle import Knowledge
from pytest_evosearch.oracles.oracle import WithoutKnowledge
from pytest_evosearch.oracles.sent import sent_numbers
from pytest_evosearch.oracles.sent import sent_texts
from pytest_evosearch.oracles.sent import was_sent
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.reported_faults import Expectation
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault
from pytest_evosearch.problem.http.exchanges.responses import excerpts

SHORTEST_SECRET = 8
"""Characters from which a secret is searched for; shorter values appear in pages by chance."""

LONGEST_EXCERPT = 120

NEAR = 400
"""Bytes around a word of databases that contain the rest of the database's message."""

TRACEBACKS: Mapping[str, re.Pattern[str]] = {
    "Python traceback": re.compile(
        r"Traceback \(most recent call last\):(?=.{0,80}File (?:\"|&#34;|&quot;|\\\")[^\n]{1,400}"
        r", line \d+)",
        re.DOTALL,
    ),
    "Werkzeug debugger": re.compile(r"<title>[^<]*// Werkzeug Debugger</title>"),
}
"""Kind of finding -> the pattern that shows it."""

DATABASE_MESSAGES = re.compile(
    r"""\((?:sqlite3|psycopg2?(?:\.errors)?|pymysql\.err|MySQLdb)\.\w*(?:Error|Violation)\)\s\S+
    | (?:UNIQUE|NOT\ NULL|CHECK)\ constraint\ failed:\ \w+
    | FOREIGN\ KEY\ constraint\ failed
    | near\ (?:"|\\"|&\#34;|&quot;)[^"\n&\\]{1,40}(?:"|\\"|&\#34;|&quot;):\ syntax\ error
    | no\ such\ (?:table|column):\ \w+
    | unrecognized\ token:\ (?:"|\\"|&\#34;|&quot;)
    | datatype\ mismatch\b(?=.{0,40}\bSQL)
    | You\ have\ an\ error\ in\ your\ SQL\ syntax
    | \[SQL:\ [A-Z]+\ """,
    re.VERBOSE,
)
"""Messages that databases and their drivers write, and that people hardly ever write."""

_STATEMENT = re.compile(
    r"(?:SELECT\s.{1,300}?\sFROM|INSERT\s+INTO|UPDATE|DELETE\s+FROM)\s+\S", re.DOTALL
)
"""The beginning of an SQL statement, as opposed to an English sentence."""

_BLAMED = re.compile(
    r"(?:near|unrecognized token:) (?:\"|\\\"|&#34;|&quot;)(?P<token>.+?)(?:\"|\\\"|&#34;|&quot;)"
)
"""What SQLite reports when it cannot parse a statement."""

_MISSED = re.compile(r"no such (?:table|column|function|index|view): (?:\w+\.)?(?P<name>\w+)")
"""What SQLite reports when a name does not exist."""

_READS_AS_STATEMENT = re.compile(
    r"(?:SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|REPLACE|WITH|PRAGMA|EXPLAIN|VALUES)\b"
    r"\s*[\w*(\"'`\[]",
    re.IGNORECASE,
)

_WORD_ENDS = r"(?:(?<!\w)|(?!\w))"

_TRACE_HINTS = (b"Traceback (most", b"Werkzeug Debugger")
_DATABASE_HINTS = (
    b"constraint failed",
    b"syntax error",
    b"no such ",
    b"unrecognized token",
    b"SQL",
    b"SELECT ",
    b"INSERT ",
    b"UPDATE ",
    b"DELETE ",
    b"Error) ",
    b"Violation) ",
)
"""A body that a pattern matches contains one of these; searching for bytes is much faster."""

_SECRET_NAME = re.compile(
    r"SECRET|PASSWORD|PASSWD|PRIVATE|API_?KEY|ACCESS_?KEY|CREDENTIAL", re.IGNORECASE
)
_HARMLESS_NAME = re.compile(r"_(?:NAME|FIELD|HEADER|LOCATION|URL|PATH|TYPE|SALT|ALGORITHM)$")
_LONG_SECRET = 24
"""Characters from which a text is not a placeholder, even without a digit."""


def secrets_of(configuration: Mapping[str, object]) -> dict[str, str]:
    """Return the settings whose values are secret and can be recognised in a page.

    Words such as ``development`` or ``top-secret!`` are left out: they are placeholders from a
    documentation, and pages contain many words.
    """
    found = {}
    for name, value in configuration.items():
        if isinstance(value, bytes):
            value = value.decode("utf-8", "replace")
        if not isinstance(value, str) or len(value) < SHORTEST_SECRET:
            continue
        named = _SECRET_NAME.search(name) and not _HARMLESS_NAME.search(name.upper())
        if named and (len(value) >= _LONG_SECRET or _is_mixed(value)):
            found[name] = value
    return found


def _is_mixed(value: str) -> bool:
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def _fault(code: str, exchange: Exchange, call: int, kind: str, text: str, what: str) -> Fault:
    wanted = Expectation("lacks", text, phrase=f"does_not_show_{what}")
    excerpt = " ".join(text.split())[:LONGEST_EXCERPT]
    message = f"the body of the answer shows {excerpt!r}"
    return finding(code, exchange.request.endpoint, call, kind, message, wanted)


class TracebackLeakOracle(WithoutKnowledge):
    """Reports responses that show a traceback or Werkzeug's debugger."""

    code = "traceback-leak"
    fewest_calls = 1
    explanation = "a response shows a Python traceback or the Werkzeug debugger"

    def judge_sequence(self, exchanges: Sequence[Exchange]) -> Iterable[Fault]:
        """Yield a fault for each kind of trace, unless the test has sent (and stored) it."""
        for call, exchange in enumerate(exchanges):
            response = exchange.response
            if response is None or not any(hint in response.body for hint in _TRACE_HINTS):
                continue
            for kind, pattern in TRACEBACKS.items():
                found = pattern.search(response.text)
                if found is not None and not _was_sent_until(exchanges, call, found[0]):
                    yield _fault(self.code, exchange, call, kind, found[0], "traceback")


class DatabaseMessageLeakOracle(WithoutKnowledge):
    """Reports responses that show a message of the database."""

    code = "sql-leak"
    fewest_calls = 1
    explanation = "a response shows SQL or the error message of the database"

    def judge_sequence(self, exchanges: Sequence[Exchange]) -> Iterable[Fault]:
        """Yield at most one fault for each call, and none for texts that the test has sent."""
        for call, exchange in enumerate(exchanges):
            response = exchange.response
            page = response.body if response is not None else b""
            hints = [hint.lower() for hint in _DATABASE_HINTS if hint in page]
            if not hints:
                continue
            body = "\0".join(excerpts(page, hints, NEAR))
            kind, shown = _shown_by_database(exchange, body)
            if not shown or _runs_what_is_sent(exchange, body):
                continue
            if not _was_sent_until(exchanges, call, shown):
                yield _fault(self.code, exchange, call, kind, shown, "sql")


def _shown_by_database(exchange: Exchange, body: str) -> tuple[str, str]:
    """Return kind and text of what the body shows of the database; an empty text for nothing."""
    found = DATABASE_MESSAGES.search(body)
    if found is not None:
        return "database message", found[0]
    return "SQL statement", _shown_statement(body, exchange.evidence.statements) or ""


def _was_sent_until(exchanges: Sequence[Exchange], call: int, text: str) -> bool:
    """Say whether the test sent `text` up to `call`: a stored text may be shown later."""
    return any(was_sent(exchange.request, text) for exchange in exchanges[: call + 1])


def _runs_what_is_sent(exchange: Exchange, body: str) -> bool:
    """Say whether a caller sends whole statements, and gets the result.

    The statement ran as it was sent, or the database's error is about its first token.  If a text
    was inserted into a statement, the error is usually about a later token.  A text that reads as a
    statement itself may contain all that the error names.
    """
    request = exchange.request
    texts = [_bare(text) for _place, text in sent_texts(request)]
    texts += [f"{number:g}" for number in sent_numbers(request)]
    if any(text and text in map(_bare, exchange.evidence.statements) for text in texts):
        return True
    blamed = [unescape(found["token"]) for found in _BLAMED.finditer(body)]
    if blamed and all(
        any(re.match(re.escape(token) + _WORD_ENDS, text) for text in texts) for token in blamed
    ):
        return True
    missed = [*blamed, *(found["name"] for found in _MISSED.finditer(body))]
    statements = [text for text in texts if _READS_AS_STATEMENT.match(text)]
    return bool(missed) and any(all(name in text for name in missed) for text in statements)


def _bare(statement: str) -> str:
    return statement.strip().rstrip(";").rstrip()


def _shown_statement(body: str, statements: Iterable[str]) -> str | None:
    """Return the beginning of a statement that ran and that the body shows; None for none.

    The statement contains values, so only the part before the first value is compared.
    """
    if _STATEMENT.search(body) is None:
        return None
    for statement in statements:
        beginning = re.split(r"['?:]|= \d", statement.strip(), maxsplit=1)[0][:LONGEST_EXCERPT]
        if _STATEMENT.match(beginning) and beginning.strip() in body:
            return beginning.strip()
    return None


class SecretLeakOracle:
    """Reports responses that show a secret of the configuration."""

    code = "secret-leak"
    fewest_calls = 1
    explanation = "a response shows a secret of the application's configuration"

    def __init__(self, knowledge: Knowledge) -> None:
        self._secrets = knowledge.secrets

    def judge_sequence(self, exchanges: Sequence[Exchange]) -> Iterable[Fault]:
        """Yield a fault for each secret in a body, unless the test has sent (and stored) it."""
        for call, exchange in enumerate(exchanges if self._secrets else ()):
            body = exchange.response.body if exchange.response is not None else b""
            for name, secret in self._secrets.items():
                if secret.encode() in body and not _was_sent_until(exchanges, call, secret):
                    yield self._found(exchange, call, name)

    def _found(self, exchange: Exchange, call: int, name: str) -> Fault:
        """Return a fault whose message does not show the secret itself."""
        wanted = Expectation("lacks-setting", name, phrase="does_not_show_secret")
        message = f"the body of the answer shows the value of {name}"
        return finding(self.code, exchange.request.endpoint, call, name, message, wanted)
