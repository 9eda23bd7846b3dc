"""The texts that match patterns of the code, by parameters: also of units that pass one on."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence

from pytest_evosearch.problem.units.code_uses import Uses
from pytest_evosearch.problem.units.plain_texts import plain_texts
from pytest_evosearch.problem.units.unit import Unit

Place = tuple[Unit, str]
"""A unit and the name of a parameter."""


class MatchedTexts:
    """Texts for parameters that code was seen to match with a pattern."""

    def __init__(self, units: Mapping[str, Unit], uses: Callable[[Unit], Uses]) -> None:
        self._units = units
        self._uses = uses
        self._texts: dict[tuple[str, str], list[str]] = {}
        self.changes = 0
        """How often something became known: what was made before is old then."""

    def note(self, unit: Unit, name: str, pattern: str) -> list[tuple[Place, str]]:
        """Take over that code matches an argument with a pattern.

        Return the texts to try: for this parameter, and for those that get it as it is.
        """
        found = []
        for one, parameter in ((unit, name), *self.passed_on(unit, name)):
            known = self._texts.setdefault((one.key, parameter), [])
            news = [text for text in plain_texts(pattern) if text not in known]
            known += news
            found += [((one, parameter), text) for text in news]
        self.changes += bool(found)
        return found

    def of(self, unit: Unit, name: str) -> Sequence[str]:
        """Return texts that match the patterns of a parameter, or of one that gets it as it is."""
        places = ((unit, name), *self.passed_on(unit, name))
        return [text for one, key in places for text in self._texts.get((one.key, key), ())]

    def passed_on(self, unit: Unit, name: str) -> list[Place]:
        """Return the parameters of other units that get an argument as it is."""
        found = []
        for key, place in self._uses(unit).forwarded.get(name, ()):
            target = self._units.get(key)
            own = [one.name for one in target.parameters] if target is not None else []
            shift = int(target is not None and bool(target.owner))  # ``Version.match(self, x)``
            if isinstance(place, int):
                place = own[place - shift] if shift <= place < len(own) + shift else ""
            if target is not None and place in own:
                found.append((target, place))
        return found
