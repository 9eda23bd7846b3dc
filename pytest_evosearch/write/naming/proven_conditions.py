"""Says what is special about a request: only what executions have proven (`harvest.proving`).

    a service      that fails, as the shortest test has no failure without need
    the caller     who is let in with the credentials, or the log-in, of the repaired test
    one part       an input, a field, a body or a row whose repair alone changed the answer
    two parts      each of which does so

Without a proof there is no condition: then a name has the method, the resource and the outcome.  A
success is never called invalid or unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from pytest_evosearch.core.english import snake_case
from pytest_evosearch.core.http_words import FIRST_REDIRECT
from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.http_words import STORING
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.vocabulary import IDENTIFIER
from pytest_evosearch.core.vocabulary import Certainty
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.refusals import is_told
from pytest_evosearch.problem.http.exchanges.refusals import turns_away
from pytest_evosearch.write.answers.traits import value_trait
from pytest_evosearch.write.content.endpoint_words import resource_of
from pytest_evosearch.write.content.inputs import LINKED
from pytest_evosearch.write.content.inputs import identifies
from pytest_evosearch.write.content.inputs import inner_differences
from pytest_evosearch.write.content.inputs import owner_of
from pytest_evosearch.write.content.inputs import slots_of
from pytest_evosearch.write.content.proven_causes import ALL_ROWS
from pytest_evosearch.write.content.proven_causes import BEFORE
from pytest_evosearch.write.content.proven_causes import NOT_SENT
from pytest_evosearch.write.content.proven_causes import ROW
from pytest_evosearch.write.content.proven_causes import STORED
from pytest_evosearch.write.content.proven_causes import USER
from pytest_evosearch.write.content.proven_causes import WHOLE_BODY
from pytest_evosearch.write.content.proven_causes import WHOLE_QUERY
from pytest_evosearch.write.content.proven_causes import Cause
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.naming.caller_credentials import ANONYMOUS
from pytest_evosearch.write.naming.caller_credentials import AUTHORIZATION
from pytest_evosearch.write.naming.caller_credentials import PASSWORD
from pytest_evosearch.write.naming.caller_credentials import STRANGER
from pytest_evosearch.write.naming.caller_credentials import credentials_of

LONGEST_SHOWN = 12
"""Most characters of a value in a name."""

LOGGED_IN = "when_logged_in"
"""Condition of what a user gets who is logged in already, and everybody else does not."""

FORBIDDEN = "forbidden"
"""Category of conditions about what other callers, or of which others, may be asked for."""

TAKEN = "taken"
"""Category of conditions about values that an earlier call of the test has stored."""

NOT_FOUND, CONFLICT = 404, 409
TURNED_AWAY = (401, 403, NOT_FOUND)

ENVIRON, SCHEME = Location.ENVIRON.value, "wsgi.url_scheme"
PLAIN_SCHEME = "http"
"""Scheme of a call that sends none."""

IN_WHOLE = "(the whole body)"
"""The part of a condition that is about no single field."""


@dataclass(frozen=True)
class Condition:
    """What is special about a request; an empty `phrase` means an ordinary one."""

    phrase: str = ""
    category: str = ""
    """Common category of conditions: ``missing``, ``invalid``, ``unknown``, ``with``."""
    part: str = field(default="", compare=False)
    """The name of the one input that decides; empty where there is none."""

    @property
    def says_what(self) -> bool:
        """Whether it says how a part is special: ``empty_name``, unlike ``invalid_name``."""
        return not self.phrase.startswith("invalid_") and not self.phrase.endswith("_field")


PLAIN = Condition()


def condition_of(specimen: Specimen) -> Condition:
    """Return what is special about the call under test."""
    act = specimen.act
    failing = next((asked for asked in act.outgoing if asked.fails), None)
    if failing is not None:  # the shortest test that shows this has no failure without need
        said = failing.failure or f"answers {failing.status}"
        return Condition(f"service_{snake_case(said)}", "service")
    found = [_one(specimen, cause) for cause in specimen.causes]
    if len(found) < 2:
        return found[0] if found else PLAIN
    return _both(*found) if len(found) == 2 else PLAIN


def _both(one: Condition, other: Condition) -> Condition:
    """Return the condition of two parts that decide each by itself; both are named, or neither."""
    word, _, _name = one.phrase.partition("_")
    if one.category != other.category or not other.phrase.startswith(f"{word}_"):
        return PLAIN
    return Condition(f"{one.phrase}_and_{other.phrase.partition('_')[2]}", one.category)


def _one(specimen: Specimen, cause: Cause) -> Condition:
    act = specimen.act
    if cause.location in (USER, BEFORE):
        return _of_caller(act, cause)
    if cause.location == WHOLE_BODY:
        return _of_body(cause)
    if cause.location == ROW:
        return _of_row(act, cause)
    slot = (cause.location, cause.name)
    if cause.value is NOT_SENT and act.user is not None and cause.location in ("header", "cookie"):
        return PLAIN  # the client of a user may send its own
    is_key = slot in credentials_of(act.request) or cause.name == AUTHORIZATION
    if is_key and turns_away(act):
        return _of_credentials(cause)
    return _of_input(specimen, cause)


def _of_caller(act: Exchange, cause: Cause) -> Condition:
    if turns_away(act):
        anonymous = act.user is None and not credentials_of(act.request)
        return Condition(ANONYMOUS, STRANGER) if anonymous else PLAIN
    is_stranger = cause.location == USER and act.user is None and cause.usual is not None
    if is_stranger and act.status >= FIRST_REDIRECT and not _identifies_itself(act.request):
        return Condition(ANONYMOUS, STRANGER)
    if cause.location == USER and cause.usual is None and act.status < FIRST_REFUSAL:
        return Condition(LOGGED_IN, "with")
    if cause.location == USER and act.user is not None and act.status == NOT_FOUND:
        return Condition(f"somebody_elses_{resource_of(act.request.template)}", FORBIDDEN)
    if cause.location == BEFORE and act.status == NOT_FOUND and act.request.path:
        return _unknown(act.request, list(act.request.path)[-1])
    return PLAIN


def _identifies_itself(request: Request) -> bool:
    """Say whether a request has credentials, or a password."""
    sends_password = any(PASSWORD in snake_case(name) for name in _names_in(request))
    return sends_password or bool(credentials_of(request))


def _of_credentials(cause: Cause) -> Condition:
    spoken = snake_case(cause.name).removeprefix("x_")
    if cause.name == AUTHORIZATION:
        bears = str(cause.usual).lower().startswith("bearer") or cause.usual == LINKED
        spoken = "token" if bears else "authorization"
    word = "without" if cause.value is NOT_SENT else "wrong"
    return Condition(f"{word}_{spoken}", STRANGER)


def _of_body(cause: Cause) -> Condition:
    kind, _, shape = cause.name.replace("form", "data").partition(" ")
    usual = str(cause.usual).replace("form", "data").partition(" ")[0]
    if not usual:  # where nothing has to be sent, a body is nothing special
        return PLAIN
    if not kind:
        return Condition(f"without_{usual}", "missing", usual)
    if shape:
        return Condition(f"json_{shape}", "invalid", IN_WHOLE)
    if not cause.value:
        return Condition(f"empty_{kind}", "missing", IN_WHOLE)
    if kind == usual:  # a list, or a scalar, is usual
        return Condition("json_object", "invalid", IN_WHOLE)
    return Condition(f"{kind}_instead_of_{usual}", "invalid", IN_WHOLE)


def _of_row(act: Exchange, cause: Cause) -> Condition:
    name, path = thing_of(cause.name), act.request.path
    if cause.value is NOT_SENT and act.status == NOT_FOUND and path:
        is_one = len(path) == 1 or cause.name == ALL_ROWS
        return _unknown(act.request, list(path)[-1]) if is_one else _unknown_thing(name)
    if cause.name == ALL_ROWS:
        return PLAIN
    if cause.value is NOT_SENT and cause.usual == STORED and _is_served(act) and path:
        if name == resource_of(act.request.template):
            return _unknown(act.request, list(path)[-1])
        is_item = name in [owner_of(act.request, one) for one in path]
        return _unknown_thing(name) if is_item else Condition(f"without_{name}", "with")
    if cause.asked_by and cause.value is NOT_SENT:
        return Condition(f"unknown_{snake_case(cause.asked_by)}", "unknown", cause.asked_by)
    if cause.asked_by:
        return Condition(f"existing_{snake_case(cause.asked_by)}", "with", cause.asked_by)
    asks = any(map(identifies, (*path, *_names_in(act.request))))
    if cause.usual == STORED and asks and not _is_served(act):
        return _unknown_thing(name)
    if cause.value is NOT_SENT or cause.usual is NOT_SENT:
        return Condition(f"{'without' if cause.value is NOT_SENT else 'with'}_{name}", "with")
    held = cause.value if isinstance(cause.value, dict) else {}
    usual = cause.usual if isinstance(cause.usual, dict) else {}
    differing = [key for key in held if held[key] != usual.get(key)]
    text = shown(held[differing[0]]) if len(differing) == 1 else ""
    return Condition(f"{snake_case(differing[0])}_{text}", "with") if text else PLAIN


def _is_served(act: Exchange) -> bool:
    """Say whether a call is accepted, though it may find nothing."""
    return act.status < FIRST_REFUSAL and not turns_away(act) and not is_told(act)


def _of_input(specimen: Specimen, cause: Cause) -> Condition:
    if cause.name == SCHEME:
        return Condition(f"over_{PLAIN_SCHEME if cause.value is NOT_SENT else cause.value}", "with")
    act, name = specimen.act, _spoken(specimen.act.request, cause)
    refused = FIRST_REFUSAL <= act.status < 500 and specimen.fault is None
    failing = refused or specimen.fault is not None or act.status >= 500
    if cause.value is NOT_SENT:
        return _missing(act, cause, name, failing)
    if failing and act.status not in TURNED_AWAY and _was_stored(specimen, cause):
        return Condition(f"{_stored_word(specimen)}_{name}", TAKEN, name)
    if refused and act.status == CONFLICT:  # what is stored decides as well, and is not named
        return PLAIN
    value, inner = cause.value, inner_differences(cause.value, cause.usual)
    if isinstance(value, (dict, list)) and len(inner) == 1 and value:
        cause = Cause(cause.location, inner[0].name, inner[0].value, inner[0].usual)
        name = snake_case(cause.name) or name
    is_reference = _is_reference(cause) or cause.usual == LINKED
    if (
        (act.status == NOT_FOUND or cause.is_any)
        and is_reference
        and not isinstance(cause.value, (dict, list))
    ):
        return _unknown(act.request, cause.name)
    if refused and turns_away(act) and cause.location == "path":
        return Condition(f"forbidden_{owner_of(act.request, cause.name)}", FORBIDDEN)
    if act.crash is not None and _is_looked_up(cause.value, act.crash.message):
        return Condition(f"unknown_{name}", "with", name)
    trait = value_trait(cause.value, cause.usual)
    if trait == "long" and cause.usual == LINKED:
        trait = "wrong"  # a literal in place of a token that an answer hands out
    if trait:
        return Condition(f"{trait}_{name}", "invalid" if refused else "with", name)
    if refused:
        return Condition(f"invalid_{name}", "invalid", name)
    is_plain = cause.usual is NOT_SENT or cause.location in ("path", "header")
    text = "" if is_plain else shown(cause.value)
    return Condition(f"with_{name}_{text}" if text else f"with_{name}", "with", name)


def _missing(act: Exchange, cause: Cause, name: str, failing: bool) -> Condition:
    if cause.name == WHOLE_QUERY:
        return Condition("without_query", "missing", IN_WHOLE)
    if failing and act.request.payload == {}:
        return Condition("empty_body", "missing", name)
    return Condition(f"missing_{name}" if failing else f"without_{name}", "missing", name)


def _spoken(request: Request, cause: Cause) -> str:
    name = snake_case(cause.name) or "value"
    if cause.location == ENVIRON:
        name = name.removeprefix("http_")
    return "id" if cause.location == "path" and owner_of(request, cause.name) == "id" else name


def _is_reference(cause: Cause) -> bool:
    if cause.location == "path":
        return True
    return IDENTIFIER.is_meant_by(cause.name, Certainty.LIKELY) or identifies(cause.name)


def _is_looked_up(value: object, said: str) -> bool:
    """Say whether an exception names the value, and nothing else: ``KeyError: 'XYZ'``."""
    return isinstance(value, str) and bool(value) and said.strip("'").lower() == value.lower()


def thing_of(model: str) -> str:
    """Return what a row is: ``book`` for ``shop.BookModel``."""
    return snake_case(model.rpartition(".")[2]).removesuffix("_model")


def _stored_word(specimen: Specimen) -> str:
    """Return ``taken`` where the same was sent before, else ``existing``, which claims less."""
    endpoint = specimen.act.request.endpoint
    again = any(one.request.endpoint == endpoint for one in specimen.exchanges[:-1])
    return "taken" if again else "existing"


def _was_stored(specimen: Specimen, cause: Cause) -> bool:
    """Say whether an earlier call of the test has stored the value."""
    if specimen.act.request.method not in STORING or cause.value in (None, "", LINKED):
        return False
    return any(
        value == cause.value and slot[1] == cause.name
        for one in specimen.exchanges[:-1]
        if one.request.method in STORING and one.status < FIRST_REFUSAL
        for slot, value in slots_of(one.request).items()
    )


def _unknown_thing(name: str) -> Condition:
    return Condition(f"unknown_{name}", "unknown")


def _names_in(request: Request) -> list[str]:
    return [name for _location, name in slots_of(request)]


def _unknown(request: Request, name: str) -> Condition:
    return Condition(f"unknown_{owner_of(request, name)}", "unknown")


def common_condition(conditions: Sequence[Condition]) -> Condition:
    """Return the condition that all rows of a table share, or what is alike in theirs."""
    first = conditions[0]
    if all(one == first for one in conditions):
        return first
    categories = {one.category for one in conditions}
    if categories == {STRANGER}:
        return Condition(ANONYMOUS, STRANGER) if _all_lacking(conditions) else PLAIN
    if categories == {"unknown"}:
        return Condition("unknown_id", "unknown")
    parts = {one.part for one in conditions}
    adjectives = {one.phrase.partition("_")[0] for one in conditions}
    word = adjectives.pop() if len(adjectives) == 1 else _shared_word(categories)
    if parts == {IN_WHOLE}:
        return Condition("invalid_body", "invalid")
    if not word or not all(parts):
        return PLAIN
    if len(parts) == 1:
        return Condition(f"{word}_{parts.pop()}", first.category)
    if all(map(identifies, parts)):
        return Condition(f"{word}_id", first.category)
    noun = "body" if IN_WHOLE in parts and word == "invalid" else "field"
    return Condition(f"{word}_{noun}", first.category) if word in ("missing", "invalid") else PLAIN


def _shared_word(categories: set[str]) -> str:
    """Return a word that is true of the conditions of all rows, empty without one."""
    if len(categories) == 1:
        return categories.pop()
    return "invalid" if categories == {"invalid", "missing"} else ""


def _all_lacking(conditions: Sequence[Condition]) -> bool:
    return all(one.phrase == ANONYMOUS or one.phrase.startswith("without_") for one in conditions)


def shown(value: object) -> str:
    """Return a short value as part of a name, or an empty string."""
    text = snake_case(str(value)) if not isinstance(value, (dict, list, bytes)) else ""
    return text if 0 < len(text) <= LONGEST_SHOWN and str(value).isascii() else ""
