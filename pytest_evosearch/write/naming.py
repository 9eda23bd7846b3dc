"""Names tests ``test_<verb>_<resource>_<condition>_<outcome>``, from their content alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from types import MappingProxyType
from urllib.parse import urlsplit

from pytest_evosearch.problem.http.endpoint import operation_of
from pytest_evosearch.problem.http.exchange import NO_SERVER_ERROR
from pytest_evosearch.problem.http.exchange import Exchange
from pytest_evosearch.problem.http.exchange import Request
from pytest_evosearch.problem.http.graphql_answers import NOT_FOUND
from pytest_evosearch.problem.http.responses import MISSING
from pytest_evosearch.problem.http.responses import select
from pytest_evosearch.sut.handle import User
from pytest_evosearch.write.conditions import Condition
from pytest_evosearch.write.conditions import describe_condition
from pytest_evosearch.write.conditions import identifies
from pytest_evosearch.write.conditions import input_phrases
from pytest_evosearch.write.conditions import is_failure
from pytest_evosearch.write.conditions import nearest_sibling
from pytest_evosearch.write.facts import input_values
from pytest_evosearch.write.facts import sent_scalars
from pytest_evosearch.write.grouping import METHODS
from pytest_evosearch.write.grouping import PATHS
from pytest_evosearch.write.html import SHORTEST_ECHO
from pytest_evosearch.write.messages import message_phrase
from pytest_evosearch.write.messages import new_message
from pytest_evosearch.write.resources import placeholders
from pytest_evosearch.write.resources import resource_of
from pytest_evosearch.write.resources import verb_of
from pytest_evosearch.write.resources import words
from pytest_evosearch.write.specimen import Specimen
from pytest_evosearch.write.specimen import asks_to_log_in
from pytest_evosearch.write.specimen import pages_elsewhere
from pytest_evosearch.write.variables import ENTERING
from pytest_evosearch.write.variables import role_of
from pytest_evosearch.write.versions import refuses_content_type

LONGEST_NAME = 60
"""Characters, ``test_`` included."""

MOST_DROPPED = 2
"""Words of a subject that give way to what is special about a test."""

_CONNECTING = {"then", "with", "without", "after", "as", "returns", "redirects", "says"}
"""Words that follow the subject of a name."""

LONGEST_DESTINATION = 24
"""Characters of the name of the page that a response redirects to."""

OUTSTANDING = ("missing", "invalid", "forbidden", "part")
"""Categories of conditions that a test is about, whatever prepares it."""

TOLD = ("unknown", "with")
"""Likewise where nothing prepares it (the first also where nothing is deleted before)."""

VAGUE = ("invalid_", "without_json", "without_data", "without_body", "empty_json", "json_")
"""Beginnings of conditions that say less than the message of the answer does."""

ENTRANCES = ("login", "signin", "logout", "signout", "register", "signup")
"""Endpoints that send everybody to the log-in page, not only strangers."""

Siblings = Mapping[str, Sequence[Exchange]]
"""From an endpoint's key to all its calls: those under test first, then those that prepare."""


_LEADING_ON = frozenset(
    {"next", "return", "return_to", "redirect", "url", "lang", "locale", "page"}
)
"""Fields that a page passes on to its form: they do not make a query of what is submitted."""


def siblings_of(specimens: Sequence[Specimen]) -> dict[str, list[Exchange]]:
    """Group the calls by endpoint.

    Where the same can be asked with ``GET`` (a search), nothing is submitted: that some calls are
    redirected does not mean that those with a page were refused.
    """
    found = _by_endpoint(specimens)
    for key, exchanges in found.items():
        method, _, template = key.partition(" ")
        if method == "POST" and _asks_the_same(found.get(f"GET {template}", ()), exchanges):
            pages = [one for one in exchanges if not 300 <= one.status < 400]
            found[key] = pages or exchanges
    return found


def _asks_the_same(read: Sequence[Exchange], posted: Sequence[Exchange]) -> bool:
    """Say whether a field of what is posted was served as part of a query, too."""
    asked = {name for one in read if one.status < 400 for name, _ in one.request.query}
    return any(
        name in asked and words(name) not in _LEADING_ON
        for one in posted
        for name, _ in one.request.form
    )


def _by_endpoint(specimens: Sequence[Specimen]) -> dict[str, list[Exchange]]:
    found: dict[str, list[Exchange]] = {}
    for specimen in specimens:
        found.setdefault(specimen.act.request.endpoint, []).append(specimen.act)
    for specimen in specimens:
        for exchange in specimen.exchanges[:-1]:
            found.setdefault(exchange.request.endpoint, []).append(exchange)
    return found


