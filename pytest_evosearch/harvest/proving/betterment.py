"""Makes minimised tests better: as people send them, with readable texts and telling numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Sequence

from pytest_evosearch.core.failing.fence import Fence
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import code_in
from pytest_evosearch.execution.full_evaluation import FullEvaluation
from pytest_evosearch.harvest.allotment import Allotment
from pytest_evosearch.harvest.arranging.vain_parts import without_vain_parts
from pytest_evosearch.harvest.boundaries import Boundaries
from pytest_evosearch.harvest.executions import Executions
from pytest_evosearch.harvest.losses import NOT_ORDINARY
from pytest_evosearch.harvest.losses import Losses
from pytest_evosearch.harvest.proving.compared_answers import is_open
from pytest_evosearch.harvest.proving.compared_answers import sends_password
from pytest_evosearch.harvest.proving.decisive import Decisive
from pytest_evosearch.harvest.proving.filters import taken_apart
from pytest_evosearch.harvest.proving.improvements import Improvements
from pytest_evosearch.harvest.quantities import Described
from pytest_evosearch.harvest.readable_texts import ReadableTexts
from pytest_evosearch.harvest.telling_numbers import Result
from pytest_evosearch.harvest.telling_numbers import TellingNumbers
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.observed import exchanges_of

Shortened = Callable[[FullEvaluation[Individual], frozenset[TargetId]], FullEvaluation[Individual]]
"""Returns the shortest form of a test that covers its duty."""

BETTER = "what makes a test shorter and easier to read"
"""Part of a run without which tests stay as they were found."""


class Betterment:
    """Improves the tests of one harvest; a mistake of ours leaves them as they are."""

    def __init__(
        self,
        executions: Executions,
        allotment: Allotment,
        losses: Losses,
        decisive: Decisive,
        fence: Fence,
        described: Described,
        is_lost: bool,
        shortened: Shortened,
    ) -> None:
        self._executions = executions
        self._allotment = allotment
        self._run = fence.run
        self._described = described
        self._is_lost = is_lost
        """Whether the state in which tests were found is gone: they stay as they are."""
        self._shortened = shortened
        self._losses = losses
        self._decisive = decisive
        self._known = decisive.known
        self._improvements = Improvements(decisive)
        self._texts = ReadableTexts(executions.fully, allotment.is_over)

    def improved(
        self, results: Sequence[Result], others: Iterable[FullEvaluation[Individual]]
    ) -> tuple[list[Result], list[Result]]:
        """Return the tests in a better form, and added ones; learn from them and `others`."""
        self._known.note_all([*others, *(found for found, _duty in results)])
        if self._is_lost:
            return list(results), []
        readable = self.with_texts(self._taken_apart(self._with_good_values(results)))
        self._known.note_all(found for found, _duty in readable)  # with the texts as written
        better, added = self._with_numbers(readable)
        self._known.note_all(found for found, _duty in better)
        further = self._run(BETTER, self._led_on, better, otherwise=[])
        return _without_entered(better, further), [*added, *further]

    def _led_on(self, results: Sequence[Result]) -> list[Result]:
        """Return refused tests with the row or token that they lack, where these run new code.

        A log-in by a client that is logged in already is no such test.
        """
        others = [test for test, _duty in results if not _is_entered(test)]
        shown = frozenset[TargetId]().union(*(code_in(test.covered) for test in others))
        added: list[Result] = []
        for test, _duty in results:
            act = exchanges_of(test.evaluation)[-1]
            if self._allotment.is_over() or act.crash is not None:
                continue
            found = self._decisive.led_on(test.evaluation.individual, act)
            gained = code_in(found.covered_by_call[-1]) - shown if found is not None else ()
            is_sound = found is not None and exchanges_of(found.evaluation)[-1].crash is None
            if found is not None and gained and is_sound:
                duty = frozenset(gained)
                added.append((self._shortened(found, duty), duty))
                shown |= duty
        return self.with_texts(self._with_good_values(added))

    def _with_good_values(self, results: Sequence[Result]) -> list[Result]:
        """Return the tests as people send them; code that one alone covers stays covered."""
        shown = Counter(target for test, _duty in results for target in code_in(test.covered))
        found = []
        for test, duty in results:
            alone = frozenset(target for target in code_in(test.covered) if shown[target] == 1)
            better = self._run(BETTER, self._as_people_send_it, test, duty, alone, otherwise=test)
            shown.subtract(code_in(test.covered))
            shown.update(code_in(better.covered))
            found.append((better, duty))
        return found

    def _taken_apart(self, results: Sequence[Result]) -> list[Result]:
        """Return the tests, those with several filters as one for each, where that is enough."""
        given = self._executions.fully, self._allotment.is_over
        found: list[Result] = []
        for test, duty in results:
            parts = self._run(BETTER, taken_apart, test, duty, *given, otherwise=[test])
            found += [(one, duty & one.covered if len(parts) > 1 else duty) for one in parts]
        return found

    def _as_people_send_it(
        self,
        test: FullEvaluation[Individual],
        duty: frozenset[TargetId],
        alone: frozenset[TargetId],
    ) -> FullEvaluation[Individual]:
        """Return a test without vain parts and with good values; note what it no longer shows."""
        execute, is_over = self._executions.fully, self._allotment.is_over
        short = without_vain_parts(test, duty, execute, is_over)
        short = short if alone <= short.covered else test
        found = self._improvements.ordinary(short, duty)
        found = found if alone <= found.covered else short
        for target in sorted(test.covered - found.covered):
            self._losses.untested.setdefault(target, NOT_ORDINARY)
        return found

    def _with_numbers(self, results: list[Result]) -> tuple[list[Result], list[Result]]:
        """Return the tests with informative numbers, and the tests that are added."""
        if self._is_lost:
            return results, []
        return self._run(BETTER, self._with_added, results, otherwise=(results, []))

    def _with_added(self, results: list[Result]) -> tuple[list[Result], list[Result]]:
        numbers = TellingNumbers(self._executions.fully, self._allotment.is_over)
        results = numbers.improved(results)
        is_over = self._allotment.is_over
        limits = Boundaries(
            self._executions.fully, self._executions.compared, is_over, self._described
        )
        added = limits.added([*results, *numbers.added])
        return results, [*numbers.added, *self._with_good_values(added)]

    def with_texts(self, results: Sequence[Result]) -> list[Result]:
        """Return the tests with texts that a person might have typed."""
        if self._is_lost:
            return list(results)
        return self._run(BETTER, self._texts.improved, results, otherwise=list(results))


def _is_entered(test: FullEvaluation[Individual]) -> bool:
    """Say whether a client that is logged in sends a password that is refused."""
    act = exchanges_of(test.evaluation)[-1]
    return act.user is not None and sends_password(act) and is_open(act)


def _without_entered(results: Sequence[Result], further: Sequence[Result]) -> list[Result]:
    """Return the tests without log-ins by those who are logged in, where others show their code."""
    kept = (one for one in results if not _is_entered(one[0]))
    shown = frozenset[TargetId]().union(*(code_in(test.covered) for test, _ in (*kept, *further)))
    return [
        (test, duty)
        for test, duty in results
        if not (_is_entered(test) and code_in(test.covered_by_call[-1]) <= shown)
    ]
