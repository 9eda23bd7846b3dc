"""Code for values that flow from one call into a later one: ``created.json["id"]``."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import quote

from pytest_evosearch.core.english import singular
from pytest_evosearch.problem.http.exchanges.endpoint import is_safe
from pytest_evosearch.problem.http.exchanges.endpoint import operation_of
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Origin
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import ValuePath
from pytest_evosearch.problem.http.exchanges.responses import linkable_values
from pytest_evosearch.problem.http.exchanges.responses import select
from pytest_evosearch.problem.http.exchanges.xml_places import XML
from pytest_evosearch.problem.http.exchanges.xml_places import leaves
from pytest_evosearch.problem.http.exchanges.xml_places import name_at
from pytest_evosearch.problem.http.exchanges.xml_places import root_of
from pytest_evosearch.write.code.literals import Expression
from pytest_evosearch.write.code.literals import subscripts
from pytest_evosearch.write.content.endpoint_words import placeholders
from pytest_evosearch.write.content.identifier_names import BARE_IDENTIFIERS
from pytest_evosearch.write.content.identifier_names import CREATING
from pytest_evosearch.write.content.identifier_names import Reference
from pytest_evosearch.write.content.identifier_names import belongs
from pytest_evosearch.write.content.identifier_names import is_remarkable
from pytest_evosearch.write.content.identifier_names import names_identifier
from pytest_evosearch.write.content.identifier_names import nouns_of
from pytest_evosearch.write.content.identifier_names import speak_of_the_same
from pytest_evosearch.write.content.mailed import mail_code
from pytest_evosearch.write.content.selector_codes import LAST_SEGMENT
from pytest_evosearch.write.content.selector_codes import location_code
from pytest_evosearch.write.content.selector_codes import page_code
from pytest_evosearch.write.content.selector_codes import selector_code
from pytest_evosearch.write.content.selector_codes import xml_code

CODE_NAME = "code"
"""Name of a variable with text from a letter that is no part of an address."""


def references_of(
    exchanges: Sequence[Exchange], index: int, variables: Sequence[str]
) -> dict[ValuePath, Reference]:
    """Return the values of the request `index` that come from earlier responses.

    Recorded origins come first. A path value that equals an identifier from an earlier call counts
    as that identifier: in a minimised test this is no coincidence.
    """
    request = exchanges[index].request
    found: dict[ValuePath, Reference] = {}
    for place, origin in request.origins.items():
        reference = _of_origin(origin, exchanges, index, variables)
        if reference is not None and _is_credible(place, origin, reference, exchanges):
            found[place] = reference
    for name in request.path:
        if ("path", name) not in found:
            implied = _implied(request, name, exchanges[:index], variables)
            if implied is not None:
                found[("path", name)] = implied
    found.update(_implied_variables(request, found, exchanges[:index], variables))
    found.update(_repeated(request, found))
    known = known_identifiers(exchanges, index, variables)
    found.update({**_created(request, known), **found})
    return {place: given for place, given in found.items() if _is_faithful(given, place, request)}


def _repeated(request: Request, found: Mapping[ValuePath, Reference]) -> dict[ValuePath, Reference]:
    """Return the fields of a JSON body that repeat an identifier of the path."""
    in_path = [given for place, given in found.items() if place[0] == "path" and not given.prefix]
    fields = request.json.items() if isinstance(request.json, dict) else ()
    return {
        ("json", name): given
        for name, value in fields
        for given in in_path
        if ("json", name) not in found
        and names_identifier(str(name))
        and type(given.value) is type(value)
        and given.value == value
        and belongs(str(name), given)
    }


def _created(request: Request, known: Sequence[Reference]) -> dict[ValuePath, Reference]:
    """Return the fields of a JSON body that hold the identifier of what an earlier call made."""
    fields = request.json.items() if isinstance(request.json, dict) else ()
    found = {("json", name): identifier_for(value, str(name), known) for name, value in fields}
    return {
        place: replace(given, is_used=True) for place, given in found.items() if given is not None
    }


def _of_origin(
    origin: Origin, exchanges: Sequence[Exchange], index: int, variables: Sequence[str]
) -> Reference | None:
    if origin.call >= index:
        return None
    value = select(exchanges[origin.call], origin.selector)
    code = selector_code(variables[origin.call], origin.selector)
    if origin.selector[0] == "location":
        code = location_code(variables[origin.call], exchanges[origin.call], origin.selector, value)
    elif origin.selector[0] == XML:
        code = xml_code(variables[origin.call], exchanges[origin.call], origin.selector)
    elif origin.selector[0] == "mail":
        code = mail_code(exchanges, origin, index, value)
    elif origin.selector[0] in ("form", "page"):
        code = page_code(variables[origin.call], exchanges[origin.call], origin.selector, value)
    if code is None or not isinstance(value, (str, int, float)) or isinstance(value, bool):
        return None
    key = next((step for step in reversed(origin.selector) if isinstance(step, str)), "").lstrip(
        "@"
    )
    if origin.selector[:2] == ("mail", ""):
        key = CODE_NAME
    nouns = nouns_of(exchanges[origin.call].request)
    return Reference(value, code, origin.prefix, key, nouns, is_used=True)


def is_credible_origin(place: ValuePath, origin: Origin, exchanges: Sequence[Exchange]) -> bool:
    """Say whether a reader would read the value at `place` from the earlier response."""
    names = [f"response_{call}" for call in range(len(exchanges))]
    reference = _of_origin(origin, exchanges, len(exchanges), names)
    return reference is None or _is_credible(place, origin, reference, exchanges)


def _is_credible(
    place: ValuePath, origin: Origin, reference: Reference, exchanges: Sequence[Exchange]
) -> bool:
    """Say whether a sent value plausibly comes from the earlier response.

    A response that repeats a sent value does not count. Equal small numbers are a coincidence,
    unless both names mean one identifier.
    """
    if reference.prefix or origin.selector[0] in ("header", "form", "page", "mail"):
        return True
    giver = exchanges[origin.call].request
    if origin.selector[0] in ("json", XML) and _is_echo(reference, giver):
        return False
    if origin.selector[0] == "location" and str(reference.value) in map(str, giver.path.values()):
        return False  # ``/books/7`` leads to ``/books/7/``
    name = next((step for step in reversed(place) if isinstance(step, str)), "")
    in_path = origin.selector[0] == "location" and isinstance(origin.selector[1], int)
    unnamed = in_path or len(origin.selector) == 1
    if unnamed and (place[0] == "path" or names_identifier(name)):
        return True
    return is_remarkable(reference.value) or speak_of_the_same(name, reference.key)


def _is_echo(reference: Reference, giver: Request) -> bool:
    """Say whether a response returns a value that its own request sent under that name."""
    for value in (*request_values(giver, reference.key), *_path_values(giver, reference.key)):
        if str(value) == str(reference.value):
            return True
    return False


def _path_values(request: Request, key: str) -> list[object]:
    """Return the path's value for `key`: ``book_id`` for ``id`` of ``/books/{book_id}``.

    Only the end of the path counts: a product's review has an identifier of its own.
    """
    last = placeholders(request.template)[-1:] if request.template.endswith("}") else []
    return [request.path[name] for name in last if speak_of_the_same(name, key)]


def request_values(request: Request, name: str) -> list[object]:
    """Return the values that a request sends under `name`."""
    found = [value for key, value in (*request.query, *request.form) if key == name]
    if name in request.path:
        found.append(request.path[name])
    payload = request.payload
    if isinstance(payload, dict) and name in payload:
        found.append(payload[name])
    return found


def _implied(
    request: Request, name: str, earlier: Sequence[Exchange], variables: Sequence[str]
) -> Reference | None:
    value = request.path[name]
    for call, exchange in enumerate(earlier):
        if exchange.request.method not in CREATING or not 200 <= exchange.status < 300:
            continue
        handed_out = [
            *_handed_out(exchange, (name, *BARE_IDENTIFIERS), variables[call]),
            *_handed_out_within(exchange, name, variables[call]),
        ]
        for key, found, code in handed_out:
            if not _is_scalar(found) or str(found) != str(value):
                continue
            nouns = nouns_of(exchange.request)
            reference = Reference(found, code, key=key, nouns=nouns, is_used=True)
            fits = belongs(name, reference) or _is_picked_from(exchange.request, request, name)
            if fits and not _is_echo(reference, exchange.request):
                return reference
    return None


def _is_picked_from(maker: Request, request: Request, name: str) -> bool:
    """Say whether a placeholder picks out what `maker` has made: /pets, then /pets/{number}."""
    above = request.template.partition(f"{{{name}}}")[0]
    return maker.method == "POST" and maker.template.rstrip("/") == above.rstrip("/")


def _handed_out(
    exchange: Exchange, names: Sequence[str], variable: str
) -> Iterator[tuple[str, object, str]]:
    """Yield the identifiers in a response that have one of `names`, with the code to read them."""
    root = root_of(exchange.response) if exchange.response is not None else None
    if root is None:
        for name in names:
            code = f"{variable}.json{subscripts((name,))}"
            yield name, select(exchange, ("json", name)), code
        return
    for selector, value in leaves(root):
        code = xml_code(variable, exchange, selector) or ""
        if name_at(selector) in names and code:
            yield name_at(selector), value, code


def _handed_out_within(
    exchange: Exchange, name: str, variable: str
) -> Iterator[tuple[str, object, str]]:
    """Yield identifiers in a JSON response that `name` may mean: ``group_id`` for ``id``.

    An identifier of the call's own resource belongs to the resource that it created.
    """
    response, nouns = exchange.response, nouns_of(exchange.request)
    for selector, value in linkable_values(response) if response is not None else ():
        code = selector_code(variable, selector)
        key = str(selector[-1])
        owner = str(selector[-2]) if len(selector) > 2 else ""
        is_bare = key in BARE_IDENTIFIERS
        is_of_call = not is_bare and any(
            speak_of_the_same(key, f"{noun}_id") for noun in nouns[-1:]
        )
        is_inner = len(selector) > 2 and is_bare and singular(owner) in nouns
        known = key in (name, *BARE_IDENTIFIERS) and len(selector) == 2
        if code is not None and not known and (is_inner or (is_of_call and names_identifier(key))):
            yield key, value, code


def _implied_variables(
    request: Request,
    found: Mapping[ValuePath, Reference],
    earlier: Sequence[Exchange],
    variables: Sequence[str],
) -> dict[ValuePath, Reference]:
    """Return the ids in the variables of a GraphQL operation that an earlier operation created."""
    body = request.json if operation_of(request.template) else None
    sent = body.get("variables") if isinstance(body, dict) else None
    implied: dict[ValuePath, Reference] = {}
    for name, value in sent.items() if isinstance(sent, dict) else ():
        place = ("json", "variables", str(name))
        if place in found or not _is_scalar(value) or not names_identifier(str(name)):
            continue
        for call, exchange in enumerate(earlier):
            reference = _id_made_by(exchange, variables[call], str(name), value)
            if reference is not None:
                implied[place] = reference
    return implied


def _id_made_by(exchange: Exchange, variable: str, name: str, value: object) -> Reference | None:
    """Return the place in a mutation's response where the identifier `name` is `value`."""
    if exchange.response is None or exchange.status >= 300 or is_safe(exchange.request.endpoint):
        return None
    for selector, answered in linkable_values(exchange.response):
        code = selector_code(variable, selector)
        if answered != value or type(answered) is not type(value) or code is None:
            continue
        key = str(selector[-1])
        reference = Reference(answered, code, key=key, nouns=nouns_of(exchange.request))
        fits = names_identifier(key) and speak_of_the_same(name, key)
        if fits and not _is_echo(reference, exchange.request):
            return replace(reference, is_used=True)
    return None


