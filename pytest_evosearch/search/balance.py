"""Sets the share of new samples in a search by the gains that samples and mutants bring.

    after each evaluation: decay both records; count it and its gain under its kind
    yield(kind) = (gains + CAUTION * yield of both together) / (evaluations + CAUTION)
    share of samples = yield(sample) / (yield(sample) + yield(mutant))

A schedule alone does not know the application.  A few hard formulas need mutation.  In a chain of
states, each new sample may make a further state possible.

Where gains are rare, a few evaluations without gain prove little.  So a kind with few evaluations
is assumed to yield what both kinds yield together (an empirical Bayes estimate).
"""

from __future__ import annotations

from pytest_evosearch.core.quick_dataclasses import dataclass

MEMORY = 0.99
"""Factor of all counts after each evaluation: about the last hundred evaluations count."""

CLOSER = 0.25
"""Gain of a test that comes closer to a target; a test that covers one gains 1."""

PRIOR = 0.05
"""Yield that is assumed before the first evaluation."""

CAUTION = 20.0
"""Evaluations at the common yield that are added to each kind.

Gains are rare, so bad luck at the beginning must not decide the whole search.
"""


@dataclass
class _Record:
    tried: float = 0.0
    gained: float = 0.0

    def value(self, common: float) -> float:
        return (self.gained + CAUTION * common) / (self.tried + CAUTION)


class SampleBalance:
    """Compares the recent gains of samples and mutants."""

    def __init__(self) -> None:
        self._samples = _Record()
        self._mutants = _Record()

    def note(self, is_sample: bool, gain: float) -> None:
        """Count one evaluation with its `gain`, 0 to 1."""
        record = self._samples if is_sample else self._mutants
        record.tried = record.tried * MEMORY + 1.0
        record.gained = record.gained * MEMORY + gain

    @property
    def sample_share(self) -> float:
        """Return the share of evaluations that samples should get, above 0 and below 1."""
        gained = self._samples.gained + self._mutants.gained
        common = (gained + PRIOR) / (self._samples.tried + self._mutants.tried + 1.0)
        samples, mutants = self._samples.value(common), self._mutants.value(common)
        return samples / (samples + mutants)
