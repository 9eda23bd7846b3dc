"""Names the tests of a suite, and renames tests that verification changes.

A name never mentions something that its test no longer asserts.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field
from dataclasses import replace
from itertools import count

from pytest_evosearch.core.failing.fence import Fence
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.write.content.builder import Surroundings
from pytest_evosearch.write.content.inputs import identifies
from pytest_evosearch.write.content.inputs import slots_of
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.naming.candidates import name_candidates
from pytest_evosearch.write.naming.conflicts import TAKEN
from pytest_evosearch.write.naming.culprits import first_trait
from pytest_evosearch.write.naming.grouping import TableGroup
from pytest_evosearch.write.naming.name_choice import choose_name
from pytest_evosearch.write.naming.name_choice import words_to_spare
from pytest_evosearch.write.naming.proven_conditions import PLAIN
from pytest_evosearch.write.naming.proven_conditions import Condition
from pytest_evosearch.write.naming.proven_conditions import Evidence
from pytest_evosearch.write.naming.refused_credentials import ANONYMOUS
from pytest_evosearch.write.naming.refused_credentials import STRANGER
from pytest_evosearch.write.naming.refused_credentials import WRONG_CREDENTIALS
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
        condition = common_condition([self.conditions[index] for index in group.members], rows)
        condition = replace(condition, decided=tuple(sorted(self._decided_in_all(group))))
        if group.phrase:
            condition = Condition("_".join(filter(None, (group.phrase, condition.phrase))), "part")
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
        )
        spare = 0 if group.span else words_to_spare(rows[0].act.request)
        return choose_name(candidates, taken, spare)

    def labels(self, group: TableGroup) -> tuple[str, ...]:
        """Return what is special about each row, or the input that only its condition names."""
        shared = self._decided_in_all(group)
        return tuple(_label(self.conditions[index], shared) for index in group.members)

    def _decided_in_all(self, group: TableGroup) -> set[str]:
        return set.intersection(*(set(self.conditions[one].decided) for one in group.members))


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


def _label(condition: Condition, shared: AbstractSet[str]) -> str:
    own = [name for name in condition.decided if name not in shared]
    return condition.phrase or (f"with_{own[0]}" if own else "")


def common_condition(conditions: Sequence[Condition], rows: Sequence[Specimen]) -> Condition:
    """Return the common condition of a table's rows."""
    first = conditions[0]
    if all(condition == first for condition in conditions):
        return first
    categories = {condition.category for condition in conditions}
    if STRANGER in categories:
        return _common_stranger(conditions)
    last_words = {condition.phrase.partition("_")[2] for condition in conditions}
    if categories == {"with"} and len(last_words) == 1:  # one input, sent in several ways
        evidence = min(condition.evidence for condition in conditions)
        return Condition(f"with_{last_words.pop()}", "with", evidence)
    if not categories <= {"missing", "invalid", "unknown", TAKEN}:
        return PLAIN
    paths = [row.act.request.path for row in rows]
    in_path = all(paths) and any(path != paths[0] for path in paths)
    if categories == {"unknown"} and in_path:
        return Condition("unknown_id", "unknown", Evidence.NAMED)
    category = first.category if len(categories) == 1 else "invalid"
    if len(last_words) == 1:
        return _shared(category, last_words.pop())
    traits = {first_trait(slots_of(row.act.request)) for row in rows}
    if len(traits) == 1 and PLAIN not in traits:  # one unusual value, sent by several methods
        return traits.pop()
    if in_path:
        adjectives = {condition.phrase.partition("_")[0] for condition in conditions}
        adjective = adjectives.pop() if len(adjectives) == 1 else "invalid"
        are_ids = all(identifies(name) for path in paths for name in path)
        return replace(_shared(adjective, "id" if are_ids else "values"), category="invalid")
    common = _shared(category, "field" if len(categories) == 1 else "data")
    return replace(common, says_what=False)  # it names no input: a message is better


def _shared(adjective: str, noun: str) -> Condition:
    return Condition(f"{adjective}_{noun}", adjective, says_what=adjective != "invalid")


def _common_stranger(conditions: Sequence[Condition]) -> Condition:
    """Return the common condition of callers of several endpoints.

    Some of these endpoints do not show which credentials they require.
    """
    named = dict.fromkeys(one for one in conditions if one.phrase)
    if any(one.category != STRANGER for one in named):
        return PLAIN
    if len(named) == 1:
        return next(iter(named))
    lacking = all(one.phrase == ANONYMOUS or one.phrase.startswith("without_") for one in named)
    phrase = ANONYMOUS if lacking else WRONG_CREDENTIALS
    return Condition(phrase, STRANGER, Evidence.NAMED)
