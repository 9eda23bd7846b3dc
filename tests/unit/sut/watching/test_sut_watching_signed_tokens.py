"""Tokens that are signed by the libraries that check them."""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass
from dataclasses import field

import pytest
from itsdangerous import BadSignature
from itsdangerous import URLSafeSerializer
from itsdangerous import URLSafeTimedSerializer

from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.sut.watching.signed_tokens import SignedTokens

jwt = pytest.importorskip("jwt")

KEY = "a key of more than thirty-two bytes, please"


@dataclass
class Scales:
    in_use: bool = True
    told: list[tuple[str, str]] = field(default_factory=list)

    def weigh_token(self, sent, signed, asked=""):
        self.told.append((sent, signed))


@pytest.fixture
def scales():
    scales = Scales()
    with SignedTokens(scales).watched():
        yield scales


def decoded(token, **options):
    return jwt.decode(token, KEY, algorithms=["HS256"], **options)


def test_token_of_another_is_told_beside_one_with_the_claims_that_are_asked_for(scales):
    with pytest.raises(jwt.InvalidTokenError):
        decoded("acorn", audience="tides", issuer="harbour")
    [(sent, signed)] = scales.told
    assert sent == "acorn"
    claims = decoded(signed, audience="tides", issuer="harbour")
    assert dict(claims) == {"sub": "acorn", "aud": "tides", "iss": "harbour"}


def test_claims_that_were_sent_are_signed_anew(scales):
    forged = jwt.encode({"sub": "mira", "role": "owner"}, "x" * 40, algorithm="HS256")
    with pytest.raises(jwt.InvalidSignatureError):
        decoded(forged)
    assert decoded(scales.told[0][1]) == {"sub": "mira", "role": "owner"}


def test_claim_that_is_missed_asks_for_another_token(scales):
    claims = decoded(jwt.encode({"sub": "mira"}, KEY, algorithm="HS256"))
    assert claims.get("role", "none") == "none"
    assert decoded(scales.told[0][1]) == {"sub": "mira", "role": "role1"}
    with pytest.raises(KeyError):
        claims["team"]


@pytest.mark.parametrize("kind", [URLSafeSerializer, URLSafeTimedSerializer])
def test_serializer_tells_what_it_would_have_dumped(scales, kind):
    serializer = kind("lantern", salt="link")
    with pytest.raises(BadSignature):
        serializer.loads("acorn")
    assert serializer.loads(scales.told[0][1]) == "acorn"


def test_nothing_is_signed_where_nobody_looks(scales):
    scales.in_use = False
    with pytest.raises(jwt.InvalidTokenError):
        decoded("acorn")
    assert not scales.told


def test_code_of_a_token_makes_it_again():
    tokens = SignedTokens(Scales())
    with tokens.watched(), pytest.raises(BadSignature):
        URLSafeSerializer("lantern", salt="link").loads("acorn")
    [(signed, made)] = tokens.known.items()
    names: dict[str, object] = {}
    exec(made.imports, names)
    assert eval(made.code.replace("<key>", '"lantern"'), names) == signed


def test_code_of_the_moment_is_known_with_what_makes_it_anew():
    pyotp = pytest.importorskip("pyotp")
    tokens = SignedTokens(Scales())
    generator = pyotp.TOTP("KRSXG5CTMVRXEZLUKRSXG5CTMVRXEZLU", digits=8)
    with tokens.watched():
        assert not generator.verify("acorn")
    [(code, made)] = tokens.known.items()
    assert len(code) == 8
    assert made.code == "pyotp.TOTP(<key>, digits=8).now()"
    assert made.key == generator.secret
    assert made.again is not None
    assert generator.verify(made.again())


def test_check_with_a_public_key_gets_no_token(scales):
    rsa = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.rsa")
    private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    with pytest.raises(jwt.InvalidTokenError):
        jwt.decode("acorn", private.public_key(), algorithms=["RS256"])
    assert scales.told == []


def test_claim_that_was_compared_gets_another_token():
    tokens = SignedTokens(Scales())
    sent = jwt.encode({"sub": "mira", "role": "role1"}, KEY, algorithm="HS256")
    with tokens.watched():
        decoded(sent)
        [(before, after)] = tokens.resigned(Comparison("t", "==", "role1", "owner"))
        assert before == sent
        assert decoded(after) == {"sub": "mira", "role": "owner"}
        assert not list(tokens.resigned(Comparison("t", "==", "acorn", "lantern")))


def test_library_is_watched_when_it_is_imported_and_not_imported_for_that(tmp_path, monkeypatch):
    text = "class TOTP:\n    def verify(self, code):\n        return False\n\nOWN = TOTP.verify\n"
    (tmp_path / "pyotp.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    for name in [name for name in sys.modules if name.partition(".")[0] == "pyotp"]:
        monkeypatch.delitem(sys.modules, name)

    with SignedTokens(Scales()).watched():
        assert "pyotp" not in sys.modules
        library = importlib.import_module("pyotp")
        monkeypatch.delitem(sys.modules, "pyotp")
        assert library.TOTP.verify is not library.OWN
    assert library.TOTP.verify is library.OWN
