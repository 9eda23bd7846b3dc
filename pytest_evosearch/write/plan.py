"""Plans the suite: which test stands where, under which name, merged with which others.

The plan is made once, from all specimens; verification then only lowers the detail of
single tests or strikes them, so that nothing else moves between its rounds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace
from types import MappingProxyType

from pytest_evosearch.core.isolation import json
from pytest_evosearch.problem.http.exchange import Exchange
from pytest_evosearch.problem.http.exchange import Request
from pytest_evosearch.problem.http.exchange import ValuePath
from pytest_evosearch.write.builder import Detail
from pytest_evosearch.write.builder import Surroundings
from pytest_evosearch.write.builder import WrittenTest
from pytest_evosearch.write.builder import build_test
from pytest_evosearch.write.builder import named
from pytest_evosearch.write.calls import Unwritable
from pytest_evosearch.write.conditions import Condition
from pytest_evosearch.write.conditions import describe_condition
from pytest_evosearch.write.conflicts import TAKEN
from pytest_evosearch.write.credentials import ANONYMOUS
from pytest_evosearch.write.credentials import STRANGER
from pytest_evosearch.write.grouping import Grouping
from pytest_evosearch.write.grouping import TableGroup
from pytest_evosearch.write.grouping import subject_of
from pytest_evosearch.write.inputs import LINKED
from pytest_evosearch.write.inputs import identifies
from pytest_evosearch.write.naming import name_candidates
from pytest_evosearch.write.naming_choice import choose_name
from pytest_evosearch.write.naming_choice import words_to_spare
from pytest_evosearch.write.naming_stories import Siblings
from pytest_evosearch.write.naming_stories import siblings_of
from pytest_evosearch.write.resources import collection_of
from pytest_evosearch.write.resources import part_of
from pytest_evosearch.write.resources import words
from pytest_evosearch.write.specimen import Specimen
from pytest_evosearch.write.variants import merge

FAULTS = "faults"
"""Name of the module for everything that fails today."""

MIXED = "app"
"""Name of the module for endpoints that belong to no group of their own."""

SMALLEST_GROUP = 3
"""Tests from which a resource deserves a module of its own."""

LARGEST_GROUP = 60
"""Tests of a blueprint that two or three modules hold; more are divided by resource."""

SMALLEST_PART = 10
"""Tests of a resource from which it gets a module beside that of its blueprint."""


@dataclass(frozen=True)
class Planned:
    """One test function and the specimens it shows: one, or one per row."""

    module: str
    name: str
    specimens: tuple[int, ...]
    labels: tuple[str, ...] = ()
    """What is special about each row."""
    subject: str = "item"


@dataclass
class Plan:
    """Every test in its place, and what could not be written."""

    tests: list[Planned] = field(default_factory=list)
    dropped: dict[int, str] = field(default_factory=dict)
    """Specimen -> reason."""
    bases: dict[str, list[object]] = field(default_factory=dict)
    """Endpoint -> bodies with which it was served."""


def plan_suite(
    specimens: Sequence[Specimen],
    around: Surroundings,
    groups: Mapping[str, str] | None = None,
    *,
    skipped: AbstractSet[int] = frozenset(),
    reserved: Mapping[str, AbstractSet[str]] = MappingProxyType({}),
) -> Plan:
    """Return the plan; `groups` maps endpoints (``GET /users``) to the name of their blueprint.

    Specimens in `skipped` are shown by tests that stay; `reserved` names those of each module.
    """
    plan = Plan()
    built: dict[int, WrittenTest] = {}
    for index, specimen in enumerate(specimens):
        if index in skipped:
            continue
        test = _built(specimen, around)
        if isinstance(test, str):
            plan.dropped[index] = test
        else:
            built[index] = test
    order = sorted(built, key=lambda index: _order(specimens[index]))
    modules = _modules(specimens, order, groups or {})
    siblings = siblings_of([specimens[index] for index in order])
    conditions = {
        index: describe_condition(
            specimens[index].act,
            siblings[_endpoint(specimens[index])],
            specimens[index].fault is not None,
            specimens[index].exchanges[:-1],
        )
        for index in order
    }
    plan.bases = served_payloads([specimens[index] for index in order])
    grouping = Grouping(built, conditions, specimens, plan.bases)
    for module in sorted(set(modules.values()), key=lambda name: (name == FAULTS, name)):
        members = [index for index in order if modules[index] == module]
        taken: set[str] = set(reserved.get(module, ()))
        for group in grouping.tables(members):
            asserted = built[group.members[0]].asserted_texts
            planned = _planned(
                module, group, specimens, conditions, siblings, around, taken, asserted
            )
            taken.add(planned.name)
            plan.tests.append(planned)
    return plan


def _planned(
    module: str,
    group: TableGroup,
    specimens: Sequence[Specimen],
    conditions: Mapping[int, Condition],
    siblings: Siblings,
    around: Surroundings,
    taken: AbstractSet[str],
    asserted: Sequence[str],
) -> Planned:
    """Name the test of a group."""
    first = specimens[group.members[0]]
    rows = [specimens[index] for index in group.members]
    condition = _common_condition([conditions[index] for index in group.members], rows)
    if group.phrase:
        condition = Condition("_".join(filter(None, (group.phrase, condition.phrase))), "part")
    candidates = name_candidates(
        first,
        siblings,
        around.users,
        condition,
        around.faults,
        group.span,
        rows,
        around.corpus.served,
        asserted,
    )
    labels = tuple(conditions[index].phrase for index in group.members)
    spare = 0 if group.span else words_to_spare(first.act.request)
    name = choose_name(candidates, taken, spare)
    return Planned(module, name, group.members, labels, subject_of(first))


def in_usual_order(specimens: Sequence[Specimen]) -> list[Specimen]:
    """Return the specimens with the fields of each form in one order, wherever it is sent."""
    orders: dict[str, dict[str, None]] = {}
    longest = sorted(
        (exchange.request for specimen in specimens for exchange in specimen.steps),
        key=lambda request: (-len(request.form), [name for name, _ in request.form]),
    )
    for request in longest:
        orders.setdefault(request.endpoint, {}).update({name: None for name, _ in request.form})
    ranks = {key: list(names) for key, names in orders.items()}
    return [
        replace(
            specimen,
            exchanges=tuple(_ordered(one, ranks) for one in specimen.exchanges),
        )
        for specimen in specimens
    ]


def _ordered(exchange: Exchange, ranks: Mapping[str, Sequence[str]]) -> Exchange:
    request = exchange.request
    rank = ranks[request.endpoint]
    form = tuple(sorted(request.form, key=lambda pair: rank.index(pair[0])))
    if form == request.form:
        return exchange
    return replace(exchange, request=replace(request, form=form))


def _built(specimen: Specimen, around: Surroundings) -> WrittenTest | str:
    """Return the test of a specimen, or why there is none."""
    try:
        return build_test(specimen, around)
    except Unwritable as obstacle:
        return str(obstacle)


def _endpoint(specimen: Specimen) -> str:
    return specimen.act.request.endpoint


def _order(specimen: Specimen) -> tuple[object, ...]:
    """Successes first, then client errors; short tests first; then by content."""
    act = specimen.act
    methods = ("GET", "POST", "PUT", "PATCH", "DELETE")
    place = methods.index(act.request.method) if act.request.method in methods else len(methods)
    category = act.status // 100
    return (
        category if category in (2, 3) else category + 10,
        act.request.template,
        place,
        len(specimen.exchanges),
        act.status,
        act.user or "",
        tuple(_fingerprint(exchange.request) for exchange in specimen.exchanges),
    )


def _fingerprint(request: Request) -> str:
    """Return everything that was sent, as text that sorts: short requests first.

    What an earlier answer handed out is `LINKED`: a token is another one in each run, and would
    put tests in another order.
    """

    def sent_in(location: str, pairs: Iterable[tuple[str, object]]) -> list[tuple[str, object]]:
        return [(name, _linked(value, (location, name), request)) for name, value in pairs]

    sent = [
        dict(sent_in("path", request.path.items())), sent_in("query", request.query),
        sent_in("form", request.form), _linked(request.json, ("json",), request),
        _linked(str(request.text), ("text",), request), sent_in("header", request.headers),
        sent_in("cookie", request.cookies), [str(upload) for upload in request.files],
    ]  # fmt: skip
    text = json.dumps([request.endpoint, sent], sort_keys=True, default=str)
    return f"{len(text):06d} {text}"


def _linked(value: object, place: ValuePath, request: Request) -> object:
    """Return a value with `LINKED` wherever it holds what an earlier answer handed out."""
    if place in request.origins:
        return LINKED
    if isinstance(value, dict):
        return {key: _linked(part, (*place, str(key)), request) for key, part in value.items()}
    if isinstance(value, list):
        return [_linked(part, (*place, index), request) for index, part in enumerate(value)]
    return value


def _modules(
    specimens: Sequence[Specimen], order: Sequence[int], groups: Mapping[str, str]
) -> dict[int, str]:
    """Return the module of every specimen: its blueprint's, its resource's, or a common one."""
    wanted = {index: _wanted_module(specimens[index], groups) for index in order}
    wanted = _by_resource(wanted, specimens)
    sizes = Counter(wanted.values())
    kept = {
        index: name if sizes[name] >= SMALLEST_GROUP or name == FAULTS else MIXED
        for index, name in wanted.items()
    }
    strangers = {name for index, name in wanted.items() if kept[index] == MIXED}
    # A lone small group keeps its own name: a common module for one resource says nothing.
    return wanted if len(strangers) == 1 else kept


def _by_resource(wanted: dict[int, str], specimens: Sequence[Specimen]) -> dict[int, str]:
    """Divide what one module cannot hold by resource: ``main_officers``, ``main_images``."""
    sizes = Counter(wanted.values())
    finer = {
        index: f"{name}_{collection}"
        for index, name in wanted.items()
        if sizes[name] > LARGEST_GROUP and name != FAULTS
        if (collection := part_of(specimens[index].act.request.template)) not in ("", name)
    }
    parts = Counter(finer.values())
    return {**wanted, **{i: name for i, name in finer.items() if parts[name] >= SMALLEST_PART}}


def _wanted_module(specimen: Specimen, groups: Mapping[str, str]) -> str:
    if specimen.fault is not None:
        return FAULTS
    template = specimen.act.request.template
    blueprint = words(groups.get(_endpoint(specimen)) or "")
    name = blueprint or collection_of(template) or MIXED
    return f"{name}_endpoints" if name == FAULTS else name


def served_payloads(specimens: Sequence[Specimen]) -> dict[str, list[object]]:
    """Return the bodies with which each endpoint was served: what failing variants change."""
    found: dict[str, list[object]] = {}
    for specimen in specimens:
        for exchange in specimen.exchanges:
            request = exchange.request
            sent: object = request.payload
            if not request.has_json:
                sent = {name: str(value) for name, value in request.form}
            if exchange.status < 400 and isinstance(sent, dict) and sent:
                payloads = found.setdefault(request.endpoint, [])
                if sent not in payloads:
                    payloads.append(sent)
    return found


def _common_condition(conditions: Sequence[Condition], rows: Sequence[Specimen]) -> Condition:
    """Return what the rows of a table have in common."""
    first = conditions[0]
    if all(condition == first for condition in conditions):
        return first
    categories = {condition.category for condition in conditions}
    if STRANGER in categories:
        return _common_stranger(conditions)
    if not categories <= {"missing", "invalid", "unknown", TAKEN}:
        return Condition()
    paths = [row.act.request.path for row in rows]
    in_path = all(paths) and any(path != paths[0] for path in paths)
    if categories == {"unknown"} and in_path:
        return Condition("unknown_id", "unknown")
    last_words = {condition.phrase.partition("_")[2] for condition in conditions}
    category = first.category if len(categories) == 1 else "invalid"
    if len(last_words) == 1:
        return Condition(f"{category}_{last_words.pop()}", category)
    if in_path:
        adjectives = {condition.phrase.partition("_")[0] for condition in conditions}
        adjective = adjectives.pop() if len(adjectives) == 1 else "invalid"
        are_ids = all(identifies(name) for path in paths for name in path)
        return Condition(f"{adjective}_{'id' if are_ids else 'values'}", "invalid")
    noun = "field" if len(categories) == 1 else "data"
    return Condition(f"{category}_{noun}", category)


def _common_stranger(conditions: Sequence[Condition]) -> Condition:
    """Return what callers of several endpoints have in common: not all tell what is wanted."""
    told = dict.fromkeys(one for one in conditions if one.phrase)
    if any(one.category != STRANGER for one in told):
        return Condition()
    if len(told) == 1:
        return next(iter(told))
    lacking = all(one.phrase == ANONYMOUS or one.phrase.startswith("without_") for one in told)
    return Condition(ANONYMOUS if lacking else "wrong_credentials", STRANGER)


@dataclass(frozen=True)
class Verdicts:
    """What verification has decided so far."""

    lowered: AbstractSet[int] = frozenset()
    """Specimens that only assert their status."""
    struck: AbstractSet[int] = frozenset()
    """Specimens that are not written."""
    warnings: Mapping[int, Sequence[str]] = field(default_factory=dict)
    """Specimens during which the application warns -> classes of the warnings."""
    populated: AbstractSet[int] = frozenset()
    """Specimens that do not hold without the accounts that fixtures make."""


def build_planned(
    planned: Planned,
    specimens: Sequence[Specimen],
    around: Surroundings,
    verdicts: Verdicts,
    bases: Mapping[str, Sequence[object]],
) -> list[tuple[WrittenTest, tuple[int, ...]]]:
    """Return the functions of one planned test with the specimens that each shows.

    Usually one; rows that only assert their status, or that no longer merge, become
    functions of their own.
    """
    alive = [index for index in planned.specimens if index not in verdicts.struck]
    if around.spared and any(index in verdicts.populated for index in alive):
        around = replace(around, spared=frozenset())
    labels = dict(zip(planned.specimens, planned.labels, strict=True)) if planned.labels else {}
    full = [index for index in alive if index not in verdicts.lowered]
    lowered = [index for index in alive if index in verdicts.lowered]
    functions: list[tuple[WrittenTest, tuple[int, ...]]] = []
    for members, detail in ((full, Detail.FULL), (lowered, Detail.STATUS)):
        tests = [build_test(specimens[index], around, detail) for index in members]
        merged = None
        if len(tests) > 1:
            served = bases.get(_endpoint(specimens[members[0]]), ())
            phrases = [labels.get(index, "") for index in members]
            merged = merge(tests, planned.subject, phrases, served)
        if merged is not None:
            functions.append((merged, tuple(members)))
        else:
            functions.extend((test, (index,)) for test, index in zip(tests, members, strict=True))
    return [
        (_finished(test, _numbered(planned.name, place), members, verdicts), members)
        for place, (test, members) in enumerate(functions)
    ]


def _finished(
    test: WrittenTest, name: str, members: Sequence[int], verdicts: Verdicts
) -> WrittenTest:
    found = {one for index in members for one in verdicts.warnings.get(index, ())}
    return replace(named(test, name), warnings=tuple(sorted(found)))


def _numbered(name: str, place: int) -> str:
    return name if place == 0 else f"{name}_variant{'' if place == 1 else f'_{place}'}"