def name_candidates(
    specimen: Specimen,
    siblings: Siblings,
    users: Mapping[str, User],
    condition: Condition | None = None,
    faults: str = "xfail",
    span: str = "",
    rows: Sequence[Specimen] = (),
    pages: Mapping[str, Sequence[str]] = MappingProxyType({}),
    asserted: Sequence[str] = (),
) -> Iterator[str]:
    """Yield names for a test, best first; the later ones are shorter or more detailed.

    `condition` overrides what is found by comparing with the siblings; `faults` is how
    faults are written; `rows` are all of a table of which `specimen` is the first, `span` says
    that they are about several ``methods`` or ``paths``.
    `pages` are those that each endpoint served, `asserted` the texts that the test looks for.
    """
    act = specimen.act
    same = siblings.get(act.request.endpoint, ())
    found = condition
    if found is None:
        found = describe_condition(act, same, specimen.fault is not None)
    who = _who(specimen, same, users)
    subject = _deed_of(act.request, _subject(act.request, siblings))
    if span == METHODS:
        subject = f"any_method_{_subject(act.request, siblings)}"
    elif span == PATHS:
        subject = _methods_of(rows)
        if len({row.act.request.template for row in rows}) == 1:
            subject = f"{subject}_{_subject(act.request, siblings)}"
        if specimen.fault is None and found.category != "unknown":
            found = Condition()
        who = f"as_{words(act.user)}" if act.user is not None and len(users) > 1 else who
    if specimen.fault is not None:
        yield from _fault_names(specimen, subject, who, found, faults)
    outcome = _outcome(specimen, same, faults)
    yield from _effect_names(specimen, subject, who, found, rows, asserted)
    yield from _refusal_names(specimen, subject, who, found, rows, pages, same, asserted)
    story = _story(specimen)
    if not span and (not found.phrase or found.phrase.startswith(VAGUE)):
        message = _common_message([one.act for one in rows or (specimen,)])
        if message:
            yield _joined(subject, who, message, outcome)
    told = TOLD if not story else () if _deletes(specimen) else TOLD[:1]
    outstanding = found.category in (*OUTSTANDING, *told)
    if found.phrase and outstanding:
        # What is wrong with the last call says more than which calls prepared it.
        yield _joined(subject, who, found.phrase, outcome)
    if story:
        yield _joined(story, who, outcome)
        yield _joined(story, outcome)
        if found.phrase:
            yield _joined(subject, who, found.phrase, outcome)
        yield _joined(subject, who, "after", _deed(specimen.exchanges[0]), outcome)
    yield from _plain_names(specimen, subject, who, found, outcome)


def _common_message(acts: Sequence[Exchange]) -> str:
    """Return the short message that all answers hold, as part of a name; empty without one."""
    said = {message_phrase(act, tuple(map(str, input_values(act)))) for act in acts}
    return said.pop() if len(said) == 1 else ""


def _methods_of(rows: Sequence[Specimen]) -> str:
    """Return what the calls of a table over several paths are called: ``get``, ``request``."""
    methods = {verb_of(row.act.request) for row in rows}
    return methods.pop() if len(methods) == 1 else "request"


def _plain_names(
    specimen: Specimen, subject: str, who: str, found: Condition, outcome: str
) -> Iterator[str]:
    """Yield names without a story, the shorter ones first."""
    act = specimen.act
    yield _joined(subject, who, outcome)
    if found.phrase:
        yield _joined(subject, who, found.phrase, outcome)
        yield _joined(subject, found.phrase, outcome)
    doors = [one for one in specimen.exchanges[:-1] if _enters(one, act)]
    entered = [role for role in map(_role, doors) if role not in ("form", "page", "redirected")]
    if entered:
        yield _joined(subject, "when", entered[-1], outcome)
    yield _joined(subject, outcome)
    for phrase in input_phrases(act.request):
        yield _joined(subject, phrase, outcome)
    if act.user is not None:
        yield _joined(subject, f"as_{words(act.user)}", outcome)


def _fault_names(
    specimen: Specimen, subject: str, who: str, found: Condition, faults: str
) -> Iterator[str]:
    """Yield names that say what is raised with what; where that is not enough, also in which place.

    A test that is expected to fail is named after what it asks for: the name stays true when
    the fault is mended.
    """
    crash = specimen.act.crash
    raised = words(crash.type_name) if crash is not None else ""
    if crash is None or not raised or specimen.fault is None:
        return
    if not specimen.fault.is_failure:
        return
    verb = "raises" if faults == "raises" else "does_not_raise"
    place = words(crash.function)
    story = _story(specimen)
    outcome = f"{verb}_{raised}"
    first = _joined(subject, who, found.phrase, outcome)
    if found.phrase or not story:
        yield first
    if story:
        yield _joined(story, who, outcome)
    if found.phrase and len(first) > LONGEST_NAME:
        yield _joined(subject, found.phrase, _outcome(specimen, (), faults))
        yield _joined(subject, who, outcome)
    if place:
        yield _joined(subject, found.phrase, outcome, "in", place)
        yield _joined(subject, outcome, "in", place)


