from __future__ import annotations

import sys

import email_validator
from email_validator import deliverability

from pytest_evosearch.sut.shortcuts.mail_servers import unasked_mail_servers


def test_invented_addresses_are_accepted_without_a_question():
    original = deliverability.validate_email_deliverability
    with unasked_mail_servers() as asked:
        validated = email_validator.validate_email("a@nowhere-at-all.org", dns_resolver=object())
        assert validated.normalized == "a@nowhere-at-all.org"
        assert asked()
    assert deliverability.validate_email_deliverability is original


def test_an_application_that_never_asks_is_not_noted():
    with unasked_mail_servers() as asked:
        email_validator.validate_email("a@nowhere-at-all.org", check_deliverability=False)
        assert not asked()


def test_an_application_without_the_library_is_fine(monkeypatch):
    monkeypatch.delitem(sys.modules, "email_validator")
    with unasked_mail_servers() as asked:
        assert not asked()
