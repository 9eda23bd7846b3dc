"""Names tests ``test_<verb>_<resource>_<condition>_<outcome>``, only by their content."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from types import MappingProxyType

from pytest_evosearch.core.english import snake_case
from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.refusals import turns_away
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash
from pytest_evosearch.sut.handle import User
from pytest_evosearch.write.answers.messages import crash_phrase
from pytest_evosearch.write.answers.messages import message_phrase
from pytest_evosearch.write.answers.messages import new_message
from pytest_evosearch.write.answers.messages import new_messages
from pytest_evosearch.write.content.endpoint_words import collection_of
from pytest_evosearch.write.content.endpoint_words import verb_of
from pytest_evosearch.write.content.input_values import input_values
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.content.specimen import pages_elsewhere
from pytest_evosearch.write.naming.caller_credentials import ANONYMOUS
from pytest_evosearch.write.naming.caller_credentials import STRANGER
from pytest_evosearch.write.naming.caller_credentials import WRONG_CREDENTIALS
from pytest_evosearch.write.naming.caller_words import caller_phrase
from pytest_evosearch.write.naming.caller_words import stranger_word
from pytest_evosearch.write.naming.grouping import FEWEST_ADDRESSES
from pytest_evosearch.write.naming.grouping import METHODS
from pytest_evosearch.write.naming.grouping import PAGES
from pytest_evosearch.write.naming.grouping import PATHS
from pytest_evosearch.write.naming.name_choice import LONGEST_NAME
from pytest_evosearch.write.naming.outcome_words import ARE_REFUSED
from pytest_evosearch.write.naming.outcome_words import IS_REFUSED
from pytest_evosearch.write.naming.outcome_words import REDIRECTS
from pytest_evosearch.write.naming.outcome_words import SHOWS_MESSAGE
from pytest_evosearch.write.naming.outcome_words import common_effect
from pytest_evosearch.write.naming.outcome_words import common_outcome
from pytest_evosearch.write.naming.outcome_words import outcome_of
from pytest_evosearch.write.naming.outcome_words import returned
from pytest_evosearch.write.naming.outcome_words import said_phrases
from pytest_evosearch.write.naming.proven_conditions import FORBIDDEN
from pytest_evosearch.write.naming.proven_conditions import PLAIN
from pytest_evosearch.write.naming.proven_conditions import Condition
from pytest_evosearch.write.naming.proven_conditions import condition_of
from pytest_evosearch.write.naming.shown_words import NOTHING_KNOWN
from pytest_evosearch.write.naming.shown_words import Known
from pytest_evosearch.write.naming.stories import Siblings
from pytest_evosearch.write.naming.stories import deed
from pytest_evosearch.write.naming.stories import deed_of
from pytest_evosearch.write.naming.stories import deletes
from pytest_evosearch.write.naming.stories import enters
from pytest_evosearch.write.naming.stories import role_in
from pytest_evosearch.write.naming.stories import story_of
from pytest_evosearch.write.naming.stories import subject_with
from pytest_evosearch.write.naming.telling_inputs import deciding_input
from pytest_evosearch.write.naming.telling_inputs import input_phrases

MESSAGES = (SHOWS_MESSAGE, "shows_messages")
"""Effects that say less than what causes them."""

MOST_COLLECTIONS = 2
"""Most resources of a table's rows that its name tells."""


