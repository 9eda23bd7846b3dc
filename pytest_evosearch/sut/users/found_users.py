"""Users whose keys the search has found, and the fixtures for their requests.

    headers    of HTTP Basic, or any other
    query      ``?name=mira&key=...``
    cookies    of the client
    environ    set by a server in front: ``REMOTE_USER``

A written test gets a client that sends the keys with each request. Its fixture reads them where the
application keeps them (`sut.users.origins`).
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import field
from dataclasses import replace
from itertools import takewhile
from textwrap import indent
from typing import Any

from pytest_evosearch.core.free_names import first_free
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.clients.cookie_call import server_argument
from pytest_evosearch.sut.fixture_texts.expression_text import WIDTH
from pytest_evosearch.sut.fixture_texts.expression_text import laid_out
from pytest_evosearch.sut.handle import User
from pytest_evosearch.sut.users.client_actions import InTurn
from pytest_evosearch.sut.users.client_actions import LogIn
from pytest_evosearch.sut.users.client_actions import LogIns
from pytest_evosearch.sut.users.client_actions import ServerVariables
from pytest_evosearch.sut.users.client_actions import logged_in_by
from pytest_evosearch.sut.users.client_names import named_after_last_request
from pytest_evosearch.sut.users.client_names import named_after_request
from pytest_evosearch.sut.users.fresh_headers import ComputedHeaders
from pytest_evosearch.sut.users.key_code import BASIC
from pytest_evosearch.sut.users.key_code import SEPARATORS
from pytest_evosearch.sut.users.key_code import Find
from pytest_evosearch.sut.users.key_code import KeyWriter
from pytest_evosearch.sut.users.key_code import quoted
from pytest_evosearch.sut.watching.recorded_reads import ADDRESS_VARIABLES
from pytest_evosearch.sut.watching.recorded_reads import HOST
from pytest_evosearch.sut.watching.recorded_reads import SCHEME

HEADER, QUERY, COOKIE, ENVIRON = "header", "query", "cookie", "environ"

KEY_HOLDER = "key_holder"
"""Name of a user with only a known key."""

LONGEST_NAME = 20

FIXTURE = '''\
@pytest.fixture
def {name}({client}):
    """A client that gets access{way}."""
{body}
    return {name}
'''

_QUERY = """\
    key = {key}
    send = {name}.open

    def send_with_key(*args, **kwargs):
        kwargs["query_string"] = {{**key, **(kwargs.get("query_string") or {{}})}}
        return send(*args, **kwargs)

    {name}.open = send_with_key"""

_LOCALS = f"value = {BASIC}"
"""Names that the fixture uses for other things."""

_NAME = re.compile(r"[A-Za-z][\w.+-]*(?:@[\w.-]+)?")
_IMPORT = re.compile(r"from |import ")


@dataclass(frozen=True)
class HeldKey:
    """One input that lets a caller in, with its value."""

    location: str
    name: str
    value: str
    pair: tuple[str, str] | None = None
    """Name and password of HTTP Basic."""
    again: Callable[[], str] | None = field(default=None, compare=False)
    """Renews the value by the clock, when it is valid only for a moment."""

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts that the holder had to know."""
        return self.pair or (self.value,)


@dataclass(frozen=True)
class Preparation:
    """Actions before the first request of a user."""

    actions: tuple[Callable[[Any], object], ...] = ()
    statements: tuple[str, ...] = ()
    """Statements of the fixture for these actions, before it creates the client."""
    fixtures: tuple[str, ...] = ()
    log_ins: tuple[LogIn, ...] = ()
    name: str = ""
    """Name of the user."""
    door: str = ""
    making: tuple[str, ...] = ()
    """Statements that create the account first; they can use ``app``."""
    imports: tuple[str, ...] = ()
    """Imports for the statements."""
    entering: str = ""
    """The statement that logs ``{client}`` in, after it was created."""
    withheld: str = ""
    """Why no written test can do this; empty where one can."""


@dataclass(frozen=True)
class FoundUser:
    """A user, the origin of the keys, and the source of the fixture."""

    user: User
    source: str
    door: str
    """Credentials and their origin, for messages: ``Authorization, app.door["keeper"]``."""
    literals: tuple[str, ...] = ()
    """Texts that the fixture contains literally."""


NOTHING_FIRST = Preparation()


