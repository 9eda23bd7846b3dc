"""What other packages know about each oracle, one row for each oracle.

    --evosearch-oracles=server-error,response-schema    these and no others
    --evosearch-oracles=default,challenge-missing       one more
    --evosearch-oracles=all                             everything

A new oracle is a class in `oracles` and a row here.  The rows give names, groups, defaults,
categories of reports and the tests made after a search.  The table is in `settings` because
options, reports and the engine read it.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple


class Question(Enum):
    """A kind of tests made after a search, for oracles that need them."""

    MALFORMED = "accepted calls with one input malformed"
    ATTACK = "accepted calls whose texts must not become code, a path or an address"
    DISTURBED = "tests whose preparation stores extremes, or deletes things"
    FOLLOW_UP = "a resource is read before and after it changes"
    FOREIGN = "another user sends what one user may send"
    DELETED_BY_OTHERS = "another user deletes what they may not change"
    ANONYMOUS = "a call without any credentials"
    ADMINISTRATIVE = "calls of administrators, sent by others"
    FORGED = "accepted tokens that were changed, are not signed, expired or are for others"
    FIELDS = "fields that were not asked for"
    GROWTH = "larger and larger values"
    FORBIDDEN = "what a schema just forbids"
    ALLOWED = "what a schema just allows"


class Sight(Enum):
    """What an oracle must see in addition to exchanges; watching it costs time."""

    PROCESS = "statements, opened files and contacted hosts"
    TABLES = "rows of tables before and after a call"


class OracleSpec(NamedTuple):
    """One oracle: its name, where it is, and what other packages need to know about it."""

    code: str
    implementation: str
    """``module:class`` within `oracles`."""
    number: int | None = None
    """Number of its category in reports of Web Fuzzing Commons; this project's own start at 901."""
    category: str = ""
    """Name of the category."""
    is_default: bool = True
    """False for findings that break a rule, but that many applications intend."""
    asked: tuple[Question, ...] = ()
    """Kinds of tests that it needs; empty if it judges the exchanges of every search."""
    sees: Sight | None = None