def _effect_names(
    specimen: Specimen,
    subject: str,
    who: str,
    found: Condition,
    rows: Sequence[Specimen],
    asserted: Sequence[str],
) -> Iterator[str]:
    """Yield names that say what the read after the call under test tells, in all rows alike."""
    if specimen.follow_up is None:
        return
    effects = {_effect(one, asserted) for one in (*rows, specimen)}
    effect = effects.pop() if len(effects) == 1 else _seen_effect(specimen.follow_up.exchange)
    yield _joined(subject, who, effect)
    yield _joined(subject, who, found.phrase, effect)


def _refusal_names(
    specimen: Specimen,
    subject: str,
    who: str,
    found: Condition,
    rows: Sequence[Specimen],
    pages: Mapping[str, Sequence[str]],
    siblings: Sequence[Exchange],
    asserted: Sequence[str],
) -> Iterator[str]:
    """Yield names for a form that is shown again with a message that it did not have before."""
    act = specimen.act
    forms = pages.get(f"GET {act.request.template}", ())
    is_shown_again = act.request.method == "POST" and act.status == 200 and bool(forms)
    if not is_shown_again or specimen.fault is not None or specimen.follow_up is not None:
        return
    before = "".join(forms)
    shown = [one.act.response.text for one in (rows or (specimen,)) if one.act.response is not None]
    others = (pages_elsewhere(pages, act.request.template), _other_pages(act, siblings))
    messages = {new_message(page, before, others, asserted) for page in shown}
    if "" in messages:
        return
    if len(messages) > 1 and not any(is_failure(act, sibling) for sibling in siblings):
        return
    outcome = f"says_{messages.pop()}" if len(messages) == 1 else "is_rejected"
    yield _joined(subject, who, outcome)
    yield _joined(subject, who, found.phrase, outcome)


def _other_pages(act: Exchange, siblings: Sequence[Exchange]) -> list[str]:
    """Return the other pages of the same endpoint."""
    found = {one.response.text: None for one in siblings if one.response is not None}
    return [text for text in found if act.response is None or text != act.response.text]


def _effect(specimen: Specimen, asserted: Sequence[str]) -> str:
    """Return what the read after the call under test tells.

    ``then_get_index_shows_it``, ``says_invalid_input``, ``then_get_index_reflects_it``.
    """
    follow_up = specimen.follow_up
    if follow_up is None:
        return ""
    read = follow_up.exchange
    page = read.response.text if read.response is not None else ""
    if read.status != 200:
        return f"then_{_deed(read)}_{returned(read.status)}"
    sent = [str(value) for value in sent_scalars(specimen.act)]
    if any(
        len(text) >= SHORTEST_ECHO and text in page and text not in follow_up.before
        for text in sent
    ):
        return f"then_{_deed(read)}_shows_it"
    message = new_message(page, follow_up.before, asserted=asserted)
    return f"says_{message}" if message else _seen_effect(read)


def _seen_effect(read: Exchange) -> str:
    return f"then_{_deed(read)}_reflects_it"


def _deletes(specimen: Specimen) -> bool:
    """Say whether something is deleted before the last call: then that is the story."""
    earlier = [exchange.request for exchange in specimen.exchanges[:-1]]
    actions = [words(request.template.rpartition("/")[2]) for request in earlier]
    return any(
        request.method == "DELETE" or action in ("delete", "remove")
        for request, action in zip(earlier, actions, strict=True)
    )


def _subject(request: Request, siblings: Siblings) -> str:
    """Return what an endpoint is about, told from others of the same name by its parameters.

    ``/login/`` beside ``/login`` is told by its slash.
    """
    resource = resource_of(request.template)
    bare = request.template.rstrip("/")
    if bare != request.template and f"{request.method} {bare}" in siblings:
        return f"{resource}_with_slash"
    mine = placeholders(request.template)
    for key in sorted(siblings):
        template = key.partition(" ")[2]
        theirs = set(placeholders(template))
        if resource_of(template) != resource or not theirs < set(mine):
            continue
        extra = [words(name) for name in mine if name not in theirs]
        if len(extra) == 1 and identifies(extra[0]) and request.template.endswith("}"):
            return f"{resource}_item"
        return f"{resource}_with_{extra[0]}"
    return resource