def found_user(
    keys: Sequence[HeldKey],
    find: Find,
    client: str,
    taken: Collection[str],
    server_name_first: bool = False,
    prepared: Preparation = NOTHING_FIRST,
) -> FoundUser:
    """Return the user with `keys`; no fixture of this user has a name in `taken`."""
    owners = [*_owners(keys, find), *([prepared.name] if prepared.name else [])]
    name = free_name(_wished_name(keys, prepared, owners, find), taken)
    writer = KeyWriter(find)
    making = [line for line in prepared.making if line]
    imported = list(takewhile(_IMPORT.match, making))
    writer.imports.update(dict.fromkeys((*imported, *prepared.imports)))
    making = making[len(imported) :]
    lines = [f"    app = {client}.application", *map(_indented, making)]
    lines += map(_indented, prepared.statements)
    lines += [f"    {name} = app.test_client()"]
    if prepared.entering:
        lines.append("    " + prepared.entering.replace("{client}", name))
    for key in keys:
        lines += _key_lines(name, key, writer, owners, server_name_first)
    address = _address(keys)
    if address is not None:
        url = quoted(address)
        lines.append(f"    {name}.open = partial({name}.open, base_url={url})")
        writer.imports["from functools import partial"] = None
    log_ins = logged_in_by(name, prepared.log_ins, writer, owners)
    lines += [indent(line, "    ") for line in log_ins.deed.lines]
    lines += _query_lines(name, keys, writer, owners)
    imports = [f"    {line}\n" for line in sorted(writer.imports)]
    body = "".join(imports) + ("\n" if imports else "") + "\n".join(lines)
    doors = [prepared.door] if prepared.door else []
    door = "; ".join([*doors, *([_door(keys, writer.origins)] if keys or writer.origins else [])])
    fixtures = ", ".join((client, *prepared.fixtures))
    source = FIXTURE.format(name=name, client=fixtures, way=_way(keys, prepared), body=body)
    user = user_with(name, keys, prepared, log_ins)
    return FoundUser(user, source, door, tuple(writer.literals))


def _query_lines(
    name: str, keys: Sequence[HeldKey], writer: KeyWriter, owners: Collection[str]
) -> Iterator[str]:
    """Yield the statements after which a client sends the keys of its query."""
    query = {key.name: key.value for key in keys if key.location == QUERY}
    if query:
        pairs = (f"{quoted(each)}: {writer.code(text, owners)}" for each, text in query.items())
        yield _QUERY.format(name=name, key="{" + ", ".join(pairs) + "}")


def _key_lines(
    name: str, key: HeldKey, writer: KeyWriter, owners: Collection[str], server_name_first: bool
) -> Iterator[str]:
    """Yield the statements after which a client sends a key; one in the query has its own."""
    if key.location == HEADER:
        place = f"HTTP_{key.name.upper().replace('-', '_')}"
        code = writer.code(key.value, owners) if key.pair is None else BASIC
        if key.pair is not None:
            yield f"    account = {writer.pair(key.pair, owners)}"
        line = f'    {name}.environ_base["{place}"] = {code}'
        if len(line) > WIDTH:
            yield laid_out("    value = ", code)
            line = f'    {name}.environ_base["{place}"] = value'
        yield line
    elif key.location == COOKIE:
        server = "".join(f"{quoted(one)}, " for one in server_argument(server_name_first))
        code = writer.code(key.value, owners)
        yield f"    {name}.set_cookie({server}{quoted(key.name)}, {code})"
    elif key.location == ENVIRON and key.name not in ADDRESS_VARIABLES:
        code = writer.code(key.value, owners)
        yield f"    {name}.environ_base[{quoted(key.name)}] = {code}"


def _indented(statement: str) -> str:
    """Return a line of a fixture, split when it is too long."""
    if not statement:
        return ""
    text = statement.lstrip()
    margin = " " * (4 + len(statement) - len(text))
    if len(margin + text) <= WIDTH or text.endswith(":"):
        return margin + text
    before, _, call = text.rpartition(" = ")
    with suppress(SyntaxError):  # a line of a statement that is already laid out
        return laid_out(f"{margin}{before} = " if before.isidentifier() else margin, call or text)
    return margin + text


def user_of_trial(name: str, keys: Sequence[HeldKey], prepared: Preparation, find: Find) -> User:
    """Return a user for a look; `find` knows the texts that hold for a moment."""
    log_ins = logged_in_by("client", prepared.log_ins, KeyWriter(find))
    user = user_with(name, keys, prepared, log_ins)
    return replace(user, withheld="it was there for looks alone")


def user_with(name: str, keys: Sequence[HeldKey], prepared: Preparation, log_ins: LogIns) -> User:
    """Return the user with `keys` after the preparing actions."""
    actions: list[Callable[[Any], object]] = [*prepared.actions]
    environ = {key.name: key.value for key in keys if key.location == ENVIRON}
    variables = {name: value for name, value in environ.items() if name not in ADDRESS_VARIABLES}
    actions += [ServerVariables(variables, _address(keys))] if environ else []
    actions += [log_ins] if prepared.log_ins else []
    return User(
        name,
        login=InTurn(tuple(actions)) if actions else None,
        headers=_headers(keys),
        query={key.name: key.value for key in keys if key.location == QUERY},
        cookies={key.name: key.value for key in keys if key.location == COOKIE},
        held=frozenset((key.location, key.name) for key in keys),
        fixtures=(name,),
        client=name,
        replaces_client=True,
    )


