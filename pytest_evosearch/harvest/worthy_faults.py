"""Which faults have tests: one a cause, by its most ordinary value, and none no client sends."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace

from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.harvest.duties import code_among
from pytest_evosearch.harvest.losses import Losses
from pytest_evosearch.harvest.proving.ordinary_values import odd_slots
from pytest_evosearch.harvest.proving.ordinary_values import texts_among
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash
from pytest_evosearch.sut.finding.absent_packages import absent_package
from pytest_evosearch.write.content.inputs import Slot
from pytest_evosearch.write.content.proven_causes import NOT_SENT
from pytest_evosearch.write.content.proven_causes import WHOLE_BODY
from pytest_evosearch.write.content.proven_causes import Cause
from pytest_evosearch.write.content.specimen import Corpus
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.naming.caller_credentials import AUTHORIZATION

MOST_EXAMPLES = 3
"""Most tests of one failure, however many views lead to it."""

BEYOND_ROWS = 2**31
"""Least number that hardly a table has a row for."""

_FRAME = re.compile(r'^  File "([^"]+)"', re.MULTILINE)
_INSTALLED = re.compile(r"site-packages[\\/](\w+)")
"""The file of a frame in a traceback, and the library that it belongs to."""

HOSTILE = "only values show it that no client of the application sends: see the report"


def without_hostile_values(
    found: Sequence[Specimen], losses: Losses, corpus: Corpus
) -> list[Specimen]:
    """Return the tests without faults that only show what no client of the application sends.

    The report tells them.  A test that alone runs some code stays.
    """
    run = Counter(target for one in found for target in code_among(one.covered | one.vouched))
    kept = []
    for specimen in found:
        own = code_among(specimen.covered | specimen.vouched)
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
    sent or stored is the project's to check.  A package that a library lacks on this machine is no
    fault either.
    """
    kept = []
    for specimen in found:
        crash, fault = specimen.act.crash, specimen.fault
        is_open = crash is not None and crash.module == "builtins" and not specimen.causes
        newer = newer_library(_last_library(crash), crash.message) if crash and is_open else ""
        absent = absent_package(crash.traceback, crash.message) if crash is not None else ""
        if (newer or absent) and fault is not None:
            losses.untested[fault.target] = f"it comes of {newer or f'{absent}, which is absent'}"
        else:
            kept.append(specimen)
    return kept


def _last_library(crash: Crash) -> str:
    """Return the library that failed, or that has raised, also where another one is to blame."""
    *_, last = ("", *_FRAME.findall(crash.traceback))
    found = _INSTALLED.search(last)
    return crash.raised_in or (found[1] if found is not None else "")


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


def with_one_test_a_cause(
    found: Sequence[Specimen], corpus: Corpus | None = None
) -> list[Specimen]:
    """Return the tests, with one for the faults that one part causes at one place.

    It shows the others, too: one repair ends all of them.  What a library raises before any code of
    the project is one cause.  Where what many views call fails alike,
    a few of them are examples of all.
    """
    once = _with_examples(without_odd_values(found, corpus or Corpus()), _cause_here, 1)
    once = _with_examples(once, _cause_outside, 1)
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


def _cause_outside(specimen: Specimen) -> str:
    """Return a text that is equal for crashes before any code of the project, else unique.

    A library raises one exception for each way to send a wrong token; what lets them through to a
    500 is one mistake.
    """
    crash = specimen.act.crash
    if specimen.fault is None or not specimen.fault.is_failure or crash is None or crash.path:
        return f"{id(specimen)}"
    names = {one.name.lower() for one in specimen.causes} or {AUTHORIZATION}
    return repr((specimen.act.request.endpoint, sorted(names)))


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
