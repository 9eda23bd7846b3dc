"""From the hooks of a project to the engine's `Extensions`; a missing hook takes no time."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence
from copy import deepcopy
from typing import TYPE_CHECKING
from typing import Any

from pytest_evosearch.bridge.hook_wiring.hook_calls import HookCalls
from pytest_evosearch.bridge.hook_wiring.hook_oracles import project_oracles
from pytest_evosearch.bridge.hook_wiring.outgoing import changed_request
from pytest_evosearch.bridge.hook_wiring.outgoing import endpoint_info
from pytest_evosearch.bridge.hook_wiring.outgoing import outgoing
from pytest_evosearch.core.isolation import json
from pytest_evosearch.engine.extension_values import ParameterInfo
from pytest_evosearch.engine.extension_values import WrittenModule
from pytest_evosearch.engine.extensions import Extensions
from pytest_evosearch.engine.extensions import GivenSchema
from pytest_evosearch.errors import HookFailed
from pytest_evosearch.execution.transport import path_of
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.settings.checked import Settings

if TYPE_CHECKING:
    from pytest_evosearch.bridge.hook_wiring.hook_algorithm import AlgorithmMaker

SCHEMA = "pytest_evosearch_schema"
SELECT_ENDPOINT = "pytest_evosearch_select_endpoint"
VALUES = "pytest_evosearch_values"
REQUEST = "pytest_evosearch_request"
SERVICE = "pytest_evosearch_service"
UNSTABLE = "pytest_evosearch_unstable"
UNIT_ARGUMENTS = "pytest_evosearch_unit_arguments"
MODIFY_MODULE = "pytest_evosearch_modify_module"
MAKE_ALGORITHM = "pytest_evosearch_make_algorithm"

UNSTABLE_REASON = "changes between runs"
"""Reason for a value that the project calls unstable without a reason."""

LONGEST_REASON = 80
"""Characters of a reason that a test shows beside a value, at most."""


def project_extensions(calls: HookCalls, settings: Settings) -> Extensions:
    """Return what the project's hooks add to a search; raise `HookFailed` or `InvalidSetting`."""
    hooks = ProjectHooks(calls)
    used = calls.is_used
    return Extensions(
        schema=hooks.schema if used(SCHEMA) else None,
        keeps=hooks.keeps if used(SELECT_ENDPOINT) else None,
        values=hooks.values if used(VALUES) else None,
        service=hooks.service if used(SERVICE) else None,
        change_request=hooks.change_request if used(REQUEST) else None,
        stability=hooks.stability if used(UNSTABLE) else None,
        oracles=project_oracles(calls),
        make_algorithm=_algorithm(calls, settings) if used(MAKE_ALGORITHM) else None,
        unit_arguments=hooks.unit_arguments if used(UNIT_ARGUMENTS) else None,
        change_module=ModuleChanges(calls) if used(MODIFY_MODULE) else None,
        notify=calls.notify,
    )


def _algorithm(calls: HookCalls, settings: Settings) -> AlgorithmMaker | None:
    """Return what makes the project's algorithm; load the shipped ones only where it has one."""
    from pytest_evosearch.bridge.hook_wiring.hook_algorithm import project_algorithm

    return project_algorithm(calls, settings)


def _plain(document: object) -> object:
    return json.loads(json.dumps(document))


