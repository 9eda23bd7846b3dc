"""The oracles by name, and which of them are on when nobody says anything.

    --evosearch-oracles=server-error,response-schema    these and no others
    --evosearch-oracles=default,challenge-missing       one more
    --evosearch-oracles=all                             everything

The order is the order in which their findings are reported of one call.
"""

from __future__ import annotations

from collections.abc import Iterable

from pytest_evosearch.core.registry import Registry
from pytest_evosearch.oracles.base import AnyOracle
from pytest_evosearch.oracles.base import DocumentedOracle
from pytest_evosearch.oracles.base import Knowledge

_ROOM = "pytest_evosearch.oracles"

ORACLES: Registry[DocumentedOracle] = Registry(
    "oracle",
    {
        "server-error": f"{_ROOM}.server_error:ServerErrorOracle",
        "response-schema": f"{_ROOM}.response_schema:ResponseSchemaOracle",
        "delete-ineffective": f"{_ROOM}.resources:DeleteIneffectiveOracle",
        "location-unresolvable": f"{_ROOM}.resources:LocationUnresolvableOracle",
        "body-forbidden": f"{_ROOM}.http_semantics:BodyForbiddenOracle",
        "allow-missing": f"{_ROOM}.http_semantics:AllowMissingOracle",
        "traceback-leak": f"{_ROOM}.leaks:TracebackLeakOracle",
        "sql-leak": f"{_ROOM}.leaks:DatabaseMessageLeakOracle",
        "secret-leak": f"{_ROOM}.leaks:SecretLeakOracle",
        "script-injection": f"{_ROOM}.injection:ScriptInjectionOracle",
        "sql-injection": f"{_ROOM}.injection:SqlInjectionOracle",
        "path-traversal": f"{_ROOM}.injection:PathTraversalOracle",
        "request-forgery": f"{_ROOM}.injection:RequestForgeryOracle",
        "object-authorization": f"{_ROOM}.authorization:ObjectAuthorizationOracle",
        "function-authorization": f"{_ROOM}.authorization:FunctionAuthorizationOracle",
        "anonymous-write": f"{_ROOM}.authorization:AnonymousWriteOracle",
        "mass-assignment": f"{_ROOM}.mass_assignment:MassAssignmentOracle",
        "slow-path": f"{_ROOM}.slowness:SlowPathOracle",
        "background-error": f"{_ROOM}.hidden:BackgroundErrorOracle",
        "swallowed-error": f"{_ROOM}.hidden:SwallowedErrorOracle",
        "update-ineffective": f"{_ROOM}.resources:UpdateIneffectiveOracle",
        "put-not-idempotent": f"{_ROOM}.resources:PutNotIdempotentOracle",
        "put-not-replacing": f"{_ROOM}.resources:PutNotReplacingOracle",
        "get-changes-state": f"{_ROOM}.state:SafeMethodOracle",
        "failed-write": f"{_ROOM}.state:FailedWriteOracle",
        "invalid-accepted": f"{_ROOM}.request_schema:InvalidAcceptedOracle",
        "valid-refused": f"{_ROOM}.request_schema:ValidRefusedOracle",
        "long-sleep": f"{_ROOM}.slowness:LongSleepOracle",
        "existence-leak": f"{_ROOM}.authorization:ExistenceLeakOracle",
        "challenge-missing": f"{_ROOM}.http_semantics:ChallengeMissingOracle",
        "status-unknown": f"{_ROOM}.http_semantics:UnknownStatusOracle",
        "status-undeclared": f"{_ROOM}.http_semantics:UndeclaredStatusOracle",
    },
)

OPTIONAL = (
    "update-ineffective",
    "put-not-idempotent",
    "put-not-replacing",
    "get-changes-state",
    "failed-write",
    "invalid-accepted",
    "valid-refused",
    "long-sleep",
    "existence-leak",
    "challenge-missing",
    "status-unknown",
    "status-undeclared",
)
"""Oracles that report what is wrong by the book and what many applications mean to do."""

DEFAULT_NAMES = tuple(name for name in ORACLES.names if name not in OPTIONAL)

GROUPS = {"default": DEFAULT_NAMES, "all": tuple(ORACLES.names)}


def expanded(names: Iterable[str]) -> tuple[str, ...]:
    """Return `names` with groups replaced by what they stand for, each once."""
    return tuple(dict.fromkeys(one for name in names for one in GROUPS.get(name, (name,))))


def make_oracles(names: Iterable[str], knowledge: Knowledge) -> tuple[AnyOracle, ...]:
    """Return the oracles called `names`; raise `InvalidSetting` for an unknown one."""
    return tuple(ORACLES.get(name)(knowledge) for name in expanded(names))
