"""Values worth trying: from the user, from responses, from comparisons, and from the code."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.web_tokens import holds_ending_token
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.responses import MISSING

MOST_SEEN = 24
"""Most values kept for each name in responses, newest last."""

MOST_FIRST_STORED = 3
"""Stored values of a name that are tried first: one that exists is mostly enough."""

MOST_LEARNT = 60
"""Most values kept for each input, learnt from comparisons."""

LONGEST_CONSTANT = 200
"""Most characters of a literal; longer ones are messages, templates and statements."""

NEARBY_LINES = 12
"""Lines around a focus target whose constants probably belong to it."""

MOST_CURSORS = 20_000
"""Most remembered positions in the constants; when the table is full, it is cleared."""

LARGEST_BITS = 4096
"""Most bits of an integer constant; Python refuses to print much larger ones."""

_LOCAL_SHARE = 0.8
"""How often a constant comes from the focus target's own file, when it has any."""

_NEARBY_SHARE = 0.5
"""How often it comes from the lines around the target."""

_STARTING_STRIDE = 7
"""Offset between the starting positions of inputs, so that they try different constants."""

Identity = tuple[Location, str]

Offers = Callable[[str, Identity], Sequence[object]]
"""Returns the values that the user offers for an input, by endpoint key and input."""


class ValuePool:
    """Holds bounded, ordered collections of values, and picks one that suits an input.

    Order never depends on hashes, so equal learning gives equal picks.
    """

    def __init__(
        self, seeds: Mapping[str, Sequence[object]] | None = None, offers: Offers | None = None
    ) -> None:
        self._seeds = {_normal(name): list(values) for name, values in (seeds or {}).items()}
        self._offers = offers
        self._offered: dict[tuple[str, Identity], list[object]] = {}
        self._seen: dict[str, dict[object, None]] = {}
        self._stored: dict[str, dict[object, None]] = {}
        self._learnt: dict[tuple[str, Identity], dict[object, None]] = {}
        self._constants: dict[str, _Constants] = {}
        self._everywhere = _Constants()
        self._cursors: dict[tuple[str, Identity, str, bool], int] = {}

    def add_constants(self, path: str, constants: Iterable[object]) -> None:
        """Add the literals of one source file; `path` as in the names of its targets.

        A literal comes alone, or as a pair with its line.
        """
        local = self._constants.setdefault(path, _Constants())
        for constant in constants:
            line = 0
            if isinstance(constant, tuple) and len(constant) == 2:
                constant, line = constant
            local.add(constant, line)
            self._everywhere.add(constant)

    def add_seen(self, name: str, value: object) -> None:
        """Note a value that a response had under `name`, or that was accepted under `name`.

        A token that ends is of use only in the test that was given it.
        """
        if isinstance(value, str) and holds_ending_token(value):
            return
        seen = self._seen.setdefault(_normal(name), {})
        _remember(seen, value, MOST_SEEN)

    def add_stored_values(self, pairs: Iterable[tuple[str, object]]) -> None:
        """Note values that are stored under names, such as columns of a database."""
        for name, value in pairs:
            self.add_stored(name, value)

    def add_stored(self, name: str, value: object) -> None:
        """Note a value that a database stores under `name`: the application looks there for it."""
        _remember(self._stored.setdefault(_normal(name), {}), value, MOST_SEEN)

    def known(self, name: str) -> list[object]:
        """Return the values for `name`: stored ones first, then recently seen ones."""
        stored = list(self._stored.get(_normal(name), ()))
        seen = list(self._seen.get(_normal(name), ()))
        return list(dict.fromkeys([*stored[:MOST_FIRST_STORED], *reversed(seen), *stored]))

    def stored_texts(self) -> Iterator[str]:
        """Yield the texts that databases hold."""
        for values in self._stored.values():
            yield from (value for value in values if isinstance(value, str))

    def stored(self, rng: Random, name: str) -> object:
        """Return a stored value for `name`, mostly one of the first, or `MISSING`."""
        stored = self._stored.get(_normal(name))
        if not stored:
            return MISSING
        values = list(stored)
        return rng.choice(values[:MOST_FIRST_STORED] if rng.random() < 0.7 else values)

    def add_learnt(self, endpoint: str, identity: Identity, value: object) -> None:
        """Note a value that a comparison required, for this input and for this name elsewhere."""
        if isinstance(value, (str, int, float, bytes)):
            _remember(self._learnt.setdefault((endpoint, identity), {}), value, MOST_LEARNT)
            name = identity[1].rpartition("/")[2]
            if name:
                self.add_seen(name, value)

    def pick(
        self,
        rng: Random,
        endpoint: str,
        identity: Identity,
        name: str,
        gene: Gene,
        focus: TargetId | None = None,
    ) -> object:
        """Return a value for an input, or `MISSING` when nothing is known.

        `name` is the innermost name (a JSON key). Constants from the file of `focus` are preferred.
        """
        seeds = self._seeds_of(endpoint, identity, name)
        if seeds and rng.random() < 0.6:
            return rng.choice(seeds)
        stored = self.stored(rng, name) if rng.random() < 0.35 else MISSING
        if stored is not MISSING:
            return stored
        learnt = self._learnt.get((endpoint, identity))
        if learnt and rng.random() < 0.45:
            return _draw(learnt, rng)
        seen = self._seen.get(_normal(name))
        if seen and rng.random() < 0.5:
            return _draw(seen, rng)
        return self._pick_constant(rng, endpoint, identity, gene, focus)

    def seeded(self, rng: Random, endpoint: str, identity: Identity, name: str) -> object:
        """Return a value that the user offers for an input called `name`, or `MISSING`."""
        seeds = self._seeds_of(endpoint, identity, name)
        return rng.choice(seeds) if seeds else MISSING

    def _seeds_of(self, endpoint: str, identity: Identity, name: str) -> list[object] | None:
        """Return the user's values for this input, or else for its name."""
        if self._offers is None:
            return self._seeds.get(_normal(name))
        offered = self._offered.get((endpoint, identity))
        if offered is None:
            offered = self._offered[endpoint, identity] = list(self._offers(endpoint, identity))
        return offered or self._seeds.get(_normal(name))

    def _pick_constant(
        self, rng: Random, endpoint: str, identity: Identity, gene: Gene, focus: TargetId | None
    ) -> object:
        wants_numbers = _wants_numbers(gene)
        if len(gene.kinds()) > 1 and rng.random() < 0.2:
            wants_numbers = not wants_numbers
        scope, values = self._constants_near(rng, focus, wants_numbers)
        if not values:
            return MISSING
        place = (endpoint, identity, scope, wants_numbers)
        cursor = self._cursors.get(place)
        if cursor is None:
            if len(self._cursors) >= MOST_CURSORS:
                self._cursors.clear()
            cursor = len(self._cursors) * _STARTING_STRIDE
        self._cursors[place] = cursor + 1 + (rng.random() < 0.3)
        return values[cursor % len(values)]

    def _constants_near(
        self, rng: Random, focus: TargetId | None, numbers: bool
    ) -> tuple[str, list[object]]:
        """Choose a scope, the nearest first: lines around the focus, its file, all the code."""
        chance = rng.random()
        if focus and chance < _LOCAL_SHARE:
            path, line = _position_of(focus)
            local = self._constants.get(path)
            if local is not None:
                near = local.near(line, numbers) if chance < _NEARBY_SHARE else []
                if near:
                    return f"{path}:{line}", near
                if local.of(numbers):
                    return path, local.of(numbers)
        return "", self._everywhere.of(numbers)


