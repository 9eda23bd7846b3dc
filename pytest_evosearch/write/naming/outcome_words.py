"""Words for results in names: ``returns_404``, ``redirects_to_index``, ``shows_it``."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from urllib.parse import urlsplit

from pytest_evosearch.core.english import snake_case
from pytest_evosearch.problem.http.exchanges.endpoint import is_safe
from pytest_evosearch.problem.http.exchanges.endpoint import operation_of
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import PlacedRow
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.graphql_answers import NOT_FOUND
from pytest_evosearch.problem.http.exchanges.refusals import is_told
from pytest_evosearch.problem.http.exchanges.refusals import turns_away
from pytest_evosearch.problem.http.exchanges.reported_faults import NO_SERVER_ERROR
from pytest_evosearch.problem.http.exchanges.responses import MISSING
from pytest_evosearch.problem.http.exchanges.responses import leads_to_nothing
from pytest_evosearch.problem.http.exchanges.responses import select
from pytest_evosearch.write.answers.messages import FEWEST_IN_A_SENTENCE
from pytest_evosearch.write.answers.messages import new_message
from pytest_evosearch.write.answers.messages import new_messages
from pytest_evosearch.write.answers.messages import new_sentences
from pytest_evosearch.write.answers.messages import says_none_of
from pytest_evosearch.write.answers.messages import sentence_phrase
from pytest_evosearch.write.answers.messages import shown_phrase
from pytest_evosearch.write.answers.messages import without_values
from pytest_evosearch.write.answers.page_texts import SHORTEST_ECHO
from pytest_evosearch.write.answers.versions import refuses_content_type
from pytest_evosearch.write.content.endpoint_words import resource_of
from pytest_evosearch.write.content.facts import REDIRECTS as REDIRECT_PAGE
from pytest_evosearch.write.content.input_values import input_values
from pytest_evosearch.write.content.input_values import sent_scalars
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.naming.proven_conditions import thing_of
from pytest_evosearch.write.naming.shown_words import NOTHING_KNOWN
from pytest_evosearch.write.naming.shown_words import SHOWS_DATA
from pytest_evosearch.write.naming.shown_words import TYPED
from pytest_evosearch.write.naming.shown_words import Known
from pytest_evosearch.write.naming.shown_words import document_words
from pytest_evosearch.write.naming.shown_words import page_words
from pytest_evosearch.write.naming.shown_words import plain_words
from pytest_evosearch.write.naming.stories import deed
from pytest_evosearch.write.naming.stories import deletes
from pytest_evosearch.write.naming.stories import is_deletion

IS_REFUSED, ARE_REFUSED = "is_refused", "are_refused"
"""Results for a caller who is refused in spite of another meaning of the status."""

SHOWS_FORM_AGAIN = "shows_form_again"
"""Result of a form that does not accept what was sent."""

SHOWS_MESSAGE = "shows_message"
"""Effect of a call that leads back to its own page, which then says something new."""

NO_LONGER = "no_longer_shows_it"
"""Effect of a deletion on a page."""

REDIRECTS = "redirects"
"""Result of a redirect."""

LONGEST_DESTINATION = 24
"""Most characters of the name of a redirect's page."""


def common_effect(
    rows: Sequence[Specimen], asserted: Sequence[str] | None, is_bare: bool = False
) -> str:
    """Return a phrase for the read after the call under test that is true of all rows."""
    effects = {_effect_of(one, asserted, is_bare) for one in rows}
    if len(effects) == 1:
        return effects.pop()
    read = rows[0].follow_up
    if read is None or all(one == SHOWS_MESSAGE or one.startswith("says_") for one in effects):
        return "shows_messages"
    return f"then_{deed(read.exchange)}_{returned(read.exchange.status)}"


def said_phrases(
    rows: Sequence[Specimen], asserted: Sequence[str] | None, pages: Sequence[str]
) -> list[str]:
    """Return the new sentences of the reads of all rows as parts of names, rare ones first.

    `pages` are what was seen at the address of the reads.
    """
    reads = [one.follow_up for one in rows if one.follow_up is not None]
    texts = [text.strip("<> ") for text in asserted or ()]
    told: list[list[str]] = [
        new_sentences(read.exchange.response.text, read.before, texts)
        for read in reads
        if read.exchange.response is not None
    ]
    sent = [str(value) for one in rows for value in sent_scalars(one.act)]
    first = [text for text in told[0] if says_none_of(sent, text)] if told else []
    common = [text for text in first if all(text in others for others in told)]
    common.sort(key=lambda text: sum(text in page for page in pages))
    return [phrase for phrase in map(sentence_phrase, common) if phrase]


