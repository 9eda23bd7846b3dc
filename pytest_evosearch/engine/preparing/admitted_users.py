"""Makes users of callers whom the application let in, and writes them as fixtures."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import MutableMapping
from collections.abc import Sequence
from dataclasses import field
from dataclasses import replace
from functools import cached_property
from functools import lru_cache
from itertools import chain
from pathlib import Path
from types import ModuleType

from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.engine.preparing.known_values import KnownValues
from pytest_evosearch.engine.preparing.sent_by_callers import SentByCallers
from pytest_evosearch.execution.forked.attempt import tried_apart
from pytest_evosearch.execution.signing.signed_requests import SignedRequests
from pytest_evosearch.problem.http.doors.callers import Account
from pytest_evosearch.problem.http.doors.callers import Caller
from pytest_evosearch.problem.http.doors.callers import Stored
from pytest_evosearch.problem.http.doors.callers import texts_of
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.exchange import PlacedRow
from pytest_evosearch.sut.clients.cookie_call import names_server_first
from pytest_evosearch.sut.enrolment.account_rows import MadeValue
from pytest_evosearch.sut.enrolment.account_rows import RowTemplate
from pytest_evosearch.sut.enrolment.account_rows import imports_of
from pytest_evosearch.sut.enrolment.account_rows import with_code
from pytest_evosearch.sut.enrolment.account_templates import NAME
from pytest_evosearch.sut.enrolment.own_accounts import AccountMaker
from pytest_evosearch.sut.enrolment.own_accounts import Proven
from pytest_evosearch.sut.enrolment.own_accounts import makers_of
from pytest_evosearch.sut.enrolment.own_accounts import proven_template
from pytest_evosearch.sut.enrolment.own_accounts import templates
from pytest_evosearch.sut.handle import AppHandle
from pytest_evosearch.sut.handle import User
from pytest_evosearch.sut.passwords.password_libraries import fixture_code
from pytest_evosearch.sut.providers.absent_providers import IdentityMaker
from pytest_evosearch.sut.providers.absent_providers import Provider
from pytest_evosearch.sut.providers.absent_providers import providers
from pytest_evosearch.sut.providers.absent_providers import stand_in_for
from pytest_evosearch.sut.users.found_users import FoundUser
from pytest_evosearch.sut.users.found_users import Preparation
from pytest_evosearch.sut.users.found_users import found_user
from pytest_evosearch.sut.users.found_users import user_of_trial
from pytest_evosearch.sut.users.origins import Origin
from pytest_evosearch.sut.users.origins import environment_secrets
from pytest_evosearch.sut.users.origins import loaded_sources
from pytest_evosearch.sut.users.origins import named_files
from pytest_evosearch.sut.users.origins import origin_of
from pytest_evosearch.sut.users.origins import secret_place
from pytest_evosearch.sut.watching.signed_tokens import Signed
from pytest_evosearch.sut.watching.token_signers import KEY
from pytest_evosearch.write.code.literals import Expression
from pytest_evosearch.write.content.arranged_rows import row_statements

OF_APPLICATION = ""
"""Stands for the accounts that the application makes itself."""


def _unknown_endpoint(key: str) -> Endpoint:
    raise KeyError(key)


@dataclass
class AdmittedUsers:
    """Makes users of callers."""

    handle: AppHandle
    users: MutableMapping[str, User]
    """The users of the handle; new users are added to it."""
    root: Path
    modules: Sequence[ModuleType] = ()
    """Modules of the application."""
    files: Callable[[], Iterable[Path]] = tuple
    """Returns the SQLite files that the search keeps."""
    tokens: Mapping[str, Signed] = field(default_factory=dict)
    """Tokens that were signed with keys of the application."""
    endpoint: Callable[[str], Endpoint] = _unknown_endpoint
    notify: Callable[[str], None] = lambda _line: None
    folder: Path | None = None
    """Folder of the written tests."""
    found: dict[str, FoundUser] = field(default_factory=dict)
    undo: Callable[[], object] = lambda: None
    """Restores the state of the application."""
    state_stays: Callable[[str], object] = lambda _why: None
    """Called with the reason when state is not restored."""
    _trials: dict[Caller, str] = field(default_factory=dict)
    _makers: dict[str, Sequence[AccountMaker]] = field(default_factory=dict)
    """What creates accounts, by the statement that has found no one; `OF_APPLICATION` else."""
    _is_asked: bool = False
    _providers: list[Provider] | None = None
    _asked: dict[str, None] = field(default_factory=dict)
    """Libraries with identity providers that written tests replace."""

    def attempt(self, caller: Caller) -> str | None:
        """Make a user for a trial, and create the account or rows for the user.

        No written test uses such a user.  Return None where a row is not found.
        """
        if self.handle.outside:
            return None
        if caller not in self._trials:
            prepared = self._preparation(caller, is_final=False)
            if prepared is None:
                return None
            name = f"(trial {len(self._trials) + 1})"
            keys = [self._sent.key(given) for given in caller.inputs]
            self._trials[caller] = name
            self.users[name] = user_of_trial(name, keys, prepared, self._made)
        return self._trials[caller]

    def accounts(self) -> Sequence[Account]:
        """Return the accounts that the application can create, the simplest first.

        The application is searched once for ways to create them, and only where the project names
        no users.
        """
        if OF_APPLICATION not in self._makers:
            named = [
                name
                for name, user in self.handle.users.items()
                if name not in self._known and "login_as" not in user.fixtures
            ]
            self._is_asked = not (self.handle.outside or named)
            self._makers[OF_APPLICATION] = self._asked_makers() if self._is_asked else ()
        return [
            *map(self._account, self._makers[OF_APPLICATION]),
            *map(_identity, self._providers_if(self._is_asked)),
        ]

    def _asked_makers(self) -> Sequence[AccountMaker]:
        """Return what creates accounts, in a way that has created one in a fork."""
        app, modules = self.handle.app, tuple(one.__name__ for one in self.modules)
        # A row that Flask-Login logs in is of use only where it knows no one yet.
        logs_in = hasattr(app, "login_manager") and not self.handle.users
        if not logs_in and not any(True for _way in templates(app)):
            return ()
        return self._proven_makers(modules, () if logs_in else None)

    def _proven_makers(
        self, modules: Sequence[str], statements: tuple[str, ...] | None
    ) -> Sequence[AccountMaker]:
        app = self.handle.app

        def prove() -> Proven | None:
            return proven_template(app, modules, self.undo, statements)

        proven = tried_apart(prove, self.undo)
        if not isinstance(proven, Proven):
            return ()
        if proven.stays:
            self.state_stays(f"{proven.door} leaves its account behind")
        return makers_of(proven)

    def _account(self, maker: AccountMaker) -> Account:
        row = maker.row(self.handle.app)
        values, is_logged_in = tuple(maker.values.items()), row is not None and row.is_logged_in
        return Account(maker.door, maker.title, values, maker.password, is_logged_in)

    def person_of(self, statement: str) -> Account | None:
        """Return an account that is a row of a table in which a statement has found no one."""
        self.accounts()  # says whether the project names users
        if not self._is_asked:
            return None
        if statement not in self._makers:
            modules = tuple(one.__name__ for one in self.modules)
            self._makers[statement] = self._proven_makers(modules, (statement,))
        makers = self._makers[statement]
        return self._account(makers[0]) if makers else None

    @property
    def _known(self) -> frozenset[str]:
        """Return the names of the users that the search has found itself."""
        return frozenset((*self.found, *self._trials.values()))

    def _providers_if(self, wanted: bool) -> Sequence[Provider]:
        """Return the identity providers that the application would contact."""
        if wanted and self._providers is None:
            self._providers = list(providers())
        return self._providers or ()

    def forget_identities(self) -> None:
        """Undo the answers of identity providers and known values; called before each test."""
        self.known_values.putting.undo()
        for provider in self._providers or ():
            provider.changes.undo()

    def _maker(self, account: Account) -> AccountMaker | IdentityMaker:
        """Return what creates an account: as the application offers it, or with other values."""
        for provider in self._providers_if(wanted=True):
            if provider.door == account.maker:
                return IdentityMaker(provider.stand_in.library, account.values, provider)
        if OF_APPLICATION not in self._makers:  # another search has found the account
            self._makers[OF_APPLICATION] = self._asked_makers()
        for maker in chain.from_iterable(self._makers.values()):
            if maker.door == account.maker:
                values = {name: _made(value) for name, value in account.values}
                return replace(maker, values=values, title=account.title)
        raise LookupError(account.maker)

    def introduce(self, caller: Caller) -> str | None:
        """Make a user of a caller; return the name, or None if the application runs elsewhere."""
        if self.handle.outside:
            return None
        # A place counts only where it holds the text before the calls of this very caller.
        self.undo()

        account = caller.account
        own = {
            part for text in (account.texts if account else ()) for part in (text, *text.split())
        }

        def place_of(text: str) -> Origin | None:
            made = self._made(text)
            return made if made is not None or text in own else self.find(text)

        find = lru_cache(place_of)
        keys = [self._sent.key(given) for given in caller.inputs]
        taken = {*self.users, *self.handle.support.taken_fixtures}
        client = self.handle.support.client_fixture
        prepared = self._preparation(caller)
        if prepared is None:
            return None
        old_call = names_server_first()
        found = found_user(keys, find, client, taken, old_call, prepared)
        found = self._without_secrets(found, self._pasted_keys(caller))
        why = prepared.withheld or self._beyond_reach(caller)
        found = replace(found, user=replace(found.user, withheld=why)) if why else found
        name = found.user.name
        self.users[name] = found.user
        self.found[name] = found
        self.notify(f"let in: {name} ({found.door})")
        return name

    @property
    def findings(self) -> dict[str, str]:
        """Return a row of the discovery block: who was found, and in which way."""
        users = "; ".join(f"{name} ({found.door})" for name, found in self.found.items())
        return {"users": users} if users else {}

    @property
    def sources(self) -> tuple[str, ...]:
        """Return the fixtures of the users whom tests may use."""
        offered = [one for one in self.found.values() if not one.user.withheld]
        puts = self.known_values.sources
        asked = {one.fixture: one.source for one in map(stand_in_for, self._asked)}
        puts += asked.values()
        if any("login_as(" in one.source for one in offered):
            rows = (maker.row(self.handle.app) for maker in self._makers.get(OF_APPLICATION, ()))
            puts += dict.fromkeys(row.source for row in rows if row is not None)
        return (*(puts if offered else ()), *(one.source for one in offered))

    def notices(self) -> list[str]:
        """Return notices about users for whom no tests are written, with the reason."""
        return [
            f"no test is written for what {name} does: {one.user.withheld}"
            for name, one in self.found.items()
            if one.user.withheld
        ]

    def find(self, text: str) -> Origin | None:
        """Return where the application keeps a text."""
        return origin_of(text, self.handle.app, self.modules)

    @property
    def _sent(self) -> SentByCallers:
        """Return what reads the requests of callers, with the tokens that are known now."""
        return SentByCallers(self.tokens, self.endpoint)

    @cached_property
    def known_values(self) -> KnownValues:
        """Return the stored and kept values that tests may replace."""
        return KnownValues(self.handle, self.root, self.modules, self.files, self.folder)

    @cached_property
    def signed(self) -> SignedRequests:
        """Return which requests the written tests sign themselves."""
        return SignedRequests(self.handle.app, {}, self.find)

    def secrets(self) -> dict[str, str]:
        """Return secret texts of the environment, which no test may contain, with their places."""
        support = self.handle.support
        known = {*(support.recipe.variables if support.recipe is not None else ())}
        known |= {*support.variables} - {*support.variables_of_files}
        return environment_secrets(os.environ, known, loaded_sources(self.root))

    def _pasted_keys(self, caller: Caller) -> list[str]:
        """Return the keys that sign tokens of a caller and that a test can read nowhere."""
        texts = [made.key for made in self._made_for(caller)]
        return [text for text in texts if self.find(text) is None]

    def _made_for(self, caller: Caller) -> list[Signed]:
        """Return how the tokens were made that a caller sends as credentials, or to log in."""
        inputs = [*caller.inputs, *(given for call in caller.way for given in call.inputs)]
        words = [word for given in inputs for text in texts_of(given) for word in text.split()]
        return [made for word in words if (made := self.tokens.get(word))]

    def _without_secrets(self, found: FoundUser, pasted: Iterable[str]) -> FoundUser:
        files = named_files(self.handle.app, os.environ, self.root)
        secrets = self.secrets()
        for text in (*found.literals, *pasted):
            place = secret_place(text, secrets, files)
            if place:
                why = f"the key comes from {place}, and nothing of the application reads it there"
                return replace(found, user=replace(found.user, withheld=why))
        return found

    def _beyond_reach(self, caller: Caller) -> str:
        """Return why no test can make the codes of a caller; empty where one can."""
        codes = [made for made in self._made_for(caller) if made.again]
        if all(self.find(made.key) for made in codes):
            return ""
        return "the key of a one-time code is neither a setting nor in the reach of a test"

    def _made(self, text: str) -> Origin | None:
        """Return how the library that checks a token signs it; None for any other text."""
        signed = self.tokens.get(text)
        if signed is None:
            return None
        key = self.find(signed.key)
        read = key.expression if key is not None else json.dumps(signed.key)
        imports = (signed.imports, *(key.imports if key is not None else ()))
        return Origin(signed.code.replace(KEY, read), imports, is_setting=True)

    def _preparation(self, caller: Caller, is_final: bool = True) -> Preparation | None:
        """Return what comes before the first request; None where a row is not found.

        It is not reported for users of trials.
        """
        prepared = self._with_rows(caller, is_final)
        if prepared is None or caller.account is None:
            return prepared
        maker, fixtures = self._maker(caller.account), prepared.fixtures
        doors = [caller.account.maker, *([prepared.door] if prepared.door else [])]
        if isinstance(maker, IdentityMaker):
            fixtures = (*fixtures, stand_in_for(maker.library).fixture)
            if is_final:
                self._asked.setdefault(maker.library)
        row = maker.row(self.handle.app) if isinstance(maker, AccountMaker) else None
        if row is not None and is_final:
            prepared = self._with_row(prepared, row, dict(maker.values))
            fixtures = prepared.fixtures
        making = maker.deed(self.handle.app)
        return replace(
            prepared,
            actions=(maker, *prepared.actions),
            making=prepared.making or (*making.imports, *making.lines),
            fixtures=fixtures,
            name=caller.account.title or prepared.name,
            door=", ".join(doors),
        )

    def _with_row(
        self, prepared: Preparation, row: RowTemplate, values: Mapping[str, object]
    ) -> Preparation:
        """Return how a written test adds the row of an account, and logs it in where it can."""
        try:
            placed = with_code(row.placed(values), values, Expression)
            user = row.user(self.handle.app, values) if row.is_logged_in else None
        finally:
            self.undo()
        rows = [PlacedRow(*one) for one in placed]
        client = self.handle.support.client_fixture
        making = (*imports_of(values.values()), *row_statements(rows, client, ("app",)))
        if user is None:
            return replace(prepared, making=making)
        fixtures = (*prepared.fixtures, *user[0].fixtures)
        return replace(prepared, making=making, fixtures=fixtures, entering=user[0].statement or "")

    def _with_rows(self, caller: Caller, is_final: bool) -> Preparation | None:
        log_ins = tuple(self._sent.log_ins(caller.way))
        door = " and ".join(call.endpoint for call in caller.way)
        if not caller.stored:
            return Preparation(log_ins=log_ins, name=caller.name, door=door)
        put = self.known_values.put(caller.stored, (caller.name,), is_final)
        if put is None:
            return None
        door = f"{door}, {put.door}" if door else put.door
        return replace(put, log_ins=log_ins, name=caller.name or put.name, door=door)


def _made(value: object) -> object:
    """Return a value of an account for its maker: a hash with the code that makes it."""
    if not isinstance(value, Stored):
        return value
    imports, code = fixture_code(value.maker)
    made = code.format(password=json.dumps(value.password))
    return MadeValue(str(value.new), made, imports) if code else value.new


def _identity(provider: Provider) -> Account:
    return Account(provider.door, NAME if provider.claims else "", provider.claims)
