"""Plans the suite: module, name and table of each test.

The plan is made once, from all specimens. Verification then only lowers the detail of single tests
or removes them, so no other test changes between its rounds. A name loses what its test no longer
asserts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field
from dataclasses import replace
from types import MappingProxyType

from pytest_evosearch.core.english import snake_case
from pytest_evosearch.core.failing.fence import Fence
from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import ValuePath
from pytest_evosearch.write.content.builder import Surroundings
from pytest_evosearch.write.content.builder import WrittenTest
from pytest_evosearch.write.content.builder import build_test
from pytest_evosearch.write.content.endpoint_words import collection_of
from pytest_evosearch.write.content.endpoint_words import part_of
from pytest_evosearch.write.content.inputs import LINKED
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.content.written_calls import Unwritable
from pytest_evosearch.write.naming.grouping import PAGES
from pytest_evosearch.write.naming.grouping import Grouping
from pytest_evosearch.write.naming.grouping import TableGroup
from pytest_evosearch.write.naming.grouping import subject_of
from pytest_evosearch.write.naming.proven_conditions import PLAIN
from pytest_evosearch.write.naming.proven_conditions import Condition
from pytest_evosearch.write.naming.proven_conditions import condition_of
from pytest_evosearch.write.naming.shown_words import asserted_keys
from pytest_evosearch.write.naming.stories import siblings_of
from pytest_evosearch.write.naming.suite_names import NAMES
from pytest_evosearch.write.naming.suite_names import Naming
from pytest_evosearch.write.naming.suite_names import Renaming

FAULTS = "faults"
"""Name of the module for tests that fail today."""

ACCESS = "access"
"""Name of the module for refusals of strangers at many addresses."""

MIXED = "app"
"""Name of the module for endpoints without a group of their own."""

SMALLEST_GROUP = 3
"""Fewest tests of a resource for a module of its own."""

LARGEST_GROUP = 60
"""Most tests of a blueprint in two or three modules; more are divided by resource."""

SMALLEST_PART = 10
"""Fewest tests of a resource for a module beside that of its blueprint."""


INTERNAL_ERROR = "an error of pytest-evosearch itself: see the notices"
"""Why there is no test whose text could not be made."""


@dataclass(frozen=True)
class Planned:
    """One test function and its specimens: one, or one for each row."""

    module: str
    name: str
    group: TableGroup
    labels: tuple[str, ...] = ()
    """What is special about each row."""
    subject: str = "item"
    asserted: tuple[str, ...] = ()
    """Texts that it asserts."""

    @property
    def specimens(self) -> tuple[int, ...]:
        """The specimens of the test, in the order of the rows."""
        return self.group.members


@dataclass
class Plan:
    """Every test in its module, and the specimens that could not be written."""

    tests: list[Planned] = field(default_factory=list)
    dropped: dict[int, str] = field(default_factory=dict)
    """Specimen -> reason."""
    bases: dict[str, list[object]] = field(default_factory=dict)
    """Endpoint -> bodies of successful calls."""
    naming: Naming = field(default_factory=Naming)
    fence: Fence = field(default_factory=Fence)
    """Collects the failures of single tests and of names."""

    def renaming(self, module: str) -> Renaming:
        """Return the renaming of a module's tests."""
        planned = {one.name for one in self.tests if one.module == module}
        return Renaming(self.naming, planned | self.naming.reserved.get(module, frozenset()))


def plan_suite(
    specimens: Sequence[Specimen],
    around: Surroundings,
    groups: Mapping[str, str] | None = None,
    *,
    skipped: AbstractSet[int] = frozenset(),
    reserved: Mapping[str, AbstractSet[str]] = MappingProxyType({}),
) -> Plan:
    """Return the plan; `groups` maps endpoints (``GET /users``) to their blueprints.

    Kept tests show the specimens in `skipped`. `reserved` are the names of kept tests by module.
    """
    plan = Plan()
    built = _all_built(specimens, around, skipped, plan)
    specimens = [_as_read(specimen, around) for specimen in specimens]
    order = sorted(built, key=lambda index: _order(specimens[index]))
    siblings = siblings_of([specimens[index] for index in order])
    conditions = _conditions(specimens, order, plan.fence)
    plan.bases = served_payloads([specimens[index] for index in order])
    grouping = Grouping(built, conditions, specimens, plan.bases, around.corpus.wording)
    walls, pages = grouping.walls(order), grouping.pages(order)
    others = [one for one in order if one not in walls | pages]
    modules = _modules(specimens, others, groups or {})
    taken = set(modules.values())
    for found, name in ((pages, PAGES), (walls, ACCESS)):
        modules.update(dict.fromkeys(found, f"{name}_endpoints" if name in taken else name))
    keys = {index: _keys(built[index], specimens[index]) for index in order}
    naming = plan.naming = Naming(
        specimens, conditions, siblings, around, reserved, plan.fence, keys
    )
    for module in sorted({*modules.values()}, key=lambda name: (name == FAULTS, name)):
        members = [index for index in order if modules[index] == module]
        taken = set(reserved.get(module, ()))
        for group in grouping.tables(members):
            asserted = _asserted([built[index] for index in group.members])
            name = naming.name(group, taken, asserted)
            subject = subject_of(specimens[group.members[0]])
            taken.add(name)
            plan.tests.append(Planned(module, name, group, naming.labels(group), subject, asserted))
    return plan


