"""Words for the calls of a test in its name: the subject, the action, and earlier actions."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from functools import cached_property

from pytest_evosearch.core.english import snake_case
from pytest_evosearch.core.vocabulary import LOG_IN
from pytest_evosearch.core.vocabulary import LOG_OUT
from pytest_evosearch.core.vocabulary import ONWARD
from pytest_evosearch.core.vocabulary import REGISTER
from pytest_evosearch.core.vocabulary import Certainty
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.refusals import turns_away
from pytest_evosearch.write.content.endpoint_words import placeholders
from pytest_evosearch.write.content.endpoint_words import resource_of
from pytest_evosearch.write.content.endpoint_words import verb_of
from pytest_evosearch.write.content.inputs import identifies
from pytest_evosearch.write.content.inputs import slots_of
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.content.variables import ENTERING
from pytest_evosearch.write.content.variables import last_word
from pytest_evosearch.write.content.variables import role_of

ENTRANCES = (*LOG_IN.words(), *LOG_OUT.words(), *REGISTER.words())
"""Endpoints that may redirect every caller to the log-in page, not only strangers."""

_LEADING_ON = ONWARD.words(Certainty.POSSIBLE)
"""Fields that a page passes on to its form: they do not make a submitted form a query."""


class Siblings(dict[str, list[Exchange]]):
    """Endpoint's key -> all its calls: those under test first, then preparing ones."""

    @cached_property
    def _templates(self) -> Mapping[str, Sequence[str]]:
        """Return the templates by resource, in the order of their keys."""
        found: dict[str, list[str]] = {}
        for key in sorted(self):
            template = key.partition(" ")[2]
            found.setdefault(resource_of(template), []).append(template)
        return found

    def templates_about(self, resource: str) -> Sequence[str]:
        """Return the templates of the endpoints of `resource`."""
        return self._templates.get(resource, ())


def siblings_of(specimens: Sequence[Specimen]) -> Siblings:
    """Group the calls by endpoint.

    A form that also works with ``GET`` (a search) submits nothing. Then a redirect of some calls
    does not mean that calls with a page were refused.
    """
    found = _by_endpoint(specimens)
    for key, exchanges in found.items():
        method, _, template = key.partition(" ")
        if method == "POST" and _asks_the_same(found.get(f"GET {template}", ()), exchanges):
            pages = [one for one in exchanges if not 300 <= one.status < 400]
            found[key] = pages or exchanges
    return found


def _asks_the_same(read: Sequence[Exchange], posted: Sequence[Exchange]) -> bool:
    """Say whether a successful query also had a field of the posted form."""
    asked = {name for one in read if one.status < 400 for name, _ in one.request.query}
    return any(
        name in asked and snake_case(name) not in _LEADING_ON
        for one in posted
        for name, _ in one.request.form
    )


def _by_endpoint(specimens: Sequence[Specimen]) -> Siblings:
    found = Siblings()
    for specimen in specimens:
        found.setdefault(specimen.act.request.endpoint, []).append(specimen.act)
    for specimen in specimens:
        for exchange in specimen.exchanges[:-1]:
            found.setdefault(exchange.request.endpoint, []).append(exchange)
    return found


def deletes(specimen: Specimen) -> bool:
    """Say whether an earlier call deletes something: then the test is about the deletion."""
    return any(is_deletion(exchange.request) for exchange in specimen.exchanges[:-1])


def is_deletion(request: Request) -> bool:
    """Say whether a call deletes something."""
    return request.method == "DELETE" or last_word(request) in ("delete", "remove")


def subject_with(request: Request, siblings: Siblings) -> str:
    """Return the subject of an endpoint, distinguished by its parameters from others of one name.

    ``/login/`` beside ``/login`` is distinguished by its slash.
    """
    resource = resource_of(request.template)
    bare = request.template.rstrip("/")
    if bare != request.template and f"{request.method} {bare}" in siblings:
        return f"{resource}_with_slash"
    mine = placeholders(request.template)
    for template in siblings.templates_about(resource):
        theirs = set(placeholders(template))
        if not theirs < set(mine):
            continue
        extra = [snake_case(name) for name in mine if name not in theirs]
        if len(extra) == 1 and identifies(extra[0]) and bare.endswith("}"):
            return f"{resource}_item"
        return f"{resource}_with_{extra[0]}"
    return resource


def deed(exchange: Exchange) -> str:
    """Return the action of a call without a comparison with its siblings: ``post_users``."""
    return deed_of(exchange.request, resource_of(exchange.request.template))


def deed_of(request: Request, subject: str) -> str:
    """Return verb and subject of a request; the name of a GraphQL mutation is enough."""
    verb = verb_of(request)
    return f"{verb}_{subject}" if verb else subject


def story_of(specimen: Specimen) -> str:
    """Return ``post_users_then_get_user``: the first and the last call of a longer test.

    The last log-in and everything before it is omitted, because every test of a protected page
    needs it. A page that only returns a token is omitted, too.  A read that says nothing new after
    a write has no story.
    """
    if specimen.is_unmoved:
        return ""
    earlier = specimen.exchanges[:-1]
    doors = [at for at, one in enumerate(earlier, start=1) if enters(one, specimen.act)]
    behind = range(doors[-1] if doors else 0, len(earlier))
    steps = [
        earlier[at]
        for at in behind
        if not _gives_token(specimen, at) and not _is_refused_before(earlier[at], specimen.act)
    ]
    if not steps:
        return ""
    deeds = [deed(exchange) for exchange in (*steps, specimen.act)]
    if len(deeds) == 2 and deeds[0] == deeds[1]:
        return f"{deeds[0]}_{_repeated(steps[0], specimen.act)}"
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


def _is_refused_before(exchange: Exchange, act: Exchange) -> bool:
    """Say whether a call was refused and then sent with other values: it had no effect."""
    return exchange.request.endpoint == act.request.endpoint and turns_away(exchange)


def _repeated(first: Exchange, second: Exchange) -> str:
    """Return ``twice`` for an equal request, ``then_another_email`` where that differs."""
    before, after = slots_of(first.request), slots_of(second.request)
    changed = [slot for slot in {**before, **after} if before.get(slot) != after.get(slot)]
    if not changed:
        return "twice"
    name = snake_case(changed[0][1])
    is_one_change = len(changed) == 1 and changed[0] in before and changed[0] in after
    return f"then_another_{name}" if is_one_change and name else "then_another"


def role_in(exchange: Exchange) -> str:
    """Return the role of a call before the call under test."""
    return role_of(exchange, False)


def enters(exchange: Exchange, act: Exchange) -> bool:
    """Say whether a call only lets its caller in: a log-in, its form, a mailed address."""
    request = exchange.request
    if exchange.status >= 400 or request.endpoint == act.request.endpoint:
        return False
    is_form = (
        request.method == "GET" and snake_case(request.template.rpartition("/")[2]) in ENTRANCES
    )
    return is_form or role_of(exchange, False) in ENTERING or request.was_mailed


def _gives_token(specimen: Specimen, index: int) -> bool:
    """Say whether a call reads a page with a token that a later call sends back."""
    return specimen.exchanges[index].request.method == "GET" and any(
        origin.call == index and origin.selector[0] in ("form", "page")
        for later in specimen.exchanges[index + 1 :]
        for origin in later.request.origins.values()
    )
