"""Sees comparisons in libraries: digests, signatures, and passwords with their hashes.

Each check of a library is wrapped. The wrapper returns or raises as the check does, and reports
both sides when they differ:

    hmac, secrets       ``compare_digest``, where Werkzeug, Flask-HTTPAuth and PyJWT end, too
    itsdangerous        the signature that was sent, and the one that the signer would have made
    Werkzeug, bcrypt,   the password that was sent, and the one whose hash it was checked with,
    passlib, argon2     where that hash was made in this run

A sent password is hashed again when the compared hash comes from another run, by the library of the
check. Then the row can get that hash. This only happens during a look, and new hashes are cheap in
a search.

Applications and libraries import functions by name. So the wrappers are installed before the
application is loaded, and in all loaded modules.
"""

from __future__ import annotations

import hmac
import secrets
import sys
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import contextmanager
from contextlib import suppress
from functools import wraps
from itertools import islice
from typing import Any

import itsdangerous
import werkzeug.security

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.instrument.probing.weighing import Scales
from pytest_evosearch.sut.patches import Patches
from pytest_evosearch.sut.patches import Replacement
from pytest_evosearch.sut.shortcuts.password_hashing import hashed_passwords
from pytest_evosearch.sut.watching.keyed_digests import KeyedDigests

MOST_PASSWORDS = 4096
"""Most hashes of passlib and argon2 whose password is remembered."""

MOST_NAMES = 4
"""Most names of an htpasswd file that are reported."""

Check = Callable[..., Any]


@dataclass(frozen=True)
class Maker:
    """How a library hashes a password."""

    name: str
    """Name for a call in a test; empty when the test should contain the hash."""
    make: Callable[[Any, str], Any]
    """Takes the first argument of the check, and the password."""


@contextmanager
def weighed_library_checks(scales: Scales, digests: KeyedDigests | None = None) -> Iterator[None]:
    """Report the comparisons of libraries' checks to `scales` inside the block.

    `digests` receive the messages that are hashed with a key.
    """
    with Patches() as patches:
        passwords = _Passwords(scales)
        digest = _digest(scales, passwords, hmac.compare_digest)
        check = werkzeug.security.check_password_hash
        checked = passwords.checked(check, _WERKZEUG, hash_first=True)
        patches.everywhere(
            Replacement((hmac, secrets), "compare_digest", digest),
            Replacement((werkzeug.security,), "check_password_hash", checked),
            *_of_keyed_digests(digests),
            *_of_bcrypt(passwords),
        )
        patches.wrap(
            itsdangerous.Signer, "verify_signature", lambda check: _signature(scales, check)
        )
        _watch_argon2(patches, passwords)
        _watch_passlib(patches, passwords)
        _watch_htpasswd(patches, scales)
        yield


def _digest(scales: Scales, passwords: _Passwords, check: Check) -> Check:
    """Return a wrapper of ``hmac.compare_digest``.

    Where both sides are hashes of this run (Flask-Bcrypt), report their passwords.
    """

    @wraps(check)
    def compare_digest(a: Any, b: Any, /) -> Any:
        passed = check(a, b)
        if scales.in_use:
            if passed:
                scales.note_passed()
            else:
                scales.weigh(a, b)
                sent, wanted = passwords.behind(a), passwords.behind(b)
                if sent is not None and wanted is not None:
                    scales.weigh(sent, wanted)
        return passed

    return compare_digest


def _signature(scales: Scales, check: Check) -> Check:
    """Return a wrapper of ``itsdangerous.Signer.verify_signature``."""

    @wraps(check)
    def verify_signature(signer: Any, value: Any, sig: Any) -> Any:
        passed = check(signer, value, sig)
        if not passed and scales.in_use:
            try:
                wanted = signer.get_signature(value)
            except Exception:  # a signer of the application
                return passed
            scales.weigh(sig, wanted)
        return passed

    return verify_signature


