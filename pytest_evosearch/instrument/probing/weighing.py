"""What libraries compare on behalf of instrumented code, told beside what its probes see.

A signature, a password or a key is mostly compared inside of a library, where no probe is.  A
stand-in for such a function (`sut.watching.library_checks`) tells both sides here, and they join
the comparisons of the running test, in order.  Only a look that hears everything asks for them.

What a database decides is scored here as well (`sut.queries`): such targets stand beside those of
the probes, in every look, until they are retired.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.instrument.probing.probes import HINTS_PER_TEST
from pytest_evosearch.instrument.probing.probes import Journal
from pytest_evosearch.instrument.probing.probes import current_mark
from pytest_evosearch.instrument.probing.probes import is_exact
from pytest_evosearch.instrument.probing.trace import Comparison

WEIGHED = "weighed"
"""First word of the sites of such comparisons, which are no targets: nothing scores them."""

SIGNED = "signed"
"""First word of the sites at which a token was wanted that only the application can sign."""

PASSED = "passed"
"""Relation of a check that found both sides equal."""

COLUMN = "column"
"""Relation of a value to the name of the column in which a statement looked for it."""

REHASHED = "rehashed"
"""Relation of a password, with a hash of it and the function that made it, to the hash with which
it was compared."""

INDIRECT = frozenset({PASSED, COLUMN, REHASHED})
"""Relations whose second operand is nothing that could be sent."""

NOWHERE = f"{WEIGHED} outside"
"""The site of what no instrumented code has asked for."""


class Scales:
    """Takes in both sides of a comparison that a library made for the running test."""

    def __init__(self, journal: Journal, path_of: Callable[[str], str | None]) -> None:
        self._journal = journal
        self._path_of = path_of
        """How targets name a source file, None for one that is not instrumented."""

    @property
    def in_use(self) -> bool:
        """Whether the running code belongs to a test that hears everything."""
        journal = self._journal
        return journal.full and journal.testing and current_mark() is journal.token

    def rest(self) -> None:
        """Take in nothing any more, in a process that the application has forked."""
        self._journal.testing = False

    @property
    def is_measuring(self) -> bool:
        """Whether distances are wanted, and not only what was reached."""
        return self._journal.measuring

    @property
    def test(self) -> object | None:
        """The running test; None for code outside of it, and where it is thrown away."""
        journal = self._journal
        if journal.testing and not journal.discarded and current_mark() is journal.token:
            return journal.test
        return None

    def wants(self, target: TargetId) -> bool:
        """Say whether the score of `target` is of interest in the running test."""
        journal = self._journal
        return journal.full or target not in journal.retired

    def raise_score(self, target: TargetId, score: float) -> None:
        """Note how near the running test has come to `target`."""
        scores = self._journal.scores
        if self.wants(target) and scores.get(target, 0.0) < score:
            scores[target] = score

    def suggest(self, target: TargetId, relation: str, observed: object, wanted: object) -> None:
        """Note that `target` waits for ``observed relation wanted``."""
        journal = self._journal
        if not journal.hinting or len(journal.comparisons) >= HINTS_PER_TEST:
            return
        if is_exact(observed) and is_exact(wanted):
            journal.comparisons.append(Comparison(target, relation, observed, wanted))

    def place(self) -> str | None:
        """Return path and line of the innermost instrumented code that is being executed."""
        frame: FrameType | None = sys._getframe(2)
        while frame is not None:
            path = self._path_of(frame.f_code.co_filename)
            if path is not None:
                return f"{path}:{frame.f_lineno}"
            frame = frame.f_back
        return None

    def weigh(self, observed: object, wanted: object) -> None:
        """Note that `observed` would have passed, had it been `wanted`."""
        if is_exact(observed) and is_exact(wanted):
            self._note("==", observed, wanted)

    def weigh_with_column(self, observed: object, column: str) -> None:
        """Note that a statement looked for `observed` among the values of a column."""
        if is_exact(observed):
            self._note(COLUMN, observed, column)

    def weigh_hash(self, password: str, made: str, maker: str, wanted: str) -> None:
        """Note that a password was compared with a hash, and what its own hash would be."""
        self._note(REHASHED, (password, made, maker), wanted)

    def weigh_token(self, sent: str, signed: str, asked: str = "") -> None:
        """Note a token that was sent, and one that the application would believe.

        `asked` are names for which one line may look one after the other.
        """
        self._note("==", sent, signed, SIGNED, asked)

    def note_passed(self) -> None:
        """Note that a check has passed: a call that comes to it has got further."""
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
        frame: FrameType | None = sys._getframe(3)
        while frame is not None:
            path = self._path_of(frame.f_code.co_filename)
            if path is not None:
                return f"{WEIGHED} {path}:{frame.f_lineno}"
            frame = frame.f_back
        return NOWHERE
