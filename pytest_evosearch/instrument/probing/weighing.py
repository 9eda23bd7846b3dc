"""Records comparisons inside libraries together with those of instrumented code.

A signature, a password or a key is mostly compared inside a library, which has no probes. A wrapper
of that function (`sut.watching.library_checks`) reports both sides here, and they join the
comparisons of the running test, in order. Only a full recording needs them.

Conditions of database queries are scored here, too (`sut.queries`). Their targets are recorded in
every test until they are retired, like those of probes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.instrument.probing.journal import Journal
from pytest_evosearch.instrument.probing.probes import HINTS_PER_TEST
from pytest_evosearch.instrument.probing.probes import current_mark
from pytest_evosearch.instrument.probing.probes import is_exact
from pytest_evosearch.instrument.probing.trace import Comparison

WEIGHED = "weighed"
"""First word of the sites of these comparisons, which are no targets: they have no scores."""

SIGNED = "signed"
"""First word of sites that require a token which only the application can sign."""

PASSED = "passed"
"""Relation for a check with equal sides."""

COLUMN = "column"
"""Relation of a value to the column that a statement compared it with, and the statement."""

REHASHED = "rehashed"
"""Relation of a password, its new hash and the hash's function to the compared hash."""

INDIRECT = frozenset({PASSED, COLUMN, REHASHED})
"""Relations whose second operand cannot be sent."""

NOWHERE = f"{WEIGHED} outside"
"""The site of comparisons outside instrumented code."""


class Scales:
    """Receives both sides of comparisons that a library made for the running test."""

    def __init__(self, journal: Journal, path_of: Callable[[str], str | None]) -> None:
        self._journal = journal
        self._path_of = path_of
        """Returns the path of a source file in names of targets, None without instrumentation."""

    @property
    def in_use(self) -> bool:
        """Whether the running code belongs to a test with a full recording."""
        journal = self._journal
        return journal.full and journal.testing and current_mark() is journal.token

    def rest(self) -> None:
        """Stop recording, in a process that the application has forked."""
        self._journal.testing = False

    @property
    def is_measuring(self) -> bool:
        """Whether distances are needed, and not only reached targets."""
        return self._journal.measuring

    @property
    def test(self) -> object | None:
        """The running test; None for other code, and for a discarded test."""
        journal = self._journal
        if journal.testing and not journal.discarded and current_mark() is journal.token:
            return journal.test
        return None

    def wants(self, target: TargetId) -> bool:
        """Say whether the score of `target` is needed in the running test."""
        journal = self._journal
        return journal.full or target not in journal.retired

    def raise_score(self, target: TargetId, score: float) -> None:
        """Note how near the running test came to `target`."""
        scores = self._journal.scores
        if self.wants(target) and scores.get(target, 0.0) < score:
            scores[target] = score

    def suggest(self, target: TargetId, relation: str, observed: object, wanted: object) -> None:
        """Note that `target` needs ``observed relation wanted``."""
        journal = self._journal
        if not journal.hinting or len(journal.comparisons) >= HINTS_PER_TEST:
            return
        if is_exact(observed) and is_exact(wanted):
            journal.comparisons.append(Comparison(target, relation, observed, wanted))

    def place(self) -> str | None:
        """Return path and line of the innermost instrumented code that is being executed."""
        return self._place_of(sys._getframe(2))

    def weigh(self, observed: object, wanted: object) -> None:
        """Note that `observed` would have passed if it were `wanted`."""
        if is_exact(observed) and is_exact(wanted):
            self._note("==", observed, wanted)

    def weigh_with_column(self, observed: object, column: str, statement: str) -> None:
        """Note that a statement looked for `observed` among the values of a column."""
        if is_exact(observed):
            self._note(COLUMN, observed, (column, statement))

    def weigh_hash(self, password: str, made: str, maker: str, wanted: str) -> None:
        """Note that a password was compared with a hash, and the password's own new hash."""
        self._note(REHASHED, (password, made, maker), wanted)

    def weigh_token(self, sent: str, signed: str, asked: str = "") -> None:
        """Note a sent token, and one that the application would accept.

        `asked` are names that one line may look up one after another.
        """
        self._note("==", sent, signed, SIGNED, asked)

    def note_passed(self) -> None:
        """Note that a check has passed: its call has got further."""
        self._note(PASSED, None, None)

    def _note(
        self,
        relation: str,
        observed: object,
        wanted: object,
        kind: str = WEIGHED,
        asked: str = "",
    ) -> None:
        journal = self._journal
        if self.in_use and len(journal.comparisons) < HINTS_PER_TEST:
            site = " ".join(filter(None, (self._site().replace(WEIGHED, kind, 1), asked)))
            journal.comparisons.append(Comparison(site, relation, observed, wanted))

    def _site(self) -> TargetId:
        """Return the innermost line of instrumented code that is being executed."""
        place = self._place_of(sys._getframe(3))
        return NOWHERE if place is None else f"{WEIGHED} {place}"

    def _place_of(self, frame: FrameType | None) -> str | None:
        while frame is not None:
            path = self._path_of(frame.f_code.co_filename)
            if path is not None:
                return f"{path}:{frame.f_lineno}"
            frame = frame.f_back
        return None
