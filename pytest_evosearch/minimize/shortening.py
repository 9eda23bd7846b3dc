"""Makes one test as short and readable as possible without losing its targets.

    repeat until nothing changes or the limit is reached:
        calls    remove halves, quarters ... single calls, from the end to the beginning; the rows
                 that a single one puts into tables may be what matters, and go to the next
        users    send everything anonymously, or all that one user sends
        inputs   send anonymously; remove queries, headers and cookies of all calls at once, else
                 of single ones; remove all that may be left out of a call, then halves, quarters
                 ... single ones
        shared   a value that several places hold (a password, then once more) in all at once
        values   in each gene tree, from the root to the leaves: the first simpler variant
                 that is good enough, again until there is none; the few simplest variants
                 of every value come before the many others of any; none twice in a round,
                 whatever else has changed, and beyond the simplest none that failed in
                 other tests

Delta debugging after A. Zeller, R. Hildebrandt, "Simplifying and isolating failure-inducing input",
TSE 2002; `Gene.simpler` yields the variants of a value, the simplest first. A callback executes a
candidate and decides whether it is good enough.

Invariants: the result is the given test or one that the callback accepted; the callback
never sees a test twice (two tests that send the same values are the same); a value that was
given up never comes back, so that it ends; what a settled call sends stays; nothing is random.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import islice

from pytest_evosearch.genes.base import Path
from pytest_evosearch.minimize.cores import with_body_alone
from pytest_evosearch.minimize.failed_variants import FailedVariants
from pytest_evosearch.minimize.failed_variants import Variant
from pytest_evosearch.minimize.failed_variants import variant_of
from pytest_evosearch.minimize.reducible import variants
from pytest_evosearch.minimize.reducing import Reduction
from pytest_evosearch.minimize.shared_values import holders
from pytest_evosearch.minimize.shared_values import shared_values
from pytest_evosearch.minimize.shared_values import values_of
from pytest_evosearch.minimize.shared_values import with_gene
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import is_safe
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import linked_labels
from pytest_evosearch.problem.http.exchanges.links import renamed

PATIENCE = (3, 12, None)
"""Failed variants of one value before the next value is tried, by round.

The simplest variants come first and mostly work. Some values cannot change, and a text of 16
characters has 40 variants. These must not use up the executions for other values.
"""

FEWEST_INPUTS = 2
"""Number of inputs of a call up to which they are removed one by one.

Groups pay off for many inputs: with one needed of forty, they take 10 executions on average instead
of 41, with three needed 24.
"""

MOST_DOORS = 3
"""Most calls that let a user in: a page with a token, a registration, a log-in."""

SIMPLEST = 3
"""Variants of a value that each test tries, whatever their results in others.

