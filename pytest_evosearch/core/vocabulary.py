"""What names in programs mean, one row for each meaning.

A name alone proves nothing; values, comparisons and responses do.  Where only a name is known,
every package asks here, so that no two packages contradict one another.

The last word of a name decides: ``order_id`` and ``orderId`` are identifiers, ``paid`` is not.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import IntEnum

from pytest_evosearch.core.english import words_of
from pytest_evosearch.core.quick_dataclasses import dataclass


class Certainty(IntEnum):
    """How certain a meaning is when its word appears."""

    POSSIBLE = 1
    """The word often has the meaning: a ``name`` or a ``code`` may identify something."""
    LIKELY = 2
    """The word mostly has the meaning: a ``slug`` or a ``key``."""
    SURE = 3
    """The word has no other meaning: an ``id`` or a ``uuid``."""


@dataclass(frozen=True)
class Meaning:
    """One meaning and the words that have it, the most certain first."""

    sure: tuple[str, ...]
    likely: tuple[str, ...] = ()
    possible: tuple[str, ...] = ()

    def words(self, certainty: Certainty = Certainty.SURE) -> tuple[str, ...]:
        """Return the words that have the meaning at least this certainly; most certain first."""
        groups = (self.sure, self.likely, self.possible)
        return tuple(word for group in groups[: 4 - certainty] for word in group)

    def is_meant_by(
        self, name: str, certainty: Certainty = Certainty.SURE, nouns: Collection[str] = ()
    ) -> bool:
        """Say whether the last word of `name` has this meaning.

        `nouns` are what the name may be about.  With ``order`` among them, ``orderid`` counts as
        two words.  Without nouns, no rule of spelling can tell ``orderid`` from ``paid``.
        """
        words = words_of(name)
        if not words:
            return False
        ours = self.words(certainty)
        return words[-1] in ours or any(noun + word == words[-1] for noun in nouns for word in ours)


IDENTIFIER = Meaning(
    sure=("id", "uuid", "guid", "uid", "pk"),
    likely=("key", "slug"),
    possible=("token", "code", "ref", "number", "name", "hash", "index", "username"),
)
"""What identifies one thing among many."""

PASSWORD = Meaning(
    sure=("password", "passwd", "pwd", "passphrase"),
    likely=("pass", "secret", "pin"),
)
"""What people use to prove who they are."""

LOGIN_NAME = Meaning(
    sure=("username", "email", "user", "login", "mail", "nickname"),
    likely=("account", "userid", "user_id"),
    possible=("name",),
)
"""The name that people log in with, the most usual word first."""

FORGERY_TOKEN = Meaning(
    sure=("csrf", "xsrf", "csrftoken", "xsrftoken"),
    likely=("nonce", "token"),
)
"""What a form contains against forged requests."""

LOG_IN = Meaning(
    sure=("login", "signin"),
    likely=("auth", "authenticate", "token", "tokens", "session", "sessions"),
)
"""Last words of addresses at which people log in."""

LOG_OUT = Meaning(sure=("logout", "signout"))
"""Last words of addresses at which people log out."""

REGISTER = Meaning(sure=("register", "signup", "registration", "enroll"))
"""Last words of addresses at which people create an account."""

PERSON = Meaning(
    sure=("user", "account", "member", "author", "person", "people", "customer"),
    likely=("profile", "employee", "me", "register", "setting", "signup"),
)
"""A person whom a resource or table is about; less certain, what belongs to a person."""

PERSONAL = Meaning(
    sure=(
        *("email", "mail", "phone", "mobile", "surname", "firstname", "lastname", "fullname"),
        *("born", "birth", "birthday", "birthdate", "dob", "ssn", "passport", "insurance", "iban"),
    ),
)
"""What a table stores of people alone."""

ADMINISTRATOR = Meaning(
    sure=("admin", "administrator", "superuser", "staff"),
    likely=("admins", "administration", "management", "backoffice"),
)
"""People who may do more than others, and where they do it."""

TOKEN = Meaning(sure=("token", "jwt", "bearer"))
"""What a caller sends instead of a password."""

ONWARD = Meaning(
    sure=("next", "return_to", "redirect"),
    likely=("return", "url"),
    possible=("lang", "locale", "page"),
)
"""Where a visitor wants to go next; less certain, how a page is to be shown."""

MOMENT = Meaning(sure=("at", "on", "time", "date", "timestamp", "created", "updated", "modified"))
"""When something was done."""

MESSAGE = Meaning(sure=("error", "message", "msg", "detail", "description", "reason", "errors"))
"""Keys of responses whose text says what is wrong."""

NOTICE = Meaning(
    sure=("error", "errors", "warning", "success", "info", "note", "notice", "alert", "close")
)
"""Words before or beside a message that only announce it."""

ERROR = Meaning(sure=("errors", "error"), likely=("userErrors",))
"""Keys that only error responses have."""

SUCCESS = Meaning(sure=("success", "ok", "successful"))
"""Keys whose value false means that nothing was done."""

AGAIN = Meaning(sure=("again", "confirm", "confirmation", "repeat", "retype", "verify"))
"""Fields that ask for the previous answer once more."""

APPLICATION = Meaning(
    sure=("app", "application", "flask_app"),
    likely=("wsgi_app", "_app", "wsgi", "server"),
    possible=("test_app", "the_app"),
)
"""Names of what holds an application, the most usual first."""

FACTORY = Meaning(
    sure=("create_app", "make_app", "create_application", "create_app_ext", "get_app")
)
"""Names of functions that make an application, the most usual first."""

CLIENT = Meaning(
    sure=("client", "test_client"), likely=("flask_client", "app_client", "api_client")
)
"""Names of what sends requests in tests, the most usual first."""

DATABASE = Meaning(
    sure=("db", "database", "session", "db_session", "init_database", "init_db", "tables")
)
"""Names of fixtures that provide a database, the most usual first."""

MAKE = Meaning(sure=("make",), likely=("seed", "bootstrap", "init"))
DERIVE = Meaning(sure=("hash", "encrypt", "generate"))
READ = Meaning(sure=("get", "list", "find", "search"))
JOINING = Meaning(
    sure=("all", "by", "id", "my", "me", "of", "to", "for", "and"), likely=("mutation", "query")
)
"""Words in the names of operations that name no thing."""

CREATE = Meaning(sure=("create", "new", "add", "insert"), likely=("upload", "save"))
UPDATE = Meaning(sure=("update", "edit", "set", "change"))
DELETE = Meaning(sure=("delete", "remove"))
"""Words for deleting, in names of operations and addresses."""
