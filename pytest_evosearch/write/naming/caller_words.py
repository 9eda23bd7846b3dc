"""Words for the caller in a name, where the caller matters: ``anonymous``, ``as_admin``."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from urllib.parse import parse_qs
from urllib.parse import urlsplit

from pytest_evosearch.core.english import snake_case
from pytest_evosearch.core.http_words import FORBIDDEN
from pytest_evosearch.core.vocabulary import ONWARD
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.refusals import turns_away
from pytest_evosearch.problem.http.exchanges.responses import asks_to_log_in
from pytest_evosearch.sut.handle import User
from pytest_evosearch.write.content.endpoint_words import resource_of
from pytest_evosearch.write.content.inputs import slots_of
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.naming.caller_credentials import ANONYMOUS
from pytest_evosearch.write.naming.caller_credentials import AUTHORIZATION
from pytest_evosearch.write.naming.caller_credentials import PASSWORD
from pytest_evosearch.write.naming.caller_credentials import WRONG_CREDENTIALS
from pytest_evosearch.write.naming.caller_credentials import credentials_of
from pytest_evosearch.write.naming.stories import ENTRANCES


def caller_phrase(
    specimen: Specimen,
    siblings: Sequence[Exchange],
    users: Mapping[str, User],
    rows: Sequence[Specimen] = (),
) -> str:
    """Return ``anonymous`` or ``as_admin`` where the caller matters."""
    act = specimen.act
    if act.user is not None:
        others = {other.user for other in siblings if other.user not in (None, act.user)}
        is_refused = asks_to_log_in(act.response)  # though the caller is no stranger
        is_one_of_many = others and len(users) > 1
        return f"as_{snake_case(act.user)}" if is_one_of_many or is_refused else ""
    if any(one.user is None for one in specimen.exchanges[:-1]):
        return ""  # the calls before may have logged a user in
    if _sends_password(act):
        return ""  # the caller sends credentials that are not accepted
    entering = all(_enters(one.act) for one in rows or (specimen,))
    if entering and act.request.method == "POST":
        return ""  # everybody who sends a log-in is a stranger
    refused = turns_away(act) and not (entering and asks_to_log_in(act.response))
    differs = any(other.user is not None and other.status != act.status for other in siblings)
    turned_away = _is_turned_away(act, siblings, len(rows) > 1)
    if not refused or not (users or differs or turned_away):
        return ""
    sends_header = any(place == "header" for place, _name in credentials_of(act.request))
    return WRONG_CREDENTIALS if sends_header or _sends_keys(act, users) else stranger_word(users)


def stranger_word(users: Mapping[str, User]) -> str:
    """Return ``anonymous``, or ``without_version`` where one header is all that users have."""
    headers = {
        tuple(one.headers) if one.login is None and not (one.query or one.cookies) else ()
        for one in users.values()
    }
    names = headers.pop() if len(headers) == 1 else ()
    spoken = snake_case(names[0]).removeprefix("x_") if len(names) == 1 else AUTHORIZATION
    return ANONYMOUS if spoken == AUTHORIZATION else f"without_{spoken}"


def _sends_keys(act: Exchange, users: Mapping[str, User]) -> bool:
    """Say whether a call sends all credentials of users, with other values."""
    sent = {name for name, value in (*act.request.query, *act.request.form) if value != ""}
    keys = [frozenset(user.query) for user in users.values() if user.query]
    return any(names <= sent for names in keys)


def _enters(act: Exchange) -> bool:
    last = act.request.template.rstrip("/").rpartition("/")[2]
    names = (
        snake_case(last).replace("_", ""),
        resource_of(act.request.template).rpartition("_")[2],
    )
    return any(name in ENTRANCES for name in names)


def _is_turned_away(act: Exchange, siblings: Sequence[Exchange], is_table: bool) -> bool:
    """Say whether a response shows that its caller should have logged in.

    The request must not identify a caller or contain a log-in, and no call like it must have been
    let in.
    """
    if credentials_of(act.request) or any(map(_sends_password, siblings)):
        return False
    if asks_to_log_in(act.response):
        return is_table or act.request.method == "GET" or _leads_back(act)
    let_in = any(
        one.status < 400 and one.user is None and not credentials_of(one.request)
        for one in siblings
    )
    is_certain = is_table or act.status != FORBIDDEN  # a single 403 may have any reason
    return turns_away(act) and is_certain and not let_in and not _enters(act)


def _sends_password(exchange: Exchange) -> bool:
    return any(PASSWORD in snake_case(name) for _, name in slots_of(exchange.request))


def _leads_back(act: Exchange) -> bool:
    location = act.response.location if act.response is not None else None
    # The parameter in which a log-in page keeps the visitor's target.
    return any(name in ONWARD.words() for name in parse_qs(urlsplit(location or "").query))
