"""The claims of a JWT: sent ones, those that a check requires, and missing ones."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from pytest_evosearch.core.comparison_signs import SIGNS
from pytest_evosearch.core.isolation import json
from pytest_evosearch.genes.web_tokens import LATE
from pytest_evosearch.genes.web_tokens import claims_of
from pytest_evosearch.instrument.probing.trace import Comparison

MOST_MEMBERS = 3
"""Most texts of a container that are tried as a claim."""

Record = Callable[[Mapping[str, Any]], None]
"""Reports a token with other claims, which the application would accept."""


class Claims(dict[str, Any]):
    """The claims of a token; a look-up of a missing one asks for another token."""

    _record: Record | None = None

    def get(self, key: str, default: Any = None) -> Any:
        """Return a claim; report it if it is missing.

        The default shows which type the code expects.
        """
        if not dict.__contains__(self, key):
            self._miss(key, _instead_of(key, default))
        return super().get(key, default)

    def __contains__(self, key: object) -> bool:
        """Say whether a claim is there; report it if not."""
        is_there = super().__contains__(key)
        if not is_there:
            self._miss(key, [_made_up(key)])
        return is_there

    def __missing__(self, key: str) -> Any:
        self._miss(key, [{}, _made_up(key)])
        raise KeyError(key)

    def _miss(self, key: object, alternatives: Sequence[Any]) -> None:
        """Report a token for each value that a claim may need; the last one is tried first."""
        if isinstance(key, str):
            for value in alternatives:
                self.ask({key: value})

    def ask(self, wanted: Mapping[str, Any]) -> None:
        """Report a token that has the wanted claims, too."""
        if self._record is not None:
            with suppress(Exception):
                # A library may have filled a missing claim with an empty value.
                held = {claim: value for claim, value in self.items() if value is not None}
                self._record({**held, **wanted})


def recording_claims(claims: dict[str, Any], record: Record) -> dict[str, Any]:
    """Return claims that report missing ones.

    A missing member of a nested claim is reported with all claims around it.
    """
    claims = Claims(claims)
    vars(claims)["_record"] = record
    for claim, value in list(claims.items()):
        if type(value) is dict:
            within = partial(_record_within, claims, claim, record)
            dict.__setitem__(claims, claim, recording_claims(value, within))
    return claims


def _record_within(
    claims: Mapping[str, Any], claim: str, record: Record, changed: Mapping[str, Any]
) -> None:
    record({**claims, claim: dict(changed)})


def names_of(claims: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of claims, and of those within them."""
    for claim, value in claims.items():
        yield claim
        if isinstance(value, dict):
            yield from (f"{claim}.{name}" for name in names_of(value))


def wanted_claims(token: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sent claims, with those that the check requires."""
    claims = claims_of(token)
    if claims is None:
        claims = {"sub": token.rpartition(" ")[2] if token.isascii() and "." not in token else "a"}
    for argument, claim in (("audience", "aud"), ("issuer", "iss"), ("subject", "sub")):
        wanted = given.get(argument)
        if wanted:
            claims[claim] = wanted if isinstance(wanted, str) else next(iter(wanted))
    for claim in (given.get("options") or {}).get("require", ()):
        claims.setdefault(claim, _made_up(claim))
    return claims


def changed_claims(claims: Mapping[str, Any], comparison: Comparison) -> Iterator[dict[str, Any]]:
    """Yield the claims as they would be if a comparison of one of them were to go the other way.

    Of several members any will do, of those that are all wanted each is given; a text that is
    looked for in a claim becomes its member.
    """
    if comparison.relation not in (*SIGNS, "key", "startswith", "contains"):
        return
    for claim, value in claims.items():
        if isinstance(value, dict):
            for inner in changed_claims(value, comparison):
                yield {**claims, claim: inner}
        elif not isinstance(_made_up(claim), int):  # times are no matter of comparisons
            for changed in _changed(claim, value, comparison):
                yield {**claims, claim: changed}


def _changed(claim: str, value: Any, comparison: Comparison) -> Iterator[Any]:
    """Yield a claim as another one, for each way in which the code may have compared it."""
    sides = (comparison.observed, comparison.wanted)
    for held, changed in _forms(claim, value, comparison.relation):
        for mine, other in (sides, sides[::-1]):
            if type(mine) is type(held) and _ordered(mine) == _ordered(held):
                for members in _choices(other, are_all_wanted=other is not comparison.wanted):
                    yield changed(members)


def _forms(
    claim: str, value: Any, relation: str
) -> Iterator[tuple[object, Callable[[list[Any]], Any]]]:
    """Yield how code may compare a claim, each with what makes the claim of other operands."""
    if isinstance(value, list):
        kept = [one for one in value if one != _made_up(claim)]
        yield tuple(value), lambda members: [*kept, *members]
        for one in value:
            others = [other for other in kept if other != one]
            yield one, partial(_joined, others)
    elif isinstance(value, str) and value:
        if relation == "contains" or value == _made_up(claim):
            # What was made up as a text, and is searched or taken one by one, is a list.
            forms = [value] if relation == "contains" else dict.fromkeys(value)
            for form in forms:
                yield form, list
            yield tuple(dict.fromkeys(value)), list
        yield value, lambda members: members[0]
        # Scopes are words of one text.
        yield tuple(value.split()), lambda members: " ".join((value, *members))
    elif isinstance(value, int) and not isinstance(value, bool):
        yield value, lambda members: members[0]


def _joined(others: list[Any], members: list[Any]) -> list[Any]:
    return [*others, *members]


def _ordered(value: object) -> object:
    """Return a value as it compares to one like it; the members of sets have no order."""
    return tuple(sorted(map(repr, value))) if isinstance(value, tuple) else value


def _choices(value: object, *, are_all_wanted: bool) -> Iterator[list[Any]]:
    """Yield what a claim may get of an operand: one of its members, or all of them."""
    members = list(value) if isinstance(value, tuple) else [value]
    members = [one for one in members if isinstance(one, (str, int)) and one != ""]
    if are_all_wanted and isinstance(value, tuple):
        yield from [members] if members else []
    else:
        yield from ([one] for one in members[:MOST_MEMBERS])


def _made_up(claim: object) -> Any:
    return {"exp": LATE, "iat": 0, "nbf": 0}.get(str(claim), f"{claim}1")


def _instead_of(claim: str, default: object) -> list[Any]:
    """Return what a claim may be for which code would take a default."""
    if isinstance(default, (list, tuple, set, frozenset)):
        return [[_made_up(claim)]]
    if isinstance(default, dict):
        return [{}]
    if isinstance(default, bool):
        return [not default]
    return [1 if isinstance(default, int) else _made_up(claim)]


def literal_of(value: object) -> str:
    """Return a value as code, with the quotes of the written tests."""
    return str(json.dumps(value)) if isinstance(value, str) else repr(value).replace("'", '"')


def text_of(value: object) -> str:
    """Return a text that may be bytes; empty for anything else."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if isinstance(value, str) else ""


def ask_for_kind(given: list[Any]) -> None:
    """Report the required token when a check by Flask-JWT-Extended has failed.

    A flag says whether the check requires a refresh token.
    """
    wants_refresh = next((one for one in given if isinstance(one, bool)), None)
    for claims in given:
        if isinstance(claims, Claims):
            kind = {"type": "refresh" if wants_refresh else "access"}
            claims.ask({**kind, "fresh": True} if wants_refresh is None else kind)