def _effect_of(specimen: Specimen, asserted: Sequence[str] | None, is_bare: bool) -> str:
    """Return a phrase for the read after the call under test.

    Examples: ``then_get_index_shows_it``, ``says_invalid_input``, ``then_get_index_reflects_it``.
    Texts that were there before reflect nothing, and what a call that leads back to its own page
    adds to it is a message.  A test that `is_bare` only asserts the status, so it has only that.
    """
    follow_up = specimen.follow_up
    if follow_up is None:
        return ""
    read = follow_up.exchange
    page = read.response.text if read.response is not None else ""
    if is_bare:
        return f"then_{deed(read)}_{returned(read.status)}"
    if read.status != 200:
        destination = _destination(read)
        outcome = f"{REDIRECTS}_to_{destination}" if destination else returned(read.status)
        return f"then_{deed(read)}_{outcome}"
    if REDIRECT_PAGE in follow_up.before and not turns_away(specimen.act):
        return f"opens_{resource_of(read.request.template)}"
    sent = [str(value) for value in sent_scalars(specimen.act)]
    new = [text for text in sent if text not in follow_up.before]
    if said := _sentence_around(sent, page, follow_up.before, asserted):
        return f"says_{said}"
    if _shows(new, page, _as_texts(read.response, asserted)):
        return f"then_{deed(read)}_shows_it"
    message = new_message(page, follow_up.before, asserted=asserted)
    if message:
        return f"says_{message}"
    texts = [text.strip("<> ") for text in asserted or ()]
    has_vanished = _has_vanished(follow_up.before, page, asserted)
    if has_vanished and is_deletion(specimen.act.request):
        return f"then_{deed(read)}_{NO_LONGER}"
    if texts and not has_vanished and all(text in follow_up.before for text in texts):
        return f"then_{deed(read)}_{returned(200)}"
    redirects = specimen.act.response is not None and bool(specimen.act.response.location)
    told = new_sentences(page, follow_up.before, texts) if redirects and not has_vanished else []
    told = [text for text in told if says_none_of(sent, text)]
    if told:
        phrase = sentence_phrase(told[0]) if len(told) == 1 else ""
        return f"says_{phrase}" if phrase else SHOWS_MESSAGE
    is_back = read.request.template == specimen.act.request.template
    says = is_back and redirects and new_messages(page, follow_up.before, asserted or ())
    if says:
        return SHOWS_MESSAGE
    return f"then_{deed(read)}_{_reflected(follow_up.before, asserted)}"


def _reflected(before: str, asserted: Sequence[str] | None) -> str:
    """Return what a page shows newly, where that is one text of its template."""
    of_template = [text for text in asserted or () if not text.startswith(">")]
    appeared = [text for text in of_template if text not in before]
    phrase = shown_phrase(appeared[0]) if len(appeared) == 1 else ""
    return f"shows_{phrase}" if phrase else "reflects_it"


def _sentence_around(
    sent: Sequence[str], page: str, before: str, asserted: Sequence[str] | None
) -> str:
    """Return what an application says about what was sent, without it; empty without a sentence.

    ``Club not found for email: a@example.com`` is an answer, and does not show that it is stored.
    """
    texts = [text.strip("<> ") for text in asserted or ()]
    new = [(one, without_values(one, sent)) for one in new_sentences(page, before, texts)]
    told = [shorter for one, shorter in new if shorter != one]
    is_sentence = len(told) == 1 and len(told[0].split()) >= FEWEST_IN_A_SENTENCE
    return sentence_phrase(told[0]) if is_sentence else ""


def _has_vanished(before: str, page: str, asserted: Sequence[str] | None) -> bool:
    """Say whether an asserted text was on a page before, and is no longer."""
    texts = [text.strip("<> ") for text in asserted or ()]
    return any(text in before and text not in page for text in texts)


def returned(status: object) -> str:
    """Return ``returns_404``, in letters and digits even for an invalid status such as -3."""
    return f"returns_{status}".replace("-", "minus_")


