"""Moves log-ins that are common first calls of a module's tests into fixtures.

Other first calls stay: a test whose arrangement stands elsewhere is harder to read.

    while the first calls of three tests or more are the same, up to a log-in, and long enough:
        the ones that save most lines become a fixture, an *opening*
        these tests ask for it, and go on with what is left of their calls

So an opening may itself begin with another one. It is named after its last response; a test that
uses this response gets it as an argument. Invariants: the requests and assertions of each test, and
their order, do not change; its act stays in the test.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from pytest_evosearch.core.free_names import first_free
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.write.code.layout import Layout
from pytest_evosearch.write.content.builder import WrittenTest
from pytest_evosearch.write.content.variables import ENTERING
from pytest_evosearch.write.content.written_calls import WrittenCall
from pytest_evosearch.write.modules.ledger import digest
from pytest_evosearch.write.modules.printing import body_lines
from pytest_evosearch.write.modules.printing import names_of
from pytest_evosearch.write.modules.printing import resource_noun
from pytest_evosearch.write.modules.printing import signature_lines

FEWEST_TESTS = 3
"""Fewest tests with a common beginning: for two, a fixture costs readers more than it saves."""

FEWEST_CALLS = 2
"""Fewest calls for a fixture, unless a single call is long."""

LONG_CALL = 6
"""Lines of a single call, including its assertions, that justify a fixture."""

OFTEN = 6
"""Number of tests for which a fixture with one short log-in call is worthwhile."""

OVERHEAD = 4
"""Lines of a fixture besides its calls, including blank ones."""


@dataclass(frozen=True)
class Opening:
    """A fixture with the common first calls of several tests."""

    name: str
    fixtures: tuple[str, ...]
    calls: tuple[WrittenCall, ...]
    returned: str = ""
    """The variable that it returns to tests; empty when none uses it."""


@dataclass(frozen=True)
class _Beginning:
    """The first calls of a test, as a candidate."""

    place: int
    """Index of the test."""
    length: int
    lines: tuple[str, ...]
    drawn: str
    """The response that the rest of the test uses; empty for none."""


def print_opening(opening: Opening, layout: Layout, constants: Mapping[str, str]) -> list[str]:
    """Return the lines of an opening; `constants` maps the code of a payload to its name."""
    lines = ["@pytest.fixture", *signature_lines(opening.name, opening.fixtures, layout)]
    lines += body_lines(opening.calls, layout, constants)
    return [*lines, "", f"    return {opening.returned}"] if opening.returned else lines


def share_openings(
    tests: Sequence[WrittenTest],
    layout: Layout,
    taken: AbstractSet[str] = frozenset(),
    present: Mapping[str, str] | None = None,
) -> tuple[list[WrittenTest], list[Opening]]:
    """Return the tests, shortened where they share a beginning, and the openings that they request.

    No opening gets a name in `taken`. `present` are the fixtures that stay in the module, by
    digest. A test with the beginning of one of them requests it, and this fixture is not returned.
    """
    requested = {name for test in tests for name in test.fixtures}
    sharing = _Sharing(list(tests), layout, {*taken, *requested}, present or {})
    while sharing.reuse() or sharing.take_out():
        pass
    return sharing.tests, sharing.openings


class _Sharing:
    """The tests of one module during the change."""

    def __init__(
        self,
        tests: list[WrittenTest],
        layout: Layout,
        taken: set[str],
        present: Mapping[str, str],
    ) -> None:
        self.tests = tests
        self.openings: list[Opening] = []
        self._layout = layout
        self._taken = taken
        self._present = present

    def reuse(self) -> bool:
        """Let one test request a fixture that the module already has; say whether one does."""
        if not self._present:
            return False
        for place in range(len(self.tests)):
            for beginning in reversed(self._beginnings(place)):
                for returned in dict.fromkeys((beginning.drawn, self._last(beginning).variable)):
                    opening = self._opening(beginning, "any_name", returned)
                    source = "\n".join(print_opening(opening, self._layout, {}))
                    name = self._present.get(digest(source))
                    if name is not None and beginning.drawn in ("", name):
                        self._shorten(beginning, name)
                        return True
        return False

    def take_out(self) -> bool:
        """Make the most useful remaining opening; say whether there is one."""
        alike: dict[tuple[object, ...], list[_Beginning]] = {}
        for place, test in enumerate(self.tests):
            for beginning in self._beginnings(place):
                # An opening requests the one before it, whether its tests use that or not.
                others = tuple(name for name in test.fixtures if name != test.opening)
                key = (test.opening, others, beginning.lines)
                alike.setdefault(key, []).append(beginning)
        candidates = [found for found in map(self._sharers, alike.values()) if found]
        if not candidates:
            return False
        best = max(candidates, key=_saving)  # the first of equals, in the order of the tests
        drawn = next((one.drawn for one in best if one.drawn), "")
        name = drawn or self._name(self._last(best[0]))
        self._taken.add(name)
        self.openings.append(self._opening(best[0], name, drawn))
        for beginning in best:
            self._shorten(beginning, name)
        return True

    def _beginnings(self, place: int) -> list[_Beginning]:
        """Yield the possible openings of a test, short ones first."""
        test = self.tests[place]
        return [found for length in range(1, len(test.calls)) for found in self._cut(place, length)]

    def _cut(self, place: int, length: int) -> Iterator[_Beginning]:
        test = self.tests[place]
        calls, rest = test.calls[:length], test.calls[length:]
        if calls[-1].variable not in ENTERING or calls[-1].method_variable:
            return
        lines = body_lines(calls, self._layout, {})
        columns = set(test.rows.names) if test.rows is not None else set()
        mentioned, assigned = names_of(lines)
        if mentioned & columns:
            return
        drawn = assigned & names_of(body_lines(rest, self._layout, {}))[0]
        if drawn <= {calls[-1].variable} - columns:
            yield _Beginning(place, length, tuple(lines), "".join(drawn))

    def _sharers(self, alike: Sequence[_Beginning]) -> list[_Beginning]:
        """Return the tests that share an opening, [] when it is not worthwhile.

        An opening whose variable name is taken returns nothing.
        """
        variable = self._last(alike[0]).variable
        is_free = variable not in self._taken
        members = [one for one in alike if not one.drawn or is_free]
        height = len(alike[0].lines)
        is_long = alike[0].length >= FEWEST_CALLS or height >= LONG_CALL or len(members) >= OFTEN
        worth = is_long and len(members) >= FEWEST_TESTS and _saving(members) > 0
        return members if worth else []

    def _last(self, beginning: _Beginning) -> WrittenCall:
        return self.tests[beginning.place].calls[beginning.length - 1]

    def _opening(self, beginning: _Beginning, name: str, returned: str) -> Opening:
        test = self.tests[beginning.place]
        earlier = (test.opening,) if test.opening else ()
        fixtures = tuple(dict.fromkeys((*test.fixtures, *earlier)))
        return Opening(name, fixtures, test.calls[: beginning.length], returned)

    def _shorten(self, beginning: _Beginning, name: str) -> None:
        """Let a test continue after the opening."""
        test = self.tests[beginning.place]
        rest = test.calls[beginning.length :]
        mentioned, _ = names_of(body_lines(rest, self._layout, {}))
        # The opening requests the others, so they are set up in their former order.
        fixtures = [one for one in test.fixtures if one in mentioned]
        if beginning.drawn:
            fixtures.append(name)
        self.tests[beginning.place] = replace(
            test, calls=rest, opening=name, fixtures=tuple(fixtures)
        )

    def _name(self, last: WrittenCall) -> str:
        """Return a free name for an opening that returns nothing: ``logged_in``."""
        noun = resource_noun(last)
        names = [last.variable, *([f"{last.variable}_{noun}"] if noun else [])]
        return first_free(names, self._taken)


def _saving(members: Sequence[_Beginning]) -> int:
    """Return how many lines the module gets shorter."""
    return len(members[0].lines) * (len(members) - 1) - OVERHEAD - len(members)