def choose_name(
    candidates: Iterator[str], taken: AbstractSet[str], most_dropped: int = MOST_DROPPED
) -> str:
    """Return the first name that fits and is free; number the first that fits otherwise."""
    names = list(dict.fromkeys(candidates))
    shorter = [_without_first_words(name, most_dropped) for name in names]
    fitting = [name for name in shorter if len(name) <= LONGEST_NAME]
    free = next((name for name in fitting if name not in taken), None)
    if free is not None:
        return free
    room = LONGEST_NAME - len("_99")
    base = next((name for name in fitting if len(name) <= room), "") or _shortened(names, room)
    name, number = base, 2
    while name in taken:
        name, number = f"{base}_{number}", number + 1
    return name


def words_to_spare(request: Request) -> int:
    """Return how many words a subject can do without: the name of an operation is no address."""
    return 0 if operation_of(request.template) else MOST_DROPPED


def _without_first_words(name: str, most_dropped: int) -> str:
    """Return `name` without as many words after the verb as make it fit, at most `most_dropped`.

    These tell where something is (``post_api_v1_projects``), the last ones what is special.
    """
    parts = name.split("_")
    for _ in range(most_dropped):
        if len("_".join(parts)) <= LONGEST_NAME or _CONNECTING & {*parts[2:4]}:
            break
        del parts[2:3]
    return "_".join(parts)


def _shortened(names: Sequence[str], room: int) -> str:
    """Return the shortest of `names` without its first words after the verb, until it fits."""
    parts = min(names, key=len).split("_")
    while len("_".join(parts)) > room and len(parts) > 3:
        del parts[2]
    return "_".join(parts)[:room].rstrip("_")


def returned(status: object) -> str:
    """Return ``returns_404``, in letters and digits also for what no status should be: -3."""
    return f"returns_{status}".replace("-", "minus_")


def _joined(*parts: str) -> str:
    name = "_".join(["test", *(part for part in parts if part)])
    return re.sub(r"\W", "_", name)  # of a method, as in M-SEARCH


def _deed(exchange: Exchange) -> str:
    return _deed_of(exchange.request, resource_of(exchange.request.template))


def _deed_of(request: Request, subject: str) -> str:
    """Return what a request does to its subject; a mutation of GraphQL says that by itself."""
    verb = verb_of(request)
    return f"{verb}_{subject}" if verb else subject


def _story(specimen: Specimen) -> str:
    """Return ``post_users_then_get_user``, the first and the last call of a longer test.

    What comes before the last log-in, and that itself, is no part of it: that much needs every
    test of a page that is not for everybody.  Nor is a page that only gives a token.
    """
    earlier = specimen.exchanges[:-1]
    doors = [at for at, one in enumerate(earlier, start=1) if _enters(one, specimen.act)]
    behind = range(doors[-1] if doors else 0, len(earlier))
    told = [earlier[at] for at in behind if not _gives_token(specimen, at)]
    if not told:
        return ""
    deeds = [_deed(exchange) for exchange in (*told, specimen.act)]
    if len(deeds) == 2 and deeds[0] == deeds[1]:
        return f"{deeds[0]}_twice"
    if len(deeds) == 3 and len(set(deeds)) > 1:
        whole = "_then_".join(deeds)
        if len(whole) <= 40:
            return whole
    if deeds[0] == deeds[-1]:
        others = [deed for deed in deeds if deed != deeds[0]]
        return f"{others[-1]}_then_{deeds[-1]}" if others else f"{deeds[0]}_repeatedly"
    return (
        f"{deeds[-2] if len(deeds) > 2 and deeds[-2] != deeds[-1] else deeds[0]}_then_{deeds[-1]}"
    )


def _role(exchange: Exchange) -> str:
    return role_of(exchange, False)


def _enters(exchange: Exchange, act: Exchange) -> bool:
    """Say whether a call only lets its caller in: a log-in, its form, a mailed address."""
    request = exchange.request
    if exchange.status >= 400 or request.endpoint == act.request.endpoint:
        return False
    is_form = request.method == "GET" and words(request.template.rpartition("/")[2]) in ENTRANCES
    return is_form or role_of(exchange, False) in ENTERING or request.was_mailed


def _gives_token(specimen: Specimen, index: int) -> bool:
    """Say whether a call reads a page of which a later one sends a token back."""
    return specimen.exchanges[index].request.method == "GET" and any(
        origin.call == index and origin.selector[0] in ("form", "page")
        for later in specimen.exchanges[index + 1 :]
        for origin in later.request.origins.values()
    )


