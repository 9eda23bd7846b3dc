"""What other packages know about each oracle, one row for each oracle.

    --evosearch-oracles=server-error,response-schema    these and no others
    --evosearch-oracles=default,challenge-missing       one more
    --evosearch-oracles=all                             everything

A new oracle is a class in `oracles` and a row here.  What only a browser shows is a row.
The rows give names, groups, defaults and the tests made after a search.  The table is in `settings`
because options, reports and the engine read it.
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


class OracleSpec(NamedTuple):
    """One oracle: its name, where it is, and what other packages need to know about it."""

    code: str
    implementation: str = ""
    """``module:class`` within `oracles`; empty for what only a real browser shows."""
    is_default: bool = True
    """False for findings that break a rule, but that many applications intend."""
    asked: tuple[Question, ...] = ()
    """Kinds of tests that it needs; empty if it judges the exchanges of every search."""
    looks_inside: bool = False
    """Whether it needs statements, opened files and contacted hosts; watching costs time."""
    means: str = ""
    """What is wrong where it finds something; empty where its class says it."""


# Findings of one call are reported in this order.
ORACLES: tuple[OracleSpec, ...] = (
    OracleSpec(
        "server-error",
        "server_error:ServerErrorOracle",
        asked=(Question.MALFORMED, Question.ATTACK, Question.DISTURBED),
    ),
    OracleSpec("response-schema", "response_schema:ResponseSchemaOracle"),
    OracleSpec(
        "delete-ineffective",
        "resources:DeleteIneffectiveOracle",
        asked=(Question.FOLLOW_UP,),
    ),
    OracleSpec(
        "location-unresolvable",
        "resources:LocationUnresolvableOracle",
        asked=(Question.FOLLOW_UP,),
    ),
    OracleSpec("body-forbidden", "http_semantics:BodyForbiddenOracle"),
    OracleSpec("allow-missing", "http_semantics:AllowMissingOracle"),
    OracleSpec("traceback-leak", "leaks:TracebackLeakOracle"),
    OracleSpec("sql-leak", "leaks:DatabaseMessageLeakOracle"),
    OracleSpec("secret-leak", "leaks:SecretLeakOracle"),
    OracleSpec(
        "script-injection",
        "injection:ScriptInjectionOracle",
        asked=(Question.ATTACK,),
    ),
    OracleSpec(
        "sql-injection",
        "injection:SqlInjectionOracle",
        asked=(Question.ATTACK,),
        looks_inside=True,
    ),
    OracleSpec(
        "path-traversal",
        "injection:PathTraversalOracle",
        asked=(Question.ATTACK,),
        looks_inside=True,
    ),
    OracleSpec(
        "request-forgery",
        "injection:RequestForgeryOracle",
        asked=(Question.ATTACK,),
        looks_inside=True,
    ),
    OracleSpec(
        "open-redirect",
        "redirects:OpenRedirectOracle",
        asked=(Question.ATTACK,),
    ),
    OracleSpec(
        "object-authorization",
        "object_authorization:ObjectAuthorizationOracle",
        asked=(Question.FOREIGN, Question.DELETED_BY_OTHERS),
    ),
    OracleSpec(
        "function-authorization",
        "authorization:FunctionAuthorizationOracle",
        asked=(Question.ADMINISTRATIVE,),
    ),
    OracleSpec(
        "anonymous-write",
        "authorization:AnonymousWriteOracle",
        asked=(Question.ANONYMOUS,),
    ),
    OracleSpec(
        "forged-token",
        "forged:ForgedTokenOracle",
        asked=(Question.FORGED,),
    ),
    OracleSpec(
        "mass-assignment",
        "mass_assignment:MassAssignmentOracle",
        asked=(Question.FIELDS,),
    ),
    OracleSpec("slow-path", "slowness:SlowPathOracle", asked=(Question.GROWTH,)),
    OracleSpec("background-error", "hidden:BackgroundErrorOracle"),
    OracleSpec("swallowed-error", "hidden:SwallowedErrorOracle"),
    OracleSpec("unfilled-text", "unfilled:UnfilledTextOracle"),
    OracleSpec("outgoing", "outgoing_manners:OutgoingOracle", is_default=False),
    OracleSpec(
        "challenge-missing",
        "http_semantics:ChallengeMissingOracle",
        is_default=False,
    ),
    OracleSpec(
        "status-undeclared",
        "http_semantics:UndeclaredStatusOracle",
        is_default=False,
    ),
    OracleSpec("uncaught-error", means="a script of the page fails, and nothing catches its error"),
    OracleSpec("console-error", means="the page writes an error to the console of the browser"),
    OracleSpec("failed-request", means="what the page needs, such as a script, is not there"),
    OracleSpec("broken-link", means="a link of the page leads to nothing"),
    OracleSpec("broken-image", means="an image of the page cannot be shown"),
    OracleSpec("hanging-page", means="the page does not become quiet, or does not answer"),
    OracleSpec("accessibility", means="a rule of axe-core is violated", is_default=False),
    OracleSpec("overflow", means="the page is wider than a telephone's screen", is_default=False),
)


ORACLE_NAMES = tuple(spec.code for spec in ORACLES)
DEFAULT_NAMES = tuple(spec.code for spec in ORACLES if spec.is_default)
PAGE_NAMES = tuple(spec.code for spec in ORACLES if not spec.implementation)
"""Findings of pages; without ``--evosearch-browser`` there are none."""

GROUPS = {"default": DEFAULT_NAMES, "all": ORACLE_NAMES}


def expanded(names: Iterable[str]) -> tuple[str, ...]:
    """Return `names` with each group replaced by its members, and each name once."""
    return tuple(dict.fromkeys(one for name in names for one in GROUPS.get(name, (name,))))


def questions_for(names: Iterable[str]) -> frozenset[Question]:
    """Return the kinds of tests that the oracles called `names` need."""
    wanted = frozenset(names)
    return frozenset(one for spec in ORACLES if spec.code in wanted for one in spec.asked)


def look_inside(names: Iterable[str]) -> bool:
    """Say whether one of the oracles called `names` needs more than exchanges."""
    wanted = frozenset(names)
    return any(spec.looks_inside for spec in ORACLES if spec.code in wanted)
