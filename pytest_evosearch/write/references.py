"""Values that flow from one call into a later one, as code: ``created.json["id"]``."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from pytest_evosearch.problem.http.exchange import Exchange
from pytest_evosearch.problem.http.exchange import Origin
from pytest_evosearch.problem.http.exchange import Request
from pytest_evosearch.problem.http.exchange import Selector
from pytest_evosearch.problem.http.exchange import ValuePath
from pytest_evosearch.problem.http.responses import select
from pytest_evosearch.write.literals import Expression
from pytest_evosearch.write.literals import subscripts

_CREATING = ("POST", "PUT")
_IDENTIFIERS = ("id", "uuid", "key", "pk", "slug", "token", "name")


@dataclass(frozen=True)
class Reference:
    """A value of an earlier response, the text put before it, and how to write it."""

    value: object
    code: str
    prefix: str = ""

    @property
    def sent(self) -> object:
        """The value that was sent because of it."""
        return f"{self.prefix}{self.value}" if self.prefix else self.value


def references_of(
    exchanges: Sequence[Exchange], index: int, variables: Sequence[str]
) -> dict[ValuePath, Reference]:
    """Return which values of the request `index` come from earlier responses.

    Recorded origins come first; a path value that equals the identifier an earlier call
    handed out is taken to be it: in a minimised test that is no coincidence.
    """
    request = exchanges[index].request
    found: dict[ValuePath, Reference] = {}
    for place, origin in request.origins.items():
        reference = _of_origin(origin, exchanges, index, variables)
        if reference is not None:
            found[place] = reference
    for name, value in request.path.items():
        if ("path", name) not in found:
            implied = _implied(name, value, exchanges[:index], variables)
            if implied is not None:
                found[("path", name)] = implied
    return {place: given for place, given in found.items() if _is_faithful(given, place, request)}


def _of_origin(
    origin: Origin, exchanges: Sequence[Exchange], index: int, variables: Sequence[str]
) -> Reference | None:
    if origin.call >= index:
        return None
    value = select(exchanges[origin.call], origin.selector)
    code = selector_code(variables[origin.call], origin.selector)
    if code is None or not isinstance(value, (str, int, float)) or isinstance(value, bool):
        return None
    return Reference(value, code, origin.prefix)


def _implied(
    name: str, value: object, earlier: Sequence[Exchange], variables: Sequence[str]
) -> Reference | None:
    for call, exchange in enumerate(earlier):
        if exchange.request.method not in _CREATING or not 200 <= exchange.status < 300:
            continue
        for key in (name, *_IDENTIFIERS[:4]):
            found = select(exchange, ("json", key))
            if _is_scalar(found) and str(found) == str(value):
                return Reference(found, f"{variables[call]}.json{subscripts((key,))}")
    return None


def _is_scalar(value: object) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool) and value != ""


def selector_code(variable: str, selector: Selector) -> str | None:
    """Return the code that reads `selector` from the response `variable`, None if there is none."""
    kind, *rest = selector
    if any(isinstance(key, str) and set(key) & set("\"'\\{}") for key in rest):
        return None  # Python before 3.12 allows none of these inside an f-string
    if kind == "json":
        return f"{variable}.json{subscripts(rest)}"
    if kind == "header" and rest:
        return f"{variable}.headers{subscripts(rest)}"
    if kind == "location":
        place = rest[0] if rest else -1
        if place == -1:
            return f'{variable}.location.rsplit("/", 1)[-1]'
    return None


def _is_faithful(reference: Reference, place: ValuePath, request: Request) -> bool:
    """Say whether writing the reference sends the very value that was sent."""
    sent = _sent_value(request, place)
    if "rsplit" in reference.code and not str(reference.value).isalnum():
        return False
    if place[0] == "path":
        text = str(reference.sent)
        return str(sent) == text and quote(text, safe="") == text and text != ""
    if place[0] == "json":
        return type(sent) is type(reference.sent) and sent == reference.sent
    return sent is not None and str(sent) == str(reference.sent)


def _sent_value(request: Request, place: ValuePath) -> object:
    kind, *rest = place
    name = rest[0] if rest else ""
    if kind == "path":
        return request.path.get(str(name))
    if kind == "json":
        return _inside(request.json, rest)
    named: Mapping[str, Sequence[tuple[str, object]]] = {
        "query": request.query,
        "form": request.form,
        "header": request.headers,
        "cookie": request.cookies,
    }
    values = [value for key, value in named.get(str(kind), ()) if key == name]
    return values[0] if len(values) == 1 and len(rest) == 1 else None


def _inside(value: object, path: Sequence[str | int]) -> object:
    for key in path:
        if isinstance(value, dict):
            value = value.get(key)
        elif isinstance(value, list) and isinstance(key, int) and key < len(value):
            value = value[key]
        else:
            return None
    return value


def known_identifiers(
    exchanges: Sequence[Exchange], index: int, variables: Sequence[str]
) -> list[Reference]:
    """Return the identifiers that calls before `index` handed out when they created something."""
    found = []
    for call, exchange in enumerate(exchanges[:index]):
        if exchange.request.method not in _CREATING or not 200 <= exchange.status < 300:
            continue
        for key in _IDENTIFIERS[:4]:
            value = select(exchange, ("json", key))
            if _is_scalar(value):
                found.append(Reference(value, f"{variables[call]}.json{subscripts((key,))}"))
    return found


def variable_for(value: object, key: str, known: Sequence[Reference]) -> Expression | None:
    """Return the variable that holds an identifier, None for any other value.

    Only under keys that name an identifier: 1 may be an id, a count or a price.
    """
    if not _is_scalar(value) or not _names_identifier(key):
        return None
    for reference in known:
        if type(reference.value) is type(value) and reference.value == value:
            return Expression(reference.code)
    return None


def _names_identifier(key: str) -> bool:
    lowered = key.lower()
    return lowered in _IDENTIFIERS[:5] or lowered.endswith(("id", "uuid"))