def _all_built(
    specimens: Sequence[Specimen],
    around: Surroundings,
    skipped: AbstractSet[int],
    plan: Plan,
) -> dict[int, WrittenTest]:
    """Return the tests of specimens by index; the plan notes those that cannot be written."""
    built: dict[int, WrittenTest] = {}
    for index, specimen in enumerate(specimens):
        if index in skipped:
            continue
        test = plan.fence.run(
            "the text of a test", _built, specimen, around, otherwise=INTERNAL_ERROR
        )
        if isinstance(test, str):
            plan.dropped[index] = test
        else:
            built[index] = test
    return built


def _conditions(
    specimens: Sequence[Specimen], order: Sequence[int], fence: Fence
) -> dict[int, Condition]:
    """Return for each specimen what is proven to be special about it."""
    run = fence.run
    return {index: run(NAMES, condition_of, specimens[index], otherwise=PLAIN) for index in order}


def _keys(test: WrittenTest, specimen: Specimen) -> tuple[str, ...]:
    """Return the keys of the last answer, a JSON object, about which the test asserts something."""
    return asserted_keys(test.calls[len(specimen.exchanges) - 1].facts)


def _asserted(tests: Sequence[WrittenTest]) -> tuple[str, ...]:
    return tuple(text for test in tests for text in test.asserted_texts)


def in_usual_order(specimens: Sequence[Specimen]) -> list[Specimen]:
    """Return the specimens with the fields of each form in one common order."""
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
    """Return the test of a specimen, or the reason why there is none."""
    try:
        return build_test(specimen, around)
    except Unwritable as obstacle:
        return str(obstacle)


def _as_read(specimen: Specimen, around: Surroundings) -> Specimen:
    """Return a specimen without signatures that a fixture computes: no name mentions them."""
    exchanges = []
    for exchange in specimen.exchanges:
        unsigned = around.unsigned(exchange.request)
        exchanges.append(exchange if unsigned is None else replace(exchange, request=unsigned))
    return replace(specimen, exchanges=tuple(exchanges))


def _endpoint(specimen: Specimen) -> str:
    return specimen.act.request.endpoint


def _order(specimen: Specimen) -> tuple[object, ...]:
    """Return a sort key: successes, then client errors; short tests first; then by content."""
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
    """Return everything that was sent, as a sortable text: short requests first.

    A value from an earlier response is `LINKED`: a token differs in each run, and would change the
    order of tests.
    """

    def sent_in(location: str, pairs: Iterable[tuple[str, object]]) -> list[tuple[str, object]]:
        return [(name, _linked(value, (location, name), request)) for name, value in pairs]

    sent = [
        dict(sent_in("path", request.path.items())), sent_in("query", request.query),
        sent_in("form", request.form), _linked(request.json, ("json",), request),
        _linked(str(request.text), ("text",), request), sent_in("header", request.headers),
        sent_in("cookie", request.cookies), sent_in("environ", request.environ),
        [str(upload) for upload in request.files],
    ]  # fmt: skip
    text = json.dumps([request.endpoint, sent], sort_keys=True, default=str)
    return f"{len(text):06d} {text}"


def _linked(value: object, place: ValuePath, request: Request) -> object:
    """Return a value with `LINKED` in place of values from earlier responses."""
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
    # A single small group keeps its own name: "common" would say nothing about it.
    return wanted if len(strangers) == 1 else kept


def _by_resource(wanted: dict[int, str], specimens: Sequence[Specimen]) -> dict[int, str]:
    """Divide a module that is too large by resource: ``main_officers``, ``main_images``."""
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
    blueprint = snake_case(groups.get(_endpoint(specimen)) or "")
    name = blueprint or collection_of(template) or MIXED
    return f"{name}_endpoints" if name == FAULTS else name


def served_payloads(specimens: Sequence[Specimen]) -> dict[str, list[object]]:
    """Return each endpoint's bodies of successful calls: failing variants change one of them."""
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
