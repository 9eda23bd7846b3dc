"""Chooses what to assert about a JSON body: all of a small one, the best parts of a large one."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence

from pytest_evosearch.core.english import singular
from pytest_evosearch.core.english import snake_case
from pytest_evosearch.core.vocabulary import IDENTIFIER
from pytest_evosearch.core.vocabulary import Certainty
from pytest_evosearch.problem.http.exchanges.framework_words import is_framework_sentence
from pytest_evosearch.write.answers.differences import JsonPath
from pytest_evosearch.write.answers.page_texts import GENERIC
from pytest_evosearch.write.answers.page_texts import says_only_the_status
from pytest_evosearch.write.answers.today import REASON as TODAY
from pytest_evosearch.write.code.layout import height
from pytest_evosearch.write.code.literals import Expression
from pytest_evosearch.write.code.literals import Unstable
from pytest_evosearch.write.code.literals import node_of
from pytest_evosearch.write.content.answered_body import AnsweredBody
from pytest_evosearch.write.content.answered_body import Fact
from pytest_evosearch.write.content.environment import bound_to
from pytest_evosearch.write.content.identifier_names import BARE_IDENTIFIERS
from pytest_evosearch.write.content.references import variable_for

LARGEST_LITERAL = 16
"""Most lines of a JSON body that is asserted as a whole."""


LARGEST_PART = 6
"""Most lines of one value inside a large JSON body that is asserted as a whole."""


MOST_FACTS = 6
"""Most assertions about one large body: more would hide the point of the test."""


FRAMEWORK = "the framework's own words"
"""Reason for a description that no handler writes, and that depends on Werkzeug's version."""


NOT_A_NUMBER = "not a number"


def first_words(text: str) -> str:
    """Return the beginning of the first line with a word, else of any line; empty without one."""
    lines = [line for line in text.splitlines() if line.strip()]
    spoken = [line for line in lines if re.search(r"[^\W\d_]{3}", line)]
    return next(iter(spoken or lines), "").strip()[:60].rstrip()


def marked(value: object, body: AnsweredBody, path: JsonPath, owner: str = "") -> object:
    """Return a JSON value with known identifiers as variables and unstable parts as `Unstable`.

    `owner` is the resource that contains the value: the ``id`` inside a user's role is that of a
    role.
    """
    key = next((step for step in reversed(path) if isinstance(step, str)), "")
    named = f"{owner}_{key}" if owner and key in BARE_IDENTIFIERS else key
    variable = variable_for(value, named, body.known, body.nouns)
    if variable is not None:
        return variable
    reason = body.reason("json", *path)
    if reason is not None:
        return Unstable(reason)
    if isinstance(value, dict):
        identified = not value.keys().isdisjoint(BARE_IDENTIFIERS)
        return {
            name: marked(part, body, (*path, name), _owner_of(name, part, owner, identified))
            for name, part in value.items()
        }
    if isinstance(value, list):
        return [marked(part, body, (*path, place), owner) for place, part in enumerate(value)]
    if isinstance(value, float) and math.isnan(value):
        return Unstable(NOT_A_NUMBER)
    if isinstance(value, str) and bound_to(value, key):
        return Unstable(bound_to(value, key))
    if isinstance(value, str) and body.shows_today(value):
        return Unstable(TODAY)
    if isinstance(value, str) and path and is_framework_sentence(value):
        return Unstable(FRAMEWORK)
    if isinstance(value, str) and body.is_refusal and body.repeats_a_library(value):
        return Unstable("")
    return value


def _owner_of(name: str, part: object, owner: str, identified: bool) -> str:
    """Return the resource for the parts of `part`, which has the key `name` in an object."""
    is_thing = identified and isinstance(part, (dict, list))
    return singular(snake_case(name)) if is_thing else owner


def refusal_facts(value: object, path: JsonPath) -> list[Fact]:
    """Return facts about a document of the framework that explains a status; [] for any other.

    Parts that repeat the status are omitted, unless nothing else remains.
    """
    if not isinstance(value, dict) or Unstable(FRAMEWORK) not in value.values():
        return []
    parts = {key: part for key, part in value.items() if not isinstance(part, Unstable)}
    texts = {key: part for key, part in parts.items() if isinstance(part, str)}
    own = {key: part for key, part in parts.items() if not _repeats_status(part)}
    chosen = own or texts
    return [fact for key, part in chosen.items() for fact in _part_facts(part, (*path, key))]