def _is_scalar(value: object) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool) and value != ""


def _is_faithful(reference: Reference, place: ValuePath, request: Request) -> bool:
    """Say whether the reference sends exactly the value that was sent."""
    sent = _sent_value(request, place)
    if LAST_SEGMENT.search(reference.code) and not str(reference.value).isalnum():
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
    if kind == "json":
        return _inside(request.json, rest)
    values = [value for key, value in request.pairs.get(str(kind), ()) if key == name]
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
    """Return the identifiers that creating calls before `index` returned."""
    found = []
    for call, exchange in enumerate(exchanges[:index]):
        if exchange.request.method not in CREATING or not 200 <= exchange.status < 300:
            continue
        for key, value, code in _handed_out(exchange, BARE_IDENTIFIERS, variables[call]):
            reference = Reference(value, code, key=key, nouns=nouns_of(exchange.request))
            if _is_scalar(value) and not _is_echo(reference, exchange.request):
                found.append(reference)
    return found


def variable_for(
    value: object, key: str, known: Sequence[Reference], nouns: Sequence[str] = ()
) -> Expression | None:
    """Return the variable with an identifier, None for any other value."""
    reference = identifier_for(value, key, known, nouns)
    return None if reference is None else Expression(reference.code)


def identifier_for(
    value: object, key: str, known: Sequence[Reference], nouns: Sequence[str] = ()
) -> Reference | None:
    """Return the known identifier that a value is, None for any other value.

    The key must name an identifier, because 1 may be an id, a count or a price. It must also name
    the created resource: the id of an order is not that of its book. `nouns` are the resources of
    the message with the value.
    """
    equal = [one for one in known if type(one.value) is type(value) and one.value == value]
    if not equal or not _is_scalar(value):
        return None
    owners = {noun for reference in known for noun in reference.nouns}
    if not names_identifier(key, (*nouns, *owners)):
        return None
    fitting = (one for one in equal if is_remarkable(value) or belongs(key, one, nouns))
    return next(fitting, None)
