"""A floor for what is worth asserting: which tests say too little to be kept.

What a library answers before the project's code runs is no test of the project.  A
redirect, or an unsafe call, whose status is all that is seen needs an effect: a read after it, a
text, a mail, what a service was sent.  Such a test only stays where it alone covers a line or one
side of a branch.  One refusal for one cause is shown once, and so is one answer of one view to
several methods, or at several addresses.  Faults at one place with one cause have one test, that of
the most ordinary value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace

from pytest_evosearch.core.http_words import ABOUT_CONTENTS
from pytest_evosearch.core.http_words import FIRST_FAILURE
from pytest_evosearch.core.http_words import FIRST_REDIRECT
from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.targets import BRANCH
from pytest_evosearch.core.targets import LINE
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import code_in
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.harvest.duties import union
from pytest_evosearch.harvest.losses import Losses
from pytest_evosearch.harvest.proving.ordinary_values import odd_slots
from pytest_evosearch.harvest.proving.ordinary_values import texts_among
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import is_safe
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.refusals import turns_away
from pytest_evosearch.write.content.facts import act_facts
from pytest_evosearch.write.content.inputs import Slot
from pytest_evosearch.write.content.proven_causes import NOT_SENT
from pytest_evosearch.write.content.proven_causes import WHOLE_BODY
from pytest_evosearch.write.content.proven_causes import Cause
from pytest_evosearch.write.content.specimen import Corpus
from pytest_evosearch.write.content.specimen import Specimen

MOST_EXAMPLES = 3
"""Most tests of one failure, however many views lead to it."""

BEYOND_ROWS = 2**31
"""Least number that hardly a table has a row for."""

HOSTILE = "only values show it that no client of the application sends: see the report"

TOO_LITTLE = "it shows a bare status, or what another test shows, and covers no code of its own"


def worth_keeping(
    found: Sequence[Specimen], losses: Losses, corpus: Corpus | None = None
) -> list[Specimen]:
    """Return the tests that say something which no other one says; note the others as dropped.

    `corpus` has the other answers of their endpoints: what all of them say is no fact.
    """
    corpus = corpus or Corpus()
    once = without_twins(without_repeated(with_one_test_a_cause(found, corpus)))
    kept = without_weak_tests(without_hostile_values(once, losses, corpus), corpus)
    _note_dropped(found, kept, losses)
    return kept


def without_hostile_values(
    found: Sequence[Specimen], losses: Losses, corpus: Corpus
) -> list[Specimen]:
    """Return the tests without faults that only show what no client of the application sends.

    The report tells them.  A test that alone runs some code stays.
    """
    run = Counter(target for one in found for target in _code_in(one.covered | one.vouched))
    kept = []
    for specimen in found:
        own = _code_in(specimen.covered | specimen.vouched)
        if _is_hostile(specimen, corpus) and all(run[target] > 1 for target in own):
            run.subtract(own)
            faults = [] if specimen.fault is None else [specimen.fault.target]
            losses.untested.update(dict.fromkeys(faults, HOSTILE))
        else:
            kept.append(specimen)
    return kept


def without_newer_libraries(
    found: Sequence[Specimen], losses: Losses, newer_library: Callable[[str, str], str]
) -> list[Specimen]:
    """Return the tests without crashes of libraries that are newer than the project states.

    That is an exception of Python itself for which no part of the request is the cause: what is
    sent or stored is the project's to check.
    """
    kept = []
    for specimen in found:
        crash, fault = specimen.act.crash, specimen.fault
        is_open = crash is not None and crash.module == "builtins" and not specimen.causes
        newer = newer_library(crash.raised_in, crash.message) if crash and is_open else ""
        if newer and fault is not None:
            losses.untested[fault.target] = f"it comes of {newer}"
        else:
            kept.append(specimen)
    return kept


def _is_hostile(specimen: Specimen, corpus: Corpus) -> bool:
    """Say whether a fault is shown by a number beyond any row's, or by JSON that is no object.

    A list counts where accepted calls show what is usual, and anything else if none sends it.
    """
    if specimen.fault is None:
        return False
    values = [one.value for one in specimen.causes]
    if values and all(map(_is_beyond_rows, values)):
        return True
    request = specimen.act.request
    accepted = [one.request for one in corpus.accepted.get(request.endpoint, ())]
    is_other = request.has_json and not isinstance(request.payload, dict)
    kinds = {type(one.payload) for one in accepted if one.has_json}
    is_scalar = not isinstance(request.payload, list)
    return is_other and (is_scalar or bool(accepted)) and type(request.payload) not in kinds


def _is_beyond_rows(value: object) -> bool:
    text = str(value)
    is_number = not isinstance(value, bool) and text.removeprefix("-").isdigit()
    return is_number and abs(int(text)) >= BEYOND_ROWS


def with_answers_once(found: Sequence[Specimen], losses: Losses, corpus: Corpus) -> list[Specimen]:
    """Return the tests, with one of those that assert the same of one endpoint, and run one code.

    A look-up or a query that comes out otherwise is nothing that such a test shows.
    """
    families: dict[tuple[str, str], list[Specimen]] = {}
    for specimen in sorted(found, key=lambda one: (-len(_seen_code(one)), len(one.steps))):
        place = specimen.act.request.endpoint, _answer(specimen, corpus)
        family, own = families.setdefault(place, []), _seen_code(specimen)
        if not own or not any(own <= _seen_code(one) for one in family):
            family.append(specimen)
    chosen = {id(one) for family in families.values() for one in family}
    kept = [one for one in found if id(one) in chosen]
    _note_dropped(found, kept, losses)
    return kept


def _note_dropped(found: Sequence[Specimen], kept: Sequence[Specimen], losses: Losses) -> None:
    shown = union(one.covered | one.targets for one in kept)
    for specimen in found:
        lost = (specimen.covered | specimen.targets) - shown - losses.untested.keys()
        if lost and not any(one is specimen for one in kept):
            name = " then ".join(one.request.endpoint for one in specimen.exchanges)
            losses.drop(name, TOO_LITTLE, lost)


def _seen_code(specimen: Specimen) -> frozenset[TargetId]:
    return code_in(specimen.vouched)


def without_weak_tests(found: Sequence[Specimen], corpus: Corpus) -> list[Specimen]:
    """Return the tests without those that say too little and cover no code of their own.

    Where no line is measured, as on a server, none is left out.  A test that is expected to fail
    runs its code as well as a bare refusal does.
    """
    vouched = Counter(target for one in found for target in code_of(one))
    run = Counter(target for one in found for target in _code_in(one.covered | one.vouched))
    kept = list(found)
    weak = [one for one in found if says_too_little(one, corpus) or _is_refused_outside(one, found)]
    for specimen in sorted(weak, key=lambda one: -len(one.steps)):
        own = code_of(specimen)
        counts = run if specimen.act.status in ABOUT_CONTENTS else vouched
        if vouched and all(counts[target] > 1 for target in own):
            vouched.subtract(own)
            run.subtract(own)
            kept.remove(specimen)
    return kept


def _is_refused_outside(specimen: Specimen, found: Sequence[Specimen]) -> bool:
    """Say whether a call is refused before any code runs that other addresses do not run, too.

    That is what a library does with a body that it checks itself.  Who may call is worth a test.
    """
    act = specimen.act
    is_refused = FIRST_REFUSAL <= act.status < FIRST_FAILURE and not turns_away(act)
    if not is_refused or specimen.fault is not None or len(specimen.steps) > 1:
        return False
    template = act.request.template
    others = union(
        code_of(one) for one in found if one.fault is None and one.act.request.template != template
    )
    return code_of(specimen) <= others


def code_of(specimen: Specimen) -> frozenset[TargetId]:
    """Return the lines and sides of branches that a test vouches for."""
    return _code_in(specimen.vouched)


def _code_in(targets: Iterable[TargetId]) -> frozenset[TargetId]:
    return frozenset(one for one in targets if kind_of(one) in (LINE, BRANCH))


def says_too_little(specimen: Specimen, corpus: Corpus) -> bool:
    """Say whether a test shows an answer of a library alone, or a status without an effect.

    A library's page about a status is no fact, so what it refuses shows its status alone.
    """
    act, response = specimen.act, specimen.act.response
    if specimen.fault is not None or specimen.follow_up is not None or response is None:
        return False
    is_untouched = bool(specimen.covered) and not code_of(specimen)
    if specimen.is_unmoved or is_untouched:
        return True
    if response.status >= FIRST_REFUSAL:
        return response.status in ABOUT_CONTENTS and _shows_a_status(specimen, corpus)
    if turns_away(act) or act.mails or act.outgoing:
        return False
    is_redirect = response.status >= FIRST_REDIRECT
    return is_redirect or (not is_safe(act.request.endpoint) and _shows_a_status(specimen, corpus))


def _shows_a_status(specimen: Specimen, corpus: Corpus) -> bool:
    """Say whether nothing but the status of the last answer can be asserted."""
    return len(act_facts(specimen, len(specimen.exchanges) - 1, corpus)) == 1


def without_repeated(found: Sequence[Specimen]) -> list[Specimen]:
    """Return the tests, each refusal for one cause once, in its shortest test.

    A longer one stays where it alone vouches for a target.  What comes before a write is not needed
    for a refusal that another test shows without it.
    """
    first: dict[str, Specimen] = {}
    for specimen in sorted(found, key=lambda one: len(one.steps)):
        first.setdefault(_refusal(specimen), specimen)
    others = union(one.vouched for one in first.values())
    kept = [one for one in found if first[_refusal(one)] is one or not one.vouched <= others]
    shortest: dict[str, int] = {}
    for one in kept:
        place = _refused_write(one)
        shortest[place] = min(len(one.steps), shortest.get(place, len(one.steps)))
    longer = [one for one in kept if len(one.steps) > shortest[_refused_write(one)]]
    rest = union(code_of(one) for one in kept if not any(one is other for other in longer))
    return [one for one in kept if not (one in longer and code_of(one) <= rest)]


def with_one_test_a_cause(
    found: Sequence[Specimen], corpus: Corpus | None = None
) -> list[Specimen]:
    """Return the tests, with one for the faults that one part causes at one place.

    It shows the others, too: one repair ends all of them.  Where what many views call fails alike,
    a few of them are examples of all.
    """
    once = _with_examples(without_odd_values(found, corpus or Corpus()), _cause_here, 1)
    return _with_examples(once, _cause_below, MOST_EXAMPLES)


def without_odd_values(found: Sequence[Specimen], corpus: Corpus) -> list[Specimen]:
    """Return the tests without faults of values that hardly a client sends, but for the only ones.

    That is another body than an object, and what is no text where texts are usual.  An ordinary
    value fails in the same line then, or for the same part.
    """
    texts = _texts_of(found, corpus)
    odd = {id(one): _odd_names(one, texts) for one in found}
    ordinary = [one for one in found if one.fault is not None and not odd[id(one)]]
    shown: dict[int, frozenset[TargetId]] = {}
    kept = []
    for one in found:
        stands = [other for other in ordinary if _stands_for(other, one, odd[id(one)])]
        if not stands or one.fault is None:
            kept.append(one)
        elif _line(one) == _line(stands[0]):
            faults = {each.fault.target for each in (one, stands[0]) if each.fault is not None}
            shown[id(stands[0])] = shown.get(id(stands[0]), frozenset()) | faults
    return [
        replace(one, covered=one.covered | shown[id(one)]) if id(one) in shown else one
        for one in kept
    ]


def _texts_of(found: Sequence[Specimen], corpus: Corpus) -> dict[str, frozenset[Slot]]:
    """Return which fields of each endpoint are texts, as accepted calls show, or else all."""
    sent: dict[str, list[Request]] = {}
    for one in found:
        sent.setdefault(one.act.request.endpoint, []).append(one.act.request)
    accepted = {key: [one.request for one in calls] for key, calls in corpus.accepted.items()}
    return {key: texts_among(accepted.get(key, ())) | texts_among(sent[key]) for key in sent}


def _odd_names(specimen: Specimen, texts: Mapping[str, frozenset[Slot]]) -> list[str]:
    """Return the parts of a call that hardly a client sends like that; empty for a whole body."""
    causes, request = specimen.causes, specimen.act.request
    whole = ["" for one in causes if one.location == WHOLE_BODY and " " in one.name]
    listed = [one.name for one in causes if isinstance(one.value, (dict, list))]
    names = [name for _place, name in odd_slots(request, texts[request.endpoint])]
    return list(dict.fromkeys((*whole, *listed, *names)))


def _stands_for(ordinary: Specimen, other: Specimen, odd: Sequence[str]) -> bool:
    """Say whether an ordinary value shows what odd ones show, or that their part is not checked."""
    if not odd or ordinary.act.request.endpoint != other.act.request.endpoint:
        return False
    named = [one for one in ordinary.causes if one.location != WHOLE_BODY and one.name]
    whole = any(one.value is NOT_SENT for one in named) and "" in odd
    is_there = _line(ordinary) == _line(other) and (whole or not (named and other.causes))
    proven = {one.name for one in other.causes}.intersection(odd)
    return is_there or any(one.name in proven for one in named)


def _line(specimen: Specimen) -> tuple[str, str]:
    """Return which endpoint a fault is at, and in which line; unique without a line."""
    position = specimen.fault.position if specimen.fault is not None else ""
    return specimen.act.request.endpoint, position if ":" in position else f"{id(specimen)}"


def _with_examples(
    found: Sequence[Specimen], key_of: Callable[[Specimen], str], most: int
) -> list[Specimen]:
    """Return the tests with the `most` ordinary ones of each group; the first stands for all."""
    groups: dict[str, list[Specimen]] = {}
    for specimen in found:
        groups.setdefault(key_of(specimen), []).append(specimen)
    kept = {}
    for group in groups.values():
        chosen = sorted(group, key=_unusualness)[:most]
        kept.update({id(one): one for one in chosen})
        if len(group) > most:
            faults = frozenset(one.fault.target for one in group if one.fault is not None)
            first = chosen[0]
            kept[id(first)] = replace(first, covered=first.covered | faults)
    return [kept[id(one)] for one in found if id(one) in kept]


def _cause_here(specimen: Specimen) -> str:
    """Return a text that is equal for faults of one kind, place and cause, else unique."""
    fault, causes = specimen.fault, specimen.causes
    if fault is None or not causes or ":" not in fault.position:
        return f"{id(specimen)}"
    endpoint, parts = specimen.act.request.endpoint, _parts(specimen)
    # a page sends an empty field where a test may leave it out
    kind = "" if all(map(_is_blank, causes)) else (fault.code, fault.kind)
    return repr((kind, fault.position, endpoint, parts))


def _is_blank(cause: Cause) -> bool:
    return cause.location == Location.FORM.value and cause.value in (NOT_SENT, "")


def _cause_below(specimen: Specimen) -> str:
    """Return a text that is equal for faults of one cause in what several views call, else unique.

    That is a function of a library, or a line of the project.
    """
    crash = specimen.act.crash
    if specimen.fault is None or crash is None or not crash.path or not specimen.causes:
        return f"{id(specimen)}"
    places = {location for location, _name in _parts(specimen)}
    below = crash.raised_in or crash.position
    return repr((crash.type_name, below, crash.message, sorted(places)))


def _parts(specimen: Specimen) -> list[tuple[str, str]]:
    """Return what causes a fault; of a whole body, whatever kind it is."""
    return [
        (one.location, "" if one.location == WHOLE_BODY else one.name) for one in specimen.causes
    ]


def _unusualness(specimen: Specimen) -> tuple[int, int, int]:
    """Return how far the causes are from what clients send: nothing, null, then short values.

    In a form that is an empty field, which comes before one that is left out.
    """
    blank = [one for one in specimen.causes if _is_blank(one)]
    left_out = [one for one in blank if one.value is NOT_SENT]
    values = [one.value for one in specimen.causes if one not in blank]
    made_up = [one for one in values if one is not NOT_SENT and one is not None]
    return len(specimen.steps), len(made_up) + len(left_out), len(repr(made_up))


def without_twins(found: Sequence[Specimen]) -> list[Specimen]:
    """Return the tests without those that another method, or address, of one view answers alike.

    A twin covers no line and no side of a branch that the other one does not cover.
    """
    families: dict[str, list[Specimen]] = {}
    for specimen in sorted(found, key=_simplicity):
        family = families.setdefault(_answer(specimen, Corpus()), [])
        if not any(_is_twin(specimen, one) for one in family):
            family.append(specimen)
    kept = {id(one) for family in families.values() for one in family}
    return [one for one in found if id(one) in kept]


def _simplicity(specimen: Specimen) -> tuple[int, bool, int]:
    method, template = specimen.act.request.method, specimen.act.request.template
    return len(specimen.steps), method != "GET", len(template)


def _is_twin(specimen: Specimen, other: Specimen) -> bool:
    """Say whether two tests with one answer show one view twice."""
    mine, theirs = specimen.act.request, other.act.request
    own = code_of(specimen)
    if mine.endpoint == theirs.endpoint or not own or not own <= code_of(other):
        return False
    if turns_away(specimen.act):  # each method and each address is guarded by itself
        return False
    return mine.template == theirs.template or specimen.act.status < FIRST_REDIRECT


def _answer(specimen: Specimen, corpus: Corpus) -> str:
    """Return a text that is equal for tests that assert the same of one answer, else unique."""
    act, response = specimen.act, specimen.act.response
    if specimen.fault is not None or specimen.follow_up is not None or response is None:
        return f"{id(specimen)}"
    facts = act_facts(specimen, len(specimen.exchanges) - 1, corpus)
    body = b"" if response.is_markup or response.is_json else response.body
    return repr((act.user, facts, body, act.mails, act.outgoing))


def _refused_write(specimen: Specimen) -> str:
    """Return a text that is equal for tests of writes that one view refuses alike, else unique."""
    act, response = specimen.act, specimen.act.response
    is_refused = act.status >= FIRST_REFUSAL and not is_safe(act.request.endpoint)
    if not is_refused or response is None or specimen.fault or not response.body.strip():
        return f"{id(specimen)}"
    return repr((act.request.endpoint, act.user, response.status, response.body))


def _refusal(specimen: Specimen) -> str:
    """Return a text that is equal for tests of one refusal with one cause, else unique."""
    act, response = specimen.act, specimen.act.response
    if not specimen.causes or act.status < FIRST_REFUSAL or response is None or specimen.fault:
        return f"{id(specimen)}"
    causes = [(one.location, one.name, one.value) for one in specimen.causes]
    return repr((act.request.endpoint, act.user, response.status, response.body, causes))
