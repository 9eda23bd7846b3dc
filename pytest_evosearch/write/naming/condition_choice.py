"""Chooses the condition in a test's name: the only place that weighs conditions.

A comparison shows it, with other calls of the endpoint (siblings), and above all with a successful
call that has almost equal inputs (`comparison`). The first of these kinds with a result is used;
each has a strength of evidence (`proven_conditions`):

    who failed     a service that the application calls
    who asks       the caller was refused
    what is there  a value is taken already, or an item belongs to another user
    what crashed   the crash names an input
    a difference   an input is missing, stands out, or is unknown
    no comparison  no call succeeded: what may be wrong with the call by itself
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pytest_evosearch.core.english import snake_case
from pytest_evosearch.problem.http.exchanges.endpoint import operation_of
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.refusals import turns_away
from pytest_evosearch.write.answers.traits import value_trait
from pytest_evosearch.write.content.endpoint_words import resource_of
from pytest_evosearch.write.content.inputs import BODY
from pytest_evosearch.write.content.inputs import LINKED
from pytest_evosearch.write.content.inputs import Slot
from pytest_evosearch.write.content.inputs import identifies
from pytest_evosearch.write.content.inputs import mentions
from pytest_evosearch.write.content.inputs import owner_of
from pytest_evosearch.write.content.inputs import slots_of
from pytest_evosearch.write.naming.blame import NOTHING
from pytest_evosearch.write.naming.blame import blamed_input
from pytest_evosearch.write.naming.blame import names_input
from pytest_evosearch.write.naming.comparison import Comparison
from pytest_evosearch.write.naming.comparison import is_failure
from pytest_evosearch.write.naming.comparison import is_refused
from pytest_evosearch.write.naming.comparison import nearest_sibling
from pytest_evosearch.write.naming.comparison import served_beside
from pytest_evosearch.write.naming.comparison import survivor
from pytest_evosearch.write.naming.comparison import value_at
from pytest_evosearch.write.naming.conflicts import CONFLICT
from pytest_evosearch.write.naming.conflicts import TAKEN
from pytest_evosearch.write.naming.conflicts import taken_inputs
from pytest_evosearch.write.naming.culprits import PASSWORD
from pytest_evosearch.write.naming.culprits import first_trait
from pytest_evosearch.write.naming.culprits import missing
from pytest_evosearch.write.naming.culprits import of_failure
from pytest_evosearch.write.naming.culprits import of_success
from pytest_evosearch.write.naming.culprits import one_culprit
from pytest_evosearch.write.naming.culprits import row_difference
from pytest_evosearch.write.naming.culprits import unknown_thing
from pytest_evosearch.write.naming.decisive_inputs import UNKNOWN
from pytest_evosearch.write.naming.decisive_inputs import Decisions
from pytest_evosearch.write.naming.preconditions import precondition
from pytest_evosearch.write.naming.proven_conditions import PLAIN
from pytest_evosearch.write.naming.proven_conditions import Condition
from pytest_evosearch.write.naming.proven_conditions import Evidence
from pytest_evosearch.write.naming.proven_conditions import invalid
from pytest_evosearch.write.naming.refused_credentials import STRANGER
from pytest_evosearch.write.naming.refused_credentials import WRONG_CREDENTIALS
from pytest_evosearch.write.naming.refused_credentials import credentials_of
from pytest_evosearch.write.naming.refused_credentials import is_known
from pytest_evosearch.write.naming.refused_credentials import made_by_another
from pytest_evosearch.write.naming.refused_credentials import refused_credentials
from pytest_evosearch.write.naming.whole_bodies import WITHOUT_JSON
from pytest_evosearch.write.naming.whole_bodies import body_condition
from pytest_evosearch.write.naming.whole_bodies import body_of_another_kind
from pytest_evosearch.write.naming.whole_bodies import body_that_is_empty
from pytest_evosearch.write.naming.whole_bodies import json_of_odd_kind

_NOT_FOUND = 404
_REFUSALS_OF_INPUT = (400, CONFLICT, 415, 422)


def describe_condition(
    exchange: Exchange,
    siblings: Sequence[Exchange],
    is_fault: bool = False,
    earlier: Sequence[Exchange] = (),
    decisions: Decisions = UNKNOWN,
    accepted: Sequence[Exchange] = (),
) -> Condition:
    """Return what is special about `exchange` among its `siblings` of one endpoint.

    `earlier` are the calls before it in its test. `decisions` are the code's conditions that have
    their value only in this test. `accepted` are further calls of the endpoint, of no test, that
    show which values are valid.
    """
    found = _chosen(exchange, siblings, is_fault, earlier, decisions, accepted)
    decided = decisions.about(list(slots_of(exchange.request)))
    return replace(found, decided=tuple(snake_case(name) for _, name in decided))


def _chosen(
    exchange: Exchange,
    siblings: Sequence[Exchange],
    is_fault: bool,
    earlier: Sequence[Exchange],
    decisions: Decisions,
    accepted: Sequence[Exchange],
) -> Condition:
    failing = next((asked for asked in exchange.outgoing if asked.fails), None)
    if failing is not None:  # the shortest test that shows this has no failure without need
        said = failing.failure or f"answers {failing.status}"
        return Condition(f"service_{snake_case(said)}", "service", Evidence.NAMED)
    if exchange.status >= 400 and turns_away(exchange):
        return _forbidden(exchange, siblings)
    if is_fault:
        return _of_fault(exchange, siblings, accepted)
    found = _of_what_is_there(exchange, earlier) or precondition(exchange, siblings)
    if found is not None:
        return found
    found = _by_comparison(exchange, siblings, decisions, accepted)
    return _of_conflict(found) if exchange.status == CONFLICT else found


def _of_conflict(found: Condition) -> Condition:
    """Return what an input has to do with a conflict: stored state causes it, no invalid value."""
    if found.category not in ("invalid", "missing", "unknown"):
        return found
    if found.evidence < Evidence.DECIDED:
        return PLAIN
    phrase = found.phrase
    if phrase.startswith("invalid_"):
        phrase = f"conflicting_{phrase.removeprefix('invalid_')}"
    return replace(found, phrase=phrase)


def _of_what_is_there(exchange: Exchange, earlier: Sequence[Exchange]) -> Condition | None:
    taken = taken_inputs(exchange, earlier)
    if taken:
        return Condition(f"{TAKEN}_{taken}", TAKEN, Evidence.NAMED)
    if exchange.status == _NOT_FOUND and made_by_another(exchange, earlier):
        resource = resource_of(exchange.request.template)
        return Condition(f"somebody_elses_{resource}", "forbidden", Evidence.NAMED)
    return None


def _by_comparison(
    exchange: Exchange,
    siblings: Sequence[Exchange],
    decisions: Decisions,
    accepted: Sequence[Exchange],
) -> Condition:
    foil = nearest_sibling(exchange, siblings)
    if foil is None or foil.status >= 400:
        return _without_sibling(exchange, [*siblings, *accepted])
    case = Comparison(exchange, foil, served_beside(foil, [*siblings, *accepted]), decisions)
    if not case.changed:
        return _with_the_same(case, siblings)
    if is_failure(exchange, foil):
        return of_failure(case, case.suspects, False)
    if not [slot for slot in case.mine if slot[0] != "path"]:
        return PLAIN  # a plain request that succeeds is not special
    return of_success(case)


def _with_the_same(case: Comparison, siblings: Sequence[Exchange]) -> Condition:
    """Return what is special about a call whose inputs equal its counterpart's."""
    exchange, foil = case.exchange, case.foil
    assert foil is not None
    rows = row_difference(exchange.request, foil.request)
    if rows:
        return Condition(rows, "with", Evidence.ALONE)
    # a preparing call made it succeed once: without it, the resource is unknown
    if exchange.status == _NOT_FOUND:
        return _without_sibling(exchange, siblings)
    if exchange.status < 400:
        return PLAIN
    return body_that_is_empty(exchange.request, foil.request) or PLAIN


