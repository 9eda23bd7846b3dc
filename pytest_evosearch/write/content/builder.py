"""Builds the content of one test from its specimen: fixtures, calls, assertions, fault."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import field
from dataclasses import replace
from enum import Enum

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.genes.web_tokens import holds_ending_token
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import ValuePath
from pytest_evosearch.sut.handle import User
from pytest_evosearch.sut.watching.outbox import OUTBOX_FIXTURE
from pytest_evosearch.write.answers.stub_styles import OWN
from pytest_evosearch.write.answers.stub_styles import StubStyle
from pytest_evosearch.write.content.answered_body import Fact
from pytest_evosearch.write.content.arranged_rows import row_statements
from pytest_evosearch.write.content.expectations import is_writable
from pytest_evosearch.write.content.facts import TEXTS
from pytest_evosearch.write.content.facts import act_facts
from pytest_evosearch.write.content.facts import arrange_facts
from pytest_evosearch.write.content.faults import FaultMark
from pytest_evosearch.write.content.faults import fault_fact
from pytest_evosearch.write.content.faults import fault_mark
from pytest_evosearch.write.content.faults import is_streamed
from pytest_evosearch.write.content.identifier_names import Reference
from pytest_evosearch.write.content.mailed import is_mailed
from pytest_evosearch.write.content.mailed import takes_from_mails
from pytest_evosearch.write.content.mailed import variable_named
from pytest_evosearch.write.content.people import Person
from pytest_evosearch.write.content.people import people_of
from pytest_evosearch.write.content.references import known_identifiers
from pytest_evosearch.write.content.references import references_of
from pytest_evosearch.write.content.specimen import Corpus
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.content.stubbed_services import asks_services
from pytest_evosearch.write.content.stubbed_services import sent_facts
from pytest_evosearch.write.content.stubbed_services import stub_statements
from pytest_evosearch.write.content.variables import response_variables
from pytest_evosearch.write.content.written_calls import Cookies
from pytest_evosearch.write.content.written_calls import Unwritable
from pytest_evosearch.write.content.written_calls import WrittenCall
from pytest_evosearch.write.content.written_calls import account_of
from pytest_evosearch.write.content.written_calls import arguments_of
from pytest_evosearch.write.content.written_calls import cookie_statements
from pytest_evosearch.write.content.written_calls import path_parts

SIGNED_FIXTURE = "signed"
"""Fixture that returns a client which signs its requests."""


class Detail(Enum):
    """How much a test asserts; verification lowers it when an assertion fails."""

    FULL = "status and body"
    STATUS = "status only"


@dataclass(frozen=True)
class Rows:
    """The table of a parametrised test."""

    names: tuple[str, ...]
    values: tuple[tuple[object, ...], ...]
    ids: tuple[str, ...] = ()
    """Ids of the rows; empty when pytest's own ids read well."""


@dataclass(frozen=True)
class WrittenTest:
    """One test function before printing."""

    name: str
    fixtures: tuple[str, ...]
    calls: tuple[WrittenCall, ...]
    rows: Rows | None = None
    mark: FaultMark | None = None
    warnings: tuple[str, ...] = ()
    """Classes of warnings that the application issues during the test."""
    opening: str = ""
    """The fixture for the common first calls of several tests; empty without one."""

    @property
    def asserted_texts(self) -> tuple[str, ...]:
        """Return the texts that the responses must contain, or must not contain any more."""
        facts = (fact for call in self.calls for fact in call.facts)
        return tuple(str(fact.value) for fact in facts if fact.kind in TEXTS)


@dataclass(frozen=True)
class Surroundings:
    """The common input for building all tests."""

    users: Mapping[str, User] = field(default_factory=dict)
    corpus: Corpus = field(default_factory=Corpus)
    client_fixture: str = "client"
    fixtures: tuple[str, ...] = ()
    """Further fixtures that every test requests because they create state: ``("db",)``."""
    spared: frozenset[str] = frozenset()
    """Fixtures that a test may omit when none of their users sends a request."""
    faults: str = "xfail"
    """How faults are written: ``xfail``, ``raises``, ``fail`` or ``off``."""
    libraries: frozenset[tuple[str, str]] = frozenset()
    """(module, exception) pairs that a test may import."""
    taken_fixtures: frozenset[str] = frozenset()
    """Names of all existing fixtures: a new one with such a name would hide one."""
    cookies: Cookies = Cookies()
    """How cookies are set."""
    unsigned: Callable[[Request], Request | None] = lambda _request: None
    """Returns a request without a signature that a fixture can make; None without one."""
    secrets: Mapping[str, str] = field(default_factory=dict)
    """Texts that no test may contain, with their origins."""
    stubs: StubStyle = OWN
    """How the answers of other services are written."""


@dataclass(frozen=True)
class _Names:
    """The names in one test."""

    responses: Sequence[str]
    """Variables of the responses, one for each call."""
    fixtures: Sequence[str]
    mailed: dict[str, object] = field(default_factory=dict)
    """Variable with a value from a mail -> that value."""


