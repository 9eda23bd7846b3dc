"""Sees which tokens libraries check with keys of the process, and signs what would have passed.

    PyJWT           ``jwt.decode``, also below Flask-JWT-Extended: HS256 and its like
    Authlib         ``authlib.jose.jwt.decode`` with a key that is a text
    itsdangerous    ``loads`` of serializers, with and without a time
    PyOTP           ``TOTP.verify`` and ``TOTP.now``, whose codes are another one soon

A token that does not pass is told beside one that would: the claims that were sent, signed by the
very library that has checked them.  Claims that the code looks for and does not find are told in
the same way.  Tokens of a key pair are left alone: who checks them cannot sign.
"""

from __future__ import annotations

import base64
import importlib.util
import inspect
import warnings
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import ExitStack
from contextlib import contextmanager
from contextlib import suppress
from dataclasses import dataclass
from dataclasses import field
from functools import wraps
from typing import Any
from typing import Protocol

import itsdangerous

from pytest_evosearch.core.isolation import json

LATE = 4102444800
"""When a token ends whose end the code wants to know: the year 2100."""

MOST_TOKENS = 512
MOST_ACCEPTED = 64

KEY = "<key>"
"""Stands for the key in the code of a token."""

Check = Callable[..., Any]
Sign = Callable[[Mapping[str, Any]], None]


class TokenScales(Protocol):
    """What is needed of `instrument.probing.weighing.Scales`."""

    @property
    def in_use(self) -> bool:
        """Whether what is compared is of interest now."""
        ...

    def weigh_token(self, sent: str, signed: str) -> None:
        """Note a token that was sent, and one that the application would believe."""
        ...


@dataclass(frozen=True)
class Signed:
    """How a token was made, so that a test can make it, too."""

    imports: str
    code: str
    """`KEY` stands for the key."""
    key: str
    again: Callable[[], str] | None = field(default=None, compare=False)
    """Makes it anew by the clock; None for a token that stays."""