def _destination(exchange: Exchange) -> str:
    """Return the name of a redirect's page, as for an endpoint; empty without one."""
    response = exchange.response
    location = response.location if response is not None else None
    if response is None or location is None or not 300 <= exchange.status < 400:
        return ""
    if leads_to_nothing(response):
        return ""
    address = urlsplit(location)
    host = address.hostname or ""
    sent = (*input_values(exchange), *(value for _, value in exchange.request.headers))
    if host and any(host in str(value) for value in sent):
        return _first_words(snake_case(host))  # the caller chooses the target: ``?next=``
    parts = [part for part in address.path.split("/") if part]
    template = "/".join("{id}" if part.isdigit() else part for part in parts)
    name = resource_of(f"/{template}")
    return name if len(name) <= LONGEST_DESTINATION else _first_words(snake_case(parts[-1]))


def _first_words(name: str) -> str:
    """Return as many whole words of a long name as fit, at least one."""
    first, *others = name.split("_")
    for word in others:
        if len(first) + 1 + len(word) > LONGEST_DESTINATION:
            break
        first = f"{first}_{word}"
    return first


def common_outcome(
    rows: Sequence[Specimen],
    faults: str,
    asserted: Sequence[str] | None = None,
    known: Known = NOTHING_KNOWN,
) -> str:
    """Return the common result of the last call in all rows.

    Rows with several target pages only share ``redirects``. Rows of which some return an empty list
    share their status.
    """
    outcomes = [outcome_of(row, faults, asserted, known) for row in rows]
    if len(set(outcomes)) > 1:
        if all(one.startswith(REDIRECTS) for one in outcomes):
            return REDIRECTS
        if all(row.fault is None and row.act.status == 200 for row in rows):
            return returned(200)
    return outcomes[0]


def outcome_of(
    specimen: Specimen,
    faults: str,
    asserted: Sequence[str] | None = None,
    known: Known = NOTHING_KNOWN,
) -> str:
    """Return the result of the last call: ``is_refused``, ``does_not_crash``.

    `asserted` are the texts that the test asserts, None when unknown.
    """
    act = specimen.act
    if specimen.fault is not None:
        if faults == "raises" and specimen.fault.expectation != NO_SERVER_ERROR:
            return f"shows_{snake_case(specimen.fault.code)}"
        return "crashes" if faults == "raises" else snake_case(specimen.fault.expectation.phrase)
    if is_told(act):
        return "returns_error"
    if act.meaning and turns_away(act):
        return IS_REFUSED
    if 300 <= act.status < 400:
        destination = _destination(act)
        return f"{REDIRECTS}_to_{destination}" if destination else returned(act.status)
    if act.status == 200:
        return (
            SHOWS_FORM_AGAIN if _is_shown_again(specimen) else _success(specimen, asserted, known)
        )
    if act.meaning:
        says_error = act.response is not None and "error" in act.response.text
        answered = act.response.status if act.response is not None else act.status
        failed = "returns_errors" if says_error else returned(answered)
        return "returns_null" if act.meaning == NOT_FOUND else failed
    if act.response is not None and refuses_content_type(act.response):
        return "is_rejected"  # the status depends on the framework's version
    return returned(act.status)


def _shows_what_was_sent(specimen: Specimen, asserted: Sequence[str] | None) -> bool:
    """Say whether the last response shows a text that an earlier call sent."""
    response = specimen.act.response
    earlier = [one for one in specimen.exchanges[:-1] if one.request.method in ("POST", "PUT")]
    if response is None or not earlier:
        return False
    sent = {value for one in earlier for value in _own_texts(one)}
    new = [text for text in sent if text not in (specimen.before or "")]
    return _shows(new, _shown_text(response), _as_texts(response, asserted))


def _shown_text(response: Response) -> str:
    """Return the text of a response; of JSON, the values that are no addresses."""
    value = response.document()
    return response.text if value is None else "\n".join(_values_in(value))


