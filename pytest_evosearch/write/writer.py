"""Writes, verifies and repairs the planned tests in turn, until they hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from dataclasses import replace
from pathlib import Path

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import LINE
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.write.brief import Brief
from pytest_evosearch.write.content.builder import build_test
from pytest_evosearch.write.modules.ledger import signed
from pytest_evosearch.write.modules.modification import change_texts
from pytest_evosearch.write.modules.module_files import existing_modules
from pytest_evosearch.write.modules.module_files import relative
from pytest_evosearch.write.modules.module_files import replace_modules
from pytest_evosearch.write.modules.module_files import write_ledger
from pytest_evosearch.write.modules.regeneration import Earlier
from pytest_evosearch.write.modules.suite_assembly import Assembly
from pytest_evosearch.write.modules.suite_assembly import Draft
from pytest_evosearch.write.modules.suite_assembly import assemble
from pytest_evosearch.write.naming.planned_functions import Verdicts
from pytest_evosearch.write.naming.suite_plan import plan_suite
from pytest_evosearch.write.verification.additions import Additions
from pytest_evosearch.write.verification.repair import REASON
from pytest_evosearch.write.verification.repair import unreliable_places
from pytest_evosearch.write.verification.restoring import Restoration
from pytest_evosearch.write.verification.verdicts import Failure
from pytest_evosearch.write.verification.verdicts import Verdict
from pytest_evosearch.write.verification.verify import Verifier
from pytest_evosearch.write.written_suite import WrittenSuite
from pytest_evosearch.write.written_suite import names_by_module
from pytest_evosearch.write.written_suite import specimens_of
from pytest_evosearch.write.written_suite import story_of
from pytest_evosearch.write.written_suite import test_of

MOST_ROUNDS = 8
"""Most verifications of one suite: a failing test needs three (value, assertions, test)."""

WANDERING = ("pytest.PytestUnraisableExceptionWarning",)
"""Warnings about objects that the garbage collector finds: it decides in which test they appear."""


@dataclass
class Writer:
    """Writes one suite; decisions of verification accumulate in `lowered` and `struck`."""

    draft: Draft
    brief: Brief
    folder: Path
    """Where the modules are written and verified, beside the place of the brief."""
    lowered: set[int] = field(default_factory=set)
    struck: dict[int, str] = field(default_factory=dict)
    """Specimen -> why it is not written."""
    warnings: dict[int, tuple[str, ...]] = field(default_factory=dict)
    """Specimen -> classes of warnings that the application issues."""
    populated: set[int] = field(default_factory=set)
    """Specimens that fail, or cover less, without the accounts that fixtures create."""
    unverified: list[str] = field(default_factory=list)
    notice: str = ""
    additions: Additions = field(default_factory=Additions)
    restoration: Restoration | None = None
    extent: str = ""
    """How tests were verified; empty where all were, in all circumstances."""
    earlier: Earlier = field(default_factory=Earlier)

    def plan(self) -> None:
        """Keep the remaining earlier tests, and plan tests for all other specimens."""
        stays = self.earlier.stand_ins(self.draft.specimens)
        plan = plan_suite(
            self.draft.specimens,
            self.draft.around,
            self.brief.groups,
            skipped={index for members in stays.values() for index in members},
            reserved=names_by_module(stays),
        )
        self.draft = replace(self.draft, plan=plan, stays=stays)

    def write(self) -> Assembly:
        """Write the suite to disk according to the verdicts so far."""
        verdicts = Verdicts(
            frozenset(self.lowered),
            frozenset(self.struck),
            self.warnings,
            frozenset(self.populated),
        )
        assembly = assemble(self.draft, verdicts)
        if self.brief.change is not None:
            change_texts(assembly, self.brief.change)
        unreadable = {name for name, one in self.draft.existing.items() if not one.readable}
        present = existing_modules(self.folder)
        replace_modules(self.folder, assembly.texts, sorted(set(present) - unreadable))
        ledger = signed(assembly.ledger, self.draft.ledger, self.brief.run)
        write_ledger(self._ledger_file(), ledger)
        return assembly

    def _ledger_file(self) -> Path | None:
        """Return the path of the ledger: beside the written tests, if it belongs there."""
        ledger, place = self.brief.ledger, self.brief.folder
        return self.folder / ledger.name if ledger and ledger.parent == place else ledger

    def write_until_it_holds(self, verifier: Verifier | None) -> Assembly:
        """Write, verify and repair in turn."""
        assembly = self.write()
        if verifier is None:
            return assembly
        if self.additions.trial is not None and assembly.functions:
            self.additions.trial.resolve()
            assembly = self._without_fixtures(assembly)
        if self._missed(assembly):  # before verification, because it changes what tests request
            assembly = self.write()
        if self.restoration is not None and assembly.functions:
            self.restoration.begin()
        for _ in range(MOST_ROUNDS):
            if not assembly.functions:
                return assembly
            verdict = verifier(self.folder, len(assembly.functions))
            self.extent = verdict.extent
            if self._fixtures_mended(verdict):
                assembly = self._without_fixtures(assembly)
                continue
            if self._is_harmed(assembly, verdict):
                continue
            if verdict.is_last:
                return self._settled(assembly, verdict)
            if not self._repaired(assembly, verdict):
                return self._with_extent(assembly)
            assembly = self.write()
        if not assembly.functions:
            return assembly
        return self._settled(assembly, verifier(self.folder, len(assembly.functions)))

    def _fixtures_mended(self, verdict: Verdict) -> bool:
        """Leave out written fixtures that fail; say whether the conftest.py has changed."""
        trial = self.additions.trial
        if trial is None or not verdict.in_fixtures:
            return False
        changed = trial.try_each() or trial.mend(verdict.fixtures)
        if changed and self.restoration is not None:
            self.restoration.forget()
        return changed

    def _without_fixtures(self, assembly: Assembly) -> Assembly:
        """Strike the tests that request a fixture which was left out; return the suite."""
        gone = self.additions.trial.gone if self.additions.trial is not None else {}
        struck = {
            index: gone[name]
            for members in assembly.functions.values()
            for index in members
            for name in build_test(self.draft.specimens[index], self.draft.around).fixtures
            if name in gone and index not in self.struck
        }
        self.struck |= struck
        return self.write() if struck else assembly

    def _with_extent(self, assembly: Assembly) -> Assembly:
        """Write the suite again when the modules must say how they were verified."""
        if self.extent == self.draft.extent:
            return assembly
        self.draft = replace(self.draft, extent=self.extent)
        return self.write()

    def _is_harmed(self, assembly: Assembly, verdict: Verdict) -> bool:
        """Say whether the fixture that restores databases makes every test fail."""
        failing = {(one.file, one.test) for one in verdict.failures}
        return self.restoration is not None and self.restoration.harms(
            len(failing), len(assembly.functions), is_broken=bool(verdict.broken)
        )

    def _repaired(self, assembly: Assembly, verdict: Verdict) -> bool:
        """Repair failures; return whether something changed, so that the suite is written again."""
        failures = [one for one in verdict.failures if not self._is_expected(one, assembly)]
        failing = len({(one.file, one.test, one.row) for one in failures})
        if self.restoration is not None and self.restoration.changes(
            failing, is_broken=bool(verdict.broken)
        ):
            return True
        outdated = self._outdated(failures)
        if outdated:
            self.earlier = self.earlier.without(outdated)
            self.plan()
            return True
        ours = [one for one in failures if specimens_of(one, assembly)]
        for index, failure in self._distinct(ours, assembly).items():
            self._repair(index, failure, assembly)
        if verdict.crowded and self.additions.lock():
            return True
        if verdict.unfinished and self.additions.collect(verdict.unfinished):
            return True
        notices = *verdict.notices, self.additions.notice(verdict.unfinished)
        self.notice = self.notice or "; ".join(filter(None, notices))
        foreign = [one for one in failures if not one.test and one not in ours]
        if verdict.broken or (foreign and not ours):
            self.notice = verdict.broken or foreign[0].reason
            self.unverified = [self.address(file, test) for file, test in assembly.functions]
        return bool(ours)

    def _missed(self, assembly: Assembly) -> bool:
        """Give accounts back to tests that do not execute their targets; say whether any are."""
        sparing = [
            index
            for members in assembly.functions.values()
            for index in members
            if self._is_spared(index)
        ]
        if self.brief.executed is None or not sparing:
            return False
        executed = self.brief.executed(self.folder)
        missed = {
            index
            for index in sparing
            if any(
                kind_of(one) == LINE and one not in executed
                for one in self.draft.specimens[index].targets
            )
        }
        self.populated |= missed
        return bool(missed)

    def _is_spared(self, index: int) -> bool:
        """Say whether a test would request more with the accounts that fixtures create."""
        around, specimen = self.draft.around, self.draft.specimens[index]
        if not around.spared or index in self.populated:
            return False
        complete = build_test(specimen, replace(around, spared=frozenset()))
        return build_test(specimen, around).fixtures != complete.fixtures

    def _outdated(self, failures: Sequence[Failure]) -> set[str]:
        """Return the tests of an earlier run that no longer hold."""
        failing = {(one.file, one.test) for one in failures}
        return {
            address
            for address in self.draft.stays
            if failing & {(address.partition("::")[0], name) for name in (test_of(address), "")}
        }

    def _settled(self, assembly: Assembly, verdict: Verdict) -> Assembly:
        """Drop tests that still fail after the last verification, as no run can prove a repair.

        An allowed warning needs no proof: the test holds without the warning.
        """
        failures = [one for one in verdict.failures if not self._is_expected(one, assembly)]
        warned = [one for one in failures if one.warning]
        others = self._distinct([one for one in failures if not one.warning], assembly)
        for index, failure in others.items():
            self.struck.setdefault(index, failure.reason)
        for index, failure in self._distinct(warned, assembly).items():
            if index not in others and not self._lets_pass(index, failure, assembly):
                self.struck.setdefault(index, failure.reason)
        self.draft = replace(self.draft, extent=self.extent)
        if failures or self.extent:
            assembly = self.write()
        notices = *verdict.notices, self.additions.notice(verdict.unfinished)
        self.notice = self.notice or verdict.broken or "; ".join(filter(None, notices))
        # A test of an earlier run cannot be planned again, only reported.
        failing = sorted(tuple(one.split("::", 1)) for one in self._outdated(failures))
        left = assembly.functions if verdict.broken else failing
        self.unverified = [self.address(file, test) for file, test in left]
        return assembly

    def _is_expected(self, failure: Failure, assembly: Assembly) -> bool:
        """Say whether a failing test is the intended way to show a fault."""
        if self.draft.around.faults != "fail" or failure.hung or not failure.test:
            return False
        specimens = specimens_of(failure, assembly)
        return any(self.draft.specimens[index].fault is not None for index in specimens)

    def _distinct(self, failures: Sequence[Failure], assembly: Assembly) -> dict[int, Failure]:
        """Return one failure for each specimen, though it may fail in many circumstances."""
        found: dict[int, Failure] = {}
        for failure in failures:
            for index in specimens_of(failure, assembly):
                if index not in found or failure.hung:
                    found[index] = failure
        return found

    def _repair(self, index: int, failure: Failure, assembly: Assembly) -> None:
        """Weaken a failing test as little as possible; drop one that stays broken.

        First it gets back omitted accounts. Then it loses the assertion of the one value that
        differs. Then it only asserts the status.
        """
        if self._is_spared(index) and not failure.late:
            self.populated.add(index)
            return
        specimen = self.draft.specimens[index]
        hopeless = failure.hung or failure.late or not failure.test or specimen.fault is not None
        if self._lets_pass(index, failure, assembly):
            return
        if hopeless or index in self.lowered:
            self.struck.setdefault(index, failure.reason)
        elif not self._distrust(index, failure, assembly):
            self.lowered.add(index)

    def _lets_pass(self, index: int, failure: Failure, assembly: Assembly) -> bool:
        """Allow the warning that fails a test; say whether this is new."""
        if failure.warning in WANDERING and failure.warning not in assembly.wandering:
            wandering = {*self.draft.wandering, failure.warning}
            self.draft = replace(self.draft, wandering=tuple(sorted(wandering)))
            return True
        known = self.draft.specimens[index].consequences.warnings
        if not failure.warning or failure.warning in (*known, *self.warnings.get(index, ())):
            return False
        self.warnings[index] = (*self.warnings.get(index, ()), failure.warning)
        return True

    def _distrust(self, index: int, failure: Failure, assembly: Assembly) -> bool:
        """Mark the differing values as unstable, in all rows; say whether this is new."""
        text = assembly.texts.get(failure.file, "")
        test = build_test(self.draft.specimens[index], self.draft.around)
        places = dict.fromkeys(unreliable_places(failure, test, text), REASON)
        specimen = self.draft.specimens[index]
        misled = {call for call, path in places if path == ("text",) and call in specimen.again}
        if not misled and not places.keys() - specimen.unstable.keys():
            return False
        specimens = list(self.draft.specimens)
        for row in assembly.functions.get((failure.file, failure.test), ()):
            unstable = {**places, **specimens[row].unstable}
            again = {
                call: pages for call, pages in specimens[row].again.items() if call not in misled
            }
            specimens[row] = replace(specimens[row], unstable=unstable, again=again)
        self.draft = replace(self.draft, specimens=specimens)
        return True

    def covered(self, assembly: Assembly) -> Earlier:
        """Return the coverage of the written tests, for the next run."""
        found = {}
        for (file, test), members in assembly.functions.items():
            address = f"{file}::{test}"
            known = self.earlier.covered.get(address, frozenset())
            shown = [self.draft.specimens[index] for index in members]
            found[address] = known.union(*(one.covered | one.targets for one in shown))
        return Earlier(found)

    def address(self, file: str, test: str) -> str:
        """Return ``tests/evosearch/test_evosearch_users.py::test_x``."""
        return f"{relative(self.brief.folder / file, self.brief.root)}::{test}"

    @property
    def _of_fixtures(self) -> Sequence[str]:
        return self.additions.trial.notices if self.additions.trial is not None else ()

    def summary(self, assembly: Assembly) -> WrittenSuite:
        """Return the result."""
        test_of = {
            index: self.address(file, test)
            for (file, test), specimens in assembly.functions.items()
            for index in specimens
        }
        plan = self.draft.plan
        names = {index: one.name for one in plan.tests for index in one.specimens}
        reasons = {**plan.dropped, **self.struck, **assembly.skipped}
        return WrittenSuite(
            files=[
                relative(self.brief.folder / name, self.brief.root)
                for name in sorted(assembly.texts)
            ],
            tests=len(assembly.functions),
            dropped=[
                (names.get(index) or story_of(self.draft.specimens[index]), reasons[index])
                for index in sorted(reasons)
            ],
            unverified=self.unverified,
            test_of=test_of,
            reasons=reasons,
            notice="; ".join(filter(None, (*self._of_fixtures, self.notice))),
            extent=self.extent,
            mishaps=tuple(plan.fence.mishaps.values()),
        )