@dataclass
class SignedTokens:
    """Remembers the tokens that were signed, and how those would be that were accepted."""

    scales: TokenScales
    known: dict[str, Signed] = field(default_factory=dict)
    accepted: dict[str, Callable[[Mapping[str, Any]], str]] = field(default_factory=dict)
    """Token that passed a check -> what signs other claims for that check."""
    _is_signing: bool = False

    def tell(self, sent: object, token: object, made: Signed) -> None:
        """Tell what would have passed in the place of what was sent."""
        text, signed = _text(sent), _text(token)
        if signed and len(self.known) < MOST_TOKENS:
            self.known[signed] = made
            self.scales.weigh_token(text, signed)

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Look on where libraries check tokens, until the end."""
        with ExitStack() as stack:
            for name, kind, method, wrap in (
                ("jwt.api_jwt", "PyJWT", "decode_complete", self._of_pyjwt),
                ("authlib.jose.rfc7519.jwt", "JsonWebToken", "decode", self._of_authlib),
                ("pyotp", "TOTP", "now", self._of_code),
                ("pyotp", "TOTP", "verify", self._of_code_check),
            ):
                owner = _class_of(name, kind)
                if owner is not None:
                    _replace(stack, owner, method, wrap)
            for serializer in (itsdangerous.Serializer, itsdangerous.TimedSerializer):
                _replace(stack, serializer, "loads", self._of_serializer)
            yield

    def _is_asked(self) -> bool:
        """Say whether a check is of interest; what signing itself checks is of none."""
        return self.scales.in_use and not self._is_signing

    @contextmanager
    def _signing(self) -> Iterator[None]:
        """Leave out checks that signing makes, and whatever fails in it."""
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
            if not self._is_asked():
                decoded = check(*arguments, **keywords)
                if len(self.accepted) < MOST_ACCEPTED:
                    self._accept_pyjwt(signature.bind(*arguments, **keywords).arguments)
                return decoded
            given = signature.bind(*arguments, **keywords).arguments
            token, key = given.get("jwt"), given.get("key")
            usable = [one for one in given.get("algorithms") or () if one.startswith("HS")]

            def sign(claims: Mapping[str, Any]) -> None:
                import jwt

                if usable and isinstance(key, (str, bytes)):
                    made = jwt.encode(dict(claims), key, algorithm=usable[0])
                    code = f'jwt.encode({_literal(claims)}, {KEY}, algorithm="{usable[0]}")'
                    self.tell(token, made, Signed("import jwt", code, _text(key)))

            try:
                decoded = check(*arguments, **keywords)
            except Exception:
                with self._signing():
                    sign(_wanted_claims(_text(token), given))
                raise
            self._accept_pyjwt(given)
            decoded["payload"] = Claims(decoded["payload"], sign)
            return decoded

        return decode_complete

    def _accept_pyjwt(self, given: Mapping[str, Any]) -> None:
        """Remember a token that passed, with what signs others for the same check."""
        token, key = _text(given.get("jwt")), given.get("key")
        usable = [one for one in given.get("algorithms") or () if one.startswith("HS")]
        if not token or token in self.accepted or not usable or not isinstance(key, (str, bytes)):
            return

        def sign(claims: Mapping[str, Any]) -> str:
            import jwt

            return jwt.encode(dict(claims), key, algorithm=usable[0])

        self.accepted[token] = sign

    def _of_authlib(self, check: Check) -> Check:
        @wraps(check)
        def decode(library: Any, token: Any, key: Any, *arguments: Any, **keywords: Any) -> Any:
            try:
                decoded = check(library, token, key, *arguments, **keywords)
                if len(self.accepted) < MOST_ACCEPTED and isinstance(key, (str, bytes)):
                    self.accepted.setdefault(
                        _text(token),
                        lambda claims: _text(library.encode({"alg": "HS256"}, dict(claims), key)),
                    )
                return decoded
            except Exception:
                if self._is_asked() and isinstance(key, (str, bytes)):
                    with self._signing():
                        claims = _wanted_claims(_text(token), {})
                        made = library.encode({"alg": "HS256"}, dict(claims), key)
                        head = '{"alg": "HS256"}'
                        code = f"jwt.encode({head}, {_literal(claims)}, {KEY}).decode()"
                        signed = Signed("from authlib.jose import jwt", code, _text(key))
                        self.tell(token, made, signed)
                raise

        return decode

    def _of_code(self, make: Check) -> Check:
        @wraps(make)
        def now(generator: Any) -> Any:
            code = make(generator)
            if self._is_asked() and len(self.known) < MOST_TOKENS:
                with self._signing():
                    self._note_code(generator, _text(code), lambda: _text(make(generator)))
            return code

        return now

    def _of_code_check(self, check: Check) -> Check:
        @wraps(check)
        def verify(generator: Any, *arguments: Any, **keywords: Any) -> Any:
            if self._is_asked():
                with suppress(Exception):
                    generator.now()
            return check(generator, *arguments, **keywords)

        return verify

    def _note_code(self, generator: Any, code: str, again: Callable[[], str]) -> None:
        """Remember how a code is made, where two numbers are all that it depends on."""
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
                if self._is_asked():
                    with self._signing():
                        payload = _payload_of(serializer, _text(token))
                        salt = keywords.get("salt")
                        made = serializer.dumps(payload, **({"salt": salt} if salt else {}))
                        code = _serializing(serializer, payload, salt)
                        kind = type(serializer)
                        imports = f"from {kind.__module__} import {kind.__name__}"
                        key = _text(serializer.secret_keys[-1])
                        self.tell(token, made, Signed(imports, code, key))
                raise

        return loads


class Claims(dict[str, Any]):
    """The claims of a token; what is looked for and is not there asks for another token."""

    def __init__(
        self, claims: Mapping[str, Any], sign: Callable[[Mapping[str, Any]], None]
    ) -> None:
        super().__init__(claims)
        self._sign = sign

    def get(self, key: str, default: Any = None) -> Any:
        """Return a claim; tell where it is missed."""
        if key not in self:
            self._miss(key)
        return super().get(key, default)

    def __missing__(self, key: str) -> Any:
        self._miss(key)
        raise KeyError(key)

    def _miss(self, key: object) -> None:
        if isinstance(key, str):
            with suppress(Exception):
                self._sign({**self, key: f"{key}1"})


def _wanted_claims(token: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the claims that were sent, with those that the check asks for."""
    claims = _claims_of(token)
    if claims is None:
        claims = {"sub": token.rpartition(" ")[2] if token.isascii() and "." not in token else "a"}
    for argument, claim in (("audience", "aud"), ("issuer", "iss"), ("subject", "sub")):
        wanted = given.get(argument)
        if wanted:
            claims[claim] = wanted if isinstance(wanted, str) else next(iter(wanted))
    for claim in (given.get("options") or {}).get("require", ()):
        late: Any = {"exp": LATE, "iat": 0, "nbf": 0}.get(claim, f"{claim}1")
        claims.setdefault(claim, late)
    return claims


def _claims_of(token: str) -> dict[str, Any] | None:
    parts = token.split(".")
    if len(parts) == 3:
        with suppress(ValueError):
            decoded = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
            if isinstance(decoded, dict):
                return decoded
    return None


def _payload_of(serializer: Any, token: str) -> Any:
    """Return what a token holds without regard to its signature; a word where it is none."""
    with suppress(Exception):
        _is_signed, payload = serializer.loads_unsafe(token)
        if payload is not None:
            return payload
    return token if token.isalnum() else "a"


def _serializing(serializer: Any, payload: object, salt: object) -> str:
    own = salt or serializer.salt
    shown = "" if own in (b"itsdangerous", "itsdangerous") else f", salt={_literal(_text(own))}"
    return f"{type(serializer).__name__}({KEY}{shown}).dumps({_literal(payload)})"


def _literal(value: object) -> str:
    return str(json.dumps(value)) if isinstance(value, str) else repr(value).replace("'", '"')


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if isinstance(value, str) else ""


def _class_of(module: str, name: str) -> type | None:
    """Return a class of a library that is installed, None where it is not."""
    # What it warns of is for its application to hear.
    with suppress(Exception), warnings.catch_warnings(record=True):
        if importlib.util.find_spec(module.partition(".")[0]) is not None:
            found = getattr(importlib.import_module(module), name)
            return found if isinstance(found, type) else None
    return None


def _replace(stack: ExitStack, owner: type, name: str, wrap: Callable[[Check], Check]) -> None:
    original = owner.__dict__.get(name)
    if original is not None:
        setattr(owner, name, wrap(original))
        stack.callback(setattr, owner, name, original)
