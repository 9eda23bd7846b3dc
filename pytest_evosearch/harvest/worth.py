"""A floor for what is worth asserting: which tests say too little to be kept.

What a library answers before the project's code runs is no test of the project.  A
redirect, or a call whose status is all that is seen needs an effect: a read after it, a text, a
mail, what a service was sent.  Such a test only stays where it alone covers a line or one
side of a branch.  One refusal for one cause is shown once, and so is one answer of one view to
several methods, or at several addresses.  Faults at one place with one cause have one test, that of
the most ordinary value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pytest_evosearch.core.http_words import ABOUT_CONTENTS
from pytest_evosearch.core.http_words import FIRST_FAILURE
from pytest_evosearch.core.http_words import FIRST_REDIRECT
from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import code_in
from pytest_evosearch.harvest.duties import code_among
from pytest_evosearch.harvest.duties import requests_of
from pytest_evosearch.harvest.duties import union
from pytest_evosearch.harvest.losses import Losses
from pytest_evosearch.harvest.proving.handed_out import lacks_token
from pytest_evosearch.harvest.worthy_faults import with_one_test_a_cause
from pytest_evosearch.harvest.worthy_faults import without_hostile_values
from pytest_evosearch.problem.http.exchanges.endpoint import is_safe
from pytest_evosearch.problem.http.exchanges.refusals import turns_away
from pytest_evosearch.write.answers.page_texts import SHORTEST_ECHO
from pytest_evosearch.write.content.facts import act_facts
from pytest_evosearch.write.content.input_values import input_values
from pytest_evosearch.write.content.specimen import Corpus
from pytest_evosearch.write.content.specimen import Specimen

TOO_LITTLE = "it shows a bare status, or what another test shows, and covers no code of its own"


def worth_keeping(
    found: Sequence[Specimen], losses: Losses, corpus: Corpus | None = None
) -> list[Specimen]:
    """Return the tests that say something which no other one says; note the others as dropped.

    `corpus` has the other answers of their endpoints: what all of them say is no fact.
    """
    corpus = corpus or Corpus()
    once = without_twins(without_repeated(with_one_test_a_cause(without_faulty(found), corpus)))
    once = with_one_lack_of_a_token(once)
    once = without_echoes(without_hostile_values(once, losses, corpus), corpus)
    kept = without_weak_tests(once, corpus)
    _note_dropped(found, kept, losses)
    return kept


def with_one_lack_of_a_token(found: Sequence[Specimen]) -> list[Specimen]:
    """Return the tests, with one form that is sent without its token: one check guards all.

    The best of them shows a message, or else runs the most code.
    """
    lacking = [one for one in found if one.fault is None and lacks_token(one.causes)]
    best = min(lacking, key=_weakness, default=None)
    return [one for one in found if one is best or not any(one is other for other in lacking)]


def _weakness(specimen: Specimen) -> tuple[bool, int]:
    is_redirect = FIRST_REDIRECT <= specimen.act.status < FIRST_REFUSAL
    return is_redirect, -len(code_of(specimen))


def without_weak_tests(found: Sequence[Specimen], corpus: Corpus) -> list[Specimen]:
    """Return the tests without those that say too little and cover no code of their own.

    Where no line is measured, as on a server, none is left out.  A test that is expected to fail
    runs its code as well as a bare refusal does.
    """
    vouched = Counter(target for one in found for target in code_of(one))
    run = Counter(target for one in found for target in code_among(one.covered | one.vouched))
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
    if is_redirect or is_safe(act.request.endpoint):
        return is_redirect or (not specimen.causes and _is_bare(specimen, corpus))
    return _shows_a_status(specimen, corpus)


def _is_bare(specimen: Specimen, corpus: Corpus) -> bool:
    """Say whether a read has no fact but its status, so that no name can say what it shows."""
    facts = act_facts(specimen, len(specimen.exchanges) - 1, corpus)
    return all(one.kind == "status" for one in facts)


def _shows_a_status(specimen: Specimen, corpus: Corpus) -> bool:
    """Say whether nothing but the status of the last answer can be asserted.

    A text of its page that stands there before anything is sent, or on each other answer, is no
    fact.
    """
    facts = act_facts(specimen, len(specimen.exchanges) - 1, corpus)
    request, response = specimen.act.request, specimen.act.response
    others = corpus.others(request.endpoint, response.text) if response is not None else ()
    groups = [corpus.served.get(f"GET {request.template}", ()), others]
    return all(
        one.kind == "status"
        or (one.kind == "contains" and any(_stands_on_all(str(one.value), on) for on in groups))
        for one in facts
    )


def _stands_on_all(text: str, pages: Sequence[str]) -> bool:
    return bool(pages) and all(text in page for page in pages)


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


def without_echoes(found: Sequence[Specimen], corpus: Corpus) -> list[Specimen]:
    """Return the tests of which no two assert the same but for what they have sent themselves.

    What has another proven cause, or runs code of its own, stays.
    """
    first: dict[str, list[Specimen]] = {}
    for specimen in sorted(found, key=lambda one: (-len(code_of(one)), len(one.steps))):
        family = first.setdefault(_unsaid(specimen, corpus), [])
        if not family or not code_of(specimen) <= union(code_of(one) for one in family):
            family.append(specimen)
    chosen = {id(one) for family in first.values() for one in family}
    return [one for one in found if id(one) in chosen]


def _unsaid(specimen: Specimen, corpus: Corpus) -> str:
    """Return a text that is equal for writes whose answers only show what was sent, else unique."""
    act = specimen.act
    if is_safe(act.request.endpoint) or act.status >= FIRST_REDIRECT or not code_of(specimen):
        return f"{id(specimen)}"
    told, causes = _answer(specimen, corpus), [repr(one) for one in specimen.causes]
    texts = sorted({str(one) for one in input_values(act)}, key=len, reverse=True)
    kinds = [text for text in texts if len(text) >= SHORTEST_ECHO and f'value="{text}"' in told]
    for text in kinds:
        told = told.replace(f'value="{text}"', "value")
    return repr((act.request.endpoint, told, causes)) if kinds else f"{id(specimen)}"


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


def _seen_code(specimen: Specimen) -> frozenset[TargetId]:
    return code_in(specimen.vouched)


def code_of(specimen: Specimen) -> frozenset[TargetId]:
    """Return the lines and sides of branches that a test vouches for."""
    return code_among(specimen.vouched)


def without_faulty(found: Sequence[Specimen]) -> list[Specimen]:
    """Return the tests without those that assert an answer which another test calls a fault."""
    faulty = {requests_of(one) for one in found if one.fault is not None}
    return [one for one in found if one.fault is not None or requests_of(one) not in faulty]


def _note_dropped(found: Sequence[Specimen], kept: Sequence[Specimen], losses: Losses) -> None:
    """Note what the tests that are not kept alone have shown."""
    shown = union(one.covered | one.targets for one in kept)
    for specimen in found:
        lost = (specimen.covered | specimen.targets) - shown - losses.untested.keys()
        if lost and not any(one is specimen for one in kept):
            name = " then ".join(one.request.endpoint for one in specimen.exchanges)
            losses.drop(name, TOO_LITTLE, lost)
