"""Reasons against a test: it would do harm, hang, or fail without a fault of its own.

Each function returns one line for the report, or None without a reason.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence

from pytest_evosearch.execution.full_evaluation import FullEvaluation
from pytest_evosearch.execution.judging import LONGEST_SLEEP
from pytest_evosearch.minimize.unstable import FactPath
from pytest_evosearch.oracles.injection import PathTraversalOracle
from pytest_evosearch.oracles.outgoing_failures import is_unlikely
from pytest_evosearch.oracles.server_error import lacks_service
from pytest_evosearch.oracles.server_error import meets_ended_transaction
from pytest_evosearch.oracles.server_error import missing_services
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.json_places import scalars_in
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault

HANGS = "a call does not end within the time limit, so the test would hang"


OF_MACHINE = "it sends a token that is signed with a setting of this machine"


def value_of_machine(individual: Individual, is_of_machine: Callable[[str], bool]) -> str | None:
    """Return why a test would only hold on this machine, by what its calls send."""
    values = (one.gene.value() for call in individual.calls for one in call.inputs)
    texts = (str(one) for value in values for one in scalars_in(value))
    return OF_MACHINE if any(map(is_of_machine, texts)) else None


def obstacle_of_calls(exchanges: Sequence[Exchange]) -> str | None:
    """Return how calls would affect the test run, or that the act cannot be reached."""
    if any(exchange.died for exchange in exchanges):
        return "a call ends the process, so the test would end the run of the tests"
    if excess := next((exchange.excess for exchange in exchanges if exchange.excess), ""):
        return f"{excess}, so the test would harm the machine"
    if any(exchange.crash and exchange.crash.exhausts_memory for exchange in exchanges):
        return "a call asks for so much memory that the test might end the run of the tests"
    if down := [one for each in exchanges if each.frozen for one in missing_services(each)]:
        return f"service {down[0].service} is down ({down[0].reason}), and a call waits for it"
    if any(exchange.frozen for exchange in exchanges):
        return HANGS
    if without := next(filter(None, map(missing_table, exchanges)), None):
        return without
    if any(_interrupts(exchange) for exchange in exchanges):
        return "the handler raises KeyboardInterrupt, which would end the run of the tests"
    if any(exchange.is_broken for exchange in exchanges[:-1]):
        return "it needs an earlier call that crashes"
    # Tests that ask other services do not wait before another try.
    slept = sum(exchange.slept for exchange in exchanges if not exchange.outgoing)
    if slept > LONGEST_SLEEP:
        return f"the handlers sleep {slept:.1f} seconds"
    if any(map(is_unlikely, exchanges)):
        return "it needs an answer that no such service gives"
    if not exchanges[-1].sent:
        return "the test client refuses to send the request"
    return None


def missing_table(exchange: Exchange) -> str | None:
    """Return the missing table that a call goes on without: its answer is none of the project's."""
    table = exchange.done_without
    said = f"the database has no table {table}, and the application goes on without it"
    return said if table else None


def _interrupts(exchange: Exchange) -> bool:
    return exchange.crash is not None and exchange.crash.type_name == "KeyboardInterrupt"


def missing_service(act: Exchange) -> str | None:
    """Return the missing service that the call under test needs."""
    if meets_ended_transaction(act):
        return "an earlier call ends the transaction that a fixture of the project holds open"
    if not lacks_service(act):
        return None
    if down := missing_services(act):
        return f"service {down[0].service} is down ({down[0].reason})"
    crash = act.crash
    said = f"{crash.type_name}: {crash.message}" if crash else f"answered {act.status}"
    return f"a service that it needs is not there: {said}"


def side_effect(evaluation: FullEvaluation[Individual]) -> str | None:
    """Return the side effect of a test: on other tests of its run, or a lasting one."""
    if evaluation.harms:
        return f"in a real run it would {' and '.join(evaluation.harms)}"
    if evaluation.disturbances:
        return f"it {' and '.join(evaluation.disturbances)}, which other tests share"
    return None


def foreign_file(faults: Iterable[Fault]) -> str | None:
    """Return a file outside its folder that a call has opened.

    The content or existence of this file differs between machines.
    """
    found = [one for one in faults if one.code == PathTraversalOracle.code]
    return f"it depends on this machine: {found[0].message}" if found else None


def unstable_status(unstable: Mapping[tuple[int, FactPath], str]) -> str | None:
    """Return what changes the status of a call."""
    reasons = [reason for (_call, fact), reason in unstable.items() if fact == ("status",)]
    return f"unstable: its status {reasons[0]}" if reasons else None
