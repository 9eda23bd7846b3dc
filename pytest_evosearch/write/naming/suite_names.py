"""Names the tests of a suite, and renames tests that verification changes.

A name never mentions something that its test no longer asserts.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field
from itertools import count

from pytest_evosearch.core.failing.fence import Fence
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.write.content.builder import Surroundings
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.naming.candidates import name_candidates
from pytest_evosearch.write.naming.grouping import TableGroup
from pytest_evosearch.write.naming.name_choice import choose_name
from pytest_evosearch.write.naming.name_choice import words_to_spare
from pytest_evosearch.write.naming.proven_conditions import Condition
from pytest_evosearch.write.naming.proven_conditions import common_condition
from pytest_evosearch.write.naming.shown_words import Known
from pytest_evosearch.write.naming.stories import Siblings

NAMES = "names for tests"
"""Part of a run without which tests are numbered."""


@dataclass(frozen=True)
class Naming:
    """The input for naming tests, except the test itself."""

    specimens: Sequence[Specimen] = ()
    conditions: Mapping[int, Condition] = field(default_factory=dict)
    siblings: Siblings = field(default_factory=Siblings)
    around: Surroundings = field(default_factory=Surroundings)
    reserved: Mapping[str, AbstractSet[str]] = field(default_factory=dict)
    """Module -> names of kept tests in it."""
    fence: Fence = field(default_factory=Fence)
    """Collects the failures of single names."""
    keys: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """Specimen -> the keys of its last answer, a JSON object, that its test asserts."""

    def name(
        self,
        group: TableGroup,
        taken: AbstractSet[str],
        asserted: Sequence[str],
        is_bare: bool = False,
    ) -> str:
        """Return the best free name for a group that asserts the texts `asserted`.

        A group that `is_bare` only asserts statuses.
        """
        given = group, taken, asserted, is_bare
        found = self.fence.run(NAMES, self._best_name, *given, otherwise="")
        numbers = map(str, count(1))
        return found or next(name for one in numbers if (name := f"test_{one}") not in taken)

    def _best_name(
        self,
        group: TableGroup,
        taken: AbstractSet[str],
        asserted: Sequence[str],
        is_bare: bool,
    ) -> str:
        rows = [self.specimens[index] for index in group.members]
        condition = common_condition([self.conditions[index] for index in group.members])
        candidates = name_candidates(
            rows[0],
            self.siblings,
            self.around.users,
            condition,
            self.around.faults,
            group.span,
            rows,
            self.around.corpus.served,
            asserted,
            is_bare,
            Known(self._common_keys(group), self.around.corpus.wording),
        )
        templates = (key.partition(" ")[2] for key in self.siblings)
        spare = 0 if group.span else words_to_spare(rows[0].act.request, templates)
        return choose_name(candidates, taken, spare)

    def _common_keys(self, group: TableGroup) -> list[str]:
        """Return the keys of answers that all rows assert."""
        first, *others = (self.keys.get(index, ()) for index in group.members)
        return [key for key in first if all(key in keys for keys in others)]

    def labels(self, group: TableGroup) -> tuple[str, ...]:
        """Return what is special about each row, as far as it is proven."""
        return tuple(self.conditions[index].phrase for index in group.members)


@dataclass
class Renaming:
    """Renames parts of a module's tests that differ from their plan."""

    naming: Naming
    taken: AbstractSet[str]
    """Planned names, and names of kept tests."""
    given: set[str] = field(default_factory=set)

    def name(self, planned: str, group: TableGroup, asserted: Sequence[str], is_bare: bool) -> str:
        """Return a name for a part of the test with the name `planned`."""
        taken = (self.taken - {planned}) | self.given
        return self.keep(self.naming.name(group, taken, asserted, is_bare))

    def keep(self, name: str) -> str:
        """Return `name`, and reserve it."""
        self.given.add(name)
        return name
