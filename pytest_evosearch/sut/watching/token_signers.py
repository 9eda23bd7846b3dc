"""Signs claims with the library that checks a token, by the check's key or its other half."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.watching.key_pairs import KeyPairs
from pytest_evosearch.sut.watching.key_pairs import public_part
from pytest_evosearch.sut.watching.token_claims import literal_of
from pytest_evosearch.sut.watching.token_claims import text_of

KEY = "<key>"
"""Marks the key in the code of a token."""

CLAIMS = "<claims>"
"""Marks the claims in the code of a token."""

ANY_KEY = "any key will do, for nothing asks which it was"


@dataclass(frozen=True)
class Signer:
    """Signs claims so that one check accepts them."""

    sign: Callable[[Mapping[str, Any]], str]
    imports: str
    code: str
    """Code that signs; `KEY` and `CLAIMS` mark both."""
    key: object
    """The text of the key, or the application's own object."""


def pyjwt_signer(given: Mapping[str, Any], pairs: KeyPairs) -> Signer | None:
    """Return a signer for a check of PyJWT, None when no key for it is known."""
    import jwt

    key = given.get("key")
    algorithms = given.get("algorithms") or ()
    if is_unverified(given):
        algorithms, key = ("HS256",), ANY_KEY
    if isinstance(key, jwt.PyJWK):
        algorithms, key = algorithms or (key.algorithm_name,), key.key

    headers = _named_key(given.get("jwt"))
    headers_argument = f", headers={literal_of(headers)}" if headers else ""

    def made(algorithm: str, key: Any) -> Signer:
        return Signer(
            lambda claims: jwt.encode(dict(claims), key, algorithm=algorithm, headers=headers),
            "import jwt",
            f'jwt.encode({CLAIMS}, {KEY}, algorithm="{algorithm}"{headers_argument})',
            _kept(key),
        )

    return _first_that_signs(partial(made, *one) for one in _choices(algorithms, key, pairs))


def _named_key(token: object) -> dict[str, str]:
    """Return the part of a token's header that names the key, {} without one."""
    import jwt

    with suppress(jwt.InvalidTokenError):
        named = jwt.get_unverified_header(text_of(token)).get("kid")
        if isinstance(named, str):
            return {"kid": named}
    return {}


def is_unverified(given: Mapping[str, Any]) -> bool:
    """Say whether a call of PyJWT only reads a token, without a check of its signature."""
    return not (given.get("options") or {}).get("verify_signature", True)


def authlib_signer(library: Any, key: Any, pairs: KeyPairs) -> Signer | None:
    """Return a signer for a check of Authlib, None when no key for it is known."""
    jws = library._jws
    known = [one for one in jws._algorithms or jws.ALGORITHMS_REGISTRY if one != "none"]

    def made(algorithm: str, key: Any) -> Signer:
        return Signer(
            lambda claims: text_of(library.encode({"alg": algorithm}, dict(claims), key)),
            "from authlib.jose import jwt",
            f'jwt.encode({{"alg": "{algorithm}"}}, {CLAIMS}, {KEY}).decode()',
            _kept(key),
        )

    return _first_that_signs(partial(made, *one) for one in _choices(known, key, pairs))


def joserfc_signer(given: Mapping[str, Any], pairs: KeyPairs) -> Signer | None:
    """Return a signer for a check of joserfc, None when no key for it is known."""
    from joserfc import jwk
    from joserfc import jws
    from joserfc import jwt

    kinds = {"HS": jwk.OctKey, "RS": jwk.RSAKey, "PS": jwk.RSAKey, "ES": jwk.ECKey}

    def made(name: str | None, algorithm: str, key: Any) -> Signer:
        if isinstance(key, jwk.OctKey):
            key = key.raw_value
        kind: Any = kinds.get(algorithm[:2], jwk.OKPKey)
        is_own = isinstance(key, kind)
        usable = key if is_own else kind.import_key(key)
        code = KEY if is_own else f"jwk.{kind.__name__}.import_key({KEY})"
        head = {"alg": algorithm, **({"kid": name} if name else {})}
        return Signer(
            lambda claims: jwt.encode(dict(head), dict(claims), usable, [algorithm]),
            "from joserfc import jwt" if is_own else "from joserfc import jwk, jwt",
            f'jwt.encode({literal_of(head)}, {CLAIMS}, {code}, ["{algorithm}"])',
            _kept(key),
        )

    algorithms = given.get("algorithms") or jws.JWSRegistry.recommended
    key: Any = given.get("key")
    several: list[Any] = key.keys if isinstance(key, jwk.KeySet) else [key]
    return _first_that_signs(
        partial(made, one.kid if len(several) > 1 else None, *choice)
        for one in several
        for choice in _choices(algorithms, one, pairs)
    )


def _choices(
    algorithms: Iterable[str], key: object, pairs: KeyPairs
) -> Iterator[tuple[str, object]]:
    """Yield algorithms with keys: the key of the check, or the other half of its pair."""
    private = pairs.private_half(key)
    for algorithm in algorithms:
        if public_part(key) is None:
            yield algorithm, key
        elif private is not None and not algorithm.startswith("HS"):
            yield algorithm, private


def _first_that_signs(makers: Iterable[Callable[[], Signer]]) -> Signer | None:
    """Return the first signer whose key fits its algorithm."""
    for make in makers:
        with suppress(Exception):  # errors of libraries about a key that does not fit
            signer = make()
            signer.sign({})
            return signer
    return None


def _kept(key: object) -> object:
    """Return a key in the form to search for: its text, or the object."""
    return text_of(key) or key