class _Constants:
    """Distinct literals of some code, texts and numbers apart, in the order of the source."""

    def __init__(self) -> None:
        self._texts: list[object] = []
        self._numbers: list[object] = []
        self._known: set[tuple[str, str]] = set()
        self._lines: list[tuple[int, object, bool]] = []
        self._nearby: dict[tuple[int, bool], list[object]] = {}

    def add(self, constant: object, line: int = 0) -> None:
        """Add a text or a number; ignore booleans, None and long texts."""
        if isinstance(constant, bytes):
            constant = constant.decode("latin-1")
        if isinstance(constant, int) and constant.bit_length() > LARGEST_BITS:
            return
        numeric = isinstance(constant, (int, float)) and not isinstance(constant, bool)
        if not numeric and not _is_short_text(constant):
            return
        if line:
            self._lines.append((line, constant, numeric))
        mark = (type(constant).__name__, repr(constant))
        if mark not in self._known:
            self._known.add(mark)
            (self._numbers if numeric else self._texts).append(constant)

    def of(self, numbers: bool) -> list[object]:
        """Return the numbers or the texts, each once."""
        return self._numbers if numbers else self._texts

    def near(self, line: int, numbers: bool) -> list[object]:
        """Return the numbers or the texts within a few lines of `line`, the nearest first."""
        found = self._nearby.get((line, numbers))
        if found is None:
            around = [
                (abs(at - line), constant)
                for at, constant, numeric in self._lines
                if numeric == numbers and abs(at - line) <= NEARBY_LINES
            ]
            around.sort(key=lambda entry: entry[0])
            found = list(dict.fromkeys(constant for _distance, constant in around))
            self._nearby[line, numbers] = found
        return found


def _is_short_text(constant: object) -> bool:
    return (
        isinstance(constant, str)
        and 0 < len(constant) <= LONGEST_CONSTANT
        and ("\n" not in constant)
    )


def _normal(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def _remember(values: dict[object, None], value: object, most: int) -> None:
    if value in values:
        return
    if len(values) >= most:
        del values[next(iter(values))]
    values[value] = None


def _draw(values: dict[object, None], rng: Random) -> object:
    return rng.choice(list(values))


def _wants_numbers(gene: Gene) -> bool:
    held = gene.chosen()
    return held.is_numeric or held.is_truth


def _position_of(target: TargetId) -> tuple[str, int]:
    """Return file and line from a target's name: those of ``branch shop/a.py:12#2 true``."""
    position = target.partition(" ")[2].partition(" ")[0]
    path, _, line = position.partition(":")
    digits = line.partition("#")[0]
    return path, int(digits) if digits.isdecimal() else 0