def build_test(
    specimen: Specimen, around: Surroundings, detail: Detail = Detail.FULL
) -> WrittenTest:
    """Return the test of `specimen`, still without a name; raise `Unwritable` with the reason."""
    _check_writable(specimen, around)
    accounts = [account_of(exchange, around.users) for exchange in specimen.steps]
    people = people_of(specimen.steps, accounts, around.client_fixture)
    taken = _fixtures(accounts, people, around)
    if any(around.unsigned(exchange.request) is not None for exchange in specimen.steps):
        taken = (*taken, SIGNED_FIXTURE)
    if takes_from_mails(specimen.steps):
        taken = (*taken, OUTBOX_FIXTURE)
    if asks_services(specimen.steps):
        taken = (*taken, around.stubs.fixture)
    names = _Names(response_variables(specimen.steps, taken), taken)
    calls = [
        _build_call(specimen, index, around, names, account, people[index], detail)
        for index, account in enumerate(accounts)
    ]
    mark = None
    if specimen.fault is not None:
        mark = fault_mark(specimen.fault, specimen.act, around.faults, around.libraries)
    written = WrittenTest("", taken, tuple(calls), mark=mark)
    _check_literals(written, around.secrets)
    return written


def _check_literals(written: WrittenTest, secrets: Mapping[str, str]) -> None:
    """Raise `Unwritable` where a test would tell a secret, or a token that ends some day."""
    shown = repr(written)
    for text, place in secrets.items():
        if text in shown:
            raise Unwritable(f"it would reveal what {place} holds")
    if holds_ending_token(shown):
        raise Unwritable("it sends or asserts a token that ends soon")


def _check_writable(specimen: Specimen, around: Surroundings) -> None:
    if any(exchange.frozen for exchange in specimen.steps):
        raise Unwritable("a call does not end within the time limit, so the test would hang")
    if not all(exchange.sent for exchange in specimen.steps):
        raise Unwritable("the test client refuses to send the request")
    if specimen.fault is not None and around.faults == "off":
        raise Unwritable("faults are not written (--evosearch-faults=off)")
    if specimen.fault is not None and not is_writable(specimen.fault.expectation):
        raise Unwritable("no response shows this fault, so that no test can assert it")
    status = [reason for (_, path), reason in specimen.unstable.items() if path == ("status",)]
    if status:
        raise Unwritable(f"unstable: its status {status[0]}")
    crashed = [exchange for exchange in specimen.steps if exchange.response is None]
    if crashed and specimen.fault is None:
        raise Unwritable("the application raises an exception that no oracle calls a fault")


def _fixtures(
    accounts: Sequence[User | None], people: Sequence[Person], around: Surroundings
) -> tuple[str, ...]:
    client = around.client_fixture
    names = dict.fromkeys((client, *around.fixtures))
    for name in around.spared:
        names.pop(name, None)
    for account in accounts:
        if account is not None:
            names.update(dict.fromkeys(account.fixtures))
    is_called = any(client == one.client or client in "".join(one.before) for one in people)
    if not is_called and any(one is not None and one.replaces_client for one in accounts):
        del names[client]
    return tuple(names)


def _build_call(
    specimen: Specimen,
    index: int,
    around: Surroundings,
    names: _Names,
    account: User | None,
    person: Person,
    detail: Detail,
) -> WrittenCall:
    exchanges, variables = specimen.steps, names.responses
    request, client = exchanges[index].request, person.client
    unsigned = around.unsigned(request)
    if unsigned is not None:
        request, client = unsigned, f"{SIGNED_FIXTURE}({client})"
    found = references_of(exchanges, index, variables)
    references, mailed = _mailed_first(found, names)
    known = known_identifiers(exchanges, index, variables)
    taken = (*names.fixtures, *names.responses)
    rows = row_statements(request.rows, person.client, taken)
    cookies = cookie_statements(request, person.client, around.cookies, taken)
    return WrittenCall(
        method=request.method,
        path=path_parts(request, references),
        arguments=arguments_of(request, account, references),
        before=(*stub_statements(exchanges, index, around.stubs), *rows, *person.before, *cookies),
        mailed=tuple(mailed),
        variable=variables[index],
        client=client,
        facts=_facts(specimen, index, around, [*references.values(), *known], detail, person),
        is_streamed=specimen.fault is not None
        and index == len(exchanges) - 1
        and is_streamed(exchanges[index]),
    )


def _mailed_first(
    references: Mapping[ValuePath, Reference],
    names: _Names,
) -> tuple[dict[ValuePath, Reference], list[str]]:
    """Return the references, and statements that read values from mails before the call.

    A value that is already in a variable is not read again.
    """
    found, statements = dict(references), []
    for place, reference in references.items():
        if is_mailed(reference.code):
            name = variable_named(reference.key, (*names.responses, *names.fixtures))
            if names.mailed.get(name) != reference.value:
                names.mailed[name] = reference.value
                statements.append(f"{name} = {reference.code}")
            found[place] = replace(reference, code=name)
    return found, statements


def _facts(
    specimen: Specimen,
    index: int,
    around: Surroundings,
    known: Sequence[Reference],
    detail: Detail,
    person: Person,
) -> tuple[Fact, ...]:
    if index < len(specimen.exchanges) - 1:
        facts = arrange_facts(specimen, index)
    elif specimen.fault is not None:
        return (fault_fact(specimen.fault, person.client),)
    else:
        facts = act_facts(specimen, index, around.corpus, known)
    if detail is Detail.STATUS:
        return tuple(fact for fact in facts if fact.kind == "status")
    return (*facts, *sent_facts(specimen, index, around.stubs))


def named(test: WrittenTest, name: str) -> WrittenTest:
    """Return `test` called `name`."""
    return replace(test, name=name)
