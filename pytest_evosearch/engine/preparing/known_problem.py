"""The problem with all values that are known before the search."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence

from pytest_evosearch.engine.extensions import Extensions
from pytest_evosearch.engine.preparing.added_rows import row_kinds
from pytest_evosearch.engine.preparing.rehearsal import changing_part
from pytest_evosearch.instrument.recording import Recording
from pytest_evosearch.problem.http.descriptions.schema import Description
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.filling.pool import Offers
from pytest_evosearch.problem.http.http_problem import HttpProblem
from pytest_evosearch.settings.checked import Settings
from pytest_evosearch.sut.documents.answers_in_tests import answers_in_tests
from pytest_evosearch.sut.handle import AppHandle
from pytest_evosearch.sut.rows.kinds import RowFamily


def problem_with_known_values(
    settings: Settings,
    handle: AppHandle,
    described: Description,
    recording: Recording | None,
    extensions: Extensions,
    families: Sequence[RowFamily],
) -> HttpProblem:
    """Return the problem with all values that are known beforehand."""
    problem = HttpProblem(
        described.endpoints,
        users=tuple(handle.users),
        seeds=handle.seeds,
        max_calls=int(settings.tunable("test.max_calls")),
        offers=_offers(extensions, described.endpoints),
        rows=row_kinds(families),
        first_answer=_first_answers(extensions, settings),
    )
    problem.known.pool.add_stored_values(described.values)
    _offer_constants(problem, recording)
    return problem


def _first_answers(extensions: Extensions, settings: Settings) -> Callable[[str], object]:
    """Return what says which document a service answers at first: the project, or its tests."""
    ask = extensions.service or (lambda _call: None)
    known: list[Mapping[str, object]] = []

    def first(call: str) -> object:
        document = ask(call)
        if document is None and not known:
            known.append(answers_in_tests(settings.rootdir))
        return known[0].get(call) if document is None else document

    return first


def _offers(extensions: Extensions, endpoints: Iterable[Endpoint]) -> Offers | None:
    """Return the values that the project suggests; None when it suggests none."""
    ask = extensions.values
    if ask is None:
        return None
    known = {endpoint.key: endpoint for endpoint in endpoints}

    def offers(key: str, identity: tuple[Location, str]) -> Sequence[object]:
        location, name = identity
        path = tuple(name.split("/")) if location is Location.JSON else (name,)
        return ask(known[key], location, path)

    return offers


def _offer_constants(problem: HttpProblem, recording: Recording | None) -> None:
    if recording is None:
        return
    for entry in recording.catalog.modules():
        constants = [value for value, _line in entry.plan.constants]
        problem.known.pool.add_constants(entry.path, constants)


def unrepeatable_changes(extensions: Extensions, endpoints: Iterable[Endpoint]) -> list[str]:
    """Return a notice when the project changes requests in another way each time."""
    change = extensions.change_request
    part = changing_part(change, endpoints) if change is not None else None
    if part is None:
        return []
    notice = (
        f"the hook pytest_evosearch_request sends {part} with another value each time, and written "
        "tests can only repeat one of them: let the project's own test client add it instead"
    )
    return [notice]
