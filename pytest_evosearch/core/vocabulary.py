"""What names in programs mean, one row a meaning.

Names alone never prove anything: values, comparisons and answers do.  Where there is nothing but a
name, every room asks here, so that no two rooms give contradictory answers.

The last word of a name decides: ``order_id`` and ``orderId`` are identifiers, ``paid`` is none.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import IntEnum

from pytest_evosearch.core.english import words_of


class Certainty(IntEnum):
    """How sure a word makes a meaning."""

    POSSIBLE = 1
    """Often means it: a ``name`` or a ``code`` may pick a thing out."""
    LIKELY = 2
    """Mostly means it: a ``slug`` or a ``key``."""
    SURE = 3
    """Means nothing else: an ``id`` or a ``uuid``."""


@dataclass(frozen=True)
class Meaning:
    """Something that names mean, with the words that say so, the surest first."""

    sure: tuple[str, ...]
    likely: tuple[str, ...] = ()
    possible: tuple[str, ...] = ()

    def words(self, certainty: Certainty = Certainty.SURE) -> tuple[str, ...]:
        """Return the words that mean it with at least this certainty, the surest first."""
        groups = (self.sure, self.likely, self.possible)
        return tuple(word for group in groups[: 4 - certainty] for word in group)

    def is_meant_by(
        self, name: str, certainty: Certainty = Certainty.SURE, nouns: Collection[str] = ()
    ) -> bool:
        """Say whether the last word of `name` means it.

        `nouns` say what the name may be about: with ``order`` among them ``orderid`` counts as two
        words, which no rule about letters tells from ``paid``.
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
"""What picks one thing out of many."""

PASSWORD = Meaning(
    sure=("password", "passwd", "pwd", "passphrase"),
    likely=("pass", "secret", "pin"),
)
"""What a person proves with who they are."""

LOGIN_NAME = Meaning(
    sure=("username", "email", "user", "login", "mail", "nickname", "account", "userid", "user_id"),
)
"""What a person calls themselves when they log in, the most usual name first."""

FORGERY_TOKEN = Meaning(
    sure=("csrf", "xsrf", "csrftoken", "xsrftoken"),
    likely=("nonce", "token"),
)
"""What a form holds against forged requests."""

LOG_IN = Meaning(
    sure=("login", "signin"),
    likely=("auth", "authenticate", "token", "tokens", "session", "sessions"),
)
"""Last words of addresses at which people log in."""

LOG_OUT = Meaning(sure=("logout", "signout"))
"""Last words of addresses at which people log out."""

REGISTER = Meaning(sure=("register", "signup", "registration", "enroll"))
"""Last words of addresses at which people get an account."""

PERSON = Meaning(
    sure=("user", "account", "member", "author", "person", "people", "customer"),
    likely=("profile", "employee", "me", "register", "setting", "signup"),
)
"""Whom a resource or a table is about; less surely, what belongs to one of them."""

ADMINISTRATOR = Meaning(
    sure=("admin", "administrator", "superuser", "staff"),
    likely=("admins", "administration", "management", "backoffice"),
)
"""Who may do more than others, and where they do it."""

TOKEN = Meaning(sure=("token", "jwt", "bearer"))
"""What a caller shows instead of a password."""

ONWARD = Meaning(
    sure=("next", "return_to", "redirect"),
    likely=("return", "url"),
    possible=("lang", "locale", "page"),
)
"""What a page hands on: where its visitor wanted to go; less surely, how it is to be shown."""

MOMENT = Meaning(sure=("at", "on", "time", "date", "timestamp", "created", "updated", "modified"))
"""When something was done."""

MESSAGE = Meaning(sure=("error", "message", "msg", "detail", "description", "reason", "errors"))
"""Keys under which answers say in words what is wrong."""

NOTICE = Meaning(
    sure=("error", "errors", "warning", "success", "info", "note", "notice", "alert", "close")
)
"""Words before a message, or beside it, that only say that there is one."""

ERROR = Meaning(sure=("errors", "error"), likely=("userErrors",))
"""Keys that only an answer has which says that something is wrong."""

SUCCESS = Meaning(sure=("success", "ok", "successful"))
"""Keys that say by false that nothing was done."""

UNIQUE = Meaning(sure=("email", "mail", "login", "phone", "title", "url"))
"""What often may be there once, though it does not pick a thing out."""

AGAIN = Meaning(sure=("again", "confirm", "confirmation", "repeat", "retype", "verify"))
"""What asks for what was answered last."""

APPLICATION = Meaning(
    sure=("app", "application", "flask_app"),
    likely=("wsgi_app", "_app", "wsgi", "server"),
    possible=("test_app", "the_app"),
)
"""What holds an application, the most usual name first."""

FACTORY = Meaning(
    sure=("create_app", "make_app", "create_application", "create_app_ext", "get_app")
)
"""Functions that make an application, the most usual name first."""

CLIENT = Meaning(
    sure=("client", "test_client"), likely=("flask_client", "app_client", "api_client")
)
"""What sends requests in tests, the most usual name first."""

DATABASE = Meaning(
    sure=("db", "database", "session", "db_session", "init_database", "init_db", "tables")
)
"""Fixtures that bring a database, the most usual name first."""

MAKE = Meaning(sure=("make",), likely=("seed", "bootstrap", "init"))
DERIVE = Meaning(sure=("hash", "encrypt", "generate"))
READ = Meaning(sure=("get", "list", "find", "search"))
JOINING = Meaning(
    sure=("all", "by", "id", "my", "me", "of", "to", "for", "and"), likely=("mutation", "query")
)
"""Words in the names of operations that stand for no thing."""

CREATE = Meaning(sure=("create", "new", "add", "insert"), likely=("upload", "save"))
UPDATE = Meaning(sure=("update", "edit", "set", "change"))
DELETE = Meaning(sure=("delete", "remove"))
"""What operations and addresses do to a resource, by a word of their name."""
