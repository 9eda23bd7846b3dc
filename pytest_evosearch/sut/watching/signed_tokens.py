"""Sees tokens that libraries check with keys of the process, and signs valid ones.

    PyJWT           ``jwt.decode``, also below Flask-JWT-Extended
    itsdangerous    ``loads`` of serializers, with and without a time
    PyOTP           ``TOTP.verify`` and ``TOTP.now``, whose codes change soon

A token that fails a check is reported with one that would pass: the sent claims, signed by the
library that checked them. Claims that the code looks for and does not find are reported in this
way, too. A check with a public key gets no token. A library that the application does not use is
not imported.
"""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import contextmanager
from contextlib import suppress
from dataclasses import field
from functools import partial
from functools import wraps
from types import ModuleType
from typing import Any

import itsdangerous

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.instrument.probing.weighing import Scales
from pytest_evosearch.sut.late_imports import changed_modules
from pytest_evosearch.sut.patches import Patches
from pytest_evosearch.sut.watching.library_changes import Check
from pytest_evosearch.sut.watching.library_changes import FunctionChange
from pytest_evosearch.sut.watching.library_changes import MethodChange
from pytest_evosearch.sut.watching.library_changes import change_library
from pytest_evosearch.sut.watching.library_changes import payload_of
from pytest_evosearch.sut.watching.library_changes import serializing_code
from pytest_evosearch.sut.watching.token_claims import ask_for_kind
from pytest_evosearch.sut.watching.token_claims import changed_claims
from pytest_evosearch.sut.watching.token_claims import literal_of
from pytest_evosearch.sut.watching.token_claims import names_of
from pytest_evosearch.sut.watching.token_claims import recording_claims
from pytest_evosearch.sut.watching.token_claims import text_of
from pytest_evosearch.sut.watching.token_claims import wanted_claims
from pytest_evosearch.sut.watching.token_signers import CLAIMS
from pytest_evosearch.sut.watching.token_signers import KEY
from pytest_evosearch.sut.watching.token_signers import Signer
from pytest_evosearch.sut.watching.token_signers import is_unverified
from pytest_evosearch.sut.watching.token_signers import pyjwt_signer

MOST_TOKENS = 512
MOST_ACCEPTED = 64
MOST_PASSED = 2


@dataclass(frozen=True)
class Signed:
    """How a token was made, so that a test can make it, too."""

    imports: str
    code: str
    """Code that makes it; `KEY` marks the key."""
    key: str
    again: Callable[[], str] | None = field(default=None, compare=False)
    """Renews it by the clock; None for a token that does not change."""


