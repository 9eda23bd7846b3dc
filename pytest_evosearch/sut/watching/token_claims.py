"""The claims of a JWT: those that were sent, those that a check asks for, those that are missed."""

from __future__ import annotations

import base64
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import contextmanager
from contextlib import suppress
from typing import Any

from pytest_evosearch.core.isolation import json

LATE = 4102444800
"""When a token ends whose end the code wants to know: the year 2100."""

MOST_MEMBERS = 3
"""Texts of a container that are tried as a claim."""

Tell = Callable[[Mapping[str, Any]], None]
"""Tells a token with other claims, which the application would believe."""


class Claims(dict[str, Any]):
    """The claims of a token; what is looked for and is not there asks for another token."""

    _tell: Tell | None = None

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
            self.ask({key: _made_up(key)})

    def ask(self, wanted: Mapping[str, Any]) -> None:
        """Tell a token that has the wanted claims, too."""
        if self._tell is not None:
            with suppress(Exception):
                # A library may have put nothing in the place of a claim that is not there.
                held = {claim: value for claim, value in self.items() if value is not None}
                self._tell({**held, **wanted})

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Tell nothing that is missed until the end: a library looks for what may be missing."""
        tell, self._tell = self._tell, None
        try:
            yield
        finally:
            self._tell = tell


def told_claims(claims: dict[str, Any], tell: Tell) -> dict[str, Any]:
    """Return claims that tell what is missed: those of a library stay of its own class, too."""
    kind = type(claims)
    if kind is dict:
        claims = Claims(claims)
    else:
        claims.__class__ = type(kind.__name__, (Claims, kind), {})
    vars(claims)["_tell"] = tell
    return claims


def wanted_claims(token: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the claims that were sent, with those that the check asks for."""
    claims = _sent_claims(token)
    if claims is None:
        claims = {"sub": token.rpartition(" ")[2] if token.isascii() and "." not in token else "a"}
    for argument, claim in (("audience", "aud"), ("issuer", "iss"), ("subject", "sub")):
        wanted = given.get(argument)
        if wanted:
            claims[claim] = wanted if isinstance(wanted, str) else next(iter(wanted))
    for claim in (given.get("options") or {}).get("require", ()):
        claims.setdefault(claim, _made_up(claim))
    return claims


def asked_by(options: Mapping[str, Any], claims: Mapping[str, Any]) -> dict[str, Any]:
    """Return the claims that options of Authlib and joserfc ask for, and the end of a token."""
    found = {"exp": LATE} if "exp" in claims else {}
    for claim, option in options.items():
        values = [option["value"]] if option.get("value") else list(option.get("values") or ())
        if values and claims.get(claim) not in values:
            found[claim] = values[0]
        elif option.get("essential") and not claims.get(claim):
            found[claim] = _made_up(claim)
    return found


def changed_claims(
    claims: Mapping[str, Any], observed: object, wanted: object
) -> Iterator[dict[str, Any]]:
    """Yield the claims as they would be if a comparison of one of them were to go the other way.

    Of several members any will do; a text that is looked for in a claim becomes its member.
    """
    for claim, value in claims.items():
        for held, changed in _forms(value):
            for mine, other in ((observed, wanted), (wanted, observed)):
                if mine == held and type(mine) is type(held):
                    yield from ({**claims, claim: changed(text)} for text in _members(other))


def _forms(value: Any) -> Iterator[tuple[object, Callable[[Any], Any]]]:
    """Yield how code may compare a claim, each with what makes the claim of another operand."""
    if isinstance(value, list):
        yield tuple(value), lambda text: [*value, text]
    elif value and not isinstance(value, bool):
        yield value, lambda text: text
    if value and isinstance(value, str):
        # Scopes are words of one text.
        yield tuple(value.split()), lambda text: f"{value} {text}"


def _members(value: object) -> list[Any]:
    members = list(value) if isinstance(value, (tuple, frozenset)) else [value]
    return [one for one in members if isinstance(one, (str, int)) and one != ""][:MOST_MEMBERS]


def _made_up(claim: str) -> Any:
    return {"exp": LATE, "iat": 0, "nbf": 0}.get(claim, f"{claim}1")


def _sent_claims(token: str) -> dict[str, Any] | None:
    parts = token.split(".")
    if len(parts) == 3:
        with suppress(ValueError):
            decoded = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
            if isinstance(decoded, dict):
                return decoded
    return None


def literal_of(value: object) -> str:
    """Return a value as code, with the quotes that the written tests use."""
    return str(json.dumps(value)) if isinstance(value, str) else repr(value).replace("'", '"')


def text_of(value: object) -> str:
    """Return a text that may be bytes; empty for anything else."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if isinstance(value, str) else ""


def ask_for_kind(given: list[Any]) -> None:
    """Ask for the token that was wanted where a check by Flask-JWT-Extended has failed.

    Of tokens that are there to refresh others with, a flag says whether they are wanted.
    """
    wants_refresh = next((one for one in given if isinstance(one, bool)), None)
    for claims in given:
        if isinstance(claims, Claims):
            kind = {"type": "refresh" if wants_refresh else "access"}
            claims.ask({**kind, "fresh": True} if wants_refresh is None else kind)