def name_candidates(
    specimen: Specimen,
    siblings: Siblings,
    users: Mapping[str, User],
    condition: Condition | None = None,
    faults: str = "xfail",
    span: str = "",
    rows: Sequence[Specimen] = (),
    pages: Mapping[str, Sequence[str]] = MappingProxyType({}),
    asserted: Sequence[str] | None = None,
    is_bare: bool = False,
    known: Known = NOTHING_KNOWN,
) -> Iterator[str]:
    """Yield names for a test, the best first; later ones are shorter or more detailed.

    `condition` replaces that of the specimen alone. `faults` is how faults are
    written. `rows` are all specimens of a table; `specimen` is the first. `span` says whether they
    cover several ``methods``, ``paths`` or ``pages``. `pages` are those of each endpoint,
    `asserted` the texts that the test asserts, and `known` what else is. A test that `is_bare`
    only asserts statuses.
    """
    act = specimen.act
    same = siblings.get(act.request.endpoint, ())
    found = _in_words(condition_of(specimen) if condition is None else condition, users)
    who = _who(specimen, found, caller_phrase(specimen, same, users, rows))
    subject = deed_of(act.request, subject_with(act.request, siblings))
    if span:
        subject = _subject_of_table(rows, siblings, span)
        yield from [_joined("pages_are_shown", who)] if span == PAGES else []
    if span == PATHS:
        if specimen.fault is None and found.category not in ("unknown", FORBIDDEN, STRANGER):
            found = PLAIN
        is_user = act.user is not None and len(users) > 1 and found.category != FORBIDDEN
        who = f"as_{snake_case(str(act.user))}" if is_user else who
        yield from _wall_names(specimen, found.phrase or who, rows)
    if specimen.fault is not None:
        yield from _fault_names(specimen, subject, who, found, faults)
    if is_bare and specimen.fault is None:
        outcome = returned(act.status)
    else:
        outcome = common_outcome(rows or (specimen,), faults, asserted, known)
        yield from _refusal_names(specimen, subject, who, found, rows, pages, same, asserted)
    yield from _effect_names(specimen, subject, who, found, rows, asserted, is_bare, pages)
    story = story_of(specimen)
    if who != ANONYMOUS and _gives_way(found) and not is_bare:
        yield from _message_names(specimen, subject, who, outcome, rows, asserted)
    if _is_outstanding(found, story, specimen):
        yield from _outstanding_names(subject, who, found, outcome)
    if story:
        yield from _story_names(specimen, story, subject, who, found, outcome)
    deciding = deciding_input([row.act for row in rows])
    decided = [_joined(subject, who, outcome, "by", deciding)] if deciding else []
    if _is_failing(specimen) and not found.phrase:
        yield from decided
    yield from _plain_names(specimen, subject, who, found, outcome)
    yield from decided
    yield from _telling_apart(specimen, subject, outcome, rows, same)


def _in_words(found: Condition, users: Mapping[str, User]) -> Condition:
    is_stranger = found.phrase == ANONYMOUS
    return Condition(stranger_word(users), found.category) if is_stranger else found


def _who(specimen: Specimen, found: Condition, caller: str) -> str:
    """Return the words for a caller, empty where the condition tells it, or another cause."""
    is_stranger = specimen.act.user is None
    is_told = found.category in (STRANGER, FORBIDDEN) or (is_stranger and found.phrase)
    return "" if is_told else caller


def _wall_names(specimen: Specimen, who: str, rows: Sequence[Specimen]) -> Iterator[str]:
    """Yield a name for a table of addresses that refuse strangers with one message."""
    act = specimen.act
    addresses = {row.act.request.endpoint for row in rows}
    is_wall = len(addresses) >= FEWEST_ADDRESSES and specimen.fault is None and act.user is None
    if is_wall and turns_away(act) and not 300 <= act.status < 400:
        yield _joined(who or ANONYMOUS, ARE_REFUSED if who == WRONG_CREDENTIALS else IS_REFUSED)


def _subject_of_table(rows: Sequence[Specimen], siblings: Siblings, span: str) -> str:
    """Return the subject of a table over several methods or paths."""
    request = rows[0].act.request
    if span == METHODS:
        return f"any_method_{subject_with(request, siblings)}"
    templates = {row.act.request.template for row in rows}
    if len(templates) == 1:
        return f"{_methods_of(rows)}_{subject_with(request, siblings)}"
    collections = sorted(set(map(collection_of, templates)))
    is_short = len(collections) <= MOST_COLLECTIONS and all(collections)
    return f"{_methods_of(rows)}_{'_and_'.join(collections) if is_short else 'endpoints'}"


def _is_outstanding(found: Condition, story: str, specimen: Specimen) -> bool:
    """Say whether a test is about its condition rather than about its preparing calls.

    What earlier calls did says more than an item that is unknown, or an option.
    """
    if not found.phrase:
        return False
    if not story or found.category not in ("unknown", "with"):
        return True
    return found.category == "unknown" and not deletes(specimen)


def _outstanding_names(subject: str, who: str, found: Condition, outcome: str) -> Iterator[str]:
    yield _joined(subject, who, found.phrase, outcome)
    if outcome.startswith(REDIRECTS):  # what decides says more than the page
        yield _joined(subject, who, found.phrase, REDIRECTS)


def _gives_way(found: Condition) -> bool:
    """Say whether a message is better than a condition, because that is vague."""
    return not found.phrase or not found.says_what