class ProjectHooks:
    """Calls the hooks with the arguments of their specification, and checks what they return."""

    def __init__(self, calls: HookCalls) -> None:
        self._calls = calls

    def schema(self, app: Any) -> GivenSchema | None:
        """Return the OpenAPI document that the project gives for `app`."""
        document = self._calls.call(SCHEMA, app=app)
        return None if document is None else GivenSchema(document, self._calls.origin(SCHEMA))

    def keeps(self, endpoint: Endpoint) -> bool:
        """Say whether an endpoint is searched: unless a hook of the project refuses it."""
        said = self._calls.call(SELECT_ENDPOINT, endpoint=endpoint_info(endpoint))
        return said is None or bool(said)

    def values(
        self, endpoint: Endpoint, location: Location, path: tuple[str, ...]
    ) -> Sequence[object]:
        """Return the values that the project suggests for a parameter."""
        name = next((key for key in reversed(path) if not key.isdecimal()), "")
        parameter = ParameterInfo(location.value, name, path)
        try:
            offers = self._calls.call(VALUES, endpoint=endpoint_info(endpoint), parameter=parameter)
        except HookFailed as failure:
            self._calls.notify(f"{failure}; it is still called for other parameters")
            return ()
        return self._joined(VALUES, offers)

    def service(self, call: str) -> object:
        """Return what the project says that a service answers; None where it says nothing."""
        try:
            return _plain(self._calls.call(SERVICE, call=call))
        except HookFailed as failure:
            self._calls.notify(f"{failure}; it is still asked about other services")
        except (TypeError, ValueError) as error:
            self._calls.notify(f"{self._calls.origin(SERVICE)} returned no JSON document: {error}")
        return None

    def unit_arguments(self, unit: str, parameter: str) -> Sequence[object]:
        """Return what the project passes to a unit; raise `HookFailed`."""
        offers = self._calls.call(UNIT_ARGUMENTS, unit=unit, parameter=parameter)
        return self._joined(UNIT_ARGUMENTS, offers)

    def _joined(self, name: str, offers: Sequence[object]) -> Sequence[object]:
        found: list[object] = []
        for offer in offers:
            if isinstance(offer, (list, tuple, set, frozenset, range)):
                found += sorted(offer, key=repr) if isinstance(offer, (set, frozenset)) else offer
            else:
                origin = self._calls.origin(name)
                self._calls.notify(f"{origin} returned {offer!r:.60}, not a list of values")
        return found

    def change_request(self, request: Request, endpoint: Endpoint, user: str | None) -> Request:
        """Return the request as the project would send it; raise `HookFailed`."""
        before = outgoing(request, endpoint, user, path_of(request))
        after = deepcopy(before)
        try:
            self._calls.call(REQUEST, request=after)
            return changed_request(request, before, after)
        except HookFailed as failure:
            raise HookFailed(f"{failure}; the request was sent as it was") from failure
        except ValueError as error:
            origin = self._calls.origin(REQUEST)
            raise HookFailed(f"{origin}: {error}; the request was sent as it was") from error

    def stability(self, path: str, value: object) -> str | bool | None:
        """Return why a value is unstable, True for a stable one, None where no hook decides."""
        try:
            said = self._calls.call(UNSTABLE, path=path, value=value)
        except HookFailed as failure:
            self._calls.notify(
                f"{failure}; the value is asserted if repeating shows it to be stable"
            )
            return None
        if isinstance(said, str):
            return " ".join(said.split())[:LONGEST_REASON] or UNSTABLE_REASON
        if said is None or isinstance(said, bool):
            return said if said is None else (UNSTABLE_REASON if said else True)
        origin = self._calls.origin(UNSTABLE)
        self._calls.notify(f"{origin} returned {said!r:.60}, not True, False, None or a reason")
        return None


class ModuleChanges:
    """Lets each implementation change the text of modules, one after the other.

    A change that cannot be written is reported, and the module is written without it.
    """

    def __init__(self, calls: HookCalls) -> None:
        self._calls = calls
        self._known: dict[tuple[str, str], str] = {}
        """Changed texts by module and text; most modules are assembled again unchanged."""

    def __call__(self, name: str, text: str) -> str:
        """Return the text that is written for `text`."""
        known = self._known.get((name, text))
        if known is None:
            known = text
            for implementation in self._calls.implementations(MODIFY_MODULE):
                known = self._changed(name, known, self._changing(implementation, name))
            self._known[name, text] = known
        return known

    def _changing(self, implementation: Any, name: str) -> Callable[[str], object]:
        def change(text: str) -> object:
            module = WrittenModule(name, text)
            said = self._calls.call_one(implementation, MODIFY_MODULE, module=module)
            return text if said is None else said

        return change

    def _changed(self, name: str, before: str, change: Callable[[str], object]) -> str:
        try:
            after = change(before)
            if after == before:
                return before
            again = change(after) if isinstance(after, str) else after
        except HookFailed as failure:
            self._calls.notify(f"{failure}; {name} is written without its change")
            return before
        if isinstance(after, str) and isinstance(again, str):
            from pytest_evosearch.write.modules.modification import objection

            wrong = objection(before, after, again)
            if wrong is None:
                return after
        else:
            wrong = f"is {after!r:.60}, not a text"
        origin = self._calls.origin(MODIFY_MODULE)
        self._calls.notify(f"{origin}: what it returned for {name} {wrong}; written without it")
        return before