def _address(keys: Sequence[HeldKey]) -> str | None:
    """Return where a user sends requests, None where no key says so."""
    environ = {key.name: key.value for key in keys if key.location == ENVIRON}
    if not environ.keys() & ADDRESS_VARIABLES.keys():
        return None
    scheme, host = ({**ADDRESS_VARIABLES, **environ}[name] for name in (SCHEME, HOST))
    return f"{scheme}://{host}"


def _headers(keys: Sequence[HeldKey]) -> Mapping[str, str]:
    held = [key for key in keys if key.location == HEADER]
    values = {key.name: key.value for key in held}
    makers = {key.name: key.again for key in held if key.again is not None}
    return ComputedHeaders(values, makers) if makers else values


def _is_taken(word: str) -> bool:
    """Say whether a written test, or the fixture itself, already uses a name."""
    return word in COMMON_NAMES or re.search(rf"\b{word}\b", FIXTURE + _QUERY + _LOCALS) is not None


def free_name(wished: str, taken: Collection[str]) -> str:
    """Return a valid Python name that nothing else has."""
    word = re.sub(r"\W+", "_", wished).strip("_").lower()[:LONGEST_NAME] or KEY_HOLDER
    if keyword.iskeyword(word) or not word.isidentifier() or _is_taken(word):
        word = f"user_{word}"
    return first_free([word], taken)


COMMON_NAMES = frozenset(
    ("app", "client", "request", "anonymous", "flask_app", "databases", "outbox", "page", "pytest")
)
"""Names with another meaning in written tests."""


def _wished_name(
    keys: Sequence[HeldKey], prepared: Preparation, owners: Sequence[str], find: Find
) -> str:
    return (
        _called_after_request(keys, prepared)
        or prepared.name.partition("@")[0]
        or _called(keys, owners, find)
        or ("" if keys else named_after_last_request(prepared.log_ins))
        or KEY_HOLDER
    )


def _called_after_request(keys: Sequence[HeldKey], prepared: Preparation) -> str:
    """Return what a client is called that has neither keys nor an account; else nothing."""
    has_account = keys or prepared.actions or prepared.making
    return "" if has_account else named_after_request(prepared.log_ins)


def _owners(keys: Sequence[HeldKey], find: Find) -> list[str]:
    """Return those texts of `keys` that name the owner of the others."""
    texts = [text for key in keys for text in key.texts]
    origins = [origin for origin in map(find, texts) if origin is not None]
    owners = [origin.owner for origin in origins if not origin.is_key]
    pairs = [key.pair[0] for key in keys if key.pair is not None]
    return [text for text in texts if text in owners or text in pairs]


def _called(keys: Sequence[HeldKey], owners: Sequence[str], find: Find) -> str:
    """Return a name for the holder of `keys`: a sent name, or the key's owner."""
    texts = [text for key in keys for text in key.texts]
    pieces = [piece for text in texts for piece in (text, *SEPARATORS.split(text))]
    origins = [find(piece) for piece in dict.fromkeys(pieces) if len(piece) > 2]
    ways = [one.expression for one in origins if one is not None]
    # A tenant that is sent, and whose key lies behind the tenant's name.
    behind = [text for text in texts if any(f"[{quoted(text)}]" in way for way in ways)]
    known = [one.owner for one in origins if one is not None and not one.is_setting]
    names = [text for text in (*behind, *owners, *known) if _NAME.fullmatch(text)]
    return names[0].partition("@")[0] if names else ""


def _way(keys: Sequence[HeldKey], prepared: Preparation) -> str:
    kinds = list(dict.fromkeys(_kind(key) for key in keys))
    if _called_after_request(keys, prepared):
        kinds.append("what it sends first")
    elif prepared.log_ins:
        kinds.append("a log-in")
    if not kinds:
        return " with its own account" if prepared.making else " with a password that it knows"
    return f" by {' and '.join(kinds)}"


def _kind(key: HeldKey) -> str:
    if key.pair is not None:
        return "HTTP Basic"
    if key.name in ADDRESS_VARIABLES:
        return "https" if key.name == SCHEME else f"the host {key.value}"
    places = {HEADER: "header", QUERY: "query parameter", COOKIE: "cookie", ENVIRON: "variable"}
    return f"the {places[key.location]} {key.name}"


def _door(keys: Sequence[HeldKey], origins: Collection[str]) -> str:
    kinds = " and ".join(dict.fromkeys(_kind(key).removeprefix("the ") for key in keys))
    return ", ".join(part for part in (kinds, " and ".join(origins)) if part)