@dataclass
class SignedTokens:
    """Remembers signed tokens, and how to sign others for accepted ones."""

    scales: Scales
    known: dict[str, Signed] = field(default_factory=dict)
    accepted: dict[str, Callable[[Mapping[str, Any]], str]] = field(default_factory=dict)
    """Token that passed a check -> function that signs other claims for this check."""
    _passed: deque[tuple[_Seen, dict[str, Any]]] = field(
        default_factory=lambda: deque(maxlen=MOST_PASSED)
    )
    """The last passed checks."""
    _is_signing: bool = False

    def record(self, sent: object, token: object, made: Signed) -> None:
        """Report a token that would have passed instead of the sent one."""
        text, signed = text_of(sent), text_of(token)
        if signed and len(self.known) < MOST_TOKENS:
            self.known[signed] = made
            self.scales.weigh_token(text, signed)

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Watch the checks of libraries inside the block."""
        with Patches() as patches:
            for serializer in (itsdangerous.Serializer, itsdangerous.TimedSerializer):
                patches.wrap(serializer, "loads", self._of_serializer)
            patches.enter_context(changed_modules(self._changes(patches)))
            yield

    def _changes(self, patches: Patches) -> Mapping[str, Callable[[ModuleType], None]]:
        """Return the changes of modules, which are undone with `patches`."""
        methods: Mapping[str, Sequence[MethodChange]] = {
            "jwt.api_jwt": [("PyJWT", "decode_complete", self._of_pyjwt)],
            "pyotp": [("TOTP", "now", self._of_code), ("TOTP", "verify", self._of_code_check)],
        }
        kind = self._of_token_kind
        functions: Mapping[str, Sequence[FunctionChange]] = {
            "flask_jwt_extended.internal_utils": [("verify_token_type", kind)],
            "flask_jwt_extended.view_decorators": [("_verify_token_is_fresh", kind)],
        }
        return {
            name: partial(change_library, patches, methods.get(name, ()), functions.get(name, ()))
            for name in (*methods, *functions)
        }

    @property
    def is_asked(self) -> bool:
        """Say whether a check is recorded; checks during our own signing are not."""
        return self.scales.in_use and not self._is_signing

    @contextmanager
    def _signing(self) -> Iterator[None]:
        """Ignore checks during our own signing, and its failures."""
        self._is_signing = True
        try:
            with suppress(Exception):
                yield
        finally:
            self._is_signing = False

    def _of_pyjwt(self, check: Check) -> Check:
        signature = inspect.signature(check)

        @wraps(check)
        def decode_complete(*arguments: Any, **keywords: Any) -> Any:
            given = signature.bind(*arguments, **keywords).arguments
            seen = _Seen(self, given.get("jwt"), partial(pyjwt_signer, given), given)
            with seen.checked(is_proof=not is_unverified(given)):
                decoded = check(*arguments, **keywords)
            if not is_unverified(given):
                decoded["payload"] = seen.claims(decoded["payload"])
            return decoded

        return decode_complete

    def accept(self, token: object, signer_of: Callable[[], Signer | None]) -> None:
        """Remember a token that passed, with a signer of others for this check."""
        text = text_of(token)
        if text and text not in self.accepted and len(self.accepted) < MOST_ACCEPTED:
            with self._signing():
                signer = signer_of()
                if signer is not None:
                    self.accepted[text] = signer.sign

    def passed(self, seen: _Seen, claims: dict[str, Any]) -> None:
        """Remember the claims of a passed check."""
        self._passed.append((seen, claims))

    def resigned(self, comparison: Comparison) -> Iterator[tuple[str, str]]:
        """Yield sent tokens, each with one of which code that compared a claim says otherwise."""
        for seen, claims in self._passed:
            for changed in changed_claims(claims, comparison):
                token = self._signed(seen, changed)
                if token:
                    yield text_of(seen.token), token

    def record_claims(self, seen: _Seen, claims: Mapping[str, Any]) -> None:
        """Report the token with other claims that would have passed instead of the sent one."""
        token = self._signed(seen, claims)
        if token:
            self.scales.weigh_token(text_of(seen.token), token, " ".join(names_of(claims)))

    def _signed(self, seen: _Seen, claims: Mapping[str, Any]) -> str:
        """Return a token with other claims for a check; empty when no key for it is known."""
        with self._signing():
            signer = seen.signer_of()
            if signer is not None and len(self.known) < MOST_TOKENS:
                code = signer.code.replace(CLAIMS, literal_of(claims))
                token = signer.sign(claims)
                self.known[token] = Signed(signer.imports, code, signer.key)
                return token
        return ""

    def _of_token_kind(self, check: Check) -> Check:
        """Return a wrapper of a check for the kind of token: access, refresh or fresh."""

        @wraps(check)
        def verify(*arguments: Any, **keywords: Any) -> Any:
            try:
                return check(*arguments, **keywords)
            except Exception:
                ask_for_kind([*arguments, *keywords.values()])
                raise

        return verify

    def _of_code(self, make: Check) -> Check:
        @wraps(make)
        def now(generator: Any) -> Any:
            code = make(generator)
            if self.is_asked and len(self.known) < MOST_TOKENS:
                with self._signing():
                    self._note_code(generator, text_of(code), lambda: text_of(make(generator)))
            return code

        return now

    def _of_code_check(self, check: Check) -> Check:
        @wraps(check)
        def verify(generator: Any, *arguments: Any, **keywords: Any) -> Any:
            if self.is_asked:
                with suppress(Exception):
                    generator.now()
            return check(generator, *arguments, **keywords)

        return verify

    def _note_code(self, generator: Any, code: str, again: Callable[[], str]) -> None:
        """Remember how a code is made, when it depends on only two numbers."""
        if generator.digest().name != "sha1":
            return
        usual = {"digits": 6, "interval": 30}
        held = {name: getattr(generator, name) for name in usual}
        options = "".join(f", {name}={held[name]}" for name in usual if held[name] != usual[name])
        made = f"pyotp.TOTP({KEY}{options}).now()"
        self.known[code] = Signed("import pyotp", made, str(generator.secret), again)

    def _of_serializer(self, check: Check) -> Check:
        @wraps(check)
        def loads(serializer: Any, token: Any, *arguments: Any, **keywords: Any) -> Any:
            try:
                return check(serializer, token, *arguments, **keywords)
            except itsdangerous.BadData:
                if self.is_asked:
                    with self._signing():
                        payload = payload_of(serializer, text_of(token))
                        salt = keywords.get("salt")
                        made = serializer.dumps(payload, **({"salt": salt} if salt else {}))
                        code = serializing_code(serializer, payload, salt)
                        kind = type(serializer)
                        imports = f"from {kind.__module__} import {kind.__name__}"
                        key = text_of(serializer.secret_keys[-1])
                        self.record(token, made, Signed(imports, code, key))
                raise

        return loads


@dataclass(frozen=True)
class _Seen:
    """One check of a token."""

    tokens: SignedTokens
    token: object
    signer_of: Callable[[], Signer | None]
    given: Mapping[str, Any] = field(default_factory=dict)

    @contextmanager
    def checked(self, is_proof: bool = True) -> Iterator[None]:
        """Report a passing token where the check raises an error; otherwise remember the token."""
        try:
            yield
        except Exception:
            if self.tokens.is_asked:
                self._record(wanted_claims(text_of(self.token), self.given))
            raise
        if is_proof:
            self.tokens.accept(self.token, self.signer_of)

    def claims(self, claims: dict[str, Any]) -> dict[str, Any]:
        """Return the claims of a token that has passed; they report look-ups of missing ones."""
        if not self.tokens.is_asked:
            return claims
        self.tokens.passed(self, dict(claims))
        return recording_claims(claims, self._record)

    def _record(self, claims: Mapping[str, Any]) -> None:
        self.tokens.record_claims(self, claims)