Later variants that failed in another test hardly ever work.
"""

SHARED_PATIENCE = 12
"""Most failed variants of a value that occurs more than once."""


def minimize_individual(
    individual: Individual,
    keeps: Callable[[Individual], bool],
    limit: int,
    settled: AbstractSet[int] = frozenset(),
    failed: FailedVariants | None = None,
    is_over: Callable[[], bool] = lambda: False,
) -> Individual:
    """Return the simplest variant of `individual` found for which `keeps` holds.

    `keeps` executes a candidate and says whether it still covers all targets of the test. It is
    called at most `limit` times, and never for `individual` itself, which is the result when no
    simpler variant works. Calls with labels in `settled` were simplified in another test: they may
    be removed, but their inputs are not tried again. `failed` are variants that failed in other
    tests; this one adds its own. Once `is_over` is true, nothing more is tried.
    """
    failed = FailedVariants() if failed is None else failed
    reduction = Reduction(individual, keeps, limit, settled, failed, is_over)
    while not reduction.exhausted:
        before = reduction.best
        reduction.begin_round()
        _remove_calls(reduction)
        reduction.cut_dangling_links()
        _remove_users(reduction)
        _remove_inputs(reduction)
        _simplify_shared_values(reduction)
        _simplify_values(reduction)
        if reduction.best is before:
            break
    reduction.failed.note(reduction.outcomes)
    return reduction.best


def as_users(individual: Individual, users: Iterable[str]) -> Iterator[Individual]:
    """Yield the test without a possible log-in at its beginning, sent by each of the users.

    A fixture of the project often logs this user in, too. Then ``client.post("/login", ...)`` at
    the head of every test is not informative.
    """
    if any(call.user is not None for call in individual):
        return
    for count in range(1, min(MOST_DOORS, len(individual) - 1) + 1):
        doors, rest = individual.calls[:count], individual.calls[count:]
        fed = set(linked_labels(given for call in rest for given in call.inputs))
        if is_safe(doors[-1].endpoint) or fed & {call.label for call in doors}:
            continue
        for user in users:
            yield Individual(tuple(replace(call, user=user) for call in rest))


def with_late_reads(individual: Individual) -> Individual:
    """Return the test with every page read moved right before the call that uses it.

    So all tests prepare in one order. Whether a form is read before or after the creation of its
    account only matters to the reader.
    """
    calls = list(individual.calls)
    for call in individual.calls[:-1]:
        if is_safe(call.endpoint):
            place = calls.index(call)
            users = [at for at, one in enumerate(calls) if call.label in linked_labels(one.inputs)]
            if users and users[0] > place + 1:
                calls.insert(users[0] - 1, calls.pop(place))
    return Individual(tuple(calls))


def without_call(individual: Individual, index: int) -> Individual:
    """Return a test without one call; rows that this puts into tables go to the next call."""
    before, rest = individual.calls[:index], individual.calls[index + 1 :]
    rows = [one for one in individual.calls[index].inputs if one.location is Location.ROW]
    if rows and rest:
        stored = {one.key for one in rest[0].inputs}
        taken = [one for one in rows if one.key not in stored]
        rest = (replace(rest[0], inputs=(*rest[0].inputs, *taken)), *rest[1:])
    return Individual((*before, *rest))


def with_links_to_earlier(individual: Individual, index: int) -> Individual:
    """Return a test without one call; what later calls took from it, they take from that before.

    A form that is shown again has the same token as the page before it.
    """
    labels = {call.label: call.label for call in individual}
    labels[individual.calls[index].label] = individual.calls[max(index - 1, 0)].label
    later = [
        replace(call, inputs=tuple(one.with_gene(renamed(one.gene, labels)) for one in call.inputs))
        for call in individual.calls[index + 1 :]
    ]
    return Individual((*individual.calls[:index], *later))


def _remove_calls(reduction: Reduction) -> None:
    size = len(reduction.best) // 2
    while size:
        start = len(reduction.best) - size
        while start >= 0:
            calls = reduction.best.calls
            rest = calls[:start] + calls[start + size :]
            if rest and not reduction.accepts(Individual(rest)) and size == 1:
                without = (without_call, with_links_to_earlier)
                any(reduction.accepts(one(reduction.best, start)) for one in without)
            # A success does not change the calls before `start`, so continuing is safe.
            start -= 1 if size == 1 else max(1, size // 2)
        size //= 2


def _remove_users(reduction: Reduction) -> None:
    """Send calls anonymously where the user does not matter, all calls at once.

    A single call often cannot change its user, because its preparation happened in this user's
    session.
    """
    users = dict.fromkeys(call.user for call in reduction.best if call.user is not None)
    groups = [tuple(users), *((user,) for user in users)] if len(users) > 1 else [tuple(users)]
    for group in groups:
        calls = [
            replace(call, user=None) if call.user in group else call for call in reduction.best
        ]
        reduction.accepts(Individual(tuple(calls)))


def _remove_inputs(reduction: Reduction) -> None:
    reduction.accepts(reduction.best.sent_by(None))
    _remove_all_but_bodies(reduction)
    for index in reduction.open_calls():
        optional = _optional(reduction.best.calls[index])
        _leave_out(reduction, index, optional)
        size = len(optional) // 2
        while size > FEWEST_INPUTS:
            _leave_out_groups(reduction, index, size)
            size //= 2
        _leave_out_groups(reduction, index, 1)


def _remove_all_but_bodies(reduction: Reduction) -> None:
    """Remove every query, header and cookie, of all calls at once or of single ones.

    Most calls of a long test only need their body, and contain the other inputs by chance.
    """
    places = reduction.open_calls()
    bare = reduction.best
    for index in places:
        bare = bare.with_call(index, with_body_alone(bare.calls[index]))
    if reduction.accepts(bare):
        return
    for index in places:
        reduction.accepts(reduction.best.with_call(index, bare.calls[index]))


def _leave_out_groups(reduction: Reduction, index: int, size: int) -> None:
    """Remove `size` inputs of a call at a time, from the last ones to the first."""
    optional = _optional(reduction.best.calls[index])
    for end in range(len(optional), 0, -size):
        _leave_out(reduction, index, optional[max(0, end - size) : end])


def _leave_out(reduction: Reduction, index: int, left_out: Sequence[Input]) -> None:
    call = reduction.best.calls[index]
    keys = {given.key for given in left_out}
    rest = tuple(given for given in call.inputs if given.key not in keys)
    reduction.accepts(reduction.best.with_call(index, replace(call, inputs=rest)))


def _optional(call: Call) -> list[Input]:
    return [given for given in call.inputs if _may_be_left_out(given)]


def _may_be_left_out(given: Input) -> bool:
    """Say whether a request can be built without this input; a path needs every value."""
    return given.location is not Location.PATH


def _simplify_shared_values(reduction: Reduction) -> None:
    """Simplify values that occur more than once, in all places at once."""
    fixed = {repr(value) for value in values_of(reduction.settled_calls())}
    shared = [value for value in shared_values(reduction.best) if repr(value) not in fixed]
    for value in shared:
        current = value
        while (simpler := _simplify_everywhere(reduction, current)) is not None:
            current = simpler


def _simplify_everywhere(reduction: Reduction, value: object) -> object | None:
    """Try simpler values in all places of `value`; return the accepted one, or None."""
    found = holders(reduction.best, value)
    if len(found) < 2:
        return None
    for simpler in islice(found[0][1].simpler(), SHARED_PATIENCE):
        candidate: Individual | None = reduction.best
        for place, gene in found:
            adopted = gene.adopt(simpler.value())
            candidate = (
                None
                if adopted is None or candidate is None
                else with_gene(candidate, place, adopted)
            )
        if candidate is not None and reduction.accepts(candidate):
            return simpler.value()
    return None


def _simplify_values(reduction: Reduction) -> None:
    for patience in PATIENCE:
        for index in reduction.open_calls():
            for place in range(len(reduction.best.calls[index].inputs)):
                while _simplify_once(reduction, index, place, patience):
                    pass


def _simplify_once(reduction: Reduction, index: int, place: int, patience: int | None) -> bool:
    """Accept the first working one of some variants of one input; say whether there was one."""
    call = reduction.best.calls[index]
    given = call.inputs[place]
    is_act = index == len(reduction.best) - 1
    simplest: dict[Path, list[Variant]] = {}
    for gene in islice(variants(given.gene), patience):
        if reduction.exhausted:
            return False
        variant = variant_of(call, is_act, given, gene)
        if variant is not None:
            first = simplest.setdefault(variant.path, [])
            if len(first) < SIMPLEST and variant not in first:
                first.append(variant)
            if reduction.is_vain(variant, variant in first):
                continue
        inputs = (*call.inputs[:place], replace(given, gene=gene), *call.inputs[place + 1 :])
        accepted = reduction.accepts(reduction.best.with_call(index, replace(call, inputs=inputs)))
        if variant is not None:
            reduction.note(variant, accepted)
        if accepted:
            return True
    return False
