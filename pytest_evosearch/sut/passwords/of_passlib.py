"""Passwords of passlib: its handlers, and htpasswd files of the Apache web server.

New hashes use the fewest rounds, which are part of the hash.  The module for htpasswd files is
never imported here, because its import fails with new versions of bcrypt.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import wraps
from itertools import islice
from typing import Any

from pytest_evosearch.sut.passwords.library import Check
from pytest_evosearch.sut.passwords.library import Maker
from pytest_evosearch.sut.passwords.library import PasswordLibrary
from pytest_evosearch.sut.passwords.library import Passwords
from pytest_evosearch.sut.passwords.library import passing_method
from pytest_evosearch.sut.passwords.library import text_of
from pytest_evosearch.sut.patches import Patches
from pytest_evosearch.sut.patches import Replacement

MOST_NAMES = 4
"""Most names of an htpasswd file that are reported."""


def _cheapen(patches: Patches, handlers: Any) -> None:
    patches.wrap(handlers.HasRounds, "_generate_rounds", _fewest_rounds)


def _fewest_rounds(_original: object) -> Any:
    """Return the choice of rounds for new hashes: the minimum."""

    def generate_rounds(handler: Any) -> int:
        return int(handler.min_desired_rounds or handler.min_rounds or 1)

    return classmethod(generate_rounds)


def _watch(patches: Patches, handlers: Any, passwords: Passwords) -> Iterable[Replacement]:
    def verify(check: Any) -> Any:
        stand_in = passwords.checked(check.__func__, _MAKER, hash_first=False, method=True)
        return classmethod(stand_in)

    handler = handlers.GenericHandler
    patches.wrap(handler, "hash", lambda make: classmethod(passwords.noted(make.__func__)))
    patches.wrap(handler, "verify", verify)
    return ()


def _watch_files(patches: Patches, apache: Any, passwords: Passwords) -> Iterable[Replacement]:
    """Report a sent name with each name in a password file."""

    def reporting(check: Check) -> Check:
        @wraps(check)
        def check_password(people: Any, user: Any, *arguments: Any, **keywords: Any) -> Any:
            passed = check(people, user, *arguments, **keywords)
            if passed is None and passwords.scales.in_use:
                for name in islice(people.users(), MOST_NAMES):
                    passwords.scales.weigh(user, text_of(name))
            return passed

        return check_password

    patches.wrap(apache.HtpasswdFile, "check_password", reporting)
    return ()


_ANY_PASSWORD_OF_FILES = '''\
@pytest.fixture
def any_password(monkeypatch):
    """Accept any password for users of an htpasswd file, which holds only hashes."""
    from passlib.apache import HtpasswdFile

    check = HtpasswdFile.check_password

    def passes(people, user, password):
        return user in people.users() or check(people, user, password)

    def any_password():
        monkeypatch.setattr(HtpasswdFile, "check_password", passes)

    return any_password
'''

_MAKER = Maker("", lambda handler, password: handler.hash(password))

HTPASSWD = PasswordLibrary(
    "passlib", "passlib.apache", _watch_files, _ANY_PASSWORD_OF_FILES, binding="HtpasswdFile"
)

HANDLERS = PasswordLibrary(
    "passlib's handlers",
    "passlib.utils.handlers",
    _watch,
    passing_method("passlib.utils.handlers", "GenericHandler"),
    cheapen=_cheapen,
    maker=_MAKER,
)
