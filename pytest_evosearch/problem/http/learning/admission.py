"""Admission: the credentials and calls with which guarded endpoints let a caller in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from pytest_evosearch.core.http_words import BEFORE_THE_CALLER
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input

MOST_PASSPORTS = 6
"""Most kinds of admission that are remembered: accounts, administrators, keys."""

_CREDENTIAL_LOCATIONS = (Location.HEADER, Location.COOKIE, Location.ENVIRON)


@dataclass
class Passport:
    """What let a caller in: the earlier calls, and the sent headers and cookies."""

    way: tuple[tuple[str, ...], tuple[tuple[Location, str], ...], str | None]
    """Endpoints of the earlier calls, names of the credentials, and the user."""
    calls: tuple[Call, ...]
    credentials: tuple[Input, ...]
    admitted: dict[str, int] = field(default_factory=dict)
    refused: dict[str, int] = field(default_factory=dict)

    @property
    def user(self) -> str | None:
        """The user who sends the calls."""
        return self.way[2]

    def explains(self, endpoints: tuple[str, ...], key: str) -> bool:
        """Say whether this passport explains why calls of `endpoints` let a caller in.

        It does not where this passport alone was always refused: the other calls were needed, too.
        """
        if not _is_subsequence(self.way[0], endpoints):
            return False
        alone = len(self.way[0]) == len(endpoints)
        return alone or key in self.admitted or key not in self.refused

    def weight(self, key: str) -> float:
        """Return how promising it is for an endpoint, above 0."""
        good = 1.0 + 3.0 * self.admitted.get(key, 0) + 0.2 * len(self.admitted)
        return good / (1.0 + self.refused.get(key, 0))


class AdmissionBook:
    """Remembers endpoints that refuse, and collects passports from calls that were let in."""

    def __init__(self, model: EndpointModel) -> None:
        self._model = model
        self._refusals: dict[str, int] = {}
        self._passports: list[Passport] = []

    @property
    def passports(self) -> list[Passport]:
        """Every known kind of admission, in the order of discovery."""
        return list(self._passports)

    @property
    def guarded(self) -> list[str]:
        """The endpoints that have refused a caller, in the order of discovery."""
        return list(self._refusals)

    def is_guarded(self, key: str) -> bool:
        """Say whether the endpoint has ever refused a caller."""
        return key in self._refusals

    def close(self, keys: Iterable[str]) -> None:
        """Note that endpoints let no caller in, whatever their responses."""
        for key in keys:
            self._refusals.setdefault(key, 1)
            for passport in self._passports:
                passport.admitted.pop(key, None)
                passport.refused[key] = passport.refused.get(key, 0) + 1

    def learn(
        self, individual: Individual, index: int, refused: bool, status: int
    ) -> Passport | None:
        """Learn from one response; return a passport when it is new."""
        key = individual.calls[index].endpoint
        if refused:
            self._refusals[key] = self._refusals.get(key, 0) + 1
            self._count_refusal(individual, index, key)
            return None
        if key not in self._refusals or status in BEFORE_THE_CALLER or not status:
            return None
        return self._admitted(individual, index, key)

    def _count_refusal(self, individual: Individual, index: int, key: str) -> None:
        if not self._passports:
            return
        way = _way_of(individual, index)
        for passport in self._passports:
            if passport.way == way:
                passport.refused[key] = passport.refused.get(key, 0) + 1

    def _admitted(self, individual: Individual, index: int, key: str) -> Passport | None:
        way = _way_of(individual, index)
        for passport in self._passports:
            same_credentials = passport.way[1:] == way[1:]
            if same_credentials and passport.explains(way[0], key):
                passport.admitted[key] = passport.admitted.get(key, 0) + 1
                return None
        calls = individual.calls
        credentials = tuple(given for given in calls[index].inputs if _is_credential(given))
        if not credentials and index == 0:
            return None
        passport = Passport(way, calls[:index], credentials, {key: 1})
        self._forget_longer(passport)
        if len(self._passports) >= MOST_PASSPORTS:
            return None
        self._passports.append(passport)
        return passport

    def _forget_longer(self, better: Passport) -> None:
        """Drop passports that contain `better`: their other parts were not needed."""
        kept = []
        for passport in self._passports:
            if passport.way[1:] == better.way[1:] and _is_subsequence(
                better.way[0], passport.way[0]
            ):
                for key, count in passport.admitted.items():
                    better.admitted[key] = better.admitted.get(key, 0) + count
            else:
                kept.append(passport)
        self._passports = kept

    def draw(self, key: str, rng: Random) -> Passport | None:
        """Return a passport to try at an endpoint, mostly the one that works most often."""
        fitting = [each for each in self._passports if self._fits(each, key)]
        if not fitting:
            return None
        return rng.choices(fitting, [passport.weight(key) for passport in fitting])[0]

    def _fits(self, passport: Passport, key: str) -> bool:
        """Say whether the endpoint reads the credentials, as far as known."""
        return all(
            self._model.parameter(key, given.key) is not None for given in passport.credentials
        )


def _is_credential(given: Input) -> bool:
    return given.location in _CREDENTIAL_LOCATIONS


def _way_of(
    individual: Individual, index: int
) -> tuple[tuple[str, ...], tuple[tuple[Location, str], ...], str | None]:
    call = individual.calls[index]
    names = tuple(sorted(given.key for given in call.inputs if _is_credential(given)))
    return tuple(each.endpoint for each in individual.calls[:index]), names, call.user


def _is_subsequence(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    rest = iter(whole)
    return all(key in rest for key in part)