def _message_names(
    specimen: Specimen,
    subject: str,
    who: str,
    outcome: str,
    rows: Sequence[Specimen],
    asserted: Sequence[str] | None,
) -> Iterator[str]:
    """Yield a name with the message of all rows: its words alone prove no cause."""
    acts = [one.act for one in rows or (specimen,)]
    message = _common_message(acts, subject, asserted)
    proven = specimen.act.status >= FIRST_REFUSAL or specimen.fault is not None
    if message:
        yield _joined(subject, who, message, *([outcome] if proven else []))


def _common_message(acts: Sequence[Exchange], subject: str, asserted: Sequence[str] | None) -> str:
    """Return the short message of all responses, as part of a name; empty without one."""
    said = {message_phrase(act, tuple(map(str, input_values(act))), asserted) for act in acts}
    stored = [value for act in acts for row in act.request.rows for value in row.values.values()]
    phrase = said.pop() if len(said) == 1 else ""
    # what a row contains is no word of the application's
    of_rows = any(snake_case(str(value)) in phrase for value in stored if value)
    if of_rows or str(acts[0].status) in phrase:
        return ""
    is_sentence = phrase.partition("_")[0] in subject.split("_")  # "delete order is on its way"
    is_answer = acts[0].status < FIRST_REFUSAL and acts[0].crash is None
    return f"says_{phrase}" if phrase and (is_sentence or is_answer) else phrase


def _methods_of(rows: Sequence[Specimen]) -> str:
    """Return the verb for a table over several paths: ``get``, ``request``."""
    methods = {verb_of(row.act.request) for row in rows}
    return methods.pop() if len(methods) == 1 else "request"


def _story_names(
    specimen: Specimen, story: str, subject: str, who: str, found: Condition, outcome: str
) -> Iterator[str]:
    """Yield names with the calls before the last one; a call with an option keeps it."""
    if found.category == "with" and specimen.act.request.query:
        yield _joined(story, who, found.phrase, outcome)
        yield _joined(subject, who, found.phrase, outcome)
    yield _joined(story, who, outcome)
    yield _joined(story, outcome)
    if outcome.startswith(REDIRECTS):  # what came before says more than the page
        yield _joined(story, REDIRECTS)
    if found.phrase:
        yield _joined(subject, who, found.phrase, outcome)
    yield _joined(subject, who, "after", deed(specimen.exchanges[0]), outcome)


def _plain_names(
    specimen: Specimen, subject: str, who: str, found: Condition, outcome: str
) -> Iterator[str]:
    """Yield names without earlier calls, the shorter ones first."""
    act = specimen.act
    yield _joined(subject, who, outcome)
    if found.phrase:
        yield _joined(subject, who, found.phrase, outcome)
        yield _joined(subject, found.phrase, outcome)
    doors = [one for one in specimen.exchanges[:-1] if enters(one, act)]
    entered = [role for role in map(role_in, doors) if role not in ("form", "page", "redirected")]
    if entered:
        yield _joined(subject, "when", entered[-1], outcome)
    yield _joined(subject, outcome)


def _telling_apart(
    specimen: Specimen,
    subject: str,
    outcome: str,
    rows: Sequence[Specimen],
    siblings: Sequence[Exchange],
) -> Iterator[str]:
    """Yield names that distinguish a test from another one, by what is shown to matter.

    Of a success, these are inputs, equal in all `rows`.  A refusal or a crash may have another
    cause than what it sends, so only an input by which the answers of its rows differ is named.
    """
    act = specimen.act
    others = [set(input_phrases(row.act, siblings)) for row in rows]
    for phrase in () if _is_failing(specimen) else input_phrases(act, siblings):
        if all(phrase in phrases for phrases in others):
            yield _joined(subject, phrase, outcome)
    if act.user is not None:
        yield _joined(subject, f"as_{snake_case(act.user)}", outcome)


def _is_failing(specimen: Specimen) -> bool:
    act = specimen.act
    return specimen.fault is not None or act.status >= FIRST_REFUSAL or turns_away(act)