def _who(specimen: Specimen, siblings: Sequence[Exchange], users: Mapping[str, User]) -> str:
    """Return ``anonymous`` or ``as_admin`` where it makes the difference."""
    act = specimen.act
    if act.user is not None:
        others = {other.user for other in siblings if other.user not in (None, act.user)}
        return f"as_{words(act.user)}" if others and len(users) > 1 else ""
    if any(one.user is None for one in specimen.exchanges[:-1]):
        return ""  # the calls before may have logged somebody in
    entering = resource_of(act.request.template).rpartition("_")[2] in ENTRANCES
    refused = act.status in (401, 403) or (asks_to_log_in(act) and not entering)
    differs = any(other.user is not None and other.status != act.status for other in siblings)
    return "anonymous" if refused and (users or differs) else ""


def _destination(exchange: Exchange) -> str:
    """Return what a response redirects to, as an endpoint would be named; empty for nowhere."""
    location = exchange.response.location if exchange.response is not None else None
    if location is None or not 300 <= exchange.status < 400:
        return ""
    parts = [part for part in urlsplit(location).path.split("/") if part]
    template = "/".join("{id}" if part.isdigit() else part for part in parts)
    name = resource_of(f"/{template}")
    return name if len(name) <= LONGEST_DESTINATION else _first_words(words(parts[-1]))


def _first_words(name: str) -> str:
    """Return as many whole words of a long name as there is room for, at least one."""
    first, *others = name.split("_")
    for word in others:
        if len(first) + 1 + len(word) > LONGEST_DESTINATION:
            break
        first = f"{first}_{word}"
    return first


def _outcome(specimen: Specimen, siblings: Sequence[Exchange], faults: str) -> str:
    act = specimen.act
    if specimen.fault is not None:
        if faults == "raises" and specimen.fault.expectation != NO_SERVER_ERROR:
            return f"shows_{words(specimen.fault.code)}"
        return "crashes" if faults == "raises" else words(specimen.fault.expectation.phrase)
    if 300 <= act.status < 400:
        destination = _destination(act)
        return f"redirects_to_{destination}" if destination else returned(act.status)
    if act.status == 200:
        return _success(specimen, siblings)
    if act.meaning:
        told = act.response is not None and "error" in act.response.text
        failed = "returns_errors" if told else "is_rejected"
        return "returns_null" if act.meaning == NOT_FOUND else failed
    if act.response is not None and refuses_content_type(act.response):
        return "is_rejected"  # with which status depends on the version of the framework
    return returned(act.status)


def _shows_what_was_sent(specimen: Specimen) -> bool:
    """Say whether the last response shows a text that an earlier call sent."""
    response = specimen.act.response
    earlier = [one for one in specimen.exchanges[:-1] if one.request.method in ("POST", "PUT")]
    if response is None or not earlier:
        return False
    sent = {value for one in earlier for value in _own_texts(one)}
    return any(len(text) >= SHORTEST_ECHO and text in response.text for text in sent)


def _own_texts(exchange: Exchange) -> set[str]:
    """Return the texts that a call sent and did not take from an earlier one (its token)."""
    request = exchange.request
    taken = {path[-1] for path in request.origins}
    pairs = (*request.path.items(), *request.query, *request.form, *request.headers)
    linked = {value for name, value in pairs if name in taken and isinstance(value, str)}
    return {value for value in input_values(exchange) if isinstance(value, str)} - linked


def _success(specimen: Specimen, siblings: Sequence[Exchange]) -> str:
    act = specimen.act
    sibling = nearest_sibling(act, siblings)
    if sibling is not None and is_failure(act, sibling):
        return "is_rejected"
    if act.request.method == "GET" and _shows_what_was_sent(specimen):
        return "returns_it" if act.response is not None and act.response.is_json else "shows_it"
    if operation_of(act.request.template):
        return _returned_by_operation(act)
    body = act.response.body.strip() if act.response is not None else b""
    resource = resource_of(act.request.template)
    if body.startswith(b"[") and act.request.method == "GET":
        if body in (b"[]", b"[ ]"):
            return "returns_empty_list"
        if resource.endswith("s") and len(specimen.exchanges) == 1:
            return "returns_list"
    return "returns_200"


def _returned_by_operation(act: Exchange) -> str:
    """Return what an operation of GraphQL answers: ``returns_null``, ``returns_empty_list``."""
    field = operation_of(act.request.template).partition(".")[2]
    value = select(act, ("json", "data", field))
    if value is None:
        return "returns_null"
    if isinstance(value, list):
        return "returns_list" if value else "returns_empty_list"
    return "returns_data" if value is not MISSING else returned(act.status)
