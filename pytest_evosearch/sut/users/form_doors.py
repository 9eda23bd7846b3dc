"""Log-in forms of an application.

A log-in asks for one name and one password; a registration asks for more. Some forms have a hidden
CSRF token of the session, which a user who logs in must read first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin
from urllib.parse import urlsplit

from pytest_evosearch.core.forms import FORGERY_WORDS
from pytest_evosearch.core.forms import PLAIN_NAME
from pytest_evosearch.core.forms import Form
from pytest_evosearch.core.forms import field_patterns
from pytest_evosearch.core.forms import finding
from pytest_evosearch.core.forms import parse_forms
from pytest_evosearch.core.forms import quoted_pattern
from pytest_evosearch.core.isolation import json
from pytest_evosearch.sut.users.asking import Asker
from pytest_evosearch.sut.users.token_doors import LOG_IN_NAMES

LOG_IN = '''\
@pytest.fixture
def log_in():
    """Log a client in with the name and the password of an account that exists."""

    def log_in(client, name, password):
{statements}

    return log_in
'''

_PLAIN = """\
        client.post({path}, data={{{name}: name, {password}: password}})"""

_WITH_TOKEN = """\
        page = client.get({page}).text
        token = re.search({pattern}, page)[1]
        form = {{{name}: name, {password}: password, {token}: token}}
        client.post({path}, data=form)"""

_FORGERY = re.compile(FORGERY_WORDS, re.IGNORECASE)
_OK = 200


@dataclass(frozen=True)
class FormDoor:
    """A form that may let people in."""

    page: str
    """Address of the page that shows it."""
    path: str
    """Address that receives it."""
    name: str
    password: str
    token: str | None = None
    """Field for a CSRF token."""
    pattern: str = ""
    """Regular expression that finds this token in the page."""

    def log_in(self, name: str, password: str, client: Any) -> None:
        """Log `client` in, as the written fixture does."""
        client.post(self.path, data=self.fields(name, password, client))

    def fields(self, name: str, password: str, client: Any) -> dict[str, str]:
        """Return the fields to send; `client` requests the token, if there is one."""
        fields = {self.name: name, self.password: password}
        if self.token is not None:
            found = re.search(self.pattern, client.get(self.page).text)
            fields |= {self.token: found[1]} if found is not None else {}
        return fields

    @property
    def source(self) -> str:
        """The source of the fixture that logs in."""
        texts = ("page", "path", "name", "password", "token")
        quoted = {text: json.dumps(getattr(self, text)) for text in texts}
        template = _PLAIN if self.token is None else _WITH_TOKEN
        statements = template.format(**quoted, pattern=quoted_pattern(self.pattern))
        return LOG_IN.format(statements=statements)


def form_doors(asker: Asker) -> Iterator[FormDoor]:
    """Yield the forms of pages without arguments, first those of pages called like a log-in."""
    for page in asker.paths("GET", LOG_IN_NAMES):
        answer = asker.ask("GET", page)
        if answer is not None and answer.status == _OK:
            text = answer.body.decode("utf-8", "replace")
            for form in parse_forms(text):
                door = _door(page, form, text)
                if door is not None:
                    yield door


def _door(page: str, form: Form, text: str) -> FormDoor | None:
    """Return the door for a form; None when it is no log-in."""
    fields = form.fields.values()
    names = [one.name for one in fields if one.kind in ("text", "email", "tel", "search")]
    passwords = [one.name for one in fields if one.kind == "password"]
    target = urlsplit(urljoin(page, form.action))
    if form.method != "POST" or len(names) != 1 or len(passwords) != 1 or target.netloc:
        return None
    token, pattern = _token(form, text)
    return FormDoor(page, target.path, names[0], passwords[0], token, pattern)


def _token(form: Form, text: str) -> tuple[str | None, str]:
    """Return the CSRF field and the expression that finds its value; (None, "") without one."""
    for one in form.fields.values():
        if one.kind == "hidden" and _FORGERY.search(one.name) and PLAIN_NAME.fullmatch(one.name):
            pattern = finding(field_patterns(one.name), text, one.value)
            if pattern is not None:
                return one.name, pattern
    return None, ""