# Findings of one call are reported in this order.
ORACLES: tuple[OracleSpec, ...] = (
    OracleSpec(
        "server-error",
        "server_error:ServerErrorOracle",
        100,
        "HTTP_STATUS_500",
        asked=(Question.MALFORMED, Question.ATTACK, Question.DISTURBED),
    ),
    OracleSpec(
        "response-schema", "response_schema:ResponseSchemaOracle", 200, "SCHEMA_INVALID_RESPONSE"
    ),
    OracleSpec(
        "delete-ineffective",
        "resources:DeleteIneffectiveOracle",
        113,
        "HTTP_NONWORKING_DELETE",
        asked=(Question.FOLLOW_UP,),
    ),
    OracleSpec(
        "location-unresolvable",
        "resources:LocationUnresolvableOracle",
        120,
        "HTTP_INVALID_LOCATION",
        asked=(Question.FOLLOW_UP,),
    ),
    OracleSpec(
        "body-forbidden", "http_semantics:BodyForbiddenOracle", 105, "HTTP_STATUS_NO_204_IF_CONTENT"
    ),
    OracleSpec(
        "allow-missing", "http_semantics:AllowMissingOracle", 110, "HTTP_STATUS_NO_405_IF_NO_ALLOW"
    ),
    OracleSpec("traceback-leak", "leaks:TracebackLeakOracle", 309, "SECURITY_LEAKED_STACK_TRACES"),
    OracleSpec("sql-leak", "leaks:DatabaseMessageLeakOracle", 901, "EVOSEARCH_SQL_LEAK"),
    OracleSpec("secret-leak", "leaks:SecretLeakOracle", 902, "EVOSEARCH_SECRET_LEAK"),
    OracleSpec(
        "script-injection",
        "injection:ScriptInjectionOracle",
        301,
        "SECURITY_XSS_INJECTION",
        asked=(Question.ATTACK,),
    ),
    OracleSpec(
        "sql-injection",
        "injection:SqlInjectionOracle",
        300,
        "SECURITY_SQL_INJECTION",
        asked=(Question.ATTACK,),
        sees=Sight.PROCESS,
    ),
    OracleSpec(
        "path-traversal",
        "injection:PathTraversalOracle",
        903,
        "EVOSEARCH_PATH_TRAVERSAL",
        asked=(Question.ATTACK,),
        sees=Sight.PROCESS,
    ),
    OracleSpec(
        "request-forgery",
        "injection:RequestForgeryOracle",
        302,
        "SECURITY_SSRF",
        asked=(Question.ATTACK,),
        sees=Sight.PROCESS,
    ),
    OracleSpec(
        "object-authorization",
        "object_authorization:ObjectAuthorizationOracle",
        306,
        "SECURITY_WRONG_AUTHORIZATION",
        asked=(Question.FOREIGN, Question.DELETED_BY_OTHERS),
    ),
    OracleSpec(
        "function-authorization",
        "authorization:FunctionAuthorizationOracle",
        306,
        "SECURITY_WRONG_AUTHORIZATION",
        asked=(Question.ADMINISTRATIVE,),
    ),
    OracleSpec(
        "anonymous-write",
        "authorization:AnonymousWriteOracle",
        308,
        "SECURITY_ANONYMOUS_MODIFICATIONS",
        asked=(Question.ANONYMOUS,),
    ),
    OracleSpec(
        "forged-token",
        "forged:ForgedTokenOracle",
        908,
        "EVOSEARCH_FORGED_TOKEN",
        asked=(Question.FORGED,),
    ),
    OracleSpec(
        "mass-assignment",
        "mass_assignment:MassAssignmentOracle",
        303,
        "SECURITY_MASS_ASSIGNMENT",
        asked=(Question.FIELDS,),
    ),
    OracleSpec(
        "slow-path", "slowness:SlowPathOracle", 906, "EVOSEARCH_SLOW_PATH", asked=(Question.GROWTH,)
    ),
    OracleSpec("background-error", "hidden:BackgroundErrorOracle"),
    OracleSpec("swallowed-error", "hidden:SwallowedErrorOracle"),
    OracleSpec(
        "update-ineffective",
        "resources:UpdateIneffectiveOracle",
        904,
        "EVOSEARCH_UPDATE_INEFFECTIVE",
        is_default=False,
        asked=(Question.FOLLOW_UP,),
    ),
    OracleSpec(
        "put-not-idempotent",
        "resources:PutNotIdempotentOracle",
        118,
        "HTTP_NON_IDEMPOTENT_PUT",
        is_default=False,
        asked=(Question.FOLLOW_UP,),
    ),
    OracleSpec(
        "put-not-replacing",
        "resources:PutNotReplacingOracle",
        117,
        "HTTP_PARTIAL_UPDATE_PUT",
        is_default=False,
        asked=(Question.FOLLOW_UP,),
    ),
    OracleSpec(
        "get-changes-state",
        "state:SafeMethodOracle",
        905,
        "EVOSEARCH_GET_CHANGES_STATE",
        is_default=False,
        sees=Sight.TABLES,
    ),
    OracleSpec(
        "failed-write",
        "state:FailedWriteOracle",
        114,
        "HTTP_SIDE_EFFECTS_FAILED_MODIFICATION",
        is_default=False,
        asked=(Question.FOLLOW_UP,),
        sees=Sight.TABLES,
    ),
    OracleSpec(
        "invalid-accepted",
        "request_schema:InvalidAcceptedOracle",
        206,
        "SCHEMA_VALIDATION_BYPASS",
        is_default=False,
        asked=(Question.FORBIDDEN,),
    ),
    OracleSpec(
        "valid-refused",
        "request_schema:ValidRefusedOracle",
        907,
        "EVOSEARCH_VALID_REFUSED",
        is_default=False,
        asked=(Question.ALLOWED,),
    ),
    OracleSpec(
        "long-sleep", "slowness:LongSleepOracle", 312, "SECURITY_CALL_TIMEOUT", is_default=False
    ),
    OracleSpec(
        "existence-leak",
        "authorization:ExistenceLeakOracle",
        304,
        "SECURITY_EXISTENCE_LEAKAGE",
        is_default=False,
        asked=(Question.FOREIGN,),
    ),
    OracleSpec(
        "challenge-missing",
        "http_semantics:ChallengeMissingOracle",
        109,
        "HTTP_STATUS_NO_401_IF_NO_WWW_AUTHENTICATE",
        is_default=False,
    ),
    OracleSpec(
        "status-unknown",
        "http_semantics:UnknownStatusOracle",
        101,
        "HTTP_STATUS_NO_NON_STANDARD_CODES",
        is_default=False,
    ),
    OracleSpec(
        "status-undeclared",
        "http_semantics:UndeclaredStatusOracle",
        200,
        "SCHEMA_INVALID_RESPONSE",
        is_default=False,
    ),
)

ORACLE_NAMES = tuple(spec.code for spec in ORACLES)
DEFAULT_NAMES = tuple(spec.code for spec in ORACLES if spec.is_default)
GROUPS = {"default": DEFAULT_NAMES, "all": ORACLE_NAMES}


def expanded(names: Iterable[str]) -> tuple[str, ...]:
    """Return `names` with each group replaced by its members, and each name once."""
    return tuple(dict.fromkeys(one for name in names for one in GROUPS.get(name, (name,))))


def questions_for(names: Iterable[str]) -> frozenset[Question]:
    """Return the kinds of tests that the oracles called `names` need."""
    wanted = frozenset(names)
    return frozenset(one for spec in ORACLES if spec.code in wanted for one in spec.asked)


def sights_for(names: Iterable[str]) -> frozenset[Sight]:
    """Return what the oracles called `names` must see in addition to exchanges."""
    wanted = frozenset(names)
    return frozenset(spec.sees for spec in ORACLES if spec.code in wanted and spec.sees)
