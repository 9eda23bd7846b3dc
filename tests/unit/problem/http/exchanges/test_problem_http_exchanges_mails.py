"""What stands in the addresses of mails is found, and feeds what lies there."""

from __future__ import annotations

import pytest

from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.mails import codes_in
from pytest_evosearch.problem.http.exchanges.mails import mailed_code
from pytest_evosearch.problem.http.exchanges.mails import mailed_value
from pytest_evosearch.problem.http.exchanges.responses import MISSING
from pytest_evosearch.problem.http.exchanges.responses import select
from pytest_evosearch.problem.http.exchanges.seen_inside import Mail
from pytest_evosearch.problem.http.filling.pool import ValuePool
from pytest_evosearch.problem.http.learning.addresses import AddressBook
from pytest_evosearch.problem.http.learning.producers import LOCATION_WEIGHT
from pytest_evosearch.problem.http.learning.producers import ProducerCatalog

OLD = Mail("Confirm: http://localhost/confirm/old-one", "")
NEW = Mail("Confirm: http://localhost/confirm/t0k.en_1.", "")


@pytest.mark.parametrize(
    ("mail", "template", "name", "value"),
    [
        (NEW, "/confirm/{token}", "token", "t0k.en_1"),
        (NEW, "/reset/{token}", "token", None),
        (Mail("", '<a href="https://x.org/u/7/join/a%20b">'), "/u/{id}/join/{key}", "key", "a b"),
        (Mail("", '<a href="http://x/reset?u=1&amp;key=k-2">'), "/reset", "key", "k-2"),
        (Mail("see http://x/reset?key=", ""), "/reset", "key", None),
        (Mail("http://[broken/confirm/a http://x/confirm/b", ""), "/confirm/{token}", "token", "b"),
        (Mail("write to us@example.com", ""), "/confirm/{token}", "token", None),
    ],
)
def test_a_value_is_read_where_the_template_has_it(
    mail: Mail, template: str, name: str, value: str | None
) -> None:
    assert mailed_value([mail], template, name) == value


def test_the_latest_mail_counts() -> None:
    assert mailed_value([OLD, NEW], "/confirm/{token}", "token") == "t0k.en_1"


def test_selectors_read_mails() -> None:
    exchange = Exchange(Request("POST", "/register"), Response(302), mails=(NEW,))

    assert select(exchange, ("mail", "/confirm/{token}", "token")) == "t0k.en_1"
    assert select(exchange, ("mail", "/reset/{token}", "token")) is MISSING


def test_what_is_mailed_feeds_the_endpoint_at_that_address_alone() -> None:
    model = EndpointModel(
        [
            Endpoint("POST", "/register", "register"),
            Endpoint("GET", "/confirm/{token}", "confirm"),
            Endpoint("GET", "/reset", "reset"),
            Endpoint("GET", "/invitations/{token}", "join"),
        ]
    )
    pool = ValuePool()
    catalog = ProducerCatalog(model, pool, AddressBook(model))
    mail = Mail("http://localhost/confirm/t0k.en and http://localhost/reset?key=k-2", "")
    sent = Exchange(Request("POST", "/register"), Response(302), mails=(mail,))

    news = catalog.learn(sent)

    assert catalog.led_to(news) == ["GET /confirm/{token}"]
    [path] = catalog.candidates("GET /confirm/{token}", Location.PATH, "token")
    [query] = catalog.candidates("GET /reset", Location.QUERY, "key")
    assert path.product.selector == ("mail", "/confirm/{token}", "token")
    assert query.product.selector == ("mail", "/reset", "key")
    assert path.weight == LOCATION_WEIGHT
    assert catalog.candidates("GET /invitations/{token}", Location.PATH, "token") == []
    assert catalog.candidates("GET /confirm/{token}", Location.HEADER, "Authorization") == []


CODE_LETTER = Mail("Dear ada@example.org,\nyour code is k7-22. Hello!", "")


def test_codes_are_found_by_the_words_before_them():
    assert list(codes_in([CODE_LETTER])) == [(("mail", "", "your code is "), "k7-22")]
    assert mailed_code([CODE_LETTER], "your code is ") == "k7-22"
    assert mailed_code([CODE_LETTER], "another code is ") is None


def test_text_that_is_a_code_is_found():
    sent = Mail("99ab41", "")
    assert list(codes_in([sent])) == [(("mail", "", ""), "99ab41")]
    assert mailed_code([sent], "") == "99ab41"


def test_addresses_hold_no_codes():
    assert not list(codes_in([Mail("http://localhost/enter?key=ab12cd34", "")]))