def _of_fault(
    exchange: Exchange, siblings: Sequence[Exchange], accepted: Sequence[Exchange]
) -> Condition:
    """Return what makes a call fail: an input in its crash, or a difference from good calls.

    Good calls did not fail. A difference from a refused call only shows how this call got further.
    """
    blame = blamed_input(exchange, siblings)
    if blame is not None:
        return Condition(f"{blame.adjective}_{blame.name}", blame.adjective, Evidence.NAMED)
    odd = json_of_odd_kind(exchange.request, [one.request for one in siblings if one.status < 400])
    if odd is not None:
        return odd
    foil = survivor(exchange, siblings)
    if foil is None:
        return _without_sibling(exchange, siblings)
    case = Comparison(exchange, foil, served_beside(foil, [*siblings, *accepted]))
    found = _against(case)
    if not is_refused(foil) or found.says_what:
        return found
    served = survivor(exchange, [other for other in siblings if not is_refused(other)])
    if served is not None:
        return _against(Comparison(exchange, served, served_beside(served, [*siblings, *accepted])))
    named = [slot for slot in case.mine if names_input(exchange, slot[1])]
    is_clear = bool(named) and all(slot in case.changed for slot in named)
    return of_failure(case, named, True) if is_clear else PLAIN


def _against(case: Comparison) -> Condition:
    """Return the difference between a failed call and one that did not fail."""
    assert case.foil is not None
    if not case.changed:
        return body_that_is_empty(case.exchange.request, case.foil.request) or PLAIN
    return _lacking(case) or of_failure(case, case.suspects, True)


def _lacking(case: Comparison) -> Condition | None:
    """Return the one missing input where the crash is about None, and no sent value is unusual."""
    crash = case.exchange.crash
    if crash is None or NOTHING not in crash.message:
        return None
    lacking = [slot for slot in case.changed if slot not in case.mine]
    sent = [slot for slot in case.changed if slot in case.mine]
    is_usual = not any(value_trait(case.mine[slot], case.theirs.get(slot)) for slot in sent)
    return missing(case, lacking) if len(lacking) == 1 and is_usual else None


