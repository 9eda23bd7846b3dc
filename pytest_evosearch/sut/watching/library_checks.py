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
from functools import wraps
from typing import Any

import itsdangerous

from pytest_evosearch.instrument.probing.weighing import Scales
from pytest_evosearch.sut.passwords.library import Passwords
from pytest_evosearch.sut.passwords.password_libraries import LIBRARIES
from pytest_evosearch.sut.passwords.password_libraries import passwords_for
from pytest_evosearch.sut.patches import Patches
from pytest_evosearch.sut.patches import Replacement
from pytest_evosearch.sut.watching.keyed_digests import KeyedDigests

Check = Callable[..., Any]


@contextmanager
def weighed_library_checks(scales: Scales, digests: KeyedDigests | None = None) -> Iterator[None]:
    """Report the comparisons of libraries' checks to `scales` inside the block.

    `digests` receive the messages that are hashed with a key.
    """
    with Patches() as patches:
        passwords = passwords_for(scales)
        digest = _digest(scales, passwords, hmac.compare_digest)
        patches.everywhere(
            Replacement((hmac, secrets), "compare_digest", digest),
            *_of_keyed_digests(digests),
            *_of_passwords(patches, passwords),
        )
        patches.wrap(
            itsdangerous.Signer, "verify_signature", lambda check: _signature(scales, check)
        )
        yield


def _digest(scales: Scales, passwords: Passwords, check: Check) -> Check:
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


def _of_keyed_digests(digests: KeyedDigests | None) -> Iterator[Replacement]:
    if digests is not None:
        yield Replacement((hmac,), "new", digests.noting(hmac.new))


def _of_passwords(patches: Patches, passwords: Passwords) -> Iterator[Replacement]:
    """Watch the libraries that are loaded: the module for cheap hashing has imported most."""
    for library in LIBRARIES:
        module = sys.modules.get(library.module)
        if module is not None:
            yield from library.watch(patches, module, passwords)