def _fault_names(
    specimen: Specimen, subject: str, who: str, found: Condition, faults: str
) -> Iterator[str]:
    """Yield names with the raised exception and the input; where not unique, with the place, too.

    A test that is expected to fail is named after the expected behaviour: the name stays true when
    the fault is fixed.
    """
    crash = specimen.act.crash
    raised = _raised(crash) if crash is not None else ""
    if crash is None or not raised or specimen.fault is None:
        return
    if not specimen.fault.is_failure:
        return
    verb = "raises" if faults == "raises" else "does_not_raise"
    place = snake_case(crash.function)
    story = story_of(specimen)
    outcomes = (f"{verb}_{raised}", outcome_of(specimen, faults))
    stories: list[tuple[str, ...]] = (
        [(subject, who, found.phrase)] if found.phrase or not story else []
    )
    if story:
        stories.insert(0 if deletes(specimen) else 1, (story, who))
    for parts in stories:
        whole = [_joined(*parts, outcome) for outcome in outcomes]
        fitting = [name for name in whole if len(name) <= LONGEST_NAME]
        yield from fitting[:1] or whole  # a shorter outcome before a subject without its first word
    if place:
        for outcome in outcomes:
            yield _joined(subject, found.phrase, outcome, "in", place)
        yield _joined(subject, outcomes[0], "in", place)
    said = crash_phrase(crash.message, tuple(map(str, input_values(specimen.act))))
    if said:
        yield _joined(subject, outcomes[0], said)
    if found.phrase and len(_joined(subject, found.phrase, outcomes[1])) > LONGEST_NAME:
        yield _joined(subject, who, outcomes[0])


def _raised(crash: Crash) -> str:
    """Return the name of an exception, with its library's where it has none of its own."""
    library = crash.module.partition(".")[0]
    is_vague = crash.type_name == "Error" and library != "builtins"
    return snake_case(f"{library}_{crash.type_name}" if is_vague else crash.type_name)


def _effect_names(
    specimen: Specimen,
    subject: str,
    who: str,
    found: Condition,
    rows: Sequence[Specimen],
    asserted: Sequence[str] | None,
    is_bare: bool,
    pages: Mapping[str, Sequence[str]],
) -> Iterator[str]:
    """Yield names for the effect that the read after the call shows, equal in all rows."""
    if specimen.follow_up is None:
        return
    effect = common_effect((specimen, *rows), asserted, is_bare)
    if effect in MESSAGES and found.phrase:
        yield _joined(subject, who, found.phrase, effect)
    if effect in MESSAGES:
        seen = pages.get(f"GET {specimen.follow_up.exchange.request.template}", ())
        for said in said_phrases(rows or (specimen,), asserted, seen):
            yield _joined(subject, who, f"says_{said}")
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
    asserted: Sequence[str] | None,
) -> Iterator[str]:
    """Yield names for a form that is shown again with a new message."""
    act = specimen.act
    forms = pages.get(f"GET {act.request.template}", ())
    is_shown_again = act.request.method == "POST" and act.status == 200 and bool(forms)
    if not is_shown_again or specimen.fault is not None or specimen.follow_up is not None:
        return
    before = "".join(forms)
    shown = [one.act.response.text for one in (rows or (specimen,)) if one.act.response is not None]
    others = (pages_elsewhere(pages, act.request.template), _other_pages(act, siblings))
    messages = {new_message(page, before, others) for page in shown}
    said = {new_message(page, before, others, asserted) for page in shown}
    new = [new_messages(page, before, asserted) for page in shown]
    if "" in messages and all(new):  # too long, or in letters that no name has
        yield _joined(subject, who, found.phrase, MESSAGES[len(new) > 1])
    if "" in messages or (len(messages) == 1 and "" in said):
        return
    outcome = f"says_{said.pop()}" if len(said) == 1 and "" not in said else "shows_messages"
    if outcome in MESSAGES and found.phrase:
        yield _joined(subject, who, found.phrase, outcome)
    yield _joined(subject, who, outcome)
    yield _joined(subject, who, found.phrase, outcome)


def _other_pages(act: Exchange, siblings: Sequence[Exchange]) -> list[str]:
    """Return other pages of this endpoint."""
    found = {one.response.text: None for one in siblings if one.response is not None}
    return [text for text in found if act.response is None or text != act.response.text]


def _joined(*parts: str) -> str:
    """Join parts; omit words that repeat the noun at the end of the part before, or its end."""
    words = ["test"]
    for part in filter(None, parts):
        if words[-1].endswith(f"_{part}"):
            continue
        noun = words[-1].rpartition("_")[2]
        words.append(part.removeprefix(f"{noun}_") if len(words) > 1 else part)
    name = "_".join(words)
    return re.sub(r"\W", "_", name)  # for a method such as M-SEARCH