def _forbidden(exchange: Exchange, siblings: Sequence[Exchange]) -> Condition:
    """Return what is wrong with the caller: credentials, a password, or the owner of a resource."""
    credentials = refused_credentials(exchange, siblings)
    if credentials:
        return Condition(credentials, STRANGER, Evidence.NAMED)
    allowed = [other for other in siblings if other.status < 400 and other.user == exchange.user]
    foil = nearest_sibling(exchange, allowed)
    if foil is None:
        return PLAIN
    case = Comparison(exchange, foil, allowed)
    rows = row_difference(exchange.request, foil.request)
    if rows and not case.changed:
        return Condition(rows, "with", Evidence.ALONE)
    if is_known(exchange) and exchange.request.path:
        elsewhere = any(slot[0] == "path" for slot in case.changed)
        if exchange.user is not None or elsewhere:
            owner = owner_of(exchange.request, list(exchange.request.path)[-1])
            return Condition(f"forbidden_{owner}", "forbidden", Evidence.NAMED)
    secret = any(PASSWORD in snake_case(name) for _, name in {**case.mine, **case.theirs})
    return _wrong_body(case) if secret or is_known(exchange) else PLAIN


def _wrong_body(case: Comparison) -> Condition:
    """Return the part of a body that does not let its caller in."""
    body = [slot for slot in case.suspects if slot[0] in BODY]
    lacking = [slot for slot in body if slot not in case.mine]
    present = [slot for slot in body if slot in case.mine]
    if not present:
        return missing(case, lacking) if lacking else PLAIN
    secret = any(PASSWORD in snake_case(name) for _, name in present)
    if len(present) > 1:
        return Condition(WRONG_CREDENTIALS, "invalid", Evidence.ALONE) if secret else PLAIN
    if not secret and not is_known(case.exchange):  # a user of this name may not exist
        return Condition(f"unknown_{snake_case(present[0][1])}", "unknown", Evidence.ALONE)
    return one_culprit(case, present[0])


def _without_sibling(exchange: Exchange, siblings: Sequence[Exchange]) -> Condition:
    """Return what may be wrong with a call without a successful counterpart."""
    slots = slots_of(exchange.request)
    if exchange.status >= 500:
        return first_trait(slots)
    if exchange.status == _NOT_FOUND:
        return _not_found(exchange)
    if exchange.status not in _REFUSALS_OF_INPUT:
        return PLAIN
    answered_otherwise = [other for other in siblings if other.status != exchange.status]
    body = body_condition(exchange.request, None) or next(
        filter(
            None,
            (body_of_another_kind(exchange.request, one.request) for one in answered_otherwise),
        ),
        None,
    )
    if body is not None:
        return body
    further = [slots_of(other.request) for other in answered_otherwise]
    inputs = [
        slot
        for slot, value in slots.items()
        if slot[0] != "path"
        and value != LINKED
        and not any(value_at(other, slot) == value for other in further)
    ]
    in_body = [slot for slot, value in slots.items() if slot[0] in BODY and value != LINKED]
    return _only_input(Comparison(exchange), inputs or in_body)


def _not_found(exchange: Exchange) -> Condition:
    """Say what there is no such thing of: what an address names, else the one thing sent."""
    slots = slots_of(exchange.request)
    named = [slot for slot in slots if slot[0] == "path"]
    identifying = [slot for slot in named if identifies(slot[1])] or named
    if identifying:
        return unknown_thing(exchange.request, identifying[-1][1])
    sent = [slot for slot, value in slots.items() if value != LINKED]
    body = body_condition(exchange.request, None)
    if body is not None or len(sent) != 1 or sent[0][0] not in ("query", *BODY):
        return body or PLAIN
    return replace(unknown_thing(exchange.request, sent[0][1]), evidence=Evidence.GUESSED)


def _only_input(case: Comparison, inputs: Sequence[Slot]) -> Condition:
    """Return what is wrong with the one suspicious input; without any input, what is missing."""
    exchange, slots = case.exchange, case.mine
    if not inputs:
        return _nothing_sent(case)
    if len(inputs) > 1:
        return invalid("data")
    slot = inputs[0]
    is_credential = slot in credentials_of(exchange.request)  # however long a token is
    trait = "" if is_credential else value_trait(slots[slot])
    name = snake_case(slot[1]) or "value"
    evidence = case.evidence_of(slot[1])
    return Condition(f"{trait}_{name}", "invalid", evidence) if trait else invalid(name, evidence)


def _nothing_sent(case: Comparison) -> Condition:
    exchange = case.exchange
    if operation_of(exchange.request.template):
        return PLAIN
    if exchange.request.method in ("GET", "DELETE", "HEAD"):
        paths = [slot for slot in case.mine if slot[0] == "path"]
        return one_culprit(case, paths[0]) if len(paths) == 1 else PLAIN
    looked = {read.location for read in exchange.reads if read.location in BODY}
    if mentions(case.said, "json") or looked == {"json"}:
        return WITHOUT_JSON
    return Condition("without_data", "missing", says_what=False) if looked else PLAIN