def _repeats_status(value: object) -> bool:
    if isinstance(value, str):
        return says_only_the_status(value) or value.lower() in GENERIC
    return isinstance(value, int) and 400 <= value < 600


def facts_of_json(body: AnsweredBody, value: object, path: JsonPath) -> Iterator[Fact]:
    """Yield the facts to assert about a JSON value, in the form that `marked` returns."""
    yield from _not_a_number_facts(value, path)
    if isinstance(value, Unstable) or (isinstance(value, dict) and _all_unstable(value)):
        return
    if height(node_of(value)) <= LARGEST_LITERAL:
        yield Fact("json", path, value)
    elif isinstance(value, list):
        yield from _list_facts(body, value, path)
    elif isinstance(value, dict):
        yield from _telling_facts(body, value, path)
    elif isinstance(value, str):
        yield from _long_text_facts(value, path)


def _long_text_facts(text: str, path: JsonPath) -> Iterator[Fact]:
    """Yield the first words of a long text; its length is not informative."""
    beginning = first_words(text)
    if beginning:
        yield Fact("json-contains", path, beginning)


def _not_a_number_facts(value: object, path: JsonPath) -> Iterator[Fact]:
    """Yield facts about NaN values: NaN equals nothing, so a literal cannot assert it."""
    parts = value.items() if isinstance(value, dict) else ()
    if value == Unstable(NOT_A_NUMBER):
        yield Fact("nan", path)
    for key, part in parts:
        if part == Unstable(NOT_A_NUMBER):
            yield Fact("nan", (*path, key))


def _all_unstable(value: Mapping[str, object]) -> bool:
    return bool(value) and all(isinstance(part, Unstable) for part in value.values())


def _list_facts(body: AnsweredBody, value: list[object], path: JsonPath) -> Iterator[Fact]:
    yield Fact("length", path, len(value))
    place = _telling_place(body, value, path)
    item = value[place]
    if isinstance(item, Unstable):
        return
    if height(node_of(item)) <= LARGEST_PART or not isinstance(item, (dict, list)):
        yield Fact("json", (*path, place), item)
    elif isinstance(item, dict) and len(path) < 3:
        yield from _telling_facts(body, item, (*path, place), MOST_FACTS // 2)


def _telling_place(body: AnsweredBody, value: Sequence[object], path: JsonPath) -> int:
    """Return the index of the item that the test is about.

    This is the item that the call under test changed, otherwise one that an earlier call created,
    otherwise the first.
    """
    changed = (place for place in range(len(value)) if body.is_changed((*path, place)))
    created = (place for place, item in enumerate(value) if _has_variable(item))
    return next(changed, next(created, 0))


def _has_variable(item: object) -> bool:
    return isinstance(item, dict) and any(isinstance(part, Expression) for part in item.values())


def _telling_facts(
    body: AnsweredBody, value: dict[str, object], path: JsonPath, most: int = MOST_FACTS
) -> Iterator[Fact]:
    """Yield facts about the most important keys, in their order in the body."""
    usable = [key for key in value if not isinstance(value[key], Unstable)]
    dullness = {key: _dullness(body, (*path, key), value[key]) for key in usable}
    chosen = set(sorted(usable, key=lambda key: dullness[key])[:most])
    for key in usable:
        if key in chosen and body.is_changed((*path, key)) and len(path) < 3:
            yield from facts_of_json(body, value[key], (*path, key))
        elif key in chosen:
            yield from _part_facts(value[key], (*path, key))


def _part_facts(value: object, path: JsonPath) -> Iterator[Fact]:
    if height(node_of(value)) <= LARGEST_PART:
        yield Fact("json", path, value)
    elif isinstance(value, list):
        yield Fact("length", path, len(value))
    elif isinstance(value, str):
        yield from _long_text_facts(value, path)
    elif isinstance(value, dict):
        yield Fact("json-keys", path, sorted(map(str, value)))


def _dullness(body: AnsweredBody, path: JsonPath, value: object) -> int:
    """Return how unimportant a key is for the subject of the test; 0 is the most important."""
    if body.is_changed(path):
        return 0
    telling = not isinstance(value, (dict, list)) and value not in (None, "", 0, 1)
    if telling and any(str(value) == str(given) for given in body.inputs):
        return 0
    if isinstance(value, (dict, list)):
        return 3
    is_identifier = IDENTIFIER.is_meant_by(str(path[-1]), Certainty.LIKELY)
    return 1 if is_identifier or body.is_special(path, value) else 2