class _Passwords:
    """Knows the passwords of hashes, and wraps functions that check them."""

    def __init__(self, scales: Scales) -> None:
        self._scales = scales
        self._known: dict[str, str] = {}

    def noted(self, make: Check) -> Check:
        """Return a wrapper of a method that hashes its first argument after the receiver."""

        @wraps(make)
        def hashed(receiver: Any, secret: Any, *arguments: Any, **keywords: Any) -> Any:
            result = make(receiver, secret, *arguments, **keywords)
            key, password = _text(result), _text(secret)
            if key is not None and password is not None and len(self._known) < MOST_PASSWORDS:
                self._known[key] = password
            return result

        return hashed

    def checked(
        self, check: Check, maker: Maker, *, hash_first: bool, method: bool = False
    ) -> Check:
        """Return a wrapper of a function that checks a password with a hash.

        `maker` makes a hash of this kind from a password.
        """

        @wraps(check)
        def checked(*arguments: Any, **keywords: Any) -> Any:
            try:
                passed = check(*arguments, **keywords)
            except Exception:
                self._report(arguments, maker, hash_first, method)
                raise
            if passed:
                self._scales.note_passed()
            else:
                self._report(arguments, maker, hash_first, method)
            return passed

        return checked

    def _report(
        self, arguments: tuple[Any, ...], maker: Maker, hash_first: bool, method: bool
    ) -> None:
        compared = arguments[method:]
        if not self._scales.in_use or len(compared) < 2:
            return
        hashed, password = compared[:2] if hash_first else compared[1::-1]
        wanted = self.behind(hashed)
        observed, stored = _text(password), _text(hashed)
        if wanted is not None and observed is not None:
            self._scales.weigh(observed, wanted)
        elif observed is not None and stored is not None:
            with suppress(Exception):  # the application may have passed anything
                made = _text(maker.make(arguments[0], observed))
                if made is not None:
                    self._scales.weigh_hash(observed, made, maker.name, stored)

    def behind(self, hashed: object) -> str | None:
        """Return the password of a hash that was made in this run, or None."""
        key = _text(hashed)
        if key is None:
            return None
        return self._known.get(key) or hashed_passwords().get(key)


def _of_keyed_digests(digests: KeyedDigests | None) -> Iterator[Replacement]:
    if digests is not None:
        yield Replacement((hmac,), "new", digests.noting(hmac.new))


def _of_bcrypt(passwords: _Passwords) -> Iterator[Replacement]:
    module = sys.modules.get("bcrypt")  # the module for cheap hashing has imported it
    if module is not None:
        stand_in = passwords.checked(module.checkpw, _BCRYPT, hash_first=False)
        yield Replacement((module,), "checkpw", stand_in)


def _watch_argon2(patches: Patches, passwords: _Passwords) -> None:
    module = sys.modules.get("argon2")
    if module is not None:
        hasher = module.PasswordHasher
        patches.wrap(hasher, "hash", passwords.noted)
        patches.wrap(
            hasher,
            "verify",
            lambda check: passwords.checked(check, _ARGON2, hash_first=True, method=True),
        )


def _watch_passlib(patches: Patches, passwords: _Passwords) -> None:
    module = sys.modules.get("passlib.utils.handlers")
    if module is not None:

        def verify(check: Any) -> Any:
            stand_in = passwords.checked(check.__func__, _PASSLIB, hash_first=False, method=True)
            return classmethod(stand_in)

        patches.wrap(
            module.GenericHandler,
            "hash",
            lambda make: classmethod(passwords.noted(make.__func__)),
        )
        patches.wrap(module.GenericHandler, "verify", verify)


def _watch_htpasswd(patches: Patches, scales: Scales) -> None:
    """Report a sent name with each name in a password file of the Apache web server.

    The module is not imported for this, because its import fails with new versions of bcrypt.
    """
    apache = sys.modules.get("passlib.apache")
    if apache is None:
        return

    def reporting(check: Check) -> Check:
        @wraps(check)
        def check_password(people: Any, user: Any, *arguments: Any, **keywords: Any) -> Any:
            passed = check(people, user, *arguments, **keywords)
            if passed is None and scales.in_use:
                for name in islice(people.users(), MOST_NAMES):
                    scales.weigh(user, _text(name))
            return passed

        return check_password

    patches.wrap(apache.HtpasswdFile, "check_password", reporting)


def _hash_of_bcrypt(_receiver: Any, password: str) -> Any:
    module = sys.modules["bcrypt"]
    return module.hashpw(password.encode(), module.gensalt())


_WERKZEUG = Maker(
    "werkzeug.security.generate_password_hash",
    lambda _receiver, password: werkzeug.security.generate_password_hash(password),
)
_BCRYPT = Maker("bcrypt.hashpw", _hash_of_bcrypt)
_ARGON2 = Maker("argon2.PasswordHasher", lambda hasher, password: hasher.hash(password))
_PASSLIB = Maker("", lambda handler, password: handler.hash(password))


def _text(value: object) -> str | None:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if isinstance(value, str) else None