def _values_in(value: object) -> Iterator[str]:
    if isinstance(value, (dict, list)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _values_in(part)
    elif "://" not in str(value) and not str(value).startswith("/"):
        yield str(value)


def _shows(sent: Iterable[str], page: str, asserted: Sequence[str] | None) -> bool:
    """Say whether a page shows a sent text, and a test with asserted texts asserts it."""
    shown = [text for text in sent if len(text) >= SHORTEST_ECHO and text in page]
    return any(asserted is None or any(text in fact for fact in asserted) for text in shown)


def _as_texts(response: Response | None, asserted: Sequence[str] | None) -> Sequence[str] | None:
    """Return the asserted texts of a page, None where other facts assert what is shown."""
    is_page = response is not None and response.is_markup and not response.is_xml
    return asserted if is_page else None


def _own_texts(exchange: Exchange) -> set[str]:
    """Return the texts of a call that do not come from an earlier response (its token)."""
    request = exchange.request
    taken = {path[-1] for path in request.origins}
    pairs = (*request.path.items(), *request.query, *request.form, *request.headers)
    linked = {value for name, value in pairs if name in taken and isinstance(value, str)}
    return {value for value in input_values(exchange) if isinstance(value, str)} - linked


def _is_shown_again(specimen: Specimen) -> bool:
    """Say whether a form is shown again because of what was sent: a repaired test goes on."""
    response = specimen.act.response
    is_form = response is not None and response.has_form
    return is_form and bool(specimen.causes) and specimen.act.request.method == "POST"


def _success(specimen: Specimen, asserted: Sequence[str] | None, known: Known) -> str:
    act = specimen.act
    if act.request.method == "GET" and _shows_what_was_sent(specimen, asserted):
        return "returns_it" if act.response is not None and act.response.is_json else "shows_it"
    if operation_of(act.request.template):
        return _returned_by_operation(act)
    page = act.response.text if act.response is not None else ""
    if deletes(specimen) and _has_vanished(specimen.before or "", page, asserted):
        return NO_LONGER
    value = None if act.response is None else act.response.document()
    if isinstance(value, list) and value:
        return "returns_list"
    sent = {snake_case(str(one)) for each in specimen.exchanges for one in input_values(each)}
    nothing = _returned_nothing(value)
    if nothing and not any(one and one in nothing for one in sent):
        return nothing
    return _shown_words(specimen, asserted or (), known) or returned(200)


def _shown_words(specimen: Specimen, asserted: Sequence[str], known: Known) -> str:
    """Return words for what the test asserts of a page, a document or a file; empty without any."""
    response = specimen.act.response
    if response is None:
        return ""
    sent = [str(one) for each in specimen.exchanges for one in input_values(each)]
    document = response.document()
    if isinstance(document, dict):
        writes = not is_safe(specimen.act.request.endpoint)
        return document_words(document, known.keys, sent, writes=writes)
    if response.is_markup:
        shown = [text for text in asserted if text.strip("<> ") in response.text]
        asked = {str(value): snake_case(name) for name, value in specimen.act.request.query}
        writes = not is_safe(specimen.act.request.endpoint)
        if writes and response.has_form and shown and all(text.startswith(TYPED) for text in shown):
            return SHOWS_FORM_AGAIN
        values = (value for row in _rows_of(specimen) for value in row.values.values())
        stored = [value for value in values if isinstance(value, str)]
        words = page_words(shown, [*sent, *stored], known.wording, asked)
        return (words == SHOWS_DATA and _stored_thing(specimen, shown)) or words
    return plain_words(response, sent)


def _rows_of(specimen: Specimen) -> list[PlacedRow]:
    """Return the rows that a test stores, the last one first."""
    return [row for one in reversed(specimen.exchanges) for row in reversed(one.request.rows)]


def _stored_thing(specimen: Specimen, shown: Sequence[str]) -> str:
    """Return ``shows_user`` where a page shows a value of the row that the test stores last."""
    for row in _rows_of(specimen):
        texts = [one for one in row.values.values() if isinstance(one, str)]
        if any(len(one) >= SHORTEST_ECHO and one in text for one in texts for text in shown):
            return f"shows_{thing_of(row.model)}"
    return ""


def _returned_nothing(value: object) -> str:
    """Return the result of a document without content: ``returns_no_orders``, else nothing."""
    if isinstance(value, list):
        return "" if value else "returns_empty_list"
    if not isinstance(value, dict):
        return ""
    lists = [key for key, part in value.items() if isinstance(part, list)]
    if len(lists) == 1 and not value[lists[0]] and snake_case(str(lists[0])):
        return f"returns_no_{snake_case(str(lists[0]))}"
    return "" if value else "returns_empty_object"


def _returned_by_operation(act: Exchange) -> str:
    """Return the result of a GraphQL operation: ``returns_null``, ``returns_empty_list``."""
    field = operation_of(act.request.template).partition(".")[2]
    value = select(act, ("json", "data", field))
    if value is None:
        return "returns_null"
    if isinstance(value, list):
        return "returns_list" if value else "returns_empty_list"
    return "returns_data" if value is not MISSING else returned(act.status)
